import ArgumentParser
import DaybookBytes
import DaybookEngine
import DaybookHistory
import DaybookJobTools
import DaybookReports

/// `daybook verify RUN`.
struct VerifyCommand: Subcommand {
    static let outline = CommandOutline(
        "verify",
        "Run a job again as its manifest tells, and say whether the bytes are the same."
    ) { name in
        """
        The job is run on the day, with the params and on the files of the manifest. What
        it writes goes to a scratch place, and nothing is replaced or kept. Where an
        output is another, the inputs, the job and the version that are others are named.

        An output that grows is held against what stands in it now too. With 'append',
        the file has to begin as the run left it, and what came after is told. With
        'replace_by', the rows of each day that the run wrote are compared, and a day
        that a later run made anew is told with that run. What 'upsert' wrote, and what
        was appended to a table that was there, cannot be verified, and is told.

        Rules and measures that know earlier runs are held against the runs that the
        history had then, but for those that were pruned since.

        A run is named by its manifest, or as in 'history show'; a day means the last
        run that made it. Its manifest has to be kept: that of the last run of a job
        is, and with 'keep' in the job that of each run.

        The exit code is 0 where all that can be verified is the same, 1 where it is
        not, and 2 where no output can be verified.

        Examples:
          \(name) run nightly.yaml --manifest run.json
          \(name) verify run.json
          \(name) verify .daybook/manifests/nightly.json --format json
          \(name) verify last --job nightly.yaml
          \(name) verify 2026-10-10 --job nightly.yaml
        """
    }

    enum Format: String, CaseIterable, ExpressibleByArgument { case text, json }

    @Argument(
        help: "The manifest of a run; or a run by its name, the end of it, last or previous, or by a day that it made.",
        completion: .json
    )
    var manifest: String

    @Option(
        help: .value("job", "The job whose run is meant; or the job file, where it is not where the run found it."),
        completion: .job
    )
    var job: String?

    @Option(
        name: .customLong("set"),
        parsing: .singleValue,
        help: .value("name=value", "Give a secret param its value, which no manifest holds; may be repeated.")
    )
    var settings: [String] = []

    @Option(help: .value("n", "How many threads work; the result is the same for any number."))
    var threads: Int?

    @OptionGroup var state: StateOption

    @Option(help: "How to print it.") var format = Format.text

    mutating func validate() throws {
        if let threads, !(1...1024).contains(threads) {
            throw ValidationError("'--threads' is between 1 and 1024, found '\(threads)'")
        }
        if job == "-" { throw ValidationError("'--job' names a file, found '-'") }
    }

    mutating func run() throws {
        Interruption.listen()
        manifest = try manifestFile()
        let kept = try StoredManifest(readingFile: manifest)
        let reading = JobReading(try jobFile(of: kept), try options(of: kept), readsRows: true, repeats: true)
        let plan = try reading.planOrExit()
        let past = past(of: plan, reading, kept)
        let runs = LaterRuns(plan, jobFile: reading.file, in: state.directory(of: reading), after: kept.start)
        let verification = try reading.orExit {
            try Verification(
                kept,
                plan,
                CommandContext.current.table,
                past: past,
                jobSHA256: SHA256Digest.of(reading.bytes),
                from: reading.directory,
                threads: threads ?? WorkOptions.cores,
                remade: { runs.making($0) },
                moved: { runs.moved($0, $1, besides: $2) },
                isCancelled: { Interruption.isRequested }
            )
        }
        if !verification.outcome.errors.isEmpty { Terminal.note(reading.rendered(verification.outcome.errors)) }
        Terminal.print(in: format) { style in
            let told = VerificationText(verification, style)
            return format == .json ? JSONDocument.text(of: told.json) : told.text
        }
        throw ExitCode(verification.exitCode)
    }

    /// The manifest that the command line names, or that of the run that it names.
    private func manifestFile() throws -> String {
        let day = CalendarDay(iso: manifest)
        let isRun = day != nil || ["last", "previous"].contains(manifest) || !manifest.contains { "./".contains($0) }
        guard isRun, (try? FileStatus.of(manifest)) ?? nil == nil else { return manifest }
        let directory = try state.directory(of: job)
        let run: RunRecord
        if let day {
            guard let job else {
                let hint = "name the job, as in '\(CommandContext.current.name) verify \(day) --job nightly.yaml'"
                throw DaybookError("no-such-run", "'\(day)' may be a day of any job", hint: hint)
            }
            let days = try RunDays(of: job, JobOptions.parse(settings.map { "--set=\($0)" }), state)
            guard let found = try days.last(making: day) else {
                let hint = "'\(CommandContext.current.name) history \(job)' lists the runs"
                throw DaybookError("no-such-run", "no run of '\(job)' that passed made \(day)", hint: hint)
            }
            run = found
        } else {
            let history = try HistoryPlace.open(in: directory, of: job)
            run = try HistoryPlace.run(manifest, in: history, of: job.map(FilePath.place))
        }
        let files = directory.manifests(ofRun: run.run, job: run.job)
        let file = files.first { (try? StoredManifest(readingFile: $0, repeating: false))?.start == run.started }
        guard let file else {
            let hint = "'keep: 30 runs' in the job keeps one of each run; 'run --manifest FILE' writes one"
            throw DaybookError("no-manifest", "the manifest of run \(run.run) is not kept", hint: hint)
        }
        return file
    }

    /// What rules and measures were held against when the run began, as far as the history still knows it.
    private func past(of plan: Plan, _ reading: JobReading, _ kept: StoredManifest) -> [PlannedPast] {
        do throws(DaybookError) {
            return try plan.past(in: state.directory(of: reading), jobFile: reading.file, startedBefore: kept.start)
        } catch {
            Terminal.warn(.noPast(error))
            return []
        }
    }

    /// The job as the command line names it, or as the run found it: from here, or beside the state directory of the manifest.
    private func jobFile(of kept: StoredManifest) throws(DaybookError) -> String {
        if let job { return job }
        // The manifest of a single run stands one directory deeper than the last one of its job.
        let beside = ["../..", "../../.."].map { FilePath.join(FilePath.directory(of: manifest), $0) }
        let places = [kept.jobFile] + beside.map { FilePath.join($0, FilePath.name(of: kept.jobFile)) }
        guard let found = places.first(where: { (try? FileStatus.of($0))??.isRegularFile == true }) else {
            let hint = "name it with '--job FILE'"
            throw DaybookError("job-not-found", "the job of the manifest, '\(kept.jobFile)', is not there", hint: hint)
        }
        return found
    }

    /// The day and the params of the run.
    private func options(of kept: StoredManifest) throws -> JobOptions {
        let given = try settings.map { (setting) throws(DaybookError) in try ParamSetting(setting) }
        if let hidden = kept.hiddenParams.first(where: { name in !given.contains { $0.name == name } }) {
            let message = "the param '\(hidden)' is a secret, whose value no manifest holds"
            throw DaybookError("secret-not-given", message, hint: "give it with '--set \(hidden)=value'")
        }
        let shown = kept.shownParams.filter { param in !given.contains { $0.name == param.name } }
        return try JobOptions.parse(
            ["--as-of=\(kept.day)"] + shown.map { "--set=\($0.name)=\($0.value)" } + settings.map { "--set=\($0)" }
        )
    }
}

/// Runs of a job after the one that is verified, looked up once one is asked for.
private final class LaterRuns {
    private lazy var runs = open()
    private lazy var made = (try? runs?.made(after: start)) ?? [:]
    private let open: () -> RunDays?
    private let start: Int64

    init(_ plan: Plan, jobFile: String, in directory: StateDirectory, after start: Int64?) {
        // Without a start, nothing says which runs are later.
        self.start = start ?? .max
        open = { try? RunDays(of: plan, jobFile: jobFile, in: directory) }
    }

    /// Where a run read the bytes of a file that is gone or another now.
    func moved(_ bytes: Int, _ xxh128: String, besides paths: Set<String>) -> String? {
        let found = try? runs?.reading(bytes, xxh128, besides: paths, after: start)
        return found.map { "run \($0.run) read these bytes as '\($0.path)': the file was renamed or copied" }
    }

    /// The name of the last run that made the day of a group; nil for groups that are no days.
    func making(_ group: String) -> String? {
        let words = group.split(whereSeparator: { $0 == " " || $0 == "," })
        return words.lazy.compactMap { CalendarDay(iso: String($0)) }.first.flatMap { made[$0] }
    }
}

import ArgumentParser
import DaybookBytes
import DaybookEngine
import DaybookJobTools
import DaybookReports

/// `daybook verify MANIFEST`.
struct VerifyCommand: ParsableCommand {
    static var configuration: CommandConfiguration {
        .of("verify", "Run a job again as its manifest tells, and say whether the bytes are the same.") { name in
            """
            The job is run on the day, with the params and on the files of the manifest. What
            it writes goes to a scratch place, and nothing is replaced or kept. Where an
            output is another, the inputs, the job and the version that are others are named.

            An output that grows, and a database that is written into, start from what
            stood there before the run, or from nothing where nothing did. Where that is
            no longer there, it is told as an input that is another.

            Rules and measures that know earlier runs are held against the runs that the
            history had then, but for those that were pruned since.

            The exit code is 0 where all is the same, and 1 where it is not.

            Examples:
              \(name) run nightly.yaml --manifest run.json
              \(name) verify run.json
              \(name) verify .daybook/manifests/nightly.json --format json
            """
        }
    }

    enum Format: String, CaseIterable, ExpressibleByArgument { case text, json }

    @Argument(help: "The manifest of a run.", completion: .json)
    var manifest: String

    @Option(
        help: ArgumentHelp("The job file, where it is not where the run found it.", valueName: "job"),
        completion: .job
    )
    var job: String?

    @Option(
        name: .customLong("set"),
        parsing: .singleValue,
        help: ArgumentHelp(
            "Give a secret param its value, which no manifest holds; may be repeated.",
            valueName: "name=value"
        )
    )
    var settings: [String] = []

    @Option(help: ArgumentHelp("How many threads work; the result is the same for any number.", valueName: "n"))
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
        let kept = try StoredManifest(readingFile: manifest)
        let reading = JobReading(try jobFile(of: kept), try options(of: kept), readsRows: true)
        let plan = try reading.planOrExit()
        let past = past(of: plan, reading, kept)
        let verification = try reading.orExit {
            try Verification(
                kept,
                plan,
                CommandContext.current.table,
                past: past,
                jobSHA256: SHA256Digest.of(reading.bytes),
                from: reading.directory,
                threads: threads ?? WorkOptions.cores,
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
            throw DaybookError(
                "job-not-found",
                "the job of the manifest, '\(kept.jobFile)', is not there",
                hint: "name it with '--job FILE'"
            )
        }
        return found
    }

    /// The day and the params of the run.
    private func options(of kept: StoredManifest) throws -> JobOptions {
        let given = try settings.map { (setting) throws(DaybookError) in try ParamSetting(setting) }
        if let hidden = kept.hiddenParams.first(where: { name in !given.contains { $0.name == name } }) {
            throw DaybookError(
                "secret-not-given",
                "the param '\(hidden)' is a secret, whose value no manifest holds",
                hint: "give it with '--set \(hidden)=value'"
            )
        }
        let shown = kept.shownParams.filter { param in !given.contains { $0.name == param.name } }
        return try JobOptions.parse(
            ["--as-of=\(kept.day)"] + shown.map { "--set=\($0.name)=\($0.value)" } + settings.map { "--set=\($0)" }
        )
    }
}

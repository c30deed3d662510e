import ArgumentParser
import DaybookBytes
import DaybookEngine
import DaybookReports
import Foundation

extension SHA256Policy: ExpressibleByArgument {}
extension Quiet: ExpressibleByArgument {
    /// The arguments with `--quiet=clean` for a bare `--quiet`.
    ///
    /// The options of ArgumentParser whose value may be left out take the argument behind them for it, and let any wrong word pass.
    static func spelledOut(in arguments: [String]) -> [String] {
        let options = arguments.prefix { $0 != "--" }
        return options.map { $0 == "--quiet" ? "--quiet=\(Quiet.clean.rawValue)" : $0 }
            + arguments.dropFirst(options.count)
    }
}

/// What every command takes that works on the rows of a job.
///
/// No group lies in another: debug builds of ArgumentParser make the options of a group anew four times for each level
/// that it lies deep, which took more than half the time of a process in tests.
struct WorkOptions: ParsableArguments {
    @Option(help: .value("n", "How many threads work; the result is the same for any number."))
    var threads: Int?

    @Option(
        help: .value(
            "when",
            "Alone, say nothing of a run in which nothing was found; as --quiet=failures, of any that did not fail."
        )
    )
    var quiet: Quiet?

    /// As many as were asked for, or one for each core.
    var threadCount: Int { threads ?? WorkOptions.cores }

    static var cores: Int { ProcessInfo.processInfo.activeProcessorCount }

    mutating func validate() throws {
        if let threads, threads < 1 { throw ValidationError("'--threads' is at least 1, found '\(threads)'") }
        if let threads, threads > 1024 { throw ValidationError("'--threads' is at most 1024, found '\(threads)'") }
    }
}

/// `--max-findings N`, of every command that says how much is told.
struct FindingLimit: ParsableArguments {
    @Option(
        name: .customLong("max-findings"),
        help: .value("n", "How many findings of each rule are told; all are counted.")
    )
    var maxFindings = RunSettings.standardMaxFindings

    mutating func validate() throws {
        guard (0...1_000_000).contains(maxFindings) else {
            throw ValidationError("'--max-findings' is between 0 and 1000000, found '\(maxFindings)'")
        }
    }
}

/// `--sha256 WHEN`, of every command that takes digests of files.
struct DigestOption: ParsableArguments {
    @Option(
        help: .value(
            "when",
            "Of which files the manifest tells the SHA-256 beside the XXH128; auto is of those up to 16 MiB."
        )
    )
    var sha256 = SHA256Policy.auto
}

/// What every command takes that runs a job to its end.
struct SessionOptions: ParsableArguments {
    @Flag(help: "Wait for another run of the job to end, where there is one.")
    var wait = false

    @Option(help: .value("file", "Write the manifest of the run there too."), completion: .file())
    var manifest: String?

    @Option(
        name: .customLong("report"),
        parsing: .singleValue,
        help: .value("format[=file]", "Report the run in that form: on standard error, or to a file; may be repeated."),
        completion: .custom { _, _, _ in ReportTarget.names(in: CommandContext.current.reporters) }
    )
    var reports: [String] = []

    @Flag(name: .customLong("no-progress"), help: "Show no progress bar on a terminal.")
    var noProgress = false

    /// Refuses what only a run to its end has, where a part of its work is done.
    func refuseForPart() throws {
        if manifest != nil || !reports.isEmpty || wait {
            throw ValidationError("'--manifest', '--report' and '--wait' belong to the run of a whole job")
        }
    }

    func targets() throws -> [ReportTarget] {
        var targets: [ReportTarget] = []
        for report in reports {
            let target = try ReportTarget(report, among: CommandContext.current.reporters)
            // To ask twice for one thing is to ask for it.
            let isKnown = targets.contains { $0.option == target.option && $0.file == target.file }
            if !isKnown { targets.append(target) }
        }
        return targets
    }

    /// The run of a job that they ask for.
    func session(
        of job: String,
        _ options: JobOptions,
        _ work: WorkOptions,
        _ state: StateOption,
        _ digest: DigestOption,
        maxFindings: Int
    ) throws -> RunSession {
        RunSession(
            job: job,
            options: options,
            threads: work.threadCount,
            place: state,
            waits: wait,
            manifest: manifest,
            reports: try targets(),
            maxFindings: maxFindings,
            sha256: digest.sha256,
            quiet: work.quiet,
            showsProgress: !noProgress && work.quiet == nil && Terminal.canDraw
        )
    }
}

/// `--state DIR`, of every command that opens the state directory of a job.
struct StateOption: ParsableArguments {
    @Option(
        help: .value(
            "directory",
            "Where runs keep their state. (default: what the job names as 'state', else .daybook beside it)"
        ),
        completion: .directory
    )
    var state: String?

    /// The state directory of a job: that of the command line, else that of the job file, else the one beside it.
    func directory(of reading: JobReading) -> StateDirectory { place(state ?? reading.namedState, of: reading.file) }

    /// The same for a command that needs nothing else of the job; nil for the directory of no job.
    ///
    /// Refuses a job whose state directory depends on what the command line does not give.
    func directory(of job: String?) throws(DaybookError) -> StateDirectory {
        guard state == nil, let job else { return place(state, of: job ?? "-") }
        let reading = JobReading(job, JobOptions.none)
        guard !isUnknown(for: reading) else {
            throw DaybookError(
                "state-unknown",
                "where '\(job)' keeps its state cannot be told: \(reading.problems.first?.message ?? "its 'state' is no directory")",
                hint: "name the directory with --state DIR"
            )
        }
        return directory(of: reading)
    }

    /// Whether the job names a directory by a value that is not there, and the command line names none.
    func isUnknown(for reading: JobReading) -> Bool { state == nil && reading.job?.isStateUnknown == true }

    private func place(_ path: String?, of job: String) -> StateDirectory {
        var directory = path.map(StateDirectory.init) ?? .beside(job: job)
        directory.isCancelled = { Interruption.isRequested }
        directory.services = { CommandContext.current.table.services }
        return directory
    }

    /// Finishes the commit of a run that was killed, so that what is looked at is all of one run, and gives the job as it
    /// is then.
    ///
    /// That it cannot be finished is told, and hinders no command that only looks.
    func recovered(_ reading: JobReading) -> JobReading {
        do throws(DaybookError) {
            return try directory(of: reading).recoverWhereAllowed().finished.isEmpty ? reading : reading.again
        } catch {
            Terminal.complain(error)
            return reading
        }
    }
}

/// Sizes as people write them: `256MiB`, `2GB`, `4096`.
enum ByteSize {
    private static let units: [(name: String, bytes: Int)] = [
        ("KiB", 1 << 10), ("MiB", 1 << 20), ("GiB", 1 << 30), ("TiB", 1 << 40), ("kB", 1_000), ("KB", 1_000),
        ("MB", 1_000_000), ("GB", 1_000_000_000), ("TB", 1_000_000_000_000), ("B", 1),
    ]

    /// The bytes that `text` means; nil where it means none, or more than any file has.
    static func bytes(of text: String) -> Int? {
        let unit = units.first { text.hasSuffix($0.name) } ?? ("", 1)
        let number = text.dropLast(unit.name.count)
        guard !number.isEmpty, number.utf8.allSatisfy({ (48...57).contains($0) }), let count = Int(number) else {
            return nil
        }
        let (bytes, overflowed) = count.multipliedReportingOverflow(by: unit.bytes)
        return overflowed ? nil : bytes
    }
}

/// What every command that reads a job takes.
struct JobOptions: ParsableArguments {
    @Option(
        name: .customLong("as-of"),
        help: .value("date", "The day that the job calls as_of: a date, today or yesterday.")
    )
    var asOf: String?

    @Option(
        name: .customLong("set"),
        parsing: .singleValue,
        help: .value(
            "name=value",
            "Give a param of the job a value, of which a path starts from the job file; may be repeated."
        )
    )
    var settings: [String] = []

    /// What a command has that takes no values for a job.
    static var none: JobOptions {
        var options = JobOptions()
        (options.asOf, options.settings) = (nil, [])
        return options
    }

    /// The `--set`s as params.
    func params() throws(DaybookError) -> [ParamSetting] {
        try settings.map { (setting) throws(DaybookError) in try ParamSetting(setting) }
    }

    /// The day of `--as-of`; nil when the job is to decide.
    func day() throws(DaybookError) -> Job.AsOf? {
        guard let asOf else { return nil }
        guard let day = Job.AsOf(asOf) else {
            if CalendarDay.isShapedLikeDay(asOf) {
                let hint = "give '--as-of' a date such as 2026-11-21"
                throw DaybookError("bad-as-of", "'\(asOf)' is not a day of the calendar", hint: hint)
            }
            let message = "expected 'today', 'yesterday' or a date such as 2026-11-21 after '--as-of', found '\(asOf)'"
            throw DaybookError("bad-as-of", message, hint: "write the year, month and day as 2026-11-21")
        }
        return day
    }
}

/// One `--report FORMAT[=FILE]`.
struct ReportTarget {
    var reporter: any Reporter.Type
    /// A path, `-` for standard output, or nil for standard error.
    var file: String?
    /// Whether it tells what rules tolerate too.
    var tellsTolerated = false

    /// Stands behind the name of a form to ask for that.
    static let all = ":all"

    /// The option as messages name it.
    var option: String { "--report \(reporter.name)\(tellsTolerated ? ReportTarget.all : "")" }

    /// What completes `--report`.
    static func names(in table: ReporterTable) -> [String] {
        table.reporters.flatMap { $0.leavesOutTolerated ? [$0.name, $0.name + all] : [$0.name] }
    }

    /// The report of a run, ending with a line break.
    func text(of run: RunReport, _ style: TerminalStyle) -> String { reporter.init(style).report(told(run)) }

    /// The run as this report tells it.
    func told(_ run: RunReport) -> RunReport {
        var run = run
        run.tellsTolerated = tellsTolerated
        return run
    }

    init(_ argument: String, among table: ReporterTable) throws(DaybookError) {
        let parts = argument.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false).map(String.init)
        let asksForAll = parts[0].hasSuffix(ReportTarget.all)
        let name = asksForAll ? String(parts[0].dropLast(ReportTarget.all.count)) : parts[0]
        guard let reporter = table[name] else {
            throw DaybookError(
                "unknown-report",
                "no form of report named '\(name)'",
                hint: NearestName.hint(for: parts[0], among: ReportTarget.names(in: table))
                    ?? NearestName.hint(for: name, among: table.names)
                    ?? "the forms are \(table.names.joined(separator: ", "))"
            )
        }
        guard !asksForAll || reporter.leavesOutTolerated else {
            let message = "the form '\(name)' leaves nothing out, found '\(parts[0])'"
            throw DaybookError("unknown-report", message, hint: "write '\(name)'")
        }
        tellsTolerated = asksForAll
        guard parts.count == 1 || !parts[1].isEmpty else {
            let hint = "write '--report \(parts[0])=FILE', or '--report \(parts[0])' for standard error"
            throw DaybookError("unknown-report", "'--report \(argument)' names no file", hint: hint)
        }
        self.reporter = reporter
        file = parts.count == 2 ? parts[1] : nil
    }
}

extension ScratchPlace {
    /// A state directory in it, for runs of which nothing is kept.
    var state: StateDirectory {
        var state = StateDirectory(FilePath.join(path, "state"))
        state.isCancelled = { Interruption.isRequested }
        return state
    }
}

extension RunSettings {
    /// The settings of work on the rows of a job, which ends when the command is interrupted.
    init(_ reading: JobReading, in state: StateDirectory, threads: Int) {
        self.init(threads: threads, directory: reading.directory, state: state, jobFile: reading.file)
        isCancelled = { Interruption.isRequested }
    }
}

import ArgumentParser
import DaybookBytes
import DaybookEngine
import DaybookHistory
import DaybookJobTools
import DaybookPages
import DaybookReports

/// `daybook history`, with what looks at single runs below it.
struct HistoryCommand: ParsableCommand {
    static var configuration: CommandConfiguration {
        let name = CommandContext.current.name
        return CommandConfiguration(
            commandName: "history",
            abstract: "List the runs of a job, show one, compare two, or forget old ones.",
            discussion: """
                Every run is kept in history.sqlite of the state directory, also one that failed.

                Examples:
                  \(name) history pipelines/nightly-report.yaml
                  \(name) history --failed --last 10
                  \(name) history show last --format html > run.html
                  \(name) history show last --job pipelines/nightly-report.yaml
                  \(name) history diff previous last --job pipelines/nightly-report.yaml
                  \(name) history check --within 26h
                  \(name) history prune --keep 400
                  \(name) history adopt old-name pipelines/nightly-report.yaml
                """,
            subcommands: [
                HistoryListCommand.self, HistoryShowCommand.self, HistoryDiffCommand.self, HistoryCheckCommand.self,
                HistoryPruneCommand.self, HistoryAdoptCommand.self, HistoryExportCommand.self,
                HistoryImportCommand.self,
            ],
            defaultSubcommand: HistoryListCommand.self
        )
    }
}

extension HistoryPages.Format: ExpressibleByArgument {}

/// `--job JOB` and `--state DIR`: whose runs are meant, and where they are kept.
struct HistoryPlace: ParsableArguments {
    @Option(help: .value("job", "The job whose runs are meant; otherwise those of all."), completion: .job)
    var job: String?

    @OptionGroup var state: StateOption

    /// The history, and the path by which it knows the job.
    func open(_ job: String?) throws(DaybookError) -> (history: HistoryFile, path: String?) {
        (try HistoryPlace.open(in: state.directory(of: job), of: job), job.map(FilePath.place))
    }

    /// The history of a state directory.
    static func open(in directory: StateDirectory, of job: String?) throws(DaybookError) -> HistoryFile {
        try HistoryKeeper.takeEntries(of: directory)
        guard let history = try HistoryFile.openToRead(in: directory) else {
            let hint =
                switch job {
                case nil: "name a job, beside which its runs are kept, or the directory with --state DIR"
                case let job? where !HistoryPlace.isFile(job): "'\(job)' is no file; name the job file"
                default: "runs of the job are kept from the next one on; was another --state DIR used?"
                }
            throw .noHistory(in: directory, hint: hint)
        }
        return history
    }

    static func isFile(_ job: String) -> Bool { (try? FileStatus.of(job))??.isRegularFile == true }

    /// The run that a person means: its name or either end of it, `last` or `previous`.
    static func run(_ text: String, in history: HistoryFile, of path: String?) throws(DaybookError) -> RunRecord {
        let ago = ["last": 0, "previous": 1][text]
        var names: [String]
        if let ago {
            names = try history.runs(RunChoice(path: path, last: ago + 1, isByDay: true)).dropFirst(ago).map(\.run)
        } else {
            names = text.isEmpty ? [] : try history.names(of: text)
        }
        guard let name = names.first, let record = try history.record(of: name) else {
            let message = ago == nil ? "no run is called '\(text)'" : "there is no \(text) run"
            let hint = "'\(CommandContext.current.name) history' lists them; the end of a name is enough"
            throw DaybookError("no-such-run", message, hint: hint)
        }
        guard names.count == 1 else {
            let shown = names.prefix(3).map { "'\($0)'" } + (names.count > 3 ? ["another"] : [])
            let hint = "the end of a name tells runs apart"
            throw DaybookError("ambiguous-run", "'\(text)' may be \(DisplayText.list(shown, "or"))", hint: hint)
        }
        return record
    }
}

extension DaybookError {
    static func noHistory(in directory: StateDirectory, hint: String) -> DaybookError {
        .machine("no-history", "there is no history at '\(HistoryFile.path(in: directory))'", hint: hint)
    }
}

/// `daybook history [JOB]`.
struct HistoryListCommand: ParsableCommand {
    static let configuration = CommandConfiguration(commandName: "list", abstract: "List runs, the latest first.")

    @Argument(help: "The job file whose runs are listed; otherwise those of all jobs.", completion: .job)
    var job: String?

    @OptionGroup var place: HistoryPlace

    @Option(help: .value("n", "How many runs at most.")) var last = 30

    @Flag(help: "Only runs that did not end with 0.") var failed = false

    @Option(help: "How to print it.") var format = HistoryPages.Format.text

    mutating func validate() throws {
        guard last > 0 else { throw ValidationError("'--last' is at least 1, found '\(last)'") }
    }

    mutating func run() throws {
        let (history, path) = try place.open(job ?? place.job)
        let choice = RunChoice(path: path, failed: failed, last: last)
        let runs = try history.runs(choice)
        let older = format == .text || format == .html ? try history.count(choice) - runs.count : 0
        Terminal.print(in: format) { HistoryPages($0).list(runs, older: older, format) }
        if runs.isEmpty, path != nil {
            let others = try history.jobs(RunChoice()).prefix(3).map { "'\($0.path)'" }
            if !others.isEmpty { Terminal.remark("this history has runs of \(DisplayText.list(others, "and"))") }
        }
    }
}

/// `daybook history show RUN`.
struct HistoryShowCommand: ParsableCommand {
    static let configuration = CommandConfiguration(commandName: "show", abstract: "Show all that is kept of one run.")

    @Argument(help: "The run: its name, the end of it, last or previous.") var name: String

    @OptionGroup var place: HistoryPlace

    @Option(help: "How to print it.") var format = HistoryPages.Page.text

    mutating func run() throws {
        let (history, path) = try place.open(place.job)
        let record = try HistoryPlace.run(name, in: history, of: path)
        Terminal.print(in: format) { HistoryPages($0).page(record, format) }
    }
}

extension HistoryPages.Page: ExpressibleByArgument {}

/// `daybook history diff RUN RUN`.
struct HistoryDiffCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "diff",
        abstract: "Say what changed from one run to another.",
        discussion: """
            Of outputs with other bytes that are both still on the disk, as where their
            paths name the day or a directory is published, the rows that came and went are
            told, and with '--key' those that changed. CSV and JSON are read, up to
            20 million rows. Of other outputs, and where a key column is lacking, it is said
            why they are not compared.

            Where columns came or went, rows are compared by those of both files.
            Whether a CSV file has a header, and its encoding, is as the job file says now;
            where that is gone, it is read with a header and as Unicode.

            Rows are shown as they are, with any secret that stands in them.
            """
    )

    @Argument(help: "The earlier run: its name, the end of it, last or previous.") var earlier: String

    @Argument(help: "The later run.") var later: String

    @Option(
        name: .customLong("key"),
        parsing: .singleValue,
        help: .value("column", "A column by which a row of an output is known in both; may be repeated.")
    )
    var keys: [String] = []

    @OptionGroup var place: HistoryPlace

    @Option(help: "How to print it.") var format = HistoryPages.Page.text

    mutating func run() throws {
        Interruption.listen()
        let (history, path) = try place.open(place.job)
        let difference = RunDifference(
            try HistoryPlace.run(earlier, in: history, of: path),
            try HistoryPlace.run(later, in: history, of: path)
        )
        let rows = try OutputComparison(difference.earlier, difference.later, by: keys).told()
        Terminal.print(in: format) { HistoryPages($0).page(difference, rows: rows, format) }
    }
}

/// `daybook history prune --keep N`.
struct HistoryPruneCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "prune",
        abstract: "Forget all runs of each job but the latest ones."
    )

    @Option(help: .value("n", "How many runs of each job stay.")) var keep: Int

    @OptionGroup var place: HistoryPlace

    mutating func validate() throws {
        guard keep >= 0 else { throw ValidationError("'--keep' is at least 0, found '\(keep)'") }
    }

    mutating func run() throws {
        let (kept, path) = try place.open(place.job)
        // A job whose file was deleted still has its runs.
        if let job = place.job, !HistoryPlace.isFile(job), try kept.count(RunChoice(path: path)) == 0 {
            throw JobFile.notFound(job)
        }
        let directory = try place.state.directory(of: place.job)
        let removed = try HistoryFile.open(in: directory).prune(keeping: keep, of: path)
        directory.forgetManifests(of: removed)
        Terminal.note("forgot \(DisplayText.count(removed.count, "run"))")
    }
}

/// `daybook history adopt OLD NEW`.
struct HistoryAdoptCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "adopt",
        abstract: "Give a job that was renamed or moved the runs that it had before.",
        discussion: """
            A job is known by its name and the path of its file. What it took, how far it
            read and what its rules measured go along.
            """
    )

    @Argument(help: "The name that the job had, or the path that its file had.") var old: String

    @Argument(help: "The job file as it is now.", completion: .job) var new: String

    @OptionGroup var options: JobOptions

    @OptionGroup var state: StateOption

    mutating func run() throws {
        let reading = JobReading(new, options)
        guard let job = reading.job, reading.problems.isEmpty else { throw reading.exit(with: reading.problems) }
        let directory = state.directory(of: reading)
        let lock = try directory.lock(job: RunReport(reading, threads: 1).job, waits: false)
        defer { lock.release() }
        try HistoryKeeper.takeEntries(of: directory)
        guard try HistoryFile.openToRead(in: directory) != nil else {
            throw DaybookError.noHistory(in: directory, hint: "name the directory that has it with --state DIR")
        }
        let history = try HistoryFile.open(in: directory)
        let meant = Plan.historyName(of: job, jobFile: new)
        let known = try history.jobs(called: old).filter { $0 != meant }
        guard let former = known.first else {
            let message = "the history knows no other job by the name or the path '\(old)'"
            let hint = "'\(CommandContext.current.name) history --format json' tells the names and paths that it knows"
            throw DaybookError("no-such-job", message, hint: hint)
        }
        guard known.count == 1 else {
            throw DaybookError(
                "no-such-job",
                "'\(old)' is \(known.count) jobs: \(DisplayText.list(known.map { "'\($0.name)' (\($0.path))" }, "and"))",
                hint: known.allSatisfy { $0.name == self.old } ? "name the path of its file" : "name the job itself"
            )
        }
        let count = DisplayText.count(try history.adopt(former, as: meant), "run")
        let (name, old) = (PrintableText.of(meant.name), PrintableText.of(former.name))
        Terminal.note("'\(name)' has \(count) now, those of '\(old)' among them")
    }
}

/// `daybook site DIR`.
struct SiteCommand: Subcommand {
    static let outline = CommandOutline(
        "site",
        "Write pages about the runs of the history: an index, and a page for each job, run and day."
    ) { name in
        """
        The pages are files that a browser opens from the disk; they need no server,
        no network and no script. The index has the last days of each job in a strip.
        The page of a job has its measures and rows over time, its rules with their
        last days, the way of the rows, and the runs with links to their outputs. The
        page of a run has all that the history keeps of it. Where imports name days, the
        page of a day has what came, the runs that read it, and what it came to. The
        columns of the outputs have a page where the job file is as the last run had it.

        The directory is written as a whole, and replaces one that this command has
        written. One that holds other things is left as it is.

        Examples:
          \(name) site www --job pipelines/nightly-report.yaml
          \(name) site /srv/reports --state /var/lib/daybook --last 90
        """
    }

    @Argument(help: "The directory for the pages.", completion: .directory) var directory: String

    @OptionGroup var place: HistoryPlace

    @Option(help: .value("n", "How many runs of each job at most.")) var last = 120

    mutating func validate() throws {
        if directory.isEmpty || directory == "-" {
            throw ValidationError("the pages go to a directory, found '\(directory)'")
        }
        if directory.hasSuffix(".yaml") || directory.hasSuffix(".yml"), place.job == nil {
            throw ValidationError(
                "'\(directory)' is a job, and the pages go to a directory: write 'site www --job \(directory)'"
            )
        }
        guard (1...Site.mostRuns).contains(last) else {
            throw ValidationError("'--last' is between 1 and \(Site.mostRuns), found '\(last)'")
        }
    }

    mutating func run() throws {
        Interruption.listen()
        let (history, path) = try place.open(place.job)
        let jobs = try Site.write(history, of: path, last: last, to: directory, columns: SiteColumns.table) {
            Interruption.isRequested
        }
        let index = PrintableText.of(FilePath.join(directory, "index.html"))
        Terminal.note("wrote \(index), with \(DisplayText.count(jobs, "job"))")
    }
}

/// The columns of the outputs of a job, from its file as its last run had it.
///
/// A history keeps no columns: they are the same in all runs of one job file. Where the file has changed since, or is not
/// there any more, nobody knows them.
enum SiteColumns {
    /// - Returns: a table of the columns; empty where they are not known.
    static func table(of run: RunRecord) -> HTML {
        // A pipe would keep the command waiting for whoever writes to it.
        guard let digest = run.digest, !run.path.isEmpty,
            let status = (try? FileStatus.of(run.path)) ?? nil, status.isRegularFile
        else { return "" }
        let reading = JobReading(run.path, JobOptions(run))
        let report = RunReport(reading, threads: 1)
        guard report.jobSHA256 == digest, let plan = reading.plan else { return "" }
        guard let told = try? PlanExplanation(plan, report) else { return "" }
        // As the job writes them, wherever its file is.
        let paths = plan.stages.compactMap { stage in stage.target?.path.map { (stage.id, $0.text) } }
        let outputs = Dictionary(paths.map { (report.mask.masking($0), report.mask.masking($1)) }) { first, _ in first }
        return told.columnTable { outputs[$0.id] ?? $0.id }
    }
}

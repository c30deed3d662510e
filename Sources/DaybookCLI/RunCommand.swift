import ArgumentParser
import DaybookBytes
import DaybookEngine
import DaybookReports
import Foundation

/// `daybook run JOB`.
struct RunCommand: Subcommand {
    static let outline = CommandOutline("run", "Run jobs, each of which puts all its outputs in place or none.") {
        name in
        let reports = CommandContext.current.reporters.reporters.map { reporter in
            "  \(reporter.name)\(String(repeating: " ", count: max(1, 8 - reporter.name.count)))\(reporter.summary)"
        }.joined(separator: "\n")
        return """
            Findings, the ledger and what to do next go to standard error. Paths in
            the job start from the job file, also those that '--set' puts into it; other
            paths on the command line start from here.
            '\(name) help job' tells how to write a job. Several jobs run one after
            the other, until one fails; each report is one of all of them.

            Examples:
              \(name) run nightly.yaml
              \(name) run nightly.yaml --as-of 2026-11-21
              \(name) run nightly.yaml --set diary='/backup/entries-*.csv' --quiet
              \(name) run migration.yaml --dry-run
              \(name) run nightly.yaml --report json=findings.json --manifest run.json
              \(name) run checks.yaml --report github --report sarif=out.sarif
              \(name) run gates/*.yaml --keep-going --report junit=gates.xml
              \(name) run gates/*.yaml --changed-since origin/main --rows changed
              \(name) run gate.yaml --baseline known.json --update-baseline
              cat nightly.yaml | \(name) run -
              \(name) run --shard plan.json#7 --into parts

            Forms of report:
            \(reports)

            github, gitlab and sarif leave out what rules tolerate; with ':all' behind its
            name (github:all) each tells it too.
            """
    }

    @Argument(help: "The job files; - is standard input.", completion: .job)
    var jobs: [String] = []

    @OptionGroup var options: JobOptions

    @Option(
        help: .value(
            "plan#number",
            "Do one shard of a plan in the place of a whole run; #env takes the number from the environment."
        ),
        completion: .json
    )
    var shard: String?

    @Option(help: .value("directory", "Where the shard leaves what it made, for 'merge'."), completion: .directory)
    var into: String?

    @Option(help: .value("file", "Let findings pass that this file knows; only new ones count."), completion: .json)
    var baseline: String?

    @Flag(name: .customLong("update-baseline"), help: "Write all findings of this run to the file of '--baseline'.")
    var updatesBaseline = false

    @Flag(
        name: .customLong("allow-commands"),
        help: "Let the job start the programs that it names under 'notify'; DAYBOOK_ALLOW_COMMANDS=1 does the same."
    )
    var allowsCommands = false

    @Flag(
        name: .customLong("full-refresh"),
        help: """
            Let imports with 'new_only' read all files, also those taken before, and those with 'since' begin anew. An output with \
            'append' then has their rows once more.
            """
    )
    var takesAll = false

    @Flag(
        help: """
            Let an import with 'new_only' or 'since' begin though an output that it adds to has rows already, as of a file that is older \
            than the job.
            """
    )
    var begin = false

    @Option(
        help: ArgumentHelp(
            """
            Make a day anew, 2026-10-10, or days, 2026-10-01..2026-10-10, or those that a run of the history made, by its name: read the files that imports with 'day' have of them, as they \
            are now, and write what outputs with 'replace_by' have of them. Other outputs stay, unless their path has ${as_of}, which \
            is the last of the days.
            """,
            valueName: "day"
        )
    )
    var redo: String?

    @Flag(
        name: .customLong("dry-run"),
        help:
            "Write nothing, and show what would change in each output, record by record; nobody is told, and no history is kept."
    )
    var isDry = false

    @Flag(name: .customLong("keep-going"), help: "Of several jobs, run those behind one that fails too.")
    var keepsGoing = false

    @Option(
        name: .customLong("changed-since"),
        help: ArgumentHelp(
            """
            Run only jobs that changed since HEAD left this branch, tag or commit, or that read a file which did; all of \
            these, as with '--keep-going'.
            """,
            valueName: "ref"
        )
    )
    var changedSince: String?

    @Option(
        help: ArgumentHelp(
            """
            With '--changed-since', which rows count: all, or changed; findings that stood there before are then known, as \
            in a baseline.
            """,
            valueName: "which"
        )
    )
    var rows = "all"

    @Option(
        help: ArgumentHelp(
            """
            Hold 'change' and 'anomaly' against the files of this branch, tag or commit, or against the runs of another state \
            directory, in the place of runs before this one, as where CI keeps none.
            """,
            valueName: "earlier"
        )
    )
    var past: String?

    @Flag(
        name: .customLong("no-history"),
        help: "Keep no history and no manifest of the run; for a job that writes nothing, no state at all."
    )
    var keepsNoHistory = false

    @OptionGroup var limit: FindingLimit
    @OptionGroup var work: WorkOptions
    @OptionGroup var state: StateOption
    @OptionGroup var digest: DigestOption
    @OptionGroup var sessionOptions: SessionOptions

    mutating func validate() throws {
        if updatesBaseline, baseline == nil { throw ValidationError("'--update-baseline' needs '--baseline FILE'") }
        if baseline == "-" { throw ValidationError("'--baseline' names a file, found '-'") }
        if jobs.isEmpty == (shard == nil) {
            throw ValidationError(
                jobs.isEmpty ? "name a job file, or a shard by '--shard'" : "a shard names its job itself"
            )
        }
        if (shard == nil) != (into == nil) { throw ValidationError("'--shard' and '--into' go together") }
        if shard != nil, options.asOf != nil || !options.settings.isEmpty || baseline != nil {
            throw ValidationError("'--as-of', '--set' and '--baseline' belong to 'plan' and 'merge', not to a shard")
        }
        if shard != nil, takesAll || begin {
            throw ValidationError("'--full-refresh' and '--begin' belong to the run of a whole job")
        }
        if let redo, !DaySpan.isRun(redo) { _ = try DaySpan.days(redo) }
        if let redo, DaySpan.isRun(redo), jobs.count > 1 {
            throw ValidationError("'--redo \(redo)' names a run of one job, found \(jobs.count) jobs")
        }
        if redo != nil, shard != nil || takesAll || options.asOf != nil {
            throw ValidationError("'--redo' names the days itself, without '--as-of', '--full-refresh' and '--shard'")
        }
        if isDry, shard != nil || sessionOptions.manifest != nil || updatesBaseline {
            throw ValidationError(
                "a dry run writes nothing, and so has no '--shard', '--manifest' and '--update-baseline'"
            )
        }
        if past != nil, shard != nil || isDry {
            throw ValidationError("'--past' goes with neither '--shard', whose plan has the past, nor '--dry-run'")
        }
        guard ["all", "changed"].contains(rows) else {
            throw ValidationError("expected 'all' or 'changed' after '--rows', found '\(rows)'")
        }
        if rows == "changed", changedSince == nil {
            throw ValidationError("'--rows changed' needs '--changed-since REF', which says since when")
        }
        if changedSince != nil, shard != nil || isDry || (rows == "changed" && baseline != nil) {
            throw ValidationError(
                "'--changed-since' goes with neither '--shard', '--dry-run' nor, for changed rows, '--baseline'"
            )
        }
        if shard != nil { try sessionOptions.refuseForPart() }
        if jobs.count > 1 { try refuseForSeveral() }
    }

    private func refuseForSeveral() throws {
        if baseline != nil || sessionOptions.manifest != nil {
            throw ValidationError("'--baseline' and '--manifest' are files of one job, found \(jobs.count) jobs")
        }
        if let twice = Dictionary(grouping: jobs, by: { $0 }).values.first(where: { $0.count > 1 })?.first {
            throw ValidationError("'\(twice)' is named twice")
        }
    }

    mutating func run() throws {
        Interruption.listen()
        if let shard, let into { return try work.run(PlannedPart(shard, of: .shard), in: state, into: into) }
        let redone = try redo.map(redoneDays)
        if let redone { options.asOf = redone.range.upperBound.description }
        let place = changedSince != nil || keepsNoHistory || past != nil ? ScratchPlace() : nil
        defer { place?.remove() }
        var earlier: EarlierRows?
        var untouched = 0
        if let changedSince, let place {
            try place.make()
            let rows = try EarlierRows(changedSince, in: place.path)
            if self.rows == "changed" { earlier = rows }
            let touched = jobs.filter { [options] in rows.changed.touch($0, options) }
            untouched = jobs.count - touched.count
            jobs = touched
        }
        let known = try past.map { try PastSource($0, in: place) }
        var sessions = try jobs.flatMap { job -> [RunSession] in
            let missed = redo == nil ? MissedDays.days(of: job, options, state) : nil
            return try (missed?.map { $0.description } ?? [options.asOf]).map { day in
                var options = options
                options.asOf = day
                return try sessionOptions.session(of: job, options, work, state, digest, maxFindings: limit.maxFindings)
            }
        }
        for index in sessions.indices {
            if allowsCommands { sessions[index].allowsCommands = true }
            sessions[index].takesAll = takesAll
            sessions[index].begins = begin
            sessions[index].redo = redone
            sessions[index].isDry = isDry
            sessions[index].earlier = earlier
            sessions[index].pastSource = known
            if case .files = known { sessions[index].diffCommit = past }
            if let changedSince { sessions[index].diffCommit = changedSince }
            if keepsNoHistory { sessions[index].scratch = place?.state }
            sessions[index].baseline = baseline.map { ($0, updatesBaseline) }
        }
        guard jobs.count > 1 || changedSince != nil else { throw ExitCode(days(sessions).run()) }
        var reports = try sessionOptions.targets()
        if let page = reports.first(where: { $0.reporter.isOfOneRun }) {
            if jobs.count == 1, untouched == 0 { throw ExitCode(days(sessions).run()) }
            // Of one job that no change touches there is no run to show.
            reports.removeAll { jobs.isEmpty && untouched == 1 && $0.reporter.isOfOneRun }
            guard !jobs.isEmpty || untouched > 1 else { throw ExitCode(series(of: sessions, untouched, reports).run()) }
            throw DaybookError(
                "report-of-one-run",
                "'\(page.option)' is a page of one run, and there are \(DisplayText.count(jobs.count + untouched, "job"))",
                hint: "run each job by itself for pages, or write them with '\(CommandContext.current.name) site'"
            )
        }
        throw ExitCode(series(of: sessions, untouched, reports).run())
    }
}

extension RunCommand {
    private func series(of sessions: [RunSession], _ untouched: Int, _ reports: [ReportTarget]) -> RunSeries {
        RunSeries(
            sessions: sessions.map { session in
                let isOne = sessions.count { $0.job == session.job } == 1
                let day = isOne ? "" : " of \(session.options.asOf ?? "")"
                return (JobReading.shown(session.job) + day, session)
            },
            untouched: untouched,
            reports: reports,
            keepsGoing: keepsGoing || changedSince != nil,
            quiet: work.quiet
        )
    }

    private func redoneDays(_ text: String) throws -> RedoneDays {
        guard DaySpan.isRun(text) else { return RedoneDays(try DaySpan.days(text)) }
        return try RunDays(of: jobs[0], options, state).redone(text)
    }

    /// The runs of one job, for the days that it makes up and its own.
    private func days(_ sessions: [RunSession]) -> RunSeries {
        RunSeries(
            sessions: sessions.map { ($0.options.asOf ?? "", $0) },
            unit: "day",
            reports: [],
            areReportedApart: true,
            keepsGoing: keepsGoing,
            quiet: work.quiet
        )
    }
}

/// Days on the command line: one, or the first and the last with two points in between.
///
/// The option is a text: another type would cost every start of the program some searching among its conformances.
enum DaySpan {
    static func days(_ text: String) throws(ValidationError) -> ClosedRange<CalendarDay> {
        let ends = text.components(separatedBy: "..").map { CalendarDay(iso: $0) }
        guard ends.count <= 2, let first = ends[0], let last = ends[ends.count - 1] else {
            throw ValidationError(
                "expected a day, or days such as 2026-10-01..2026-10-10, after '--redo', found '\(text)'"
            )
        }
        guard first <= last else { throw ValidationError("of the days '\(text)', the first is later than the last") }
        return first...last
    }

    /// Whether a text names a run rather than days: '20261010T030000Z-8f3a91c2', an end of that, or 'last'.
    static func isRun(_ text: String) -> Bool {
        !text.isEmpty && !text.contains("..") && text.utf8.count { $0 == UInt8(ascii: "-") } < 2
    }

    static func day(_ text: String, _ argument: String) throws(ValidationError) -> CalendarDay {
        guard let day = CalendarDay(iso: text) else {
            throw ValidationError("expected a day such as 2026-10-01 for <\(argument)>, found '\(text)'")
        }
        return day
    }
}

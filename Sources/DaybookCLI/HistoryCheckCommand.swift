import ArgumentParser
import DaybookBytes
import DaybookEngine
import DaybookHistory
import DaybookNotify
import DaybookReports
import Foundation

/// `daybook history check --within TIME`.
struct HistoryCheckCommand: Subcommand {
    static let outline = CommandOutline(
        "check",
        "Tell of nights that did not happen: jobs without a new run, or with old data."
    ) { name in
        """
        A job misses its run where none that passed was started within the time. A run
        of an earlier day than others is none, nor is '--redo' or 'backfill' of a day
        that has a run; of a day without one, they make up that night. Its
        data are old where the newest date that a rule 'freshness' of its check_rows
        observed, in the last run that observed one, is further from the day that the
        job would take for as_of now than 'within' of the rule allows. Both are told on
        standard error and to those whom 'notify' of the job names for 'missed', each
        time that the command finds it, and it ends with 1.

        Without --job all jobs of the history are checked, by the job files as they are
        now. Start it by another timer than the jobs, some time after them.

        Examples:
          \(name) history check --within 26h --state /var/lib/daybook
          \(name) history check --within 26h --job pipelines/nightly-report.yaml
        """
    }

    @Option(help: .value("time", "How long ago the last run that passed may have been started: 26h, 90m or 2d."))
    var within: String

    @Flag(
        name: .customLong("allow-commands"),
        help: "Let jobs start the programs that they name under 'notify'; DAYBOOK_ALLOW_COMMANDS=1 does the same."
    )
    var allowsCommands = false

    @Option(help: .value("when", "Say nothing where nothing is missing."))
    var quiet: Quiet?

    @OptionGroup var place: HistoryPlace

    mutating func validate() throws { _ = try seconds }

    /// The time of `--within`.
    private var seconds: Int64 {
        get throws {
            let units: [Character: Int64] = ["m": 60, "h": 3_600, "d": 86_400]
            guard let unit = within.last.flatMap({ units[$0] }), within.utf8.count <= 6,
                let count = Int64(within.dropLast()), count > 0, "\(count)" == within.dropLast()
            else { throw ValidationError("expected a time such as 26h, 90m or 2d after '--within', found '\(within)'") }
            return count * unit
        }
    }

    mutating func run() throws {
        Interruption.listen()
        let directory = try place.state.directory(of: place.job)
        try HistoryKeeper.takeEntries(of: directory)
        let history = try HistoryFile.openToRead(in: directory)
        if history == nil, place.job.map(HistoryPlace.isFile) != true { _ = try place.open(place.job) }
        let now = Date()
        let check = NightCheck(history, now: Int64(now.timeIntervalSince1970 * 1_000_000))
        var (checked, missing) = (0, 0)
        for night in try nights(in: history) {
            guard let job = night.listed ?? night.reading?.job.map({ $0.name }) else { continue }
            checked += 1
            var faults = [try check.missedRun(of: job, at: night.path, within: seconds, written: within)].compactMap(
                \.self
            )
            let day = night.reading?.job.map { $0.asOf.day(in: $0.timezone, now: now) }
            if let plan = night.reading?.plan, let day {
                faults += try check.oldData(of: job, at: night.path, plan.freshness(night.reading?.mask), on: day)
            }
            guard !faults.isEmpty else { continue }
            missing += 1
            for fault in faults { Terminal.complain(fault) }
            tell(faults, night.reading, on: day)
        }
        guard checked > 0 else {
            let hint =
                "run a job first, or name its file, as in '\(CommandContext.current.name) history check --within \(within) JOB'"
            throw DaybookError("no-jobs", "the history has no job whose nights could be checked", hint: hint)
        }
        if missing > 0 { throw ExitCode(1) }
        if quiet == nil { Terminal.print("\(DisplayText.count(checked, "job")): no night is missing") }
    }

    /// A job to check: its name and path in the history, and its file as it is now.
    private typealias Night = (listed: String?, path: String, reading: JobReading?)

    private func nights(in history: HistoryFile?) throws -> [Night] {
        let path = place.job.map(FilePath.place)
        var nights: [Night] = []
        var renamed: [Night] = []
        for job in try history?.jobs(RunChoice(path: path)) ?? [] {
            let file = place.job ?? job.path
            let reading = file.isEmpty || !HistoryPlace.isFile(file) ? nil : JobReading(file, .none)
            // A file whose job was renamed since is another job, which may have no run yet.
            if let now = reading?.job, !now.isNamedByParams, now.name(in: file) != job.name {
                renamed.append((nil, job.path, reading))
            } else {
                nights.append((job.name, job.path, reading))
            }
        }
        for job in renamed where !nights.contains(where: { $0.path == job.path }) { nights.append(job) }
        if nights.isEmpty, let job = place.job, let path {
            guard HistoryPlace.isFile(job) else { throw JobFile.notFound(job) }
            nights = [(nil, path, JobReading(job, .none))]
        }
        return nights
    }

    /// Tells those whom the job names for `missed`; that somebody cannot be told is a warning.
    private func tell(_ faults: [DaybookError], _ reading: JobReading?, on day: CalendarDay?) {
        guard let reading, let job = reading.job, !job.notices.isEmpty else { return }
        var report = RunReport(reading, threads: 1)
        report.tell(ofMissed: faults, on: day)
        let sender = NoticeSender(
            NoticeFacts(report, events: [.missed], run: nil),
            allowsCommands: allowsCommands || RunSession.environmentAllowsCommands,
            isHurried: Interruption.isRequested
        )
        Terminal.warn(of: sender.send(job.notices), reading.mask)
    }
}

extension Plan {
    /// The rules about the newest date of a column, named as the history names them.
    fileprivate func freshness(_ mask: SecretMask?) -> [NightCheck.Freshness] {
        let mask = mask ?? SecretMask([])
        return stages.flatMap { stage in
            stage.rules.compactMap { rule in
                rule.newestWithin.map { (mask.masking(stage.id), mask.masking(rule.id), $0) }
            }
        }
    }
}

import ArgumentParser
import DaybookEngine
import DaybookHistory
import DaybookNotify
import DaybookReports

/// `daybook notify JOB`.
struct NotifyCommand: Subcommand {
    static let outline = CommandOutline("notify", "Show whom a job tells of its runs, and try it.") { name in
        """
        With '--try' each notice of the job is sent, whatever it hangs on. It says
        that there was no run; the outcome that it tells is 'try'. No input is read,
        and nothing is written. Where one could not be sent, the exit code is 3.

        Examples:
          \(name) notify nightly.yaml
          \(name) notify nightly.yaml --try
          \(name) notify nightly.yaml --try --allow-commands
        """
    }

    @Argument(help: "The job file; - is standard input.", completion: .job)
    var job: String

    @Flag(name: .customLong("try"), help: "Send each notice now.")
    var isTrial = false

    @Flag(
        name: .customLong("allow-commands"),
        help: "Let the job start the programs that it names; DAYBOOK_ALLOW_COMMANDS=1 does the same."
    )
    var allowsCommands = false

    @OptionGroup var options: JobOptions

    mutating func run() throws {
        let reading = JobReading(job, options)
        let plan = try reading.planOrExit()
        guard !plan.job.notices.isEmpty else {
            throw reading.exit(with: [
                DaybookError(
                    "no-notice",
                    "the job tells nobody: it has no 'notify'",
                    hint: "'\(CommandContext.current.name) help job' shows how it is written"
                )
            ])
        }
        guard isTrial else {
            for notice in plan.job.notices { Terminal.print(reading.mask.masking(notice.displayText)) }
            return
        }
        var report = RunReport(reading, threads: 1)
        report.tell(of: plan)
        report.isTrial = true
        let sender = NoticeSender(
            NoticeFacts(report, events: [], run: nil),
            allowsCommands: allowsCommands || RunSession.environmentAllowsCommands
        )
        let outcomes = sender.sendAll(plan.job.notices)
        for outcome in outcomes where outcome.failure == nil {
            Terminal.print(reading.mask.masking("told the \(outcome.target)"))
        }
        let failures = outcomes.compactMap(\.failure)
        if !failures.isEmpty { throw reading.exit(with: failures) }
    }
}

extension RunSession {
    /// Tells those of the run whom its job names, and keeps in the history what came of it.
    ///
    /// What cannot be sent is a warning: in the report, and on standard error where the report goes elsewhere. The exit code stays.
    func tell(_ notices: [Notice], of report: inout RunReport, run: RunID?, _ history: HistoryKeeper?) {
        guard !notices.isEmpty, manifestSuffix.isEmpty else { return }
        let earlierFailed = report.exitCode == 0 && history?.earlierFailed(than: report, run) == true
        let facts = NoticeFacts(report, events: report.events(earlierFailed: earlierFailed), run: run)
        let sender = NoticeSender(facts, allowsCommands: allowsCommands, isHurried: Interruption.isRequested)
        report.notices = sender.send(notices)
        guard let run, let history else { return }
        let known = history.remarks.count
        history.keep(report.notices, of: run, report.mask)
        for remark in history.remarks.dropFirst(known) { Terminal.warn(remark) }
    }

    /// Whether the environment lets jobs start programs.
    static var environmentAllowsCommands: Bool { Terminal.variable("DAYBOOK_ALLOW_COMMANDS") == "1" }
}

extension Terminal {
    /// Warns of notices that could not be sent.
    static func warn(of outcomes: [NoticeOutcome], _ mask: SecretMask) {
        for var failure in outcomes.compactMap(\.failure) {
            failure.message = mask.masking(failure.message)
            warn(failure)
        }
    }
}

import ArgumentParser
import DaybookNotify
import DaybookReports

/// `daybook notify JOB`.
struct NotifyCommand: ParsableCommand {
    static var configuration: CommandConfiguration {
        .of("notify", "Show whom a job tells of its runs, and try it.") { name in
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

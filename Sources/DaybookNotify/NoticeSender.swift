import DaybookEngine
import DaybookReports

/// Tells somebody of a run, by the ways that its job names.
public struct NoticeSender: Sendable {
    private let facts: NoticeFacts
    private let allowsCommands: Bool
    private let isHurried: Bool

    /// - Parameters:
    ///   - allowsCommands: Whether a job may start programs; who runs the job says so, never the job.
    ///   - isHurried: Whether somebody waits for the program to end, so that each notice is tried once and briefly.
    public init(_ facts: NoticeFacts, allowsCommands: Bool, isHurried: Bool = false) {
        self.facts = facts
        self.allowsCommands = allowsCommands
        self.isHurried = isHurried
    }

    /// Sends the notices that hang on what the run was, one after the other. None that fails hinders another.
    public func send(_ notices: [Notice]) -> [NoticeOutcome] {
        sendAll(notices.filter { notice in notice.events.contains { facts.events.contains($0) } })
    }

    /// Sends notices whatever they hang on.
    public func sendAll(_ notices: [Notice]) -> [NoticeOutcome] {
        notices.map { notice in
            do throws(DaybookError) {
                try send(notice)
                return NoticeOutcome(target: notice.target)
            } catch {
                return NoticeOutcome(target: notice.target, failure: error.located(at: notice.place))
            }
        }
    }

    private func send(_ notice: Notice) throws(DaybookError) {
        switch notice.way {
        case .command(let words):
            guard allowsCommands else { throw .commandNotAllowed(words[0]) }
            let directory = facts.report.directory
            let limit = isHurried ? NoticeSender.briefly : CommandNotice.limit
            try CommandNotice(words: words, directory: directory, limit: limit)
                .run(facts.environment, input: Bytes(facts.commandInput))
        case .webhook(let webhook): try WebhookNotice(webhook, facts).send(tries)
        case .mail(let mail): try MailNotice(mail, target: notice.target, facts.report).send(tries)
        }
    }

    private var tries: Tries { isHurried ? Tries(most: 1, limit: NoticeSender.briefly) : .standard }

    /// How long a notice may take where somebody waits for the program to end.
    private static let briefly = Duration.seconds(5)
}

extension DaybookError {
    fileprivate static func commandNotAllowed(_ program: String) -> DaybookError {
        .machine(
            "command-not-allowed",
            "nobody was told by the command \(program.quotedForMessage): a job starts programs only where its run allows it",
            hint: "add '--allow-commands' to 'daybook run', or set DAYBOOK_ALLOW_COMMANDS=1 in its environment"
        )
    }

    /// Why a notice was not sent.
    static func notSent(_ target: String, _ reason: String, hint: String? = nil) -> DaybookError {
        .machine("notice-not-sent", "nobody was told by the \(target): \(reason)", hint: hint)
    }
}

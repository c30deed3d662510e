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

/// How often and how long something is tried that may work a moment later.
struct Tries: Sendable {
    /// How often at most.
    var most: Int
    /// How long all of them and the pauses between them may take.
    var limit: Duration
    /// The pause behind the first try; each later one is twice as long.
    var firstPause = Duration.milliseconds(500)

    static let standard = Tries(most: 4, limit: .seconds(30))

    /// What one try came to.
    enum Result {
        case done
        case failed(DaybookError)
        /// It may work a moment later.
        case failedForNow(DaybookError)
    }

    /// Tries until it is done, fails for good, or there is no try or no time left. The try is told how long it may take.
    func run(_ attempt: (Duration) -> Result) throws(DaybookError) {
        let clock = ContinuousClock()
        let end = clock.now + limit
        for number in 1...most {
            switch attempt(end - clock.now) {
            case .done: return
            case .failed(let error): throw error
            case .failedForNow(var error):
                let pause = pause(after: number)
                guard number < most, clock.now + pause < end else {
                    if number > 1 { error.message += ", also at the last of \(number) tries" }
                    throw error
                }
                sleep(pause)
            }
        }
    }

    /// Between half and all of the pause, so that many who were turned away together do not come back together.
    private func pause(after number: Int) -> Duration {
        firstPause * (1 << (number - 1)) * Double.random(in: 0.5...1)
    }

    private func sleep(_ duration: Duration) {
        let (seconds, attoseconds) = duration.components
        var time = timespec(tv_sec: Int(seconds), tv_nsec: Int(attoseconds / 1_000_000_000))
        // A signal ends the pause early, which hurts nobody.
        nanosleep(&time, nil)
    }
}

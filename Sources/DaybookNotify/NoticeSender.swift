import DaybookEngine
import DaybookReports

/// Sends the notices of a run.
public struct NoticeSender: Sendable {
    private let facts: NoticeFacts
    private let allowsCommands: Bool
    private let isHurried: Bool

    /// - Parameters:
    ///   - allowsCommands: Whether a job may start programs; the caller decides, never the job.
    ///   - isHurried: Whether somebody waits for the program to end, so that each notice is tried once and briefly.
    public init(_ facts: NoticeFacts, allowsCommands: Bool, isHurried: Bool = false) {
        (self.facts, self.allowsCommands, self.isHurried) = (facts, allowsCommands, isHurried)
    }

    /// Sends the notices for the events of the run, one after the other. A failure does not hinder the others.
    public func send(_ notices: [Notice]) -> [NoticeOutcome] {
        sendAll(notices.filter { notice in notice.events.contains { facts.events.contains($0) } })
    }

    /// Sends notices whatever their events.
    public func sendAll(_ notices: [Notice]) -> [NoticeOutcome] {
        notices.map { notice in
            do throws(DaybookError) {
                try send(notice)
                return NoticeOutcome(target: notice.target)
            } catch { return NoticeOutcome(target: notice.target, failure: error.located(at: notice.place)) }
        }
    }

    private func send(_ notice: Notice) throws(DaybookError) {
        let facts = facts.told(by: notice)
        switch notice.way {
        case .command(let words):
            guard allowsCommands else { throw .commandNotAllowed(words[0]) }
            let directory = facts.report.directory
            let limit = isHurried ? NoticeSender.briefly : CommandNotice.limit
            let input = Bytes(JSONReporter(.plain).report(facts.report))
            try CommandNotice(words: words, directory: directory, limit: limit).run(facts.environment, input: input)
        case .webhook(let webhook): try WebhookNotice(webhook, facts).send(tries)
        case .mail(let mail): try MailNotice(mail, target: notice.target, facts.report).send(tries)
        }
    }

    private var tries: Tries { isHurried ? Tries(most: 1, limit: NoticeSender.briefly) : .standard }

    /// The time for a notice if somebody waits for the program to end.
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

/// Repeats an attempt that may succeed a moment later.
struct Tries: Sendable {
    /// The most attempts.
    var most: Int
    /// The time for all attempts and the pauses between them.
    var limit: Duration
    /// The pause after the first attempt; each later one is twice as long.
    var firstPause = Duration.milliseconds(500)

    static let standard = Tries(most: 4, limit: .seconds(30))

    /// Tries until an attempt succeeds or fails for good, or no attempt or no time is left.
    ///
    /// - Parameter attempt: gets its time limit. Throws an error that is final, and returns one that may pass.
    func run(_ attempt: (Duration) throws(DaybookError) -> DaybookError?) throws(DaybookError) {
        let clock = ContinuousClock()
        let end = clock.now + limit
        for number in 1...most {
            guard var error = try attempt(end - clock.now) else { return }
            let pause = pause(after: number)
            guard number < most, clock.now + pause < end else {
                if number > 1 { error.message += ", also at the last of \(number) tries" }
                throw error
            }
            sleep(pause)
        }
    }

    /// Between half and all of the pause, so that many refused clients do not come back together.
    private func pause(after number: Int) -> Duration { firstPause * (1 << (number - 1)) * Double.random(in: 0.5...1) }

    private func sleep(_ duration: Duration) {
        let (seconds, attoseconds) = duration.components
        var time = timespec(tv_sec: Int(seconds), tv_nsec: Int(attoseconds / 1_000_000_000))
        // A signal ends the pause early, which hurts nobody.
        nanosleep(&time, nil)
    }
}

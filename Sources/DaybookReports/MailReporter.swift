/// The report as a mail: text, and tables that mail programs show.
public struct MailReporter: Reporter {
    public static let name = "mail"
    public static let summary =
        "A mail with measures, what failed and chosen tables, as mail programs show it, for a file such as run.eml."
    public static let isOfOneRun = true
    public static let logForm = LogText.Form.markup

    public init(_ style: TerminalStyle) {}

    public func report(_ run: RunReport) -> String { RunMail(run).message(from: RunMail.nobody, to: []) }
}

/// A run as a mail of less than 100 kB, beyond which Gmail hides the rest.
package struct RunMail {
    /// The bytes that the whole message stays under.
    package static let limit = 100_000
    /// Who writes where no address is known.
    package static let nobody = "daybook@localhost"

    private let run: RunReport

    package init(_ run: RunReport) { self.run = run }

    /// What the subject says unless somebody says otherwise: `orders failed its gate, as of 2026-11-21`.
    package var subject: String {
        let day = run.asOf.map { ", as of \($0)" } ?? ""
        return "\(run.job.shortened(to: 80)) \(RunVerdict(run).words)\(day)"
    }

    /// The whole message, its lines ending as those of mails do.
    package func message(from: String, to: [String], subject: String? = nil) -> String {
        var message = MailMessage(
            from: MailMessage.Mailbox(name: "Daybook", address: from),
            to: to,
            subject: PrintableText.of(subject.map(run.mask.masking) ?? self.subject),
            date: run.started + Int64(run.nanoseconds / 1_000),
            digest: String(SHA256Digest.of("\(run.job)\0\(run.jobFile)\0\(run.started)\0\(run.exitCode)").prefix(24))
        )
        // Names and values may be so long that even few rows of them are too many.
        for share in [1, 2, 4, 8, 16, 32] {
            let page = MailPage(run, MailPage.Limits(share: share))
            message.parts = [("text/plain", text(share)), ("text/html", page.markup.text)]
            if message.size < RunMail.limit { break }
        }
        return message.text
    }

    /// The text, cut to a length that a mail may have.
    private func text(_ share: Int) -> String {
        let text = MailText(run: run).text
        let limit = 16_000 / share
        guard text.utf8.count > limit else { return text }
        // What to do next is the last line, and goes first where the rest is cut.
        let next = NextStep(run: run, style: .plain, side: "below").line
        var kept: [Substring] = []
        var size = 0
        let lines = text.split(separator: "\n", omittingEmptySubsequences: false)
        for line in lines {
            size += line.utf8.count + 1
            guard size <= limit else { break }
            kept.append(line)
        }
        let rest = lines.count - kept.count
        return ([run.mask.masking(next), ""] + kept.map(String.init)).joined(separator: "\n")
            + "\n\n… \(DisplayText.count(rest, "more line")), cut so that the mail stays small\n"
    }
}

import DaybookEngine
import Foundation

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

    let run: RunReport

    package init(_ run: RunReport) { self.run = run }

    /// What the subject says unless somebody says otherwise: `orders failed its gate, as of 2026-11-21`.
    package var subject: String {
        let day = run.asOf.map { ", as of \($0)" } ?? ""
        return "\(run.job.shortened(to: 80)) \(RunVerdict(run).words)\(day)"
    }

    /// The whole message, its lines ending as those of mails do.
    package func message(from: String, to: [String], subject: String? = nil) -> String {
        var message = MailMessage(
            from: ("Daybook", from),
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
        let text = text
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

/// A message as RFC 5322 and MIME have it: headers, and one text in several forms.
struct MailMessage {
    var from: (name: String, address: String)
    /// Addresses; none for a message of which nobody knows yet to whom it goes.
    var to: [String]
    var subject: String
    /// Microseconds since 1970-01-01T00:00:00Z.
    var date: Int64
    /// Hexadecimal digits that no other message has, the same as long as it tells the same run.
    var digest: String
    /// Media type and text of each form, the plainest first.
    var parts: [(type: String, text: String)] = []

    private static let lineEnd = "\r\n"

    /// How many bytes the message has.
    var size: Int { text.utf8.count }

    var text: String {
        // No encoded line holds "=_", so none is taken for a boundary.
        let boundary = "=_daybook_\(digest)"
        let place = from.address.split(separator: "@").last.map(String.init) ?? "localhost"
        var lines = [
            "Date: \(MailDate.text(date))",
            "From: \(MailHeader.phrase(from.name)) <\(from.address)>",
            "To: \(to.isEmpty ? "undisclosed-recipients:;" : to.joined(separator: ",\(MailMessage.lineEnd) "))",
            "Message-ID: <\(digest).daybook@\(place)>",
            "Subject: \(MailHeader.text(subject, after: "Subject: ".utf8.count))",
            // So that no holiday note comes back.
            "Auto-Submitted: auto-generated",
            "MIME-Version: 1.0",
            "Content-Type: multipart/alternative;\(MailMessage.lineEnd) boundary=\"\(boundary)\"",
            "",
        ]
        for part in parts {
            lines += [
                "--\(boundary)", "Content-Type: \(part.type); charset=utf-8",
                "Content-Transfer-Encoding: quoted-printable", "",
            ]
            lines += QuotedPrintable.lines(of: part.text)
        }
        return (lines + ["--\(boundary)--", ""]).joined(separator: MailMessage.lineEnd)
    }
}

/// Texts in headers, which are ASCII (RFC 2047).
enum MailHeader {
    /// The text as it is where it is short and plain, else as encoded words, one a line.
    static func text(_ text: String, after used: Int) -> String {
        let isPlain = text.utf8.allSatisfy { (0x20..<0x7F).contains($0) } && !text.contains("=?")
        if isPlain, used + text.utf8.count <= 76 { return text }
        var words: [String] = []
        var word: [UInt8] = []
        // A line with an encoded word has 76 characters at most, and no character is parted: 39 bytes are 52 characters of base64.
        for scalar in text.unicodeScalars {
            let bytes = Array(String(scalar).utf8)
            if word.count + bytes.count > 39 {
                words.append(encoded(word))
                word = []
            }
            word += bytes
        }
        words.append(encoded(word))
        return words.joined(separator: "\r\n ")
    }

    /// A name before an address, which stands in quotes where it is more than letters.
    static func phrase(_ name: String) -> String {
        name.utf8.allSatisfy { (0x61...0x7A).contains($0 | 0x20) } ? name : text(name, after: 6)
    }

    private static func encoded(_ bytes: [UInt8]) -> String { "=?utf-8?B?\(Data(bytes).base64EncodedString())?=" }
}

/// Text in lines of at most 76 ASCII characters (RFC 2045, 6.7).
enum QuotedPrintable {
    private static let longest = 76

    static func lines(of text: String) -> [String] {
        var lines: [String] = []
        for line in text.utf8.split(separator: 10, omittingEmptySubsequences: false) { add(line, to: &lines) }
        // The line break at the end of a text stands between it and the boundary anyway.
        if lines.last == "" { lines.removeLast() }
        return lines
    }

    private static func add(_ line: Substring.UTF8View, to lines: inout [String]) {
        var written: [UInt8] = []
        for place in line.indices {
            let byte = line[place]
            let isLast = line.index(after: place) == line.endIndex
            let isPlain = (0x21...0x7E).contains(byte) && byte != 0x3D || (byte == 0x20 && !isLast)
            let size = isPlain ? 1 : 3
            // The last character of a line that goes on is "=".
            if written.count + size > (isLast ? longest : longest - 1) {
                lines.append(String(decoding: written, as: UTF8.self) + "=")
                written = []
            }
            if isPlain {
                written.append(byte)
            } else {
                written.append(0x3D)
                for half in [byte >> 4, byte & 15] { written.append(half < 10 ? 0x30 + half : 0x37 + half) }
            }
        }
        lines.append(String(decoding: written, as: UTF8.self))
    }
}

/// `Sat, 21 Nov 2026 03:00:00 +0000`.
enum MailDate {
    private static let weekdays = ["Mon", "Tue", "Wed", "Thu", "Fri", "Sat", "Sun"]
    private static let months = ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"]

    static func text(_ microseconds: Int64) -> String {
        let text = Instant.text(microseconds)
        guard let day = CalendarDay(iso: String(text.prefix(10))) else { return text }
        let (year, month, number) = day.components
        return
            "\(weekdays[day.weekday - 1]), \(number) \(months[month - 1]) \(year) \(text.dropFirst(11).prefix(8)) +0000"
    }
}

import Foundation

/// Texts that tests expect, kept in files so that a change of words is a diff to review.
///
/// `DAYBOOK_RECORD=1` rewrites them. A file that is missing is a failure: nothing is recorded in silence.
public enum Expectation {
    public static var isRecording: Bool { ProcessInfo.processInfo.environment["DAYBOOK_RECORD"] == "1" }

    /// What is wrong with `text`, held against the file; nil when nothing is.
    public static func failure(_ text: String, against file: URL) throws -> String? {
        try failure(Data(text.utf8), against: file)
    }

    /// What is wrong with `bytes`, held against the file; nil when nothing is. A page is kept without its style sheet.
    public static func failure(_ bytes: Data, against file: URL) throws -> String? {
        guard file.pathExtension == "html", let sheet = PageSheet(of: bytes) else {
            return try wholeFailure(bytes, against: file)
        }
        return try wholeFailure(Data(sheet.text.utf8), against: sheet.file)
            ?? wholeFailure(sheet.rest, against: file)
    }

    private static func wholeFailure(_ bytes: Data, against file: URL) throws -> String? {
        if isRecording {
            try FileManager.default.createDirectory(
                at: file.deletingLastPathComponent(),
                withIntermediateDirectories: true
            )
            if (try? Data(contentsOf: file)) != bytes { try bytes.write(to: file) }
            return nil
        }
        guard let expected = try? Data(contentsOf: file) else {
            return "\(file.path): missing; DAYBOOK_RECORD=1 writes it"
        }
        guard expected != bytes else { return nil }
        return "\(file.path):\(difference(expected, bytes)); DAYBOOK_RECORD=1 rewrites it"
    }

    private static func difference(_ expected: Data, _ found: Data) -> String {
        let lines = [expected, found].map {
            String(decoding: $0, as: UTF8.self).split(separator: "\n", omittingEmptySubsequences: false)
        }
        let same = zip(lines[0], lines[1]).prefix { $0 == $1 }.count
        func line(_ lines: [Substring]) -> String { same < lines.count ? "'\(lines[same])'" : "nothing more" }
        return "\(same + 1): expected \(line(lines[0])), found \(line(lines[1]))"
    }

    /// Text of a run without what differs from run to run: how long it took.
    public static func withoutTimes(_ text: String) -> String {
        text.replacing(/in (\d+ h \d+ min|\d+ min \d+ s|\d+\.\d\d s)/, with: "in 0.00 s")
    }
}

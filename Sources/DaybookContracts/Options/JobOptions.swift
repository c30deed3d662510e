/// A file that has to be delivered before a run reads anything: `{ path: in/orders.csv, until: 06:00 }`.
public struct AwaitedFile: OptionValue, Hashable {
    /// A path or a pattern, relative to the job file.
    public let path: PathText
    /// The time of day at which the wait ends.
    public let until: ClockTime

    public static var kind: OptionKind { .map(of: .text) }
    public static var placeholder: AwaitedFile { AwaitedFile(path: .placeholder, until: .placeholder) }

    private init(path: PathText, until: ClockTime) { (self.path, self.until) = (path, until) }

    public init(reading node: OptionNode) throws(DaybookError) {
        let hint = "write it as '{ path: in/orders.csv, until: 06:00 }'"
        guard let entries = node.map else { throw node.expected("a map with the keys path and until", hint: hint) }
        let names = ["path", "until"]
        if let stranger = entries.first(where: { !names.contains($0.key) }) {
            throw stranger.unknown(to: "'wait_for'", among: names, hint)
        }
        guard let path = entries.first(where: { $0.key == "path" }),
            let until = entries.first(where: { $0.key == "until" })
        else { throw node.expected("both 'path' and 'until'", hint: hint) }
        self.path = try PathText(reading: path.value)
        self.until = try ClockTime(reading: until.value)
        if self.path.isStandardStream { throw path.value.expected("a file") }
    }

    public var written: String { "{ path: \(path.written), until: \(until.written) }" }
}

/// A time of day by the minute: `06:00`.
public struct ClockTime: OptionValue, Hashable {
    /// Minutes since midnight.
    public let minutes: Int

    public static var kind: OptionKind { .text }
    public static var placeholder: ClockTime { ClockTime(minutes: 0) }

    private init(minutes: Int) { self.minutes = minutes }

    public init(reading node: OptionNode) throws(DaybookError) {
        let parts = (node.text ?? "").split(separator: ":", omittingEmptySubsequences: false)
        guard parts.count == 2, parts[0].utf8.count <= 2, parts[1].utf8.count == 2,
            parts.allSatisfy({ !$0.isEmpty && $0.utf8.allSatisfy { (48...57).contains($0) } }),
            let hour = Int(parts[0]), let minute = Int(parts[1]), hour < 24, minute < 60
        else { throw node.expected("a time of day such as 06:00, from 00:00 to 23:59") }
        minutes = hour * 60 + minute
    }

    public var written: String {
        let (hour, minute) = minutes.quotientAndRemainder(dividingBy: 60)
        return "\(hour.padded(to: 2)):\(minute.padded(to: 2))"
    }
}

/// A number of runs as an option: `400 runs`.
public struct RunCount: OptionValue, Hashable {
    public let runs: Int

    public static var kind: OptionKind { .text }
    public static var placeholder: RunCount { RunCount(runs: 1) }

    private init(runs: Int) { self.runs = runs }

    public init(reading node: OptionNode) throws(DaybookError) {
        let words = (node.text ?? "").split(separator: " ", omittingEmptySubsequences: false)
        guard words.count == 2, words[1] == (words[0] == "1" ? "run" : "runs"), let count = Int(words[0]),
            (1...1_000_000).contains(count), String(count) == words[0]
        else {
            let bare = node.text.flatMap { Int($0) }.flatMap { $0 > 0 ? "write '\(RunCount(runs: $0).written)'" : nil }
            throw node.expected("a number of runs such as '400 runs'", hint: bare)
        }
        runs = count
    }

    public var written: String { "\(runs) \(runs == 1 ? "run" : "runs")" }
}

/// Which days without a passed run a job makes up.
public enum CatchUp: String, OptionChoice {
    /// Each calendar day since the last that passed.
    case daily
}

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

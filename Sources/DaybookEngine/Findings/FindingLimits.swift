import Synchronization

/// How many findings of one stage may still be put into words: a number for each rule, and one for what no rule asked for.
///
/// Workers read the limits to spare themselves words that nobody will read; the committing thread lowers them.
final class FindingLimits: Sendable {
    /// By rule, what no rule asked for first.
    private let left: Mutex<[Int]>
    /// Whether all findings have to be in words until they are committed, since a baseline has to know each.
    let wordsAll: Bool

    init(_ most: Int, rules: Int, wordsAll: Bool) {
        left = Mutex([Int](repeating: most, count: rules + 1))
        self.wordsAll = wordsAll
    }

    /// By rule, what no rule asked for first.
    var current: [Int] { left.withLock { wordsAll ? [Int](repeating: .max, count: $0.count) : $0 } }

    /// Leaves the samples that the limits still allow, and lowers the limits by them.
    func apply(to findings: inout FindingSummary) {
        guard !findings.samples.isEmpty else { return }
        left.withLock { left in
            findings.samples.removeAll { sample in
                let key = (sample.rule ?? -1) + 1
                guard left[key] > 0 else { return true }
                left[key] -= 1
                return false
            }
        }
    }
}

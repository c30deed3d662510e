import Synchronization

/// How many findings of a whole run may still be put into words: with hundreds of rules, a thousand of each are too many to keep and to read.
final class FindingBudget: Sendable {
    private let left: Mutex<Int>

    /// The most findings in words of one run, whatever it is that they are about; more only where more of each rule are asked for.
    static let most = 10_000

    init(ofEachRule most: Int) { left = Mutex(max(FindingBudget.most, most)) }

    var current: Int { left.withLock { $0 } }

    /// Only the committing thread does so.
    func set(_ count: Int) { left.withLock { $0 = count } }
}

/// How many findings of one stage may still be put into words: a number for each rule, and one for what no rule asked for.
///
/// Workers read the limits to spare themselves words that nobody will read; the committing thread lowers them.
final class FindingLimits: Sendable {
    private let left: Mutex<FindingAllowance>
    private let budget: FindingBudget
    /// Whether all findings have to be in words until they are committed, since a baseline has to know each.
    let wordsAll: Bool

    /// - Parameter tellsEach: whether each of those is put into words of which one stands for all, as in a shard, whose merge chooses.
    init(_ most: Int, rules: Int, wordsAll: Bool, tellsEach: Bool = false, budget: FindingBudget) {
        left = Mutex(FindingAllowance(most, rules: rules, tellsEach: tellsEach))
        (self.wordsAll, self.budget) = (wordsAll, budget)
    }

    /// By rule, what no rule asked for first.
    var current: [Int] { allowance.left }

    /// What may be put into words as far as is known by now.
    var allowance: FindingAllowance {
        var allowance = left.withLock { $0 }
        if wordsAll { return FindingAllowance(.max, rules: allowance.left.count - 1, ofAll: .max, tellsEach: true) }
        allowance.ofAll = budget.current
        return allowance
    }

    /// Leaves the samples that the limits still allow, and lowers the limits by them.
    func apply(to findings: inout FindingSummary) {
        guard !findings.samples.isEmpty else { return }
        left.withLock { left in
            left.ofAll = budget.current
            findings.samples.removeAll { !left.take(of: $0.rule, once: $0.toldOnce) }
            budget.set(left.ofAll)
        }
    }
}

/// How many findings may still be put into words.
struct FindingAllowance: Sendable {
    /// By rule, what no rule asked for first.
    private(set) var left: [Int]
    /// The same for the first few of each rule, which are told whatever else there is.
    private var first: [Int]
    /// How many of all.
    var ofAll: Int
    /// Of which one is told and stands for all: these have been.
    private var told: Set<FindingSummary.ToldOnce> = []
    /// Whether even of those each is told.
    private let tellsEach: Bool

    private static let firstOfEachRule = 10

    init(_ most: Int, rules: Int, ofAll: Int = 0, tellsEach: Bool = false) {
        left = [Int](repeating: most, count: rules + 1)
        first = [Int](repeating: min(most, FindingAllowance.firstOfEachRule), count: rules + 1)
        (self.ofAll, self.tellsEach) = (ofAll, tellsEach)
    }

    /// How many findings about a subject may still be put into words, whatever else there is.
    func room(for subject: Finding.Subject) -> Int {
        if let once = FindingSummary.ToldOnce(subject), !tellsEach { return told.contains(once) ? 0 : 1 }
        return left[(subject.rule ?? -1) + 1]
    }

    /// Whether one more may be put into words, which is then taken off.
    ///
    /// - Parameter once: what it is one of, where only the first of those is told.
    mutating func take(of rule: Int?, once: FindingSummary.ToldOnce? = nil) -> Bool {
        let key = (rule ?? -1) + 1
        guard left[key] > 0, ofAll > 0 || first[key] > 0 else { return false }
        if let once, !tellsEach, !told.insert(once).inserted { return false }
        left[key] -= 1
        first[key] = max(0, first[key] - 1)
        ofAll = max(0, ofAll - 1)
        return true
    }
}

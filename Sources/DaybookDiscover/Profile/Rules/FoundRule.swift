import DaybookBytes
import DaybookEngine
import DaybookPages

/// A rule that the rows pass, or may pass.
struct FoundRule {
    /// The type of the rule: `not_missing`.
    var type: String
    var value: SuggestedValue
    /// The evidence.
    var reason: String
    /// How many rows break it today, which are allowed, of how many.
    var allowed = 0
    var rows = 0
    /// Whether it is a comment, for the person to decide.
    var isLeft = false
    /// Whether it is only likely, so that one breaking row disproves it.
    var isTrial = false
    /// Only the first passed rule of a group is kept.
    var group: String?
    /// Two columns of which the first is never greater.
    var order: (low: String, high: String)?

    /// The id of a rule in a trial.
    static func id(_ number: Int) -> String { "rule-\(number)" }

    /// Adds the place of the first breaking row to the reason.
    mutating func show(_ finding: RenderedFinding) {
        guard let line = finding.line, !reason.contains("(line ") else { return }
        let place = "line \(DisplayText.count(line))"
        guard let value = finding.value.map({ "'\($0.shortened(to: 60))'" }) else {
            reason += "; the first on \(place)"
            return
        }
        if let named = reason.firstRange(of: value) {
            reason.replaceSubrange(named, with: "\(value) (\(place))")
        } else {
            reason += "; the first that breaks it is \(value) (\(place))"
        }
    }

    /// - Parameter id: the id in the outcome.
    func write(to job: inout JobText, indent: Int, id: String?) {
        let margin = String(repeating: " ", count: indent)
        let line = "\(type): \(YAMLScalar.of(value))"
        guard !isLeft else { return job.add("\(margin)# - \(line)", reason) }
        let width = Prose.width(of: line)
        if width > 40 { job.remark("\(reason):", indent: indent) }
        if width > 76, case .map(let options) = value {
            job.add("\(margin)- \(type):")
            for option in options { job.add(option, indent: indent + 4) }
        } else {
            job.add("\(margin)- \(line)", width > 40 ? nil : reason)
        }
        if let id { job.add("\(margin)  id: \(id)") }
        if allowed > 0 {
            let (limit, reason) = limit
            job.add("\(margin)  fail: \(YAMLScalar.of("> \(limit)"))", reason)
        }
    }

    /// A file that grows has more of such rows, so its limit is a share.
    private var limit: (written: String, reason: String) {
        guard rows >= 200 else { return ("\(allowed)", "so many today; one more fails the gate") }
        // Rounded up by less than a row.
        let share = FoundRule.percent(Double(allowed) / Double(rows), digits: allowed < 10 ? 2 : 3, rounded: .up)
        return (share, "\(DisplayText.count(allowed)) today; a larger share fails the gate")
    }

    /// A share as a percentage with some digits.
    static func percent(_ share: Double, digits: Int = 3, rounded rule: FloatingPointRoundingRule) -> String {
        var (number, scale) = (share * 100, 1.0)
        while number < (digits == 2 ? 10 : 100), scale < 1e6 { (number, scale) = (number * 10, scale * 10) }
        return "\((number.rounded(rule) / scale).brief)%"
    }
}

extension FoundRule {
    init(_ type: String, _ value: SuggestedValue, because reason: String, allowed: Int = 0) {
        self.init(type: type, value: value, reason: reason, allowed: allowed)
    }

    /// A rule about one column alone.
    init(_ type: String, of column: String, because reason: String, allowed: Int = 0) {
        self.init(type, .text(column), because: reason, allowed: allowed)
    }
}

extension [FoundRule] {
    /// One rule of all columns for rules that say the same of each, where the first of them stands.
    func joined(_ types: Set<String>) -> [FoundRule] {
        var columns: [String: [String]] = [:]
        func column(of rule: FoundRule) -> String? {
            guard case .text(let column) = rule.value, types.contains(rule.type), rule.allowed == 0 else { return nil }
            return column
        }
        for rule in self { if let column = column(of: rule) { columns[rule.type, default: []].append(column) } }
        return compactMap { rule in
            guard column(of: rule) != nil else { return rule }
            guard let all = columns.removeValue(forKey: rule.type) else { return nil }
            var rule = rule
            if all.count > 1 { rule.value = .texts(all) }
            return rule
        }
    }

    /// Keeps only the first rule of each group, and no order that follows from two others.
    var withoutRepeats: [FoundRule] {
        var groups: Set<String> = []
        let orders = compactMap(\.order)
        func follows(_ order: (low: String, high: String)) -> Bool {
            orders.contains { first in
                first.low == order.low && first.high != order.high
                    && orders.contains { $0.low == first.high && $0.high == order.high }
            }
        }
        return filter { rule in
            if let order = rule.order, follows(order) { return false }
            return rule.group.map { groups.insert($0).inserted } ?? true
        }
    }
}

/// Bounds for the numbers of a column: wide enough for tomorrow, but close enough to catch a wrong digit.
///
/// The margin is the distance between the 5th and the 95th percentile, half on either side, and above at least the length of the
/// upper quarter; the sign of all numbers is kept. A few outliers do not widen the bounds.
struct NumberBounds {
    let low: Double
    let high: Double
    /// The range of nine in ten numbers.
    let core: ClosedRange<Double>
    /// How many numbers are outside the bounds.
    let odd: Int

    /// Nil for numbers too large to judge.
    init?(_ numbers: NumberSummary, isWhole: Bool) {
        let spread = numbers.spread
        guard spread.total > 0, numbers.unbounded == 0, max(spread.least.magnitude, spread.most.magnitude) < 1e12
        else { return nil }
        func quantile(_ share: Double) -> ClosedRange<Double> {
            let rank = Int(share * Double(spread.total - 1))
            let even = spread.bounds(ofRank: rank)
            guard let sized = numbers.octaves.bounds(ofRank: rank), sized.overlaps(even) else { return even }
            return sized.clamped(to: even)
        }
        let (lowest, highest) = (quantile(0.05).lowerBound, quantile(0.95).upperBound)
        self.core = lowest...max(lowest, highest)
        let (lower, upper) = (quantile(0.25).lowerBound, quantile(0.75).upperBound)
        let core = highest - lowest
        let far = NumberBounds.inner(spread, lowest - 5 * core, highest + 5 * core)
        let (least, most) = (far?.least ?? spread.least, far?.most ?? spread.most)
        odd = far?.odd ?? 0
        // Equal numbers may differ by a half.
        let width = core > 0 ? core : max(most - least, least.magnitude, isWhole ? 2 : 0.001)
        let (below, above) = (max(width / 2, lower - least), max(width / 2, most - upper))
        let step = ChartScale.step(atLeast: min(below, above) / 10, isWhole: isWhole)
        func rounded(_ number: Double, _ rule: FloatingPointRoundingRule) -> Double {
            // A step below 1 is not exact, but its inverse is.
            step < 1
                ? (number * (1 / step).rounded()).rounded(rule) / (1 / step).rounded()
                : (number / step).rounded(rule) * step
        }
        let (outerLow, outerHigh) = (rounded(least - below, .down), rounded(most + above, .up))
        low = least >= 0 ? max(0, outerLow) : outerLow
        // A maximum just below 100 indicates percentages.
        let isPercentage = least >= 0 && (95...100).contains(most)
        high = most <= 0 ? min(0, outerHigh) : isPercentage ? 100 : outerHigh
    }

    private typealias Inner = (least: Double, most: Double, odd: Int)

    /// The range without outliers, and their number; nil for none, or for more than one in a thousand.
    private static func inner(_ spread: NumberSpread, _ low: Double, _ high: Double) -> Inner? {
        guard low < high, spread.least < low || spread.most > high else { return nil }
        let steps = spread.counts.indices.filter {
            spread.counts[$0] > 0 && spread.end(of: $0) > low && spread.start(of: $0) < high
        }
        guard let first = steps.first, let last = steps.last else { return nil }
        let odd = spread.total - steps.reduce(0) { $0 + spread.counts[$1] }
        guard odd > 0, odd <= max(1, spread.total / 1000) else { return nil }
        return (spread.start(of: first), min(spread.most, spread.end(of: last)), odd)
    }
}

/// Very few numbers that are far from all others.
struct NumberOutliers: Sendable, Hashable {
    let count: Int
    /// The minimum and the maximum, if they are outliers.
    let least: Double?
    let most: Double?
    /// The range of nine in ten numbers.
    let core: ClosedRange<Double>

    /// The fewest numbers to judge.
    private static let someNumbers = 50

    init?(_ numbers: NumberSummary, isWhole: Bool) {
        let spread = numbers.spread
        guard spread.total >= NumberOutliers.someNumbers, let bounds = NumberBounds(numbers, isWhole: isWhole),
            bounds.odd > 0
        else { return nil }
        let width = bounds.core.upperBound - bounds.core.lowerBound
        (count, core) = (bounds.odd, bounds.core)
        least = spread.least < bounds.core.lowerBound - 5 * width ? spread.least : nil
        most = spread.most > bounds.core.upperBound + 5 * width ? spread.most : nil
    }
}

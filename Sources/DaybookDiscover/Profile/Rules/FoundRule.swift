import DaybookBytes
import DaybookEngine

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

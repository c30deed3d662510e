import DaybookBytes
import DaybookEngine

/// One rule that the rows pass, or one that they may.
struct FoundRule {
    /// The type of the rule: `not_missing`.
    var type: String
    var value: SuggestedValue
    /// What speaks for it.
    var reason: String
    /// How many rows break it today, and so may.
    var allowed = 0
    /// Whether it is left to the person, as a comment.
    var isLeft = false
    /// Whether it is only likely, so that a single row that breaks it speaks against it.
    var isTrial = false
    /// Of rules of one group the first one that holds is enough.
    var group: String?
    /// The columns of which the first is never more than the second.
    var order: (low: String, high: String)?

    /// What a rule is called in a trial, by its place.
    static func id(_ number: Int) -> String { "rule-\(number)" }

    /// Says where the first of the rows stands that break it.
    mutating func show(_ finding: RenderedFinding) {
        guard let line = finding.line, !reason.contains("(line ") else { return }
        let place = "line \(Spoken.count(line))"
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

    /// - Parameter id: what outcomes are to call it.
    func write(to job: inout JobText, indent: Int, id: String?) {
        let margin = String(repeating: " ", count: indent)
        let line = "\(type): \(YAMLScalar.of(value))"
        guard !isLeft else { return job.add("\(margin)# - \(line)", reason) }
        let isWide = Prose.width(of: line) > 76
        if case .map(let options) = value, isWide {
            job.remark("\(reason):", indent: indent)
            job.add("\(margin)- \(type):")
            for option in options { job.add(option, indent: indent + 4) }
        } else if Prose.width(of: line) > 40 {
            job.remark("\(reason):", indent: indent)
            job.add("\(margin)- \(line)")
        } else {
            job.add("\(margin)- \(line)", reason)
        }
        if let id { job.add("\(margin)  id: \(id)") }
        if allowed > 0 {
            job.add("\(margin)  fail: \(YAMLScalar.of("> \(allowed)"))", "so many today; one more fails the gate")
        }
    }
}

import DaybookCore

/// The rules for people: which failed or warned, by how much, and how many held.
struct RuleText {
    private let run: RunReport
    private let style: TerminalStyle

    init(_ run: RunReport, _ style: TerminalStyle) {
        self.run = run
        self.style = style
    }

    /// With `isBrief`, only those that failed.
    func lines(isBrief: Bool) -> [String] {
        let rules = run.outcome.rules
        var lines = rules.filter { $0.verdict == .failed || ($0.verdict == .warned && !isBrief) }.map { rule in
            let word = rule.verdict == .failed ? style.error("rule failed") : style.warning("rule warns")
            return "\(word): \(printable(rule.rule.id)) in '\(printable(rule.stage))': \(printable(rule.message))"
        }
        let held = rules.count { $0.verdict == .passed }
        if held > 0, !isBrief { lines.append("\(Spoken.count(held)) of \(Spoken.count(rules.count, "rule")) held") }
        return lines
    }

    private func printable(_ text: String) -> String { PrintableText.of(run.mask.masking(text).shortened(to: 600)) }
}

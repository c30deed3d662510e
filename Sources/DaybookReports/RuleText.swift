import DaybookEngine

/// The rules for people: which were broken, by how many rows, and what the job allows.
struct RuleText {
    let run: RunReport
    let style: TerminalStyle

    /// One line for each rule that some row broke, and one that counts them all. With `isBrief`, only those that did not hold.
    func lines(isBrief: Bool) -> [String] {
        let rules = run.outcome.rules
        // Before the end nobody knows how a rule ends.
        guard !rules.isEmpty, run.outcome.hasEnded else { return [] }
        let told = rules.filter { rule in
            switch rule.verdict {
            case .failed, .warned: true
            case .unjudged: !isBrief || !run.outcome.errors.isEmpty || rule.observation?.lacksPast == true
            case .passed: (rule.failing > 0 || rule.observation?.remark != nil) && !isBrief
            }
        }
        return told.map(line) + (isBrief ? [] : [summary])
    }

    private func line(_ rule: RuleOutcome) -> String {
        let word =
            switch rule.verdict {
            case .failed: style.error("rule failed")
            case .warned: style.warning("rule warned")
            case .passed: style.success("rule passed")
            case .unjudged: style.warning("rule not judged")
            }
        // Copies of a stage have the same rules.
        let stage = run.values.count > 1 ? " of '\(run.printable(rule.stage))'" : ""
        let name = run.printable(rule.rule.id)
        let place = rule.rule.place.map { " at \(run.mask.masking("\($0)"))" } ?? ""
        if let reason = rule.unjudged {
            return "\(word) '\(name)'\(stage)\(place): \(run.printable(reason))"
        }
        return "\(word) '\(name)'\(stage)\(place): \(run.printable(rule.message))\(RuleText.limits(rule))"
    }

    /// `; fails beyond 1 %, warns beyond 0`, or nothing where a single row fails a rule.
    static func limits(_ rule: RuleOutcome) -> String {
        let limits = rule.rule.limits
        var parts: [String] = []
        if let fail = limits.fail { parts.append("fails at \(fail.written)") }
        if let warn = limits.warn { parts.append("warns at \(warn.written)") }
        if limits.atLeast > 1 { parts.append("from \(limits.atLeast.displayText) rows on") }
        return parts.isEmpty ? "" : "; \(parts.joined(separator: ", "))"
    }

    private var summary: String {
        let verdicts = self.verdicts
        let words: [(Verdict, String)] = [
            (.passed, "passed"), (.warned, "warned"), (.failed, "failed"), (.unjudged, "not judged"),
        ]
        let counts = words.compactMap { verdict, word in
            let count = verdicts.count { $0 == verdict }
            return count == 0 ? nil : "\(count) \(word)"
        }
        let unseen = run.rowsUnseenByRules.map { "; \($0)" } ?? ""
        return "  \(DisplayText.count(verdicts.count, "rule")): \(counts.joined(separator: ", "))\(unseen)"
    }

    /// The verdict of each rule that the job writes: where one entry comes to two rules, the worse of both.
    private var verdicts: [Verdict] {
        let rising: [Verdict] = [.passed, .unjudged, .warned, .failed]
        return run.outcome.rules.reduce(into: []) { verdicts, outcome in
            if outcome.rule.isCompanion, let first = verdicts.popLast() {
                verdicts.append(rising.last { $0 == first || $0 == outcome.verdict } ?? first)
            } else {
                verdicts.append(outcome.verdict)
            }
        }
    }
}

/// A rule of a job, by the id of its stage and its own: so it is known from run to run.
package struct RuleName: Hashable, Sendable {
    package var stage: String
    package var rule: String

    package init(stage: String, rule: String) { (self.stage, self.rule) = (stage, rule) }
}

/// The gates for people: which failed, by how much, and which let rejects through.
package enum GateText {
    /// With `isBrief`, only those that failed.
    package static func lines(of run: RunReport, _ style: TerminalStyle, isBrief: Bool) -> [String] {
        run.outcome.gates.filter { !$0.passed || ($0.rejected > 0 && !isBrief) }.map { gate in
            let word = gate.passed ? style.success("gate passed") : style.error("gate failed")
            return "\(word) for \(story(gate, run.mask))"
        }
    }

    /// `'clean': 12 of 4,183 rows rejected (0.29 %), 1 % allowed`.
    static func story(_ gate: RunOutcome.Gate, _ mask: SecretMask = SecretMask([])) -> String {
        let name = name(of: gate, mask)
        if gate.rejectsAll {
            let all = gate.total == 1 ? "its only row was" : "all \(DisplayText.count(gate.total)) rows were"
            return "\(name): \(all) rejected, and only an 'allow: 100%' of its own lets that pass"
        }
        let rows = "\(DisplayText.count(gate.rejected)) of \(DisplayText.count(gate.total, "row"))"
        let known = gate.known > 0 ? ", \(DisplayText.count(gate.known)) of them in the baseline" : ""
        let share = DisplayText.share(gate.rejected, of: gate.total)
        if gate.rejected > gate.total, !gate.countsBranches {
            let rejected = DisplayText.count(gate.rejected, "row")
            return "\(name): \(rejected) rejected\(known), where \(DisplayText.count(gate.total)) came in, "
                + "\(allowed(gate.allowed)) allowed"
        }
        let branches = gate.countsBranches && !gate.passed ? "; a row counts in each branch that rejects it" : ""
        return "\(name): \(rows) rejected (\(share))\(known), \(allowed(gate.allowed)) allowed\(branches)"
    }

    /// `'clean'`, `the rows of 'orders'`, `the job`.
    package static func name(of gate: RunOutcome.Gate, _ mask: SecretMask) -> String {
        if let stage = gate.stage { return "'\(PrintableText.of(mask.masking(stage)))'" }
        return gate.source.map { "the rows of '\(PrintableText.of(mask.masking($0)))'" } ?? "the job"
    }

    package static func allowed(_ allowance: Allowance) -> String {
        switch allowance {
        case .count(0): "none"
        case .count(let count): DisplayText.count(count)
        case .share: allowance.written.replacing("%", with: " %")
        }
    }
}

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
        let name = PrintableText.of(run.mask.masking(rule.rule.id))
        let place = rule.rule.place.map { " at \(run.mask.masking("\($0)"))" } ?? ""
        if let reason = rule.unjudged {
            return "\(word) '\(name)'\(place): \(PrintableText.of(run.mask.masking(reason)))"
        }
        return "\(word) '\(name)'\(place): \(PrintableText.of(run.mask.masking(rule.message)))\(RuleText.limits(rule))"
    }

    /// `; fails beyond 1 %, warns beyond 0`, or nothing where a single row fails a rule.
    static func limits(_ rule: RuleOutcome) -> String {
        let limits = rule.rule.limits
        var parts: [String] = []
        if let fail = limits.fail { parts.append("fails at \(fail.written)") }
        if let warn = limits.warn { parts.append("warns at \(warn.written)") }
        if limits.atLeast > 1 { parts.append("from \(limits.atLeast.spoken) rows on") }
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
        return "  \(Spoken.count(verdicts.count, "rule")): \(counts.joined(separator: ", "))\(unseen)"
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

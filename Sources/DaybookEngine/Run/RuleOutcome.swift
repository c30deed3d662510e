/// How one rule ended: how many rows it saw, how many broke it, and what that means.
public struct RuleOutcome: Sendable {
    /// The id of the stage.
    public var stage: String
    public var rule: Rule
    /// Rows that were held against it.
    public var rows: Int
    /// Rows that broke it, or 1 when all rows together did.
    public var failing: Int
    /// How many of them the baseline knows; they do not count.
    public var known = 0
    /// How many rows could not be held against it, since its condition could not be computed; they count as failing.
    public var uncomputed = 0
    /// What a rule about all rows together has to say.
    public var judgement: String?

    /// Whether the baseline knows that judgement.
    public var isJudgementKnown = false

    /// What it measured, and how that stands to earlier runs.
    public var observation: RuleObservation?

    /// Why it was not judged; nil where it was.
    public var unjudged: String?
    /// What the one row that breaks it says, where that is more than its number.
    public var example: String?

    /// All rows together break a rule or not: no share of rows makes that better, and only 'warn' alone makes it a warning.
    public var verdict: Verdict {
        if unjudged != nil { return .unjudged }
        if judgement != nil, !isJudgementKnown {
            return rule.limits.fail == nil && rule.limits.warn != nil ? .warned : .failed
        }
        return rule.limits.verdict(failing - known, of: rows)
    }

    /// What a broken limit makes of its findings.
    public var severity: Finding.Severity {
        switch verdict {
        case .failed: .error
        case .warned: .warning
        case .passed, .unjudged: .note
        }
    }

    /// `3 of 4,183 rows (0.07 %) have no value in 'emotion'`, in plain words and without the limit.
    public var message: String {
        if let unjudged { return "not judged: \(unjudged)" }
        if let judgement { return judgement + (isJudgementKnown ? ", which the baseline knows" : "") }
        guard failing > 0 else {
            return
                (["\(Spoken.count(rows, "row")) passed"]
                + [observation?.comparison, observation?.remark].compactMap(\.self))
                .joined(separator: "; ")
        }
        let share = Spoken.share(failing, of: rows)
        let values = failing == 1 ? example.map { " (\($0))" } ?? "" : ""
        var complaint = rule.complaint(of: failing)
        if uncomputed == failing {
            complaint = "could not be held against it, since its condition could not be computed"
        } else if uncomputed > 0 {
            complaint += ", or could not be asked (\(Spoken.count(uncomputed)))"
        }
        if known > 0 { complaint += ", \(Spoken.count(known)) of them in the baseline" }
        return "\(Spoken.count(failing)) of \(Spoken.count(rows, "row")) (\(share)) \(complaint)\(values)"
            + (observation?.remark.map { "; \($0)" } ?? "")
    }
}

extension StageResult {
    /// How the rules of the stage ended.
    func ruleOutcomes(of stage: PlannedStage) -> [RuleOutcome] {
        stage.rules.enumerated().map { index, rule in
            let tallies = findings.tallies.filter { $0.rule == index }
            let judgement = findings.judgements[index]
            let observation = findings.observations[index]
            // Nothing that it could be held against is no reason to hold.
            let isWithoutPast = judgement == nil && observation?.lacksPast == true
            return RuleOutcome(
                stage: stage.id,
                rule: rule,
                rows: findings.checkedRows[index] ?? 0,
                failing: tallies.reduce(0) { $0 + $1.count },
                known: tallies.reduce(0) { $0 + $1.known },
                uncomputed: tallies.reduce(0) { $0 + ($1.code == "not-computable" ? $1.count : 0) },
                judgement: judgement?.message,
                isJudgementKnown: judgement?.isKnown ?? false,
                observation: observation,
                unjudged: stage.unjudged[index] ?? (isWithoutPast ? observation?.comparison : nil),
                example: findings.samples.first { $0.rule == index }?.example
            )
        }
    }
}

/// Compares the rejects with the job's allowances.
///
/// A stage with an allowance of its own is judged by it, as a share of the rows that entered the stage. All others
/// share the job's allowance, none by default: a count applies to all of them together, a share to each import and its
/// rows, so that many good rows of one import do not hide the bad rows of another. Behind a stage that makes rows, the
/// share is one of these rows. Rules have limits of their own, so their rejects do not count here.
package struct Gates {
    private let plan: Plan
    private let results: [StageResult]
    private let inputs: RunInputs?
    /// Stages that share the allowance of the job.
    private let shared: [StageResult]
    /// By stage and import, the last stage on the way that makes rows.
    private let makers: [[Int: Int?]]

    package init(_ plan: Plan, _ results: [StageResult], _ inputs: RunInputs?) {
        (self.plan, self.results, self.inputs) = (plan, results, inputs)
        shared = results.filter { result in
            let stage = plan.stages[result.stage]
            return stage.policy.allow == nil && stage.check == nil && !stage.isIdle
        }
        makers = RowOrigins(plan).makers
    }

    package var all: [RunOutcome.Gate] {
        let job = ofJob
        return own + job + ofStagesThatRejectAll(unless: job)
    }

    private var own: [RunOutcome.Gate] {
        results.compactMap { result in
            let stage = plan.stages[result.stage]
            guard let allowed = stage.policy.allow, !stage.isIdle else { return nil }
            return gate(of: result, allowed, rejectsAll: plan.readsAllRows && result.rejectsAll && !allowed.isAll)
        }
    }

    private var allowed: Allowance { plan.job.rejects?.allow ?? .count(0) }

    private var ofJob: [RunOutcome.Gate] {
        let sources = results.filter { plan.stages[$0.stage].isSource && !plan.stages[$0.stage].isIdle }
        let total = sources.reduce(0) { $0 + $1.line.rowsIn }
        let isOne = sources.count < 2
        guard case .share = allowed else {
            return [gate(over: shared.map { ($0, nil) }, named: nil, total: total)]
        }
        /// Rejects by the stage that made the rows, or nil for those that came as they were read, of one import.
        func parts(of source: StageResult) -> [Int?: [Part]] {
            let parts: [Part] = shared.map { ($0, isOne ? nil : source.stage) }
            return Dictionary(grouping: parts) { makers[$0.stage.stage][source.stage] ?? nil }
        }
        if sources.isEmpty { return [gate(over: shared.map { ($0, nil) }, named: nil, total: total)] }
        let ofSources = sources.map { (source: $0, parts: parts(of: $0)) }
        let ofRead = ofSources.map { source, parts in
            gate(over: parts[nil] ?? [], named: isOne ? nil : source.line.id, total: source.line.rowsIn)
        }
        let ofMade = results.compactMap { maker -> RunOutcome.Gate? in
            let parts = ofSources.flatMap { $0.parts[maker.stage] ?? [] }
            guard !parts.isEmpty else { return nil }
            let gate = gate(over: parts, named: maker.line.id, total: maker.line.made)
            return gate.rejected > 0 ? gate : nil
        }
        return ofRead + ofMade
    }

    /// The rejects of a stage, of one import or of all.
    private typealias Part = (stage: StageResult, source: Int?)

    /// The job's own gate for the rejects of some stages.
    private func gate(over parts: [Part], named name: String?, total: Int) -> RunOutcome.Gate {
        RunOutcome.Gate(
            stage: nil,
            source: name,
            allowed: allowed,
            rejected: parts.reduce(0) { $0 + rejects(of: $1.stage, from: $1.source) },
            known: parts.reduce(0) { $0 + knownRejects(of: $1.stage, from: $1.source) },
            total: total,
            countsBranches: areBranches(parts.filter { rejects(of: $0.stage, from: $0.source) > 0 }.map(\.stage))
        )
    }

    /// A stage that rejects every input row has failed, however small its share of the job's rows.
    private func ofStagesThatRejectAll(unless job: [RunOutcome.Gate]) -> [RunOutcome.Gate] {
        // All rows of a replay were rejected before, so further rejects are expected.
        guard plan.readsAllRows else { return [] }
        let failed = job.filter { !$0.passed }
        return shared.filter(\.rejectsAll).compactMap { result in
            let ways = makers[result.stage].filter { rejects(of: result, from: $0.key) > 0 }
            let isSaid = failed.contains { gate in
                guard let name = gate.source else { return allowed.isCount || ways.contains { $0.value == nil } }
                return ways.contains { plan.stages[$0.value ?? $0.key].id == name }
            }
            return isSaid ? nil : gate(of: result, allowed, rejectsAll: true)
        }
    }

    private func gate(of result: StageResult, _ allowed: Allowance, rejectsAll: Bool) -> RunOutcome.Gate {
        RunOutcome.Gate(
            stage: result.line.id,
            allowed: allowed,
            rejected: result.line.rejected,
            known: result.findings.knownRejects,
            total: result.line.rowsIn,
            rejectsAll: rejectsAll
        )
    }

    // MARK: - Branches

    /// Whether two of the stages receive rows of one import in separate branches.
    private func areBranches(_ rejecting: [StageResult]) -> Bool {
        guard rejecting.count > 1 else { return false }
        let before = Gates.stagesBefore(plan.stages)
        return rejecting.indices.contains { second in
            rejecting[..<second].contains { first in
                let (first, second) = (first.stage, rejecting[second].stage)
                // A row that an earlier stage of the same branch rejects does not reach a later one.
                guard !before[second].rows.contains(first), !before[first].rows.contains(second) else { return false }
                return !before[first].imports.isDisjoint(with: before[second].imports)
            }
        }
    }

    /// For each stage: the stages that its rows pass through, without their rejects, and the imports of its rows.
    private static func stagesBefore(_ stages: [PlannedStage]) -> [(rows: Set<Int>, imports: Set<Int>)] {
        var before: [(rows: Set<Int>, imports: Set<Int>)] = []
        for stage in stages {
            var (rows, imports): (Set<Int>, Set<Int>) = ([], stage.isSource ? [stage.index] : [])
            for input in stage.inputs where input.stage < before.count {
                imports.formUnion(before[input.stage].imports)
                rows.formUnion(before[input.stage].rows)
                if input.port != .rejects { rows.insert(input.stage) }
            }
            before.append((rows, imports))
        }
        return before
    }

    // MARK: - By import

    private func rejects(of result: StageResult, from source: Int?) -> Int {
        guard let source else { return result.line.rejected }
        return sum(result.findings.rejectedBySource, of: result, from: source) { inputs?.owner(of: $0) }
    }

    private func knownRejects(of result: StageResult, from source: Int?) -> Int {
        guard let source else { return result.findings.knownRejects }
        return sum(result.findings.knownRejectsBySource, of: result, from: source) { inputs?.owner(of: $0) }
    }

    /// Rejects of an import. Rows that a stage made count with the first import that it reads.
    private func sum<Key>(
        _ rejects: [Key?: Int],
        of result: StageResult,
        from source: Int,
        owner: (Key) -> Int?
    ) -> Int {
        rejects.reduce(0) { sum, part in
            let owner = part.key.flatMap(owner) ?? plan.sources(of: result.stage).first
            return owner == source ? sum + part.value : sum
        }
    }
}

extension StageResult {
    /// Whether the stage passed no row, and not only because of known rejects.
    fileprivate var rejectsAll: Bool {
        line.rowsIn > 0 && line.rejected == line.rowsIn && findings.knownRejects < line.rejected
    }
}

extension Allowance {
    fileprivate var isCount: Bool { if case .count = self { true } else { false } }

    /// Whether the allowance permits rejecting every row.
    fileprivate var isAll: Bool { if case .share(let parts, let whole) = self { parts == whole } else { false } }
}

/// Result of one rule: its checked rows, its failing rows, and the verdict.
public struct RuleOutcome: Sendable {
    /// Id of the stage.
    public var stage: String
    public var rule: Rule
    /// Number of checked rows.
    public var rows: Int
    /// Number of failing rows, or 1 for a failed rule about all rows together.
    public var failing: Int
    /// Number of these in the baseline; they do not count.
    public var known = 0
    /// Number of rows whose condition could not be computed; they count as failing.
    public var uncomputed = 0
    /// Judgement of a rule about all rows together.
    public var judgement: String?

    /// Whether the baseline has the judgement.
    public var isJudgementKnown = false

    /// Measurement of the rule, compared with earlier runs.
    public var observation: RuleObservation?

    /// Reason of a rule that was not judged; nil for a judged rule.
    public var unjudged: String?
    /// Example values of the single failing row, beyond its number.
    public var example: String?

    /// A rule about all rows together passes or fails. No share of rows changes that, and only 'warn' alone makes it a
    /// warning.
    public var verdict: Verdict {
        if unjudged != nil { return .unjudged }
        if judgement != nil, !isJudgementKnown {
            return rule.limits.fail == nil && rule.limits.warn != nil ? .warned : .failed
        }
        return rule.limits.verdict(failing - known, of: rows)
    }

    /// Severity of the rule's findings, by its verdict.
    public var severity: Finding.Severity {
        switch verdict {
        case .failed: .error
        case .warned: .warning
        case .passed: .note
        case .unjudged: rule.limits.fail == nil && rule.limits.warn != nil ? .warning : .error
        }
    }

    /// `3 of 4,183 rows (0.07 %) have no value in 'emotion'`, without the limit.
    public var message: String {
        if let unjudged { return "not judged: \(unjudged)" }
        if let judgement { return judgement + (isJudgementKnown ? ", which the baseline knows" : "") }
        guard failing > 0 else {
            return
                (["\(DisplayText.count(rows, "row")) passed"]
                + [observation?.comparison, observation?.remark].compactMap(\.self))
                .joined(separator: "; ")
        }
        let share = DisplayText.share(failing, of: rows)
        let values = failing == 1 ? example.map { " (\($0))" } ?? "" : ""
        var complaint = rule.complaint(of: failing)
        if uncomputed == failing {
            complaint = "could not be held against it, since its condition could not be computed"
        } else if uncomputed > 0 {
            complaint += ", or could not be asked (\(DisplayText.count(uncomputed)))"
        }
        if known > 0 { complaint += ", \(DisplayText.count(known)) of them in the baseline" }
        return "\(DisplayText.count(failing)) of \(DisplayText.count(rows, "row")) (\(share)) \(complaint)\(values)"
            + (observation?.remark.map { "; \($0)" } ?? "")
    }
}

extension StageResult {
    /// Results of the stage's rules.
    func ruleOutcomes(of stage: PlannedStage) -> [RuleOutcome] {
        stage.rules.enumerated().map { index, rule in
            let tallies = findings.tallies.filter { $0.rule == index }
            let judgement = findings.judgements[index]
            let observation = findings.observations[index]
            // Without earlier runs to compare, a rule does not pass.
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

/// Checks that every row is accounted for.
///
/// Each line of the ledger must balance, and the rows that one stage passed on must equal the rows that the next
/// received. The two sides are counted in different places, so a lost row is detected.
enum LedgerAudit {
    static func check(_ lines: [LedgerLine], _ stages: [PlannedStage]) throws(DaybookError) {
        for (line, stage) in zip(lines, stages) {
            if line.unaccounted != 0 { throw unbalanced(line) }
            guard !stage.inputs.isEmpty, !stage.isIdle else { continue }
            // Rows of a build side are only looked up; they do not pass through.
            let passed = stage.inputs.filter { !$0.isBuildSide }.reduce(0) { sum, input in
                sum + (input.port == .rows ? lines[input.stage].rowsOut : lines[input.stage].rejected)
            }
            if passed != line.rowsIn {
                throw error(
                    "'\(line.id)' took in \(line.rowsIn.displayText) rows, but \(passed.displayText) were passed on to it"
                )
            }
        }
    }

    /// Refuses a stage that lost a row of one batch and repeated one of another.
    static func checkBatches(_ results: [StageResult]) throws(DaybookError) {
        guard let result = results.first(where: \.hasUnbalancedBatch) else { return }
        throw error("stage '\(result.line.id)' lost rows of some batches and passed on others that never came in")
    }

    private static func unbalanced(_ line: LedgerLine) -> DaybookError {
        let lost = line.unaccounted
        let rows = abs(lost) == 1 ? "1 row" : "\(abs(lost).displayText) rows"
        let story = lost > 0 ? "lost \(rows) without counting them" : "passed on \(rows) that never came in"
        return error(
            "stage '\(line.id)' \(story): \(line.rowsIn.displayText) in, \(line.rowsOut.displayText) out, \(line.rejected.displayText) rejected, "
                + "\(line.droppedCount.displayText) dropped, \(line.folded.displayText) folded, \(line.made.displayText) made"
        )
    }

    private static func error(_ message: String) -> DaybookError {
        .machine(
            "unbalanced-book",
            "the ledger does not balance: \(message)",
            hint: "this is a fault of the stage, not of the data; nothing was written"
        )
    }
}

/// Holds what was rejected against what the job allows.
///
/// A stage with an allowance of its own is held to that, as a share of the rows that entered it. All others are held to the
/// job's, none by default: a count for all together, a share for each import on the rows that it read, so that many good rows of
/// one do not hide the bad ones of another. Rules have limits of their own, so what they reject does not count there.
package struct Gates {
    private let plan: Plan
    private let results: [StageResult]
    private let inputs: RunInputs?
    /// The stages that share the allowance of the job.
    private let shared: [StageResult]

    package init(_ plan: Plan, _ results: [StageResult], _ inputs: RunInputs?) {
        (self.plan, self.results, self.inputs) = (plan, results, inputs)
        shared = results.filter { result in
            let stage = plan.stages[result.stage]
            return stage.policy.allow == nil && stage.check == nil && !stage.isIdle
        }
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
        guard case .share = allowed, sources.count > 1 else {
            return [
                RunOutcome.Gate(
                    stage: nil,
                    allowed: allowed,
                    rejected: shared.reduce(0) { $0 + $1.line.rejected },
                    known: shared.reduce(0) { $0 + $1.findings.knownRejects },
                    total: sources.reduce(0) { $0 + $1.line.rowsIn },
                    countsBranches: areBranches(shared.filter { $0.line.rejected > 0 })
                )
            ]
        }
        return sources.map { source in
            RunOutcome.Gate(
                stage: nil,
                source: source.line.id,
                allowed: allowed,
                rejected: shared.reduce(0) { $0 + rejects(of: $1, from: source.stage) },
                known: shared.reduce(0) { $0 + knownRejects(of: $1, from: source.stage) },
                total: source.line.rowsIn,
                countsBranches: areBranches(shared.filter { rejects(of: $0, from: source.stage) > 0 })
            )
        }
    }

    /// A stage that rejects every row that it was given did not do its work, however few they are among those of the job.
    private func ofStagesThatRejectAll(unless job: [RunOutcome.Gate]) -> [RunOutcome.Gate] {
        // Of rows that were rejected before it is no wonder.
        guard plan.readsAllRows else { return [] }
        let failed = job.filter { !$0.passed }
        return shared.filter(\.rejectsAll).compactMap { result in
            let isSaid = failed.contains { gate in
                gate.source.map { source in
                    plan.stages.contains { $0.id == source && rejects(of: result, from: $0.index) > 0 }
                } ?? true
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

    /// Whether two of the stages get rows of one import, of which neither has taken them from the other.
    private func areBranches(_ rejecting: [StageResult]) -> Bool {
        guard rejecting.count > 1 else { return false }
        let before = Gates.stagesBefore(plan.stages)
        return rejecting.indices.contains { second in
            rejecting[..<second].contains { first in
                let (first, second) = (first.stage, rejecting[second].stage)
                // A row that an earlier stage of the same branch rejects comes to no later one.
                guard !before[second].rows.contains(first), !before[first].rows.contains(second) else { return false }
                return !before[first].imports.isDisjoint(with: before[second].imports)
            }
        }
    }

    /// For each stage those that its rows, and none of their rejects, came through, and the imports that they may come from.
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

    private func rejects(of result: StageResult, from source: Int) -> Int {
        result.findings.rejectedBySource.reduce(0) { sum, part in
            sum + (owner(part.key.flatMap { inputs?.owner(of: $0) }, result) == source ? part.value : 0)
        }
    }

    private func knownRejects(of result: StageResult, from source: Int) -> Int {
        result.findings.knownRejectsBySource.reduce(0) { sum, part in
            sum + (owner(part.key.flatMap { inputs?.owner(of: $0) }, result) == source ? part.value : 0)
        }
    }

    /// The import of a reject. Rows that a stage made count with those of the first import that it reads.
    private func owner(_ known: Int?, _ result: StageResult) -> Int? { known ?? plan.sources(of: result.stage).first }
}

extension StageResult {
    /// Whether it let no row pass, and not for what a baseline knows alone.
    fileprivate var rejectsAll: Bool {
        line.rowsIn > 0 && line.rejected == line.rowsIn && findings.knownRejects < line.rejected
    }
}

extension Allowance {
    /// Whether it lets every row be rejected.
    fileprivate var isAll: Bool { if case .share(let parts, let whole) = self { parts == whole } else { false } }
}

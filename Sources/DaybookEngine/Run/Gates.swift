import DaybookCore

/// Holds what was rejected against what the job allows.
///
/// A stage with an allowance of its own is held to that, as a share of the rows that entered it. All others are held to the
/// job's, none by default: a count for all together, a share for each import on the rows that it read, so that many good rows of
/// one do not hide the bad ones of another. Rules have limits of their own, so what they reject does not count there.
package struct Gates {
    private let plan: Plan
    private let states: [StageState]
    private let inputs: RunInputs?
    /// The stages that share the allowance of the job.
    private let shared: [StageState]

    package init(_ plan: Plan, _ states: [StageState], _ inputs: RunInputs?) {
        (self.plan, self.states, self.inputs) = (plan, states, inputs)
        shared = states.filter { $0.stage.policy.allow == nil && $0.stage.check == nil && !$0.stage.isIdle }
    }

    package var all: [RunOutcome.Gate] {
        let job = ofJob
        return own + job + ofStagesThatRejectAll(unless: job)
    }

    private var own: [RunOutcome.Gate] {
        states.compactMap { state in
            guard let allowed = state.stage.policy.allow, !state.stage.isIdle else { return nil }
            return gate(of: state, allowed, rejectsAll: plan.readsAllRows && state.rejectsAll && !allowed.isAll)
        }
    }

    private var allowed: Allowance { plan.job.rejects?.allow ?? .count(0) }

    private var ofJob: [RunOutcome.Gate] {
        let sources = states.filter { if case .source = $0.stage.role { !$0.stage.isIdle } else { false } }
        guard case .share = allowed, sources.count > 1 else {
            return [
                RunOutcome.Gate(
                    stage: nil,
                    allowed: allowed,
                    rejected: shared.reduce(0) { $0 + $1.line.rejected },
                    known: shared.reduce(0) { $0 + $1.knownRejects },
                    total: sources.reduce(0) { $0 + $1.line.rowsIn }
                )
            ]
        }
        return sources.map { source in
            RunOutcome.Gate(
                stage: nil,
                source: source.stage.id,
                allowed: allowed,
                rejected: shared.reduce(0) { $0 + rejects(of: $1, from: source.stage.index) },
                known: shared.reduce(0) { $0 + knownRejects(of: $1, from: source.stage.index) },
                total: source.line.rowsIn
            )
        }
    }

    /// A stage that rejects every row that it was given did not do its work, however few they are among those of the job.
    private func ofStagesThatRejectAll(unless job: [RunOutcome.Gate]) -> [RunOutcome.Gate] {
        // Of rows that were rejected before it is no wonder.
        guard plan.readsAllRows else { return [] }
        let failed = job.filter { !$0.passed }
        return shared.filter(\.rejectsAll).compactMap { state in
            let isTold = failed.contains { gate in
                gate.source.map { source in
                    plan.stages.contains { $0.id == source && rejects(of: state, from: $0.index) > 0 }
                } ?? true
            }
            return isTold ? nil : gate(of: state, allowed, rejectsAll: true)
        }
    }

    private func gate(of state: StageState, _ allowed: Allowance, rejectsAll: Bool) -> RunOutcome.Gate {
        RunOutcome.Gate(
            stage: state.stage.id,
            allowed: allowed,
            rejected: state.line.rejected,
            known: state.knownRejects,
            total: state.line.rowsIn,
            rejectsAll: rejectsAll
        )
    }

    // MARK: - By import

    private func rejects(of state: StageState, from source: Int) -> Int {
        state.rejectedBySource.reduce(0) { sum, part in
            let owner = part.key.flatMap { inputs?.owner(of: $0) }
            return sum + ((owner ?? firstSource(of: state)) == source ? part.value : 0)
        }
    }

    private func knownRejects(of state: StageState, from source: Int) -> Int {
        state.knownRejectsBySource.reduce(0) { sum, part in
            let owner = part.key.flatMap { inputs?.owner(of: $0) }
            return sum + ((owner ?? firstSource(of: state)) == source ? part.value : 0)
        }
    }

    /// Rows that a stage made count with those of the first import that it reads.
    private func firstSource(of state: StageState) -> Int? { plan.sources(of: state.stage.index).first }
}

extension StageState {
    /// Whether it let no row pass, and not for what a baseline knows alone.
    fileprivate var rejectsAll: Bool { line.rowsIn > 0 && line.rejected == line.rowsIn && knownRejects < line.rejected }
}

extension Allowance {
    /// Whether it lets every row be rejected.
    fileprivate var isAll: Bool { if case .share(let parts, let whole) = self { parts == whole } else { false } }
}

import DaybookCore

/// Holds what was rejected against what the job allows.
enum Gates {
    /// A stage with an allowance of its own is held to that, as a share of the rows that entered it. All others together
    /// are held to the job's, none by default, as a share of the records that were read. Rules have limits of their own, so
    /// what they reject does not count there.
    static func of(_ plan: Plan, _ states: [StageState]) -> [RunOutcome.Gate] {
        var gates: [RunOutcome.Gate] = []
        var rejected = 0
        var known = 0
        var read = 0
        for (state, stage) in zip(states, plan.stages) {
            let line = state.line
            if case .source = stage.role { read += line.rowsIn }
            if let allowed = stage.policy.allow {
                gates.append(
                    RunOutcome.Gate(
                        stage: line.id,
                        allowed: allowed,
                        rejected: line.rejected,
                        known: state.knownRejects,
                        total: line.rowsIn
                    )
                )
            } else if stage.check == nil {
                rejected += line.rejected
                known += state.knownRejects
            }
        }
        let allowed = plan.job.rejects?.allow ?? .count(0)
        gates.append(RunOutcome.Gate(stage: nil, allowed: allowed, rejected: rejected, known: known, total: read))
        return gates
    }
}

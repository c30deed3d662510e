/// What one stage made of some rows: its line of the ledger, what it found and what it gathered.
///
/// The results of morsels are merged in the order of the input; the merge of all is what the ledger, gates and rules are judged by.
package struct StageResult: Sendable {
    /// The number of the stage in the plan.
    package let stage: Int
    package var line: LedgerLine
    package var findings = FindingSummary()
    /// What it has gathered of the rows; nil when none came.
    package var partial: (any PartialResult)?
    /// Whether some batch did not balance in itself, which the sums over all batches could hide.
    var hasUnbalancedBatch = false

    package init(_ stage: PlannedStage) {
        self.stage = stage.index
        line = LedgerLine(id: stage.id, stage: stage.typeName, isSource: stage.isSource)
    }

    /// Adds what the stage made of later rows.
    mutating func merge(_ later: StageResult, of stage: PlannedStage, _ scratch: any Scratch) throws(DaybookError) {
        line.add(later.line)
        findings.merge(later.findings)
        hasUnbalancedBatch = hasUnbalancedBatch || later.hasUnbalancedBatch
        if let gathered = later.partial {
            try stage.binding?.merger?.merge(erased: gathered, into: &partial, scratch: scratch)
        }
        // What becomes of the rows of a fold is only known at its end.
        if case .fold = stage.role { return }
        if later.line.unaccounted != 0 { hasUnbalancedBatch = true }
    }
}

extension Plan {
    /// The results of all stages before any row came.
    package var emptyResults: [StageResult] { stages.map { StageResult($0) } }
}

/// Checks that every row is accounted for.
///
/// Each line of the ledger must balance in itself, and what one stage says it passed on must be what the next says it
/// took in. The two sides are counted in different places, so a row that is lost shows.
enum LedgerAudit {
    static func check(_ lines: [LedgerLine], _ stages: [PlannedStage]) throws(DaybookError) {
        for (line, stage) in zip(lines, stages) {
            if line.unaccounted != 0 { throw unbalanced(line) }
            guard !stage.inputs.isEmpty, !stage.isIdle else { continue }
            // What a side gives is looked things up in; it does not flow through.
            let passed = stage.inputs.filter { !$0.isBuildSide }.reduce(0) { sum, input in
                sum + (input.port == .rows ? lines[input.stage].rowsOut : lines[input.stage].rejected)
            }
            if passed != line.rowsIn {
                throw error(
                    "'\(line.id)' took in \(line.rowsIn.spoken) rows, but \(passed.spoken) were passed on to it"
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
        let rows = abs(lost) == 1 ? "1 row" : "\(abs(lost).spoken) rows"
        let story = lost > 0 ? "lost \(rows) without counting them" : "passed on \(rows) that never came in"
        return error(
            "stage '\(line.id)' \(story): \(line.rowsIn.spoken) in, \(line.rowsOut.spoken) out, \(line.rejected.spoken) rejected, "
                + "\(line.droppedCount.spoken) dropped, \(line.folded.spoken) folded, \(line.made.spoken) made"
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

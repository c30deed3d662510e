import DaybookPages

extension RunRecord {
    /// The ledger with the way of the rows.
    ///
    /// - Parameter about: what is said of the run before all else.
    func ledger(about: String) -> HTMLLedger {
        HTMLLedger(
            lines: stages.map(\.line),
            links: FlowDrawing.links(among: stages.map { ($0.id, $0.reads ?? []) }),
            about: about
        )
    }
}

extension RunRecord.Stage {
    /// As a line of a ledger.
    fileprivate var line: LedgerLine {
        var line = LedgerLine(id: id, stage: type, isSource: isSource)
        (line.rowsIn, line.rowsOut, line.rejected, line.folded, line.made) = (rowsIn, rowsOut, rejected, folded, made)
        (line.added, line.dropped, line.skipped) = (added, dropped, skipped)
        return line
    }
}

import DaybookCore

/// What is said below the rows of a preview: whether there are more, and what was found on the way.
public enum PreviewNotes {
    public static func text(_ result: Preview.Result, _ run: RunReport, style: TerminalStyle) -> String {
        let rows = Spoken.count(result.rows.count, "row")
        var run = run
        run.outcome = result.outcome
        let findings = FindingText(run, style).lines()
        let rejected = result.outcome.ledger.reduce(0) { $0 + $1.rejected }
        var line = result.isWhole ? "\(rows), and there are no more" : "the first \(rows)"
        line += "; \(Spoken.count(rejected)) rejected so far, nothing was written"
        return (findings + [line]).joined(separator: "\n") + "\n"
    }
}

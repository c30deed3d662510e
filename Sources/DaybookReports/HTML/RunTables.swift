import DaybookEngine
import DaybookPages

/// The gates and the ledger of a run as tables of its page.
struct RunTables {
    let run: RunReport

    /// Those that failed first.
    var gates: HTML {
        let gates = run.outcome.gates
        let rows = (gates.filter { !$0.passed } + gates.filter(\.passed)).map { gate in
            [
                RunTables.verdict(gate.passed ? .passed : .failed, gate.passed ? "passed" : "failed"),
                head(gate.stage == nil && gate.source == nil ? "the whole job" : gateName(gate)),
                PageTable.number(gate.rejected), PageTable.number(gate.total),
                "<td class=\"num\">\(Spoken.share(gate.rejected, of: gate.total))</td>",
                "<td class=\"num\">\(RunPage.text(GateText.allowed(gate.allowed)))</td>",
            ]
        }
        return PageTable.markup(
            ["Verdict", "Of", "#Rejected", "#Rows", "#Share", "#Allowed"],
            rows.map { $0.joined() },
            label: "gates-h"
        )
    }

    /// `clean`, `the rows of 'orders'`.
    private func gateName(_ gate: RunOutcome.Gate) -> String {
        gate.stage.map(run.mask.masking) ?? GateText.name(of: gate, run.mask)
    }

    /// The way of the rows as it ran, and the counts.
    var ledger: HTML {
        var lines = run.outcome.ledger
        for index in lines.indices { lines[index].id = run.mask.masking(lines[index].id).printable }
        let flow = LedgerFlow(lines, links: run.outcome.links).markup(id: "flow")
        return flow + ledgerTable
    }

    private var ledgerTable: HTML {
        let rows = run.outcome.ledger.map { line in
            let counts = [line.rowsIn, line.rowsOut, line.rejected, line.droppedCount, line.folded, line.made]
            return head(run.mask.masking(line.id), below: line.id == line.stage ? "" : line.stage)
                + counts.map(PageTable.number).joined()
        }
        return PageTable.markup(
            ["Stage", "#In", "#Out", "#Rejected", "#Dropped", "#Folded", "#Made"],
            rows,
            label: "ledger-h"
        )
    }

    private func head(_ name: String, below: String = "") -> HTML {
        let words: HTML = below.isEmpty ? "" : "<span class=\"words\">\(RunPage.text(below))</span>"
        return "<th scope=\"row\">\(RunPage.text(name))\(words)</th>"
    }

    static func verdict(_ verdict: Verdict, _ word: String) -> HTML {
        "<td class=\"\(verdict.rawValue)\">\(word)</td>"
    }
}

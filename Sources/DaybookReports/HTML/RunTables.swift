/// The gates and the ledger of a run as tables of its page.
struct RunTables {
    let run: RunReport

    /// Those that failed first.
    var gates: HTML {
        let gates = run.outcome.gates
        let rows = (gates.filter { !$0.passed } + gates.filter(\.passed)).map { gate in
            [
                RunTables.verdict(gate.passed ? .passed : .failed, gate.passed ? "held" : "failed"),
                head(gate.stage == nil && gate.source == nil ? "the whole job" : gateName(gate)),
                RunTables.number(gate.rejected), RunTables.number(gate.total),
                "<td class=\"num\">\(Spoken.share(gate.rejected, of: gate.total))</td>",
                "<td class=\"num\">\(RunPage.text(GateText.allowed(gate.allowed)))</td>",
            ]
        }
        return RunTables.table(
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
                + counts.map(RunTables.number).joined()
        }
        return RunTables.table(
            ["Stage", "#In", "#Out", "#Rejected", "#Dropped", "#Folded", "#Made"],
            rows,
            label: "ledger-h"
        )
    }

    /// A table in a box that scrolls; a heading with `#` before it stands over numbers. Empty without rows.
    static func table(_ headings: [String], _ rows: [HTML], label: String) -> HTML {
        let heads = headings.map { heading -> HTML in
            heading.hasPrefix("#")
                ? "<th scope=\"col\" class=\"num\">\(String(heading.dropFirst()))</th>"
                : "<th scope=\"col\">\(heading)</th>"
        }
        return table(heads: heads, rows, label: label)
    }

    /// The same with cells as headings.
    static func table(heads: [HTML], _ rows: [HTML], label: String) -> HTML {
        guard !rows.isEmpty else { return "" }
        let box = HTMLTableBox(columns: heads.count, rows: rows.count, label: label)
        return """
            \(box.opening)<thead><tr>\(heads.joined())</tr></thead>
            <tbody>
            \(rows.map { $0.text.hasPrefix("<tr") ? $0 : "<tr>\($0)</tr>" }.joined(separator: "\n"))
            </tbody>\(box.closing)
            """
    }

    private func head(_ name: String, below: String = "") -> HTML {
        let words: HTML = below.isEmpty ? "" : "<span class=\"words\">\(RunPage.text(below))</span>"
        return "<th scope=\"row\">\(RunPage.text(name))\(words)</th>"
    }

    static func number(_ count: Int) -> HTML {
        "<td class=\"num\(count == 0 ? " zero" : "")\">\(Spoken.count(count))</td>"
    }

    static func verdict(_ verdict: Verdict, _ word: String) -> HTML {
        "<td class=\"\(verdict.rawValue)\">\(word)</td>"
    }
}

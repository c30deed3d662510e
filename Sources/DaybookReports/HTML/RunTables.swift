/// The gates, the rules and the ledger of a run as tables of its page.
struct RunTables {
    private let run: RunReport
    private let allRules: ReportRules

    init(_ run: RunReport, _ rules: ReportRules) {
        self.run = run
        allRules = rules
    }

    var gates: HTML {
        let rows = run.outcome.gates.map { gate in
            [
                verdict(gate.passed ? .passed : .failed, gate.passed ? "held" : "failed"),
                head(gate.stage == nil && gate.source == nil ? "the whole job" : gateName(gate)), number(gate.rejected),
                number(gate.total), "<td class=\"num\">\(Spoken.share(gate.rejected, of: gate.total))</td>",
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

    var rules: HTML {
        let rows = allRules.all.map { rule in
            [
                verdict(rule.verdict, rule.verdict == .unjudged ? "not judged" : rule.verdict.rawValue),
                head(rule.name, below: rule.type ?? ""), cell(rule.stage),
                cell(rule.columns.joined(separator: ", ")), rule.rows.map(number) ?? "<td class=\"num\"></td>",
                number(rule.failing), cell(rule.message),
            ]
        }
        return RunTables.table(
            ["Verdict", "Rule", "Stage", "Columns", "#Rows", "#Failing", "What it came to"],
            rows.map { $0.joined() },
            label: "rules-h"
        )
    }

    var ledger: HTML {
        let rows = run.outcome.ledger.map { line in
            let counts = [line.rowsIn, line.rowsOut, line.rejected, line.droppedCount, line.folded, line.made]
            return head(run.mask.masking(line.id), below: line.id == line.stage ? "" : line.stage)
                + counts.map(number).joined()
        }
        return RunTables.table(
            ["Stage", "#In", "#Out", "#Rejected", "#Dropped", "#Folded", "#Made"],
            rows,
            label: "ledger-h"
        )
    }

    /// A table in a box that scrolls; a heading with `#` before it stands over numbers. Empty without rows.
    static func table(_ headings: [String], _ rows: [HTML], label: String) -> HTML {
        guard !rows.isEmpty else { return "" }
        let heads = headings.map { heading -> HTML in
            heading.hasPrefix("#")
                ? "<th scope=\"col\" class=\"num\">\(String(heading.dropFirst()))</th>"
                : "<th scope=\"col\">\(heading)</th>"
        }
        let box = HTMLTableBox(columns: headings.count, rows: rows.count, label: label)
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

    private func cell(_ text: String) -> HTML { "<td class=\"text\">\(RunPage.text(text))</td>" }

    private func number(_ count: Int) -> HTML {
        "<td class=\"num\(count == 0 ? " zero" : "")\">\(Spoken.count(count))</td>"
    }

    private func verdict(_ verdict: Verdict, _ word: String) -> HTML {
        "<td class=\"\(verdict.rawValue)\">\(word)</td>"
    }
}

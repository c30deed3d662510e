import DaybookCore

/// The ledger of a run as a page shows it: every stage, what became of its rows, and whether that adds up.
struct HTMLLedger {
    let lines: [LedgerLine]

    var markup: String {
        """
        <section id="ledger" aria-labelledby="ledger-h">
        <h2 id="ledger-h">Ledger</h2>
        <p class="soft">\(sentence)</p>
        \(lines.isEmpty ? "" : table)</section>

        """
    }

    var isBalanced: Bool { lines.allSatisfy { $0.unaccounted == 0 } }

    /// Says in plain words whether every row is accounted for.
    var sentence: String {
        if lines.isEmpty { return "This run kept no ledger." }
        let lost = lines.filter { $0.unaccounted != 0 }.map {
            "\(HTMLText.escaped($0.id)) (\(Figure.grouped($0.unaccounted)))"
        }
        guard lost.isEmpty else {
            return "The book does not balance. Rows are unaccounted for in: \(lost.joined(separator: ", "))."
        }
        let scope = lines.count == 1 ? "In the one stage" : "In each of the \(Figure.grouped(lines.count)) stages"
        return """
            The book balances: every row is accounted for. \(scope), the rows in and the rows made equal the rows out, \
            rejected, dropped and folded. What was skipped is no row, such as a blank line.
            """
    }

    private var table: String {
        var rows = ""
        for line in lines {
            rows += "<tr><th scope=\"row\">\(HTMLText.escaped(line.id))"
            if line.id != line.stage { rows += "<span class=\"words\">\(HTMLText.escaped(line.stage))</span>" }
            rows += "</th>"
            for count in [line.rowsIn, line.made, line.rowsOut, line.rejected] { rows += cell(count, [:]) }
            rows += cell(line.droppedCount, line.dropped) + cell(line.folded, [:])
            rows += cell(line.skipped.values.reduce(0, +), line.skipped) + "</tr>\n"
        }
        let heads = ["In", "Made", "Out", "Rejected", "Dropped", "Folded", "Skipped"]
        return """
            <div class="scroll" tabindex="0" role="region" aria-labelledby="ledger-h"><table>
            <thead><tr><th scope="col">Stage</th>\
            \(heads.map { "<th scope=\"col\" class=\"num\">\($0)</th>" }.joined())</tr></thead>
            <tbody>
            \(rows)</tbody></table></div>

            """
    }

    /// A count, and below it what it is made of, by name.
    private func cell(_ count: Int, _ parts: [String: Int]) -> String {
        let names = parts.keys.sorted().map { name in
            "<span class=\"words\">\(HTMLText.escaped(name)) \(Figure.grouped(parts[name]!))</span>"
        }
        return "<td class=\"num\(count == 0 ? " zero" : "")\">\(Figure.grouped(count))\(names.joined())</td>"
    }
}

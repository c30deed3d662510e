/// The ledger of a run as a page shows it: every stage, what became of its rows, and whether that adds up.
struct HTMLLedger {
    /// How many stages that rejected rows are named above the first section.
    private static let namedStages = 6

    let lines: [LedgerLine]

    var markup: HTML {
        """
        <section id="ledger" aria-labelledby="ledger-h">
        <h2 id="ledger-h">Ledger</h2>
        <p class="soft">\(sentence)</p>
        \(table, if: !lines.isEmpty)</section>

        """
    }

    var isBalanced: Bool { lines.allSatisfy { $0.unaccounted == 0 } }

    /// Says in plain words whether every row is accounted for.
    var sentence: HTML {
        if lines.isEmpty { return "This run kept no ledger." }
        let lost = lines.filter { $0.unaccounted != 0 }.map { line -> HTML in
            "\(line.id) (\(Figure.grouped(line.unaccounted)))"
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

    /// Says where rows were rejected, for those who read no further than the number; empty where none was.
    var rejections: HTML {
        let parts = lines.filter { $0.rejected > 0 }.map { line -> HTML in
            "\(Figure.grouped(line.rejected)) in <bdi>\(line.id)</bdi>"
        }
        guard !parts.isEmpty else { return "" }
        let limit = HTMLLedger.namedStages
        let rest = parts.count > limit ? ", and more in \(Figure.counted(parts.count - limit, "other stage"))" : ""
        return """
            <p class="note">Rejected: \(parts.prefix(limit).joined(separator: ", "))\(rest). \
            <a href="#ledger">See the ledger</a></p>

            """
    }

    private var table: HTML {
        var rows: HTML = ""
        for line in lines {
            rows += "<tr><th scope=\"row\">\(line.id)"
            if line.id != line.stage { rows += "<span class=\"words\">\(line.stage)</span>" }
            rows += "</th>"
            rows += cell(line.rowsIn, [:]) + cell(line.made, line.added) + cell(line.rowsOut, [:])
            rows += cell(line.rejected, [:], style: "bad")
            rows += cell(line.droppedCount, line.dropped) + cell(line.folded, [:])
            rows += cell(line.skipped.values.reduce(0, +), line.skipped) + "</tr>\n"
        }
        let heads = ["In", "Made", "Out", "Rejected", "Dropped", "Folded", "Skipped"].map { name -> HTML in
            "<th scope=\"col\" class=\"num\">\(name)</th>"
        }
        let box = HTMLTableBox(columns: heads.count + 1, rows: nil, label: "ledger-h")
        return """
            \(box.opening)<thead><tr><th scope="col">Stage</th>\
            \(heads.joined())</tr></thead>
            <tbody>
            \(rows)</tbody>\(box.closing)
            """
    }

    /// A count, and below it what it is made of, by name.
    private func cell(_ count: Int, _ parts: [String: Int], style: String = "") -> HTML {
        let names = parts.keys.sorted().map { name -> HTML in
            "<span class=\"words\">\(name) \(Figure.grouped(parts[name]!))</span>"
        }
        let styles = ["num", count == 0 ? "zero" : style].filter { !$0.isEmpty }.joined(separator: " ")
        return "<td class=\"\(styles)\">\(Figure.grouped(count))\(names.joined())</td>"
    }
}

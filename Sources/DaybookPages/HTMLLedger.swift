/// The ledger of a run as a page shows it: every stage, what became of its rows, and whether that adds up.
package struct HTMLLedger {
    /// How many stages that rejected rows are named above the first section.
    private static let namedStages = 6

    let lines: [LedgerLine]
    let links: [RunSummary.Link]
    /// The text about the run at the top.
    let about: String
    let words: PageWords

    package init(
        lines: [LedgerLine],
        links: [RunSummary.Link] = [],
        about: String = "",
        words: PageWords = PageWords()
    ) {
        (self.lines, self.links, self.about, self.words) = (lines, links, about, words)
    }

    package var markup: HTML {
        """
        <section id="ledger" aria-labelledby="ledger-h">
        <h2 id="ledger-h">\(words("Ledger"))</h2>
        <p class="soft">\(about)\(sentence)</p>
        \(FlowDrawing(lines: lines, links: links, page: words).markup(id: "flow"))\(folded, if: !lines.isEmpty)</section>

        """
    }

    var isBalanced: Bool { lines.allSatisfy { $0.unaccounted == 0 } }

    /// Says in plain words whether every row is accounted for.
    var sentence: HTML {
        if lines.isEmpty { return "\(words("This run kept no ledger."))" }
        let lost = lines.filter { $0.unaccounted != 0 }.map { line -> HTML in
            "\(line.id) (\(Figure.grouped(line.unaccounted)))"
        }
        guard lost.isEmpty else {
            let text = "The ledger does not balance. Rows are unaccounted for in: {0}."
            return words.markup(text, lost.joined(separator: ", "))
        }
        let scope = lines.count == 1 ? "In the one stage" : "In each of the {0} stages"
        let text = words(
            "The ledger balances: every row is accounted for. \(scope), the rows in and the rows made equal the rows out, "
                + "rejected, dropped and folded. What was skipped is no row, such as a blank line.",
            Figure.grouped(lines.count)
        )
        return "\(text)"
    }

    /// The outcome in a line. A page exists only for a passed run.
    func status(rowCount: Int) -> HTML {
        guard !lines.isEmpty else { return "" }
        let read = lines.filter(\.isSource).reduce(0) { $0 + $1.rowsIn }
        var parts: [HTML] = ["<b>\(words(isBalanced ? "Passed" : "The ledger is off"))</b>"]
        parts.append("\(words("{0} read", words.count(read, "row")))")
        parts.append("\(words("{0} in this report", Figure.grouped(rowCount)))")
        parts.append(rejections)
        let dropped = lines.reduce(0) { $0 + $1.droppedCount }
        if dropped > 0 { parts.append("\(words("{0} dropped", Figure.grouped(dropped)))") }
        return """
            <p class="status\(" off", if: !isBalanced)">\(parts.joined(separator: " · ")) · \
            <a href="#ledger">\(words("where the rows went"))</a></p>

            """
    }

    /// How many rows were rejected, and where.
    var rejections: HTML {
        let all = lines.reduce(0) { $0 + $1.rejected }
        guard all > 0 else { return "\(words("none rejected"))" }
        let parts = lines.filter { $0.rejected > 0 }.map { line -> HTML in
            words.markup("{0} in {1}", "\(Figure.grouped(line.rejected))", "<bdi>\(line.id)</bdi>")
        }
        let limit = HTMLLedger.namedStages
        let shown = parts.prefix(limit).joined(separator: ", ")
        let rest: HTML = "\(words.count(parts.count - limit, "other stage"))"
        let places = parts.count > limit ? words.markup("{0}, and more in {1}", shown, rest) : shown
        let count: HTML = "<em>\(words("{0} rejected", Figure.grouped(all)))</em>"
        return words.markup("{0} within limits ({1})", count, places)
    }

    private var folded: HTML {
        "<details><summary id=\"ledger-t\">\(words("The ledger as a table"))</summary>\n\(table)</details>\n"
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
            "<th scope=\"col\" class=\"num\">\(words(name))</th>"
        }
        let box = HTMLTableBox(columns: heads.count + 1, rows: nil, label: "ledger-t")
        return """
            \(box.opening)<thead><tr><th scope="col">\(words("Stage"))</th>\
            \(heads.joined())</tr></thead>
            <tbody>
            \(rows)</tbody>\(box.closing)
            """
    }

    /// A count, with its parts by name below.
    private func cell(_ count: Int, _ parts: [String: Int], style: String = "") -> HTML {
        let names = parts.keys.sorted().map { name -> HTML in
            "<span class=\"words\">\(words(name)) \(Figure.grouped(parts[name]!))</span>"
        }
        let styles = ["num", count == 0 ? "zero" : style].filter { !$0.isEmpty }.joined(separator: " ")
        return "<td class=\"\(styles)\">\(Figure.grouped(count))\(names.joined())</td>"
    }
}

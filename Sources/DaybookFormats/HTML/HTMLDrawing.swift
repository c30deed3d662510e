/// The parts that drawings by month have in common, whether their figures add up or not.
enum HTMLDrawing {
    static func framed(_ drawing: HTML, by label: String, lang: String) -> HTML {
        "<div class=\"frame\" lang=\"\(lang)\" tabindex=\"0\" role=\"region\" aria-labelledby=\"\(label)\">\n\(drawing)</div>\n"
    }

    static func facts(_ facts: [(String, HTML)]) -> HTML {
        let items = facts.map { fact -> HTML in "<div><dt>\(fact.0)</dt><dd>\(fact.1)</dd></div>" }.joined(
            separator: "\n"
        )
        return "<dl class=\"facts\">\n\(items)\n</dl>\n"
    }

    static func note(_ sentences: [HTML]) -> HTML {
        sentences.isEmpty ? "" : "<p class=\"note\">\(sentences.joined(separator: " "))</p>\n"
    }

    /// What no drawing shows, by name and number.
    static func gaps(in table: MonthTable, _ sums: MonthSums) -> [HTML] {
        var notes: [HTML] = []
        if table.hasBreaks { notes.append("Months without rows are left out.") }
        if sums.earlierRows > 0 {
            let count = Figure.counted(sums.earlierRows, "row")
            notes.append("Only the latest \(MonthSums.monthLimit) months are drawn; \(count) before them are not.")
        }
        if table.leftOut > 0 {
            let count = Figure.counted(table.leftOut, "month")
            notes.append("Not drawn: \(count) with several rows, whose figures may be no sums and so are not added.")
        }
        if sums.unreadableRows > 0 {
            let count = Figure.counted(sums.unreadableRows, "row")
            notes.append("Not drawn: \(count) whose month is not written as 2026-03.")
        }
        if sums.endlessValues > 0 {
            notes.append("Not drawn: \(Figure.counted(sums.endlessValues, "value")) that is no number up to 1e300.")
        }
        return notes
    }

    /// The same figures as a table, months down and series across, with totals where they add up.
    static func figures(of table: MonthTable, id: String, lang: String, addsUp: Bool) -> HTML {
        let heads = (table.series.map(\.name) + (addsUp ? ["total"] : [])).map { name -> HTML in
            "<th scope=\"col\" class=\"num\">\(name)</th>"
        }
        let rows = table.months.indices.map { month -> HTML in
            let values = table.series.map { $0.values[month] } + (addsUp ? [table.sum(of: month)] : [])
            let cells = values.map { value -> HTML in
                value.map { "<td class=\"num\">\(Figure.full($0))</td>" }
                    ?? "<td class=\"num gap\"><span>missing</span></td>"
            }
            return "<tr><th scope=\"row\">\(MonthTable.text(table.months[month]))</th>\(cells.joined())</tr>\n"
        }
        let box = HTMLTableBox(columns: heads.count + 1, rows: rows.count, lang: lang, label: "\(id)-f")
        return """
            <details><summary id="\(id)-f">The figures behind the drawings</summary>
            \(box.opening)<thead><tr><th scope="col">month</th>\(heads.joined())</tr></thead>
            <tbody>
            \(rows.joined())</tbody>\(box.closing)</details>

            """
    }
}

extension String {
    /// With a capital at its beginning, for a heading.
    var firstRaised: String { prefix(1).uppercased() + dropFirst() }
}

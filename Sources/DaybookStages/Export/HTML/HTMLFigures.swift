import DaybookCore

/// The drawings of one section: facts in words, stacked bars, a heat map, and the figures behind both.
struct HTMLFigures {
    let id: String
    let table: MonthTable
    let sums: MonthSums
    /// What is counted, and by what: `count` and `emotion`, or nil where the columns are the series.
    let valueName: String
    let seriesName: String?
    /// The `lang` attribute of words that come from the rows.
    let lang: String

    private var bars: MonthTable { table.condensed(to: BarChart.seriesLimit) }

    var markup: String {
        let bars = bars
        let ticks = BarChart.scale(of: bars).ticks.map(Figure.compact)
        let frame = ChartFrame(months: table.months, texts: ticks + table.series.map(\.name))
        let map = HeatMap(table, frame: frame)
        let subject = "\(valueName.first?.uppercased() ?? "")\(valueName.dropFirst())"
        let barsTitle = "\(subject) by month" + (seriesName.map { ", stacked by \($0)" } ?? "")
        let mapTitle = "\(subject) by \(seriesName ?? "column") and month"
        return """
            \(facts)<div\(frame.outerWidth <= ChartFrame.width / 2 - 16 ? " class=\"pair\"" : "")>
            <figure>
            <h3 id="\(id)-b">\(HTMLText.escaped(barsTitle))</h3>
            \(framed(BarChart(bars, frame: frame)
                .markup(id: "\(id)-bars", title: barsTitle, description: spokenBars), by: "\(id)-b"))\
            \(legend(bars))</figure>
            <figure>
            <h3 id="\(id)-m">\(HTMLText.escaped(mapTitle))</h3>
            \(framed(map.markup(id: "\(id)-map", title: mapTitle, description: spokenMap(map)), by: "\(id)-m"))\
            \(ramp(map))</figure>
            </div>
            \(notes)\(figures)
            """
    }

    private func framed(_ drawing: String, by label: String) -> String {
        "<div class=\"frame\" lang=\"\(lang)\" tabindex=\"0\" role=\"region\" aria-labelledby=\"\(label)\">\n\(drawing)</div>\n"
    }

    // MARK: Words

    private var span: String {
        let (first, last) = (MonthTable.text(table.months[0]), MonthTable.text(table.months[table.months.count - 1]))
        return first == last ? first : "\(first) to \(last)"
    }

    /// The month with the largest sum; the earliest of several.
    private var highest: (month: String, sum: Double)? {
        let sums = table.months.indices.compactMap { index in table.sum(of: index).map { (index, $0) } }
        return sums.max { $0.1 < $1.1 || ($0.1 == $1.1 && $0.0 > $1.0) }.map {
            (MonthTable.text(table.months[$0.0]), $0.1)
        }
    }

    /// The series with the largest total; the first of several.
    private var largest: MonthTable.Series? {
        named.reversed().max { $0.total < $1.total || $0.total == $1.total }
    }

    private var named: ArraySlice<MonthTable.Series> { table.hasOthers ? table.series.dropLast() : table.series[...] }

    private var facts: String {
        var facts = [("Months", "\(Figure.grouped(table.months.count)) <span class=\"soft\">(\(span))</span>")]
        facts.append(("Total", Figure.spoken(table.total)))
        if let highest, highest.sum != 0, table.months.count > 1 {
            facts.append(
                ("Highest month", "\(highest.month) <span class=\"soft\">(\(Figure.spoken(highest.sum)))</span>")
            )
        }
        if let largest, table.series.count > 1, largest.total > 0 {
            let isShare = table.series.allSatisfy { $0.total >= 0 } && table.total > 0
            let share = isShare ? ", \(Figure.percent(largest.total / table.total))" : ""
            facts.append(
                (
                    "Largest",
                    "<bdi lang=\"\(lang)\">\(HTMLText.escaped(largest.name))</bdi> "
                        + "<span class=\"soft\">(\(Figure.spoken(largest.total))\(share))</span>"
                )
            )
        }
        let items = facts.map { "<div><dt>\($0.0)</dt><dd>\($0.1)</dd></div>" }.joined(separator: "\n")
        return "<dl class=\"facts\">\n\(items)\n</dl>\n"
    }

    private var totals: String {
        table.series.map { "\($0.name) \(Figure.spoken($0.total))" }.joined(separator: ", ")
    }

    private var spokenBars: String {
        let top = highest.map { " The highest month is \($0.month) with \(Figure.spoken($0.sum))." } ?? ""
        let count = Figure.counted(table.months.count, "month")
        return
            "Stacked bars for \(count), \(span). The total is \(Figure.spoken(table.total)).\(top) Totals: \(totals)."
    }

    private func spokenMap(_ map: HeatMap) -> String {
        """
        A grid of \(Figure.counted(table.series.count, "row")) and \(Figure.counted(table.months.count, "month")), \
        \(span). The largest value is \(Figure.spoken(map.high)), the smallest \
        \(Figure.spoken(table.series.flatMap { $0.values.compactMap { $0 } }.min() ?? 0)). Totals: \(totals).
        """
    }

    /// What the drawings leave out or draw together, by name and number.
    private var notes: String {
        var notes: [String] = []
        let limit = MonthSums.seriesLimit
        if bars.hasOthers {
            notes.append("The bars show the \(BarChart.seriesLimit) largest; the rest is drawn as others.")
        }
        if sums.hasOthers { notes.append("Only the first \(limit) names are kept apart; the rest is others.") }
        if table.hasBreaks { notes.append("Months without rows are left out.") }
        if sums.earlierRows > 0 {
            let count = Figure.counted(sums.earlierRows, "row")
            notes.append("Only the latest \(MonthSums.monthLimit) months are drawn; \(count) before them are not.")
        }
        if sums.unreadableRows > 0 {
            let count = Figure.counted(sums.unreadableRows, "row")
            notes.append("Not drawn: \(count) whose month is not written as 2026-03.")
        }
        if sums.endlessValues > 0 {
            notes.append("Not drawn: \(Figure.counted(sums.endlessValues, "value")) that is no number up to 1e300.")
        }
        return notes.isEmpty ? "" : "<p class=\"note\">\(notes.joined(separator: " "))</p>\n"
    }

    // MARK: Parts

    private func legend(_ bars: MonthTable) -> String {
        let items = bars.series.enumerated().map { index, series in
            let style = HTMLPalette.style(ofSeries: index, in: bars)
            let name = HTMLText.escaped(series.name)
            return "<li><i class=\"key \(style)\"></i><bdi>\(name)</bdi> <b>\(Figure.spoken(series.total))</b></li>"
        }
        return "<ul class=\"legend\" lang=\"\(lang)\">\n\(items.joined(separator: "\n"))\n</ul>\n"
    }

    private func ramp(_ map: HeatMap) -> String {
        var shades = ["h0"]
        if map.high > 0 { shades += (1...HTMLPalette.shades).map { "h\($0)" } }
        if map.low < 0 { shades = (1...HTMLPalette.shades).reversed().map { "n\($0)" } + shades }
        guard shades.count > 1 else { return "" }
        let boxes = shades.map { "<i class=\"\($0)\"></i>" }.joined()
        let hasGaps = table.series.contains { $0.values.contains(nil) }
        let gaps = hasGaps ? " <span class=\"none\"><i></i> no value</span>" : ""
        return """
            <p class="ramp">\(Figure.spoken(map.low)) <span aria-hidden="true">\(boxes)</span> \
            \(Figure.spoken(map.high))\(gaps)</p>

            """
    }

    /// The same figures as a table, months down and series across.
    private var figures: String {
        let heads = (table.series.map(\.name) + ["total"]).map {
            "<th scope=\"col\" class=\"num\">\(HTMLText.escaped($0))</th>"
        }
        let rows = table.months.indices.map { month in
            let values = table.series.map { $0.values[month] } + [table.sum(of: month)]
            let cells = values.map { value in
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

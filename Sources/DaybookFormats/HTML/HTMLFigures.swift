/// The drawings of figures that add up: facts in words, stacked bars, a heat map, and the figures behind both.
struct HTMLFigures {
    let id: String
    let table: MonthTable
    let sums: MonthSums
    /// What is counted, and by what: `count` and `emotion`.
    let valueName: String
    let seriesName: String
    /// The `lang` attribute of words that come from the rows.
    let lang: String

    private var bars: MonthTable { table.condensed(to: BarChart.seriesLimit) }

    var markup: HTML {
        let bars = bars
        let ticks = BarChart.scale(of: bars).ticks.map(Figure.compact)
        let frame = ChartFrame(months: table.months, texts: ticks + table.series.map(\.name))
        let map = HeatMap(table, frame: frame)
        let subject = valueName.firstRaised
        let barsTitle = "\(subject) by month, stacked by \(seriesName)"
        let mapTitle = "\(subject) by \(seriesName) and month"
        let chart = BarChart(bars, frame: frame).markup(id: "\(id)-bars", title: barsTitle, description: spokenBars)
        let grid = map.markup(id: "\(id)-map", title: mapTitle, description: spokenMap(map))
        return """
            \(facts)<div\(" class=\"pair\"", if: frame.outerWidth <= ChartFrame.width / 2 - 16)>
            <figure>
            <h3 id="\(id)-b">\(barsTitle)</h3>
            \(HTMLDrawing.framed(chart, by: "\(id)-b", lang: lang))\(legend(bars))</figure>
            <figure>
            <h3 id="\(id)-m">\(mapTitle)</h3>
            \(HTMLDrawing.framed(grid, by: "\(id)-m", lang: lang))\(ramp(map))</figure>
            </div>
            \(notes)\(HTMLDrawing.figures(of: table, id: id, lang: lang, addsUp: true))
            """
    }

    // MARK: Words

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

    private var facts: HTML {
        var facts: [(String, HTML)] = [
            ("Months", "\(Figure.grouped(table.months.count)) <span class=\"soft\">(\(table.span))</span>")
        ]
        facts.append(("Total", "\(Figure.spoken(table.total))"))
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
                    """
                    <bdi lang="\(lang)">\(largest.name)</bdi> \
                    <span class="soft">(\(Figure.spoken(largest.total))\(share))</span>
                    """
                )
            )
        }
        return HTMLDrawing.facts(facts)
    }

    private var totals: String {
        table.series.map { "\($0.name) \(Figure.spoken($0.total))" }.joined(separator: ", ")
    }

    private var spokenBars: String {
        let top = highest.map { " The highest month is \($0.month) with \(Figure.spoken($0.sum))." } ?? ""
        let count = Figure.counted(table.months.count, "month")
        return
            "Stacked bars for \(count), \(table.span). The total is \(Figure.spoken(table.total)).\(top) Totals: \(totals)."
    }

    private func spokenMap(_ map: HeatMap) -> String {
        """
        A grid of \(Figure.counted(table.series.count, "row")) and \(Figure.counted(table.months.count, "month")), \
        \(table.span). The largest value is \(Figure.spoken(map.high)), the smallest \
        \(Figure.spoken(table.series.flatMap { $0.values.compactMap { $0 } }.min() ?? 0)). Totals: \(totals).
        """
    }

    /// What the drawings leave out or draw together, by name and number.
    private var notes: HTML {
        var notes: [HTML] = []
        let limit = MonthSums.seriesLimit
        if bars.hasOthers {
            notes.append("The bars show the \(BarChart.seriesLimit) largest; the rest is drawn as others.")
        }
        if sums.hasOthers { notes.append("Only the first \(limit) names are kept apart; the rest is others.") }
        return HTMLDrawing.note(notes + HTMLDrawing.gaps(in: table, sums))
    }

    // MARK: Parts

    private func legend(_ bars: MonthTable) -> HTML {
        let items = bars.series.enumerated().map { index, series -> HTML in
            let style = HTMLPalette.style(ofSeries: index, in: bars)
            return
                "<li><i class=\"key \(style)\"></i><bdi>\(series.name)</bdi> <b>\(Figure.spoken(series.total))</b></li>"
        }
        return "<ul class=\"legend\" lang=\"\(lang)\">\n\(items.joined(separator: "\n"))\n</ul>\n"
    }

    private func ramp(_ map: HeatMap) -> HTML {
        var shades = ["h0"]
        if map.high > 0 { shades += (1...HTMLPalette.shades).map { "h\($0)" } }
        if map.low < 0 { shades = (1...HTMLPalette.shades).reversed().map { "n\($0)" } + shades }
        guard shades.count > 1 else { return "" }
        let boxes = shades.map { shade -> HTML in "<i class=\"\(shade)\"></i>" }.joined()
        let hasGaps = table.series.contains { $0.values.contains(nil) }
        let gaps: HTML = hasGaps ? " <span class=\"none\"><i></i> no value</span>" : ""
        return """
            <p class="ramp">\(Figure.spoken(map.low)) <span aria-hidden="true">\(boxes)</span> \
            \(Figure.spoken(map.high))\(gaps)</p>

            """
    }
}

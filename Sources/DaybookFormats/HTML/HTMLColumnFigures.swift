/// The drawings of columns by month, each by itself on a scale of its own.
///
/// Nothing tells counts from sums, means or medians, and one column may hold euros where another holds orders. So no figure is
/// made of two columns: no total, no share, no stack, and no shade that stands for the values of both.
struct HTMLColumnFigures {
    let id: String
    let table: MonthTable
    let sums: MonthSums
    /// How many columns of numbers there are, drawn or not.
    let columnCount: Int
    /// The `lang` attribute of words that come from the rows.
    let lang: String

    /// The series that have a value at all.
    private var drawn: [Int] {
        table.series.indices.filter { table.series[$0].values.contains { $0 != nil } }
    }

    var markup: HTML {
        let drawn = drawn
        guard !drawn.isEmpty else { return HTMLDrawing.note(notes(drawn)) }
        let ticks = drawn.flatMap { BarChart.scale(of: table.alone($0)).ticks.map(Figure.compact) }
        let frame = ChartFrame(months: table.months, texts: ticks)
        let isNarrow = frame.outerWidth <= ChartFrame.width / 2 - 16
        let months: HTML = "\(Figure.grouped(table.months.count)) <span class=\"soft\">(\(table.span))</span>"
        return """
            \(HTMLDrawing.facts([("Months", months)]))<div\(" class=\"pair\"", if: isNarrow && drawn.count > 1)>
            \(drawn.map { figure($0, frame) }.joined())</div>
            \(HTMLDrawing.note(notes(drawn)))\(HTMLDrawing.figures(of: table, id: id, lang: lang, addsUp: false))
            """
    }

    private func figure(_ index: Int, _ frame: ChartFrame) -> HTML {
        let title = "\(table.series[index].name.firstRaised) by month"
        let words = extremes(of: table.series[index])
        let description = "Bars for \(Figure.counted(table.months.count, "month")), \(table.span). \(words)"
        let chart = BarChart(table.alone(index), frame: frame)
            .markup(id: "\(id)-bars\(index + 1)", title: title, description: description)
        return """
            <figure>
            <h3 id="\(id)-b\(index + 1)" lang="\(lang)">\(title)</h3>
            \(HTMLDrawing.framed(chart, by: "\(id)-b\(index + 1)", lang: lang))\
            <p class="note">\(words)</p>
            </figure>

            """
    }

    /// Where a column is highest and lowest; of several months the earliest.
    private func extremes(of series: MonthTable.Series) -> String {
        let values = series.values.enumerated().compactMap { month, value in value.map { (month, $0) } }
        guard let first = values.first else { return "" }
        let highest = values.reduce(first) { $1.1 > $0.1 ? $1 : $0 }
        let lowest = values.reduce(first) { $1.1 < $0.1 ? $1 : $0 }
        func spoken(_ value: (Int, Double)) -> String {
            "\(MonthTable.text(table.months[value.0])) with \(Figure.spoken(value.1))"
        }
        if values.count == 1 { return "\(Figure.spoken(first.1)) in \(MonthTable.text(table.months[first.0]))." }
        if highest.0 == lowest.0 { return "\(Figure.spoken(first.1)) in every month that has a value." }
        return "Highest in \(spoken(highest)), lowest in \(spoken(lowest))."
    }

    /// What is not drawn, by name and number.
    private func notes(_ drawn: [Int]) -> [HTML] {
        var notes: [HTML] = []
        if columnCount > table.series.count {
            notes.append("Only the first \(table.series.count) of \(Figure.counted(columnCount, "column")) are drawn.")
        }
        let empty = table.series.count - drawn.count
        if empty > 0, !drawn.isEmpty { notes.append("Not drawn: \(Figure.counted(empty, "column")) without a value.") }
        return notes + HTMLDrawing.gaps(in: table, sums)
    }
}

/// A drawing on a page: its heading, a sentence, the drawing in two sizes, its key, and the figures behind it.
struct ChartFigure {
    /// Places of the figures behind a drawing that a page shows.
    private static let figureRows = 400

    let id: String
    let heading: String
    let spec: ChartSpec
    /// The `lang` attribute of words that come from the rows.
    private var lang: String { spec.signs.language }
    private var words: PageWords { spec.words }

    func markup(of points: ChartPoints, _ colours: inout ChartColours) -> HTML {
        let table: ChartTable
        do throws(ChartTable.NothingToDraw) { table = try ChartTable(points, spec) } catch {
            let text = words("Nothing to draw: no row has {0} and a value that can be drawn.", spec.x.name)
            return HTMLDrawing.note([text] + error.notes)
        }
        // Columns with their own drawings need no colours.
        let column = spec.by?.name ?? (spec.values.count == 1 ? nil : "\u{1}")
        let styles =
            spec.by == nil && (table.series.count == 1 || spec.isSplit)
            ? table.series.map { _ in SeriesStyle(name: "s1", colour: nil) }
            : colours.styles(of: table.series, in: column)
        let drawing = spec.isSplit && table.series.count > 1 ? split(table, styles) : whole(table, styles)
        return sentence(table) + drawing + HTMLDrawing.note(table.notes) + figures(of: table)
    }

    func markup(of points: ScatterPoints, _ colours: inout ChartColours) -> HTML {
        guard !points.points.isEmpty else {
            let text = words("Nothing to draw: no row has both {0} and {1}.", spec.x.name, spec.values[0].name)
            return HTMLDrawing.note([text])
        }
        let counts = Dictionary(grouping: points.points, by: \.series).mapValues(\.count)
        let order = points.series.indices.sorted { (counts[$0] ?? 0, $1) > (counts[$1] ?? 0, $0) }
        let drawn = Array(order.prefix(spec.mostSeries))
        let series = drawn.map {
            ChartTable.Series(name: ChartPoints.shown(points.series[$0], words), values: [], colour: points.colours[$0])
        }
        let styles =
            spec.by == nil ? [SeriesStyle(name: "s1", colour: nil)] : colours.styles(of: series, in: spec.by?.name)
        let chart = ScatterChart(points: points, spec: spec, styles: styles, drawn: drawn)
        let largest = "The {0} largest of {1} are drawn; the others are not."
        let unplaced = words.count(points.unplacedRows, "row")
        let notes = [
            (
                points.step > 1,
                words("Every {0}th of {1} is drawn.", "\(points.step)", words.count(points.count, "point"))
            ),
            (order.count > drawn.count, words(largest, "\(drawn.count)", "\(order.count)")),
            (points.unplacedRows > 0, words("Not drawn: {0} without one of the numbers.", unplaced)),
        ]
        let text = words("{0}: {1} by {2}.", words.count(points.count, "point"), spec.values[0].title, spec.x.title)
        return figure(key: spec.by == nil ? "" : key(series, styles)) { size, id in
            chart.markup(size, id: id, title: heading, description: text)
        } + HTMLDrawing.note(notes.filter(\.0).map(\.1))
    }

    // MARK: Drawings

    private func whole(_ table: ChartTable, _ styles: [SeriesStyle]) -> HTML {
        let text = description(table)
        let chart: any Chart =
            switch spec.kind {
            case .heat: HeatChart(table, spec)
            case .bars where table.axis.kind == .names: RowBars(table: table, spec: spec, styles: styles)
            default: PlotChart(table, spec, styles)
            }
        let key =
            (chart as? HeatChart)?.ramp
            ?? (spec.kind == .bars && table.series.count > 1 ? key(table.series, styles) : "")
        return figure(key: key) { chart.markup($0, id: $1, title: heading, description: text) }
            + HTMLDrawing.note(chart.notes)
    }

    /// A drawing for each series. The series of one column share a scale; each of several columns has its own.
    private func split(_ table: ChartTable, _ styles: [SeriesStyle]) -> HTML {
        let shared = spec.by == nil ? nil : PlotChart.scale(of: table, spec)
        let parts = table.series.indices.map { index -> HTML in
            let one = ChartTable(table, series: index)
            let chart = PlotChart(one, spec, [styles[index]], scale: shared)
            let title = spec.by == nil ? HTMLSection.heading(ofID: one.series[0].name) : one.series[0].name
            return """
                <figure>
                <h3 lang="\(lang)">\(title)</h3>
                \(drawings("\(id)-\(index + 1)", .half) { chart.markup($0, id: $1, title: title, description: description(one)) })</figure>

                """
        }
        return "<div class=\"multiples\">\n\(parts.joined())</div>\n"
    }

    private func figure(key: HTML, _ draw: (PlotFrame.Size, String) -> HTML) -> HTML {
        "<figure lang=\"\(lang)\">\n\(spec.kind == .heat ? "" : key)\(drawings(id, .wide, draw))\(spec.kind == .heat ? key : "")</figure>\n"
    }

    /// The drawing across the page and on a phone; the style sheet shows one of them.
    private func drawings(_ id: String, _ size: PlotFrame.Size, _ draw: (PlotFrame.Size, String) -> HTML) -> HTML {
        """
        <div class="roomy">\(draw(size, "\(id)-w"))</div>
        <div class="tight">\(draw(.narrow, "\(id)-n"))</div>

        """
    }

    private func key(_ series: [ChartTable.Series], _ styles: [SeriesStyle]) -> HTML {
        let items = zip(series, styles).map { series, style -> HTML in
            "<li><i\(style.attributes("key"))></i><bdi>\(series.name)</bdi></li>"
        }
        let title: HTML = spec.by.map { "<li class=\"soft\">\($0.title)</li>" } ?? ""
        return "<ul class=\"legend\">\(title)\(items.joined())</ul>\n"
    }

    // MARK: Words

    /// The places of the largest and the smallest value, or of the largest sum if there are sums.
    private func extremes(_ table: ChartTable) -> String {
        let isSummed = spec.hasTotals
        guard isSummed || table.series.count == 1 else { return "" }
        let values = (0..<table.axis.count).compactMap { place in
            (isSummed ? table.sum(of: place) : table.series[0].values[place]).map { (place, $0) }
        }
        guard let first = values.first else { return "" }
        func displayText(_ value: (Int, Double)) -> String {
            words("{0} with {1}", table.axis.text(value.0), spec.text(of: value.1))
        }
        if values.count == 1 {
            // The total says the same of the only place.
            if isSummed, table.axis.count == 1 { return "" }
            return " \(displayText(first).prefix(1).uppercased() + displayText(first).dropFirst())."
        }
        // Of several the earliest.
        let highest = values.reduce(first) { $1.1 > $0.1 ? $1 : $0 }
        let lowest = values.reduce(first) { $1.1 < $0.1 ? $1 : $0 }
        if highest.1 == lowest.1 { return " " + words("{0} everywhere.", spec.text(of: first.1)) }
        return isSummed
            ? " " + words("Highest: {0}.", displayText(highest))
            : " " + words("Highest: {0}; lowest: {1}.", displayText(highest), displayText(lowest))
    }

    private func description(_ table: ChartTable) -> String {
        let kind =
            switch spec.kind {
            case .line: "Lines"
            case .bars: "Bars"
            case .stacked: "Stacked bars"
            default: "A grid"
            }
        let names = table.series.prefix(12).map(\.name).joined(separator: ", ")
        let (counted, span) = (table.axis.counted(spec.x.name, words), table.axis.span(words))
        return words("{0} of {1}, {2}, for {3}.", words(kind), counted, span, names) + extremes(table) + total(table)
    }

    /// The total, if there are sums.
    private func total(_ table: ChartTable) -> String {
        spec.hasTotals ? " " + words("In all {0}.", spec.text(of: table.total)) : ""
    }

    private func sentence(_ table: ChartTable) -> HTML {
        let isOver = !(spec.hatches && table.axis.unfinished(on: spec.asOf) != nil)
        let open = isOver ? "" : " " + words("Hatched: not over yet, up to {0}.", "\(spec.asOf)")
        let places = words("{0}, {1}.", table.axis.counted(spec.x.name, words), table.axis.span(words))
        return "<p class=\"soft\">\(places + extremes(table) + total(table) + open)</p>\n"
    }

    // MARK: Figures

    /// The same figures as a table, places down and series across.
    private func figures(of table: ChartTable) -> HTML {
        let hasTotal = spec.hasTotals && table.series.count > 1
        let heads = (table.series.map(\.name) + (hasTotal ? [words("Total")] : [])).map { name -> HTML in
            "<th scope=\"col\" class=\"num\">\(name)</th>"
        }
        let shown = min(table.axis.count, ChartFigure.figureRows)
        let rows = (0..<shown).map { place -> HTML in
            let values = table.series.map { $0.values[place] } + (hasTotal ? [table.sum(of: place)] : [])
            let cells = values.map { value -> HTML in
                value.map { "<td class=\"num\">\(figure($0))</td>" }
                    ?? "<td class=\"num gap\"><span>\(words("missing"))</span></td>"
            }
            return "<tr><th scope=\"row\">\(table.axis.text(place))</th>\(cells.joined())</tr>\n"
        }
        let isCut = shown < table.axis.count
        var box = HTMLTableBox(columns: heads.count + 1, rows: rows.count, isCut: isCut, lang: lang, label: "\(id)-f")
        box.words = words
        return """
            <details><summary id="\(id)-f">\(words("The figures behind the drawing"))</summary>
            \(box.markup(["<th scope=\"col\">\(spec.x.title)</th>"] + heads, rows.joined()))</details>

            """
    }

    private func figure(_ value: Double) -> String {
        spec.format?.text(of: value, spec.signs) ?? spec.signs.localised(Figure.full(value))
    }
}

/// A drawing of a table.
protocol Chart {
    /// What is drawn otherwise than the table has it.
    var notes: [String] { get }

    func markup(_ size: PlotFrame.Size, id: String, title: String, description: String) -> HTML
}

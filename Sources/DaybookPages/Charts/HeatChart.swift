import Foundation

/// A cell for each series and place, the darker the further from 0 (in the dark, the lighter).
struct HeatChart: Chart {
    private static let rowHeight = 26.0

    let table: ChartTable
    let spec: ChartSpec
    let notes: [String] = []
    /// The values of the strongest shades: the largest above 0 and the lowest below 0, unless the section names others.
    let high: Double
    let low: Double
    /// The value without a shade: 0, or the lowest one where that is above 0.
    let middle: Double

    init(_ table: ChartTable, _ spec: ChartSpec) {
        (self.table, self.spec) = (table, spec)
        let least = spec.isLogarithmic ? table.values.filter { $0 > 0 }.min() ?? 1 : min(table.values.min() ?? 0, 0)
        low = spec.least ?? least
        middle = max(low, 0)
        high = max(spec.most ?? table.values.max() ?? 0, middle)
    }

    /// The shade of a value: `h0` for the middle, `h1` to `h7` above it, `n1` to `n7` below it.
    func shade(of value: Double) -> String {
        if value == middle || value < middle && low == middle { return "h0" }
        let isAbove = value > middle
        let share =
            switch isAbove {
            case true where spec.isLogarithmic: (log(value) - log(middle)) / (log(high) - log(middle))
            case true: (value - middle) / (high - middle)
            case false: value / low
            }
        let shade = min(HTMLPalette.shades, 1 + Int(min(max(share, 0), 1) * Double(HTMLPalette.shades)))
        return isAbove ? "h\(shade)" : "n\(shade)"
    }

    /// The texts of the cells, or nil if one of them does not fit.
    func cellTexts(slot: Double) -> [[String?]]? {
        let texts = table.series.map { $0.values.map { $0.map { spec.signs.compact($0, as: spec.format) } } }
        let widest = texts.lazy.joined().compactMap { $0.map(Drawing.width(of:)) }.max() ?? 0
        return widest + 6 <= slot ? texts : nil
    }

    func markup(_ size: PlotFrame.Size, id: String, title: String, description: String) -> HTML {
        let plotHeight = HeatChart.rowHeight * Double(table.series.count)
        let frame = PlotFrame(size, texts: table.series.map(\.name), top: 20, plotHeight: plotHeight)
        var drawing = Drawing(width: size.width, height: 0)
        if let by = spec.by { drawing.text(Drawing.fitted(by.title, to: size.width - 8), x: 0, y: 12, style: "soft") }
        let slot = min(frame.width / Double(table.axis.count), 90)
        let texts = cellTexts(slot: slot)
        var shaded: [String: [Box]] = [:]
        var written: [(text: String, box: Box, shade: String)] = []
        for (row, series) in table.series.enumerated() {
            let y = frame.top + Double(row) * HeatChart.rowHeight
            let middle = y + HeatChart.rowHeight / 2 + 4
            drawing.text(frame.fittedLeft(series.name), x: frame.left - 8, y: middle, style: "end name")
            for (place, value) in series.values.enumerated() {
                let gap = slot >= 8 ? 2.0 : 0
                let x = frame.x(table.axis.position(place)) - slot / 2 + gap / 2
                let box = Box(x: x, y: y + 1, width: slot - gap, height: HeatChart.rowHeight - 2)
                let shade = value.map(shade) ?? "none"
                shaded[shade, default: []].append(box)
                if let text = texts?[row][place] { written.append((text, box, shade)) }
            }
        }
        for shade in shaded.keys.sorted() { drawing.boxes(shaded[shade]!, style: shade) }
        for (text, box, shade) in written {
            let (x, y) = (box.x + box.width / 2, box.y + box.height / 2 + 4)
            drawing.text(text, x: x, y: y, style: "mid on-\(shade)")
        }
        drawing.height = drawing.placeAxis(table.axis, frame, title: spec.x.title)
        drawing.tips(table.axis.count, in: frame) { place in
            let x = frame.x(table.axis.position(place)) - slot / 2
            let box = Box(x: x, y: frame.top, width: slot, height: frame.height)
            return (table.displayText(place, spec), box)
        }
        return drawing.markup(id: id, title: title, description: description, role: "group", style: "chart")
    }

    /// The shades from the lowest to the highest value.
    var ramp: HTML {
        var shades = ["h0"]
        if high > middle { shades += (1...HTMLPalette.shades).map { "h\($0)" } }
        if low < 0 { shades = (1...HTMLPalette.shades).reversed().map { "n\($0)" } + shades }
        guard shades.count > 1 else { return "" }
        let boxes = shades.map { shade -> HTML in "<i class=\"\(shade)\"></i>" }.joined()
        let hasGaps = table.series.contains { $0.values.contains(nil) }
        let gaps: HTML = hasGaps ? " <span class=\"none\"><i></i> \(spec.words("no value"))</span>" : ""
        // A shade at an end that the section names stands for all values beyond it.
        let (least, most) = (table.values.min() ?? low, table.values.max() ?? high)
        return """
            <p class="ramp">\(spec.valueTitle): \("≤ ", if: least < low)\(spec.text(of: low)) <span aria-hidden="true">\(boxes)</span> \
            \("≥ ", if: most > high)\(spec.text(of: high))\(gaps)</p>

            """
    }
}

/// Horizontal bars, a row for each name, with the value at their end.
struct RowBars: Chart {
    /// The limit of rows drawn; the others are in the figures behind the drawing.
    static let limit = 60
    private static let barHeight = 17.0

    let table: ChartTable
    let spec: ChartSpec
    let styles: [SeriesStyle]

    private var rows: Int { min(table.axis.count, RowBars.limit) }

    func markup(_ size: PlotFrame.Size, id: String, title: String, description: String) -> HTML {
        let parts = Double(table.series.count)
        let slot = RowBars.barHeight * parts + 11
        let values = table.series.flatMap { $0.values.prefix(rows).compactMap { $0 } }
        let isTight = (values.map { Drawing.width(of: spec.text(of: $0)) }.max() ?? 0) > size.width * 0.27
        // Where digits would take the space of the bars, they are in the figures behind the drawing.
        func text(_ value: Double) -> String {
            isTight ? spec.signs.compact(value, as: spec.format) : spec.text(of: value)
        }
        let widest = values.map { Drawing.width(of: text($0)) }.max() ?? 0
        let frame = PlotFrame(size, texts: (0..<rows).map(table.axis.text), top: 24, plotHeight: slot * Double(rows))
        var drawing = Drawing(width: size.width, height: frame.bottom + 6)
        drawing.text(Drawing.fitted(spec.valueTitle, to: size.width - 8), x: 0, y: 12, style: "soft")
        let (low, high) = (min(values.min() ?? 0, 0), max(values.max() ?? 0, 0))
        // Space for the values on both sides, if there are bars on both.
        let (start, end) = (frame.left + (low < 0 ? widest + 8 : 0), frame.right - widest - 8)
        let space = high > low ? max(end - start, 20) : 0
        func length(_ value: Double) -> Double { high > low ? value.magnitude / (high - low) * space : 0 }
        let zero = start + length(low)
        for row in 0..<rows {
            let top = frame.top + Double(row) * slot + 5.5
            let middle = top + (slot - 11) / 2 + 4
            drawing.text(frame.fittedLeft(table.axis.text(row)), x: frame.left - 8, y: middle, style: "end name")
            for (number, series) in table.series.enumerated() {
                guard let value = series.values[row] else { continue }
                let y = top + Double(number) * RowBars.barHeight
                let length = length(value)
                let start = value < 0 ? zero - length : zero
                let box = Box(x: start, y: y, width: length, height: RowBars.barHeight - 2)
                let own = table.series.count == 1 ? table.placeColours[row] : nil
                let style = own.map { SeriesStyle(name: "s0", colour: $0) } ?? styles[number]
                drawing.boxes([box], style.attributes("edge"))
                let x = value < 0 ? box.x - 5 : box.x + box.width + 5
                drawing.text(text(value), x: x, y: y + 12, style: value < 0 ? "end name" : "name")
            }
        }
        drawing.line(x1: zero, y1: frame.top, x2: zero, y2: frame.bottom, style: "axis")
        return drawing.markup(id: id, title: title, description: description, style: "chart")
    }

    var notes: [String] {
        guard table.axis.count > RowBars.limit else { return [] }
        let text = "The first {0} of {1} are drawn; the figures below have them all."
        return [spec.words(text, "\(RowBars.limit)", spec.words.grouped(table.axis.count))]
    }
}

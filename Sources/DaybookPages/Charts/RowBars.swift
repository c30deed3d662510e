/// Horizontal bars, a row for each name, with the value at their end.
struct RowBars {
    /// The limit of rows drawn; the others are in the figures behind the drawing.
    static let limit = 60
    private static let barHeight = 17.0

    let table: ChartTable
    let spec: ChartSpec
    let styles: [SeriesStyle]
    let signs: NumberSigns

    private var rows: Int { min(table.axis.count, RowBars.limit) }

    func markup(_ size: PlotFrame.Size, id: String, title: String, description: String) -> HTML {
        let parts = Double(table.series.count)
        let slot = RowBars.barHeight * parts + 11
        let values = table.series.flatMap { $0.values.prefix(rows).compactMap { $0 } }
        let isTight = (values.map { Drawing.width(of: spec.text(of: $0, signs)) }.max() ?? 0) > size.width * 0.27
        // Where digits would take the space of the bars, they are in the figures behind the drawing.
        func text(_ value: Double) -> String {
            isTight ? signs.compact(value, as: spec.format) : spec.text(of: value, signs)
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

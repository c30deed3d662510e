/// A cell for each series and month, the darker the further from 0 (in the dark, the lighter).
struct HeatMap {
    private static let rowHeight = 28.0
    private static let top = 4.0
    private static let tipLimit = 120

    let table: MonthTable
    let frame: ChartFrame
    /// The largest value above 0 and the one furthest below it.
    let high: Double
    let low: Double

    init(_ table: MonthTable, frame: ChartFrame) {
        self.table = table
        self.frame = frame
        let values = table.series.lazy.flatMap { $0.values.lazy.compactMap { $0 } }
        high = max(values.max() ?? 0, 0)
        low = min(values.min() ?? 0, 0)
    }

    /// The shade of a value: `h0` for 0, `h1` to `h7` above it, `n1` to `n7` below it.
    func shade(of value: Double) -> String {
        if value == 0 { return "h0" }
        let share = value > 0 ? value / high : value / low
        let shade = min(HTMLPalette.shades, 1 + Int(share * Double(HTMLPalette.shades)))
        return value > 0 ? "h\(shade)" : "n\(shade)"
    }

    /// The texts of the cells, or nil when they have no room in them.
    var cellTexts: [[String?]]? {
        let texts = table.series.map { $0.values.map { $0.map(Figure.compact) } }
        let widest = texts.lazy.joined().compactMap { $0?.count }.max() ?? 0
        return Double(widest) * 6.3 + 5 <= frame.slot ? texts : nil
    }

    func box(_ series: Int, _ month: Int) -> Box {
        let gap = frame.slot >= 8 ? 2.0 : 0
        return Box(
            x: frame.x(of: month) + gap / 2,
            y: HeatMap.top + Double(series) * HeatMap.rowHeight + 1,
            width: frame.slot - gap,
            height: HeatMap.rowHeight - 2
        )
    }

    func markup(id: String, title: String, description: String) -> HTML {
        let bottom = HeatMap.top + HeatMap.rowHeight * Double(table.series.count)
        var drawing = Drawing(width: frame.outerWidth, height: bottom + Drawing.axisHeight(frame))
        var shaded: [String: [Box]] = [:]
        var empty: [Box] = []
        for (row, series) in table.series.enumerated() {
            let middle = HeatMap.top + (Double(row) + 0.5) * HeatMap.rowHeight
            drawing.text(frame.fitted(series.name), x: frame.left - 10, y: middle + 4, style: "end name")
            for (month, value) in series.values.enumerated() {
                if let value {
                    shaded[shade(of: value), default: []].append(box(row, month))
                } else {
                    empty.append(box(row, month))
                }
            }
        }
        drawing.boxes(empty, style: "none")
        for shade in shaded.keys.sorted() { drawing.boxes(shaded[shade]!, style: shade) }
        if let texts = cellTexts { write(texts, in: &drawing) }
        drawing.months(of: frame, below: bottom)
        drawing.tips(of: table, frame, from: HeatMap.top, height: bottom - HeatMap.top, limit: HeatMap.tipLimit)
        return drawing.markup(id: id, title: title, description: description)
    }

    private func write(_ texts: [[String?]], in drawing: inout Drawing) {
        for (row, series) in table.series.enumerated() {
            for (month, value) in series.values.enumerated() {
                guard let value, let text = texts[row][month] else { continue }
                let box = box(row, month)
                drawing.text(
                    text,
                    x: box.x + box.width / 2,
                    y: box.y + box.height / 2 + 4,
                    style: "mid on-\(shade(of: value))"
                )
            }
        }
    }
}

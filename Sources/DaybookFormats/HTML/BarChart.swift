/// Stacked bars, one a month. What is above 0 stacks upwards, what is below 0 downwards.
struct BarChart {
    /// More series than there are colours are drawn as `others`.
    static let seriesLimit = HTMLPalette.seriesCount
    private static let plotTop = 12.0
    private static let plotHeight = 250.0
    /// Months up to which each bar tells its figures to a pointer.
    private static let tipLimit = 240

    let table: MonthTable
    let frame: ChartFrame
    let scale: ChartScale

    init(_ table: MonthTable, frame: ChartFrame) {
        self.table = table
        self.frame = frame
        scale = BarChart.scale(of: table)
    }

    static func scale(of table: MonthTable) -> ChartScale {
        var (low, high, isWhole) = (0.0, 0.0, true)
        for month in table.months.indices {
            var (below, above) = (0.0, 0.0)
            for case let value? in table.series.lazy.map(\.values[month]) {
                if value < 0 { below += value } else { above += value }
                if value != value.rounded() { isWhole = false }
            }
            low = min(low, below)
            high = max(high, above)
        }
        return ChartScale(low: low, high: high, whole: isWhole)
    }

    /// The boxes of each series, in the order of the months. Values of 0 and gaps have none.
    var boxes: [[Box]] {
        let slot = frame.slot
        let width = slot < 5 ? slot * 0.86 : min(slot * 0.74, 46)
        var result = table.series.map { _ in [Box]() }
        for month in table.months.indices {
            var (below, above) = (0.0, 0.0)
            for (index, series) in table.series.enumerated() {
                guard let value = series.values[month], value != 0 else { continue }
                let start = value < 0 ? below : above
                let end = start + value
                if value < 0 { below = end } else { above = end }
                let (one, two) = (y(of: start), y(of: end))
                let x = frame.x(of: month) + (slot - width) / 2
                result[index].append(Box(x: x, y: min(one, two), width: width, height: abs(two - one)))
            }
        }
        return result
    }

    func y(of value: Double) -> Double {
        BarChart.plotTop + BarChart.plotHeight * (1 - scale.position(of: value))
    }

    func markup(id: String, title: String, description: String) -> HTML {
        let bottom = BarChart.plotTop + BarChart.plotHeight
        var drawing = Drawing(width: frame.outerWidth, height: bottom + Drawing.axisHeight(frame))
        for tick in scale.ticks {
            let y = y(of: tick)
            drawing.line(x1: frame.left, y1: y, x2: frame.right, y2: y, style: tick == 0 ? "axis" : "grid")
            drawing.text(Figure.compact(tick), x: frame.left - 10, y: y + 4, style: "end")
        }
        let edge = frame.slot >= 8 ? " edge" : ""
        for (index, boxes) in boxes.enumerated() {
            drawing.boxes(boxes, style: HTMLPalette.style(ofSeries: index, in: table) + edge)
        }
        drawing.line(x1: frame.left, y1: y(of: 0), x2: frame.right, y2: y(of: 0), style: "axis")
        drawing.months(of: frame, below: bottom)
        drawing.tips(of: table, frame, from: BarChart.plotTop, height: BarChart.plotHeight, limit: BarChart.tipLimit)
        return drawing.markup(id: id, title: title, description: description)
    }
}

extension MonthTable {
    /// All figures of a month, one a line, as a pointer is told them. One figure is no total.
    package func spoken(_ month: Int) -> String {
        let isOne = series.count == 1
        var lines = series.compactMap { series in
            series.values[month].flatMap { $0 == 0 && !isOne ? nil : "\(series.name) \(Figure.spoken($0))" }
        }
        if let sum = sum(of: month) {
            if !isOne { lines.append("total \(Figure.spoken(sum))") }
        } else {
            lines.append("no figures")
        }
        return ([MonthTable.text(months[month])] + lines).joined(separator: "\n")
    }
}

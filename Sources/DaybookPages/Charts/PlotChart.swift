/// Lines, bars side by side and bars upon one another, over places from left to right.
struct PlotChart: Chart {
    let table: ChartTable
    let spec: ChartSpec
    let styles: [SeriesStyle]
    let scale: ChartScale

    /// - Parameter scale: the scale shared by several drawings; nil for its own.
    init(_ table: ChartTable, _ spec: ChartSpec, _ styles: [SeriesStyle], scale: ChartScale? = nil) {
        (self.table, self.spec, self.styles) = (table, spec, styles)
        self.scale = scale ?? PlotChart.scale(of: table, spec)
    }

    static func scale(of table: ChartTable, _ spec: ChartSpec) -> ChartScale {
        var (low, high) = (table.values.min() ?? 0, table.values.max() ?? 0)
        if spec.kind == .stacked {
            for place in 0..<table.axis.count {
                let values = table.series.compactMap { $0.values[place] }
                low = min(low, values.reduce(0) { $0 + min($1, 0) })
                high = max(high, values.reduce(0) { $0 + max($1, 0) })
            }
        }
        // Only lengths have to begin at 0.
        let fromZero = spec.kind != .line || ChartScale.isNearZero(low, high)
        return ChartScale(spec, of: table.values, reach: (low, high), fromZero: fromZero)
    }

    /// What is drawn at an end of the axis, by number.
    var notes: [String] {
        let beyond = table.values.count(where: scale.isBeyond)
        guard beyond > 0 else { return [] }
        return [spec.words("Drawn at the end of the axis: {0} beyond it.", spec.words.count(beyond, "value"))]
    }

    private var unfinished: Int? { spec.hatches ? table.axis.unfinished(on: spec.asOf) : nil }
    private var hasEnds: Bool { table.series.count > 1 && spec.kind != .bars }

    func markup(_ size: PlotFrame.Size, id: String, title: String, description: String) -> HTML {
        let ends = hasEnds ? table.series.map(\.name) : []
        let texts = spec.signs.texts(of: scale, as: spec.format)
        let heading = ends.isEmpty ? nil : spec.by?.title
        let frame = PlotFrame(size, texts: texts, ends: ends + [heading].compactMap(\.self))
        var drawing = Drawing(width: size.width, height: 0)
        drawing.valueAxis(scale, texts, frame, title: spec.valueTitle)
        if let heading {
            let space = size.width - frame.right - 6
            drawing.text(Drawing.fitted(heading, to: space), x: frame.right + 6, y: 12, style: "soft")
        }
        switch spec.kind {
        case .line: lines(frame, &drawing)
        case .stacked: stack(frame, id, &drawing)
        default: bars(frame, id, &drawing)
        }
        if !scale.isLogarithmic, scale.low < 0 || spec.kind != .line {
            let zero = frame.y(min(max(0, scale.low), scale.high), scale)
            drawing.line(x1: frame.left, y1: zero, x2: frame.right, y2: zero, style: "axis")
        }
        drawing.height = drawing.placeAxis(table.axis, frame, title: spec.x.title)
        tips(frame, &drawing)
        return drawing.markup(id: id, title: title, description: description, role: "group", style: "chart")
    }

    // MARK: Marks

    private func lines(_ frame: PlotFrame, _ drawing: inout Drawing) {
        let last = unfinished
        var ends: [(name: String, style: SeriesStyle, y: Double)] = []
        let isSparse = table.axis.count <= 40
        // The largest is drawn last, over the others.
        for (series, style) in zip(table.series, styles).reversed() {
            let points = series.values.enumerated().map { place, value -> (x: Double, y: Double)? in
                value.map { (frame.x(table.axis.position(place)), frame.y($0, scale)) }
            }
            let whole = points.enumerated().map { $0.offset == last ? nil : $0.element }
            drawing.line(through: table.axis.isScaled ? whole.filter { $0 != nil } : whole, style, "ln")
            if let last, last > 0, let end = points[last] {
                if let start = points[last - 1] { drawing.line(through: [start, end], style, "ln dash") }
                drawing.dot(end, 3.5, style, "open")
            }
            if isSparse {
                for (place, point) in points.enumerated() where place != last {
                    if let point { drawing.dot(point, 2.5, style, "edge") }
                }
            }
            if hasEnds, let end = points.last(where: { $0 != nil }), let end {
                ends.append((series.name, style, end.y))
            }
        }
        drawing.endLabels(ends, frame)
    }

    private func barWidth(_ frame: PlotFrame, of parts: Int) -> Double {
        let slot = frame.width / Double(table.axis.count)
        return slot < 5 ? slot * 0.86 : min(slot * 0.76, 46 * Double(parts))
    }

    private func bars(_ frame: PlotFrame, _ id: String, _ drawing: inout Drawing) {
        let all = barWidth(frame, of: table.series.count)
        let width = all / Double(table.series.count)
        var unfinishedBoxes: [Box] = []
        for (number, series) in table.series.enumerated() {
            var boxes: [(place: Int, box: Box)] = []
            for (place, value) in series.values.enumerated() {
                guard let value else { continue }
                let (zero, end) = (frame.y(0, scale), frame.y(value, scale))
                let x = frame.x(table.axis.position(place)) - all / 2 + Double(number) * width
                boxes.append((place, Box(x: x, y: min(zero, end), width: width, height: abs(end - zero))))
            }
            let own = table.series.count == 1 ? table.placeColours : []
            let plain = boxes.filter { !own.indices.contains($0.place) || own[$0.place] == nil }
            drawing.boxes(plain.map(\.box), styles[number].attributes(width >= 6 ? "edge" : ""))
            for (place, box) in boxes where own.indices.contains(place) {
                if let colour = own[place] {
                    drawing.boxes([box], SeriesStyle(name: "s0", colour: colour).attributes("edge"))
                }
            }
            unfinishedBoxes += boxes.filter { $0.place == unfinished }.map(\.box)
        }
        drawing.hatch(unfinishedBoxes, id: "\(id)-p")
    }

    private func stack(_ frame: PlotFrame, _ id: String, _ drawing: inout Drawing) {
        let width = barWidth(frame, of: 1)
        var boxes = table.series.map { _ in [Box]() }
        var unfinishedBoxes: [Box] = []
        var ends: [(name: String, style: SeriesStyle, y: Double)] = []
        for place in 0..<table.axis.count {
            var (below, above) = (0.0, 0.0)
            let isLast = place == table.axis.count - 1
            for (index, series) in table.series.enumerated() {
                let value = series.values[place] ?? 0
                let start = value < 0 ? below : above
                let end = start + value
                if value < 0 { below = end } else { above = end }
                let (one, two) = (frame.y(start, scale), frame.y(end, scale))
                if isLast { ends.append((series.name, styles[index], (one + two) / 2)) }
                guard value != 0 else { continue }
                let x = frame.x(table.axis.position(place)) - width / 2
                let box = Box(x: x, y: min(one, two), width: width, height: abs(two - one))
                boxes[index].append(box)
                if place == unfinished { unfinishedBoxes.append(box) }
            }
        }
        for (index, boxes) in boxes.enumerated() {
            drawing.boxes(boxes, styles[index].attributes(width >= 6 ? "edge" : ""))
        }
        drawing.hatch(unfinishedBoxes, id: "\(id)-p")
        if hasEnds { drawing.endLabels(ends, frame) }
    }

    // MARK: Words

    /// The tooltip of each place.
    private func tips(_ frame: PlotFrame, _ drawing: inout Drawing) {
        let places = table.axis.count
        let middles = (0..<places).map { frame.x(table.axis.position($0)) }
        drawing.tips(places, in: frame) { place in
            let start = place == 0 ? frame.left : (middles[place - 1] + middles[place]) / 2
            let end = place == places - 1 ? frame.right : (middles[place] + middles[place + 1]) / 2
            let box = Box(x: start, y: frame.top, width: max(end - start, 0.5), height: frame.height)
            return (table.displayText(place, spec, isUnfinished: place == unfinished), box)
        }
    }
}

extension ChartTable {
    /// All values of a place, one a line. One value is no total.
    func displayText(_ place: Int, _ spec: ChartSpec, isUnfinished: Bool = false) -> [String] {
        let isOne = series.count == 1
        var lines = series.compactMap { series in
            series.values[place].flatMap { value -> String? in
                if spec.hasTotals, value == 0, !isOne { return nil }
                return "\(series.name) \(spec.text(of: value))"
            }
        }
        if lines.isEmpty { lines.append(sum(of: place) == nil ? spec.words("no value") : spec.text(of: 0)) }
        if spec.hasTotals, !isOne, let sum = sum(of: place) {
            lines.append(spec.words("Total {0}", spec.text(of: sum)))
        }
        let name = axis.text(place)
        return [isUnfinished ? spec.words("{0}, to {1}", name, "\(spec.asOf)") : name] + lines
    }
}

extension Drawing {
    mutating func line(through points: [(x: Double, y: Double)?], _ style: SeriesStyle, _ classes: String) {
        guard let path = Drawing.path(through: points) else { return }
        add("<path\(style.attributes(classes)) d=\"\(path)\"/>\n")
    }

    mutating func dot(_ point: (x: Double, y: Double), _ radius: Double, _ style: SeriesStyle, _ classes: String) {
        add(
            "<circle\(style.attributes(classes)) cx=\"\(Figure.length(point.x))\" cy=\"\(Figure.length(point.y))\" r=\"\(Figure.length(radius))\"/>\n"
        )
    }
}

/// The distribution of values, as adjacent bars over an axis of days, months or numbers.
package struct SpreadChart {
    /// The axis below the bars, from the first to the last.
    package enum Axis: Sendable, Hashable {
        /// A day each, from this one on.
        case days(first: Int32)
        /// A month each, from this one on.
        case months(first: Int32)
        /// Steps of equal width between two numbers.
        case numbers(low: Double, high: Double)
    }

    private static let size = PlotFrame.Size.narrow
    private static let plotHeight = 110.0

    private let counts: [Int]
    private let axis: ChartAxis

    /// Nil without values.
    package init?(_ counts: [Int], over axis: Axis) {
        guard let most = counts.max(), most > 0 else { return nil }
        self.counts = counts
        self.axis =
            switch axis {
            case .days(let first): ChartAxis(.days, keys: counts.indices.map { Double(first) + Double($0) })
            case .months(let first): ChartAxis(.months, keys: counts.indices.map { Double(first) + Double($0) })
            case .numbers(let low, let high): ChartAxis(.numbers, keys: [low, high], isScaled: true)
            }
    }

    /// - Parameters:
    ///   - id: unique in the page.
    ///   - tips: the tooltip of each bar.
    package func markup(id: String, title: String, description: String, tips: [String]) -> HTML {
        let size = SpreadChart.size
        let scale = ChartScale(low: 0, high: Double(counts.max() ?? 1), whole: true, ticks: 3)
        let texts = NumberSigns(language: "").texts(of: scale)
        let frame = PlotFrame(size, texts: texts, top: 10, plotHeight: SpreadChart.plotHeight)
        var drawing = Drawing(width: size.width, height: 0)
        drawing.valueAxis(scale, texts, frame, title: "")
        let slot = frame.width / Double(counts.count)
        let gap = slot > 5 ? 1.0 : 0
        let boxes = counts.enumerated().filter { $0.element > 0 }.map { index, count in
            // A single value among very many can be seen.
            let top = min(frame.y(Double(count), scale), frame.bottom - 1)
            let x = frame.left + Double(index) * slot
            return Box(x: x + gap / 2, y: top, width: slot - gap, height: frame.bottom - top)
        }
        drawing.boxes(boxes, style: "s1")
        drawing.height = drawing.placeAxis(axis, frame, title: "") - PlotFrame.labelHeight
        for (index, tip) in tips.enumerated() where index < counts.count {
            let x = frame.left + Double(index) * slot
            drawing.tip(tip, over: Box(x: x, y: frame.top, width: slot, height: frame.height))
        }
        return drawing.markup(id: id, title: title, description: description, style: "chart")
    }

    /// The part of the style sheet for the drawing.
    package static let style = ChartStyle.screen
}

/// Numbers by day as lines, each in a drawing of its own: figures of finished runs.
package struct TrendFigure {
    /// The limit of lines drawn.
    package static let limit = ChartPoints.seriesLimit

    private let id: String
    private let heading: String
    private let names: [String]
    private let rows: [(day: CalendarDay, values: [Double?])]

    /// - Parameters:
    ///   - id: unique in the page.
    ///   - names: of the lines, each another, up to `limit`.
    ///   - rows: the values of a day in the order of the names; each day once.
    package init(id: String, heading: String, names: [String], rows: [(day: CalendarDay, values: [Double?])]) {
        (self.id, self.heading, self.names, self.rows) = (id, heading, names, rows)
    }

    /// A sentence, the drawings, and the numbers as a table.
    package var markup: HTML {
        let days = Column.days(Values(rows.map(\.day.number)))
        let columns = names.indices.map { index in Column.decimals(Values(rows.map { $0.values[index] }, filler: 0)) }
        let fields = [Field("Day", .day)] + names.map { Field($0, .decimal) }
        let batch = Batch(Schema(fields), [days] + columns, count: rows.count, provenance: .made)
        let values = names.enumerated().map { ChartSpec.Source(index: $0 + 1, name: $1, kind: .decimal) }
        let day = ChartSpec.Source(index: 0, name: "Day", kind: .day)
        let last = rows.last?.day ?? CalendarDay(number: 0)
        var spec = ChartSpec(kind: .line, x: day, values: values, by: nil, asOf: last)
        spec.isSplit = true
        var colours = ChartColours()
        return ChartFigure(id: id, heading: heading, spec: spec).markup(of: ChartPoints(batch, spec), &colours)
    }
}

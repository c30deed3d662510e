/// A point for each row, by two numbers.
struct ScatterChart {
    /// The limit of points up to which each can be focused.
    private static let reachedPoints = 150

    let points: ScatterPoints
    let spec: ChartSpec
    let styles: [SeriesStyle]
    /// The series drawn, as numbers of `points.series`.
    let drawn: [Int]

    func markup(_ size: PlotFrame.Size, id: String, title: String, description: String) -> HTML {
        let shown = points.points.filter { drawn.contains($0.series) }
        let (xs, ys) = (shown.map(\.x), shown.map(\.y))
        let (lowest, highest) = (ys.min() ?? 0, ys.max() ?? 0)
        let isNear = ScatterChart.isNearZero(ys)
        let vertical = ChartScale(spec, of: ys, reach: (lowest, highest), fromZero: isNear)
        let texts = spec.signs.texts(of: vertical, as: spec.format)
        let frame = PlotFrame(size, texts: texts, plotHeight: size.plotHeight + 60)
        let horizontal = axis(xs)
        var drawing = Drawing(width: size.width, height: 0)
        drawing.valueAxis(vertical, texts, frame, title: spec.valueTitle)
        drawing.height = drawing.placeAxis(horizontal, frame, title: spec.x.title)
        let (low, high) = (horizontal.keys[0], horizontal.keys[horizontal.count - 1])
        func place(_ point: ScatterPoints.Point) -> (x: Double, y: Double) {
            (frame.x(high > low ? (point.x - low) / (high - low) : 0.5), frame.y(point.y, vertical))
        }
        let isReached = shown.count <= ScatterChart.reachedPoints
        for point in shown {
            let (x, y) = place(point)
            let attributes = styles[drawn.firstIndex(of: point.series) ?? 0].attributes("point")
            let mark: HTML =
                "cx=\"\(Figure.length(x))\" cy=\"\(Figure.length(y))\" r=\"\(size == .narrow ? "3" : "3.5")\""
            let title: HTML = "><title>\(words(of: point).joined(separator: "\n"))</title></circle>\n"
            drawing.add("<circle\(attributes) \(mark)\(isReached ? "/>\n" : title)")
        }
        for point in shown where isReached {
            let (x, y) = place(point)
            drawing.reach(words(of: point), over: Box(x: x - 6, y: y - 6, width: 12, height: 12), in: frame)
        }
        return drawing.markup(id: id, title: title, description: description, role: "group", style: "chart")
    }

    /// The places from the first round one to the last.
    private func axis(_ values: [Double]) -> ChartAxis {
        var (low, high) = (values.min() ?? 0, values.max() ?? 0)
        switch kind {
        case .days:
            // A scale of days shows all of them, within the limits of a drawing.
            let first = low.rounded(.down)
            let days = Array(stride(from: first, through: max(high, first + 1), by: 1))
            return days.count <= 40_000
                ? ChartAxis(.days, keys: days)
                : ChartAxis(.numbers, keys: [low, high], isScaled: true, signs: spec.signs)
        case .numbers:
            let scale = ChartScale(low: low, high: high, whole: false, fromZero: ScatterChart.isNearZero(values))
            (low, high) = (scale.low, scale.high)
        default: break
        }
        return ChartAxis(kind, keys: low < high ? [low, high] : [low], isScaled: true, signs: spec.signs)
    }

    private var kind: ChartAxis.Kind { spec.x.kind == .day ? .days : spec.x.kind == .instant ? .instants : .numbers }

    private func words(of point: ScatterPoints.Point) -> [String] {
        let place = ChartAxis(kind, keys: [point.x], signs: spec.signs).text(0)
        let name = spec.by == nil ? [] : [ChartPoints.shown(points.series[point.series], spec.words)]
        return name + ["\(spec.x.title) \(place)", "\(spec.values[0].title) \(spec.text(of: point.y))"]
    }

    private static func isNearZero(_ values: [Double]) -> Bool {
        ChartScale.isNearZero(values.min() ?? 0, values.max() ?? 0)
    }
}

/// The points of a cloud: all of them up to a number, and then every second, every fourth and so on, counted over all rows.
package struct ScatterPoints: Sendable, Codable {
    package static let limit = 1_500

    package struct Point: Sendable, Codable {
        package var number: Int
        package var x: Double
        package var y: Double
        package var series: Int
    }

    package private(set) var points: [Point] = []
    package private(set) var series: [String] = []
    package private(set) var colours: [Int: String] = [:]
    /// How many there are, drawn or not.
    package private(set) var count = 0
    /// Every how many are kept.
    package private(set) var step = 1
    /// Rows with one of their numbers missing.
    package private(set) var unplacedRows = 0
    private var indices: [String: Int] = [:]

    package init() {}

    package init(_ batch: Batch, _ spec: ChartSpec) {
        for row in 0..<batch.count {
            guard let x = ChartPoints.value(batch.columns[spec.x.index], row),
                let y = ChartPoints.value(batch.columns[spec.values[0].index], row),
                x.magnitude <= ChartPoints.valueLimit, y.magnitude <= ChartPoints.valueLimit
            else {
                unplacedRows += 1
                continue
            }
            let name = spec.by.map { ChartPoints.name(batch.columns[$0.index], row) } ?? spec.values[0].name
            let index = index(of: name)
            if let colour = spec.colour, colours[index] == nil, case .text(let texts) = batch.columns[colour.index],
                let written = texts[row], HexSwatch.isColour(written)
            {
                colours[index] = written
            }
            points.append(Point(number: count, x: x, y: y, series: index))
            count += 1
        }
    }

    private mutating func index(of name: String) -> Int {
        if let index = indices[name] { return index }
        series.append(name)
        indices[name] = series.count - 1
        return series.count - 1
    }

    /// Merges the points of a later batch. Series beyond a limit are one, the last.
    package mutating func merge(_ later: ScatterPoints) {
        let targets = later.series.enumerated().map { number, name -> Int in
            let isKnown = indices[name] != nil || series.count < ChartPoints.seriesLimit
            let index = isKnown ? index(of: name) : ChartPoints.seriesLimit - 1
            if colours[index] == nil { colours[index] = later.colours[number] }
            return index
        }
        for var point in later.points {
            point.number += count
            guard point.number % step == 0 else { continue }
            point.series = targets[point.series]
            points.append(point)
        }
        count += later.count
        unplacedRows += later.unplacedRows
        while points.count > ScatterPoints.limit {
            step *= 2
            points.removeAll { $0.number % step != 0 }
        }
    }
}

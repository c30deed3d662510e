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
    /// Rows that lack one of their numbers.
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

    /// Adds what a later batch came to. Series beyond a number are one, the last.
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

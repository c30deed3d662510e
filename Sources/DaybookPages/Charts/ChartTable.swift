/// The content of a drawing after the last row: places from left to right, and for each series a value at each place, or none.
package struct ChartTable {
    package struct Series {
        package var name: String
        package var values: [Double?]
        /// Whether it collects all series without a place of their own.
        package var isOther = false
        /// A colour of the data.
        package var colour: String?

        /// The order of series by size.
        var size: Double { values.reduce(0) { $0 + ($1?.magnitude ?? 0) } }
    }

    package let axis: ChartAxis
    package private(set) var series: [Series]
    /// The colours that the data give places.
    let placeColours: [String?]
    /// Omissions and summaries, by name and number.
    let notes: [String]

    /// No row has both a place and a drawable value.
    package struct NothingToDraw: Error {
        /// What was left out, by name and number.
        let notes: [String]
    }

    package init(_ points: ChartPoints, _ spec: ChartSpec) throws(NothingToDraw) {
        var notes: [String] = []
        let words = spec.words
        let losses = ChartTable.losses(points, spec)
        guard let (axis, keys) = ChartTable.axis(of: points, spec, &notes) else { throw NothingToDraw(notes: losses) }
        let places = keys.map { $0.flatMap { points.places[$0] } }
        var series = points.series.enumerated().map { index, name in
            let values = places.map { $0?.cells[index]?.shown }
            return Series(name: ChartPoints.shown(name, words), values: values, colour: points.colours[index])
        }
        let repeated =
            spec.addsUp ? 0 : points.places.values.reduce(0) { $0 + $1.cells.values.count(where: \.isRepeated) }
        if repeated > 0 {
            let text = "Not drawn: {0} of several rows each, which may be no sums and so are not added."
            notes.append(words(text, words.count(repeated, "value")))
        }
        let empty = series.count { $0.values.allSatisfy { $0 == nil } }
        series.removeAll { $0.values.allSatisfy { $0 == nil } }
        if empty > 0, !series.isEmpty {
            notes.append(words("Not drawn: {0} of the series, without a value.", "\(empty)"))
        }
        guard !series.isEmpty else { throw NothingToDraw(notes: notes + losses) }
        if spec.by != nil { series = ChartTable.ordered(series, spec, &notes) }
        (self.axis, self.series, placeColours, self.notes) = (axis, series, places.map { $0?.colour }, notes + losses)
    }

    /// A table with one of the series.
    init(_ table: ChartTable, series: Int) {
        (axis, self.series, placeColours, notes) = (table.axis, [table.series[series]], table.placeColours, [])
    }

    var total: Double { series.reduce(0) { $0 + $1.values.reduce(0) { $0 + ($1 ?? 0) } } }

    /// The sum of a place, or nil when no series has a value there.
    func sum(of place: Int) -> Double? {
        let values = series.compactMap { $0.values[place] }
        return values.isEmpty ? nil : values.reduce(0, +)
    }

    var values: [Double] { series.flatMap { $0.values.compactMap { $0 } } }

    // MARK: Places

    private static func axis(of points: ChartPoints, _ spec: ChartSpec, _ notes: inout [String]) -> (
        ChartAxis, [ChartPoints.Key?]
    )? {
        let numbers = points.places.keys.compactMap { if case .number(let number) = $0 { number } else { nil } }
            .sorted()
        let isText = spec.x.kind == .text || spec.x.kind == .flag
        let monthRows = numbers.reduce(0) { $0 + points.places[.number($1)]!.rows }
        let nameRows = points.names.reduce(0) { $0 + points.places[.name($1)]!.rows }
        guard !points.places.isEmpty else { return nil }
        if isText, nameRows > monthRows {
            // A column of names; one of them may look like a month.
            let names =
                numbers.map { CalendarDay.monthText(Int32($0)) }
                + points.names.map { ChartPoints.shown($0, spec.words) }
            let keys: [ChartPoints.Key?] = numbers.map { .number($0) } + points.names.map { .name($0) }
            return (ChartAxis(.names, keys: names.indices.map(Double.init), names: names), keys)
        }
        if nameRows > 0 {
            let text = "Not drawn: {0} whose {1} is not written as 2026-03."
            notes.append(spec.words(text, spec.words.count(nameRows, "row"), spec.x.name))
        }
        let kind: ChartAxis.Kind =
            switch spec.x.kind {
            case .text, .flag, .json: .months
            case .day: .days
            case .instant: .instants
            case .integer, .decimal: .numbers
            }
        let isLine = spec.kind == .line
        let span = numbers[numbers.count - 1] - numbers[0]
        let isWhole = kind == .months || kind == .days || spec.x.kind == .integer
        let isDense =
            isWhole && span < Double(ChartPoints.placeLimit)
            && (kind == .months || kind == .days || span < Double(numbers.count * 3 + 4))
        guard isDense else {
            if kind == .months || kind == .days { notes.append(spec.words("Places without rows are left out.")) }
            let isScaled = isLine && (kind == .numbers || kind == .instants)
            return (ChartAxis(kind, keys: numbers, isScaled: isScaled, signs: spec.signs), numbers.map { .number($0) })
        }
        let keys = Array(stride(from: numbers[0], through: numbers[numbers.count - 1], by: 1))
        return (ChartAxis(kind, keys: keys, signs: spec.signs), keys.map { .number($0) })
    }

    // MARK: Series

    /// The largest first, up to the limit; the others are combined if they add up, otherwise left out.
    private static func ordered(_ series: [Series], _ spec: ChartSpec, _ notes: inout [String]) -> [Series] {
        // Ties go to the series that came first.
        let bySize = series.indices.sorted { one, two in
            series[one].size == series[two].size ? one < two : series[one].size > series[two].size
        }
        let haveOther = spec.kind != .heat && (spec.hasTotals || spec.addsUp)
        // A single one is not called Other, but keeps its own name.
        let isOneMore = haveOther && series.count == spec.mostSeries + 1 && series.count <= HTMLPalette.seriesCount
        let limit = isOneMore ? series.count : spec.mostSeries
        let kept = Set(bySize.prefix(limit))
        // The rows of a heat map keep their order, which may mean something.
        let order = spec.kind == .heat ? series.indices.filter(kept.contains) : Array(bySize.prefix(limit))
        let rest = bySize.dropFirst(limit)
        guard !rest.isEmpty else { return order.map { series[$0] } }
        guard haveOther else {
            let text = "The {0} largest of {1} are drawn; the others are not."
            notes.append(spec.words(text, "\(limit)", "\(series.count)"))
            return order.map { series[$0] }
        }
        let values = series[0].values.indices.map { place -> Double? in
            let values = rest.compactMap { series[$0].values[place] }
            return values.isEmpty ? nil : values.reduce(0, +)
        }
        notes.append(spec.words("Other is the sum of the {0} smaller ones.", "\(rest.count)"))
        return order.map { series[$0] } + [Series(name: spec.words("Other"), values: values, isOther: true)]
    }

    /// Rows and values that were not kept.
    private static func losses(_ points: ChartPoints, _ spec: ChartSpec) -> [String] {
        let (words, limit) = (spec.words, spec.words.grouped(ChartPoints.placeLimit))
        func rows(_ count: Int) -> String { words.count(count, "row") }
        let earlier = "Only the latest {0} places are drawn; {1} before them are not."
        let late = "Only the first {0} names are drawn; {1} of others are not."
        let others = "Only the first {0} series are kept; {1} of others are not drawn."
        let endless = words.count(points.endlessValues, "value")
        let losses = [
            (points.earlierRows, words(earlier, limit, rows(points.earlierRows))),
            (points.lateRows, words(late, limit, rows(points.lateRows))),
            (points.otherRows, words(others, "\(ChartPoints.seriesLimit)", rows(points.otherRows))),
            (points.unplacedRows, words("Not drawn: {0} without {1}.", rows(points.unplacedRows), spec.x.name)),
            (points.endlessValues, words("Not drawn: {0} that is no number up to 1e300.", endless)),
        ]
        return losses.filter { $0.0 > 0 }.map(\.1)
    }
}

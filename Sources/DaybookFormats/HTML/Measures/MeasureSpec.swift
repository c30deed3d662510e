/// A figure on top of a page: an aggregate of one column, or of all rows, of an input.
package struct MeasureSpec: Sendable {
    package enum Aggregate: String, CaseIterable, Sendable {
        case sum, mean, min, max, last, count
    }

    package let title: String
    package let aggregate: Aggregate
    /// The number of the input.
    package let input: Int
    /// Its column; nil for a count of rows.
    package let column: ChartSpec.Source?
    package let format: NumberPattern?
    package let unit: String?

    package init(
        title: String,
        aggregate: Aggregate,
        input: Int,
        column: ChartSpec.Source?,
        format: NumberPattern?,
        unit: String?
    ) {
        self.title = title
        self.aggregate = aggregate
        self.input = input
        self.column = column
        self.format = format
        self.unit = unit
    }

    /// What the rows came to, as a tile shows it.
    func text(of value: MeasureValue, _ signs: NumberSigns) -> String {
        if aggregate == .last, let column, !ColumnKind.numbers.contains(column.kind) { return value.last ?? "–" }
        guard let number = value.number(aggregate) else { return "–" }
        switch column?.kind {
        case .day where aggregate != .count: return CalendarDay(number: Int32(clamping: Int(number))).description
        case .instant where aggregate != .count: return ChartAxis(.instants, keys: [number]).text(0)
        default: break
        }
        if let format { return format.text(of: number, signs) }
        let text = signs.localised(Figure.spoken(number))
        return unit.map { $0.isEmpty ? text : "\(text)\u{A0}\($0)" } ?? text
    }
}

/// What some rows come to for a measure. Sums are exact, so no cut into batches shows.
package struct MeasureValue: Sendable, Codable {
    private static let textLimit = 60

    private var rows = 0
    private var values = 0
    private var sum = ExactSum()
    private var least: Double?
    private var greatest: Double?
    private var lastNumber: Double?
    /// The last value as a text.
    package private(set) var last: String?

    package init() {}

    package init(_ batch: Batch, _ spec: MeasureSpec) {
        rows = batch.count
        guard let source = spec.column, batch.count > 0 else { return }
        let column = batch.columns[source.index]
        if spec.aggregate == .last {
            let row = batch.count - 1
            lastNumber = ChartPoints.value(column, row)
            if !column.missing.isMissing(row) {
                last = String(ChartPoints.name(column, row).prefix(MeasureValue.textLimit))
            }
            return
        }
        for row in 0..<batch.count {
            guard let value = ChartPoints.value(column, row), value.magnitude <= ChartPoints.valueLimit else {
                continue
            }
            values += 1
            if spec.aggregate == .sum || spec.aggregate == .mean { sum.add(value) }
            least = Swift.min(least ?? value, value)
            greatest = Swift.max(greatest ?? value, value)
        }
    }

    /// Adds what later rows came to.
    package mutating func merge(_ later: MeasureValue) {
        rows += later.rows
        values += later.values
        sum.add(later.sum)
        least = [least, later.least].compactMap { $0 }.min()
        greatest = [greatest, later.greatest].compactMap { $0 }.max()
        if later.rows > 0 { (last, lastNumber) = (later.last, later.lastNumber) }
    }

    /// Nil where no row has a value.
    func number(_ aggregate: MeasureSpec.Aggregate) -> Double? {
        switch aggregate {
        case .count: Double(rows)
        case .sum: values > 0 ? sum.value : nil
        case .mean: values > 0 ? sum.mean(of: values) : nil
        case .min: least
        case .max: greatest
        case .last: lastNumber
        }
    }
}

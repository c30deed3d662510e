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
        guard case .input(_, let aggregate, let source?) = spec.subject, batch.count > 0 else { return }
        let column = batch.columns[source.index]
        if aggregate == .last {
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
            if aggregate == .sum || aggregate == .mean { sum.add(value) }
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

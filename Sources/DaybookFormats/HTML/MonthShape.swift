/// How a table holds figures by month, if it does: the two shapes that `summarise_monthly_emotions` gives.
package enum MonthShape: Sendable, Hashable {
    /// Columns `month`, `emotion` and `count`: one row for each month and emotion.
    case long(month: Int, series: Int, count: Int)
    /// A first column `month`, and nothing but numbers behind it. The columns may hold unlike things, such as orders and
    /// euros, so they are never added to one another.
    case wide(month: Int, columns: [Int])

    package init?(_ schema: Schema) {
        let fields = schema.fields
        func isNumber(_ index: Int) -> Bool { fields[index].kind == .integer || fields[index].kind == .decimal }
        guard let month = schema.index(of: "month"), fields[month].kind == .text else { return nil }
        if let series = schema.index(of: "emotion"), let count = schema.index(of: "count") {
            guard fields[series].kind == .text, isNumber(count) else { return nil }
            self = .long(month: month, series: series, count: count)
        } else {
            let others = Array(fields.indices.dropFirst())
            guard month == 0, !others.isEmpty, others.allSatisfy(isNumber) else { return nil }
            self = .wide(month: month, columns: others)
        }
    }

    /// Whether the rows of a month add up. Counts by emotion do; what the columns of the wide shape hold may be means.
    var addsUp: Bool { if case .long = self { true } else { false } }

    /// The figures of a batch, added up by month and series.
    package func sums(of batch: Batch) -> MonthSums {
        var sums = MonthSums()
        func add(_ month: Int, _ values: (_ row: Int, _ month: Int) -> Void) {
            let months = batch.columns[month].texts
            for row in 0..<batch.count {
                guard let number = MonthShape.number(of: row, in: months) else {
                    sums.leaveOut(1)
                    continue
                }
                sums.count(rows: 1, in: number)
                values(row, number)
            }
        }
        switch self {
        case .long(let month, let series, let count):
            let names = batch.columns[series].texts
            add(month) { row, month in
                let index = sums.index(of: names[row] ?? MonthSums.missingName)
                if let value = MonthShape.value(batch.columns[count], row) { sums.add(value, to: index, in: month) }
            }
        case .wide(let month, let columns):
            let drawn = columns.prefix(MonthSums.seriesLimit)
            let indices = drawn.map { sums.index(of: batch.schema.fields[$0].name) }
            add(month) { row, month in
                for (index, column) in zip(indices, drawn) {
                    guard let value = MonthShape.value(batch.columns[column], row) else { continue }
                    sums.add(value, to: index, in: month)
                }
            }
        }
        return sums
    }

    /// Reads `2026-03` as months since the year 0; anything else is nil.
    package static func number(of row: Int, in months: TextColumn) -> Int? {
        guard !months.missing.isMissing(row) else { return nil }
        return months.withCell(row) { cell in
            guard cell.count == 7, cell[4] == UInt8(ascii: "-") else { return nil }
            func digits(_ range: Range<Int>) -> Int? {
                var value = 0
                for byte in cell[range] {
                    guard byte >= 48, byte <= 57 else { return nil }
                    value = value * 10 + Int(byte - 48)
                }
                return value
            }
            guard let year = digits(0..<4), let month = digits(5..<7), (1...12).contains(month) else { return nil }
            return year * 12 + month - 1
        }
    }

    private static func value(_ column: Column, _ row: Int) -> Double? {
        guard !column.missing.isMissing(row) else { return nil }
        switch column {
        case .integers(let values): return Double(values.elements[row])
        case .decimals(let values): return values.elements[row]
        default: preconditionFailure("figures by month are numbers")
        }
    }
}

extension Column {
    fileprivate var texts: TextColumn {
        guard case .text(let texts) = self else {
            preconditionFailure("the columns of a batch differ from those of its schema")
        }
        return texts
    }
}

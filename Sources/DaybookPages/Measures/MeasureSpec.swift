/// A figure on top of a page: an aggregate of one column or of all rows of an input, or a count of the ledger.
package struct MeasureSpec: Sendable {
    package enum Aggregate: String, CaseIterable, Sendable {
        case sum, mean, min, max, last, count
    }

    /// Rows of a stage that the ledger counts: those that it rejected, and those that it passed on.
    package enum Count: String, CaseIterable, Sendable {
        case rejected, rows
    }

    /// What it is a figure of.
    package enum Subject: Sendable {
        /// The input of that number, and its column; nil for a count of rows.
        case input(Int, Aggregate, ChartSpec.Source?)
        /// The stage of that id.
        case stage(String, Count)
    }

    /// Which way the figure should go.
    package enum Direction: String, CaseIterable, Sendable {
        case up, down, none
    }

    package let title: String
    package let subject: Subject
    package let format: NumberPattern?
    package let unit: String?
    package let good: Direction
    /// Its values in earlier runs; nil without a comparison.
    package let past: MeasurePast?

    /// The number of the input whose rows it is of; nil for one of the ledger.
    package var input: Int? { if case .input(let number, _, _) = subject { number } else { nil } }

    /// The figure as a number; nil where there is none.
    func number(_ value: MeasureValue, _ run: RunSummary) -> Double? {
        switch subject {
        case .input(_, let aggregate, _): return value.number(aggregate)
        case .stage(let id, let count):
            guard let line = run.ledger.first(where: { $0.id == id }) else { return nil }
            return Double(count == .rejected ? line.rejected : line.rowsOut)
        }
    }

    /// The value of the rows as a tile shows it.
    func text(of value: MeasureValue, _ run: RunSummary, _ signs: NumberSigns) -> String {
        if case .input(_, .last, let column?) = subject, !ColumnKind.numbers.contains(column.kind) {
            return value.last ?? "–"
        }
        return number(value, run).map { text(of: $0, signs) } ?? "–"
    }

    /// A number as a tile shows it.
    func text(of number: Double, _ signs: NumberSigns) -> String {
        if case .input(_, let aggregate, let column?) = subject, aggregate != .count {
            switch column.kind {
            case .day: return CalendarDay(number: Int32(clamping: Int(number))).description
            case .instant: return ChartAxis(.instants, keys: [number]).text(0)
            default: break
            }
        }
        if let format { return format.text(of: number, signs) }
        let text = signs.localised(Figure.displayText(number))
        return unit.map { $0.isEmpty ? text : "\(text)\u{A0}\($0)" } ?? text
    }
}

/// The values of a measure in earlier runs, known before the first row.
package struct MeasurePast: Sendable {
    /// What this run is compared with.
    package struct Before: Sendable {
        /// Which runs it is of.
        package enum Runs: Sendable {
            case one(CalendarDay)
            case sameWeekday(CalendarDay)
            /// The median of so many, from the first day to the last.
            case median(Int, CalendarDay, CalendarDay)
        }

        package let value: Double
        package let runs: Runs
    }

    /// The limit of days that the line beside a measure shows, this one apart.
    package static let mostDays = 30

    package let before: Before?
    /// The values of the last passed runs, one for each day, the earliest first.
    package let days: [(day: CalendarDay, value: Double)]
}

/// The value of a measure over some rows. Sums are exact, so the cuts into batches do not matter.
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

    /// Merges the value of later rows.
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

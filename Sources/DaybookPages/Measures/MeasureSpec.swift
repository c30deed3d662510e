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
    /// What it is compared with, whose values are known before the first row; nil without a comparison.
    package let comparison: (reference: PastReference, past: FigurePast)?
    /// The column with the day of each row, where its rows belong to days.
    let dayColumn: Int?

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
        return signs.text(of: number, as: format, in: unit)
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

extension MeasurePast {
    /// - Parameter past: the values of days before this one.
    init(_ reference: PastReference, _ past: FigurePast, on day: CalendarDay) {
        // The history may hold any number; skip what cannot be drawn.
        let past = FigurePast(past.entries.filter { $0.value.magnitude <= 1e300 })
        let before = reference.find(in: past, on: day).map { found in
            let (first, last) = (found.runs[found.runs.count - 1].day, found.runs[0].day)
            let runs: Before.Runs =
                switch reference {
                case .last: .one(last)
                case .sameWeekday: .sameWeekday(last)
                case .median: .median(found.runs.count, first, last)
                }
            return Before(value: found.value, runs: runs)
        }
        let days = past.lastOfDays(MeasurePast.mostDays, includesFailed: false)
        self.init(before: before, days: days.reversed().map { ($0.day, $0.value) })
    }
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

    fileprivate func merged(with later: MeasureValue) -> MeasureValue {
        var merged = self
        merged.merge(later)
        return merged
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

/// The values of a measure, by day where its rows belong to days.
package struct MeasureDays: Sendable, Codable {
    /// All rows, or those without a day.
    private var whole: MeasureValue?
    private var days: [CalendarDay: MeasureValue] = [:]

    package init() {}

    /// - Parameter days: the rows of the batch by day; empty for rows that belong to no days.
    package init(_ batch: Batch, days: [RowsOfDay], _ spec: MeasureSpec) {
        if spec.dayColumn == nil { whole = MeasureValue(batch, spec) }
        for own in days where spec.dayColumn != nil {
            let value = MeasureValue(own.batch, spec)
            if let day = own.day { self.days[day] = value } else { whole = value }
        }
    }

    /// Merges the values of later rows.
    package mutating func merge(_ later: MeasureDays) {
        if let value = later.whole { whole = whole.map { $0.merged(with: value) } ?? value }
        days.merge(later.days) { $0.merged(with: $1) }
    }

    /// The figure of all rows, or of each day that the run makes.
    ///
    /// - Parameter made: the days that the run makes, in order; empty for a page of rows that belong to no days.
    func figures(_ spec: MeasureSpec, made: [CalendarDay], _ run: RunSummary) -> MeasureFigures {
        if spec.dayColumn == nil {
            let value = whole ?? MeasureValue()
            // The ledger counts the rows of all days together.
            let isOfDay = if case .stage = spec.subject { made.count == 1 } else { false }
            let number = spec.number(value, run)
            var figures = MeasureFigures(value, number, on: isOfDay ? made[0] : run.asOf)
            if isOfDay { figures.days = [DayFigure(made[0], number)] }
            if case .stage = spec.subject, made.count > 1 { return figures }
            figures.past = spec.comparison.map { comparison in
                let past = isOfDay ? comparison.past.before(made[0], making: made, []) : comparison.past
                return MeasurePast(comparison.reference, past, on: figures.day)
            }
            return figures
        }
        let values = Set(made).union(days.keys).sorted().map { ($0, days[$0] ?? MeasureValue()) }
        guard let (day, value) = values.last else { return MeasureFigures(MeasureValue(), nil, on: run.asOf) }
        var figures = MeasureFigures(value, spec.number(value, run), on: day)
        figures.days = values.map { DayFigure($0, spec.number($1, run)) }
        figures.isOfDay = true
        figures.past = spec.comparison.map { comparison in
            let past = comparison.past.before(day, making: values.map(\.0), figures.days)
            return MeasurePast(comparison.reference, past, on: day)
        }
        return figures
    }
}

/// What a measure came to: the figure that a page shows, of the run or of the last day that it makes, and those of all
/// of these days.
struct MeasureFigures {
    let value: MeasureValue
    /// Nil where there is no number.
    let number: Double?
    let day: CalendarDay
    /// Whether it is of the rows of a day, and not of all rows of the run.
    var isOfDay = false
    /// By day, in order; empty for a figure of the run.
    var days: [DayFigure] = []
    /// Nil without a comparison.
    var past: MeasurePast?

    init(_ value: MeasureValue, _ number: Double?, on day: CalendarDay) {
        (self.value, self.number, self.day) = (value, number, day)
    }
}

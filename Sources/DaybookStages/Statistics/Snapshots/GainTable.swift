/// Rows of gains as they are made, each with the snapshot row that it came from.
struct GainTable {
    let stage: DifferenceSnapshots
    private var picks: [Int32] = []
    private var from: [Int32] = []
    private var to: [Int32] = []
    private var gains: [Int64] = []
    private var isMonthKnown: [Bool] = []
    private var isSplit: [Bool] = []
    private(set) var findings = Findings()

    init(_ stage: DifferenceSnapshots) { self.stage = stage }

    var count: Int { picks.count }

    /// Adds what a counter gained over some days, from the snapshot at `row`.
    mutating func add(_ row: Int, from: Int32, to: Int32, gain: Int64, isPart: Bool = false) {
        picks.append(Int32(truncatingIfNeeded: row))
        self.from.append(from)
        self.to.append(to)
        gains.append(gain)
        isMonthKnown.append(CalendarDay.month(of: from) == CalendarDay.month(of: to))
        isSplit.append(isPart)
    }

    /// Rejects the row that was added last.
    mutating func reject(_ kind: Finding.Kind, _ message: String) {
        findings.reject(count - 1, findings.token(kind, in: DifferenceSnapshots.gain), saying: message)
    }

    /// Warns of the row that was added last.
    mutating func warn(_ kind: Finding.Kind, in column: ColumnName, _ message: String) {
        findings.warn(count - 1, findings.token(kind, in: column), saying: message)
    }

    /// Drops the row that was added last.
    mutating func drop(as name: String) { findings.drop(count - 1, as: name) }

    /// The rows as a batch, with the counters and the origins of the snapshots that they came from.
    func batch(of snapshots: Batch, _ schema: Schema) -> Batch {
        let rows = snapshots.keeping(picks)
        var columns = stage.by.map { rows[$0] }
        columns += [.days(Values(from)), .days(Values(to)), .text(months), .integers(Values(gains))]
        if stage.splitMonths { columns.append(.flags(Values(isSplit))) }
        return rows.replacing(schema, columns)
    }

    /// `2026-03` where all days lie in one month.
    private var months: TextColumn {
        let days = Values(zip(from, isMonthKnown).map { $1 ? $0 : nil }, filler: 0)
        // The date without its day and the hyphen before.
        return days.text(longest: ISOText.maximumLength) { ISOText.write(day: $0, to: $1) - 3 }
    }
}

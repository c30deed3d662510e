import DaybookTables

/// Iterates over all snapshots by day and computes each counter's gain since its previous one.
struct SnapshotDifferencing {
    /// The most months of a split gain, since each month becomes a row; a longer gain is rejected.
    private static let mostMonths = 1_200
    private static let rowsInBatch = 4_096

    private struct Before {
        var day: Int32
        var count: Int64
        /// The number of the snapshot.
        var number: Int
    }

    let stage: DifferenceSnapshots
    let schema: Schema
    private let snapshots: CounterSnapshots
    private let days: SnapshotDays
    private var before: [Before?]
    /// The number of snapshots before each counter's first one, until reported.
    private var lacking: [Int]

    init(_ stage: DifferenceSnapshots, _ snapshots: CounterSnapshots, _ schema: Schema) {
        self.stage = stage
        self.schema = schema
        self.snapshots = snapshots
        let days = SnapshotDays(snapshots.days)
        self.days = days
        before = Array(repeating: nil, count: snapshots.counters.count)
        lacking = snapshots.spans.map { days.number(of: $0.first) }
    }

    mutating func add(_ batch: Batch, _ emit: (Batch, Findings) throws(DaybookError) -> Void) throws(DaybookError) {
        let table = SortKeyTable(batch, by: stage.keys)
        let dates = batch.days(in: stage.date).elements
        let counts = batch.integers(in: stage.count).elements
        var gains = GainTable(stage)
        for row in 0..<batch.count {
            let counter = table.withKey(row) { snapshots.counters.find($0) }
            add(row, counter, dates[row], counts[row], to: &gains)
            guard gains.count >= Self.rowsInBatch else { continue }
            try emit(gains.batch(of: batch, schema), gains.findings)
            gains = GainTable(stage)
        }
        if gains.count > 0 { try emit(gains.batch(of: batch, schema), gains.findings) }
    }

    private mutating func add(_ row: Int, _ counter: Int, _ day: Int32, _ count: Int64, to gains: inout GainTable) {
        let number = days.number(of: day)
        guard let last = before[counter] else {
            before[counter] = Before(day: day, count: count, number: number)
            guard snapshots.spans[counter].first == snapshots.spans[counter].last else { return }
            gains.add(row, from: day, to: day, gain: 0)
            gains.warn(
                .loneSnapshot,
                in: stage.by[0],
                "only the snapshot of \(CalendarDay(number: day)) has this counter, so nothing tells what it gained"
            )
            gains.drop(as: "lone snapshots")
            return
        }
        if last.day == day { return addSecond(row, day, count, after: last.count, to: &gains) }
        before[counter] = Before(day: day, count: count, number: number)
        addGain(row, day, count, since: last, to: &gains)
        tellLacking(counter, number, since: last, in: &gains)
    }

    /// Drops a second equal value of one day, and rejects a different one; the first one counts.
    private func addSecond(_ row: Int, _ day: Int32, _ count: Int64, after first: Int64, to gains: inout GainTable) {
        gains.add(row, from: day, to: day, gain: count)
        if count == first {
            gains.drop(as: "repeated values")
        } else {
            let message = "'\(count)' is a second value for \(CalendarDay(number: day)), which has \(first) already"
            gains.reject(.secondValue, message)
        }
    }

    private func addGain(_ row: Int, _ day: Int32, _ count: Int64, since last: Before, to gains: inout GainTable) {
        // A snapshot at the end of a day includes that day; one at the start does not.
        let shift: Int32 = stage.taken == .endOfDay ? 1 : 0
        let (from, to) = (last.day &+ shift, day &+ shift &- 1)
        guard count < last.count else {
            return addGain(row, from: from, to: to, count &- last.count, to: &gains)
        }
        let story = "'\(count)' is less than the \(last.count) of \(CalendarDay(number: last.day))"
        if stage.resets == .restart {
            addGain(row, from: from, to: to, count, to: &gains)
            gains.warn(
                .counterRestarted,
                in: DifferenceSnapshots.gain,
                story + "; the counter is taken to have begun again at 0"
            )
        } else {
            gains.add(row, from: from, to: to, gain: count &- last.count)
            gains.reject(.counterWentDown, story)
        }
    }

    private func addGain(_ row: Int, from: Int32, to: Int32, _ gain: Int64, to gains: inout GainTable) {
        let months = Int(CalendarDay.month(of: to)) - Int(CalendarDay.month(of: from)) + 1
        guard stage.splitMonths, months > 1 else { return gains.add(row, from: from, to: to, gain: gain) }
        guard months <= Self.mostMonths else {
            gains.add(row, from: from, to: to, gain: gain)
            return gains.reject(
                .tooManyMonths,
                "the snapshot before was taken \(months) months ago, and \(Self.mostMonths) at most can be split"
            )
        }
        let length = Int128(Int64(to) - Int64(from) + 1)
        var start = from
        var given: Int64 = 0
        while start <= to {
            let end = min(to, Self.lastDay(ofMonthOf: start))
            // Parts are taken from the running total, so that they add up to the whole.
            let total = Int64(Int128(gain) * Int128(Int64(end) - Int64(from) + 1) / length)
            gains.add(row, from: start, to: end, gain: total - given, isPart: true)
            given = total
            start = end + 1
        }
    }

    private static func lastDay(ofMonthOf day: Int32) -> Int32 {
        let (year, month, dayOfMonth) = CalendarDay(number: day).components
        return day + Int32(CalendarDay.length(ofMonth: month, year: year) - dayOfMonth)
    }

    /// Warns of snapshots without the counter: before its first one, after its last, and between this one and the previous.
    private mutating func tellLacking(_ counter: Int, _ number: Int, since last: Before, in gains: inout GainTable) {
        if lacking[counter] > 0 {
            tell(lacking[counter], from: 0, in: &gains)
            lacking[counter] = 0
        }
        tell(number - last.number - 1, from: last.number + 1, in: &gains)
        if number == days.number(of: snapshots.spans[counter].last) {
            tell(days.count - number - 1, from: number + 1, in: &gains)
        }
    }

    private func tell(_ count: Int, from number: Int, in gains: inout GainTable) {
        guard count > 0 else { return }
        let first = days.day(number)
        gains.warn(
            .counterMissing,
            in: stage.by[0],
            count == 1
                ? "the snapshot of \(first) does not have this counter"
                : "\(count) snapshots from \(first) to \(days.day(number + count - 1)) do not have this counter"
        )
    }
}

/// Snapshots of counters: the partial of `difference_snapshots`.
///
/// The rows wait in sorted runs, which spill to disk. Memory holds the days of all snapshots, and the first and last
/// day of each counter.
public struct CounterSnapshots: FoldPartial, BinaryForm {
    /// The first and last day of one counter.
    struct Span: Sendable, BitwiseCopyable {
        var first: Int32
        var last: Int32
    }

    public var foldedRows: Int { rows.foldedRows }
    var rows: SortedRuns
    private(set) var counters = KeyIndex()
    /// Indexed by counter number.
    private(set) var spans: [Span] = []
    private(set) var days = DayRuns()

    /// - Parameter batch: rows without missing values.
    init(_ batch: Batch, days column: ColumnName, keys: [SortKey], sorted: SortedRuns) {
        rows = sorted
        var days = batch.days(in: column).elements
        let table = SortKeyTable(batch, by: keys)
        for row in 0..<batch.count {
            let number = table.withKey(row) { counters.number(of: $0) }
            add(Span(first: days[row], last: days[row]), at: number)
        }
        self.days = DayRuns(sorting: &days[...])
    }

    private mutating func add(_ span: Span, at number: Int) {
        if number == spans.count { return spans.append(span) }
        spans[number].first = min(spans[number].first, span.first)
        spans[number].last = max(spans[number].last, span.last)
    }

    /// Merges the partial of later rows, without the rows themselves.
    mutating func mergeCounters(_ later: CounterSnapshots) {
        for number in 0..<later.counters.count {
            let mine = later.counters.withKey(number) { counters.number(of: $0) }
            add(later.spans[number], at: mine)
        }
        days.formUnion(later.days)
    }

    public func write(to bytes: Bytes) throws(DaybookError) {
        try rows.write(to: bytes)
        counters.write(to: bytes)
        bytes.append(array: spans)
        days.write(to: bytes)
    }

    public init(reading reader: inout ByteReader) throws(DaybookError) {
        rows = try SortedRuns(reading: &reader)
        counters = try KeyIndex(reading: &reader)
        spans = try reader.array()
        days = try DayRuns(reading: &reader)
    }
}

/// The gain rows so far, each with its snapshot row.
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

    /// Adds a counter's gain over a range of days, from the snapshot at `row`.
    mutating func add(_ row: Int, from: Int32, to: Int32, gain: Int64, isPart: Bool = false) {
        picks.append(Int32(truncatingIfNeeded: row))
        self.from.append(from)
        self.to.append(to)
        gains.append(gain)
        isMonthKnown.append(CalendarDay.month(of: from) == CalendarDay.month(of: to))
        isSplit.append(isPart)
    }

    /// Rejects the row added last.
    mutating func reject(_ kind: Finding.Kind, _ message: String) {
        findings.reject(count - 1, findings.token(kind, in: DifferenceSnapshots.gain), saying: message)
    }

    /// Warns of the row added last.
    mutating func warn(_ kind: Finding.Kind, in column: ColumnName, _ message: String) {
        findings.warn(count - 1, findings.token(kind, in: column), saying: message)
    }

    /// Drops the row added last.
    mutating func drop(as name: String) { findings.drop(count - 1, as: name) }

    /// The rows as a batch, with the counters and origins of their snapshots.
    func batch(of snapshots: Batch, _ schema: Schema) -> Batch {
        let rows = snapshots.keeping(picks)
        var columns = stage.by.map { rows[$0] }
        columns += [.days(Values(from)), .days(Values(to)), .text(months), .integers(Values(gains))]
        if stage.splitMonths { columns.append(.flags(Values(isSplit))) }
        return rows.replacing(schema, columns)
    }

    /// `2026-03` if all days lie in one month.
    private var months: TextColumn {
        let days = Values(zip(from, isMonthKnown).map { $1 ? $0 : nil }, filler: 0)
        // The date without its day and the hyphen before it.
        return days.text(longest: ISOText.maximumLength) { ISOText.write(day: $0, to: $1) - 3 }
    }
}

/// The days that have a snapshot, numbered in order.
struct SnapshotDays {
    private let runs: [DayRun]
    /// The number of days before each run.
    private let before: [Int]
    let count: Int

    init(_ days: DayRuns) {
        runs = days.runs
        var count = 0
        before = runs.map { run in
            defer { count += Int(run.length) }
            return count
        }
        self.count = count
    }

    /// The number of a day with a snapshot, from 0.
    func number(of day: Int32) -> Int {
        let low = max(1, runs.partitioningIndex { $0.first > day }) - 1
        return before[low] + Int(day - runs[low].first)
    }

    /// The day with that number.
    func day(_ number: Int) -> CalendarDay {
        let low = max(1, before.partitioningIndex { $0 > number }) - 1
        return CalendarDay(number: runs[low].first + Int32(number - before[low]))
    }
}

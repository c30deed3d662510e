/// Snapshots of counters: what `difference_snapshots` knows of some rows.
///
/// The rows wait in sorted runs, which spill to disk; in memory stand the days of all snapshots, and for each counter its
/// first and last one.
public struct CounterSnapshots: FoldPartial, BinaryForm {
    /// The days of one counter's snapshots.
    struct Span: Sendable, BitwiseCopyable {
        var first: Int32
        var last: Int32
    }

    public var foldedRows: Int { rows.foldedRows }
    var rows: SortedRuns
    private(set) var counters = KeyIndex()
    /// By the number of the counter.
    private(set) var spans: [Span] = []
    private(set) var days = DayRuns()

    /// `batch` holds only rows without gaps.
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

    /// Takes in what is known of later rows, but for the rows themselves.
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

/// Rows in the order of the input, and beside them what windows need of each, sorted: what `window_rows` knows of some rows.
public struct WindowedRows: FoldPartial, BinaryForm {
    /// The columns of the rows.
    package let schema: Schema
    private var log = RowLog()
    /// The sorted rows, each with its number in the log.
    package var entries: SortedRuns

    public var foldedRows: Int { entries.foldedRows }

    package init(_ batch: Batch, _ asked: EntryColumns) {
        schema = batch.schema
        entries = SortedRuns(asked.entries(of: batch), by: asked.keys, areNumbered: true)
        if batch.count > 0 { log.append(batch) }
    }

    /// Adds later rows but for their entries.
    package mutating func appendRows(_ later: WindowedRows, limit: Int, _ scratch: any Scratch) throws(DaybookError) {
        try log.append(later.log)
        guard footprint + later.entries.footprint > limit - limit / 8 else { return }
        // Rows are read again one after another, and the others in another order: so those stay in memory as long as they may.
        try log.spillRows(to: scratch)
        if log.footprint > limit / 4 { try log.spill(to: scratch) }
    }

    public var footprint: Int { log.footprint + entries.footprint }

    public mutating func spill(to scratch: any Scratch) throws(DaybookError) { try log.spill(to: scratch) }

    public func write(to bytes: Bytes) throws(DaybookError) {
        Batch(empty: schema).write(to: bytes)
        try log.write(to: bytes)
        try entries.write(to: bytes)
    }

    public init(reading reader: inout ByteReader) throws(DaybookError) {
        schema = try Batch(reading: &reader).schema
        log = try RowLog(reading: &reader)
        entries = try SortedRuns(reading: &reader)
        guard log.count == entries.foldedRows else { throw ByteReader.damaged }
    }
}

extension WindowedRows {
    /// A batch holds at least so much, where there is more.
    private static let (rowsInBatch, bytesInBatch) = (8_192, 1 << 20)
    /// There are about so many batches at most, for each slice has results for most of them.
    private static let mostBatches = 1_024

    /// Gives every row back in the order of the input, with the columns of the window.
    ///
    /// - Parameters:
    ///   - names: those of the new columns.
    ///   - sources: the column that each is made of, for what there is to say about it.
    package mutating func emit(
        _ columns: [WindowColumn],
        named names: [ColumnName],
        about sources: [ColumnName?],
        of asked: EntryColumns,
        times: Int?,
        sliceBytes: Int,
        limit: Int,
        _ output: FoldOutput
    ) throws(DaybookError) {
        guard log.count > 0 else { return }
        let stretches = log.stretches(
            rows: max(Self.rowsInBatch, log.count / Self.mostBatches),
            bytes: max(Self.bytesInBatch, log.bytes / Self.mostBatches)
        )
        let fields = entries.schema.fields
        let run = WindowRun(
            by: fields.prefix(asked.by.count).map(\.kind),
            columns: columns,
            times: times,
            sliceBytes: sliceBytes
        )
        let store = ResultStore(limit: limit, used: footprint, output.scratch)
        let batches = ResultBatches(stretches.map(log.numbers))
        let form = PackedForm(entries.schema, by: asked.keys, areNumbered: true)
        let results = try run.results(of: entries.runs, form, batches, store, output.scratch)
        entries.replaceRuns([])
        let rejects = results.reduce(into: Set()) { $0.formUnion($1.rejects) }
        let maker = WindowedBatches(log: log, results: results, columns: columns, names: names)
        for (number, stretch) in stretches.enumerated() {
            if rejects.contains(number) {
                let (batch, findings) = try maker.batch(number, stretch, about: sources)
                try output.emit(batch, findings)
            } else {
                let late = LateFindings(Findings()) { () throws(DaybookError) in
                    try maker.batch(number, stretch, about: sources).0
                }
                try output.emit(late)
            }
        }
    }
}

/// Makes rows with the columns of a window.
private struct WindowedBatches: Sendable {
    let log: RowLog
    let results: [PackedResults]
    let columns: [WindowColumn]
    let names: [ColumnName]

    func batch(
        _ number: Int,
        _ stretch: Range<Int>,
        about sources: [ColumnName?]
    ) throws(DaybookError) -> (Batch, Findings) {
        var batch = try log.batch(stretch)
        let made = columns.map { ResultColumn($0.kind, rows: batch.count) }
        let areForOthers = columns.map { if case .lead = $0.function { true } else { false } }
        for part in results {
            try part.read(number, into: made, areForOthers: areForOthers, first: log.numbers(of: stretch).lowerBound)
        }
        var findings = Findings()
        for (place, column) in made.enumerated() {
            batch = batch.setting(names[place], to: column.column())
            guard !column.tooLarge.isEmpty else { continue }
            let token = findings.token(.sumTooLarge, in: sources[place])
            for (row, message) in column.tooLarge.sorted(by: { $0.key < $1.key }) {
                findings.reject(Int(row), token, saying: message)
            }
        }
        return (batch, findings)
    }
}

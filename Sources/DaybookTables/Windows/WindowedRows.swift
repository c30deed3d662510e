/// Rows in input order, and the sorted values that windows need of each: the partial of `window_rows`.
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
        // Rows are read again in order, and the rest in another order: so the rest stays in memory as long as possible.
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
    /// The approximate limit of batches, since each slice has results for most of them.
    private static let mostBatches = 1_024

    /// Emits every row in input order, with the columns of the window.
    ///
    /// - Parameters:
    ///   - names: the names of the new columns.
    ///   - sources: the source column of each new one, for findings.
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
        let (log, areForOthers) = (log, columns.map { $0.function == .lead })
        /// Makes the rows of a stretch with the columns of the window.
        @Sendable func batch(_ number: Int) throws(DaybookError) -> (Batch, Findings) {
            var batch = try log.batch(stretches[number])
            let made = columns.map { ResultColumn($0.kind, rows: batch.count) }
            let first = log.numbers(of: stretches[number]).lowerBound
            for part in results { try part.read(number, into: made, areForOthers: areForOthers, first: first) }
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
        for number in stretches.indices {
            if rejects.contains(number) {
                let (batch, findings) = try batch(number)
                try output.emit(batch, findings)
            } else {
                try output.emit(LateFindings(Findings()) { () throws(DaybookError) in try batch(number).0 })
            }
        }
    }
}

/// Computes the columns of a window over rows sorted by group and order, and assigns each row its results in input
/// order.
///
/// Slices are sorted side by side, and each is computed from the first group that begins in it; the rows before, which
/// belong to an earlier slice's group, are computed slice after slice. So many groups use all threads, and a group over
/// many slices is still right. Results are laid out by input batch, like the results of groups: see `PackedResults`.
struct WindowRun: Sendable {
    /// The kinds of the group keys.
    let by: [ColumnKind]
    let columns: [WindowColumn]
    /// The column of time, as an index of the columns read.
    let times: Int?
    /// About how many bytes of rows are worked on at a time.
    let sliceBytes: Int

    /// A slice, its results, and the state of the functions after it.
    private struct Work: Sendable {
        var slice: WindowSlice
        var outputs: [WindowOutput]
        var functions: [any WindowFunction]
        /// The first row that was computed.
        var start: Int
    }

    /// The results of all rows.
    ///
    /// - Parameters:
    ///   - runs: sorted and numbered rows of the form.
    ///   - batches: the row numbers of each batch whose results are needed.
    func results(
        of runs: [PackedRun],
        _ form: PackedForm,
        _ batches: ResultBatches,
        _ store: ResultStore,
        _ scratch: any Scratch
    ) throws(DaybookError) -> [PackedResults] {
        let wave = max(1, scratch.threads) * 2
        let ranges = RunRange.ranges(of: runs, size: sliceBytes, threads: wave)
        let kinds = form.restKinds
        var results: [PackedResults] = []
        var functions = columns.map { $0.start(kinds, times: times) }
        var edge: WindowSlice.Edge?
        for part in ranges.indices.pieces(of: wave) {
            var works: [Work?] = try scratch.map(part.count) { (number) throws(DaybookError) in
                try begin(ranges[part.lowerBound + number], form, kinds)
            }
            for number in works.indices {
                guard var work = works[number].take() else { continue }
                work.slice.follow(edge)
                edge = work.slice.last
                for place in functions.indices {
                    try functions[place].enter(work.slice)
                    functions[place].compute(0..<work.start, of: work.slice, into: &work.outputs[place])
                    functions[place].leave(work.slice)
                }
                if work.start < work.slice.count { functions = work.functions }
                works[number] = work
            }
            results += try scratch.map(works.count) { [works] (number) throws(DaybookError) -> PackedResults? in
                guard let work = works[number] else { return nil }
                return try store.keep(PackedResults(work.outputs, of: work.slice, columns, batches))
            }
            .compactMap(\.self)
        }
        return results
    }

    /// Sorts a slice, and computes the rows that do not need the slice before. Nil if it has no rows.
    private func begin(_ range: RunRange, _ form: PackedForm, _ kinds: [ColumnKind]) throws(DaybookError) -> Work? {
        let rows = try range.rows()
        guard !rows.order.isEmpty else { return nil }
        let slice = WindowSlice(rows, form, by: by)
        let start = slice.firstGroup ?? slice.count
        var work = Work(slice: slice, outputs: [], functions: [], start: start)
        for column in columns {
            var output = WindowOutput(rows: slice.count)
            var function = column.start(kinds, times: times)
            function.compute(start..<slice.count, of: slice, into: &output)
            function.leave(slice)
            work.outputs.append(output)
            work.functions.append(function)
        }
        return work
    }
}

/// Where the rows of each batch of results begin, by their numbers.
struct ResultBatches: Sendable {
    let starts: [Int]
    /// The batch of the first row of each stretch of rows: any batch is found in a step or two from there.
    private let lookup: [Int32]
    private static let shift = 10

    init(_ ranges: [Range<Int>]) {
        starts = ranges.map(\.lowerBound)
        var lookup: [Int32] = []
        var batch = 0
        for first in stride(from: 0, to: ranges.last?.upperBound ?? 0, by: 1 << Self.shift) {
            while batch + 1 < ranges.count, starts[batch + 1] <= first { batch += 1 }
            lookup.append(Int32(truncatingIfNeeded: batch))
        }
        self.lookup = lookup
    }

    @inline(__always)
    func batch(of number: Int64) -> Int {
        let number = Int(number)
        var batch = Int(lookup[number >> Self.shift])
        while batch + 1 < starts.count, starts[batch + 1] <= number { batch += 1 }
        return batch
    }
}

/// Some columns of results, and the rows they belong to: rows of the slice, or, for each column, the rows before them.
private struct ResultSection {
    let columns: [ResultColumn]
    let numbers: [Int64]
    /// The rows with a result, batch by batch, and the end of each batch.
    private let order: [Int32]
    private let ends: [Int]

    init(_ columns: [ResultColumn], _ numbers: [Int64], _ batches: ResultBatches) {
        (self.columns, self.numbers) = (columns, numbers)
        var ends = [Int](repeating: 0, count: batches.starts.count)
        let places = numbers.map { $0 < 0 ? -1 : Int32(truncatingIfNeeded: batches.batch(of: $0)) }
        for place in places where place >= 0 { ends[Int(place)] += 1 }
        for batch in ends.indices.dropFirst() { ends[batch] += ends[batch - 1] }
        self.ends = ends
        var next = [0] + ends.dropLast()
        var order = [Int32](repeating: 0, count: ends.last ?? 0)
        for (row, place) in places.enumerated() where place >= 0 {
            order[next[Int(place)]] = Int32(truncatingIfNeeded: row)
            next[Int(place)] += 1
        }
        self.order = order
    }

    func rows(of batch: Int) -> ArraySlice<Int32> { order[(batch == 0 ? 0 : ends[batch - 1])..<ends[batch]] }
}

extension PackedResults {
    /// The results of a slice, to be found batch by batch.
    init(_ outputs: [WindowOutput], of slice: WindowSlice, _ columns: [WindowColumn], _ batches: ResultBatches) {
        func column(_ place: Int) -> ResultColumn {
            let output = outputs[place]
            return ResultColumn(
                columns[place].kind,
                words: output.words,
                isThere: output.isThere,
                text: slice.bytes,
                tooLarge: output.tooLarge
            )
        }
        let own = outputs.indices.filter { outputs[$0].targets == nil }
        var sections = own.isEmpty ? [] : [ResultSection(own.map(column), slice.numbers, batches)]
        for place in outputs.indices {
            guard let targets = outputs[place].targets else { continue }
            sections.append(ResultSection([column(place)], targets, batches))
        }
        let bytes = Bytes(capacity: 1 << 12)
        var (ends, rejects): ([Int], Set<Int>) = ([], [])
        for batch in batches.starts.indices {
            for section in sections {
                let rows = section.rows(of: batch)
                bytes.append(raw: UInt32(rows.count))
                guard !rows.isEmpty else { continue }
                bytes.append(packed: rows.map { section.numbers[Int($0)] }[...])
                for column in section.columns {
                    column.write(rows, to: bytes)
                    if !column.tooLarge.isEmpty, rows.contains(where: { column.tooLarge[$0] != nil }) {
                        rejects.insert(batch)
                    }
                }
            }
            ends.append(bytes.count)
        }
        self.init(bytes, ends: ends, rejects: rejects)
    }

    /// Fills in the results of a batch.
    ///
    /// - Parameters:
    ///   - columns: the columns of the batch, in the order of the window's.
    ///   - kinds: whether the results of a column belong to earlier rows.
    ///   - first: the number of the batch's first row.
    func read(_ batch: Int, into columns: [ResultColumn], areForOthers: [Bool], first: Int) throws(DaybookError) {
        let (bytes, range) = try bytes(of: batch)
        var reader = ByteReader(bytes.cell(range))
        defer { withExtendedLifetime(bytes) {} }
        let own = columns.indices.filter { !areForOthers[$0] }.map { columns[$0] }
        let others = columns.indices.filter { areForOthers[$0] }.map { [columns[$0]] }
        for section in (own.isEmpty ? [] : [own]) + others {
            let count = Int(try reader.raw(UInt32.self))
            guard count > 0 else { continue }
            let numbers: [Int64] = try reader.packed(count)
            let rows = numbers.map { Int32(truncatingIfNeeded: Int($0) - first) }
            for column in section { try column.read(&reader, to: rows[...]) }
        }
    }
}

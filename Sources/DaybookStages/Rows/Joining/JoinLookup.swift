/// The build side of a join, in which rows are found by their keys: in memory, or on disk where it takes more than may lie there.
struct JoinLookup: Sendable {
    /// What a join asks of its build side.
    struct Asked: Sendable {
        /// The columns of the key.
        var keys: [ColumnName]
        /// The columns that are taken, those of them that the build side has.
        var taken: [Field]
        /// Which of the rows with one key are meant.
        var choice: PackedRun.Choice
        /// Whether two rows with one key end the run.
        var refusesRepeats: Bool
        /// Whether rows that are not met will be asked for.
        var keepsRows: Bool
        /// What the build side is called.
        var name: String
        /// About how many bytes of partners are read from disk at a time.
        var partBytes: Int

        /// - Parameters:
        ///   - first: a row, by the batch that it stands in.
        ///   - second: one with the same key.
        func twice(_ first: (Batch, Int), _ second: (Batch, Int)) -> DaybookError {
            let (batch, row) = second
            let key = keys.map { "'\(batch[$0].spoken(row) ?? "")'" }.joined(separator: ", ")
            let lines = [first, second].compactMap { batch, row -> Int64? in
                guard case .gathered(let provenance) = batch.provenance else { return nil }
                let line = provenance[row].line
                return line > 0 ? line : nil
            }
            let places = lines.count == 2 ? ", in lines \(lines[0]) and \(lines[1])" : ""
            return DaybookError(
                "duplicate-key",
                "two rows of \(name) have the key \(key)\(places)",
                hint:
                    "'duplicates: all' keeps every one of them, and makes a row for each; where one is meant, make one of each key first, "
                    + "such as with summarise_rows, or swap the two under 'from'; 'duplicates: first' and 'last' leave the others out",
                blame: .data
            )
        }
    }

    /// The rows by their keys.
    fileprivate let index: Index
    /// All rows in their order, where those that are not met will be asked for.
    private let rows: BatchBuffer
    /// The numbers of rows that the choice leaves out.
    private let leftOut: RowSet

    fileprivate enum Index: Sendable {
        case memory(MemoryLookup)
        case disk(DiskLookup)
    }

    /// A lookup without rows.
    init() {
        index = .memory(MemoryLookup())
        rows = BatchBuffer(inMemory: [])
        leftOut = RowSet()
    }

    init(_ side: BuildSide, _ asked: Asked, memoryLimit: Int, _ scratch: any Scratch) throws(DaybookError) {
        var rows = side.rows
        // In memory rows are counted in 32 bits.
        if let batches = rows.inMemory, rows.rowCount < Int(Int32.max) {
            let lookup = try MemoryLookup(batches, asked, scratch)
            index = .memory(lookup)
            leftOut = lookup.leftOut
        } else {
            try rows.spill(to: scratch)
            let lookup = try DiskLookup(rows, asked, memoryLimit: memoryLimit, scratch)
            index = .disk(lookup)
            leftOut = lookup.leftOut
        }
        self.rows = asked.keepsRows ? rows : BatchBuffer(inMemory: [])
    }

    /// Calls `body` with the rows whose numbers are not among those that were met, in their order.
    func forEachUnmet(_ met: RowSet, _ body: (Batch) throws(DaybookError) -> Void) throws(DaybookError) {
        var first = 0
        try rows.forEachBatch { (batch) throws(DaybookError) in
            let rest = (0..<batch.count).filter { !met.contains(first + $0) && !leftOut.contains(first + $0) }
            first += batch.count
            if !rest.isEmpty { try body(batch.keeping(rest.map { Int32(truncatingIfNeeded: $0) })) }
        }
    }
}

/// Rows that are looked up: a batch of the probe side of a join.
struct JoinProbe: Sendable {
    private enum Keys: Sendable {
        case memory(MemoryLookup, [Int32])
        /// The keys, and the rows in their order.
        case disk(DiskLookup, RowKeys, [UInt32])
    }

    private let keys: Keys
    /// How many rows there are.
    let count: Int

    init(_ batch: Batch, by columns: [ColumnName], in lookup: JoinLookup) {
        count = batch.count
        switch lookup.index {
        case .memory(let lookup): keys = .memory(lookup, lookup.keys(of: batch, by: columns))
        case .disk(let lookup):
            let own = RowKeys(batch, by: columns)
            keys = .disk(lookup, own, own.sortedRows())
        }
    }

    /// The partners of the rows from one on: of all, or of as many as a piece of memory has room for.
    ///
    /// - Parameter last: those of the rows before, which tell how many there is room for.
    func partners(from row: Int, behind last: JoinPartners?) throws(DaybookError) -> JoinPartners {
        switch keys {
        case .memory(let lookup, let keys): return lookup.partners(of: keys)
        case .disk(let lookup, let keys, let order):
            let most = last.map { $0.rows.count * 2 } ?? count
            return try lookup.partners(of: keys, order, row..<min(row + most, count))
        }
    }

    /// Calls `body` with the partners of all rows, of some after others; once where there are no rows.
    func forEachPartners(_ body: (JoinPartners) -> Void) throws(DaybookError) {
        var last: JoinPartners?
        repeat {
            let partners = try partners(from: last?.rows.upperBound ?? 0, behind: last)
            body(partners)
            last = partners
        } while last?.rows.upperBound != count
    }

    /// The numbers of the rows that have the keys of these.
    func met() throws(DaybookError) -> RowSet {
        var met = RowSet()
        switch keys {
        case .memory(let lookup, let keys): lookup.note(keys, metIn: &met)
        case .disk(let lookup, let keys, let order): try lookup.note(keys, order, metIn: &met)
        }
        return met
    }
}

/// The partners of some rows of a batch.
struct JoinPartners: Sendable {
    /// These rows, by their numbers in the batch.
    let rows: Range<Int>
    /// The number of each row's key; −1 where it has no partner.
    private let keys: [Int32]
    /// Where the partners of each key begin, and where the last end; empty where each key has one, at the place of its number.
    private let starts: [Int32]
    private let values: TakenValues

    init(rows: Range<Int>, keys: [Int32], starts: [Int32], values: TakenValues) {
        (self.rows, self.keys, self.starts, self.values) = (rows, keys, starts, values)
    }

    @inline(__always)
    func hasPartner(_ row: Int) -> Bool { keys[row &- rows.lowerBound] >= 0 }

    /// The places of a row's partners; that of no row where it has none.
    @inline(__always)
    func places(of row: Int) -> Range<Int32> {
        let key = keys[row &- rows.lowerBound]
        guard key >= 0 else { return values.none..<values.none + 1 }
        return starts.isEmpty ? key..<key + 1 : starts[Int(key)]..<starts[Int(key) + 1]
    }

    /// The place of each row's partner, where it has one at most.
    var onlyPlaces: [Int32] {
        keys.map { $0 < 0 ? values.none : starts.isEmpty ? $0 : starts[Int($0)] }
    }

    /// The columns that are taken, of the partners in some places.
    func columns(of places: [Int32]) -> [Column] { values.columns.map { $0.keeping(places) } }
}

/// What is taken of rows, by place: a column each, and behind all rows one without values, so that rows of a join only point at them.
struct TakenValues: Sendable {
    private(set) var columns: [Column] = []
    /// The place that stands for no row.
    private(set) var none: Int32 = 0

    init() {}

    init(_ fields: [Field], of batches: [Batch], at places: [RowPick]) {
        none = Int32(truncatingIfNeeded: places.count)
        guard !fields.isEmpty else { return }
        let schema = Schema(fields)
        let gap = Batch(schema, fields.map { .missing($0.kind) }, count: 1, provenance: .made)
        let pieces = batches.map { batch in
            Batch(schema, fields.map { batch[ColumnName($0.name)] }, count: batch.count, provenance: .made)
        }
        columns = Batch.take(places + [RowPick(batch: pieces.count, row: 0)], from: pieces + [gap]).columns
    }
}

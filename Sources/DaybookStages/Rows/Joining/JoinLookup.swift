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
        /// The file of a source, as messages name it.
        var fileName: @Sendable (_ source: Int) -> String?
        /// About how many bytes of partners are read from disk at a time.
        var partBytes: Int

        /// - Parameters:
        ///   - first: a row, by the batch that it stands in.
        ///   - second: one with the same key.
        func twice(_ first: (Batch, Int), _ second: (Batch, Int)) -> DaybookError {
            let (batch, row) = second
            let key = keys.map { "'\(batch[$0].spoken(row) ?? "")'" }.joined(separator: ", ")
            let origins = [first, second].compactMap { batch, row -> RowOrigin? in
                guard case .gathered(let provenance) = batch.provenance, provenance[row].line > 0 else { return nil }
                return provenance[row]
            }
            let places = origins.count == 2 ? ", in \(spoken(origins[0], origins[1]))" : ""
            return DaybookError(
                "duplicate-key",
                "two rows of \(name) have the key \(key)\(places)",
                hint:
                    "'duplicates: all' keeps every one of them, and makes a row for each; where one is meant, make one of each key first, "
                    + "such as with summarise_rows, or swap the two under 'from'; 'duplicates: first' and 'last' leave the others out",
                blame: .data
            )
        }

        /// `lines 2 and 6`, `lines 2 and 6 of words.csv`, or `words-1.csv:2 and words-2.csv:2`.
        private func spoken(_ first: RowOrigin, _ second: RowOrigin) -> String {
            let files = [first, second].compactMap { fileName(Int($0.source)) }
            guard files.count == 2, first.source != second.source else {
                return "lines \(first.line) and \(second.line)" + (files.first.map { " of \($0)" } ?? "")
            }
            return "\(files[0]):\(first.line) and \(files[1]):\(second.line)"
        }
    }

    /// The rows by their keys.
    let index: Index
    /// All rows in their order, where those that are not met will be asked for.
    private let rows: BatchBuffer
    /// The numbers of rows that the choice leaves out.
    private let leftOut: RowSet

    enum Index: Sendable {
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

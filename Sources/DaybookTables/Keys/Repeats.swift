/// A row whose key an earlier row has, and the first such row.
package struct Repeat: BitwiseCopyable, Sendable {
    package var row: Int
    package var first: Int
}

/// Rows that repeat others, in input order: the first `wanted` with the first row of their key; the others are only
/// counted, or recorded if they are kept.
package struct Repeats: Sendable {
    package let wanted: Int
    private let scratch: any Scratch
    /// The limit of repeats in memory.
    private let limit: Int
    package private(set) var count = 0
    /// All repeats, if they are kept.
    package private(set) var rows = RowSet()
    package let keepsOthers: Bool
    private var kept: [Repeat] = []
    /// Repeats from here on are discarded, if only the first are wanted.
    private var bound = Int.max
    /// Repeats beyond the memory limit, partitioned by row.
    private var parted = PartitionedBytes()
    /// The number of rows of a part.
    private let stretch: Int

    /// The limit of repeats passed on at a time, so that an index among them has this many bits.
    package static let placeBits = 17
    private static let pieceSize = 1 << placeBits

    package init(first wanted: Int, keepsOthers: Bool = false, of rows: Int, scratch: any Scratch) {
        self.wanted = wanted
        self.keepsOthers = keepsOthers
        self.scratch = scratch
        limit = max(scratch.memoryLimit / 4, 4096) / MemoryLayout<Repeat>.stride
        stretch = rows / Parts.count + 1
    }

    /// How many are reported.
    package var reported: Int { min(count, wanted) }

    package mutating func append(_ new: Repeat) throws(DaybookError) {
        count += 1
        if keepsOthers { rows.insert(new.row) }
        guard new.row < bound, wanted > 0 else { return }
        kept.append(new)
        guard kept.count >= limit else { return }
        if wanted <= kept.count / 2 {
            keepFirst()
        } else {
            hold()
            try parted.spill(to: scratch)
        }
    }

    /// Records rows that repeat others by a bitmap; its first bit is the row `first`, a multiple of 64.
    package mutating func keep(rows words: [UInt64], from first: Int) { rows.insert(words: words, from: first) }

    /// Counts rows behind the wanted ones.
    mutating func countUnreported(_ rows: Int) { count += rows }

    private mutating func keepFirst() {
        kept.sort { $0.row < $1.row }
        kept.removeSubrange(wanted...)
        bound = kept.last?.row ?? bound
    }

    private mutating func hold() {
        let (kept, stretch) = (kept, stretch)
        parted.append(kept.count) { record in
            kept[record].row / stretch
        } length: { _ in
            MemoryLayout<Repeat>.size
        } write: { record, target in
            target.storeBytes(of: kept[record], as: Repeat.self)
        }
        self.kept.removeAll(keepingCapacity: true)
    }

    /// Calls `body` with the wanted repeats, in the order of their rows, piece by piece.
    package mutating func forEachPiece(_ body: ([Repeat]) throws(DaybookError) -> Void) throws(DaybookError) {
        var left = reported
        func hand(_ repeats: inout [Repeat]) throws(DaybookError) {
            repeats.sort { $0.row < $1.row }
            for start in stride(from: 0, to: min(repeats.count, left), by: Repeats.pieceSize) {
                try body(Array(repeats[start..<min(start + Repeats.pieceSize, repeats.count, left)]))
            }
            left -= min(left, repeats.count)
            repeats.removeAll(keepingCapacity: true)
        }
        guard parted.isOnDisk else { return try hand(&kept) }
        hold()
        var piece: [Repeat] = []
        for part in 0..<Parts.count {
            try parted.part(part).forEachRun { (records, _) throws(DaybookError) in
                for place in stride(from: 0, to: records.count, by: MemoryLayout<Repeat>.size) {
                    piece.append(records.loadUnaligned(fromByteOffset: place, as: Repeat.self))
                }
            }
            if piece.count >= Repeats.pieceSize { try hand(&piece) }
        }
        try hand(&piece)
    }
}

/// The place of a row in its source, as far as a message about another row can name it.
package struct RowPlace: Sendable, BitwiseCopyable {
    /// A file with rows.
    package struct Source: Sendable {
        package var path: String
        /// Whether the text read is only a part of the file, so that its line numbers mean nothing.
        package var isPart: Bool

        package init(path: String, isPart: Bool) { (self.path, self.isPart) = (path, isPart) }
    }

    /// -1 for a row that a stage made.
    var source: Int32
    /// The physical line, -1 in a part of a file, whose lines mean nothing, or 0 in a store.
    var line: Int64
    /// From 0; in a store the number by which `record(again:)` finds the row.
    var record: Int64

    /// The places of all rows of a batch.
    package static func places(of batch: Batch) -> [RowPlace] {
        guard case .gathered(let provenance) = batch.provenance.gathered() else {
            return [RowPlace](repeating: RowPlace(source: -1, line: -1, record: -1), count: batch.count)
        }
        var isPart = false
        if case .morsel(let morsel, _, _) = batch.provenance { isPart = morsel.holder != nil }
        return provenance.map { RowPlace(source: $0.source, line: isPart ? -1 : $0.line, record: $0.record) }
    }

    /// The place of one row; without an origin, of a row that a stage made.
    package init(_ origin: RowOrigin?, in sources: [Int32: Source]) {
        source = origin?.source ?? -1
        line = sources[source]?.isPart == true ? -1 : origin?.line ?? -1
        record = origin?.record ?? -1
    }

    private init(source: Int32, line: Int64, record: Int64) {
        (self.source, self.line, self.record) = (source, line, record)
    }

    private var origin: RowOrigin {
        RowOrigin(source: Int(source), offset: 0, length: 0, line: Int(line), record: Int(record))
    }

    /// Whether the row is in a store, which has no lines.
    private var isStored: Bool { line == 0 }

    /// Whether this row and the row at `other` have the same line: records of one line, as encoders write them, are
    /// distinguished by their pointers.
    private func needsPointer(beside other: RowPlace) -> Bool {
        line <= 0 || (line == other.line && source == other.source)
    }

    /// How a message about the row at `other` names this row: `line 12`, `line 12 of week-2.csv`, or a mark for the
    /// pointer if the line is meaningless. A row with such a mark is added to `named`.
    package func displayText(
        beside other: RowPlace,
        _ sources: [Int32: Source],
        naming named: inout [RowOrigin]
    ) -> String {
        guard source >= 0 else { return "another row" }
        var place = "line \(line)"
        if needsPointer(beside: other) {
            place = Findings.rowMark
            named.append(origin)
        }
        if source == other.source { return place }
        return sources[source].map { "\(place) of \($0.path)" } ?? "\(place) of another file"
    }

    /// `the key`, with a mark for the pointer to this row if only that distinguishes it from the row at `other`. A row
    /// of a store already has the pointer in its place.
    package func displayKey(beside other: RowPlace, naming named: inout [RowOrigin]) -> String {
        guard source >= 0, !isStored, needsPointer(beside: other) else { return "the key" }
        named.append(origin)
        return "the key of \(Findings.rowMark)"
    }
}

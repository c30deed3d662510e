/// Which of the rows of a key is stored.
package enum StoredRow: String, Sendable, CaseIterable {
    case first, last, newest

    /// Whether a row replaces an earlier one as the stored row of its key. Of two equally new rows, the later one does.
    @inline(__always)
    func prefers(_ later: KeyedRow, to earlier: KeyedRow) -> Bool {
        switch self {
        case .first: false
        case .last: true
        case .newest: later.rank ?? .min >= earlier.rank ?? .min && (later.rank != nil || earlier.rank == nil)
        }
    }
}

/// Rows and their keys: the partial of `deduplicate_rows`.
///
/// Rows, places and keys are bytes in input order, batch by batch, in memory or on disk. `chooseRows` decides at the
/// end which row of a key is stored. Numbers count the rows left: those beaten within their batch are gone.
public struct DistinctRows: FoldPartial, BinaryForm {
    public private(set) var foldedRows = 0
    private let keepsAll: Bool
    private var keys = PartitionedKeys()
    private var log = RowLog()
    package var places: CompactProvenance { log.places }
    /// Of the files, where rows have to be named.
    package private(set) var sources: [Int32: RowPlace.Source] = [:]
    /// The largest whole number among the keys.
    package private(set) var largest = Int64.min
    /// Duplicates, once they are known, each with the stored row of its key if that is reported.
    package private(set) var beaten = RowSet()
    package private(set) var winners = SpillLog()

    /// The number of rows that are not emitted: each key has one row, and each row without a key stays.
    package var droppedRows: Int { keepsAll ? 0 : foldedRows - log.count + beaten.count }

    /// - Parameters:
    ///   - by: the key columns.
    ///   - newestBy: the column that makes a row newer.
    ///   - keepsAll: whether every row is emitted, since each needs a finding or a new number.
    ///   - wantsLargest: whether the largest key is needed; keys are then whole numbers.
    package init(
        _ batch: Batch,
        by: [ColumnName],
        keep: StoredRow,
        newestBy: ColumnName?,
        keepsAll: Bool,
        wantsLargest: Bool
    ) {
        foldedRows = batch.count
        self.keepsAll = keepsAll
        guard batch.count > 0 else { return }
        let own = RowKeys(batch, by: by)
        let ranks = keep == .newest ? newestBy.map { Self.ranks(batch[$0]) } : nil
        var kept = Array(0..<Int32(truncatingIfNeeded: batch.count))
        if keepsAll {
            note(batch.provenance)
        } else {
            Self.dropRepeats(of: own, ranks, keep, from: &kept)
        }
        let rows = kept.count < batch.count ? batch.keeping(kept) : batch
        let keyed = kept.indices.filter { !own.gaps.isMissing(Int(kept[$0])) }
        let numbers = keyed.map { Int32(truncatingIfNeeded: $0) }
        keys.append(own, at: keyed.map { kept[$0] }, numbered: numbers, ranks: ranks)
        log.append(rows)
        if wantsLargest {
            let numbers = batch.integers(in: by[0])
            for row in keyed { largest = max(largest, numbers.elements[row]) }
        }
    }

    /// Leaves out the rows that another row of their batch beats.
    private static func dropRepeats(
        of keys: RowKeys,
        _ ranks: Values<Int64>?,
        _ keep: StoredRow,
        from rows: inout [Int32]
    ) {
        let codes = RowCodes(keys)
        guard codes.firsts.count < rows.count else { return }
        func keyed(_ row: Int32) -> KeyedRow {
            let rank = ranks.flatMap { $0.missing.isMissing(Int(row)) ? nil : $0.elements[Int(row)] }
            return KeyedRow(row: Int(row), rank: rank)
        }
        var best = codes.firsts
        for row in rows {
            let code = Int(codes.codes[Int(row)])
            if best[code] != row, keep.prefers(keyed(row), to: keyed(best[code])) { best[code] = row }
        }
        rows.removeAll { !keys.gaps.isMissing(Int($0)) && best[Int(codes.codes[Int($0)])] != $0 }
    }

    private mutating func note(_ provenance: Provenance) {
        switch provenance {
        case .morsel(let morsel, _, _): note(morsel.source, isPart: morsel.holder != nil)
        case .store(let source, _): note(source, isPart: false)
        case .gathered, .made: break
        }
    }

    private mutating func note(_ source: SourceName, isPart: Bool) {
        sources[Int32(truncatingIfNeeded: source.index)] = RowPlace.Source(path: source.path, isPart: isPart)
    }

    /// Newer is larger. Values other than numbers count as oldest.
    private static func ranks(_ column: Column) -> Values<Int64> {
        guard case .decimals(let values) = column else { return column.sortable }
        return values.mapValues { $0.isNaN ? .min : $0.canonical.sortable }
    }

    package mutating func merge(_ later: DistinctRows, limit: Int, _ scratch: any Scratch) throws(DaybookError) {
        keys.append(later.keys, raisedBy: log.count)
        try log.append(later.log)
        foldedRows += later.foldedRows
        largest = max(largest, later.largest)
        sources.merge(later.sources) { mine, _ in mine }
        // An eighth is reserved for the rows on their way here.
        guard log.footprint + keys.footprint > limit - limit / 8 else { return }
        // Rows are read again one after another, and keys in another order: so they stay in memory as long as they may.
        try log.spillRows(to: scratch)
        guard log.footprint + keys.footprint > limit / 2 else { return }
        try keys.spill(to: scratch)
        try log.spill(to: scratch)
    }

    /// Chooses the stored row of each key.
    package mutating func chooseRows(_ keep: StoredRow, _ scratch: any Scratch) throws(DaybookError) {
        let found = Repeats(first: keepsAll ? .max : 0, keepsOthers: true, of: log.count, scratch: scratch)
        let prefers: PartitionedKeys.Preference = { later, earlier in keep.prefers(later, to: earlier) }
        var repeats = try keys.gather(found, scratch, prefers: keep == .first ? nil : prefers)
        keys = PartitionedKeys()
        beaten = repeats.rows
        var winners = SpillLog()
        try repeats.forEachPiece { (piece) throws(DaybookError) in
            winners.append(values: piece.map { Int64($0.first) })
            if winners.footprint > scratch.memoryLimit / 4 { try winners.spill(to: scratch) }
        }
        self.winners = winners
    }

    package var batchCount: Int { log.batchCount }

    /// Batches that follow one another, in stretches that hold at least so much, but for the last.
    package func stretches(rows: Int, bytes: Int) -> [Range<Int>] { log.stretches(rows: rows, bytes: bytes) }

    /// The stored rows of some batches.
    package func kept(_ stretch: Range<Int>) throws(DaybookError) -> Batch {
        try log.batch(stretch) { batch, first in
            batch.keeping(rows: (0..<batch.count).filter { !beaten.contains(first + $0) })
        }
    }

    /// The rows of a batch, and the number of the first.
    package func rows(ofBatch index: Int) throws(DaybookError) -> (Batch, first: Int) { try log.rows(ofBatch: index) }
}

extension DistinctRows: KeyedPartial {
    public mutating func takeKeys(partitions: Int) -> [KeyPartition] {
        keys.takePartitions(partitions).map { KeyPartition($0, rows: log.count) }
    }

    public mutating func putBack(_ partition: KeyPartition, scratch: any Scratch) throws(DaybookError) {
        try keys.putBack(partition, scratch: scratch)
    }
}

extension DistinctRows {
    public func write(to bytes: Bytes) throws(DaybookError) {
        bytes.append(raw: UInt64(foldedRows))
        bytes.append(flag: keepsAll)
        bytes.append(raw: largest)
        try keys.write(to: bytes)
        try log.write(to: bytes)
        bytes.append(raw: UInt32(sources.count))
        for (index, source) in sources.sorted(by: { $0.key < $1.key }) {
            bytes.append(raw: index)
            bytes.append(counted: source.path)
            bytes.append(flag: source.isPart)
        }
    }

    public init(reading reader: inout ByteReader) throws(DaybookError) {
        foldedRows = Int(try reader.raw(UInt64.self))
        keepsAll = try reader.flag()
        largest = try reader.raw()
        keys = try PartitionedKeys(reading: &reader)
        log = try RowLog(reading: &reader)
        for _ in 0..<(try reader.raw(UInt32.self)) {
            let index: Int32 = try reader.raw()
            let path = try reader.text()
            sources[index] = RowPlace.Source(path: path, isPart: try reader.flag())
        }
    }
}

extension Batch {
    /// Some of the rows, in ascending order.
    package func keeping(rows: [Int]) -> Batch {
        rows.count == count ? self : keeping(rows.map { Int32(truncatingIfNeeded: $0) })
    }
}

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
            kept.sort { $0.row < $1.row }
            kept.removeSubrange(wanted...)
            bound = kept.last?.row ?? bound
        } else {
            hold()
            try parted.spill(to: scratch)
        }
    }

    /// Records rows that repeat others by a bitmap; its first bit is the row `first`, a multiple of 64.
    package mutating func keep(rows words: [UInt64], from first: Int) { rows.insert(words: words, from: first) }

    /// Counts rows behind the wanted ones.
    mutating func countUnreported(_ rows: Int) { count += rows }

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
            for part in (0..<min(repeats.count, left)).pieces(of: Repeats.pieceSize) { try body(Array(repeats[part])) }
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
        guard source >= 0, line != 0, needsPointer(beside: other) else { return "the key" }
        named.append(origin)
        return "the key of \(Findings.rowMark)"
    }
}

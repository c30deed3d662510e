import Synchronization

/// A row that has a key, and how new it is where that matters.
package struct KeyedRow {
    package var row: Int
    package var rank: Int64?

    package init(row: Int, rank: Int64? = nil) { (self.row, self.rank) = (row, rank) }
}

/// The keys of many rows, partitioned by hash, each with its row; in memory or on disk.
///
/// A record is the row in 4 bytes, the key length in 4 with a bit for an optional rank, the rank in 8, and the key.
package struct PartitionedKeys: Sendable {
    private var bytes = PartitionedBytes()

    package init() {}

    package var isEmpty: Bool { bytes.isEmpty }
    package var footprint: Int { bytes.footprint }

    private static let headSize = 8
    private static let rankBit: UInt32 = 1 << 31

    /// Adds the keys of a batch.
    ///
    /// - Parameters:
    ///   - places: which of `keys` are added; each has a value in every column.
    ///   - numbers: the rows of these keys, counted from `base`.
    ///   - ranks: the newness of each row of the batch.
    package mutating func append(
        _ keys: RowKeys,
        at places: [Int32],
        numbered numbers: [Int32],
        from base: Int = 0,
        ranks: Values<Int64>? = nil
    ) {
        func hasRank(_ place: Int32) -> Bool { ranks.map { !$0.missing.isMissing(Int(place)) } ?? false }
        bytes.append(places.count, base: base) { record in
            Parts.of(keys.hashes[Int(places[record])])
        } length: { record in
            Self.headSize + (hasRank(places[record]) ? 8 : 0) + keys.length(of: Int(places[record]))
        } write: { record, target in
            let place = places[record]
            let rank = hasRank(place) ? ranks?.elements[Int(place)] : nil
            keys.withKey(Int(place)) { Self.store(UInt32(bitPattern: numbers[record]), rank, $0, to: target) }
        }
    }

    @inline(__always)
    private static func store(_ row: UInt32, _ rank: Int64?, _ key: Cell, to target: UnsafeMutableRawPointer) {
        let length = UInt32(truncatingIfNeeded: key.count)
        target.storeBytes(of: row, as: UInt32.self)
        target.storeBytes(of: rank == nil ? length : length | rankBit, toByteOffset: 4, as: UInt32.self)
        var target = target + headSize
        if let rank {
            target.storeBytes(of: rank, as: Int64.self)
            target += 8
        }
        target.copyMemory(from: key.baseAddress.unsafelyUnwrapped, byteCount: key.count)
    }

    package mutating func append(_ later: PartitionedKeys, raisedBy rows: Int) {
        bytes.append(later.bytes, raisedBy: rows)
    }
    package mutating func spill(to scratch: any Scratch) throws(DaybookError) { try bytes.spill(to: scratch) }

    @inline(__always)
    private func forEachKey(of part: Int, _ body: (Cell, KeyedRow) throws(DaybookError) -> Void) throws(DaybookError) {
        try bytes.part(part).forEachRun { (records, base) throws(DaybookError) in
            var place = 0
            while place < records.count {
                guard place + Self.headSize <= records.count else { throw ByteReader.damaged }
                var row = KeyedRow(row: base &+ Int(records.loadUnaligned(fromByteOffset: place, as: UInt32.self)))
                let length = records.loadUnaligned(fromByteOffset: place + 4, as: UInt32.self)
                place += Self.headSize
                if length & Self.rankBit != 0 {
                    guard place + 8 <= records.count else { throw ByteReader.damaged }
                    row.rank = records.loadUnaligned(fromByteOffset: place, as: Int64.self)
                    place += 8
                }
                let end = place + Int(length & ~Self.rankBit)
                guard end <= records.count else { throw ByteReader.damaged }
                try body(Cell(rebasing: records.bindMemory(to: UInt8.self)[place..<end]), row)
                place = end
            }
        }
    }

    /// Whether a later row replaces an earlier one as the stored row of their key.
    package typealias Preference = @Sendable (_ later: KeyedRow, _ earlier: KeyedRow) -> Bool

    /// Finds the duplicates, each with the stored row of its key, and adds them to `repeats`. Several parts are
    /// searched concurrently.
    ///
    /// - Parameter prefers: nil if the first row of a key is always stored.
    package func gather(
        _ repeats: Repeats,
        _ scratch: any Scratch,
        prefers: Preference? = nil
    ) throws(DaybookError) -> Repeats {
        let repeats = Mutex(repeats)
        try scratch.concurrently(Parts.count) { (part) throws(DaybookError) in
            try forEachRepeat(of: part, prefers) { (found) throws(DaybookError) in
                try repeats.withLock { (repeats) throws(DaybookError) in
                    for one in found { try repeats.append(one) }
                }
            }
        }
        return repeats.withLock { $0 }
    }

    private func forEachRepeat(
        of part: Int,
        _ prefers: Preference?,
        _ body: ([Repeat]) throws(DaybookError) -> Void
    ) throws(DaybookError) {
        // A guess at how many keys differ.
        var index = KeyIndex(capacity: min(bytes.part(part).length / 32, 1 << 16))
        var best: [KeyedRow] = []
        if let prefers {
            try forEachKey(of: part) { (key, row) throws(DaybookError) in
                let number = index.number(of: key)
                if number == best.count {
                    best.append(row)
                } else if prefers(row, best[number]) {
                    best[number] = row
                }
            }
        }
        var found: [Repeat] = []
        try forEachKey(of: part) { (key, row) throws(DaybookError) in
            let number = index.number(of: key)
            if number == best.count { best.append(row) }
            guard best[number].row != row.row else { return }
            found.append(Repeat(row: row.row, first: best[number].row))
            guard found.count >= 1 << 14 else { return }
            try body(found)
            found.removeAll(keepingCapacity: true)
        }
        if !found.isEmpty { try body(found) }
    }

    /// Keeps only rows that share their key with another, with the number of the key's first row in place of the key.
    mutating func keepRepeated(_ scratch: any Scratch) throws(DaybookError) {
        let left = Mutex(PartitionedBytes())
        try scratch.concurrently(Parts.count) { [self] (part) throws(DaybookError) in
            try forEachRepeated(of: part) { (rows) throws(DaybookError) in
                try left.withLock { (left) throws(DaybookError) in
                    left.append(rows.count, base: rows[0].row.row) { _ in
                        part
                    } length: { record in
                        Self.headSize + (rows[record].row.rank == nil ? 0 : 8) + MemoryLayout<Int>.size
                    } write: { record, target in
                        let (row, first) = (rows[record].row, rows[record].first)
                        let number = UInt32(truncatingIfNeeded: row.row - rows[0].row.row)
                        withUnsafeBytes(of: first.littleEndian) { key in
                            Self.store(number, row.rank, key.bindMemory(to: UInt8.self), to: target)
                        }
                    }
                    if left.footprint > scratch.memoryLimit / 4 { try left.spill(to: scratch) }
                }
            }
        }
        bytes = left.withLock { $0 }
    }

    private func forEachRepeated(
        of part: Int,
        _ body: ([(row: KeyedRow, first: Int)]) throws(DaybookError) -> Void
    ) throws(DaybookError) {
        var index = KeyIndex(capacity: min(bytes.part(part).length / 32, 1 << 16))
        var keys: [(first: Int, isRepeated: Bool)] = []
        try forEachKey(of: part) { (key, row) throws(DaybookError) in
            let number = index.number(of: key)
            if number == keys.count { keys.append((row.row, false)) } else { keys[number].isRepeated = true }
        }
        var found: [(row: KeyedRow, first: Int)] = []
        try forEachKey(of: part) { (key, row) throws(DaybookError) in
            let number = index.number(of: key)
            guard keys[number].isRepeated else { return }
            // Rows are counted from the first of them, in 32 bits.
            if let first = found.first, found.count == 1 << 14 || row.row - first.row.row > Int(UInt32.max) {
                try body(found)
                found.removeAll(keepingCapacity: true)
            }
            found.append((row, keys[number].first))
        }
        if !found.isEmpty { try body(found) }
    }

    /// Moves all keys out, in partitions by their hashes.
    mutating func takePartitions(_ count: Int) -> [PartitionedKeys] {
        bytes.takePartitions(count).map { partition in
            var keys = PartitionedKeys()
            keys.bytes = partition
            return keys
        }
    }

    package func write(to out: Bytes) throws(DaybookError) { try bytes.write(to: out) }
    package init(reading reader: inout ByteReader) throws(DaybookError) {
        bytes = try PartitionedBytes(reading: &reader)
    }
}

/// A partition of the keys of some rows, for other processes to find the rows that share a key.
public struct KeyPartition: PartialKeys, BinaryForm {
    /// How many rows there are, whether or not this partition has their key.
    private var rows: Int
    private(set) var keys: PartitionedKeys

    package init(_ keys: PartitionedKeys, rows: Int) { (self.keys, self.rows) = (keys, rows) }

    public mutating func append(_ later: KeyPartition, scratch: any Scratch) throws(DaybookError) {
        keys.append(later.keys, raisedBy: rows)
        rows += later.rows
        if keys.footprint > scratch.memoryLimit / 2 { try keys.spill(to: scratch) }
    }

    public mutating func settle(scratch: any Scratch) throws(DaybookError) { try keys.keepRepeated(scratch) }

    public func write(to bytes: Bytes) throws(DaybookError) {
        bytes.append(raw: UInt64(rows))
        try keys.write(to: bytes)
    }

    public init(reading reader: inout ByteReader) throws(DaybookError) {
        rows = Int(truncatingIfNeeded: try reader.raw(UInt64.self))
        keys = try PartitionedKeys(reading: &reader)
    }
}

extension PartitionedKeys {
    /// Adds a partition of the same rows.
    package mutating func putBack(_ partition: KeyPartition, scratch: any Scratch) throws(DaybookError) {
        append(partition.keys, raisedBy: 0)
        if footprint > scratch.memoryLimit / 4 { try spill(to: scratch) }
    }
}

import Synchronization

/// A row that has a key, and how new it is where that matters.
package struct KeyedRow {
    package var row: Int
    package var rank: Int64?

    package init(row: Int, rank: Int64? = nil) {
        self.row = row
        self.rank = rank
    }
}

/// The keys of many rows, laid in parts by their hashes, each with its row; in memory or on disk.
///
/// A record is the row in 4 bytes, the length of the key in 4, with a bit that says whether a rank stands behind them in 8, and the key.
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
    ///   - places: which of `keys` are added; all of them have a value in each column.
    ///   - numbers: the rows in which these stand, counted from `base`.
    ///   - ranks: how new each row of the batch is.
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
            var target = target
            target.storeBytes(of: UInt32(bitPattern: numbers[record]), as: UInt32.self)
            let length = UInt32(truncatingIfNeeded: keys.length(of: Int(place)))
            let isRanked = hasRank(place)
            target.storeBytes(of: isRanked ? length | Self.rankBit : length, toByteOffset: 4, as: UInt32.self)
            target += Self.headSize
            if isRanked, let ranks {
                target.storeBytes(of: ranks.elements[Int(place)], as: Int64.self)
                target += 8
            }
            keys.withKey(Int(place)) { target.copyMemory(from: $0.baseAddress.unsafelyUnwrapped, byteCount: $0.count) }
        }
    }

    package mutating func append(_ later: PartitionedKeys, raisedBy rows: Int) {
        bytes.append(later.bytes, raisedBy: rows)
    }
    package mutating func spill(to scratch: any Scratch) throws(DaybookError) { try bytes.spill(to: scratch) }

    @inline(__always)
    private func forEachKey(
        of part: Int,
        _ body: (Cell, KeyedRow) throws(DaybookError) -> Void
    ) throws(DaybookError) {
        try bytes.part(part).forEachRun { (records, base) throws(DaybookError) in
            var place = 0
            while place < records.count {
                guard place + Self.headSize <= records.count else { throw ByteReader.damaged }
                var row = KeyedRow(
                    row: base &+ Int(records.loadUnaligned(fromByteOffset: place, as: UInt32.self)),
                    rank: nil
                )
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

    /// Whether a later row stands for its key rather than an earlier one.
    package typealias Preference = @Sendable (_ later: KeyedRow, _ earlier: KeyedRow) -> Bool

    /// Finds the rows that do not stand for their key, each with the row that does, and adds them to `repeats`. Several parts are looked
    /// through side by side.
    ///
    /// - Parameter prefers: nil where the first row always stands for its key.
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

    package func write(to out: Bytes) throws(DaybookError) { try bytes.write(to: out) }
    package init(reading reader: inout ByteReader) throws(DaybookError) {
        bytes = try PartitionedBytes(reading: &reader)
    }
}

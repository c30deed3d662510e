/// A row whose key an earlier row has, and the first such row.
package struct Repeat: BitwiseCopyable, Sendable {
    package var row: Int
    package var first: Int
}

/// Rows that repeat others, put in the order of the input: as many of the first ones as are wanted with the first row of their key,
/// the others only counted, or noted where they are kept.
package struct Repeats: Sendable {
    package let wanted: Int
    private let scratch: any Scratch
    /// How many are kept in memory.
    private let limit: Int
    package private(set) var count = 0
    /// All that repeat others, where these are kept.
    package private(set) var rows = RowSet()
    package let keepsOthers: Bool
    private var kept: [Repeat] = []
    /// What is not kept any more begins here, where only the first are wanted.
    private var bound = Int.max
    /// What did not fit, in parts by the rows.
    private var parted = PartitionedBytes()
    /// How many rows go to a part.
    private let stretch: Int

    /// At most so many are handed out at a time, so that a place among them has this many bits.
    package static let placeBits = 17
    private static let pieceSize = 1 << placeBits

    package init(first wanted: Int, keepsOthers: Bool = false, of rows: Int, scratch: any Scratch) {
        self.wanted = wanted
        self.keepsOthers = keepsOthers
        self.scratch = scratch
        limit = max(scratch.memoryLimit / 4, 4096) / MemoryLayout<Repeat>.stride
        stretch = rows / Parts.count + 1
    }

    /// How many are handed out.
    package var told: Int { min(count, wanted) }

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

    /// Notes rows that repeat others, a bit for each, the first of them with the number `first`, which is a multiple of 64.
    package mutating func keep(rows words: [UInt64], from first: Int) { rows.insert(words: words, from: first) }

    /// Counts rows that stand behind those that are wanted.
    mutating func countUntold(_ rows: Int) { count += rows }

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

    /// Calls `body` with those that are wanted, in the order of their rows, piece by piece.
    package mutating func forEachPiece(_ body: ([Repeat]) throws(DaybookError) -> Void) throws(DaybookError) {
        var left = told
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

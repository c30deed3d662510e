import DaybookCore

/// Finds the rows that repeat a key among those of one part, of which it holds only the first of each key.
struct KeyTable {
    private var firsts: [HashedKey] = []
    /// Open addressing: the place of a key in `firsts`, and 1; 0 where none is.
    private var slots = [UInt32](repeating: 0, count: 1 << 10)

    /// Calls `body` with each row of `keys` and of `others` that repeats an earlier one of either, part by part.
    ///
    /// Both have the keys of each part in the order of their rows.
    static func repeats(
        among keys: PartedBlocks<HashedKey>,
        and others: PartedBlocks<HashedKey>,
        _ body: (Repeat) throws(DaybookError) -> Void
    ) throws(DaybookError) {
        var table = KeyTable()
        for part in 0..<Parts.count {
            table.empty()
            var (cursor, otherCursor) = (keys.cursor(of: part), others.cursor(of: part))
            var piece = try cursor.next()?[...] ?? []
            var other = try otherCursor.next()?[...] ?? []
            while !piece.isEmpty || !other.isEmpty {
                if other.isEmpty || (!piece.isEmpty && piece[piece.startIndex].row < other[other.startIndex].row) {
                    for found in table.take(&piece, before: other.first) { try body(found) }
                    if piece.isEmpty { piece = try cursor.next()?[...] ?? [] }
                } else {
                    for found in table.take(&other, before: piece.first) { try body(found) }
                    if other.isEmpty { other = try otherCursor.next()?[...] ?? [] }
                }
            }
        }
    }

    private mutating func empty() {
        firsts.removeAll(keepingCapacity: true)
        slots.withUnsafeMutableBufferPointer { $0.update(repeating: 0) }
    }

    /// Takes the keys that stand before the row of `bound`, and gives those that repeat one.
    private mutating func take(_ keys: inout ArraySlice<HashedKey>, before bound: HashedKey?) -> [Repeat] {
        let own = bound.map { bound in keys.prefix { $0.row < bound.row } } ?? keys
        keys = keys.dropFirst(own.count)
        while (firsts.count + own.count) * 2 > slots.count { grow() }
        let mask = slots.count - 1
        var repeats: [Repeat] = []
        own.withUnsafeBufferPointer { own in
            slots.withUnsafeMutableBufferPointer { slots in
                for key in own {
                    var slot = KeyTable.slot(of: key) & mask
                    while slots[slot] != 0, !firsts[Int(slots[slot]) - 1].isSameKey(as: key) {
                        slot = (slot + 1) & mask
                    }
                    if slots[slot] == 0 {
                        firsts.append(key)
                        slots[slot] = UInt32(truncatingIfNeeded: firsts.count)
                    } else {
                        repeats.append(Repeat(row: key.row, first: firsts[Int(slots[slot]) - 1].row))
                    }
                }
            }
        }
        return repeats
    }

    private static func slot(of key: HashedKey) -> Int { Int(truncatingIfNeeded: KeyHash.spread(key.word) >> 20) }

    private mutating func grow() {
        slots = [UInt32](repeating: 0, count: slots.count * 2)
        let mask = slots.count - 1
        for (place, key) in firsts.enumerated() {
            var slot = KeyTable.slot(of: key) & mask
            while slots[slot] != 0 { slot = (slot + 1) & mask }
            slots[slot] = UInt32(truncatingIfNeeded: place + 1)
        }
    }
}

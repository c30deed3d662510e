import DaybookCore
import Dispatch
import Synchronization

/// Something that is known by a key.
protocol TableKey: BitwiseCopyable, Sendable {
    var hashed: HashedKey { get }
}

/// The keys of one part, each once.
struct KeyTable<Key: TableKey> {
    private var keys: [Key] = []
    /// Open addressing: the place of a key in `keys`, and 1; 0 where none is.
    private var slots = [UInt32](repeating: 0, count: 1 << 10)

    subscript(place: Int) -> Key {
        get { keys[place] }
        set { keys[place] = newValue }
    }

    mutating func removeAll() {
        keys.removeAll(keepingCapacity: true)
        slots.withUnsafeMutableBufferPointer { $0.update(repeating: 0) }
    }

    /// Adds a key, or gives the place of the one that is there.
    @inline(__always)
    mutating func insert(_ key: Key) -> Int? {
        let mask = slots.count - 1
        var slot = KeyTable.slot(of: key) & mask
        while slots[slot] != 0 {
            let place = Int(slots[slot]) - 1
            if keys[place].hashed.isSameKey(as: key.hashed) { return place }
            slot = (slot + 1) & mask
        }
        keys.append(key)
        slots[slot] = UInt32(truncatingIfNeeded: keys.count)
        if keys.count * 2 > slots.count { grow() }
        return nil
    }

    private static func slot(of key: Key) -> Int { Int(truncatingIfNeeded: KeyHash.spread(key.hashed.word) >> 20) }

    private mutating func grow() {
        slots = [UInt32](repeating: 0, count: slots.count * 2)
        let mask = slots.count - 1
        for (place, key) in keys.enumerated() {
            var slot = KeyTable.slot(of: key) & mask
            while slots[slot] != 0 { slot = (slot + 1) & mask }
            slots[slot] = UInt32(truncatingIfNeeded: place + 1)
        }
    }
}

extension KeyTable where Key == HashedKey {
    /// Calls `body` with each row of `keys` and of `others` that repeats an earlier one of either, part by part; several parts
    /// are looked through side by side.
    ///
    /// Both have the keys of each part in the order of their rows.
    static func repeats(
        among keys: PartedBlocks<HashedKey>,
        and others: PartedBlocks<HashedKey>,
        threads: Int,
        _ body: (Repeat) throws(DaybookError) -> Void
    ) throws(DaybookError) {
        // So many at a time, since what is found in them waits in memory.
        for first in stride(from: 0, to: Parts.count, by: 8 * threads) {
            let parts = first..<min(first + 8 * threads, Parts.count)
            let found = Mutex([Int: Result<[Repeat], DaybookError>]())
            DispatchQueue.concurrentPerform(iterations: threads) { thread in
                var table = KeyTable()
                for part in parts where part % threads == thread {
                    let result: Result<[Repeat], DaybookError>
                    do throws(DaybookError) {
                        result = .success(try table.repeats(in: part, of: keys, and: others))
                    } catch { result = .failure(error) }
                    found.withLock { $0[part] = result }
                }
            }
            let results = found.withLock { $0 }
            for part in parts { for one in try results[part]?.get() ?? [] { try body(one) } }
        }
    }

    private mutating func repeats(
        in part: Int,
        of keys: PartedBlocks<HashedKey>,
        and others: PartedBlocks<HashedKey>
    ) throws(DaybookError) -> [Repeat] {
        removeAll()
        var found: [Repeat] = []
        var (cursor, otherCursor) = (keys.cursor(of: part), others.cursor(of: part))
        var piece = try cursor.next()?[...] ?? []
        var other = try otherCursor.next()?[...] ?? []
        while !piece.isEmpty || !other.isEmpty {
            if other.isEmpty || (!piece.isEmpty && piece[piece.startIndex].row < other[other.startIndex].row) {
                take(&piece, before: other.first, &found)
                if piece.isEmpty { piece = try cursor.next()?[...] ?? [] }
            } else {
                take(&other, before: piece.first, &found)
                if other.isEmpty { other = try otherCursor.next()?[...] ?? [] }
            }
        }
        return found
    }

    /// Takes the keys that stand before the row of `bound`, and adds those that repeat one.
    private mutating func take(_ keys: inout ArraySlice<HashedKey>, before bound: HashedKey?, _ found: inout [Repeat]) {
        let own = bound.map { bound in keys.prefix { $0.row < bound.row } } ?? keys
        keys = keys.dropFirst(own.count)
        for key in own {
            if let place = insert(key) { found.append(Repeat(row: key.row, first: self[place].row)) }
        }
    }
}

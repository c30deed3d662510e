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
    /// Calls `body` with each row that repeats an earlier one, part by part; several parts are looked through side by side.
    ///
    /// - Parameter keys: laid in parts, each in the order of its rows.
    static func repeats(
        among keys: PartedBlocks<HashedKey>,
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
                        result = .success(try table.repeats(in: part, of: keys))
                    } catch { result = .failure(error) }
                    found.withLock { $0[part] = result }
                }
            }
            let results = found.withLock { $0 }
            for part in parts { for one in try results[part]?.get() ?? [] { try body(one) } }
        }
    }

    private mutating func repeats(in part: Int, of keys: PartedBlocks<HashedKey>) throws(DaybookError) -> [Repeat] {
        removeAll()
        var found: [Repeat] = []
        var cursor = keys.cursor(of: part)
        while let piece = try cursor.next() {
            for key in piece {
                if let place = insert(key) { found.append(Repeat(row: key.row, first: self[place].row)) }
            }
        }
        return found
    }
}

import DaybookCore

/// Distinct keys, each with its number in the order in which they were met.
///
/// A hash table with open addressing over the bytes of the keys, which lie one behind another; a key costs its bytes and about
/// 24 more. The hash is Swift's own, seeded anew in every process, so that nobody can write rows whose keys all collide; it
/// decides only where a key lies in the table, never what comes out.
struct KeyIndex: Sendable {
    private var bytes: [UInt8] = []
    /// Where each key ends.
    private var ends: [Int] = []
    /// The upper half of each key's hash, which tells most keys apart without a look at their bytes.
    private var marks: [UInt32] = []
    /// The number of a key and 1, or 0 for a free place. Their count is a power of two.
    private var slots: [UInt32]

    /// - Parameter capacity: how many keys will come, as far as that is known.
    init(capacity: Int = 0) {
        var size = 16
        while size < capacity * 2 { size *= 2 }
        slots = [UInt32](repeating: 0, count: size)
        ends.reserveCapacity(capacity)
        marks.reserveCapacity(capacity)
    }

    var count: Int { ends.count }

    /// The number of a key, which is `count` as it was before when the key is new.
    @inline(__always)
    mutating func number(of key: Cell) -> Int {
        let hash = Self.hash(key)
        let slot = slot(of: key, hash)
        if slots[slot] > 0 { return Int(slots[slot]) - 1 }
        precondition(ends.count < Int(UInt32.max), "an index cannot hold more than 4 milliard keys")
        slots[slot] = UInt32(ends.count + 1)
        marks.append(Self.mark(hash))
        bytes.append(contentsOf: key)
        ends.append(bytes.count)
        if ends.count * 2 > slots.count { grow() }
        return ends.count - 1
    }

    /// The number of a key, or -1 when it has never been met.
    func find(_ key: Cell) -> Int { Int(slots[slot(of: key, Self.hash(key))]) - 1 }

    /// The place in the table where a key is, or where it would be.
    @inline(__always)
    private func slot(of key: Cell, _ hash: UInt64) -> Int {
        let mark = Self.mark(hash)
        var slot = Int(truncatingIfNeeded: hash) & (slots.count - 1)
        while slots[slot] > 0 {
            let number = Int(slots[slot]) - 1
            if marks[number] == mark, holds(key, at: number) { break }
            slot = (slot + 1) & (slots.count - 1)
        }
        return slot
    }

    private static func hash(_ key: Cell) -> UInt64 {
        var hasher = Hasher()
        hasher.combine(bytes: UnsafeRawBufferPointer(key))
        return UInt64(bitPattern: Int64(hasher.finalize()))
    }

    private static func mark(_ hash: UInt64) -> UInt32 { UInt32(truncatingIfNeeded: hash >> 32) }

    /// About how many bytes it takes in memory.
    var footprint: Int { bytes.count + ends.count * 12 + slots.count * 4 }

    /// Which of 256 parts a key belongs to, alike in all indices of a process.
    func part(of number: Int) -> UInt8 { UInt8(truncatingIfNeeded: marks[number] >> 24) }

    /// Calls `body` with the bytes of a key.
    func withKey<Result>(_ number: Int, _ body: (Cell) -> Result) -> Result {
        let start = number == 0 ? 0 : ends[number - 1]
        return bytes.withUnsafeBufferPointer { body(Cell(rebasing: $0[start..<ends[number]])) }
    }

    /// The numbers in the order of their keys, byte by byte, none of which may be the beginning of another.
    func sortedNumbers() -> [Int] {
        bytes.withUnsafeBufferPointer { bytes in
            ends.indices.sorted { first, second in
                var one = first == 0 ? 0 : ends[first - 1]
                var other = second == 0 ? 0 : ends[second - 1]
                while one < ends[first], other < ends[second], bytes[one] == bytes[other] {
                    one += 1
                    other += 1
                }
                return one < ends[first] && other < ends[second] && bytes[one] < bytes[other]
            }
        }
    }

    private func holds(_ key: Cell, at number: Int) -> Bool {
        withKey(number) { mine in
            guard mine.count == key.count else { return false }
            for place in 0..<key.count where mine[place] != key[place] { return false }
            return true
        }
    }

    private mutating func grow() {
        slots = [UInt32](repeating: 0, count: slots.count * 2)
        for number in ends.indices {
            var slot = Int(truncatingIfNeeded: withKey(number, Self.hash)) & (slots.count - 1)
            while slots[slot] > 0 { slot = (slot + 1) & (slots.count - 1) }
            slots[slot] = UInt32(number + 1)
        }
    }
}

extension KeyIndex {
    func write(to out: Bytes) {
        out.append(raw: UInt64(ends.count))
        for number in ends.indices {
            withKey(number) { key in
                out.append(raw: UInt32(key.count))
                out.append(key)
            }
        }
    }

    init(reading reader: inout ByteReader) throws(DaybookError) {
        let count = try reader.raw(UInt64.self)
        // A count that is damaged must not ask for memory.
        self.init(capacity: Int(truncatingIfNeeded: min(count, 1 << 20)))
        for _ in 0..<count {
            let length = Int(try reader.raw(UInt32.self))
            _ = number(of: try reader.take(length))
        }
    }
}

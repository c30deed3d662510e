import CXXHash

/// Distinct keys, each with its number in the order in which they were met.
///
/// A hash table with open addressing and linear probing over the bytes of the keys, which are stored one behind
/// another; a key costs its bytes and about 20 more. The hash is XXH3 with a seed that each process draws anew, so that
/// nobody can write rows whose keys all collide; it decides only the slot of a key, never the result.
package struct KeyIndex: Sendable {
    private var bytes: [UInt8] = []
    /// Where each key ends.
    private var ends: [Int] = []
    /// The number of a key plus 1 in the upper half, the lower half of its hash in the lower one; 0 is a free slot.
    /// Their count is a power of two.
    private var slots: [UInt64]

    /// - Parameter capacity: the expected number of keys, as far as that is known.
    package init(capacity: Int = 0) {
        var size = 16
        while size * 3 < capacity * 4 { size *= 2 }
        slots = [UInt64](repeating: 0, count: size)
        ends.reserveCapacity(capacity)
    }

    package var count: Int { ends.count }
    /// Bytes in memory.
    package var footprint: Int { bytes.count + (ends.count + slots.count) * 8 }

    /// The hash of a key. Its lower half is for the table, its upper half for partitioning keys.
    @inline(__always)
    package static func hash(_ key: Cell) -> UInt64 { xxh3_key(key.baseAddress, key.count, KeyHash.seed) }

    /// The number of a key, which is `count` as it was before when the key is new.
    @inline(__always)
    package mutating func number(of key: Cell) -> Int { number(of: key, Self.hash(key)) }

    /// The number of a key that is in no batch.
    package mutating func number(of key: [UInt8]) -> Int { key.withUnsafeBufferPointer { number(of: $0) } }

    /// - Parameter hash: the result of `hash` for the key.
    package mutating func number(of key: Cell, _ hash: UInt64) -> Int {
        let slot = slot(of: key, hash)
        if slots[slot] != 0 { return Int(slots[slot] >> 32) - 1 }
        precondition(ends.count < Int(UInt32.max), "an index cannot hold more than 4 milliard keys")
        slots[slot] = UInt64(ends.count + 1) << 32 | hash & 0xFFFF_FFFF
        append(key)
        if ends.count * 4 > slots.count * 3 { grow() }
        return ends.count - 1
    }

    /// The numbers of several adjacent keys.
    package mutating func numbers(of keys: Cell, _ lengths: [UInt32]) -> [Int32] {
        reserve(ends.count + lengths.count)
        // Moved out, so that each can be changed while the others are read.
        var (bytes, ends, slots) = (bytes, ends, slots)
        (self.bytes, self.ends, self.slots) = ([], [], [])
        defer { (self.bytes, self.ends, self.slots) = (bytes, ends, slots) }
        var (start, end) = (0, bytes.count)
        // Appends all keys; in the end only the new ones stay, adjacent.
        bytes.append(contentsOf: keys)
        defer { bytes.removeLast(bytes.count - end) }
        let mask = slots.count &- 1
        return slots.withUnsafeMutableBufferPointer { slots in
            bytes.withUnsafeMutableBufferPointer { bytes in
                [Int32](unsafeUninitializedCapacity: lengths.count) { numbers, filled in
                    for length in lengths {
                        let key = Cell(rebasing: keys[start..<start &+ Int(length)])
                        start &+= key.count
                        let mark = Self.hash(key) & 0xFFFF_FFFF
                        var slot = Int(truncatingIfNeeded: mark) & mask
                        while slots[slot] != 0 {
                            if slots[slot] & 0xFFFF_FFFF == mark {
                                let number = Int(slots[slot] >> 32) &- 1
                                let first = number > 0 ? ends[number &- 1] : 0
                                if key.hasBytes(of: Cell(rebasing: bytes[first..<ends[number]])) { break }
                            }
                            slot = (slot &+ 1) & mask
                        }
                        if slots[slot] == 0 {
                            if !key.isEmpty { key.copy(to: bytes.baseAddress! + end) }
                            end &+= key.count
                            ends.append(end)
                            slots[slot] = UInt64(ends.count) << 32 | mark
                        }
                        let number = Int32(truncatingIfNeeded: Int(slots[slot] >> 32) &- 1)
                        numbers.initializeElement(at: filled, to: number)
                        filled &+= 1
                    }
                }
            }
        }
    }

    /// Grows the table for as many keys.
    package mutating func reserve(_ count: Int) { while count * 4 > slots.count * 3 { grow() } }

    /// Adds a key that differs from all others, if no key will be looked up.
    @inline(__always)
    package mutating func append(_ key: Cell) {
        bytes.append(contentsOf: key)
        ends.append(bytes.count)
    }

    /// The number of a key, or -1 when it has never been met.
    package func find(_ key: Cell) -> Int { find(key, Self.hash(key)) }

    /// The place in the table where a key is, or where it would be.
    @inline(__always)
    private func slot(of key: Cell, _ hash: UInt64) -> Int {
        let mark = hash & 0xFFFF_FFFF
        let mask = slots.count &- 1
        var slot = Int(truncatingIfNeeded: mark) & mask
        while slots[slot] != 0 {
            if slots[slot] & 0xFFFF_FFFF == mark, holds(key, at: Int(slots[slot] >> 32) &- 1) { break }
            slot = (slot &+ 1) & mask
        }
        return slot
    }

    /// Calls `body` with the bytes of a key.
    @inline(__always)
    package func withKey<Result>(_ number: Int, _ body: (Cell) -> Result) -> Result {
        let start = number == 0 ? 0 : ends[number &- 1]
        return bytes.withUnsafeBufferPointer { body(Cell(rebasing: $0[start..<ends[number]])) }
    }

    /// How many bytes a key has.
    package func length(of number: Int) -> Int { ends[number] - (number == 0 ? 0 : ends[number - 1]) }

    /// The numbers in byte order of their keys. No key may be a prefix of another.
    func sortedNumbers() -> [Int32] {
        struct Entry {
            var prefix: UInt64
            var number: Int32
        }
        var entries = ends.indices.map { Entry(prefix: prefix(of: $0), number: Int32(truncatingIfNeeded: $0)) }
        entries.sort { first, second in
            if first.prefix != second.prefix { return first.prefix < second.prefix }
            return withKey(Int(first.number)) { one in withKey(Int(second.number)) { one.comesBefore($0) } }
        }
        return entries.map(\.number)
    }

    /// The first eight bytes of a key as a number, which decides most comparisons.
    package func prefix(of number: Int) -> UInt64 {
        withKey(number) { key in
            var prefix: UInt64 = 0
            for place in 0..<8 { prefix = prefix << 8 | (place < key.count ? UInt64(key[place]) : 0) }
            return prefix
        }
    }

    @inline(__always)
    private func holds(_ key: Cell, at number: Int) -> Bool { withKey(number) { $0.hasBytes(of: key) } }

    private mutating func grow() {
        let old = slots
        slots = [UInt64](repeating: 0, count: old.count * 2)
        let mask = slots.count - 1
        slots.withUnsafeMutableBufferPointer { slots in
            for entry in old where entry != 0 {
                var slot = Int(truncatingIfNeeded: entry & 0xFFFF_FFFF) & mask
                while slots[slot] != 0 { slot = (slot &+ 1) & mask }
                slots[slot] = entry
            }
        }
    }
}

extension KeyIndex: BinaryForm {
    /// Writes the lengths of all keys, and then their concatenated bytes.
    func writePacked(to out: Bytes) {
        out.append(packed: ends.indices.map { UInt32(truncatingIfNeeded: length(of: $0)) }[...])
        bytes.withUnsafeBufferPointer { out.append($0) }
    }

    package func write(to out: Bytes) {
        out.append(raw: UInt32(count))
        writePacked(to: out)
    }

    package init(reading reader: inout ByteReader) throws(DaybookError) {
        self.init()
        let count = Int(try reader.raw(UInt32.self))
        let (keys, lengths) = try reader.keys(count)
        _ = numbers(of: keys, lengths)
        guard self.count == count else { throw ByteReader.damaged }
    }
}

extension ByteReader {
    /// As many keys as `writePacked` has written.
    mutating func keys(_ count: Int) throws(DaybookError) -> (keys: Cell, lengths: [UInt32]) {
        // A damaged count must not demand memory: of more than one key, each has a byte.
        guard count <= 1 || count <= left else { throw ByteReader.damaged }
        let lengths: [UInt32] = try packed(count)
        return (try take(lengths.reduce(0) { $0 + Int($1) }), lengths)
    }
}

extension KeyIndex {
    /// The number of the key of each row; -1 where it has never been met.
    ///
    /// The keys to look up are anywhere in memory, so 64 rows take each step before the first takes the next: the
    /// processor then waits for many loads at a time.
    package func find(_ keys: RowKeys) -> [Int32] {
        let size = 64
        var places = [Range<Int>](repeating: 0..<0, count: size)
        return [Int32](unsafeUninitializedCapacity: keys.count) { found, filled in
            places.withUnsafeMutableBufferPointer { places in
                for start in stride(from: 0, to: keys.count, by: size) {
                    let rows = start..<min(start + size, keys.count)
                    for row in rows {
                        let number = firstNumber(markedAs: keys.hashes[row])
                        found.initializeElement(at: row, to: Int32(truncatingIfNeeded: number))
                    }
                    for row in rows {
                        let number = Int(found[row])
                        places[row &- start] = number < 0 ? 0..<0 : (number == 0 ? 0 : ends[number &- 1])..<ends[number]
                    }
                    for row in rows where found[row] >= 0 {
                        keys.withKey(row) { key in
                            if holds(key, in: places[row &- start]) { return }
                            found[row] = Int32(truncatingIfNeeded: find(key, keys.hashes[row]))
                        }
                    }
                }
            }
            filled = keys.count
        }
    }

    private func find(_ key: Cell, _ hash: UInt64) -> Int { Int(slots[slot(of: key, hash)] >> 32) - 1 }

    /// The first key with the lower half of this hash, which is nearly always the right key; -1 if there is none.
    @inline(__always)
    private func firstNumber(markedAs hash: UInt64) -> Int {
        let mark = hash & 0xFFFF_FFFF
        let mask = slots.count &- 1
        var slot = Int(truncatingIfNeeded: mark) & mask
        while slots[slot] != 0, slots[slot] & 0xFFFF_FFFF != mark { slot = (slot &+ 1) & mask }
        return Int(slots[slot] >> 32) &- 1
    }

    @inline(__always)
    private func holds(_ key: Cell, in place: Range<Int>) -> Bool {
        guard key.count == place.count else { return false }
        return bytes.withUnsafeBufferPointer { bytes in
            key.isEmpty || memcmp(bytes.baseAddress! + place.lowerBound, key.baseAddress!, key.count) == 0
        }
    }
}

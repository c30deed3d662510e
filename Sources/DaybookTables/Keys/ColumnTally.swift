/// The distinct values of one column of one batch: the first row of each, and its count.
///
/// Comparing two values costs far less than classifying one, and most columns have few; so an analysis of a batch
/// examines each distinct value once. The values are in the order of their first rows.
package struct ColumnTally: ~Copyable {
    package struct Entry: BitwiseCopyable {
        /// The same for the same value on every machine.
        package var hash: UInt64
        package var row: UInt32
        package var count: UInt32
    }

    private let memory: UnsafeMutablePointer<Entry>
    /// A row of few and wide cells may be counted with capacity for no more than that row.
    private let capacity: Int
    package private(set) var count = 0
    /// Rows that have a value.
    package private(set) var present = 0
    private var slots: UnsafeMutablePointer<UInt64>
    private var slotCount: Int

    /// How many slots of the table are probed for a value; if all are taken, it is listed a second time. That only
    /// happens in tables written to provoke it, and sums over the values are still right.
    private static let patience = 256
    private static let firstSlots = 256

    package init(_ column: Column) {
        capacity = max(1, column.count)
        memory = .allocate(capacity: capacity)
        slotCount = ColumnTally.firstSlots
        slots = .allocate(capacity: slotCount)
        slots.initialize(repeating: 0, count: slotCount)
        switch column {
        case .text(let texts), .json(let texts): countTexts(texts)
        case .integers(let values), .instants(let values): countValues(values) { UInt64(bitPattern: $0) }
        case .decimals(let values): countValues(values) { $0.bitPattern }
        case .flags(let values): countValues(values) { $0 ? 1 : 0 }
        case .days(let values): countValues(values) { UInt64(UInt32(bitPattern: $0)) }
        }
    }

    deinit {
        memory.deallocate()
        slots.deallocate()
    }

    package subscript(_ index: Int) -> Entry { memory[index] }

    // MARK: - Counting

    private mutating func countTexts(_ texts: TextColumn) {
        let base = texts.bytes.base
        texts.views.withUnsafeBufferPointer { views in
            for row in 0..<views.count where !texts.missing.isMissing(row) {
                let view = views[row]
                let start = UnsafeRawPointer(base + Int(view.offset))
                let length = Int(view.length)
                count(row, ValueHash.of(start, length)) { first in
                    let other = views[first]
                    return other.length == view.length
                        && ValueHash.areEqual(start, UnsafeRawPointer(base + Int(other.offset)), length)
                }
            }
        }
        withExtendedLifetime(texts) {}
    }

    @inline(__always)
    private mutating func countValues<Element>(_ values: Values<Element>, _ bits: (Element) -> UInt64) {
        let missing = values.missing
        values.elements.withUnsafeBufferPointer { elements in
            for row in 0..<elements.count where !missing.isMissing(row) {
                let value = bits(elements[row])
                count(row, ValueHash.of(value)) { bits(elements[$0]) == value }
            }
        }
    }

    @inline(__always)
    private mutating func count(_ row: Int, _ hash: UInt64, _ isEqual: (_ first: Int) -> Bool) {
        present &+= 1
        let mark = hash & 0xFFFF_FFFF_0000_0000
        var slot = Int(truncatingIfNeeded: hash) & (slotCount &- 1)
        var tries = 0
        while tries < ColumnTally.patience {
            let held = slots[slot]
            if held == 0 {
                memory[count] = Entry(hash: hash, row: UInt32(truncatingIfNeeded: row), count: 1)
                count &+= 1
                slots[slot] = mark | UInt64(truncatingIfNeeded: count)
                if count &* 2 > slotCount { grow() }
                return
            }
            if held & 0xFFFF_FFFF_0000_0000 == mark {
                let entry = Int(truncatingIfNeeded: held & 0xFFFF_FFFF) &- 1
                if isEqual(Int(memory[entry].row)) {
                    memory[entry].count &+= 1
                    return
                }
            }
            slot = (slot &+ 1) & (slotCount &- 1)
            tries &+= 1
        }
        memory[count] = Entry(hash: hash, row: UInt32(truncatingIfNeeded: row), count: 1)
        count &+= 1
    }

    private mutating func grow() {
        slots.deallocate()
        slotCount *= 4
        slots = .allocate(capacity: slotCount)
        slots.initialize(repeating: 0, count: slotCount)
        for index in 0..<count {
            let hash = memory[index].hash
            var slot = Int(truncatingIfNeeded: hash) & (slotCount &- 1)
            var tries = 0
            while slots[slot] != 0, tries < ColumnTally.patience {
                slot = (slot &+ 1) & (slotCount &- 1)
                tries &+= 1
            }
            if slots[slot] == 0 {
                slots[slot] = hash & 0xFFFF_FFFF_0000_0000 | UInt64(truncatingIfNeeded: index &+ 1)
            }
        }
    }
}

/// Hashes that are the same in every process, so that an estimate made of them is too.
package enum ValueHash {
    /// The hash of some bytes, which must lie in a `Bytes`: up to seven bytes behind them are read.
    @inline(__always)
    package static func of(_ start: UnsafeRawPointer, _ length: Int) -> UInt64 {
        var hash = UInt64(truncatingIfNeeded: length) &* 0x9E37_79B9_7F4A_7C15
        var place = 0
        while place &+ 8 <= length {
            hash = (hash ^ start.loadUnaligned(fromByteOffset: place, as: UInt64.self)) &* 0xD6E8_FEB8_6659_FD93
            hash ^= hash >> 32
            place &+= 8
        }
        if place < length {
            let rest = start.loadUnaligned(fromByteOffset: place, as: UInt64.self)
            let kept = rest.littleEndian & (.max >> UInt64(truncatingIfNeeded: 64 &- (length &- place) &* 8))
            hash = (hash ^ kept) &* 0xD6E8_FEB8_6659_FD93
        }
        return mixed(hash)
    }

    @inline(__always)
    package static func of(_ bits: UInt64) -> UInt64 { mixed(bits ^ 0x9E37_79B9_7F4A_7C15) }

    /// Every bit of the result depends on every bit of `hash`.
    ///
    /// Source: Austin Appleby, MurmurHash3, `fmix64`, public domain.
    @inline(__always)
    private static func mixed(_ hash: UInt64) -> UInt64 {
        var mixed = hash
        mixed = (mixed ^ (mixed >> 33)) &* 0xFF51_AFD7_ED55_8CCD
        mixed = (mixed ^ (mixed >> 33)) &* 0xC4CE_B9FE_1A85_EC53
        return mixed ^ (mixed >> 33)
    }

    @inline(__always)
    static func areEqual(_ one: UnsafeRawPointer, _ other: UnsafeRawPointer, _ length: Int) -> Bool {
        memcmp(one, other, length) == 0
    }
}

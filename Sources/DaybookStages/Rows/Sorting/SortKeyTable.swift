import CXXHash
import DaybookCore

/// The sort key of every row of a batch, as bytes whose plain order is the order that the job asks for.
///
/// ```
/// whole number   0x80 + n, then the n bytes that it needs, high byte first; negative ones mirrored below 0x80
/// decimal        1, then its 64 bits with the sign turned so that they sort; 2 for NaN
/// flag           0x40 false, 0x41 true
/// text           1, then its bytes, with 0 written as 0 0xFF, then 0 0
/// missing        0 when it goes first, 0xFF when it goes last
/// ```
/// No key is the beginning of another. A descending key has its bits turned over, save those that put a missing value
/// and NaN in their place. Several keys stand one behind the other.
struct SortKeyTable {
    private let bytes: Bytes
    /// Where each key begins, and where the last one ends.
    private let starts: [UInt32]
    /// The first eight bytes of each key as a number, which decides most comparisons.
    let prefixes: [UInt64]

    init(_ batch: Batch, by keys: [SortKey]) {
        // One pass for the lengths and one for the bytes, column by column, so that each loop knows its kind.
        var places = [UInt32](repeating: 0, count: batch.count + 1)
        places.withUnsafeMutableBufferPointer { lengths in
            for key in keys {
                var pass = LengthPass(lengths: lengths)
                pass.visit(batch.column(key.column), key)
            }
        }
        var end: UInt32 = 0
        for row in 0..<places.count {
            let length = places[row]
            places[row] = end
            let (sum, overflowed) = end.addingReportingOverflow(length)
            precondition(!overflowed, "the sort keys of a batch cannot take more than 4 GiB")
            end = sum
        }
        starts = places
        let bytes = Bytes(capacity: Int(end) + 8)
        bytes.count = Int(end)
        self.bytes = bytes
        places.withUnsafeMutableBufferPointer { cursors in
            for key in keys {
                var pass = WritePass(cursors: cursors, target: bytes.mutableBase)
                pass.visit(batch.column(key.column), key)
            }
        }
        prefixes = Self.prefixes(of: bytes, starts)
    }

    private static func prefixes(of bytes: Bytes, _ starts: [UInt32]) -> [UInt64] {
        [UInt64](unsafeUninitializedCapacity: starts.count - 1) { new, filled in
            for row in 0..<starts.count - 1 {
                let start = Int(starts[row])
                let length = Int(starts[row + 1]) - start
                let word = UnsafeRawPointer(bytes.base + start).loadUnaligned(as: UInt64.self).bigEndian
                let used: UInt64 = length >= 8 ? .max : ~(UInt64.max >> UInt64(length * 8))
                new.initializeElement(at: row, to: word & used)
            }
            filled = starts.count - 1
        }
    }

    var count: Int { prefixes.count }

    /// Bytes in memory.
    var footprint: Int { bytes.count + count * 12 }

    /// Calls `body` with the key of a row. Equal keys have the same bytes.
    @inline(__always)
    func withKey<Result>(_ row: Int, _ body: (Cell) throws -> Result) rethrows -> Result {
        let start = Int(starts[row])
        defer { withExtendedLifetime(bytes) {} }
        return try body(Cell(start: bytes.base + start, count: Int(starts[row + 1]) - start))
    }

    /// Negative when the key of `row` comes before that of `other` in another table, 0 when they are the same.
    /// Only for keys whose prefixes are equal.
    func compare(_ row: Int, _ otherTable: SortKeyTable, _ other: Int) -> Int {
        let mine = Int(starts[row + 1]) - Int(starts[row])
        let theirs = Int(otherTable.starts[other + 1]) - Int(otherTable.starts[other])
        // Eight bytes are the same already; a shorter key is then the same as the other.
        guard mine > 8, theirs > 8 else { return 0 }
        let first = bytes.base + Int(starts[row])
        let second = otherTable.bytes.base + Int(otherTable.starts[other])
        for position in 8..<min(mine, theirs) where first[position] != second[position] {
            return Int(first[position]) - Int(second[position])
        }
        return 0
    }

    /// The rows in order; rows with the same key stay as they stand.
    func sortedRows() -> [Int32] {
        struct Entry {
            var prefix: UInt64
            var row: Int32
        }
        var entries = [Entry](unsafeUninitializedCapacity: count) { new, filled in
            for row in 0..<count { new.initializeElement(at: row, to: Entry(prefix: prefixes[row], row: Int32(row))) }
            filled = count
        }
        entries.sort { first, second in
            if first.prefix != second.prefix { return first.prefix < second.prefix }
            let difference = compare(Int(first.row), self, Int(second.row))
            return difference == 0 ? first.row < second.row : difference < 0
        }
        return entries.map(\.row)
    }
}

/// What is done with each value of a key column.
private protocol KeyPass {
    mutating func single(_ row: Int, _ byte: UInt8)
    mutating func whole(_ row: Int, _ value: Int64, _ flip: UInt8)
    mutating func decimal(_ row: Int, _ value: Double, _ flip: UInt8)
    mutating func text(_ row: Int, _ cell: Cell, _ flip: UInt8)
}

extension KeyPass {
    mutating func visit(_ column: Column, _ key: SortKey) {
        let flip: UInt8 = key.order == .descending ? 0xFF : 0
        let gap: UInt8 = key.missing == .first ? 0 : 0xFF
        switch column {
        case .text(let column), .json(let column):
            for row in 0..<column.count {
                if column.missing.isMissing(row) {
                    single(row, gap)
                } else {
                    column.withCell(row) { text(row, $0, flip) }
                }
            }
        case .integers(let values), .instants(let values): each(values, gap) { $0.whole($1, $2, flip) }
        case .days(let values): each(values, gap) { $0.whole($1, Int64($2), flip) }
        case .decimals(let values): each(values, gap) { $0.decimal($1, $2, flip) }
        case .flags(let values): each(values, gap) { $0.single($1, ($2 ? 0x41 : 0x40) ^ flip) }
        }
    }

    @inline(__always)
    private mutating func each<Element>(
        _ values: Values<Element>,
        _ gap: UInt8,
        _ body: (inout Self, Int, Element) -> Void
    ) {
        for row in 0..<values.count {
            if values.missing.isMissing(row) { single(row, gap) } else { body(&self, row, values.elements[row]) }
        }
    }
}

extension Cell {
    fileprivate var hasZero: Bool {
        guard let start = baseAddress else { return false }
        return memchr(start, 0, count) != nil
    }
}

/// Adds up how long each key is.
private struct LengthPass: KeyPass {
    let lengths: UnsafeMutableBufferPointer<UInt32>

    func single(_ row: Int, _ byte: UInt8) { lengths[row] += 1 }
    func whole(_ row: Int, _ value: Int64, _ flip: UInt8) { lengths[row] += 1 + UInt32(WholeKey(value).count) }
    func decimal(_ row: Int, _ value: Double, _ flip: UInt8) { lengths[row] += value.isNaN ? 1 : 9 }
    func text(_ row: Int, _ cell: Cell, _ flip: UInt8) {
        var length = UInt32(truncatingIfNeeded: cell.count) + 3
        if cell.hasZero { for byte in cell where byte == 0 { length += 1 } }
        lengths[row] += length
    }
}

/// Writes each key behind what its row has so far.
private struct WritePass: KeyPass {
    let cursors: UnsafeMutableBufferPointer<UInt32>
    let target: UnsafeMutablePointer<UInt8>

    @inline(__always)
    func single(_ row: Int, _ byte: UInt8) {
        target[Int(cursors[row])] = byte
        cursors[row] &+= 1
    }

    func whole(_ row: Int, _ value: Int64, _ flip: UInt8) {
        let key = WholeKey(value)
        single(row, key.lead ^ flip)
        var shift = key.count &* 8
        while shift > 0 {
            shift &-= 8
            single(row, UInt8(truncatingIfNeeded: key.bits >> UInt64(truncatingIfNeeded: shift)) ^ flip)
        }
    }

    func decimal(_ row: Int, _ value: Double, _ flip: UInt8) {
        guard !value.isNaN else { return single(row, 2) }
        single(row, 1)
        // -0 is 0. A negative number sorts by its bits turned over, another one behind all of those.
        let bits = (value == 0 ? 0 : value).bitPattern
        let sortable = bits >> 63 == 1 ? ~bits : bits | 1 << 63
        for shift in stride(from: UInt64(56), through: 0, by: -8) {
            single(row, UInt8(truncatingIfNeeded: sortable >> shift) ^ flip)
        }
    }

    func text(_ row: Int, _ cell: Cell, _ flip: UInt8) {
        single(row, 1)
        if flip == 0, !cell.hasZero {
            if let start = cell.baseAddress { (target + Int(cursors[row])).update(from: start, count: cell.count) }
            cursors[row] &+= UInt32(truncatingIfNeeded: cell.count)
        } else {
            for byte in cell {
                single(row, byte ^ flip)
                if byte == 0 { single(row, 0xFF ^ flip) }
            }
        }
        single(row, flip)
        single(row, flip)
    }
}

/// A whole number as one byte that says how long it is, and as many bytes as it needs.
private struct WholeKey {
    let lead: UInt8
    let count: Int
    let bits: UInt64

    @inline(__always)
    init(_ value: Int64) {
        // For a negative number the bits of -1 - value, so that -1 needs none; they are written turned over.
        let magnitude = UInt64(bitPattern: value < 0 ? ~value : value)
        count = (71 &- magnitude.leadingZeroBitCount) / 8
        lead = value < 0 ? 0x7F &- UInt8(count) : 0x80 &+ UInt8(count)
        bits = value < 0 ? ~magnitude : magnitude
    }
}

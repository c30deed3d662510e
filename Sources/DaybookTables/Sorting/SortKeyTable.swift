import CXXHash

/// A column to sort by, and its direction.
///
/// Written as a column name, or as a map: `{ column: count, order: descending, missing: first }`.
package struct SortKey: Sendable {
    package enum Order: String, CaseIterable, BitwiseCopyable, Sendable {
        case ascending, descending
    }
    package enum Missing: String, CaseIterable, BitwiseCopyable, Sendable { case first, last }

    package var column: ColumnName
    package var order = Order.ascending
    package var missing = Missing.last

    package init(column: ColumnName, order: Order = .ascending, missing: Missing = .last) {
        (self.missing, self.column, self.order) = (missing, column, order)
    }
}

extension SortKey: OptionValue {
    package static let kind = OptionKind.either([
        .column,
        .object([
            OptionSpec(key: "column", kind: .column, help: "Column to sort by.", isRequired: true),
            OptionSpec(key: "order", kind: Order.kind, help: "Which way to sort.", fallback: "ascending"),
            OptionSpec(
                key: "missing",
                kind: Missing.kind,
                help: "Where rows without a value go, in either order.",
                fallback: "last"
            ),
        ]),
    ])
    package static var placeholder: SortKey { SortKey(column: .placeholder) }

    package init(reading node: OptionNode) throws(DaybookError) {
        guard let map = node.map else {
            self.init(column: try ColumnName(reading: node))
            return
        }
        var named: ColumnName?
        var order = Order.ascending
        var missing = Missing.last
        for entry in map {
            switch entry.key {
            case "column": named = try entry.read()
            case "order": order = try entry.read()
            case "missing": missing = try entry.read()
            default: throw entry.unknown(to: "a sort key", among: ["column", "order", "missing"])
            }
        }
        guard let named else { throw DaybookError("missing-option", "the option 'column' is missing", at: node.place) }
        self.init(column: named, order: order, missing: missing)
    }

    package var written: String {
        if order == .ascending, missing == .last { return column.written }
        return "{ column: \(column.written), order: \(order.written), missing: \(missing.written) }"
    }
}

extension SortKey.Order: OptionChoice {
    package static let otherWords = ["asc": "ascending", "desc": "descending"]
}

extension SortKey.Missing: OptionChoice {}

extension OptionNode.Entry {
    fileprivate func read<Value: OptionValue>() throws(DaybookError) -> Value {
        do throws(DaybookError) { return try Value(reading: value) } catch { throw error.located(at: value.place) }
    }
}

/// The sort columns, and the columns read in that order, if the rows themselves stay in input order.
package struct EntryColumns: Sendable {
    /// The group key columns, and the columns that order the rows of each group.
    package var by: [ColumnName]
    package var order: [SortKey]
    /// The columns read.
    package var read: [ColumnName]

    package init(by: [ColumnName], order: [SortKey] = [], read: [ColumnName]) {
        (self.by, self.order, self.read) = (by, order, read)
    }

    /// The keys of the entries, whose columns have names of their own, for a column may be a key and be read.
    package var keys: [SortKey] {
        (by.map { SortKey(column: $0) } + order).enumerated().map { place, key in
            SortKey(column: ColumnName("key \(place)"), order: key.order, missing: key.missing)
        }
    }

    /// The entries of some rows: the columns of the key, followed by the columns read.
    package func entries(of batch: Batch) -> Batch {
        let columns = (by + order.map(\.column) + read).map { batch[$0] }
        let names = keys.map(\.column.text) + read.indices.map { "read \($0)" }
        let schema = Schema(zip(names, columns).map { Field($0, $1.kind) })
        return Batch(schema, columns, count: batch.count, provenance: .made)
    }
}

/// The sort key of every row of a batch, as bytes whose plain order is the order of the job.
///
/// ```
/// whole number   0x80 + n, then the n bytes that it needs, high byte first; negative ones mirrored below 0x80
/// decimal        1, then its 64 bits with the sign converted so that they sort; 2 for NaN
/// flag           0x40 false, 0x41 true
/// text           1, then its bytes, with 0 written as 0 0xFF, then 0 0
/// missing        0 when it goes first, 0xFF when it goes last
/// ```
/// No key is a prefix of another. A descending key has its bits inverted, except the bytes that place missing values
/// and NaN. Several keys are concatenated.
package struct SortKeyTable: Sendable {
    private let bytes: Bytes
    /// Where each key begins, and where the last one ends.
    private let starts: [UInt32]
    package init(_ batch: Batch, by keys: [SortKey]) {
        // One pass for the lengths and one for the bytes, column by column, so that each loop is for one kind.
        var places = [UInt32](repeating: 0, count: batch.count + 1)
        places.withUnsafeMutableBufferPointer { lengths in
            for key in keys {
                var pass = LengthPass(lengths: lengths, areKeys: true)
                pass.visit(batch.column(key.column), flip: key.flip, gap: key.gap)
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
                var pass = WritePass(cursors: cursors, target: bytes.mutableBase, areKeys: true)
                pass.visit(batch.column(key.column), flip: key.flip, gap: key.gap)
            }
        }
    }

    package var count: Int { starts.count - 1 }

    /// Bytes in memory.
    package var footprint: Int { bytes.count + count * 4 }

    /// Calls `body` with the key of a row. Equal keys have the same bytes.
    @inline(__always)
    package func withKey<Result>(_ row: Int, _ body: (Cell) throws -> Result) rethrows -> Result {
        let start = Int(starts[row])
        defer { withExtendedLifetime(bytes) {} }
        return try body(Cell(start: bytes.base + start, count: Int(starts[row + 1]) - start))
    }

    /// The rows in order; rows with the same key keep their order.
    func sortedRows() -> [UInt32] {
        KeySorter.order(of: (0..<count).map { KeySpan(start: starts[$0], end: starts[$0 + 1]) }, in: bytes)
    }
}

extension SortKey {
    /// The mask that inverts the bits of a descending key.
    var flip: UInt8 { order == .descending ? 0xFF : 0 }
    /// The byte for a missing value.
    package var gap: UInt8 { missing == .first ? 0 : 0xFF }
}

/// The pass over the values of a column: of a key, or of a cell that is stored beside the keys of its row.
protocol ValuePass {
    /// Whether a text may have a zero in it.
    var hasZeros: Bool { get set }
    mutating func single(_ row: Int, _ byte: UInt8)
    mutating func whole(_ row: Int, _ value: Int64, _ flip: UInt8)
    mutating func decimal(_ row: Int, _ value: Double, _ flip: UInt8)
    mutating func text(_ row: Int, _ cell: Cell, _ flip: UInt8)
}

extension ValuePass {
    mutating func visit(_ column: Column, flip: UInt8, gap: UInt8) {
        switch column {
        case .text(let column), .json(let column):
            // One scan of all bytes is worth it if most of them belong to this column or a few others.
            hasZeros = column.count * 64 < column.bytes.count || column.bytes.filled.hasZero
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

/// Adds up how long the values of each row are.
struct LengthPass: ValuePass {
    let lengths: UnsafeMutableBufferPointer<UInt32>
    /// Whether the values are keys; otherwise a text follows its length, and a decimal is unchanged.
    let areKeys: Bool
    var hasZeros = true

    func single(_ row: Int, _ byte: UInt8) { lengths[row] += 1 }
    func whole(_ row: Int, _ value: Int64, _ flip: UInt8) { lengths[row] += 1 + UInt32(WholeKey(value).count) }
    func decimal(_ row: Int, _ value: Double, _ flip: UInt8) { lengths[row] += areKeys && value.isNaN ? 1 : 9 }
    func text(_ row: Int, _ cell: Cell, _ flip: UInt8) {
        var length = UInt32(truncatingIfNeeded: cell.count)
        if areKeys {
            length += 3
            if hasZeros, cell.hasZero { for byte in cell where byte == 0 { length += 1 } }
        } else {
            length += UInt32(LEB128.length(of: UInt64(cell.count) + 1))
        }
        lengths[row] += length
    }
}

/// Appends each value to the bytes of its row.
struct WritePass: ValuePass {
    let cursors: UnsafeMutableBufferPointer<UInt32>
    let target: UnsafeMutablePointer<UInt8>
    /// As in `LengthPass`.
    let areKeys: Bool
    var hasZeros = true

    @inline(__always)
    func single(_ row: Int, _ byte: UInt8) {
        target[Int(cursors[row])] = byte
        cursors[row] &+= 1
    }

    func whole(_ row: Int, _ value: Int64, _ flip: UInt8) {
        let key = WholeKey(value)
        single(row, key.lead ^ flip)
        number(row, key.bits, key.count, flip)
    }

    func decimal(_ row: Int, _ value: Double, _ flip: UInt8) {
        guard areKeys else {
            single(row, 1)
            return number(row, value.bitPattern, 8, 0)
        }
        guard !value.isNaN else { return single(row, 2) }
        single(row, 1)
        // A negative number sorts by its inverted bits, and other numbers come after.
        let bits = value.canonical.bitPattern
        number(row, bits >> 63 == 1 ? ~bits : bits | 1 << 63, 8, flip)
    }

    /// The lowest bytes of a number, high byte first.
    @inline(__always)
    private func number(_ row: Int, _ bits: UInt64, _ count: Int, _ flip: UInt8) {
        var shift = count &* 8
        while shift > 0 {
            shift &-= 8
            single(row, UInt8(truncatingIfNeeded: bits >> UInt64(truncatingIfNeeded: shift)) ^ flip)
        }
    }

    func text(_ row: Int, _ cell: Cell, _ flip: UInt8) {
        guard areKeys else {
            var end = target + Int(cursors[row])
            LEB128.put(UInt64(cell.count) + 1, &end)
            cursors[row] = UInt32(truncatingIfNeeded: end - target)
            return copy(row, cell)
        }
        single(row, 1)
        if flip == 0, !hasZeros || !cell.hasZero {
            copy(row, cell)
        } else {
            for byte in cell {
                single(row, byte ^ flip)
                if byte == 0 { single(row, 0xFF ^ flip) }
            }
        }
        single(row, flip)
        single(row, flip)
    }

    @inline(__always)
    private func copy(_ row: Int, _ cell: Cell) {
        cell.copy(to: target + Int(cursors[row]))
        cursors[row] &+= UInt32(truncatingIfNeeded: cell.count)
    }
}

/// A whole number as one length byte and as many bytes as it needs.
struct WholeKey {
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

    /// Decodes a number, and returns its number of bytes.
    ///
    /// - Parameter start: the place of its first byte; eight bytes behind it can be read.
    @inline(__always)
    static func read(_ start: UnsafePointer<UInt8>, _ flip: UInt8) -> (value: Int64, length: Int) {
        let lead = start.pointee ^ flip
        let isNegative = lead < 0x80
        let count = isNegative ? 0x7F &- Int(lead) : Int(lead) &- 0x80
        let flips = UInt64(truncatingIfNeeded: Int64(Int8(bitPattern: flip)))
        let word = UnsafeRawPointer(start + 1).loadUnaligned(as: UInt64.self).bigEndian ^ flips
        // A shift by 64 leaves nothing. The upper bytes of a negative number are all ones, as in -1.
        let bits = word >> UInt64(truncatingIfNeeded: 64 - count * 8)
        let upper: UInt64 = isNegative ? .max << UInt64(truncatingIfNeeded: count * 8) : 0
        return (Int64(bitPattern: bits | upper), 1 + count)
    }
}

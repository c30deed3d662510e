/// The keys of the rows of a batch: their values in some columns as bytes, and a hash of each.
///
/// `SortKeyTable` writes them, so that equal values have equal bytes: text byte by byte, numbers by value, with −0 as 0
/// and every NaN as one.
package struct RowKeys: Sendable {
    private let table: SortKeyTable
    package let hashes: [UInt64]
    /// The rows with a gap in one of the columns, and so without a key.
    package let gaps: Mask?

    package init(_ batch: Batch, by columns: [ColumnName]) {
        let table = SortKeyTable(batch, by: columns.map { SortKey(column: $0) })
        self.table = table
        hashes = (0..<table.count).map { table.withKey($0, KeyIndex.hash) }
        gaps = batch.gaps(in: columns)
    }

    package var count: Int { hashes.count }

    /// The rows in the order of their keys.
    package func sortedRows() -> [UInt32] { table.sortedRows() }

    @inline(__always)
    package func isSame(_ row: Int, _ other: Int) -> Bool {
        withKey(row) { one in withKey(other) { !one.comesBefore($0) && !$0.comesBefore(one) } }
    }

    /// How many bytes a key has.
    @inline(__always)
    package func length(of row: Int) -> Int { table.withKey(row) { $0.count } }

    @inline(__always)
    package func withKey<Result>(_ row: Int, _ body: (Cell) throws -> Result) rethrows -> Result {
        try table.withKey(row, body)
    }
}

extension Batch {
    /// The rows with a gap in one of some columns.
    package func gaps(in columns: [ColumnName]) -> Mask? {
        columns.reduce(nil as Mask?) { $0.union(column($1).missing) }
    }
}

/// The seed that varies the hashes of keys from run to run, so that nobody can write keys that collide.
package enum KeyHash {
    static let seed = HashSeed.current
}

/// The number of parts into which keys are laid by their hashes. Of a hundred million keys, a part has 400,000.
enum Parts {
    static let count = 256

    /// The part of a key.
    @inline(__always)
    static func of(_ hash: UInt64) -> Int { Int(truncatingIfNeeded: hash >> 56) }
}

extension Cell {
    /// Copies the bytes. Most cells are short; cells of 8 to 32 bytes are copied as two pieces that may overlap.
    @inline(__always)
    func copy(to target: UnsafeMutablePointer<UInt8>) {
        guard let start = baseAddress else { return }
        let (from, to) = (UnsafeRawPointer(start), UnsafeMutableRawPointer(target))
        @inline(__always)
        func both<Piece: BitwiseCopyable>(_: Piece.Type) {
            let last = count &- MemoryLayout<Piece>.size
            let (one, two) = (from.loadUnaligned(as: Piece.self), (from + last).loadUnaligned(as: Piece.self))
            to.storeBytes(of: one, as: Piece.self)
            (to + last).storeBytes(of: two, as: Piece.self)
        }
        if 8...16 ~= count {
            both(UInt64.self)
        } else if 17...32 ~= count {
            both(SIMD16<UInt8>.self)
        } else {
            to.copyMemory(from: from, byteCount: count)
        }
    }
}

extension Bytes {
    /// Appends a cell, which is mostly short.
    @inline(__always)
    func append(cell: Cell) {
        cell.copy(to: reserve(cell.count))
        count &+= cell.count
    }
}

/// Small numbers for the values of rows in some columns: equal rows have the same number.
///
/// Numbers are assigned in the order in which values are met. Text is compared by bytes, numbers by value, with −0 as 0
/// and every NaN as one; a missing value is a value of its own. The hash is seeded anew in every process, so that
/// nobody can write rows that all collide, and decides only the slot of a value in the table.
package struct RowCodes {
    /// The number of each row.
    package private(set) var codes: [Int32]
    /// The first row with each number.
    package private(set) var firsts: [Int32] = []

    /// Without columns, all rows are alike.
    package init(_ batch: Batch, by columns: [ColumnName]) {
        guard let first = columns.first else {
            self.init(alike: batch.count)
            return
        }
        self.init(batch[first])
        for column in columns.dropFirst() { self = RowCodes(self, RowCodes(batch[column])) }
    }

    /// Replaces each number; `firsts` stay in the order in which they were met.
    package mutating func renumber(_ numbers: [Int32]) {
        var codes = self.codes.mutableSpan
        for row in codes.indices { codes[row] = numbers[Int(codes[row])] }
    }

    private init(alike count: Int) {
        codes = [Int32](repeating: 0, count: count)
        firsts = count > 0 ? [0] : []
    }

    package init(_ column: Column) {
        let missing = column.missing
        switch column {
        case .text(let text), .json(let text): self.init(text)
        case .integers(let values), .instants(let values):
            self.init(values.elements, missing) { UInt64(bitPattern: $0) }
        case .days(let values): self.init(values.elements, missing) { UInt64(truncatingIfNeeded: $0) }
        case .flags(let values): self.init(values.elements, missing) { $0 ? 1 : 0 }
        case .decimals(let values): self.init(values.elements, missing) { $0.canonical.bitPattern }
        }
    }

    /// Numbers for the pairs of two numbers of each row.
    package init(_ first: RowCodes, _ second: RowCodes) {
        codes = []
        let first = first.codes.span
        let second = second.codes.span
        fill(first.count, nil) { row, seeds in
            seeds.hash(UInt64(UInt32(bitPattern: first[row])) << 32 | UInt64(UInt32(bitPattern: second[row])))
        } same: { one, other in
            first[one] == first[other] && second[one] == second[other]
        }
    }

    /// Numbers for keys; rows without a key are equal if they miss the same parts.
    package init(_ keys: RowKeys) {
        codes = []
        let hashes = keys.hashes.span
        fill(hashes.count, nil) { row, _ in
            hashes[row]
        } same: { one, other in
            hashes[one] == hashes[other] && keys.isSame(one, other)
        }
    }

    private init(_ text: TextColumn) {
        codes = []
        let base = text.bytes.base
        let views = text.views.span
        fill(views.count, text.missing) { row, _ in
            KeyIndex.hash(Cell(start: base + Int(views[row].offset), count: Int(views[row].length)))
        } same: { one, other in
            guard views[one].length == views[other].length else { return false }
            let (first, second) = (base + Int(views[one].offset), base + Int(views[other].offset))
            for place in 0..<Int(views[one].length) where first[place] != second[place] { return false }
            return true
        }
        withExtendedLifetime(text) {}
    }

    @inline(__always)
    private init<Element>(_ elements: [Element], _ missing: Mask?, _ bits: (Element) -> UInt64) {
        codes = []
        let elements = elements.span
        fill(elements.count, missing) { row, seeds in
            seeds.hash(bits(elements[row]))
        } same: { one, other in
            bits(elements[one]) == bits(elements[other])
        }
    }

    /// Numbers the rows by open addressing.
    @inline(__always)
    private mutating func fill(
        _ count: Int,
        _ missing: Mask?,
        hash: (_ row: Int, _ seeds: HashSeeds) -> UInt64,
        same: (_ row: Int, _ other: Int) -> Bool
    ) {
        var size = 16
        while size < count * 2 { size *= 2 }
        let mask = size - 1
        let seeds = HashSeeds.process
        var table = [Int32](repeating: -1, count: size)
        var slots = table.mutableSpan
        var firsts: [Int32] = []
        var missingCode: Int32 = -1
        codes = [Int32](unsafeUninitializedCapacity: count) { codes, filled in
            for row in 0..<count {
                var code: Int32
                if missing.isMissing(row) {
                    code = missingCode
                    if code < 0 {
                        code = Int32(truncatingIfNeeded: firsts.count)
                        missingCode = code
                        firsts.append(Int32(truncatingIfNeeded: row))
                    }
                } else {
                    var slot = Int(truncatingIfNeeded: hash(row, seeds)) & mask
                    code = slots[slot]
                    while code >= 0, !same(Int(firsts[Int(code)]), row) {
                        slot = (slot &+ 1) & mask
                        code = slots[slot]
                    }
                    if code < 0 {
                        code = Int32(truncatingIfNeeded: firsts.count)
                        slots[slot] = code
                        firsts.append(Int32(truncatingIfNeeded: row))
                    }
                }
                codes.initializeElement(at: row, to: code)
            }
            filled = count
        }
        self.firsts = firsts
    }
}

/// The seeds that vary hashes from process to process.
struct HashSeeds: BitwiseCopyable {
    static let process = HashSeeds(first: .random(in: .min ... .max), second: .random(in: .min ... .max) | 1)

    let first: UInt64
    let second: UInt64

    /// The upper and the lower half of a product, folded: every bit of the input reaches every bit of the hash.
    @inline(__always)
    func hash(_ bits: UInt64) -> UInt64 {
        let product = (bits ^ first).multipliedFullWidth(by: second)
        return product.high ^ product.low
    }
}

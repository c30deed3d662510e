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

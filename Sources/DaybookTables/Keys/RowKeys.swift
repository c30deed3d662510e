/// The keys of the rows of a batch: their values in some columns as bytes, and a hash of each.
///
/// `SortKeyTable` writes them, so that values which are equal have equal bytes: text byte by byte, numbers by value, with −0 as 0 and
/// every NaN as one.
package struct RowKeys: Sendable {
    private let table: SortKeyTable
    package let hashes: [UInt64]
    /// The rows that have no value in one of the columns, and so no key.
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
    /// The rows without a value in one of some columns.
    package func gaps(in columns: [ColumnName]) -> Mask? {
        columns.reduce(nil) { Optional<Mask>.union($0, column($1).missing) }
    }
}

extension Mask? {
    /// The rows that one of two masks sets; nil where there are none.
    package static func union(_ first: Mask?, _ second: Mask?) -> Mask? {
        guard var union = first, let second else { return first ?? second }
        union.formUnion(second)
        return union
    }
}

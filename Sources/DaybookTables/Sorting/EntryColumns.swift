/// What rows are sorted by, and what is read of each in that order, where the rows themselves stay as they came.
package struct EntryColumns: Sendable {
    /// The columns that tell groups apart, and those by which the rows of each are ordered.
    package var by: [ColumnName]
    package var order: [SortKey]
    /// The columns that are read.
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

    /// The entries of some rows: the columns of the key, and behind them those that are read.
    package func entries(of batch: Batch) -> Batch {
        let columns = (by + order.map(\.column) + read).map { batch[$0] }
        let names = keys.map(\.column.text) + read.indices.map { "read \($0)" }
        let schema = Schema(zip(names, columns).map { Field($0, $1.kind) })
        return Batch(schema, columns, count: batch.count, provenance: .made)
    }
}

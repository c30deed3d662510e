/// Rows that are looked up: a batch of the probe side of a join.
struct JoinProbe: Sendable {
    private enum Keys: Sendable {
        case memory(MemoryLookup, [Int32])
        /// The keys, and the rows in their order.
        case disk(DiskLookup, RowKeys, [UInt32])
    }

    private let keys: Keys
    /// How many rows there are.
    let count: Int

    init(_ batch: Batch, by columns: [ColumnName], in lookup: JoinLookup) {
        count = batch.count
        switch lookup.index {
        case .memory(let lookup): keys = .memory(lookup, lookup.keys(of: batch, by: columns))
        case .disk(let lookup):
            let own = RowKeys(batch, by: columns)
            keys = .disk(lookup, own, own.sortedRows())
        }
    }

    /// The partners of the rows from one on: of all, or of as many as a piece of memory has room for.
    ///
    /// - Parameter last: those of the rows before, which tell how many there is room for.
    func partners(from row: Int, behind last: JoinPartners?) throws(DaybookError) -> JoinPartners {
        switch keys {
        case .memory(let lookup, let keys): return lookup.partners(of: keys)
        case .disk(let lookup, let keys, let order):
            let most = last.map { $0.rows.count * 2 } ?? count
            return try lookup.partners(of: keys, order, row..<min(row + most, count))
        }
    }

    /// Calls `body` with the partners of all rows, of some after others; once where there are no rows.
    func forEachPartners(_ body: (JoinPartners) -> Void) throws(DaybookError) {
        var last: JoinPartners?
        repeat {
            let partners = try partners(from: last?.rows.upperBound ?? 0, behind: last)
            body(partners)
            last = partners
        } while last?.rows.upperBound != count
    }

    /// The numbers of the rows that have the keys of these.
    func met() throws(DaybookError) -> RowSet {
        var met = RowSet()
        switch keys {
        case .memory(let lookup, let keys): lookup.note(keys, metIn: &met)
        case .disk(let lookup, let keys, let order): try lookup.note(keys, order, metIn: &met)
        }
        return met
    }
}

/// Finds the columns by which the rows of two tables are known.
struct KeySearch {
    /// So many rows tell whether columns may be a key, before all rows do.
    private static let first = 20_000
    /// So many columns from the left are tried, alone and in pairs.
    private static let (singles, pairs) = (8, 4)

    let before: ReadTable
    let after: ReadTable
    /// The columns of both.
    let columns: [String]

    /// Columns that may be a key, the likely ones first.
    private var candidates: [[String]] {
        let named = columns.filter(KeySearch.mayIdentify)
        let others = columns.prefix(KeySearch.singles).filter { !named.contains($0) }
        let few = columns.prefix(KeySearch.pairs)
        let pairs = few.indices.flatMap { first in
            few.indices.filter { $0 > first }.map { [few[first], few[$0]] }
        }
        return (named + others).map { [$0] } + pairs
    }

    /// The columns that are a key as far as the first rows of both tables tell, the likely ones first.
    func keys() throws(DaybookErrors) -> [[String]] {
        var found: [[String]] = []
        for key in candidates {
            let (was, now) = (try first(of: before, key), try first(of: after, key))
            if let was, let now, KeySearch.isLikely(key, was, now) { found.append(key) }
            // Each is tried on all rows, and a second one seldom is.
            if found.count == 3 { break }
        }
        return found
    }

    /// A column that is called like a key is one; any other has to be one by which most rows meet.
    private static func isLikely(_ key: [String], _ was: Set<UInt64>, _ now: Set<UInt64>) -> Bool {
        if key.count == 1, mayIdentify(key[0]) { return true }
        return was.intersection(now).count * 2 >= min(was.count, now.count)
    }

    /// The hashes of the keys of the first rows; nil where one stands twice.
    private func first(of table: ReadTable, _ key: [String]) throws(DaybookErrors) -> Set<UInt64>? {
        var read = try table.run(RowPrints(keys: key, columns: key, most: KeySearch.first))
        let keys = (read?.seen.takePrints() ?? []).prefix(KeySearch.first).map(\.key)
        let set = Set(keys)
        return set.count == keys.count ? set : nil
    }

    /// Whether a column of this name mostly identifies rows, such as `id`, `taskID` and `uuid`.
    private static func mayIdentify(_ name: String) -> Bool {
        let lower = name.lowercased()
        return ["id", "_id", "uuid", "identifier", "key"].contains(lower) || name.hasSuffix("ID")
            || lower.hasSuffix("_id")
    }
}

import DaybookDiscover

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
        let named = columns.filter(KeySearch.mayIdentify).prefix(KeySearch.singles)
        let others = columns.prefix(KeySearch.singles).filter { !named.contains($0) }
        let few = columns.prefix(KeySearch.pairs)
        let pairs = few.indices.flatMap { first in few[(first + 1)...].map { [few[first], $0] } }
        return (named + others).map { [$0] } + pairs
    }

    /// The columns that are a key as far as the first rows of both tables tell, the likely ones first.
    ///
    /// Each is tried on all rows, so there are few.
    func keys() throws(DaybookErrors) -> [[String]] {
        let candidates = candidates
        let observer = FirstKeys(candidates: candidates, most: KeySearch.first)
        let (first, second) = (try before.run(observer)?.seen ?? [], try after.run(observer)?.seen ?? [])
        let (was, now) = (first.map(Set.init), second.map(Set.init))
        // An empty file has every key.
        let before = candidates.indices.filter { was.isEmpty || was[$0].count == first[$0].count }
        let unique = before.filter { now.isEmpty || now[$0].count == second[$0].count }
        let nearly = before.filter { index in
            !unique.contains(index)
                && KeySearch.mayRepeat(second[index].count - now[index].count, of: second[index].count)
        }
        let meets = { (index: Int) in
            was.isEmpty || now.isEmpty || KeySearch.isNamed(candidates[index])
                || was[index].intersection(now[index]).count * 2 >= min(was[index].count, now[index].count)
        }
        // A column that is called a key is one, also where a fault repeats some of it.
        let likely = candidates.indices.filter { index in
            unique.contains(index) || nearly.contains(index) && KeySearch.isNamed(candidates[index])
        }
        let others = nearly.filter { !likely.contains($0) }
        return (likely.filter(meets) + others.filter(meets) + likely.filter { !meets($0) }).prefix(3)
            .map { candidates[$0] }
    }

    /// Whether so many rows of a later file may have the key of another one, of a key that was unique before: one in a hundred.
    static func mayRepeat(_ repeats: Int, of rows: Int) -> Bool { repeats * 100 <= rows }

    /// Whether a key is one by its name, also where no rows meet by it.
    static func isNamed(_ key: [String]) -> Bool { key.count == 1 && mayIdentify(key[0]) }

    /// Whether a column of this name mostly identifies rows, such as `id`, `taskID` and `uuid`.
    private static func mayIdentify(_ name: String) -> Bool {
        let lower = name.lowercased()
        return ["id", "uuid", "identifier", "key"].contains(lower) || name.hasSuffix("ID") || lower.hasSuffix("_id")
    }
}

/// The hashes of the first rows of a table by each of some keys.
private struct FirstKeys: RowObserver {
    let candidates: [[String]]
    let most: Int

    func nothing(_ schema: Schema) -> [[UInt64]] { candidates.map { _ in [] } }

    func partial(of batch: Batch, reporting findings: inout Findings) -> [[UInt64]] {
        candidates.map { Array(RowPrints.hashes(of: $0, in: batch).prefix(most)) }
    }

    func merge(_ later: [[UInt64]], into earlier: inout [[UInt64]], scratch: any Scratch) {
        for index in candidates.indices { earlier[index] += later[index].prefix(most - earlier[index].count) }
    }

    func isEnough(_ keys: [[UInt64]]) -> Bool { (keys.first?.count ?? most) >= most }
}

/// The build side of a join in memory: its rows by their keys, which a hash table numbers, the rows of each key one behind another.
struct MemoryLookup: Sendable {
    private var index = KeyIndex()
    /// Where the rows of each key begin, and where the last end; empty where each key has one row, at the place of its number.
    private var starts: [Int32] = []
    private var values = TakenValues()
    /// The number of the row in each place, where rows that are not met are asked for.
    private var numbers: [Int] = []
    /// The numbers of rows that the choice leaves out.
    private(set) var leftOut = RowSet()

    /// A lookup without rows.
    init() {}

    init(_ rows: [Batch], _ asked: JoinLookup.Asked, _ scratch: any Scratch) throws(DaybookError) {
        let places = try asked.choice == .all ? gather(rows, asked.keys, scratch) : gatherOnly(rows, asked, scratch)
        values = TakenValues(asked.taken, of: rows, at: places)
        guard asked.keepsRows else { return }
        let firsts = firsts(rows)
        numbers = places.map { firsts[Int($0.batch)] + Int($0.row) }
    }

    /// The number of the first row of each batch.
    private func firsts(_ rows: [Batch]) -> [Int] {
        var next = 0
        return rows.map { batch in
            defer { next += batch.count }
            return next
        }
    }

    /// One row of each key.
    private mutating func gatherOnly(
        _ rows: [Batch],
        _ asked: JoinLookup.Asked,
        _ scratch: any Scratch
    ) throws(DaybookError) -> [RowPick] {
        var (picks, leftOut): ([RowPick], RowSet) = ([], RowSet())
        let firsts = firsts(rows)
        try forEachNumbered(rows, asked.keys, scratch) { (number, keys) throws(DaybookError) in
            for (row, key) in keys.enumerated() where key >= 0 {
                let (key, pick) = (Int(key), RowPick(batch: number, row: row))
                if key == picks.count {
                    picks.append(pick)
                } else if asked.refusesRepeats {
                    let first = picks[key]
                    throw asked.twice((rows[Int(first.batch)], Int(first.row)), (rows[number], row))
                } else {
                    var other = pick
                    if asked.choice == .last { swap(&other, &picks[key]) }
                    if asked.keepsRows { leftOut.insert(firsts[Int(other.batch)] + Int(other.row)) }
                }
            }
        }
        self.leftOut = leftOut
        return picks
    }

    /// Calls `body` with the place of every batch and the numbers of the keys of its rows, which it gives to new ones; −1 stands for no key.
    ///
    /// Several threads look some batches up in what is known before them, so that little is left to do one after another.
    private mutating func forEachNumbered(
        _ rows: [Batch],
        _ columns: [ColumnName],
        _ scratch: any Scratch,
        _ body: (Int, [Int32]) throws(DaybookError) -> Void
    ) throws(DaybookError) {
        let size = 8 * scratch.threads
        for start in stride(from: 0, to: rows.count, by: size) {
            let wave = rows[start..<min(start + size, rows.count)]
            for (place, (keys, known)) in try looked(up: wave, columns, scratch).enumerated() {
                var numbers = known
                for row in numbers.indices where numbers[row] < 0 && !keys.gaps.isMissing(row) {
                    let number = keys.withKey(row) { index.number(of: $0, keys.hashes[row]) }
                    numbers[row] = Int32(truncatingIfNeeded: number)
                }
                try body(start + place, numbers)
            }
        }
    }

    private func looked(
        up batches: ArraySlice<Batch>,
        _ columns: [ColumnName],
        _ scratch: any Scratch
    ) throws(DaybookError) -> [(RowKeys, [Int32])] {
        let index = index
        return try scratch.map(batches.count) { (place) throws(DaybookError) in
            let keys = RowKeys(batches[batches.startIndex + place], by: columns)
            return (keys, index.find(keys))
        }
    }

    /// All rows that have a key, in the order of the keys' numbers, and those of one key in their order: a counting sort.
    private mutating func gather(
        _ rows: [Batch],
        _ keys: [ColumnName],
        _ scratch: any Scratch
    ) throws(DaybookError) -> [RowPick] {
        var numbers: [Int32] = []
        numbers.reserveCapacity(rows.reduce(0) { $0 + $1.count })
        var starts: [Int32] = [0]
        try forEachNumbered(rows, keys, scratch) { (_, keys) throws(DaybookError) in
            for key in keys where key >= 0 {
                if Int(key) + 1 == starts.count { starts.append(0) }
                starts[Int(key) + 1] += 1
            }
            numbers += keys
        }
        for key in 1..<starts.count { starts[key] += starts[key - 1] }
        var next = starts
        var picks = [RowPick](repeating: RowPick(batch: 0, row: 0), count: Int(starts[starts.count - 1]))
        var place = 0
        for (number, batch) in rows.enumerated() {
            for row in 0..<batch.count {
                let key = Int(numbers[place])
                place += 1
                guard key >= 0 else { continue }
                picks[Int(next[key])] = RowPick(batch: number, row: row)
                next[key] += 1
            }
        }
        self.starts = starts
        return picks
    }

    // MARK: - Looking up

    /// The number of each row's key; −1 where it is not there.
    func keys(of batch: Batch, by columns: [ColumnName]) -> [Int32] { index.find(RowKeys(batch, by: columns)) }

    /// The partners of all rows of a batch.
    func partners(of keys: [Int32]) -> JoinPartners {
        JoinPartners(rows: 0..<keys.count, keys: keys, starts: starts, values: values)
    }

    /// Notes the numbers of all rows that have one of some keys.
    func note(_ keys: [Int32], metIn met: inout RowSet) {
        var seen = RowSet()
        for key in keys where key >= 0 && seen.insert(Int(key)) {
            let places = starts.isEmpty ? key..<key + 1 : starts[Int(key)]..<starts[Int(key) + 1]
            for place in places { met.insert(numbers[Int(place)]) }
        }
    }
}

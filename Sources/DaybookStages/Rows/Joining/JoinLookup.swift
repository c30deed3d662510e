/// The build side of a join: its rows by their keys, which a hash table numbers, the rows of each key one behind another.
struct JoinLookup: Sendable {
    private var index = KeyIndex()
    /// Where the rows of each key begin, and where the last end; empty where each key has one row, at the place of its number.
    private var starts: [Int32] = []
    /// The columns that are taken, by place, and behind all rows one without values.
    private var values: [Column] = []
    /// The place that stands for no row.
    private var none: Int32 = 0
    /// The rows as they came, by batch, where those that are not met are asked for.
    private var batches: [Batch] = []
    /// Which of them stands in each place, and which have no key.
    private var picks: [RowPick] = []
    private var withoutKey: [RowPick] = []

    /// A lookup without rows.
    init() {}

    /// - Parameters:
    ///   - columns: those that are taken.
    ///   - keepsRows: whether rows that are not met will be asked for.
    init(
        _ side: BuildSide,
        keys: [ColumnName],
        taking columns: [ColumnName],
        _ duplicates: JoinRows.Duplicates,
        keepsRows: Bool,
        named name: String
    ) throws(DaybookError) {
        let places =
            duplicates == .all
            ? gather(side, keys) : try gatherOnly(side, keys, duplicates, named: name)
        none = Int32(truncatingIfNeeded: places.count)
        values = Self.values(of: side, columns, at: places)
        guard keepsRows else { return }
        (batches, picks) = (side.batches, places)
        for (number, batch) in side.batches.enumerated() {
            guard let gaps = batch.gaps(in: keys) else { continue }
            gaps.forEachRow { withoutKey.append(RowPick(batch: number, row: $0)) }
        }
    }

    /// One row of each key.
    private mutating func gatherOnly(
        _ side: BuildSide,
        _ keys: [ColumnName],
        _ duplicates: JoinRows.Duplicates,
        named name: String
    ) throws(DaybookError) -> [RowPick] {
        var picks: [RowPick] = []
        for (number, batch) in side.batches.enumerated() {
            let own = RowKeys(batch, by: keys)
            for row in 0..<batch.count where !own.gaps.isMissing(row) {
                let key = own.withKey(row) { index.number(of: $0, own.hashes[row]) }
                let pick = RowPick(batch: number, row: row)
                if key == picks.count {
                    picks.append(pick)
                } else if duplicates == .refuse {
                    throw Self.twice(side.batches, picks[key], pick, keys, name)
                } else if duplicates == .last {
                    picks[key] = pick
                }
            }
        }
        return picks
    }

    /// All rows that have a key, in the order of the keys' numbers, and those of one key in their order: a counting sort.
    private mutating func gather(_ side: BuildSide, _ keys: [ColumnName]) -> [RowPick] {
        var numbers: [Int32] = []
        numbers.reserveCapacity(side.batches.reduce(0) { $0 + $1.count })
        starts = [0]
        for batch in side.batches {
            let own = RowKeys(batch, by: keys)
            // Many at a time, since most keys stand in rows before.
            let known = index.find(own)
            for row in 0..<batch.count {
                guard !own.gaps.isMissing(row) else {
                    numbers.append(-1)
                    continue
                }
                let before = Int(known[row])
                let key = before >= 0 ? before : own.withKey(row) { index.number(of: $0, own.hashes[row]) }
                if key + 1 == starts.count { starts.append(0) }
                starts[key + 1] += 1
                numbers.append(Int32(truncatingIfNeeded: key))
            }
        }
        for key in 1..<starts.count { starts[key] += starts[key - 1] }
        var next = starts
        var picks = [RowPick](repeating: RowPick(batch: 0, row: 0), count: Int(starts[starts.count - 1]))
        var place = 0
        for (number, batch) in side.batches.enumerated() {
            for row in 0..<batch.count {
                let key = Int(numbers[place])
                place += 1
                guard key >= 0 else { continue }
                picks[Int(next[key])] = RowPick(batch: number, row: row)
                next[key] += 1
            }
        }
        return picks
    }

    /// Some rows in one column each, with a row of gaps behind them, so that rows of a join only point at them.
    private static func values(of side: BuildSide, _ columns: [ColumnName], at places: [RowPick]) -> [Column] {
        let fields = columns.compactMap { side.schema[$0] }
        guard !fields.isEmpty else { return [] }
        let gap = Batch(Schema(fields), fields.map { .missing($0.kind) }, count: 1, provenance: .made)
        let pieces = side.batches.map { batch in
            Batch(Schema(fields), columns.map { batch[$0] }, count: batch.count, provenance: .made)
        }
        return Batch.take(places + [RowPick(batch: pieces.count, row: 0)], from: pieces + [gap]).columns
    }

    private static func twice(
        _ batches: [Batch],
        _ first: RowPick,
        _ second: RowPick,
        _ keys: [ColumnName],
        _ name: String
    ) -> DaybookError {
        let batch = batches[Int(second.batch)]
        let key = keys.map { "'\(batch[$0].spoken(Int(second.row)) ?? "")'" }.joined(separator: ", ")
        let lines = [first, second].compactMap { pick -> Int64? in
            guard case .gathered(let provenance) = batches[Int(pick.batch)].provenance else { return nil }
            let line = provenance[Int(pick.row)].line
            return line > 0 ? line : nil
        }
        let places = lines.count == 2 ? ", in lines \(lines[0]) and \(lines[1])" : ""
        return DaybookError(
            "duplicate-key",
            "two rows of \(name) have the key \(key)\(places)",
            hint:
                "'duplicates: all' keeps every one of them, and makes a row for each; where one is meant, make one of each key first, "
                + "such as with summarise_rows, or swap the two under 'from'; 'duplicates: first' and 'last' leave the others out",
            blame: .data
        )
    }

    // MARK: - Looking up

    /// The number of each row's key in the lookup; -1 where it is not there.
    func keys(of batch: Batch, by columns: [ColumnName]) -> [Int32] { index.find(RowKeys(batch, by: columns)) }

    /// The places of the rows that have a key; that of no row for -1.
    @inline(__always)
    func rows(of key: Int32) -> Range<Int32> {
        guard key >= 0 else { return none..<none + 1 }
        return starts.isEmpty ? key..<key + 1 : starts[Int(key)]..<starts[Int(key) + 1]
    }

    /// The place of the only row of each key.
    func onlyRows(of keys: [Int32]) -> [Int32] { keys.map { $0 < 0 ? none : $0 } }

    /// The columns that are taken, of the rows in some places.
    func columns(of places: [Int32]) -> [Column] { values.map { $0.keeping(places) } }

    // MARK: - What was not met

    /// The rows whose keys were not met, and those without a key, in their order.
    func rows(outside met: RowSet) -> [RowPick] {
        var rest = withoutKey
        for key in 0..<index.count where !met.contains(key) {
            let rows = rows(of: Int32(truncatingIfNeeded: key))
            rest += picks[Int(rows.lowerBound)..<Int(rows.upperBound)]
        }
        return rest.sorted { ($0.batch, $0.row) < ($1.batch, $1.row) }
    }

    /// Rows of the lookup with all columns that are known of it, and their origins.
    func rows(at picks: [RowPick]) -> Batch { Batch.take(picks, from: batches) }
}

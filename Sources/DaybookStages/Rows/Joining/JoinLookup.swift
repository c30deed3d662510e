/// The rows that `join_rows` looks up, found by their keys.
struct JoinLookup: Sendable {
    private var index = KeyIndex()
    /// The row of each key.
    private var rows: [Int32] = []
    /// The columns that are taken, and behind all rows one without values.
    private var values: [Column] = []
    /// Stands for no row.
    private(set) var none: Int32 = 0

    /// A lookup without rows.
    init() {}

    init(
        _ side: BuildSide,
        keys: [ColumnName],
        taking columns: [ColumnName],
        _ duplicates: JoinRows.Duplicates,
        named name: String
    ) throws(DaybookError) {
        var first: [RowPick] = []
        for (number, batch) in side.batches.enumerated() {
            let own = RowKeys(batch, by: keys)
            for row in 0..<batch.count {
                defer { none += 1 }
                guard !own.gaps.isMissing(row) else { continue }
                let before = index.count
                let key = own.withKey(row) { index.number(of: $0, own.hashes[row]) }
                if index.count > before {
                    rows.append(none)
                    if duplicates == .refuse { first.append(RowPick(batch: number, row: row)) }
                    continue
                }
                switch duplicates {
                case .first: break
                case .last: rows[key] = none
                case .refuse:
                    let earlier = first[key]
                    throw Self.twice(side.batches, earlier, RowPick(batch: number, row: row), keys, name)
                }
            }
        }
        values = Self.gathered(side, columns)
    }

    /// All rows in one column each, with a row of gaps behind them, so that rows of a join only point at them.
    private static func gathered(_ side: BuildSide, _ columns: [ColumnName]) -> [Column] {
        let fields = columns.compactMap { side.schema[$0] }
        guard !fields.isEmpty else { return [] }
        let gap = Batch(Schema(fields), fields.map { .missing($0.kind) }, count: 1, provenance: .made)
        var pieces = side.batches.map { batch in
            Batch(Schema(fields), columns.map { batch[$0] }, count: batch.count, provenance: .made)
        }
        pieces.append(gap)
        let picks = pieces.indices.flatMap { batch in
            (0..<pieces[batch].count).map { RowPick(batch: batch, row: $0) }
        }
        return Batch.take(picks, from: pieces).columns
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
                "where several rows of \(name) belong to one, make one of each key first, such as with summarise_rows, or swap "
                + "the two under 'from'; 'duplicates' takes the first or the last and leaves the others out",
            blame: .data
        )
    }

    /// The row of the lookup that each row of a batch belongs to, or `none`.
    func partners(of batch: Batch, by columns: [ColumnName]) -> [Int32] {
        index.find(RowKeys(batch, by: columns)).map { $0 < 0 ? none : rows[Int($0)] }
    }

    /// The columns that are taken, for those rows.
    func columns(of partners: [Int32]) -> [Column] { values.map { $0.keeping(partners) } }
}

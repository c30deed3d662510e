/// The partners of some rows of a batch.
struct JoinPartners: Sendable {
    /// These rows, by their numbers in the batch.
    let rows: Range<Int>
    /// The number of each row's key; −1 where it has no partner.
    private let keys: [Int32]
    /// Where the partners of each key begin, and where the last end; empty where each key has one, at the place of its number.
    private let starts: [Int32]
    private let values: TakenValues

    init(rows: Range<Int>, keys: [Int32], starts: [Int32], values: TakenValues) {
        (self.rows, self.keys, self.starts, self.values) = (rows, keys, starts, values)
    }

    @inline(__always)
    func hasPartner(_ row: Int) -> Bool { keys[row &- rows.lowerBound] >= 0 }

    /// The places of a row's partners; that of no row where it has none.
    @inline(__always)
    func places(of row: Int) -> Range<Int32> {
        let key = keys[row &- rows.lowerBound]
        guard key >= 0 else { return values.none..<values.none + 1 }
        return starts.isEmpty ? key..<key + 1 : starts[Int(key)]..<starts[Int(key) + 1]
    }

    /// The place of each row's partner, where it has one at most.
    var onlyPlaces: [Int32] {
        keys.map { $0 < 0 ? values.none : starts.isEmpty ? $0 : starts[Int($0)] }
    }

    /// The columns that are taken, of the partners in some places.
    func columns(of places: [Int32]) -> [Column] { values.columns.map { $0.keeping(places) } }
}

/// What is taken of rows, by place: a column each, and behind all rows one without values, so that rows of a join only point at them.
struct TakenValues: Sendable {
    private(set) var columns: [Column] = []
    /// The place that stands for no row.
    private(set) var none: Int32 = 0

    init() {}

    init(_ fields: [Field], of batches: [Batch], at places: [RowPick]) {
        none = Int32(truncatingIfNeeded: places.count)
        guard !fields.isEmpty else { return }
        let schema = Schema(fields)
        let gap = Batch(schema, fields.map { .missing($0.kind) }, count: 1, provenance: .made)
        let pieces = batches.map { batch in
            Batch(schema, fields.map { batch[ColumnName($0.name)] }, count: batch.count, provenance: .made)
        }
        columns = Batch.take(places + [RowPick(batch: pieces.count, row: 0)], from: pieces + [gap]).columns
    }
}

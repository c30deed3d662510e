/// The build side of a join on disk: its rows sorted by their keys, and in memory the keys of some of them, by which the others are found.
///
/// A batch is looked up in the order of its keys, so that a piece of the file is read once for all rows that have partners there.
struct DiskLookup: Sendable {
    private let run: PackedRun
    private let form: PackedForm
    private let asked: JoinLookup.Asked
    /// The columns that are taken as they are called in the run.
    private let fields: [Field]
    /// The numbers of rows that the choice leaves out.
    private(set) var leftOut = RowSet()

    /// How many bytes the rows of one key may take.
    private static let mostOfKey = 1 << 30

    init(
        _ rows: BatchBuffer,
        _ asked: JoinLookup.Asked,
        memoryLimit: Int,
        _ scratch: any Scratch
    ) throws(DaybookError) {
        let columns = EntryColumns(by: asked.keys, read: asked.taken.map { ColumnName($0.name) })
        // Half of it, for what it allocates beside its rows comes on top of that.
        let sort = SortRows(by: columns.keys, memoryLimit: memoryLimit / 2)
        var withoutKey = RowSet()
        var number = 0
        var entries: SortedRuns?
        try rows.forEachBatch { (batch) throws(DaybookError) in
            batch.gaps(in: asked.keys)?.forEachRow { withoutKey.insert(number + $0) }
            number += batch.count
            let later = SortedRuns(columns.entries(of: batch), by: columns.keys, areNumbered: true)
            if var earlier = entries.take() {
                try sort.merge(later, into: &earlier, scratch: scratch)
                entries = earlier
            } else {
                entries = later
            }
        }
        guard let entries else { preconditionFailure("a build side on disk has rows") }
        form = PackedForm(entries.schema, by: columns.keys, areNumbered: true)
        fields = Array(entries.schema.fields.suffix(asked.taken.count))
        run = try sort.run(of: entries, scratch)
        self.asked = asked
        try chooseAmongRepeats(rows, withoutKey)
    }

    /// Finds the rows that have the key of another.
    private mutating func chooseAmongRepeats(_ rows: BatchBuffer, _ withoutKey: RowSet) throws(DaybookError) {
        guard asked.refusesRepeats || asked.keepsRows && asked.choice != .all else { return }
        var (second, first, leftOut) = (Int.max, 0, RowSet())
        try run.forEachRepeat { number, previous, firstOfKey in
            guard !withoutKey.contains(number) else { return }
            if number < second { (second, first) = (number, firstOfKey) }
            leftOut.insert(asked.choice == .last ? previous : number)
        }
        if asked.refusesRepeats, second < .max { throw asked.twice(try rows.row(first), try rows.row(second)) }
        self.leftOut = leftOut
    }

    // MARK: - Looking up

    /// The partners of some rows, or of the first of them, as many as a part has room for.
    func partners(of keys: RowKeys, _ order: [UInt32], _ rows: Range<Int>) throws(DaybookError) -> JoinPartners {
        let (found, rows) = try find(keys, order, rows)
        let count = found.rows.order.count
        let values = Batch(Schema(fields), form.rest(of: found.rows), count: count, provenance: .made)
        return JoinPartners(
            rows: rows,
            keys: found.keys,
            starts: found.starts,
            values: TakenValues(fields, of: [values], at: (0..<count).map { RowPick(batch: 0, row: $0) })
        )
    }

    /// Notes the numbers of all rows that have one of some keys.
    func note(_ keys: RowKeys, _ order: [UInt32], metIn met: inout RowSet) throws(DaybookError) {
        var rest = 0..<keys.count
        while !rest.isEmpty {
            let (found, rows) = try find(keys, order, rest)
            for number in found.rows.numbers { met.insert(number) }
            rest = rows.upperBound..<keys.count
        }
    }

    /// What is found for some rows, and for which: for half of them, and half of these, where it is too much.
    private func find(
        _ keys: RowKeys,
        _ order: [UInt32],
        _ rows: Range<Int>
    ) throws(DaybookError) -> (PackedRun.Found, Range<Int>) {
        var rows = rows
        while true {
            let limit = rows.count > 1 ? asked.partBytes : Self.mostOfKey
            if let found = try run.find(keys, in: order, rows, asked.choice, limit: limit) { return (found, rows) }
            guard rows.count > 1 else { break }
            rows = rows.prefix(rows.count / 2)
        }
        throw DaybookError.machine(
            "lookup-too-large",
            "the rows of \(asked.name) with one key take more than 1 GiB of memory",
            hint: "swap the two under 'from', or take fewer columns with 'take'"
        )
    }
}

extension BatchBuffer {
    /// A row by its number among all: its batch, and its number there.
    fileprivate func row(_ number: Int) throws(DaybookError) -> (Batch, Int) {
        var rest = number
        for index in 0..<count {
            let batch = try batch(index)
            if rest < batch.count { return (batch, rest) }
            rest -= batch.count
        }
        throw ByteReader.damaged
    }
}

import DaybookTables

/// The build side of a join, for look-ups by key: in memory, or on disk beyond the memory limit.
struct JoinLookup: Sendable {
    /// The parameters of a build side.
    struct Asked: Sendable {
        let stage: JoinRows
        /// The columns to take that the build side has.
        let taken: [Field]
        /// How messages name the build side.
        let name: String
        /// The file of a source, as messages name it.
        let fileName: @Sendable (_ source: Int) -> String?

        var keys: [ColumnName] { stage.by.entries.map(\.other) }
        var choice: PackedRun.Choice { stage.choice }
        /// Whether rows of the build side without a partner are emitted at the end.
        var keepsRows: Bool { stage.kind.keepsLookup }

        /// - Parameters:
        ///   - first: a row, with its batch.
        ///   - second: another row with the same key.
        func twice(_ first: (Batch, Int), _ second: (Batch, Int)) -> DaybookError {
            let (batch, row) = second
            let key = keys.map { "'\(batch[$0].displayText(row) ?? "")'" }.joined(separator: ", ")
            let origins = [first, second].compactMap { batch, row -> RowOrigin? in
                guard case .gathered(let provenance) = batch.provenance, provenance[row].line > 0 else { return nil }
                return provenance[row]
            }
            let places = origins.count == 2 ? ", in \(displayText(origins[0], origins[1]))" : ""
            return DaybookError(
                "duplicate-key",
                "two rows of \(name) have the key \(key)\(places)",
                hint:
                    "'duplicates: all' keeps every one of them, and makes a row for each; where one is meant, make one of each key first, "
                    + "such as with summarise_rows, or swap the two under 'from'; 'duplicates: first' and 'last' leave the others out",
                blame: .data
            )
        }

        /// `lines 2 and 6`, `lines 2 and 6 of words.csv`, or `words-1.csv:2 and words-2.csv:2`.
        private func displayText(_ first: RowOrigin, _ second: RowOrigin) -> String {
            let files = [first, second].compactMap { fileName(Int($0.source)) }
            guard files.count == 2, first.source != second.source else {
                return "lines \(first.line) and \(second.line)" + (files.first.map { " of \($0)" } ?? "")
            }
            return "\(files[0]):\(first.line) and \(files[1]):\(second.line)"
        }
    }

    /// The index from keys to rows.
    let index: Index
    /// All rows in order, if the join emits rows without a partner.
    private let rows: BatchBuffer
    /// The numbers of rows that the choice excludes.
    private let leftOut: RowSet

    enum Index: Sendable {
        case memory(MemoryLookup)
        case disk(DiskLookup)
    }

    /// An empty lookup.
    init() {
        index = .memory(MemoryLookup())
        rows = BatchBuffer(inMemory: [])
        leftOut = RowSet()
    }

    init(_ side: BuildSide, _ asked: Asked, _ scratch: any Scratch) throws(DaybookError) {
        var rows = side.rows
        // The memory index numbers rows in 32 bits.
        if let batches = rows.inMemory, rows.rowCount < Int(Int32.max) {
            let lookup = try MemoryLookup(batches, asked, scratch)
            index = .memory(lookup)
            leftOut = lookup.leftOut
        } else {
            try rows.spill(to: scratch)
            let lookup = try DiskLookup(rows, asked, scratch)
            index = .disk(lookup)
            leftOut = lookup.leftOut
        }
        self.rows = asked.keepsRows ? rows : BatchBuffer(inMemory: [])
    }

    /// Calls `body` with the rows whose numbers are not in `met`, in order.
    func forEachUnmet(_ met: RowSet, _ body: (Batch) throws(DaybookError) -> Void) throws(DaybookError) {
        var first = 0
        try rows.forEachBatch { (batch) throws(DaybookError) in
            let rest = (0..<batch.count).filter { !met.contains(first + $0) && !leftOut.contains(first + $0) }
            first += batch.count
            if !rest.isEmpty { try body(batch.keeping(rest.map { Int32(truncatingIfNeeded: $0) })) }
        }
    }
}

/// The build side of a join in memory: a hash table from keys to row ranges.
struct MemoryLookup: Sendable {
    private var index = KeyIndex()
    /// The first row of each key, and the end of the last; empty if each key has one row, at the key's number.
    private var starts: [Int32] = []
    private var values = TakenValues()
    /// The row number at each place, if the join emits rows without a partner.
    private var numbers: [Int] = []
    /// The numbers of rows that the choice excludes.
    private(set) var leftOut = RowSet()

    /// An empty lookup.
    init() {}

    init(_ rows: [Batch], _ asked: JoinLookup.Asked, _ scratch: any Scratch) throws(DaybookError) {
        let places = try asked.choice == .all ? gather(rows, asked.keys, scratch) : gatherOnly(rows, asked, scratch)
        values = TakenValues(asked.taken, of: rows, at: places)
        guard asked.keepsRows else { return }
        let firsts = firsts(rows)
        numbers = places.map { firsts[Int($0.batch)] + Int($0.row) }
    }

    /// The number of each batch's first row.
    private func firsts(_ rows: [Batch]) -> [Int] {
        var next = 0
        return rows.map { batch in
            defer { next += batch.count }
            return next
        }
    }

    /// Keeps one row of each key.
    private mutating func gatherOnly(
        _ rows: [Batch],
        _ asked: JoinLookup.Asked,
        _ scratch: any Scratch
    ) throws(DaybookError) -> [RowPick] {
        var (picks, leftOut): ([RowPick], RowSet) = ([], RowSet())
        let firsts = firsts(rows)
        let (isLast, keepsRows, refusesRepeats) = (asked.choice == .last, asked.keepsRows, asked.stage.refusesRepeats)
        try forEachNumbered(rows, asked.keys, scratch) { (number, keys) throws(DaybookError) in
            for (row, key) in keys.enumerated() where key >= 0 {
                let (key, pick) = (Int(key), RowPick(batch: number, row: row))
                if key == picks.count {
                    picks.append(pick)
                } else if refusesRepeats {
                    let first = picks[key]
                    throw asked.twice((rows[Int(first.batch)], Int(first.row)), (rows[number], row))
                } else {
                    var other = pick
                    if isLast { swap(&other, &picks[key]) }
                    if keepsRows { leftOut.insert(firsts[Int(other.batch)] + Int(other.row)) }
                }
            }
        }
        self.leftOut = leftOut
        return picks
    }

    /// Calls `body` with the index of every batch and the key numbers of its rows, numbering new keys; −1 is no key.
    ///
    /// Several threads first look batches up among the known keys, so that little sequential work is left.
    private mutating func forEachNumbered(
        _ rows: [Batch],
        _ columns: [ColumnName],
        _ scratch: any Scratch,
        _ body: (Int, [Int32]) throws(DaybookError) -> Void
    ) throws(DaybookError) {
        for wave in rows.indices.pieces(of: 8 * scratch.threads) {
            for (place, (keys, known)) in try looked(up: rows[wave], columns, scratch).enumerated() {
                var numbers = known
                for row in numbers.indices where numbers[row] < 0 && !keys.gaps.isMissing(row) {
                    let number = keys.withKey(row) { index.number(of: $0, keys.hashes[row]) }
                    numbers[row] = Int32(truncatingIfNeeded: number)
                }
                try body(wave.lowerBound + place, numbers)
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

    /// Gathers all rows that have a key, by key number and then in row order: a counting sort.
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

    /// The key number of each row; −1 for an unknown key.
    func keys(of batch: Batch, by columns: [ColumnName]) -> [Int32] { index.find(RowKeys(batch, by: columns)) }

    /// The partners of all rows of a batch.
    func partners(of keys: [Int32]) -> JoinPartners {
        JoinPartners(rows: 0..<keys.count, keys: keys, starts: starts, values: values)
    }

    /// Inserts the numbers of all lookup rows with the given keys.
    func note(_ keys: [Int32], metIn met: inout RowSet) {
        var seen = RowSet()
        for key in keys where key >= 0 && seen.insert(Int(key)) {
            let places = starts.isEmpty ? key..<key + 1 : starts[Int(key)]..<starts[Int(key) + 1]
            for place in places { met.insert(numbers[Int(place)]) }
        }
    }
}

/// The build side of a join on disk: rows sorted by key, with a sparse index of keys in memory.
///
/// A batch is looked up in key order, so that each piece of the file is read once for all rows with partners in it.
struct DiskLookup: Sendable {
    private let run: PackedRun
    private let form: PackedForm
    private let asked: JoinLookup.Asked
    /// The taken columns under their names in the run.
    private let fields: [Field]
    /// The numbers of rows that the choice excludes.
    private(set) var leftOut = RowSet()

    /// The most bytes of rows with one key.
    private static let mostOfKey = 1 << 30

    init(_ rows: BatchBuffer, _ asked: JoinLookup.Asked, _ scratch: any Scratch) throws(DaybookError) {
        let columns = EntryColumns(by: asked.keys, read: asked.taken.map { ColumnName($0.name) })
        // Half of the limit, since the sort allocates more than its rows.
        let sort = SortRows(by: columns.keys, memoryLimit: asked.stage.memoryLimit / 2)
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

    /// Finds rows that repeat an earlier row's key.
    private mutating func chooseAmongRepeats(_ rows: BatchBuffer, _ withoutKey: RowSet) throws(DaybookError) {
        guard asked.stage.refusesRepeats || asked.keepsRows && asked.choice != .all else { return }
        var (second, first, leftOut) = (Int.max, 0, RowSet())
        let isLast = asked.choice == .last
        try run.forEachRepeat { number, previous, firstOfKey in
            guard !withoutKey.contains(number) else { return }
            if number < second { (second, first) = (number, firstOfKey) }
            leftOut.insert(isLast ? previous : number)
        }
        if asked.stage.refusesRepeats, second < .max { throw asked.twice(try rows.row(first), try rows.row(second)) }
        self.leftOut = leftOut
    }

    // MARK: - Looking up

    /// The partners of a row range, or of as many of its first rows as fit a part.
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

    /// Inserts the numbers of all lookup rows with the given keys.
    func note(_ keys: RowKeys, _ order: [UInt32], metIn met: inout RowSet) throws(DaybookError) {
        var rest = 0..<keys.count
        while !rest.isEmpty {
            let (found, rows) = try find(keys, order, rest)
            for number in found.rows.numbers { met.insert(number) }
            rest = rows.upperBound..<keys.count
        }
    }

    /// Looks up a row range; halves it until the result fits. Returns the partners and the range.
    private func find(
        _ keys: RowKeys,
        _ order: [UInt32],
        _ rows: Range<Int>
    ) throws(DaybookError) -> (PackedRun.Found, Range<Int>) {
        var rows = rows
        while true {
            let limit = rows.count > 1 ? asked.stage.partBytes : Self.mostOfKey
            if let found = try run.find(keys, in: order, rows, asked.choice, limit: limit) { return (found, rows) }
            guard rows.count > 1 else { break }
            rows = rows.prefix(rows.count / 2)
        }
        let message = "the rows of \(asked.name) with one key take more than 1 GiB of memory"
        let hint = "swap the two under 'from', or take fewer columns with 'take'"
        throw DaybookError.machine("lookup-too-large", message, hint: hint)
    }
}

extension BatchBuffer {
    /// The row with a number in the whole run: its batch, and its index there.
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

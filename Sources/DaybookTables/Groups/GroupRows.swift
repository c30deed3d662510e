import Synchronization

/// One result of each group.
package struct GroupOutput: Sendable {
    /// The index of the group's values that make it.
    package let values: Int
    package let result: GroupResult

    package init(values: Int, result: GroupResult) { (self.values, self.result) = (values, result) }
}

/// The cuts between batches of groups, in output order: the first group after each batch but the last.
struct GroupCuts: Sendable {
    /// By the places of their first rows.
    fileprivate var met: [Int] = []
    /// By their keys, where groups are sorted by them.
    fileprivate var keys = KeyIndex()

    var count: Int { max(met.count, keys.count) }
}

/// The groups of some parts, to place the cuts: hashes put about as many groups of any stretch into each part.
struct GroupSample {
    /// The limits of a batch, in groups and in bytes of one part.
    private static let most = (groups: 16_384 / Parts.count, bytes: (1 << 20) / Parts.count)
    /// The limits of parts and of bytes of keys to sample, if one part is too few.
    private static let patience = (parts: 32, keys: 4 << 20)

    fileprivate(set) var parts = 0
    private var met: [Int] = []
    private var keys = KeyIndex()
    private var sizes: [Int] = []
    private var (size, keySize) = (0, 0)

    fileprivate mutating func add(_ key: Cell, _ bytes: Int) {
        keys.append(key)
        keySize += key.count
        add(bytes)
    }

    fileprivate mutating func add(_ place: Int, _ bytes: Int) {
        met.append(place)
        add(bytes)
    }

    private mutating func add(_ bytes: Int) {
        sizes.append(bytes)
        size += bytes
    }

    /// Whether a batch has at least four of these groups and so about the right size, or the sample is at its limit.
    var isFine: Bool {
        parts == Self.patience.parts || keySize > Self.patience.keys
            || size > 0 && size * 4 <= Self.most.bytes * parts * sizes.count
    }

    var cuts: GroupCuts {
        var cuts = GroupCuts()
        let order =
            keys.count > 0
            ? keys.sortedNumbers() : sizes.indices.map { Int32($0) }.sorted { met[Int($0)] < met[Int($1)] }
        var (groups, bytes) = (0, 0)
        for group in order {
            let group = Int(group)
            if groups == Self.most.groups * parts || bytes >= Self.most.bytes * parts {
                if keys.count > 0 {
                    keys.withKey(group) { cuts.keys.append($0) }
                } else {
                    cuts.met.append(met[group])
                }
                (groups, bytes) = (0, 0)
            }
            groups += 1
            bytes += sizes[group]
        }
        return cuts
    }
}

/// The packed results of one part's groups, or of one slice's rows, in memory or on disk, ordered by output batch.
struct PackedResults: Sendable {
    fileprivate enum Content: Sendable {
        case memory(Bytes)
        case file(any ScratchFile, start: Int)
    }

    fileprivate var content: Content
    /// The end of each batch's rows.
    private let ends: [Int]
    /// The batches with a result that overflows its kind.
    let rejects: Set<Int>

    /// - Parameter bytes: copied, for the results stay for long and so must take no more than they need.
    init(_ bytes: Bytes, ends: [Int], rejects: Set<Int>) {
        (content, self.ends, self.rejects) = (.memory(bytes.copy(0...)), ends, rejects)
    }

    /// The results of a batch, perhaps none.
    func bytes(of batch: Int) throws(DaybookError) -> (Bytes, Range<Int>) {
        let range = (batch == 0 ? 0 : ends[batch - 1])..<ends[batch]
        switch content {
        case .memory(let bytes): return (bytes, range)
        case .file(let file, let start):
            let bytes = Bytes(capacity: range.count)
            try file.read(range.count, at: start + range.lowerBound, into: bytes)
            guard bytes.count == range.count else { throw .lostScratch }
            return (bytes, 0..<range.count)
        }
    }
}

/// Receives the results of all parts: in memory up to the limit, and then on disk.
final class ResultStore: Sendable {
    private struct State {
        var used: Int
        var file: (any ScratchFile)?
    }

    private let limit: Int
    private let scratch: any Scratch
    private let state: Mutex<State>

    /// - Parameter used: how many of `limit` bytes are taken otherwise.
    init(limit: Int, used: Int, _ scratch: any Scratch) {
        (self.limit, self.scratch) = (limit, scratch)
        state = Mutex(State(used: used))
    }

    /// Records that other memory has been released.
    func free(_ bytes: Int) { state.withLock { $0.used -= bytes } }

    func keep(_ results: PackedResults) throws(DaybookError) -> PackedResults {
        guard case .memory(let bytes) = results.content else { return results }
        var results = results
        try state.withLock { (state) throws(DaybookError) in
            guard state.used + bytes.count > limit else {
                state.used += bytes.count
                return
            }
            let file = if let file = state.file { file } else { try scratch.makeFile() }
            state.file = file
            results.content = .file(file, start: file.length)
            try file.append(bytes)
            withExtendedLifetime(bytes) {}
        }
        return results
    }
}

/// Makes rows of groups: first the results of each part, and then batches from the results of all parts.
struct RowMaker: Sendable {
    /// The number of group key columns.
    let by: Int
    /// The columns after the group key.
    let outputs: [GroupOutput]
    let schema: Schema
    /// Whether rows are in key order, rather than in the order in which groups were met.
    let isSorted: Bool

    /// Adds the groups of one more part to a sample.
    func add(_ table: GroupTable, to sample: inout GroupSample) {
        let columns = columns(of: table)
        for group in 0..<table.count {
            let bytes = columns.reduce(0) { $0 + $1.length(of: group) }
            if isSorted {
                table.keys.withKey(group) { sample.add($0, bytes) }
            } else {
                sample.add(table.met[group], bytes)
            }
        }
        sample.parts += 1
    }

    private func order(of table: GroupTable) -> [Int32] {
        isSorted ? table.keys.sortedNumbers() : (0..<Int32(truncatingIfNeeded: table.count)).map { $0 }
    }

    private func columns(of table: GroupTable) -> [ResultColumn] {
        KeyColumns(schema.fields.prefix(by), of: table.keys).columns
            + zip(outputs, schema.fields.dropFirst(by)).map { output, field in
                let column = ResultColumn(field.kind, rows: table.count)
                table.values[output.values].fill(column, output.result)
                return column
            }
    }

    /// The results of the groups of a part.
    func results(of table: GroupTable, _ cuts: GroupCuts) -> PackedResults {
        let (order, columns) = (order(of: table), columns(of: table))
        let bytes = Bytes(capacity: 1 << 12)
        let tooLarge = Set(columns.flatMap(\.tooLarge.keys))
        var rejects: Set<Int> = []
        var ends: [Int] = []
        var next = 0
        for cut in 0...cuts.count {
            let start = next
            while next < order.count, cut == cuts.count || comes(order[next], of: table, before: cut, cuts) {
                next += 1
            }
            if start < next {
                let groups = order[start..<next]
                bytes.append(raw: UInt32(groups.count))
                bytes.append(packed: table.met.taking(groups)[...])
                for column in columns { column.write(groups, to: bytes) }
                if !tooLarge.isDisjoint(with: groups) { rejects.insert(cut) }
            }
            ends.append(bytes.count)
        }
        return PackedResults(bytes, ends: ends, rejects: rejects)
    }

    private func comes(_ group: Int32, of table: GroupTable, before cut: Int, _ cuts: GroupCuts) -> Bool {
        guard isSorted else { return table.met[Int(group)] < cuts.met[cut] }
        return table.keys.withKey(Int(group)) { key in cuts.keys.withKey(cut) { key.comesBefore($0) } }
    }

    /// Makes the rows of a batch.
    ///
    /// - Parameters:
    ///   - results: the results of each part.
    ///   - places: the positions of the rows in the order in which groups were met.
    func batch(
        _ number: Int,
        of results: [PackedResults],
        _ places: CompactProvenance
    ) throws(DaybookError) -> (Batch, Findings) {
        var pieces: [(bytes: Bytes, reader: ByteReader, groups: Range<Int>)] = []
        var met: [Int] = []
        for part in results {
            let (bytes, range) = try part.bytes(of: number)
            guard !range.isEmpty else { continue }
            var reader = ByteReader(Cell(rebasing: bytes.filled[range]))
            let (first, count) = (met.count, Int(try reader.raw(UInt32.self)))
            met += try reader.packed(count)
            pieces.append((bytes, reader, first..<met.count))
        }
        let ranks = Ranks(of: [met])
        let rows = met.map { ranks[$0] }
        let columns = schema.fields.map { ResultColumn($0.kind, rows: rows.count) }
        for place in pieces.indices {
            for column in columns { try column.read(&pieces[place].reader, to: rows[pieces[place].groups]) }
        }
        withExtendedLifetime(pieces) {}
        // A single row over all rows has no origin.
        let provenance = by > 0 ? try places.gathered(ranks.sorted) : .made
        let batch = Batch(schema, columns.map { $0.column() }, count: rows.count, provenance: provenance)
        guard isSorted else { return (batch, findings(columns, rows: nil)) }
        let keys = schema.fields.prefix(by).map { SortKey(column: ColumnName($0.name)) }
        let order = SortKeyTable(batch, by: keys).sortedRows().map { Int32(bitPattern: $0) }
        return (batch.keeping(order), findings(columns, rows: order))
    }

    /// - Parameter rows: for each sorted row, its number before sorting; nil if unsorted.
    private func findings(_ columns: [ResultColumn], rows: [Int32]?) -> Findings {
        var findings = Findings()
        for (place, column) in columns.enumerated() where !column.tooLarge.isEmpty {
            let kind = place < by ? .sumTooLarge : outputs[place - by].result.fault
            let token = findings.token(kind, in: ColumnName(schema.fields[place].name))
            for row in 0..<(rows?.count ?? (Int(column.tooLarge.keys.max() ?? 0) + 1)) {
                guard let message = column.tooLarge[rows?[row] ?? Int32(row)] else { continue }
                if message.isEmpty {
                    findings.reject(row, token)
                } else {
                    findings.reject(row, token, saying: message)
                }
            }
        }
        return findings
    }
}

/// Some numbers that differ from one another, in order, and the rank of each.
struct Ranks {
    let sorted: [Int]
    /// A bit for each number from the first to the last, and a count before each 64 of them; empty for sparse numbers.
    private var words: [UInt64] = []
    private var before: [Int32] = []

    init(of lists: [[Int]]) {
        let count = lists.reduce(0) { $0 + $1.count }
        let first = lists.reduce(Int.max) { $1.reduce($0) { min($0, $1) } }
        let last = lists.reduce(0) { $1.reduce($0) { max($0, $1) } }
        guard count > 0, last - first < count << 8 else {
            sorted = lists.flatMap(\.self).sorted()
            return
        }
        words = [UInt64](repeating: 0, count: (last - first) >> 6 + 1)
        for list in lists {
            for number in list { words[(number - first) >> 6] |= 1 << UInt64((number - first) & 63) }
        }
        var sorted: [Int] = []
        sorted.reserveCapacity(count)
        before.reserveCapacity(words.count)
        for (place, word) in words.enumerated() {
            before.append(Int32(truncatingIfNeeded: sorted.count))
            var rest = word
            while rest != 0 {
                sorted.append(first + place << 6 + rest.trailingZeroBitCount)
                rest &= rest - 1
            }
        }
        self.sorted = sorted
    }

    @inline(__always)
    subscript(_ number: Int) -> Int32 {
        guard !words.isEmpty else { return Int32(truncatingIfNeeded: sorted.partitioningIndex { $0 >= number }) }
        let place = number - sorted[0]
        let lower = words[place >> 6] & (1 << UInt64(place & 63) - 1)
        return before[place >> 6] + Int32(truncatingIfNeeded: lower.nonzeroBitCount)
    }
}

extension Finding.Kind {
    package static let sumTooLarge = Finding.Kind(
        "sum-too-large",
        "the sum of the group is larger than a number can hold"
    )
    static let medianTooLong = Finding.Kind(
        "median-too-long",
        "the median of the group has more digits than a decimal holds"
    )
    static let comparedAsText = Finding.Kind("compared-as-text", "numbers are compared as text", severity: .warning)
    static let groupDiffers = Finding.Kind(
        "group-differs",
        "the rows of the group do not have one value here; the first has {value}"
    )
}

/// The groups of one part of all keys at work, in the order in which they were met.
struct GroupTable: Sendable {
    private(set) var keys: KeyIndex
    /// The place of each group's first row among the places of all.
    var met: [Int] = []
    private(set) var values: [any GroupValues]

    /// - Parameters:
    ///   - nothing: the values of an empty group table.
    ///   - expected: the expected number of groups, as far as that is known.
    init(_ nothing: [any GroupValues], expected: Int = 0) {
        values = nothing
        keys = KeyIndex(capacity: expected)
        met.reserveCapacity(expected)
    }

    /// All groups of a part.
    init(_ nothing: [any GroupValues], of part: PartitionedBytes.Part, expected: Int = 0) throws(DaybookError) {
        self.init(nothing, expected: expected)
        try part.forEachRun { (records, base) throws(DaybookError) in try add(records, base: base) }
    }

    var count: Int { keys.count }

    /// All groups packed as a run; nothing where there are none.
    var run: [UInt8] { PartitionedBytes.run { if count > 0 { write(to: $0) } } }

    /// Adds packed later groups; `base` places precede their first row.
    mutating func add(_ records: UnsafeRawBufferPointer, base: Int) throws(DaybookError) {
        var reader = ByteReader(records.bindMemory(to: UInt8.self))
        let count = Int(try reader.raw(UInt32.self))
        let packed = try reader.keys(count)
        let places = keys.numbers(of: packed.keys, packed.lengths)
        var next = met.count
        try reader.forEachPacked(count) { (place, number: Int) in
            guard Int(places[place]) == next else { return }
            met.append(number &+ base)
            next &+= 1
        }
        for index in values.indices {
            values[index].grow(to: next)
            try values[index].merge(&reader, places)
        }
    }

    /// Packs all groups.
    func write(to out: Bytes) {
        out.append(raw: UInt32(count))
        keys.writePacked(to: out)
        out.append(packed: met[...])
        for values in values { values.write(0..<count, to: out) }
    }

    /// Brings values into the form from which results are made.
    mutating func finish() { for index in values.indices { values[index].finish() } }
}

import Synchronization

/// The grouping of a job: the group key columns, and the values computed for each group.
package protocol Grouping: Sendable {
    var by: [ColumnName] { get }
    /// Empty values for rows of that schema, and the source column of each; nil for the rows themselves.
    func values(of schema: Schema) -> [(values: any GroupValues, column: ColumnName?)]
}

/// The groups of some rows with the values of each: the partial of `summarise_rows` and `count_streaks`.
///
/// Groups are packed in 256 parts by the upper bits of their keys' hashes, so that each part's table stays in cache
/// (radix partitioning as in a hybrid hash join: DeWitt et al., SIGMOD 1984). Workers pack the groups of a batch, part
/// by part; a group may be in a part many times. If groups repeat often, parts in memory are merged from time to time.
/// If nearly every row is a group, they only wait, and spill beyond the limit; `emit` merges all of them.
public struct GroupSummary: FoldPartial, BinaryForm {
    public private(set) var foldedRows = 0
    /// Runs of groups, each group with the place of its first row among `places`.
    private(set) var groups = PartitionedBytes()
    private var places: CompactProvenance
    /// The empty values of a group.
    let nothing: [any GroupValues]
    /// The texts for the greatest or the least of a column.
    package var extremes: [TextExtremes] = []
    /// The limit of bytes of groups in memory before they are examined.
    private var patience = GroupSummary.leastPatience

    private static let leastPatience = 4 << 20

    /// - Parameter batch: holds only rows that count.
    package init(_ batch: Batch, _ grouping: some Grouping) {
        foldedRows = batch.count
        let entries = grouping.values(of: batch.schema)
        nothing = entries.map(\.values)
        let fields = grouping.by.map { Field($0.text, batch[$0].kind) }
        var firsts = batch.replacing(Schema(fields), grouping.by.map { batch[$0] })
        var codes: RowCodes?
        if !firsts.hasFewRepeats {
            codes = RowCodes(batch, by: grouping.by)
            firsts = firsts.keeping(codes?.firsts ?? [])
        }
        places = CompactProvenance(firsts)
        guard firsts.count > 0 else { return }
        let keys = SortKeyTable(firsts, by: grouping.by.map { SortKey(column: $0) })
        let layout = PartLayout(
            (0..<keys.count).map { UInt8(truncatingIfNeeded: Parts.of(keys.withKey($0, KeyIndex.hash))) }
        )
        codes?.renumber(layout.places)
        let numbers = codes?.codes ?? layout.places
        let order = layout.order
        let lengths = order.map { row in keys.withKey(Int(row)) { UInt32(truncatingIfNeeded: $0.count) } }
        let values = entries.map { entry in
            var values = entry.values
            values.grow(to: order.count)
            values.add(entry.column, of: batch, numbers)
            return values
        }
        groups.appendRuns { part, bytes in
            let groups = layout.range(of: part)
            guard !groups.isEmpty else { return }
            bytes.append(raw: UInt32(groups.count))
            bytes.append(packed: lengths[groups])
            for row in order[groups] { keys.withKey(Int(row)) { bytes.append(cell: $0) } }
            bytes.append(packed: order[groups])
            for values in values { values.write(groups, to: bytes) }
        }
    }

    /// Merges the summary of later rows, and spills beyond `limit` bytes.
    package mutating func merge(_ later: GroupSummary, limit: Int, _ scratch: any Scratch) throws(DaybookError) {
        groups.append(later.groups, raisedBy: places.count)
        try places.append(later.places)
        foldedRows += later.foldedRows
        for (place, one) in zip(extremes.indices, later.extremes) { extremes[place].merge(one) }
        guard groups.footprint > patience || footprint > limit else { return }
        // Merged groups that still take half of the memory would soon have to be merged again.
        var most = limit
        if !groups.isEmpty, try comeAgain() {
            try putTogether(scratch)
            most = limit / 2
            patience = max(Self.leastPatience, groups.footprint * 4)
        } else {
            patience = max(patience, groups.footprint * 2)
        }
        if footprint > most { try spill(to: scratch) }
    }

    public var footprint: Int { groups.footprint + places.footprint }

    public mutating func spill(to scratch: any Scratch) throws(DaybookError) {
        try groups.spill(to: scratch)
        try places.spill(to: scratch)
    }

    /// Whether most groups in memory are there twice or more. One part is sampled.
    private func comeAgain() throws(DaybookError) -> Bool {
        var sample = GroupTable(nothing)
        var count = 0
        try groups.part(0, inMemory: true).forEachRun { (records, base) throws(DaybookError) in
            count += Int(records.loadUnaligned(as: UInt32.self))
            try sample.add(records, base: base)
        }
        return sample.count * 2 <= count
    }

    /// Leaves of each group in memory one, the parts side by side.
    private mutating func putTogether(_ scratch: any Scratch) throws(DaybookError) {
        let parts = groups.takeParts(inMemory: true)
        let nothing = nothing
        var tables = try scratch.map(parts.count) { (part) throws(DaybookError) in
            try GroupTable(nothing, of: parts[part])
        }
        if groups.isEmpty {
            // Only places where a group was met are still looked up.
            let ranks = Ranks(of: tables.map(\.met))
            for part in tables.indices { tables[part].met = tables[part].met.map { Int(ranks[$0]) } }
            places = try places.keeping(ranks.sorted)
        }
        groups.append(parts: try scratch.map(tables.count) { [tables] part in tables[part].run })
    }

    public func write(to bytes: Bytes) throws(DaybookError) {
        bytes.append(raw: Int64(foldedRows))
        GroupValuesCode.write(nothing, to: bytes)
        bytes.append(raw: UInt32(extremes.count))
        for one in extremes { one.write(to: bytes) }
        try places.write(to: bytes)
        try groups.write(to: bytes)
    }

    /// Reads what `write(to:)` has written in this process. With another seed, equal keys would be in two parts.
    public init(reading reader: inout ByteReader) throws(DaybookError) {
        foldedRows = Int(try reader.raw(Int64.self))
        nothing = try GroupValuesCode.read(&reader)
        for _ in 0..<(try reader.raw(UInt32.self)) { extremes.append(try TextExtremes(reading: &reader)) }
        places = try CompactProvenance(reading: &reader)
        groups = try PartitionedBytes(reading: &reader)
    }
}

extension GroupSummary: KeyedPartial {
    public mutating func takeKeys(partitions: Int) -> [GroupPartition] {
        groups.takePartitions(partitions).map { GroupPartition($0, nothing, rows: places.count) }
    }

    public mutating func putBack(_ partition: GroupPartition, scratch: any Scratch) throws(DaybookError) {
        groups.append(partition.groups, raisedBy: 0)
        if groups.footprint > scratch.memoryLimit / 2 { try groups.spill(to: scratch) }
    }
}

extension GroupSummary {
    /// Makes rows of all groups, in the order in which they were met or in key order. Nothing is merged afterwards.
    ///
    /// - Parameters:
    ///   - outputs: the columns behind the group key.
    ///   - remarks: remarks about values, by their numbers; reported once, with the first row.
    ///   - limit: the memory limit in bytes.
    package mutating func emit(
        _ outputs: [GroupOutput],
        by: Int,
        isSorted: Bool = false,
        remarks: [(value: Int, message: String)] = [],
        limit: Int,
        _ output: FoldOutput
    ) throws(DaybookError) {
        let maker = RowMaker(by: by, outputs: outputs, schema: output.schema, isSorted: isSorted)
        let nothing = nothing
        let expected = places.count / Parts.count * 9 / 8
        // Beyond the memory limit, tables are large, and memory is released in pieces that are small in comparison.
        let store = ResultStore(limit: groups.isOnDisk ? limit / 2 : limit, used: footprint, output.scratch)
        var parts = groups.takeParts()
        let places = places
        @Sendable func table(of part: PartitionedBytes.Part) throws(DaybookError) -> GroupTable {
            var table = try GroupTable(nothing, of: part, expected: expected)
            table.finish()
            return table
        }
        @Sendable func takeTable(of part: inout PartitionedBytes.Part) throws(DaybookError) -> GroupTable {
            let table = try table(of: part)
            store.free(part.footprint)
            part = PartitionedBytes.Part()
            return table
        }
        let areMany = parts.reduce(0) { $0 + $1.length } > 1 << 20
        let first = try takeTable(of: &parts[0])
        var sample = GroupSample()
        maker.add(first, to: &sample)
        while areMany, !sample.isFine { maker.add(try table(of: parts[sample.parts]), to: &sample) }
        let cuts = sample.cuts
        let packed = try store.keep(maker.results(of: first, cuts))
        var rest = parts[1...].map { (part: $0, results: packed) }
        parts = []
        try output.scratch.concurrently(on: &rest) { (_, entry) throws(DaybookError) in
            entry.results = try store.keep(maker.results(of: try takeTable(of: &entry.part), cuts))
        }
        let results = [packed] + rest.map(\.results)
        let rejects = results.reduce(into: Set()) { $0.formUnion($1.rejects) }
        for number in 0...cuts.count {
            if rejects.contains(number) || cuts.count == 0 || number == 0 && !remarks.isEmpty {
                var (batch, findings) = try maker.batch(number, of: results, places)
                if number == 0, batch.count > 0 {
                    for remark in remarks {
                        let column = ColumnName(output.schema.fields[by + remark.value].name)
                        findings.warn(0, findings.token(.comparedAsText, in: column), saying: remark.message)
                    }
                }
                if cuts.count == 0 { TextTwins.warn(of: batch, by: by, &findings) }
                try output.emit(batch, findings)
            } else {
                let late = LateFindings(Findings()) { () throws(DaybookError) in
                    try maker.batch(number, of: results, places).0
                }
                try output.emit(late)
            }
        }
    }
}

extension Batch {
    /// Whether most rows differ from all others, judged by a sample.
    ///
    /// Among eight sampled rows fewer than one may repeat. The samples are far apart, for neighbours may differ where
    /// other rows repeat.
    fileprivate var hasFewRepeats: Bool {
        let size = 2_048
        guard count >= 2 * size, !columns.isEmpty else { return false }
        let step = count / size
        let rows = (0..<Int32(size)).map { $0 * Int32(step) }
        let sample = Batch(schema, columns.map { $0.keeping(rows) }, count: size, provenance: .made)
        let found = RowCodes(sample, by: schema.names.map { ColumnName($0) }).firsts.count
        // Of n rows drawn from d keys, n² / 2d repeat.
        return (size - found) * 8 * count < size * size
    }
}

extension CompactProvenance {
    /// The places at some numbers, which ascend.
    fileprivate func keeping(_ numbers: [Int]) throws(DaybookError) -> CompactProvenance {
        var kept = CompactProvenance(Batch(empty: Schema([])))
        for stretch in stretches(of: numbers) {
            let provenance = try gathered(Array(numbers[stretch]))
            try kept.append(CompactProvenance(Batch(Schema([]), [], count: stretch.count, provenance: provenance)))
        }
        return kept
    }
}

/// The layout of elements by part, in their order within each part.
private struct PartLayout {
    /// The place of each.
    let places: [Int32]
    /// The source of each place.
    let order: [Int32]
    /// Where each part begins, and where the last one ends.
    private let starts: [Int]

    init(_ parts: [UInt8]) {
        var starts = [Int](repeating: 0, count: Parts.count + 1)
        for part in parts { starts[Int(part) + 1] += 1 }
        for part in 1...Parts.count { starts[part] += starts[part - 1] }
        self.starts = starts
        var places = [Int32](repeating: 0, count: parts.count)
        var order = places
        var next = starts.mutableSpan
        var placing = places.mutableSpan
        var ordering = order.mutableSpan
        for row in parts.indices {
            let part = Int(parts[row])
            placing[row] = Int32(truncatingIfNeeded: next[part])
            ordering[next[part]] = Int32(truncatingIfNeeded: row)
            next[part] &+= 1
        }
        (self.places, self.order) = (places, order)
    }

    func range(of part: Int) -> Range<Int> { starts[part]..<starts[part + 1] }
}

/// Queries on groups that make no rows.
extension GroupSummary {
    /// How many groups there are.
    package func groupCount(_ scratch: any Scratch) throws(DaybookError) -> Int {
        let (groups, nothing) = (groups, nothing)
        return try scratch.map(Parts.count) { (part) throws(DaybookError) in
            try GroupTable(nothing, of: groups.part(part)).count
        }.reduce(0, +)
    }

    /// Calls `body` with the days of every group, which are the first of its values, in no particular order.
    ///
    /// - Parameters:
    ///   - fields: the group key columns.
    ///   - met: a number that sorts groups in the order in which they were met.
    ///   - name: returns the values of the group key.
    package func forEachDays(
        of fields: [Field],
        _ body: (_ met: Int, _ days: DayRuns, _ name: () -> String) -> Void
    ) throws(DaybookError) {
        for part in 0..<Parts.count {
            let table = try GroupTable(nothing, of: groups.part(part))
            guard let days = table.values.first as? DaySets else { throw ByteReader.damaged }
            lazy var columns = KeyColumns(fields, of: table.keys).columns.map { $0.column() }
            for group in 0..<table.count {
                body(table.met[group], days.sets[group]) {
                    columns.map { "'\($0.displayText(group) ?? "")'" }.joined(separator: ", ")
                }
            }
        }
    }
}

/// A partition of the groups of some rows, for other processes to merge.
public struct GroupPartition: PartialKeys, BinaryForm {
    /// How many places of first rows there are, whether or not this partition has their group.
    private var rows: Int
    private(set) var groups: PartitionedBytes
    /// The empty values of a group.
    private let nothing: [any GroupValues]

    init(_ groups: PartitionedBytes, _ nothing: [any GroupValues], rows: Int) {
        (self.groups, self.nothing, self.rows) = (groups, nothing, rows)
    }

    public mutating func append(_ later: GroupPartition, scratch: any Scratch) throws(DaybookError) {
        groups.append(later.groups, raisedBy: rows)
        rows += later.rows
        if groups.footprint > scratch.memoryLimit / 2 { try groups.spill(to: scratch) }
    }

    /// Merges each group into one.
    public mutating func settle(scratch: any Scratch) throws(DaybookError) {
        let parts = groups.takeParts()
        let nothing = nothing
        let settled = Mutex(PartitionedBytes())
        try scratch.concurrently(parts.count) { (part) throws(DaybookError) in
            let run = try GroupTable(nothing, of: parts[part]).run
            try settled.withLock { (settled) throws(DaybookError) in
                settled.append(run, to: part)
                if settled.footprint > scratch.memoryLimit / 4 { try settled.spill(to: scratch) }
            }
        }
        groups = settled.withLock { $0 }
    }

    public func write(to bytes: Bytes) throws(DaybookError) {
        bytes.append(raw: UInt64(rows))
        GroupValuesCode.write(nothing, to: bytes)
        try groups.write(to: bytes)
    }

    public init(reading reader: inout ByteReader) throws(DaybookError) {
        rows = Int(truncatingIfNeeded: try reader.raw(UInt64.self))
        nothing = try GroupValuesCode.read(&reader)
        groups = try PartitionedBytes(reading: &reader)
    }
}

/// Groups that look alike: their names differ only in invisible characters.
enum TextTwins {
    private static let kind = Finding.Kind(
        "look-alikes",
        "the name of the group looks like that of another",
        severity: .warning
    )

    /// Warns of each group whose name has an invisible character and is otherwise the name of another group.
    ///
    /// - Parameters:
    ///   - batch: all groups.
    ///   - by: the number of group key columns, which are the first.
    static func warn(of batch: Batch, by: Int, _ findings: inout Findings) {
        guard (2...LookAlikes.most).contains(batch.count) else { return }
        for (place, field) in batch.schema.fields.prefix(by).enumerated() {
            guard case .text(let names) = batch.columns[place] else { continue }
            var (rows, texts, isOdd): ([Int], [String], Bool) = ([], [], false)
            names.forEachValue { _, cell in isOdd = isOdd || LookAlikes.oddity(in: cell) != nil }
            guard isOdd else { continue }
            names.forEachValue { row, cell in
                rows.append(row)
                texts.append(String(decoding: cell, as: UTF8.self))
            }
            let token = findings.token(kind, in: ColumnName(field.name))
            for one in LookAlikes.pairs(among: texts) {
                let advice = "is another group than '\(one.twin)'; nfc() composes letters, trim() takes blanks away"
                findings.warn(rows[one.place], token, saying: "'\(texts[one.place])' with \(one.oddity) \(advice)")
            }
        }
    }
}

import DaybookCore

/// The groups of some rows with what is known of each: what `summarise_rows` knows of them.
///
/// Groups are numbered in the order in which they are met. Beyond a limit they go to disk, and are numbered anew from then on.
public struct GroupSummary: SplittingPartial {
    public private(set) var foldedRows = 0
    private var keys = KeyIndex()
    /// How many rows had been folded when each group was met, or when its batch began, and its place behind that.
    private var met: [Int64] = []
    var spilled = SpilledParts<GroupSummary>()
    /// The columns of the groups, one row for each group, in several batches. None without such columns.
    private var names: [Batch] = []
    /// What the column of each value holds; nil for a count of rows.
    private var kinds: [ColumnKind?]
    private var values: [any GroupValues]

    var count: Int { keys.count }

    /// `batch` holds only rows that count.
    init(_ batch: Batch, _ stage: SummariseRows) {
        foldedRows = batch.count
        let groups = RowCodes(batch, by: stage.by)
        let fields = stage.by.map { Field($0.text, batch[$0].kind, source: batch.schema[$0]?.source) }
        let named = batch.replacing(Schema(fields), stage.by.map { batch[$0] })
        let firsts = Batch.gathering(groups.firsts.map { RowPick(batch: 0, row: Int($0)) }, from: [named])
        if !stage.by.isEmpty, firsts.count > 0 { names = [firsts] }
        let kinds = stage.calls.map { call in call.column.map { batch[$0].kind } }
        self.kinds = kinds
        values = zip(stage.calls, kinds).map { call, kind in
            var values = call.function.nothing(of: kind)
            values.grow(to: firsts.count)
            values.add(call.column, of: batch, groups)
            return values
        }
        let table = SortKeyTable(firsts, by: stage.keys)
        for row in 0..<firsts.count { _ = table.withKey(row) { keys.number(of: $0) } }
        met = groups.firsts.map { Int64($0) }
    }

    /// Adds what is known of later rows, of which none is on disk.
    mutating func merge(_ later: GroupSummary) {
        var firsts: [RowPick] = []
        let picks = later.namePicks
        let places = (0..<later.count).map { number in
            let before = keys.count
            let mine = later.keys.withKey(number) { keys.number(of: $0) }
            if keys.count > before {
                met.append(later.met[number] + Int64(foldedRows))
                if !picks.isEmpty { firsts.append(picks[number]) }
            }
            return Int32(truncatingIfNeeded: mine)
        }
        if !firsts.isEmpty { names.append(Batch.gathering(firsts, from: later.names)) }
        for index in values.indices {
            values[index].grow(to: keys.count)
            values[index].merge(later.values[index], places)
        }
        foldedRows += later.foldedRows
    }

    /// Where the columns of each group stand; nothing without such columns.
    private var namePicks: [RowPick] {
        names.indices.flatMap { batch in (0..<names[batch].count).map { RowPick(batch: batch, row: $0) } }
    }

    var footprint: Int {
        keys.footprint + met.count * 8 + names.reduce(0) { $0 + $1.footprint } + values.reduce(0) { $0 + $1.footprint }
    }

    mutating func raise(by rows: Int) { for group in met.indices { met[group] += Int64(rows) } }

    func split(_ body: (GroupSummary?) throws(DaybookError) -> Void) throws(DaybookError) {
        let split = GroupSplit(keys)
        let met = split.split(met)
        let picks = namePicks
        let groups = split.groups
        let values = values.map { $0.split(split) as [any GroupValues] }
        for part in groups.indices {
            guard !groups[part].isEmpty else {
                try body(nil)
                continue
            }
            var piece = GroupSummary(kinds, values.map { $0[part] })
            piece.keys = KeyIndex(capacity: groups[part].count)
            for group in groups[part] { _ = keys.withKey(group) { piece.keys.number(of: $0) } }
            piece.met = met[part]
            if !picks.isEmpty { piece.names = [Batch.gathering(groups[part].map { picks[$0] }, from: names)] }
            try body(piece)
        }
    }

    private init(_ kinds: [ColumnKind?], _ values: [any GroupValues]) {
        self.kinds = kinds
        self.values = values
    }

    /// Brings all groups to disk.
    mutating func spill(_ scratch: any Scratch) throws(DaybookError) {
        guard keys.count > 0 else { return }
        try spilled.append(self, scratch)
        keys = KeyIndex()
        met = []
        names = []
        values = values.map { $0.emptied }
    }

    public func write(to bytes: Bytes) throws(DaybookError) {
        bytes.append(raw: Int64(foldedRows))
        try spilled.write(to: bytes)
        bytes.append(array: met)
        keys.write(to: bytes)
        bytes.append(raw: UInt32(names.count))
        for batch in names { batch.write(to: bytes) }
        bytes.append(raw: UInt32(values.count))
        for (values, kind) in zip(values, kinds) {
            bytes.append(counted: kind?.rawValue ?? "")
            bytes.append(raw: type(of: values).code.rawValue)
            values.write(to: bytes)
        }
    }

    public init(reading reader: inout ByteReader) throws(DaybookError) {
        foldedRows = Int(try reader.raw(Int64.self))
        var parts: [GroupSummary] = []
        try SpilledParts.read(&reader) { parts.append($0) }
        met = try reader.array()
        keys = try KeyIndex(reading: &reader)
        for _ in 0..<(try reader.raw(UInt32.self)) { names.append(try Batch(reading: &reader)) }
        values = []
        var kinds: [ColumnKind?] = []
        for _ in 0..<(try reader.raw(UInt32.self)) {
            kinds.append(ColumnKind(rawValue: try reader.text()))
            guard let code = GroupValuesCode(rawValue: try reader.raw()) else {
                throw DaybookError.machine("damaged-partial", "a stored partial result cannot be read back")
            }
            values.append(try code.read(&reader, groups: keys.count))
        }
        self.kinds = kinds
        // What was on disk is earlier than what was not.
        guard var whole = parts.first else { return }
        for part in parts.dropFirst() { whole.merge(part) }
        let rows = foldedRows
        foldedRows = 0
        whole.merge(self)
        self = whole
        foldedRows = rows
    }
}

extension GroupSummary {
    private static let rowsInBatch = 4_096
    private static let bytesInBatch = 1 << 20

    /// Gives out one row for each group.
    func emit(
        _ stage: SummariseRows,
        _ schema: Schema,
        _ scratch: any Scratch,
        _ emit: (Batch, Findings) throws(DaybookError) -> Void
    ) throws(DaybookError) {
        guard !spilled.isEmpty else {
            let order =
                stage.order == .sorted ? keys.sortedNumbers() : (0..<count).sorted { met[$0] < met[$1] }
            return try emitGroups(order, stage, schema) { (batch, findings, _) throws(DaybookError) in
                try emit(batch, findings)
            }
        }
        var whole = self
        try whole.spill(scratch)
        let keys = stage.order == .sorted ? stage.keys : nil
        var sorted = GroupOrder(by: keys, memoryLimit: stage.memoryLimit / 2, scratch: scratch)
        for number in 0..<Parts.count {
            guard let part = try whole.spilled.part(number) else { continue }
            try part.emitGroups(Array(0..<part.count), stage, schema) {
                (batch, findings, groups) throws(DaybookError) in
                try sorted.append(batch, met: groups.map { part.met[$0] }, findings)
            }
        }
        try sorted.finish(schema, emit)
    }

    /// Whether there is no group at all.
    var isEmpty: Bool { count == 0 && spilled.isEmpty }

    private func emitGroups(
        _ order: [Int],
        _ stage: SummariseRows,
        _ schema: Schema,
        _ emit: (Batch, Findings, [Int]) throws(DaybookError) -> Void
    ) throws(DaybookError) {
        let picks = namePicks
        let tables = stage.calls.indices.map { place in
            FinishedValues(stage.calls[place], values[place], of: kinds[place], groups: count)
        }
        var start = 0
        while start < order.count {
            var end = start
            var bytes = 0
            while end < order.count, end - start < Self.rowsInBatch, bytes < Self.bytesInBatch {
                bytes += keys.withKey(order[end], \.count) + tables.reduce(0) { $0 + $1.bytes(order[end]) }
                end += 1
            }
            let groups = Array(order[start..<end])
            var findings = Findings()
            let columns = tables.enumerated().map { place, table in
                table.column(of: groups, named: ColumnName(stage.values.entries[place].key), &findings)
            }
            if picks.isEmpty {
                try emit(Batch(schema, columns, count: groups.count, origins: .made), findings, groups)
            } else {
                let named = Batch.gathering(groups.map { picks[$0] }, from: names)
                try emit(named.replacing(schema, named.columns + columns), findings, groups)
            }
            start = end
        }
    }
}

extension AggregateCall.Function {
    /// What is known of no rows, for a column of that kind; nil is the kind of rows.
    func nothing(of kind: ColumnKind?) -> any GroupValues {
        switch self {
        case .count: Tallies()
        case .sum, .mean: kind == .integer ? WholeSums() : DecimalSums()
        case .median: ValueRuns()
        case .distinct: DistinctValues()
        case .min: kind == .text ? PickedText(.least) : PickedValues(.least)
        case .max: kind == .text ? PickedText(.greatest) : PickedValues(.greatest)
        case .first: kind == .text || kind == .json ? PickedText(.first) : PickedValues(.first)
        case .last: kind == .text || kind == .json ? PickedText(.last) : PickedValues(.last)
        }
    }
}

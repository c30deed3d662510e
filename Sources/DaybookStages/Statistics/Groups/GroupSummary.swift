import DaybookCore

/// The groups of some rows with what is known of each: what `summarise_rows` knows of them.
///
/// Groups are numbered in the order in which they are met. Their keys and values stay in memory.
public struct GroupSummary: FoldPartial {
    public private(set) var foldedRows = 0
    private var keys = KeyIndex()
    /// The columns of the groups, one row for each group, in several batches. None without such columns.
    private var names: [Batch] = []
    /// What the column of each value holds; nil for a count of rows.
    private let kinds: [ColumnKind?]
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
    }

    mutating func merge(_ later: GroupSummary) {
        var firsts: [RowPick] = []
        let picks = later.namePicks
        let places = (0..<later.count).map { number in
            let before = keys.count
            let mine = later.keys.withKey(number) { keys.number(of: $0) }
            if keys.count > before, !picks.isEmpty { firsts.append(picks[number]) }
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

    public func write(to bytes: Bytes) {
        bytes.append(raw: Int64(foldedRows))
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
    }
}

extension GroupSummary {
    private static let rowsInBatch = 4_096
    private static let bytesInBatch = 1 << 20

    /// Gives out one row for each group.
    func emit(
        _ stage: SummariseRows,
        _ schema: Schema,
        _ emit: (Batch, Findings) throws(DaybookError) -> Void
    ) throws(DaybookError) {
        let order = stage.order == .sorted ? keys.sortedNumbers() : Array(0..<count)
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
                try emit(Batch(schema, columns, count: groups.count, origins: .made), findings)
            } else {
                let named = Batch.gathering(groups.map { picks[$0] }, from: names)
                try emit(named.replacing(schema, named.columns + columns), findings)
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

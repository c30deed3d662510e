import DaybookTables

/// Turns sorted rows into pivot rows, one group of neighbours after another.
///
/// A group may span any number of batches. The open group carries its cells over as a few rows of its own, so that no
/// batch has to wait.
struct PivotTable {
    typealias Emit = (Batch, Findings) throws(DaybookError) -> Void

    /// The batches that picks refer to: carried rows of the open group, the current batch, one row without values.
    private static let carriedPiece = 0
    private static let currentPiece = 1
    private static let gap = RowPick(batch: 2, row: 0)
    /// Groups are emitted after so many values, missing ones included: there may be as many columns as rows.
    private static let mostCells = 1 << 20

    private let stage: PivotRows
    private let schema: Schema
    private let width: Int
    /// The key of the open group; nil before the first.
    private var openKey: [UInt8]?
    private var open: Group
    private var carried: Batch?
    private var closed: [Group] = []
    /// Rejected rows of the current batch.
    private var refused: [Refusal] = []

    private struct Group {
        /// The first row of the group.
        var row = RowPick(batch: 0, row: 0)
        /// The value of each column, or missing; for sums the first value.
        var cells: [RowPick]
        var whole: [Int64] = []
        var decimal: [ExactSum] = []
    }

    private struct Refusal {
        var row: Int
        var place: Int
        /// Nil if the value makes a sum too large, instead of being a second value.
        var earlier: RowPick?
    }

    init(_ stage: PivotRows, _ schema: Schema) {
        self.stage = stage
        self.schema = schema
        width = stage.names.entries.count
        open = Group(cells: [])
    }

    mutating func add(_ batch: Batch, _ emit: Emit) throws(DaybookError) {
        let table = SortKeyTable(batch, by: stage.keys)
        guard case .integers(let places) = batch.columns[batch.columns.count - 1] else {
            preconditionFailure("stored rows have the place of their value in the last column")
        }
        let values = batch[stage.values]
        let pieces = pieces(with: batch)
        for row in 0..<batch.count {
            let isNew = table.withKey(row) { key in openKey.map { !$0.elementsEqual(key) } ?? true }
            if isNew {
                if openKey != nil { closed.append(open) }
                if closed.count * width >= Self.mostCells { try emitClosed(pieces, emit) }
                openKey = table.withKey(row) { Array($0) }
                open = emptyGroup(at: row, values.kind)
            }
            if !values.missing.isMissing(row) { put(row, values, Int(places.elements[row])) }
        }
        try flush(pieces, emit)
    }

    /// The batches that picks refer to.
    private func pieces(with batch: Batch) -> [Batch] {
        let gap = Batch(batch.schema, batch.columns.map { .missing($0.kind) }, count: 1, provenance: .made)
        return [carried ?? batch.keeping([]), batch, gap]
    }

    mutating func finish(_ emit: Emit) throws(DaybookError) {
        guard let carried, openKey != nil else { return }
        closed.append(open)
        openKey = nil
        try flush(pieces(with: carried.keeping([])), emit)
    }

    private func emptyGroup(at row: Int, _ kind: ColumnKind) -> Group {
        var group = Group(cells: Array(repeating: Self.gap, count: width))
        group.row = RowPick(batch: Self.currentPiece, row: row)
        guard stage.duplicate == .sum else { return group }
        if kind == .integer {
            group.whole = Array(repeating: 0, count: width)
        } else {
            group.decimal = Array(repeating: ExactSum(), count: width)
        }
        return group
    }

    /// Stores the value of a row in its cell, or refuses the row.
    private mutating func put(_ row: Int, _ values: Column, _ place: Int) {
        let pick = RowPick(batch: Self.currentPiece, row: row)
        let isFirst = open.cells[place].batch == Self.gap.batch
        if isFirst { open.cells[place] = pick }
        switch (stage.duplicate, values) {
        case (.sum, .integers(let values)):
            let (sum, overflowed) = open.whole[place].addingReportingOverflow(values.elements[row])
            if overflowed { refused.append(Refusal(row: row, place: place)) } else { open.whole[place] = sum }
        case (.sum, .decimals(let values)): open.decimal[place].add(values.elements[row])
        case (.last, _): open.cells[place] = pick
        case (.reject, _) where !isFirst:
            refused.append(Refusal(row: row, place: place, earlier: open.cells[place]))
        default: break
        }
    }

    /// Emits the closed groups and the rejected rows, and carries the open group over.
    private mutating func flush(_ pieces: [Batch], _ emit: Emit) throws(DaybookError) {
        if !closed.isEmpty { try emitClosed(pieces, emit) }
        let rows = refused
        refused = []
        for part in rows.indices.pieces(of: max(1, Self.mostCells / max(1, width))) {
            try emitRefused(rows[part], pieces, emit)
        }
        guard openKey != nil else { return }
        var picks = [open.row]
        open.row = RowPick(batch: Self.carriedPiece, row: 0)
        for place in 0..<width where open.cells[place].batch != Self.gap.batch {
            let pick = open.cells[place]
            open.cells[place] = RowPick(batch: Self.carriedPiece, row: picks.count)
            picks.append(pick)
        }
        carried = Batch.take(picks, from: pieces)
    }

    private mutating func emitClosed(_ pieces: [Batch], _ emit: Emit) throws(DaybookError) {
        let groups = closed
        closed = []
        let keys = Batch.take(groups.map(\.row), from: pieces.map { $0.having(stage.rows) })
        let values = pieces.map { $0.having([stage.values]) }
        var findings = Findings()
        let columns = (0..<width).map { place in
            let kind = pieces[1][stage.values].kind
            guard stage.duplicate == .sum else {
                return Batch.take(groups.map { $0.cells[place] }, from: values).columns[0]
            }
            var gaps: Mask?
            for (row, group) in groups.enumerated() where group.cells[place].batch == Self.gap.batch {
                gaps.insert(row, of: groups.count)
            }
            if kind == .integer { return .integers(Values(groups.map { $0.whole[place] }, missing: gaps)) }
            let sums = groups.map { $0.decimal[place].value }
            for (row, sum) in sums.enumerated() where !sum.isFinite {
                findings.reject(row, findings.token(.sumTooLarge, in: ColumnName(stage.names.entries[place].name)))
            }
            return .decimals(Values(sums, missing: gaps))
        }
        try emit(keys.replacing(schema, keys.columns + columns), findings)
    }

    /// Rejected rows are emitted as rows of their own, so that a finding can point to the value in its source.
    private func emitRefused(_ rows: ArraySlice<Refusal>, _ pieces: [Batch], _ emit: Emit) throws(DaybookError) {
        let batch = pieces[Self.currentPiece]
        let values = pieces.map { $0.having([stage.values]) }
        let keys = batch.having(stage.rows).keeping(rows.map { Int32(truncatingIfNeeded: $0.row) })
        let columns = (0..<width).map { place in
            let picks = rows.map { refusal in
                refusal.place == place ? RowPick(batch: Self.currentPiece, row: refusal.row) : Self.gap
            }
            return Batch.take(picks, from: values).columns[0]
        }
        var findings = Findings()
        for (row, refusal) in rows.enumerated() {
            let column = ColumnName(stage.names.entries[refusal.place].name)
            guard let earlier = refusal.earlier else {
                findings.reject(row, findings.token(.sumTooLarge, in: column))
                continue
            }
            let second = batch[stage.values].displayText(refusal.row) ?? ""
            let first = pieces[Int(earlier.batch)][stage.values].displayText(Int(earlier.row)) ?? ""
            let message = "'\(second)' is a second value for its row and '\(column)', which has '\(first)' already"
            findings.reject(row, findings.token(.secondPivotValue, in: column), saying: message)
        }
        let source = batch.schema[stage.values]?.source
        let fields = schema.fields.enumerated().map { place, field in
            place < stage.rows.count ? field : Field(field.name, field.kind, source: source)
        }
        try emit(keys.replacing(Schema(fields), keys.columns + columns), findings)
    }
}

/// The values that `pivot_rows` turns into columns, each with its column name.
struct PivotNames: OptionValue {
    struct Entry: Sendable {
        var value: String
        var name: String
        var place: SourcePlace?
    }

    let entries: [Entry]
    private let lookup: TextLookup

    static var kind: OptionKind { .either([.list(of: .text), .map(of: .column)]) }
    static var placeholder: PivotNames { PivotNames([]) }
    var written: String { entries.map(\.value).written }

    private init(_ entries: [Entry]) {
        self.entries = entries
        lookup = TextLookup(entries.map(\.value))
    }

    init(reading node: OptionNode) throws(DaybookError) {
        var entries: [Entry] = []
        if let map = node.map {
            for entry in map {
                let name = try ColumnName(reading: entry.value)
                entries.append(Entry(value: entry.key, name: name.text, place: entry.value.place))
            }
        } else {
            for item in node.list ?? [node] {
                guard let text = item.text, !text.isEmpty else {
                    let hint = "'others' says what becomes of missing ones"
                    throw item.expected("a value that becomes a column", hint: hint)
                }
                entries.append(Entry(value: text, name: text, place: item.place))
            }
        }
        guard !entries.isEmpty else { throw node.expected("at least one value") }
        // Values are alike only if their bytes are, as in the data; names as columns are.
        var values: Set<[UInt8]> = []
        var names: Set<String> = []
        for entry in entries {
            guard values.insert(Array(entry.value.utf8)).inserted else {
                throw DaybookError("bad-option", "'\(entry.value)' stands there twice", at: entry.place)
            }
            guard names.insert(entry.name).inserted else {
                throw DaybookError("name-taken", "two columns would be named '\(entry.name)'", at: entry.place)
            }
        }
        self.init(entries)
    }

    /// The index of each row's value, or -1. Values other than text are matched by their written form.
    func places(in column: Column) -> [Int64] {
        let codes = RowCodes(column)
        let places: [Int64] = codes.firsts.map { first in
            let row = Int(first)
            if column.missing.isMissing(row) { return -1 }
            if case .text(let text) = column { return Int64(text.withCell(row, lookup.find)) }
            let written = column.displayText(row)
            return Int64(entries.firstIndex { $0.value == written } ?? -1)
        }
        return codes.codes.map { places[Int($0)] }
    }
}

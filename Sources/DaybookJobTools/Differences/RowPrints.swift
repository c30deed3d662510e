import DaybookDelimited
import DaybookDiscover
import DaybookTables

/// Hashes of the rows of a table, and the kinds of its columns.
struct RowPrints: RowObserver {
    /// One row: hashes of its key and of all compared cells, and its number in the file.
    struct Print: Sendable, BitwiseCopyable {
        var key: UInt64
        var row: UInt64
        var number: UInt32
    }

    struct Table: Sendable {
        var prints: [Print] = []
        /// The kinds of `columns`, as far as values have told them.
        var kinds: [SpelledKinds] = []
    }

    /// Empty if all cells are the key.
    let keys: [String]
    /// The compared columns, in an order that both tables share.
    let columns: [String]
    /// How many rows are enough; nil for all.
    var most: Int?

    /// The most rows: of each, 24 bytes are held.
    static let limit = 20_000_000

    func nothing(_ schema: Schema) -> Table { Table() }

    func partial(of batch: Batch, reporting findings: inout Findings) -> Table {
        let rows = RowPrints.hashes(of: columns, in: batch)
        let keys = keys.isEmpty ? rows : RowPrints.hashes(of: keys, in: batch)
        let numbers = RowPrints.numbers(of: batch)
        let prints = rows.indices.map { Print(key: keys[$0], row: rows[$0], number: numbers[$0]) }
        return Table(prints: prints, kinds: columns.map { SpelledKinds(of: batch[ColumnName($0)]) })
    }

    func merge(_ later: Table, into earlier: inout Table, scratch: any Scratch) {
        earlier.prints += later.prints
        if earlier.kinds.isEmpty { earlier.kinds = later.kinds }
        for index in later.kinds.indices { earlier.kinds[index].add(later.kinds[index]) }
    }

    func isEnough(_ table: Table) -> Bool { table.prints.count > most ?? RowPrints.limit }

    /// The numbers of the rows of an import in their file, from 0.
    static func numbers(of batch: Batch) -> [UInt32] {
        guard case .morsel(let morsel, _, let records) = batch.provenance else {
            return [UInt32](repeating: 0, count: batch.count)
        }
        return records.map { UInt32(truncatingIfNeeded: morsel.firstRecord) &+ $0 }
    }

    /// A hash of some cells of each row, different for missing cells and empty texts.
    static func hashes(of columns: [String], in batch: Batch) -> [UInt64] {
        guard !columns.isEmpty else { return [UInt64](repeating: 0, count: batch.count) }
        var settings = CSVWriteSettings()
        settings.quoting = .all
        let written = CSVRowWriter(settings, notesEnds: true).write(batch.having(columns.map { ColumnName($0) }))
        var start = 0
        return written.ends.map { end in
            defer { start = end }
            return KeyIndex.hash(written.bytes.cell(start..<end))
        }
    }
}

/// The cells of some rows, by their numbers.
struct FoundRows: RowObserver {
    /// The columns whose cells are wanted; what the table lacks is missing.
    let columns: [String]
    let wanted: Set<UInt32>
    /// The rows whose places are told, as findings with their numbers for a message.
    let told: Set<UInt32>

    private static let place = Finding.Kind("told-row", "a row", severity: .warning)

    func nothing(_ schema: Schema) -> [UInt32: [String?]] { [:] }

    func partial(of batch: Batch, reporting findings: inout Findings) -> [UInt32: [String?]] {
        var rows: [UInt32: [String?]] = [:]
        let names = batch.schema.names
        let token = findings.token(FoundRows.place)
        for (row, number) in RowPrints.numbers(of: batch).enumerated() where wanted.contains(number) {
            rows[number] = columns.map { names.contains($0) ? batch[ColumnName($0)].displayText(row) : nil }
            if told.contains(number) { findings.warn(row, token, saying: String(number)) }
        }
        return rows
    }

    func merge(_ later: [UInt32: [String?]], into earlier: inout [UInt32: [String?]], scratch: any Scratch) {
        earlier.merge(later) { first, _ in first }
    }
}

/// The kinds that all values of a column may have.
struct SpelledKinds: Sendable {
    private static let spellable: [ColumnKind] = [.integer, .decimal, .day, .flag]

    private var left = SpelledKinds.spellable
    /// The kind of a column that is none of texts.
    private var known: ColumnKind?
    private var hasValue = false

    init(of column: Column) {
        guard case .text(let text) = column else {
            known = column.kind
            hasValue = column.missing.map { mask in (0..<column.count).contains { !mask[$0] } } ?? (column.count > 0)
            return
        }
        var (left, hasValue) = (left, false)
        text.forEachValue { _, cell in
            guard cell.count > 0 else { return }
            hasValue = true
            if !left.isEmpty { left.removeAll { !SpelledKinds.is(cell, $0) } }
        }
        (self.left, self.hasValue) = (left, hasValue)
    }

    /// Numbers that begin with zeros are codes.
    private static func `is`(_ cell: Cell, _ kind: ColumnKind) -> Bool {
        let digits = cell.first == UInt8(ascii: "-") ? cell.dropFirst() : cell[...]
        let isCode = digits.count > 1 && digits.first == 48 && digits.dropFirst().first != UInt8(ascii: ".")
        return switch kind {
        case .integer: !isCode && CellReading.integer(cell) != nil
        case .decimal: !isCode && CellReading.decimal(cell) != nil
        case .day: CellReading.day(cell) != nil
        case .flag: CellReading.flag(cell) != nil
        default: false
        }
    }

    mutating func add(_ later: SpelledKinds) {
        guard later.hasValue else { return }
        if hasValue { left.removeAll { !later.left.contains($0) } } else { left = later.left }
        if hasValue, known != later.known { known = .text } else { known = later.known }
        hasValue = true
    }

    /// The kind; nil where there is no value.
    var kind: ColumnKind? { hasValue ? known ?? left.first ?? .text : nil }
}

import DaybookDelimited
import DaybookDiscover
import DaybookTables

/// What tells the rows of a table from one another: a hash of the key of each, and one of all its cells.
struct RowPrints: RowObserver {
    struct Print: Sendable, Hashable {
        var key: UInt64
        var row: UInt64
    }

    /// Empty where rows are known by all their cells.
    let keys: [String]
    /// The columns that count, in an order that both tables share.
    let columns: [String]

    /// The most rows that are looked at.
    static let limit = 1_000_000

    func nothing(_ schema: Schema) -> [Print] { [] }

    func partial(of batch: Batch, reporting findings: inout Findings) -> [Print] {
        let rows = RowPrints.hashes(of: columns, in: batch)
        let keys = keys.isEmpty ? rows : RowPrints.hashes(of: keys, in: batch)
        return zip(keys, rows).map { Print(key: $0, row: $1) }
    }

    func merge(_ later: [Print], into earlier: inout [Print], scratch: any Scratch) { earlier += later }

    func isEnough(_ prints: [Print]) -> Bool { prints.count > RowPrints.limit }

    /// A hash of some cells of each row, which tells a missing one from an empty text.
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

/// The cells of the rows that are to be shown, by the hashes of their keys.
struct ShownRows: RowObserver {
    let keys: [String]
    let columns: [String]
    let wanted: Set<UInt64>

    func nothing(_ schema: Schema) -> [UInt64: [String?]] { [:] }

    func partial(of batch: Batch, reporting findings: inout Findings) -> [UInt64: [String?]] {
        var rows: [UInt64: [String?]] = [:]
        for (row, hash) in RowPrints.hashes(of: keys.isEmpty ? columns : keys, in: batch).enumerated()
        where wanted.contains(hash) && rows[hash] == nil {
            rows[hash] = columns.map { batch[ColumnName($0)].spoken(row) }
        }
        return rows
    }

    func merge(_ later: [UInt64: [String?]], into earlier: inout [UInt64: [String?]], scratch: any Scratch) {
        earlier.merge(later) { first, _ in first }
    }
}

import DaybookDelimited
import DaybookDiscover
import DaybookTables

/// Which rows of an output came, went and changed from one run to another.
public struct RowChanges: Sendable {
    public enum Sort: String, Sendable { case came, went, changed }

    /// A row that is shown, with the values of its cells in the order of `columns`.
    public struct Shown: Sendable {
        public var sort: Sort
        public var before: [String?]?
        public var after: [String?]?
    }

    /// The columns by which a row is known; none where it is known by all its cells.
    public let keys: [String]
    /// The columns of both files.
    public let columns: [String]
    public let columnsGone: [String]
    public let columnsNew: [String]
    public private(set) var counts: [Sort: Int] = [:]
    /// Rows that are equal in `columns`.
    public private(set) var same = 0
    /// Records of either file that could not be read.
    public private(set) var unread = 0
    /// The first rows of each sort.
    public private(set) var shown: [Shown] = []

    /// How many rows of each sort are shown.
    private static let mostShown = 20

    /// Compares the columns that two files share.
    ///
    /// What is thrown is the machine's fault, or else a reason why these two files cannot be compared.
    ///
    /// - Parameters:
    ///   - before: the file of the earlier run.
    ///   - after: that of the later run.
    public init(
        from before: WrittenTable,
        to after: WrittenTable,
        by keys: [String],
        _ table: StageTable,
        isCancelled: @escaping @Sendable () -> Bool
    ) throws(DaybookErrors) {
        let old = try ReadTable(before, table, isCancelled: isCancelled)
        let new = try ReadTable(after, table, isCancelled: isCancelled)
        let (oldColumns, newColumns) = (try old.columns(), try new.columns())
        // A file that holds nothing has no columns that could be others.
        let (earlier, later) = (
            oldColumns.isEmpty ? newColumns : oldColumns, newColumns.isEmpty ? oldColumns : newColumns
        )
        self.keys = keys
        columns = earlier.filter(later.contains)
        columnsGone = earlier.filter { !later.contains($0) }
        columnsNew = later.filter { !earlier.contains($0) }
        if let key = keys.first(where: { !columns.contains($0) }) {
            throw DaybookErrors([
                DaybookError("unknown-column", "not both files have a column '\(key)'", blame: .data)
            ])
        }
        if columns.isEmpty, !earlier.isEmpty {
            throw DaybookErrors([
                DaybookError(
                    "no-common-column",
                    "no column is in both files: \(earlier.joined(separator: ", ")) in the earlier one, "
                        + "\(later.joined(separator: ", ")) in the later one",
                    blame: .data
                )
            ])
        }
        let (was, lost) = try prints(of: old)
        let (now, lostNow) = try prints(of: new)
        unread = lost + lostNow
        let sorted = keys.isEmpty ? byRow(was, now) : try byKey(was, now, old, new)
        try show(sorted, old, new)
    }

    /// The columns of a file.
    public static func columns(
        of file: WrittenTable,
        _ table: StageTable,
        isCancelled: @escaping @Sendable () -> Bool
    ) throws(DaybookErrors) -> [String] {
        try ReadTable(file, table, isCancelled: isCancelled).columns()
    }

    private func prints(of table: ReadTable) throws(DaybookErrors) -> (prints: [RowPrints.Print], unread: Int) {
        guard let read = try table.run(RowPrints(keys: keys, columns: columns)) else { return ([], 0) }
        guard read.seen.count <= RowPrints.limit else {
            throw DaybookErrors([
                DaybookError(
                    "too-many-rows",
                    "'\(table.path)' has more than \(Spoken.count(RowPrints.limit, "row")), up to which rows are compared",
                    blame: .data
                )
            ])
        }
        return (read.seen, read.unread)
    }

    /// Rows without a key: of equal ones, as many as both files have are the same.
    private mutating func byRow(_ was: [RowPrints.Print], _ now: [RowPrints.Print]) -> [(Sort, UInt64)] {
        var left: [UInt64: Int] = [:]
        for print in was { left[print.row, default: 0] += 1 }
        var found: [(Sort, UInt64)] = []
        for print in now {
            if let count = left[print.row], count > 0 {
                left[print.row] = count - 1
                same += 1
            } else {
                note(.came, print.row, &found)
            }
        }
        // The last of equal rows are those that went.
        for print in was.reversed() where left[print.row, default: 0] > 0 {
            left[print.row, default: 0] -= 1
            note(.went, print.row, &found)
        }
        return found
    }

    private mutating func byKey(
        _ was: [RowPrints.Print],
        _ now: [RowPrints.Print],
        _ old: ReadTable,
        _ new: ReadTable
    ) throws(DaybookErrors) -> [(Sort, UInt64)] {
        var left = try RowChanges.index(was, old, keys)
        _ = try RowChanges.index(now, new, keys)
        var found: [(Sort, UInt64)] = []
        for print in now {
            guard let row = left.removeValue(forKey: print.key) else {
                note(.came, print.key, &found)
                continue
            }
            if row == print.row { same += 1 } else { note(.changed, print.key, &found) }
        }
        for print in was where left[print.key] != nil { note(.went, print.key, &found) }
        return found
    }

    private static func index(
        _ prints: [RowPrints.Print],
        _ table: ReadTable,
        _ keys: [String]
    ) throws(DaybookErrors) -> [UInt64: UInt64] {
        var rows = [UInt64: UInt64](minimumCapacity: prints.count)
        for (row, print) in prints.enumerated() where rows.updateValue(print.row, forKey: print.key) != nil {
            throw DaybookErrors([
                DaybookError(
                    "key-not-unique",
                    "row \(row + 1) of '\(table.path)' has the \(Spoken.list(keys.map { "'\($0)'" })) of a row before it",
                    hint: "name more columns with '--key', or compare whole rows without it",
                    blame: .data
                )
            ])
        }
        return rows
    }

    private mutating func note(_ sort: Sort, _ key: UInt64, _ found: inout [(Sort, UInt64)]) {
        counts[sort, default: 0] += 1
        if counts[sort, default: 0] <= RowChanges.mostShown { found.append((sort, key)) }
    }

    private mutating func show(
        _ sorted: [(sort: Sort, key: UInt64)],
        _ old: ReadTable,
        _ new: ReadTable
    ) throws(DaybookErrors) {
        let cells = { [keys, columns] (table: ReadTable, other: Sort) throws(DaybookErrors) -> [UInt64: [String?]] in
            let wanted = Set(sorted.filter { $0.sort != other }.map(\.key))
            if wanted.isEmpty { return [:] }
            return try table.run(ShownRows(keys: keys, columns: columns, wanted: wanted))?.seen ?? [:]
        }
        let (before, after) = (try cells(old, .came), try cells(new, .went))
        shown = sorted.map { Shown(sort: $0, before: before[$1], after: after[$1]) }
    }
}

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

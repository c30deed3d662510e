import DaybookBytes
import DaybookDelimited
import DaybookDiscover
import DaybookEngine
import DaybookReports
import DaybookTables

/// The rows of an output that came, went and changed from one run to another.
public struct RowChanges: Sendable {
    public enum Sort: String, Sendable { case came, went, changed }

    /// A row that is shown, with its cells in the order of `columns`.
    public struct Shown: Sendable {
        public var sort: Sort
        /// Its number, from 1, where rows are paired by it.
        public var position: Int?
        public var before: [String?]?
        public var after: [String?]?
    }

    /// How a row of one file finds the same row of the other.
    public enum Pairing: Sendable, Hashable {
        /// By the cells of some columns.
        case columns([String])
        /// By its number, in files of as many rows.
        case position
        /// By all of its cells: no row changes, and rows come and go.
        case whole

        var keys: [String] { if case .columns(let keys) = self { keys } else { [] } }
    }

    public let pairing: Pairing
    /// The key columns; empty for another pairing.
    public var keys: [String] { pairing.keys }
    /// The columns of both files.
    public let columns: [String]
    public let columnsGone: [String]
    public let columnsNew: [String]
    public private(set) var counts: [Sort: Int] = [:]
    /// Rows with equal `columns`.
    public private(set) var same = 0
    /// Records of either file that could not be read.
    public private(set) var unread = 0
    /// The first rows of each sort.
    public private(set) var shown: [Shown] = []

    /// How many rows of each sort are shown.
    private static let mostShown = 20

    /// Compares the columns that two files share.
    ///
    /// Throws an error of the machine, or a reason why these files cannot be compared.
    ///
    /// - Parameters:
    ///   - before: the file of the earlier run.
    ///   - after: the file of the later run.
    ///   - keys: the columns by which rows are paired; empty to pair whole rows, nil to find out what suits the files.
    public init(
        from before: WrittenTable,
        to after: WrittenTable,
        by keys: [String]?,
        _ table: StageTable,
        isCancelled: @escaping @Sendable () -> Bool
    ) throws(DaybookErrors) {
        let old = try ReadTable(before, table, isCancelled: isCancelled)
        let new = try ReadTable(after, table, isCancelled: isCancelled)
        let (oldColumns, newColumns) = (try old.columns(), try new.columns())
        // An empty file has no columns that could differ.
        let (earlier, later) = (
            oldColumns.isEmpty ? newColumns : oldColumns, newColumns.isEmpty ? oldColumns : newColumns
        )
        columns = earlier.filter(later.contains)
        columnsGone = earlier.filter { !later.contains($0) }
        columnsNew = later.filter { !earlier.contains($0) }
        if let key = keys?.first(where: { [columns] in !columns.contains($0) }) {
            throw DaybookErrors([DaybookError("unknown-column", "not both files have a column '\(key)'", blame: .data)])
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
        var found = keys.map { $0.isEmpty ? Pairing.whole : .columns($0) }
        if found == nil { found = try RowChanges.pairing(of: [old, new], columns) }
        let (was, lost) = try RowChanges.prints(of: old, by: found?.keys ?? [], columns)
        let (now, lostNow) = try RowChanges.prints(of: new, by: found?.keys ?? [], columns)
        pairing = found ?? (was.count == now.count ? .position : .whole)
        unread = lost + lostNow
        let sorted: [Sorted]
        switch pairing {
        case .whole: sorted = byRow(was, now)
        case .position: sorted = byPosition(was, now)
        case .columns: sorted = try byKey(was, now, old, new)
        }
        try show(sorted, old, new)
    }

    /// The first column that identifies rows by its name and is unique in both files; nil for none.
    private static func pairing(of tables: [ReadTable], _ columns: [String]) throws(DaybookErrors) -> Pairing? {
        for key in columns.filter(mayIdentify) {
            var isUnique = true
            for table in tables where isUnique {
                let keys = try prints(of: table, by: [key], columns).prints.map(\.key)
                isUnique = Set(keys).count == keys.count
            }
            if isUnique { return .columns([key]) }
        }
        return nil
    }

    /// Whether a column of this name mostly identifies rows, such as `id`, `taskID` and `uuid`.
    private static func mayIdentify(_ name: String) -> Bool {
        let lower = name.lowercased()
        return ["id", "_id", "uuid", "identifier", "key"].contains(lower) || name.hasSuffix("ID")
            || lower.hasSuffix("_id")
    }

    /// The columns of a file.
    public static func columns(
        of file: WrittenTable,
        _ table: StageTable,
        isCancelled: @escaping @Sendable () -> Bool
    ) throws(DaybookErrors) -> [String] {
        try ReadTable(file, table, isCancelled: isCancelled).columns()
    }

    private static func prints(
        of table: ReadTable,
        by keys: [String],
        _ columns: [String]
    ) throws(DaybookErrors) -> (prints: [RowPrints.Print], unread: Int) {
        guard let read = try table.run(RowPrints(keys: keys, columns: columns)) else { return ([], 0) }
        guard read.seen.count <= RowPrints.limit else {
            let rows = DisplayText.count(RowPrints.limit, "row")
            throw DaybookErrors([
                DaybookError(
                    "too-many-rows",
                    "'\(table.path)' has more than \(rows), up to which rows are compared",
                    blame: .data
                )
            ])
        }
        return (read.seen, read.unread)
    }

    /// A row that is shown: the hashes by which its cells are found in either file.
    private struct Sorted {
        var sort: Sort
        var before: UInt64
        var after: UInt64
        var position: Int?
    }

    private mutating func byPosition(_ was: [RowPrints.Print], _ now: [RowPrints.Print]) -> [Sorted] {
        var found: [Sorted] = []
        for (index, (old, new)) in zip(was, now).enumerated() {
            if old.row == new.row {
                same += 1
            } else {
                note(Sorted(sort: .changed, before: old.row, after: new.row, position: index + 1), &found)
            }
        }
        return found
    }

    /// Rows without a key: as many equal rows as both files have are the same.
    private mutating func byRow(_ was: [RowPrints.Print], _ now: [RowPrints.Print]) -> [Sorted] {
        var left: [UInt64: Int] = [:]
        for print in was { left[print.row, default: 0] += 1 }
        var found: [Sorted] = []
        for print in now {
            if let count = left[print.row], count > 0 {
                left[print.row] = count - 1
                same += 1
            } else {
                note(.came, print.row, &found)
            }
        }
        // Of equal rows, the last ones went.
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
    ) throws(DaybookErrors) -> [Sorted] {
        var left = try RowChanges.index(was, old, keys)
        _ = try RowChanges.index(now, new, keys)
        var found: [Sorted] = []
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
            let name = DisplayText.list(keys.map { "'\($0)'" })
            let hint = "name more columns with '--key', or compare whole rows without it"
            throw DaybookErrors([
                DaybookError(
                    "key-not-unique",
                    "row \(row + 1) of '\(table.path)' has the \(name) of a row before it",
                    hint: hint,
                    blame: .data
                )
            ])
        }
        return rows
    }

    private mutating func note(_ sort: Sort, _ key: UInt64, _ found: inout [Sorted]) {
        note(Sorted(sort: sort, before: key, after: key), &found)
    }

    private mutating func note(_ row: Sorted, _ found: inout [Sorted]) {
        counts[row.sort, default: 0] += 1
        if counts[row.sort, default: 0] <= RowChanges.mostShown { found.append(row) }
    }

    private mutating func show(
        _ sorted: [Sorted],
        _ old: ReadTable,
        _ new: ReadTable
    ) throws(DaybookErrors) {
        let cells = {
            [keys, columns] (table: ReadTable, wanted: [UInt64]) throws(DaybookErrors) -> [UInt64: [String?]] in
            if wanted.isEmpty { return [:] }
            return try table.run(ShownRows(keys: keys, columns: columns, wanted: Set(wanted)))?.seen ?? [:]
        }
        let before = try cells(old, sorted.filter { $0.sort != .came }.map(\.before))
        let after = try cells(new, sorted.filter { $0.sort != .went }.map(\.after))
        shown = sorted.map {
            Shown(sort: $0.sort, position: $0.position, before: before[$0.before], after: after[$0.after])
        }
    }
}

/// Hashes of the rows of a table: the key and all cells of each row.
struct RowPrints: RowObserver {
    struct Print: Sendable, Hashable {
        var key: UInt64
        var row: UInt64
    }

    /// Empty if all cells are the key.
    let keys: [String]
    /// The compared columns, in an order that both tables share.
    let columns: [String]

    /// The most rows.
    static let limit = 1_000_000

    func nothing(_ schema: Schema) -> [Print] { [] }

    func partial(of batch: Batch, reporting findings: inout Findings) -> [Print] {
        let rows = RowPrints.hashes(of: columns, in: batch)
        let keys = keys.isEmpty ? rows : RowPrints.hashes(of: keys, in: batch)
        return zip(keys, rows).map { Print(key: $0, row: $1) }
    }

    func merge(_ later: [Print], into earlier: inout [Print], scratch: any Scratch) { earlier += later }

    func isEnough(_ prints: [Print]) -> Bool { prints.count > RowPrints.limit }

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

/// The cells of the shown rows, by the hashes of their keys.
struct ShownRows: RowObserver {
    let keys: [String]
    let columns: [String]
    let wanted: Set<UInt64>

    func nothing(_ schema: Schema) -> [UInt64: [String?]] { [:] }

    func partial(of batch: Batch, reporting findings: inout Findings) -> [UInt64: [String?]] {
        var rows: [UInt64: [String?]] = [:]
        for (row, hash) in RowPrints.hashes(of: keys.isEmpty ? columns : keys, in: batch).enumerated()
        where wanted.contains(hash) && rows[hash] == nil {
            rows[hash] = columns.map { batch[ColumnName($0)].displayText(row) }
        }
        return rows
    }

    func merge(_ later: [UInt64: [String?]], into earlier: inout [UInt64: [String?]], scratch: any Scratch) {
        earlier.merge(later) { first, _ in first }
    }
}

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
        public var before: [String?]?
        public var after: [String?]?
    }

    /// The key columns; empty if all cells are the key.
    public let keys: [String]
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
        // An empty file has no columns that could differ.
        let (earlier, later) = (
            oldColumns.isEmpty ? newColumns : oldColumns, newColumns.isEmpty ? oldColumns : newColumns
        )
        self.keys = keys
        columns = earlier.filter(later.contains)
        columnsGone = earlier.filter { !later.contains($0) }
        columnsNew = later.filter { !earlier.contains($0) }
        if let key = keys.first(where: { !columns.contains($0) }) {
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

    /// Rows without a key: as many equal rows as both files have are the same.
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

/// The rows of an output that came, went and changed, in words and as JSON.
public struct RowChangesText {
    private let changes: RowChanges
    private let output: String

    /// - Parameter output: the path of the output, masked.
    public init(_ changes: RowChanges, of output: String) { (self.changes, self.output) = (changes, output) }

    private func count(_ sort: RowChanges.Sort) -> Int { changes.counts[sort] ?? 0 }

    /// Cells as CSV spells them.
    public var lines: [String] {
        let by = changes.keys.isEmpty ? "" : " by \(changes.keys.joined(separator: ", "))"
        let sorts: [RowChanges.Sort] = changes.keys.isEmpty ? [.came, .went] : [.came, .went, .changed]
        // A row with other columns is not as before.
        let isWhole = changes.columnsGone.isEmpty && changes.columnsNew.isEmpty
        let same = isWhole ? "as before" : "the same in the columns of both"
        var counts = sorts.map { "\(DisplayText.count(count($0))) \($0.rawValue)" }
        counts.append("\(DisplayText.count(changes.same)) \(same)")
        var lines = ["rows of \(output)\(by): \(counts.joined(separator: ", "))"]
        if !changes.columnsGone.isEmpty { lines.append("  - columns \(changes.columnsGone.joined(separator: ", "))") }
        if !changes.columnsNew.isEmpty { lines.append("  + columns \(changes.columnsNew.joined(separator: ", "))") }
        for row in changes.shown { lines.append(line(of: row)) }
        for sort in sorts {
            let rest = count(sort) - changes.shown.count { $0.sort == sort }
            if rest > 0 { lines.append("  and \(DisplayText.count(rest)) more that \(sort.rawValue)") }
        }
        if changes.unread > 0 { lines.append("  \(DisplayText.count(changes.unread, "record")) could not be read") }
        return lines.map { PrintableText.of($0) }
    }

    private func line(of row: RowChanges.Shown) -> String {
        switch row.sort {
        case .came: return "  + " + text(of: row.after)
        case .went: return "  - " + text(of: row.before)
        case .changed:
            let keys = changes.columns.indices.filter { changes.keys.contains(changes.columns[$0]) }
            let others = changes.columns.indices.filter {
                !keys.contains($0) && bytes(row.before, $0) != bytes(row.after, $0)
            }
            let named = keys.map { "\(changes.columns[$0])=\(cell(row.after, $0))" }
            let changed = others.map { "\(changes.columns[$0]): \(cell(row.before, $0)) → \(cell(row.after, $0))" }
            return "  ~ \(named.joined(separator: " "))  \(changed.joined(separator: ", "))"
        }
    }

    private func text(of cells: [String?]?) -> String {
        changes.columns.indices.map { "\(changes.columns[$0])=\(cell(cells, $0))" }.joined(separator: " ")
    }

    /// The longest cell in a line, in characters.
    private static let mostShown = 200

    /// A cell as in CSV, different for missing cells and empty texts.
    private func cell(_ cells: [String?]?, _ column: Int) -> String {
        cells?[column].map { CSVSpelling.of($0.shortened(to: RowChangesText.mostShown)) } ?? ""
    }

    private func bytes(_ cells: [String?]?, _ column: Int) -> [UInt8]? { cells?[column].map { Array($0.utf8) } }

    /// The cells without any changes.
    public var json: JSONValue {
        let rows = changes.shown.map { row -> JSONValue in
            ["sort": .text(row.sort.rawValue), "before": map(row.before), "after": map(row.after)]
        }
        return [
            "output": .text(output), "key": .list(changes.keys.map(JSONValue.text)), "came": .number(count(.came)),
            "went": .number(count(.went)), "changed": .number(count(.changed)), "same": .number(changes.same),
            "unread": .number(changes.unread), "columns_gone": .list(changes.columnsGone.map(JSONValue.text)),
            "columns_new": .list(changes.columnsNew.map(JSONValue.text)), "rows": .list(rows),
        ]
    }

    private func map(_ cells: [String?]?) -> JSONValue {
        guard let cells else { return .null }
        return .map(Dictionary(zip(changes.columns, cells.map { JSONValue($0) })) { first, _ in first })
    }
}

/// An output of a run, and the format of its text.
public struct WrittenTable: Sendable {
    /// The absolute path.
    public var path: String
    /// Whether the first record of a CSV file names the columns.
    public var hasHeader: Bool
    public var encoding: String

    public init(_ path: String, hasHeader: Bool = true, encoding: String = TextEncoding.utf8.name) {
        (self.path, self.hasHeader, self.encoding) = (path, hasHeader, encoding)
    }
}

/// A written file, read again as a table.
struct ReadTable {
    /// The absolute path.
    let path: String
    private let table: StageTable
    private let text: String
    private let isCancelled: @Sendable () -> Bool

    /// Throws for a file whose name names no format that can be read without its job.
    init(
        _ written: WrittenTable,
        _ table: StageTable,
        isCancelled: @escaping @Sendable () -> Bool
    ) throws(DaybookErrors) {
        let name = FilePath.name(of: written.path).lowercased()
        var (stage, options) = ("import_json", "")
        if ReadTable.csv.contains(where: name.hasSuffix) {
            // A row that equals the header is a row: a run wrote it.
            stage = "import_csv"
            options = ", header: \(written.hasHeader), delimiter: auto, repeated_header: keep, second_header: keep"
        } else if !ReadTable.json.contains(where: name.hasSuffix) {
            let names = DisplayText.list((ReadTable.csv + ReadTable.json).map { "*\($0)" }, "or")
            throw DaybookErrors([
                DaybookError("no-table", "only files called \(names) are compared row by row", blame: .data)
            ])
        }
        (path, self.table, self.isCancelled) = (written.path, table, isCancelled)
        text = """
            daybook: 1
            params: { path: none }
            rejects: { allow: 100% }
            stages:
              - \(stage): { path: "${path}", empty: allow, encoding: \(written.encoding)\(options) }
            """
    }

    private static let csv = [".csv", ".tsv"]
    private static let json = [".json", ".ndjson", ".jsonl"]

    /// The columns; empty for an empty file.
    func columns() throws(DaybookErrors) -> [String] { try run(FirstRows(limit: 0))?.schema.names ?? [] }

    /// The result of an observer, and how many records could not be read; nil for an empty file.
    func run<Observer: RowObserver>(
        _ observer: Observer
    ) throws(DaybookErrors) -> (seen: Observer.Partial, schema: Schema, unread: Int)? {
        let settings = [ParamSetting(name: "path", value: path)]
        let job = try JobParser(settings: settings, stageNames: table.names) { _ in nil }
            .job(Array(text.utf8), file: "the table")
        let observed = ObservedJob(table: table, directory: "/", isCancelled: isCancelled)
        let result = try observed.run(job, asOf: CalendarDay(number: 0), by: observer)
        let errors = result.outcome.errors.filter { $0.code != "no-columns" }
        // Hints are about options of a job, and here nobody has written one.
        guard errors.isEmpty else { throw DaybookErrors(errors.map(ReadTable.withoutHint)) }
        guard result.outcome.errors.isEmpty else { return nil }
        return (result.seen, result.schema, result.outcome.ledger.first?.rejected ?? 0)
    }

    private static func withoutHint(_ error: DaybookError) -> DaybookError {
        var error = error
        error.hint = nil
        return error
    }
}

import CSQLite
import DaybookBytes
import DaybookDates
import Foundation

/// The table that rows go into: what it was, and what it is to be.
struct SQLiteTarget {
    static let mostColumns = 2000

    let options: ExportSqlite
    let schema: Schema
    /// Whether the run is to end now.
    let isCancelled: @Sendable () -> Bool

    /// One column of an existing table.
    private struct Column {
        var name: String
        var affinity: SQLiteAffinity
        /// Whether SQLite computes the column from others.
        var isGenerated: Bool
        /// Whether a row may omit the column.
        var mayBeLeftOut: Bool
    }

    /// Prepares the table inside the open transaction.
    func prepare(_ db: SQLiteDatabase) throws {
        try prepareTable(db)
        guard !options.groups.isEmpty else { return }
        // Without types, so that values wait as they are bound.
        try db.execute("CREATE TEMP TABLE \(waiting) (\(names))")
    }

    /// Takes the old rows of the run's groups out, and puts the new rows in.
    ///
    /// - Parameters:
    ///   - days: those in `column` whose old rows go too, although there may be no new ones.
    ///   - tellsOld: whether the digests of the old rows are computed too.
    func replaceGroups(
        _ db: SQLiteDatabase,
        _ days: [CalendarDay],
        in column: ColumnName?,
        tellsOld: Bool
    ) throws -> (groups: SinkGroups?, least: Int?) {
        let group = options.groups.map { SQLiteSelection.quoted($0.text) }.joined(separator: ", ")
        var chosen = "FROM \(quoted) WHERE (\(group)) IN (SELECT \(group) FROM temp.\(waiting))"
        if let day = options.groups.first(where: { $0 == column }), !days.isEmpty {
            let values = days.map { "'\($0)'" }.joined(separator: ", ")
            chosen += " OR \(SQLiteSelection.quoted(day.text)) IN (\(values))"
        }
        let digests = SQLiteGroups(
            columns: "\(group), \(names)",
            chosen: chosen,
            quoted: quoted,
            table: options.table,
            keys: options.groups.count
        )
        let replaced = tellsOld ? try digests.read(db) : []
        try execute("DELETE \(chosen)", db)
        let mark = digests.mark(db)
        let before = try rowsIfTriggered(db)
        let insertion = "INSERT OR ABORT INTO \(quoted) (\(names)) SELECT \(names) FROM temp.\(waiting) ORDER BY rowid"
        try execute(insertion, db)
        let counts = "SELECT changes(), (SELECT count(*) FROM temp.\(waiting))"
        guard let (added, count) = try db.rows(counts, read: { ($0.integer(0), $0.integer(1)) }).first, added == count
        else {
            let message = "a trigger of table '\(options.table)' keeps rows out of it"
            let hint = "mend the rows before this stage, or take the trigger out of the database first"
            throw DaybookError.data("row-not-taken", message, at: options.tablePlace, hint: hint)
        }
        let least = before.map { $0 + Int(count) }
        try checkRows(db, atLeast: least)
        let told = options.groups == [column] ? days.map(\.description) : []
        let written = try digests.read(db, besides: told, after: mark, Int(count))
        try db.execute("DROP TABLE temp.\(waiting)")
        return (written.map { SinkGroups(written: $0, replaced: replaced ?? []) }, least)
    }

    /// The number of rows in the table; nil for a database without triggers, in which no row goes by itself.
    func rowsIfTriggered(_ db: SQLiteDatabase) throws -> Int? {
        let triggers = try db.rows("SELECT 1 FROM sqlite_schema WHERE type = 'trigger' LIMIT 1") { $0.integer(0) }
        return triggers.isEmpty ? nil : try db.rows("SELECT count(*) FROM \(quoted)") { Int($0.integer(0)) }.first
    }

    /// Refuses a table whose rows triggers took out while others came in.
    func checkRows(_ db: SQLiteDatabase, atLeast least: Int?) throws {
        guard let least, let found = try rowsIfTriggered(db), found < least else { return }
        let message =
            "a trigger takes rows out of table '\(options.table)' while others are written: "
            + "it holds \(DisplayText.count(found, "row")) instead of \(least.displayText)"
        let hint = "take the trigger out of the database first, and delete rows in a step of its own"
        throw DaybookError.data("row-not-taken", message, at: options.tablePlace, hint: hint)
    }

    /// Runs a statement about many rows, whose triggers may not take forever.
    private func execute(_ sql: String, _ db: SQLiteDatabase) throws {
        db.allowance = try rowsIfTriggered(db).map { SQLiteBuild.stepsOfRow + $0 * 10_000 }
        defer { db.allowance = nil }
        try db.execute(sql)
    }

    private func prepareTable(_ db: SQLiteDatabase) throws {
        guard let kind = try kind(db) else { return try create(db) }
        guard kind == "table" else {
            let message = "'\(options.table)' is a \(kind) in '\(options.output.text)', and only tables hold rows"
            throw DaybookError("not-a-table", message, at: options.tablePlace, hint: "choose another name")
        }
        if options.mode == .remake { return try remake(db) }
        if let problem = mismatch(with: try columns(db)) {
            let message = "the rows do not fit into table '\(options.table)' of '\(options.output.text)': \(problem)"
            let hint =
                "make the columns alike with select_columns and rename_columns; 'mode: remake' makes the table "
                + "anew with the columns of the rows, without its old types, keys and constraints"
            throw DaybookError("columns-differ", message, at: options.tablePlace, hint: hint)
        }
        if options.mode == .replace { try empty(db) }
        try checkKeys(db)
    }

    /// Refuses keys that are not unique in the table.
    private func checkKeys(_ db: SQLiteDatabase) throws {
        guard !options.keys.isEmpty else { return }
        do throws(SQLiteError) { _ = try SQLiteStatement(db, insertion) } catch {
            let message =
                "table '\(options.table)' of '\(options.output.text)' may hold several rows of one key: \(error.message)"
            let hint =
                "give it a key first: CREATE UNIQUE INDEX \(SQLiteSelection.quoted(options.table + "_key")) ON \(quoted) (\(keys))"
            throw DaybookError("no-unique-key", message, at: options.keysPlace, hint: hint)
        }
    }

    /// Whether a table has rows, in the database at `path`; false where there is no such table or database.
    static func holdsRows(_ table: String, at path: String) -> Bool {
        guard let database = try? SQLiteDatabase(path, .readOnly),
            let statement = try? SQLiteStatement(database, "SELECT 1 FROM \(SQLiteSelection.quoted(table)) LIMIT 1")
        else { return false }
        return (try? statement.step()) ?? false
    }

    /// The statement that inserts one row, or updates the row with its keys. It removes no other row, whatever conflict
    /// clause the table declares.
    var insertion: String {
        let places = schema.names.map { _ in "?" }.joined(separator: ", ")
        let insertion =
            "INSERT OR ABORT INTO \(options.groups.isEmpty ? quoted : "temp." + waiting) (\(names)) VALUES (\(places))"
        guard !options.keys.isEmpty else { return insertion }
        let known = options.keys.map(\.text)
        let others = schema.names.filter { !known.contains($0) }
        let changes = (others.isEmpty ? known : others).map(SQLiteSelection.quoted).map { "\($0) = excluded.\($0)" }
        return "\(insertion) ON CONFLICT (\(keys)) DO UPDATE SET \(changes.joined(separator: ", "))"
    }

    private var quoted: String { SQLiteSelection.quoted(options.table) }
    private var names: String { schema.names.map(SQLiteSelection.quoted).joined(separator: ", ") }
    /// The table in which new rows wait for the last of them, if groups are replaced.
    private var waiting: String { SQLiteSelection.quoted("new rows of \(options.table)") }
    private var keys: String { options.keys.map { SQLiteSelection.quoted($0.text) }.joined(separator: ", ") }

    private func kind(_ db: SQLiteDatabase) throws -> String? {
        try db.rows(
            "SELECT type FROM sqlite_schema WHERE type IN ('table', 'view', 'index') AND lower(name) = lower(?)",
            options.table
        ) { $0.text(0) }.first
    }

    private func create(_ db: SQLiteDatabase) throws {
        var columns = schema.fields.map { "\(SQLiteSelection.quoted($0.name)) \(declaredType(of: $0))" }
        if !options.keys.isEmpty { columns.append("PRIMARY KEY (\(keys))") }
        try db.execute("CREATE TABLE \(quoted) (\(columns.joined(separator: ", ")))")
    }

    private func declaredType(of field: Field) -> String {
        if options.blobs.contains(ColumnName(field.name)) { return "BLOB" }
        return switch (field.kind, options.dates) {
        // The type JSON would turn texts such as 5 into numbers.
        case (.text, _), (.json, _): "TEXT"
        case (.integer, _), (.instant, .epochMillis): "INTEGER"
        case (.decimal, _), (.instant, .epochSeconds): "REAL"
        case (.flag, _): "BOOLEAN"
        case (.day, _): "DATE"
        case (.instant, .iso): "DATETIME"
        case (.instant, .appleSeconds): "TIMESTAMP"
        }
    }

    private func empty(_ db: SQLiteDatabase) throws {
        try execute("DELETE FROM \(quoted)", db)
        guard try SQLiteStatement(db, "SELECT 1 FROM \(quoted) LIMIT 1").step() else { return }
        let message = "a trigger of table '\(options.table)' keeps its rows from being deleted"
        let hint = "write to another table, or take the trigger out of the database first"
        throw DaybookError("rows-stay", message, at: options.tablePlace, hint: hint)
    }

    /// Drops the table and creates it with other columns. Its indexes and triggers are created again, and must still
    /// fit.
    private func remake(_ db: SQLiteDatabase) throws {
        let belongings = try db.rows(
            """
            SELECT sql, name FROM sqlite_schema WHERE lower(tbl_name) = lower(?)
            AND type IN ('index', 'trigger') AND sql IS NOT NULL ORDER BY rowid
            """,
            options.table
        ) { (sql: $0.text(0) ?? "", name: $0.text(1) ?? "") }
        try db.execute("DROP TABLE \(quoted)")
        try create(db)
        for belonging in belongings {
            do throws(SQLiteError) { try db.execute(belonging.sql) } catch {
                let message =
                    "'\(belonging.name)' of table '\(options.table)' does not fit its new columns: "
                    + error.message
                let hint = "keep the columns that it needs, or take it out of the database first"
                throw DaybookError("columns-differ", message, at: options.tablePlace, hint: hint)
            }
        }
    }

    // MARK: - Columns of a table that is there

    private func columns(_ db: SQLiteDatabase) throws -> [Column] {
        try db.rows("PRAGMA table_xinfo(\(quoted))") { row in
            let type = row.text(2) ?? ""
            let isKey = row.integer(5) == 1 && type.uppercased() == "INTEGER"
            return Column(
                name: row.text(1) ?? "",
                affinity: SQLiteAffinity(ofType: type),
                isGenerated: row.integer(6) > 1,
                mayBeLeftOut: isKey || row.integer(6) > 0 || row.text(4) != nil
            )
        }
    }

    /// Why the rows do not fit the existing table; nil if they fit.
    private func mismatch(with columns: [Column]) -> String? {
        for field in schema.fields {
            guard let column = columns.first(where: { $0.name.lowercased() == field.name.lowercased() }) else {
                return "it has no column '\(field.name)'"
            }
            if column.isGenerated { return "it makes column '\(column.name)' by itself" }
            if !column.affinity.keeps(field.kind, options.dates, isBLOB: options.blobs.contains(ColumnName(field.name)))
            {
                return "its column '\(column.name)' would change what column '\(field.name)' holds"
            }
        }
        let names = Set(schema.names.map { $0.lowercased() })
        let lacking = columns.first { !$0.mayBeLeftOut && !names.contains($0.name.lowercased()) }
        return lacking.map { "the rows have no column '\($0.name)'" }
    }
}

/// SQLite's conversion of values in a column, by its declared type.
enum SQLiteAffinity {
    case integer, text, none, real, numeric

    init(ofType type: String) {
        let type = type.uppercased()
        let words: [(SQLiteAffinity, [String])] = [
            (.integer, ["INT"]), (.text, ["CHAR", "CLOB", "TEXT"]), (.none, ["BLOB"]),
            (.real, ["REAL", "FLOA", "DOUB"]),
        ]
        let named = words.first { $0.1.contains(where: type.contains) }?.0
        self = named ?? (type.isEmpty ? .none : .numeric)
    }

    /// Whether values of that kind stay what they are.
    func keeps(_ kind: ColumnKind, _ dates: CodableDates, isBLOB: Bool) -> Bool {
        if self == .none || isBLOB { return true }
        return switch (kind, dates) {
        // Text of digits would become a number.
        case (.text, _), (.json, _): self == .text
        case (.integer, _), (.flag, _), (.instant, .epochMillis): self == .integer || self == .numeric
        case (.decimal, _), (.instant, .appleSeconds), (.instant, .epochSeconds): self == .real || self == .numeric
        // Text with hyphens and colons is no number to SQLite, in any column.
        case (.day, _), (.instant, .iso): true
        }
    }
}

/// Instants as numbers.
package enum SQLiteDates {
    private static let reference: Int64 = 978_307_200_000_000

    /// A number in the unit of `dates`, if it represents exactly that instant.
    package static func number(_ instant: Int64, _ dates: CodableDates) -> Double? {
        let (micros, overflows) = instant.subtractingReportingOverflow(dates == .appleSeconds ? reference : 0)
        guard !overflows else { return nil }
        if dates == .epochMillis { return micros % 1_000 == 0 ? Double(exactly: micros / 1_000) : nil }
        let number = Double(micros) / 1_000_000
        return Int64(exactly: (number * 1_000_000).rounded()) == micros ? number : nil
    }
}

/// Computes the digests of the rows of some groups as a table holds them.
///
/// The rows of a table have no order: a digest is a sum over its rows, so that it stays when the table is vacuumed or has
/// no rowid. Values are read back from the table, after its affinities and triggers.
struct SQLiteGroups {
    /// The columns of the group, then all columns that a run writes.
    let columns: String
    /// What they are selected from, with a condition for the rows of the groups.
    let chosen: String
    /// The quoted name of the table.
    let quoted: String
    let table: String
    /// How many columns a group has.
    let keys: Int

    /// The highest rowid before rows are added; nil for a table without one.
    func mark(_ db: SQLiteDatabase) -> Int64? {
        // A column of this name counts as well: what `read` makes of it is checked.
        (try? db.rows("SELECT ifnull(max(_rowid_), 0) FROM \(quoted)") { $0.integer(0) })?.first
    }

    /// The digests of rows that were just added, by group, in order; nil if there are more than a manifest keeps.
    ///
    /// - Parameters:
    ///   - days: groups that are told though they have no rows.
    ///   - mark: what `mark` gave before the rows were added, all rows of the groups among them.
    ///   - count: how many rows were added.
    func read(_ db: SQLiteDatabase, besides days: [String], after mark: Int64?, _ count: Int) throws -> [SinkGroup]? {
        // No row had a higher rowid, so as many rows as were added are those; rows whose rowid is one of their values may
        // lie elsewhere.
        if let mark {
            let (groups, found) = try read(db, "FROM \(quoted) WHERE _rowid_ > \(mark)", besides: days)
            if found == count { return groups }
        }
        return try read(db, besides: days)
    }

    /// The digests of all rows of the groups, by group, in order; nil if there are more than a manifest keeps.
    func read(_ db: SQLiteDatabase, besides days: [String] = []) throws -> [SinkGroup]? {
        try read(db, chosen, besides: days).groups
    }

    private func read(
        _ db: SQLiteDatabase,
        _ source: String,
        besides days: [String]
    ) throws -> (groups: [SinkGroup]?, count: Int) {
        var sums: [String: (bytes: Int, digest: DigestSum)] = [:]
        for day in days { sums[day] = (0, DigestSum()) }
        let (row, group, last) = (Bytes(), Bytes(), Bytes())
        var (key, sum): (String?, (bytes: Int, digest: DigestSum)) = (nil, (0, DigestSum()))
        let statement = try SQLiteStatement(db, "SELECT \(columns) \(source)")
        var count = 0
        while try statement.step() {
            count += 1
            group.removeAll()
            for column in 0..<keys { SQLiteGroups.add(statement, column, to: group) }
            // A row mostly belongs to the group of the one before.
            if key == nil || !group.filled.hasBytes(of: last.filled) {
                if let key { sums[key] = sum }
                guard sums.count <= SinkGroup.most else { return (nil, count) }
                let text = (0..<keys).map { statement.text($0) ?? "" }.joined(separator: ", ")
                (key, sum) = (text, sums[text] ?? (0, DigestSum()))
                last.removeAll()
                last.append(group.filled)
            }
            row.removeAll()
            for column in keys..<statement.columnCount { SQLiteGroups.add(statement, column, to: row) }
            sum.bytes += row.count
            sum.digest.add(row.filled)
        }
        if let key { sums[key] = sum }
        guard sums.count <= SinkGroup.most else { return (nil, count) }
        let groups = sums.sorted { $0.key < $1.key }.map {
            SinkGroup(part: table, key: $0.key, bytes: $0.value.bytes, xxh128: $0.value.digest.text)
        }
        return (groups, count)
    }

    /// Adds a value with its type and length, so that no two rows have the same bytes.
    private static func add(_ statement: SQLiteStatement, _ column: Int, to row: Bytes) {
        let type = statement.type(column)
        row.append(raw: UInt8(truncatingIfNeeded: type))
        switch type {
        case SQLITE_INTEGER: row.append(raw: statement.integer(column))
        case SQLITE_FLOAT: row.append(raw: statement.decimal(column).bitPattern)
        case SQLITE_NULL: break
        default:
            let bytes = statement.bytes(column)
            row.append(raw: UInt64(bytes.count))
            row.append(bytes)
        }
    }
}

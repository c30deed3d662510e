import DaybookBytes

/// The rows to read from a database: a table, a view, or the result of a query.
package struct SQLiteSelection: Sendable {
    /// The name in pointers.
    package let name: String
    /// The display text: `table 'words'`.
    package let displayText: String
    /// The expression that finds a row again; nil if rows have only a number.
    package let key: String?
    /// The operand of `FROM`: the quoted name of the table, or the query in brackets.
    package let subject: String
    /// The condition for rows of the table; nil for all.
    private var own: String?
    /// ` ORDER BY …`, which may be empty.
    private var order = ""
    /// The query as it is written; nil for a table.
    private var query: String?
    /// The condition for new rows; nil for all.
    private var since: SQLiteSince?

    /// The table or view of that name, in any case; nil if it does not exist.
    package static func table(_ name: String, where condition: String? = nil, in db: SQLiteDatabase) throws
        -> SQLiteSelection?
    {
        let tables = try tables(in: db)
        let found =
            tables.first { $0.name.utf8.elementsEqual(name.utf8) }
            ?? tables.first { $0.name.lowercased() == name.lowercased() }
        guard !name.contains("\0"), let found else { return nil }
        let quoted = SQLiteSelection.quoted(found.name)
        let key = found.isView ? nil : try SQLiteSelection.key(of: quoted, in: db)
        // Without an order, SQLite may scan an index that covers all columns.
        let keys = try key.map { [$0] } ?? (found.isView ? [] : primaryKey(of: quoted, in: db))
        let order = keys.isEmpty ? "" : " ORDER BY \(keys.joined(separator: ", "))"
        return SQLiteSelection(
            name: found.name,
            displayText: "\(found.isView ? "view" : "table") '\(found.name)'",
            key: key,
            subject: quoted,
            own: condition,
            order: order
        )
    }

    /// The rows of a query, in its order.
    package static func query(_ text: String) -> SQLiteSelection {
        // Line breaks keep a final comment from swallowing the bracket; a semicolon would end the statement.
        let trimmed = String(text.reversed().drop { $0.isWhitespace || $0 == ";" }.reversed())
        return SQLiteSelection(name: "query", displayText: "query", key: nil, subject: "(\n\(trimmed)\n)", query: text)
    }

    /// All tables and views, at most ten thousand of them.
    package static func tables(in db: SQLiteDatabase) throws -> [(name: String, isView: Bool)] {
        try db.rows(
            "SELECT name, type FROM sqlite_schema WHERE type IN ('table', 'view') ORDER BY name LIMIT 10000"
        ) { row in row.text(0).map { ($0, row.text(1) == "view") } }
    }

    /// The shadow tables of virtual tables, such as the index of a full-text search.
    ///
    /// SQLite lists them since 3.37; an older one gives none.
    package static func shadows(in db: SQLiteDatabase) throws -> Set<String> {
        Set(try db.rows("PRAGMA table_list") { $0.text(2) == "shadow" ? $0.text(1) : nil })
    }

    /// The name of the table's row number; nil if it has none, or columns hide all three names.
    private static func key(of table: String, in db: SQLiteDatabase) throws -> String? {
        let columns = Set(try SQLiteStatement(db, "SELECT * FROM \(table) LIMIT 0").names.map { $0.lowercased() })
        return ["rowid", "_rowid_", "oid"].first { name in
            !columns.contains(name) && (try? SQLiteStatement(db, "SELECT \(name) FROM \(table) LIMIT 0")) != nil
        }
    }

    private static func primaryKey(of table: String, in db: SQLiteDatabase) throws -> [String] {
        let columns = try db.rows("PRAGMA table_info(\(table))") { row in
            row.integer(5) > 0 ? row.text(1).map { (place: row.integer(5), name: $0) } : nil
        }
        return columns.sorted { $0.place < $1.place }.map { quoted($0.name) }
    }

    /// An unambiguously quoted SQL name.
    package static func quoted(_ name: String) -> String { "\"" + name.replacingScalars("\"", with: "\"\"") + "\"" }

    /// The same selection, restricted to new rows.
    func rows(_ since: SQLiteSince) -> SQLiteSelection {
        var copy = self
        copy.since = since
        return copy
    }

    /// A condition combined with the selection's own.
    func condition(and other: String) -> String { own.map { "(\($0)) AND \(other)" } ?? other }

    /// ` WHERE …` and ` ORDER BY …`, as far as present.
    private var tail: String {
        let condition = since.map { self.condition(and: $0.condition) } ?? own
        return (condition.map { " WHERE \($0)" } ?? "") + order
    }

    /// Prepares a row statement, with the mark bound as its parameter.
    func prepare(_ sql: String, on db: SQLiteDatabase) throws(SQLiteError) -> SQLiteStatement {
        let statement = try SQLiteStatement(db, sql)
        try since?.bind(to: statement)
        return statement
    }

    /// The statement for all rows with all columns.
    package var statement: String {
        if let query, since == nil { return query }
        return "SELECT * FROM \(subject)\(tail)"
    }

    /// The statement for the key of every row, followed by some columns; nil for rows without keys.
    package func statement(selecting expressions: [String]) -> String? {
        guard let key else { return nil }
        return "SELECT \(([key] + expressions).joined(separator: ", ")) FROM \(subject)\(tail)"
    }

    /// The statement for the row of one key, with all columns; nil for rows without keys.
    var findingStatement: String? {
        key.map { "SELECT * FROM \(subject) WHERE \($0) = ?" }
    }

    /// The statement for the first and the last key.
    var boundsStatement: String? {
        key.map { "SELECT (SELECT min(\($0)) FROM \(subject)), (SELECT max(\($0)) FROM \(subject))" }
    }
}

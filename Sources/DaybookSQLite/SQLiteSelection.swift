import DaybookBytes

/// What is read of a database: the rows of a table or a view, or what a query gives.
package struct SQLiteSelection: Sendable {
    /// How pointers name it.
    package let name: String
    /// What a person calls it: `table 'words'`.
    package let displayText: String
    /// The expression that finds a row again; nil where rows can only be counted.
    package let key: String?
    private let origin: Origin
    /// Which rows of it are read; nil for all.
    private var since: SQLiteSince?

    private enum Origin {
        /// A name in quotes, a condition for its rows, and their order, which may be empty.
        case table(String, where: String?, order: String)
        /// Only ever run as it was written, by itself or for its rows.
        case query(String)
    }

    /// The rows of a table or view by that name, which may be written in any case; nil when there is none.
    package static func table(_ name: String, where condition: String? = nil, in db: SQLiteDatabase) throws
        -> SQLiteSelection?
    {
        guard !name.contains("\0"), let found = try SQLiteSelection.find(name, in: db) else { return nil }
        let quoted = SQLiteSelection.quoted(found.name)
        let key = found.isView ? nil : try SQLiteSelection.key(of: quoted, in: db)
        // Without an order, SQLite may go along an index that holds all columns.
        let keys = try key.map { [$0] } ?? (found.isView ? [] : primaryKey(of: quoted, in: db))
        let order = keys.isEmpty ? "" : " ORDER BY \(keys.joined(separator: ", "))"
        return SQLiteSelection(
            name: found.name,
            displayText: "\(found.isView ? "view" : "table") '\(found.name)'",
            key: key,
            origin: .table(quoted, where: condition, order: order)
        )
    }

    /// What a query gives, in its order.
    package static func query(_ text: String) -> SQLiteSelection {
        SQLiteSelection(name: "query", displayText: "query", key: nil, origin: .query(text))
    }

    private static func find(_ name: String, in db: SQLiteDatabase) throws -> (name: String, isView: Bool)? {
        let tables = try tables(in: db)
        return tables.first { $0.name.utf8.elementsEqual(name.utf8) }
            ?? tables.first { $0.name.lowercased() == name.lowercased() }
    }

    /// All tables and views, at most ten thousand of them.
    package static func tables(in db: SQLiteDatabase) throws -> [(name: String, isView: Bool)] {
        try db.rows(
            "SELECT name, type FROM sqlite_schema WHERE type IN ('table', 'view') ORDER BY name LIMIT 10000"
        ) { row in row.text(0).map { ($0, row.text(1) == "view") } }
    }

    /// The tables in which virtual tables keep what they are made of, such as the index of a full-text search.
    ///
    /// SQLite tells them since 3.37; from an older one there are none.
    package static func shadows(in db: SQLiteDatabase) throws -> Set<String> {
        Set(try db.rows("PRAGMA table_list") { $0.text(2) == "shadow" ? $0.text(1) : nil })
    }

    /// The name under which a table has its row numbers; nil when it has none, or columns hide all three names.
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

    /// A name as SQL has it beyond doubt.
    package static func quoted(_ name: String) -> String { "\"" + name.replacingScalars("\"", with: "\"\"") + "\"" }

    /// The same, but only the rows that are new.
    func rows(_ since: SQLiteSince) -> SQLiteSelection {
        var copy = self
        copy.since = since
        return copy
    }

    /// What `FROM` names: the table, or the query in brackets.
    package var subject: String {
        switch origin {
        case .table(let table, _, _): table
        case .query(let text):
            // A comment at its end must not take the bracket in, and a semicolon would end the statement.
            "(\n\(text.trimmedEnd)\n)"
        }
    }

    /// A condition together with that of the selection itself.
    func condition(and other: String) -> String {
        if case .table(_, let condition?, _) = origin { "(\(condition)) AND \(other)" } else { other }
    }

    /// ` WHERE …` and ` ORDER BY …`, as far as there are such.
    private var tail: String {
        let condition: String?
        var order = ""
        switch origin {
        case .table(_, let own, let ordered):
            condition = since.map { self.condition(and: $0.condition) } ?? own
            order = ordered
        case .query: condition = since?.condition
        }
        return (condition.map { " WHERE \($0)" } ?? "") + order
    }

    /// Prepares one of the statements that give rows, with the value that they are held against.
    func prepare(_ sql: String, on db: SQLiteDatabase) throws(SQLiteError) -> SQLiteStatement {
        let statement = try SQLiteStatement(db, sql)
        try since?.bind(to: statement)
        return statement
    }

    /// The statement that gives the rows with all columns.
    package var statement: String {
        if case .query(let text) = origin, since == nil { return text }
        return "SELECT * FROM \(subject)\(tail)"
    }

    /// The statement that gives the key of every row and, behind it, some columns; nil where rows have no key.
    package func statement(selecting expressions: [String]) -> String? {
        guard let key, case .table(let table, _, _) = origin else { return nil }
        return "SELECT \(([key] + expressions).joined(separator: ", ")) FROM \(table)\(tail)"
    }

    /// The statement that gives the row with one key, with all columns; nil where rows have no key.
    var findingStatement: String? {
        guard let key, case .table(let table, _, _) = origin else { return nil }
        return "SELECT * FROM \(table) WHERE \(key) = ?"
    }

    /// The statement that gives the first and the last key.
    var boundsStatement: String? {
        guard let key, case .table(let table, _, _) = origin else { return nil }
        return "SELECT (SELECT min(\(key)) FROM \(table)), (SELECT max(\(key)) FROM \(table))"
    }
}

extension String {
    /// Without blanks and semicolons at its end.
    fileprivate var trimmedEnd: String {
        var text = self[...]
        while let last = text.last, last.isWhitespace || last == ";" { text.removeLast() }
        return String(text)
    }
}

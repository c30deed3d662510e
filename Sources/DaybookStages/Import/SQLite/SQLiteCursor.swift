import DaybookCore
import GRDB
import GRDBSQLite

/// A prepared statement that is stepped row by row, on the queue of its connection.
///
/// GRDB prepares and keeps it; cells are read where SQLite has them, without a Swift value between.
final class SQLiteCursor {
    private let statement: Statement
    private let connection: OpaquePointer?
    let raw: OpaquePointer

    init(_ db: Database, _ sql: String) throws {
        statement = try db.makeStatement(sql: sql)
        connection = db.sqliteConnection
        raw = statement.sqliteStatement
    }

    /// How many statements a text holds.
    enum Count { case none, one, several }

    /// Asks SQLite itself, for GRDB answers several with advice to programmers. A text that does not compile counts as one.
    static func count(_ sql: String, in db: Database) -> Count {
        sql.withCString { start in
            func prepare(_ text: UnsafePointer<CChar>) -> (code: Int32, isThere: Bool, rest: UnsafePointer<CChar>?) {
                var made: OpaquePointer?
                var rest: UnsafePointer<CChar>?
                let code = sqlite3_prepare_v2(db.sqliteConnection, text, -1, &made, &rest)
                defer { sqlite3_finalize(made) }
                return (code, made != nil, rest)
            }
            // Without a statement in front, what follows the first semicolon may still be one.
            var text = start
            var found = 0
            while text.pointee != 0 {
                let (code, isThere, rest) = prepare(text)
                if code != SQLITE_OK || isThere { found += 1 }
                if found > 1 { return .several }
                guard code == SQLITE_OK, let rest, rest > text else { break }
                text = rest
            }
            return found == 0 ? .none : .one
        }
    }

    var columnCount: Int { Int(sqlite3_column_count(raw)) }
    var parameterCount: Int { Int(sqlite3_bind_parameter_count(raw)) }
    var onlyReads: Bool { sqlite3_stmt_readonly(raw) != 0 && sqlite3_stmt_isexplain(raw) == 0 }

    func name(_ column: Int) -> String { SQLiteCursor.text(sqlite3_column_name(raw, Int32(column))) ?? "" }

    /// The type that a table was declared with for that column; nil for an expression.
    func declaredType(_ column: Int) -> String? { SQLiteCursor.text(sqlite3_column_decltype(raw, Int32(column))) }

    /// Steps to the next row; false behind the last.
    func step() throws -> Bool {
        let code = sqlite3_step(raw)
        if code == SQLITE_ROW { return true }
        if code == SQLITE_DONE { return false }
        throw DatabaseError(
            resultCode: ResultCode(rawValue: code),
            message: SQLiteCursor.text(sqlite3_errmsg(connection))
        )
    }

    /// Begins again, with a number in the place of the first parameter.
    func begin(with number: Int64) {
        sqlite3_reset(raw)
        sqlite3_bind_int64(raw, 1, number)
    }

    /// How many rows the last statement of the connection changed, without what its triggers did.
    var changedRows: Int { Int(sqlite3_changes(connection)) }

    func reset() { sqlite3_reset(raw) }

    func type(_ column: Int) -> Int32 { sqlite3_column_type(raw, Int32(column)) }
    func integer(_ column: Int) -> Int64 { sqlite3_column_int64(raw, Int32(column)) }

    /// The bytes of a text or a BLOB, valid until the next step.
    func cell(_ column: Int) -> Cell { raw.cell(Int32(column)) }

    /// The value as text, with U+FFFD for what is none; nil when it is missing. Not for row loops.
    func text(_ column: Int) -> String? {
        guard type(column) != SQLITE_NULL else { return nil }
        return String(decoding: cell(column), as: UTF8.self)
    }

    private static func text(_ text: UnsafePointer<CChar>?) -> String? { text.map { String(cString: $0) } }

    /// A name as SQL has it beyond doubt.
    static func quoted(_ name: String) -> String { "\"" + name.replacingScalars("\"", with: "\"\"") + "\"" }
}

extension OpaquePointer {
    /// The bytes of a text or a BLOB in the row that a statement stands on; valid until the next step.
    @inline(__always)
    func cell(_ column: Int32) -> Cell {
        if sqlite3_column_type(self, column) == SQLITE_BLOB {
            let bytes = sqlite3_column_blob(self, column)
            let count = Int(sqlite3_column_bytes(self, column))
            return Cell(start: bytes?.assumingMemoryBound(to: UInt8.self), count: bytes == nil ? 0 : count)
        }
        let bytes = sqlite3_column_text(self, column)
        return Cell(start: bytes, count: bytes == nil ? 0 : Int(sqlite3_column_bytes(self, column)))
    }
}

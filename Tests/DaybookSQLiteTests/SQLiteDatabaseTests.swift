import CSQLite
import DaybookTestSupport
import Foundation
import Testing

@testable import DaybookBytes
@testable import DaybookContracts

/// The module over SQLite itself, apart from what imports and exports make of it.
@Suite struct SQLiteDatabaseTests {
    private let place: TemporaryDirectory
    private let path: String

    init() throws {
        place = try TemporaryDirectory()
        path = place.url.appendingPathComponent("odd ?#%41 이름.sqlite").path
    }

    private func make() throws(SQLiteError) -> SQLiteDatabase {
        let database = try SQLiteDatabase(path, .readWrite)
        try database.execute("CREATE TABLE t (a UNIQUE, b); INSERT INTO t VALUES (1, 'x')")
        return database
    }

    private func count(_ database: SQLiteDatabase) throws(SQLiteError) -> Int64? {
        try database.rows("SELECT count(*) FROM t") { $0.integer(0) }.first
    }

    @Test("what is bound comes back, whether it is copied or not")
    func values() throws {
        let database = try make()
        let insertion = try SQLiteStatement(database, "INSERT INTO t VALUES (?, ?)")
        let text = Array("가\0나".utf8)
        try text.withUnsafeBufferPointer { text in
            try insertion.bind(uncopied: text, at: 1)
            try insertion.bind(blob: text, at: 2)
            #expect(try !insertion.step())
            #expect(insertion.changedRows == 1)
            insertion.reset()
            let none = UnsafeBufferPointer<UInt8>(start: nil, count: 0)
            try insertion.bind(uncopied: none, at: 1)
            try insertion.bind(blob: none, at: 2)
            #expect(try !insertion.step())
        }
        insertion.reset()
        try insertion.bind(2.5, at: 1)
        try insertion.bindNull(at: 2)
        #expect(try !insertion.step())
        let rows = try SQLiteStatement(database, "SELECT a, b AS second FROM t ORDER BY rowid")
        #expect(rows.names == ["a", "second"] && rows.declaredType(0) == nil && rows.isQuery)
        #expect(try rows.step())
        #expect(rows.integer(0) == 1 && rows.text(1) == "x")
        #expect(try rows.step())
        #expect(Array(rows.bytes(0)) == text && rows.type(0) == SQLITE_TEXT)
        #expect(Array(rows.bytes(1)) == text && rows.type(1) == SQLITE_BLOB)
        #expect(try rows.step())
        #expect(rows.text(0) == "" && rows.bytes(1).isEmpty && rows.type(1) == SQLITE_BLOB)
        #expect(try rows.step())
        #expect(rows.decimal(0) == 2.5 && rows.text(1) == nil)
        #expect(try !rows.step())
    }

    @Test(
        "a text is one statement",
        arguments: [
            ("", "it holds no statement"), (" ; -- only this", "it holds no statement"),
            ("SELECT 1; SELECT 2", "it holds more than one statement"),
            ("SELECT 1; SELEC", "it holds more than one statement"),
            ("SELECT 1\0; DROP TABLE t", "it holds a NUL character"), ("; SELECT 1; -- end", nil), ("SELECT 1;;", nil),
            ("SELECT \"x\"", "no such column"),
        ] as [(String, String?)]
    )
    func oneStatement(_ sql: String, _ problem: String?) throws {
        let database = try make()
        do throws(SQLiteError) {
            #expect(try SQLiteStatement(database, sql).step())
            #expect(problem == nil)
        } catch { #expect(problem.map { error.message.hasPrefix($0) } == true, "\(error)") }
    }

    @Test("a transaction does all or nothing, and the error names its code")
    func transactions() throws {
        let database = try make()
        try database.setUserVersion(3)
        var code: Int32?
        do throws(SQLiteError) {
            try database.transaction { () throws(SQLiteError) in
                try database.setUserVersion(4)
                try database.execute("INSERT INTO t VALUES (2, 'y')")
                try database.execute("INSERT INTO t VALUES (1, 'again')")
            }
        } catch { code = error.code }
        #expect(code == SQLITE_CONSTRAINT)
        #expect(try database.userVersion() == 3 && count(database) == 1)
        // SQLite rolls this back by itself.
        #expect(throws: SQLiteError.self) {
            try database.transaction { () throws(SQLiteError) in
                try database.execute("INSERT OR ROLLBACK INTO t VALUES (1, 'again')")
            }
        }
        try database.transaction { () throws(SQLiteError) in try database.execute("INSERT INTO t VALUES (2, 'y')") }
        #expect(try count(database) == 2)
    }

    @Test("a connection lives as long as its statements, and what was not committed is gone with it")
    func lifetime() throws {
        var statement: SQLiteStatement?
        do {
            let database = try make()
            try database.execute("BEGIN; INSERT INTO t VALUES (2, 'y')")
            statement = try SQLiteStatement(database, "SELECT count(*) FROM t")
        }
        #expect(try statement?.step() == true && statement?.integer(0) == 2)
        statement = nil
        #expect(try count(SQLiteDatabase(path, .readOnly)) == 1)
    }

    @Test("a file is opened as it is asked for", arguments: [SQLiteDatabase.Access.readOnly, .immutable])
    func access(_ access: SQLiteDatabase.Access) throws {
        let missing = try? SQLiteDatabase(path, access)
        #expect(missing == nil)
        let writer = try make()
        let reader = try SQLiteDatabase(path, access)
        #expect(throws: SQLiteError.self) { try reader.execute("DELETE FROM t") }
        try writer.execute("BEGIN EXCLUSIVE")
        var code: Int32?
        do throws(SQLiteError) { #expect(try count(reader) == 1) } catch { code = error.code }
        #expect(code == (access == .immutable ? nil : SQLITE_BUSY))
    }

    @Test("what runs is stopped")
    func stopping() throws {
        let database = try make()
        var looks = 0
        var mostLooks = 5
        database.stop {
            looks += 1
            return looks > mostLooks
        }
        func run() -> Int32? {
            do throws(SQLiteError) {
                try database.execute(
                    "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) SELECT max(i) FROM n"
                )
            } catch { return error.code }
            return nil
        }
        #expect(run() == SQLITE_INTERRUPT && looks == 6)
        (looks, mostLooks, database.allowance) = (0, .max, 1_000_000)
        #expect(run() == SQLITE_INTERRUPT && looks == 1_000_000 / 4096 + 1)
    }
}

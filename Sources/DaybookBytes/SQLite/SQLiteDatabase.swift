import CSQLite

/// A connection to an SQLite database, for one thread at a time.
///
/// Closed after the last reference to it or to a statement on it. A transaction open then is rolled back.
public final class SQLiteDatabase {
    /// How a file is opened.
    public enum Access: Sendable {
        /// For reading and writing; a missing file is created.
        case readWrite
        case readOnly
        /// For reading a file that is never written: without locks, and without looking for a log or a journal.
        case immutable
    }

    /// The connection itself, for functions of SQLite that this module does not wrap.
    public let connection: OpaquePointer
    private var mustStop: () -> Bool = { false }
    /// How many more steps of SQLite's machine are allowed; nil for any number. It takes effect after `stop(when:)`.
    public var allowance: Int?
    /// What `countInsertedRows()` counted, by the names of tables in lower case.
    public private(set) var insertedRows: [String: Int] = [:]

    /// The number of steps between two looks whether to stop.
    private static let interval = 4096

    /// Opens a database. SQLite looks into the file only with the first statement.
    ///
    /// A word in double quotes is a name and never a text, other than SQLite has it.
    ///
    /// - Parameter busyTimeout: how many milliseconds to wait for a lock that another connection holds.
    public convenience init(_ path: String, _ access: Access, busyTimeout: Int32 = 0) throws(SQLiteError) {
        let name = access == .immutable ? SQLiteDatabase.immutable(path) : path
        try self.init(bytes: Array(name.utf8CString), access, busyTimeout: busyTimeout)
    }

    /// The same for a path that may be invalid UTF-8; it ends with NUL.
    public init(bytes name: [CChar], _ access: Access, busyTimeout: Int32 = 0) throws(SQLiteError) {
        let flags =
            switch access {
            case .readWrite: SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE
            case .readOnly: SQLITE_OPEN_READONLY
            case .immutable: SQLITE_OPEN_READONLY | SQLITE_OPEN_URI
            }
        var opened: OpaquePointer?
        let code = sqlite3_open_v2(name, &opened, flags | SQLITE_OPEN_NOMUTEX, nil)
        guard code == SQLITE_OK, let opened else {
            sqlite3_close(opened)
            throw SQLiteError(code, String(cString: sqlite3_errstr(code)))
        }
        connection = opened
        sqlite3_busy_timeout(connection, busyTimeout)
        csqlite_allow_double_quoted_texts(connection, 0)
    }

    deinit { sqlite3_close(connection) }

    /// The URI of a file, which is the only way to declare it immutable (https://www.sqlite.org/uri.html).
    private static func immutable(_ path: String) -> String {
        let escapes: [UnicodeScalar: String] = ["%": "%25", "?": "%3f", "#": "%23"]
        return "file:" + path.unicodeScalars.map { escapes[$0] ?? String($0) }.joined() + "?immutable=1"
    }

    /// Runs all statements of a text, one after the other, and ignores their rows.
    public func execute(_ sql: String) throws(SQLiteError) {
        let code = sqlite3_exec(connection, sql, nil, nil, nil)
        guard code == SQLITE_OK else { throw SQLiteError(code, of: connection) }
    }

    /// The results of `read` for the rows of one statement, nils left out. Not for many rows.
    ///
    /// - Parameter values: texts for the statement's parameters.
    public func rows<Row>(
        _ sql: String,
        _ values: String...,
        read: (SQLiteStatement) -> Row?
    ) throws(SQLiteError) -> [Row] {
        let statement = try SQLiteStatement(self, sql)
        for (index, value) in values.enumerated() { try statement.bind(value, at: index + 1) }
        var rows: [Row] = []
        while try statement.step() {
            if let row = read(statement) { rows.append(row) }
        }
        return rows
    }

    /// Runs `body` in a transaction, which takes the write lock at once: all of it is done, or nothing.
    public func transaction<Result>(_ body: () throws(SQLiteError) -> Result) throws(SQLiteError) -> Result {
        try execute("BEGIN IMMEDIATE")
        do throws(SQLiteError) {
            let result = try body()
            try execute("COMMIT")
            return result
        } catch {
            // After some errors SQLite has rolled back already.
            if sqlite3_get_autocommit(connection) == 0 { try? execute("ROLLBACK") }
            throw error
        }
    }

    /// Replaces the content by that of another database, at one moment for all connections.
    public func takeAll(of other: SQLiteDatabase) throws(SQLiteError) {
        guard let backup = sqlite3_backup_init(connection, "main", other.connection, "main") else {
            throw SQLiteError(sqlite3_errcode(connection), of: connection)
        }
        let step = sqlite3_backup_step(backup, -1)
        let code = sqlite3_backup_finish(backup)
        guard step == SQLITE_DONE, code == SQLITE_OK else {
            throw SQLiteError(step == SQLITE_DONE ? code : step, of: connection)
        }
    }

    /// A number in the file header for the version of its tables; 0 in a new file.
    public func userVersion() throws(SQLiteError) -> Int {
        try rows("PRAGMA user_version") { Int($0.integer(0)) }.first ?? 0
    }

    /// Sets `userVersion()`, in the open transaction.
    public func setUserVersion(_ version: Int32) throws(SQLiteError) {
        try execute("PRAGMA user_version = \(version)")
    }

    /// Sets a limit of this connection, such as `SQLITE_LIMIT_LENGTH`.
    public func limit(_ what: Int32, to value: Int) { sqlite3_limit(connection, what, Int32(clamping: value)) }

    /// Ends a statement with `SQLITE_INTERRUPT` if `mustStop` says so while it runs, or if it exceeds its allowance.
    public func stop(when mustStop: @escaping () -> Bool) {
        self.mustStop = mustStop
        sqlite3_progress_handler(
            connection,
            Int32(SQLiteDatabase.interval),
            { Unmanaged<SQLiteDatabase>.fromOpaque($0!).takeUnretainedValue().stops ? 1 : 0 },
            Unmanaged.passUnretained(self).toOpaque()
        )
    }

    /// Counts the rows that statements and triggers insert from now on into tables with rowids, by table.
    public func countInsertedRows() {
        sqlite3_update_hook(
            connection,
            { context, operation, _, table, _ in
                guard operation == SQLITE_INSERT, let table else { return }
                let database = Unmanaged<SQLiteDatabase>.fromOpaque(context!).takeUnretainedValue()
                database.insertedRows[String(cString: table).lowercased(), default: 0] += 1
            },
            Unmanaged.passUnretained(self).toOpaque()
        )
    }

    private var stops: Bool {
        if let left = allowance {
            allowance = left - SQLiteDatabase.interval
            if left <= 0 { return true }
        }
        return mustStop()
    }
}

/// A failure of SQLite, with its reason.
public struct SQLiteError: Error, Sendable {
    /// The primary result code, such as `SQLITE_BUSY`.
    public let code: Int32
    /// The reason in SQLite's own words.
    public let message: String

    package init(_ code: Int32, _ message: String) {
        self.code = code
        self.message = message
    }

    /// The error of the last call on a connection.
    @usableFromInline
    init(_ code: Int32, of connection: OpaquePointer) {
        self.init(code, String(cString: sqlite3_errmsg(connection)))
    }
}

/// One prepared statement: its parameters are bound, then it is stepped from row to row.
///
/// Columns count from 0, parameters from 1. Cells are read where SQLite has them, without a Swift value between.
public final class SQLiteStatement {
    /// The statement itself, for functions of SQLite that this module does not wrap.
    public let raw: OpaquePointer
    private let database: SQLiteDatabase

    /// Prepares the one statement of a text. `SQLITE_MISUSE` if there is none, or more than one.
    public init(_ database: SQLiteDatabase, _ sql: String) throws(SQLiteError) {
        guard !sql.utf8.contains(0) else { throw SQLiteError(SQLITE_MISUSE, "it holds a NUL character") }
        let connection = database.connection
        var found: OpaquePointer?
        let error = sql.withCString { start -> SQLiteError? in
            var text = start
            let code = SQLiteStatement.prepare(&text, on: connection, &found)
            guard code == SQLITE_OK else { return SQLiteError(code, of: connection) }
            guard found != nil else { return SQLiteError(SQLITE_MISUSE, "it holds no statement") }
            var second: OpaquePointer?
            let rest = SQLiteStatement.prepare(&text, on: connection, &second)
            defer { sqlite3_finalize(second) }
            guard rest == SQLITE_OK, second == nil else {
                return SQLiteError(SQLITE_MISUSE, "it holds more than one statement")
            }
            return nil
        }
        guard error == nil, let found else {
            sqlite3_finalize(found)
            throw error ?? SQLiteError(SQLITE_MISUSE, "it holds no statement")
        }
        raw = found
        self.database = database
    }

    deinit { sqlite3_finalize(raw) }

    /// Prepares the next statement of a text and moves behind it; the text before a semicolon may be a mere comment.
    private static func prepare(
        _ text: inout UnsafePointer<CChar>,
        on connection: OpaquePointer,
        _ made: inout OpaquePointer?
    ) -> Int32 {
        while made == nil, text.pointee != 0 {
            var rest: UnsafePointer<CChar>?
            let code = sqlite3_prepare_v2(connection, text, -1, &made, &rest)
            guard code == SQLITE_OK, let rest, rest > text else { return code }
            text = rest
        }
        return SQLITE_OK
    }

    /// Steps to the next row; false after the last.
    @inlinable
    public func step() throws(SQLiteError) -> Bool {
        let code = sqlite3_step(raw)
        if code == SQLITE_ROW { return true }
        if code == SQLITE_DONE { return false }
        throw failure(code)
    }

    /// Returns before the first row. Parameters keep their values.
    public func reset() { sqlite3_reset(raw) }

    @usableFromInline
    func failure(_ code: Int32) -> SQLiteError { SQLiteError(code, of: database.connection) }

    @inlinable
    func check(_ code: Int32) throws(SQLiteError) { if code != SQLITE_OK { throw failure(code) } }

    // MARK: - The statement

    public var columnCount: Int { Int(sqlite3_column_count(raw)) }
    public var parameterCount: Int { Int(sqlite3_bind_parameter_count(raw)) }
    /// Whether it returns rows of the database and changes nothing.
    public var isQuery: Bool { sqlite3_stmt_readonly(raw) != 0 && sqlite3_stmt_isexplain(raw) == 0 && columnCount > 0 }
    /// How many rows the last statement of the connection changed, without the changes of its triggers.
    public var changedRows: Int { Int(sqlite3_changes(database.connection)) }

    /// The names of the columns.
    public var names: [String] {
        (0..<columnCount).map { sqlite3_column_name(raw, Int32($0)).map { String(cString: $0) } ?? "" }
    }

    /// The type that a table was declared with for a column; nil for an expression.
    public func declaredType(_ column: Int) -> String? {
        sqlite3_column_decltype(raw, Int32(column)).map { String(cString: $0) }
    }

    // MARK: - Parameters

    @inlinable
    public func bind(_ value: Int64, at place: Int) throws(SQLiteError) {
        try check(sqlite3_bind_int64(raw, Int32(place), value))
    }

    @inlinable
    public func bind(_ value: Double, at place: Int) throws(SQLiteError) {
        try check(sqlite3_bind_double(raw, Int32(place), value))
    }

    @inlinable
    public func bindNull(at place: Int) throws(SQLiteError) { try check(sqlite3_bind_null(raw, Int32(place))) }

    /// Binds UTF-8 that is not copied: it has to stay valid until the statement was stepped.
    @inlinable
    public func bind(uncopied text: UnsafeBufferPointer<UInt8>, at place: Int) throws(SQLiteError) {
        // Without an address there would be NULL.
        guard let start = text.baseAddress else { return try bind("", at: place) }
        let characters = UnsafeRawPointer(start).assumingMemoryBound(to: CChar.self)
        try check(sqlite3_bind_text64(raw, Int32(place), characters, UInt64(text.count), nil, UInt8(SQLITE_UTF8)))
    }

    public func bind(_ text: String, at place: Int) throws(SQLiteError) {
        let count = UInt64(text.utf8.count)
        try check(sqlite3_bind_text64(raw, Int32(place), text, count, SQLiteStatement.copied, UInt8(SQLITE_UTF8)))
    }

    public func bind(blob bytes: UnsafeBufferPointer<UInt8>, at place: Int) throws(SQLiteError) {
        guard let start = bytes.baseAddress else { return try check(sqlite3_bind_zeroblob(raw, Int32(place), 0)) }
        try check(sqlite3_bind_blob64(raw, Int32(place), start, UInt64(bytes.count), SQLiteStatement.copied))
    }

    /// The value of SQLITE_TRANSIENT, a macro that Swift does not import.
    private static var copied: sqlite3_destructor_type { unsafeBitCast(-1, to: sqlite3_destructor_type.self) }

    // MARK: - The current row

    /// `SQLITE_INTEGER`, `SQLITE_FLOAT`, `SQLITE_TEXT`, `SQLITE_BLOB` or `SQLITE_NULL`.
    @inlinable
    public func type(_ column: Int) -> Int32 { sqlite3_column_type(raw, Int32(column)) }

    @inlinable
    public func integer(_ column: Int) -> Int64 { sqlite3_column_int64(raw, Int32(column)) }

    @inlinable
    public func decimal(_ column: Int) -> Double { sqlite3_column_double(raw, Int32(column)) }

    /// The bytes of a BLOB, or of a value as text; valid until the next step.
    @inlinable
    public func bytes(_ column: Int) -> UnsafeBufferPointer<UInt8> {
        let column = Int32(column)
        let start =
            sqlite3_column_type(raw, column) == SQLITE_BLOB
            ? sqlite3_column_blob(raw, column)?.assumingMemoryBound(to: UInt8.self) : sqlite3_column_text(raw, column)
        return UnsafeBufferPointer(start: start, count: start == nil ? 0 : Int(sqlite3_column_bytes(raw, column)))
    }

    /// The value as text, with U+FFFD for invalid UTF-8; nil if it is missing.
    public func text(_ column: Int) -> String? {
        type(column) == SQLITE_NULL ? nil : String(decoding: bytes(column), as: UTF8.self)
    }
}

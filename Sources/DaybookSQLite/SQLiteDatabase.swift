import CSQLite

/// A connection to an SQLite database, for one thread at a time.
///
/// It is closed when neither it nor a statement on it is held any more. A transaction that is open then is rolled back.
public final class SQLiteDatabase {
    /// How a file is opened.
    public enum Access: Sendable {
        /// For reading and writing; a file that is not there is made.
        case readWrite
        case readOnly
        /// For reading a file that nobody writes to: without locks, and without looking for a log or a journal.
        case immutable
    }

    /// The connection itself, for what SQLite offers and this module does not wrap.
    public let connection: OpaquePointer
    private var mustStop: () -> Bool = { false }

    /// Opens a database. SQLite looks into the file only with the first statement.
    ///
    /// A word in double quotes is a name and never a text, other than SQLite has it.
    ///
    /// - Parameter busyTimeout: how many milliseconds to wait for a lock that another connection holds.
    public convenience init(_ path: String, _ access: Access, busyTimeout: Int32 = 0) throws(SQLiteError) {
        let name = access == .immutable ? SQLiteDatabase.immutable(path) : path
        try self.init(bytes: Array(name.utf8CString), access, busyTimeout: busyTimeout)
    }

    /// The same for a path that may be no UTF-8; it ends with NUL.
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

    /// The address of a file, which alone can say that it does not change (https://www.sqlite.org/uri.html).
    private static func immutable(_ path: String) -> String {
        let escapes: [UnicodeScalar: String] = ["%": "%25", "?": "%3f", "#": "%23"]
        return "file:" + path.unicodeScalars.map { escapes[$0] ?? String($0) }.joined() + "?immutable=1"
    }

    /// Runs all statements of a text, one after the other, and passes over the rows that they give.
    public func execute(_ sql: String) throws(SQLiteError) {
        let code = sqlite3_exec(connection, sql, nil, nil, nil)
        guard code == SQLITE_OK else { throw SQLiteError(code, of: connection) }
    }

    /// What `read` makes of the rows of one statement, without those of which it makes nil. Not for many rows.
    ///
    /// - Parameter values: texts in the places of the statement's parameters.
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

    /// Runs `body` in a transaction, which takes the lock for writing at once: all of it is done, or nothing.
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

    /// A number in the header of the file that says which version its tables have; 0 in a new one.
    public func userVersion() throws(SQLiteError) -> Int {
        try rows("PRAGMA user_version") { Int($0.integer(0)) }.first ?? 0
    }

    /// Sets `userVersion()`, as a part of the transaction that is open.
    public func setUserVersion(_ version: Int32) throws(SQLiteError) {
        try execute("PRAGMA user_version = \(version)")
    }

    /// Sets a limit of this connection, such as `SQLITE_LIMIT_LENGTH`.
    public func limit(_ what: Int32, to value: Int) { sqlite3_limit(connection, what, Int32(clamping: value)) }

    /// Has `mustStop` asked after every so many steps of SQLite's machine; true ends what runs with `SQLITE_INTERRUPT`.
    public func stop(every steps: Int32, when mustStop: @escaping () -> Bool) {
        self.mustStop = mustStop
        sqlite3_progress_handler(
            connection,
            steps,
            { Unmanaged<SQLiteDatabase>.fromOpaque($0!).takeUnretainedValue().mustStop() ? 1 : 0 },
            Unmanaged.passUnretained(self).toOpaque()
        )
    }
}

/// What SQLite did not do, and why.
public struct SQLiteError: Error, Sendable {
    /// The primary result code, such as `SQLITE_BUSY`.
    public let code: Int32
    /// The reason in SQLite's own words.
    public let message: String

    init(_ code: Int32, _ message: String) {
        self.code = code
        self.message = message
    }

    /// What the last call on a connection failed with.
    @usableFromInline
    init(_ code: Int32, of connection: OpaquePointer) {
        self.init(code, String(cString: sqlite3_errmsg(connection)))
    }
}

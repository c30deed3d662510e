import CSQLite
import DaybookSQLite
import Foundation

/// A database that is open for reading: one connection inside one transaction, so that all that is read of it is of one
/// moment.
///
/// Nothing is ever written beside the file. SQLite reads a database that keeps no log as it stands, behind a lock that
/// readers share. One that keeps a write-ahead log it would open only by making files beside it: such a database is read as
/// a file that cannot change, when its log is empty, and otherwise a copy of it is, together with its log.
package final class SQLiteStore: @unchecked Sendable {
    /// The files beside a database that belong to it: its write-ahead log, and what undoes an interrupted transaction.
    package static let companions = [log, journal]
    private static let log = "-wal"
    private static let journal = "-journal"

    /// The longest value that is read, in bytes. Everything that is in flight at a time has to fit into memory.
    static let longestValue = 64 << 20
    /// What SQLite may take of memory in all, in bytes.
    private static let heap = 1 << 30

    package let file: StoreFile
    /// What is odd about its log.
    package let warnings: [Finding.Kind]
    private let database: SQLiteDatabase
    private let lock = NSLock()
    /// How many steps SQLite may still take; nil for any number.
    private var allowance: Int?

    /// After how many steps SQLite asks whether to stop.
    private static let interval = 4096

    package static func open(_ file: StoreFile) throws(DaybookError) -> SQLiteStore {
        try SQLiteFault.check(file)
        let hasLog = (file.companions[log] ?? 0) > 0
        let isUndone = (file.companions[journal] ?? 0) == 0
        let keepsLog = file.companions[log] != nil || file.keepsLog
        guard !hasLog, isUndone else {
            return try file.room.copying { path throws(DaybookError) in
                let warnings = hasLog ? try SQLiteLog.check(path + log, of: file) : []
                return try SQLiteStore(file, at: path, .readWrite, warnings)
            }
        }
        return try SQLiteStore(file, at: file.path, keepsLog ? .immutable : .readOnly)
    }

    private init(
        _ file: StoreFile,
        at path: String,
        _ access: SQLiteDatabase.Access,
        _ warnings: [Finding.Kind] = []
    ) throws(DaybookError) {
        self.file = file
        self.warnings = warnings
        do {
            database = try SQLiteDatabase(path, access, busyTimeout: 2000)
            try prepare(isCopy: access == .readWrite)
            // The transaction begins with the first read.
            try database.execute("BEGIN; SELECT count(*) FROM sqlite_schema")
        } catch {
            throw SQLiteFault.error(error, of: file)
        }
    }

    /// A database is as hostile as any other file: its views and indexes may hold programs.
    private func prepare(isCopy: Bool) throws(SQLiteError) {
        database.limit(SQLITE_LIMIT_LENGTH, to: SQLiteStore.longestValue)
        database.limit(SQLITE_LIMIT_ATTACHED, to: 0)
        database.limit(SQLITE_LIMIT_EXPR_DEPTH, to: 200)
        database.limit(SQLITE_LIMIT_WORKER_THREADS, to: 0)
        // A copy has no other readers, and without them needs no shared memory beside it; nor does anybody miss it.
        if isCopy { try database.execute("PRAGMA locking_mode = EXCLUSIVE; PRAGMA synchronous = OFF") }
        try database.execute(
            """
            PRAGMA hard_heap_limit = \(SQLiteStore.heap);
            PRAGMA trusted_schema = OFF;
            PRAGMA cell_size_check = ON;
            PRAGMA mmap_size = 0;
            PRAGMA query_only = ON;
            """
        )
        SQLiteAuthoriser.install(on: database)
        database.stop(every: Int32(SQLiteStore.interval)) { [weak self] in self?.mustStop ?? true }
    }

    /// Whether the run is stopped, or something takes longer than it may.
    private var mustStop: Bool {
        if let left = allowance {
            allowance = left - SQLiteStore.interval
            if left <= 0 { return true }
        }
        return file.room.isCancelled
    }

    /// Does something with the connection, alone.
    package func read<Value>(_ body: (SQLiteDatabase) throws -> Value) throws(DaybookError) -> Value {
        do {
            return try lock.withLock { try body(database) }
        } catch {
            throw SQLiteFault.error(error, of: file)
        }
    }

    /// Does something that may take `steps` of SQLite's at most, for a look that nobody expects to last.
    package func look<Value>(steps: Int, _ body: (SQLiteDatabase) throws -> Value) throws(DaybookError) -> Value {
        try read { db in
            allowance = steps
            defer { allowance = nil }
            return try body(db)
        }
    }
}

extension StoreFile {
    /// Whether the database is set to keep a write-ahead log.
    fileprivate var keepsLog: Bool {
        defer { withExtendedLifetime(head) {} }
        return head.count >= 20 && (head.base[18] == 2 || head.base[19] == 2)
    }

    /// How much of a write-ahead log was read with the database, in bytes.
    var logLength: Int { companions["-wal"] ?? 0 }
}

/// What a statement may do: read tables, and call functions that give the same for the same rows.
enum SQLiteAuthoriser {
    /// Functions whose results no second run would give again, or that reach outside.
    static let refused: Set<String> = [
        "random", "randomblob", "load_extension", "fts3_tokenizer", "sqlite_log", "changes", "total_changes",
        "last_insert_rowid", "current_date", "current_time", "current_timestamp",
    ]
    /// Pragmas that only tell something; virtual tables ask for them too.
    private static let pragmas: Set<String> = [
        "data_version", "encoding", "page_size", "page_count", "freelist_count", "user_version", "schema_version",
        "application_id", "table_info", "table_xinfo", "table_list", "index_list", "index_info", "index_xinfo",
        "foreign_key_list", "collation_list",
    ]

    static func install(on database: SQLiteDatabase) {
        sqlite3_set_authorizer(
            database.connection,
            { _, action, first, second, _, _ in
                let names = (first.map { String(cString: $0) }, second.map { String(cString: $0) })
                return SQLiteAuthoriser.permits(action, names.0, names.1) ? SQLITE_OK : SQLITE_DENY
            },
            nil
        )
    }

    private static func permits(_ action: Int32, _ first: String?, _ second: String?) -> Bool {
        switch action {
        case SQLITE_SELECT, SQLITE_READ, SQLITE_RECURSIVE, SQLITE_TRANSACTION: true
        case SQLITE_FUNCTION: second.map { !refused.contains($0.lowercased()) } ?? true
        // Opening a virtual table asks for this; nothing comes of it in a database that is only read.
        case SQLITE_UPDATE: first == "sqlite_master"
        case SQLITE_PRAGMA: first.map { pragmas.contains($0.lowercased()) } ?? false
        default: false
        }
    }
}

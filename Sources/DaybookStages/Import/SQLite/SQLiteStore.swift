import DaybookCore
import Foundation
import GRDB
import GRDBSQLite

/// A database that is open for reading: one connection inside one transaction, so that all that is read of it is of one
/// moment.
///
/// Nothing is ever written beside the file. SQLite reads a database that keeps no log as it stands, behind a lock that
/// readers share. One that keeps a write-ahead log it would open only by making files beside it: such a database is read as
/// a file that cannot change, when its log is empty, and otherwise a copy of it is, together with its log.
final class SQLiteStore: @unchecked Sendable {
    /// The files beside a database that belong to it: its write-ahead log, and what undoes an interrupted transaction.
    static let companions = [log, journal]
    private static let log = "-wal"
    private static let journal = "-journal"

    /// The longest value that is read, in bytes. Everything that is in flight at a time has to fit into memory.
    static let longestValue = 64 << 20
    /// What SQLite may take of memory in all, in bytes.
    private static let heap = 1 << 30

    let file: StoreFile
    /// What is odd about its log.
    let warnings: [Finding.Kind]
    private let queue: DatabaseQueue
    private let watch: SQLiteWatch

    private init(_ file: StoreFile, _ warnings: [Finding.Kind], _ queue: DatabaseQueue, _ watch: SQLiteWatch) {
        self.file = file
        self.warnings = warnings
        self.queue = queue
        self.watch = watch
    }

    deinit { try? queue.close() }

    static func open(_ file: StoreFile) throws(DaybookError) -> SQLiteStore {
        try SQLiteFault.check(file)
        let hasLog = (file.companions[log] ?? 0) > 0
        let isUndone = (file.companions[journal] ?? 0) == 0
        let keepsLog = file.companions[log] != nil || file.keepsLog
        guard !hasLog, isUndone, !keepsLog || sqlite3_compileoption_used("USE_URI") != 0 else {
            return try file.room.copying { path throws(DaybookError) in
                let warnings = hasLog ? try SQLiteLog.check(path + log, of: file) : []
                return try connect(file, at: path, isCopy: true, warnings)
            }
        }
        let path = keepsLog ? unchanging(file.path) : file.path
        return try connect(file, at: path, isCopy: false)
    }

    /// The address by which SQLite opens a file that nobody writes to, and so without looking for a log.
    private static func unchanging(_ path: String) -> String {
        let kept = CharacterSet(charactersIn: "/-_.~").union(.alphanumerics)
        return "file:" + (path.addingPercentEncoding(withAllowedCharacters: kept) ?? path) + "?immutable=1"
    }

    private static func connect(
        _ file: StoreFile,
        at path: String,
        isCopy: Bool,
        _ warnings: [Finding.Kind] = []
    ) throws(DaybookError) -> SQLiteStore {
        let watch = SQLiteWatch(file.room)
        var configuration = Configuration()
        configuration.readonly = !isCopy
        configuration.foreignKeysEnabled = false
        configuration.allowsUnsafeTransactions = true
        configuration.busyMode = .timeout(2)
        configuration.label = "daybook"
        configuration.prepareDatabase { db in try prepare(db, watch, isCopy: isCopy) }
        do {
            let queue = try DatabaseQueue(path: path, configuration: configuration)
            try queue.inDatabase { db in
                db.observeNoTransactions()
                try db.execute(sql: "BEGIN")
                // The transaction begins with the first read.
                let cursor = try SQLiteCursor(db, "SELECT count(*) FROM sqlite_schema")
                _ = try cursor.step()
            }
            return SQLiteStore(file, warnings, queue, watch)
        } catch {
            throw SQLiteFault.error(error, of: file)
        }
    }

    /// A database is as hostile as any other file: its views and indexes may hold programs.
    private static func prepare(_ db: Database, _ watch: SQLiteWatch, isCopy: Bool) throws {
        let connection = db.sqliteConnection
        sqlite3_limit(connection, SQLITE_LIMIT_LENGTH, Int32(longestValue))
        sqlite3_limit(connection, SQLITE_LIMIT_ATTACHED, 0)
        sqlite3_limit(connection, SQLITE_LIMIT_EXPR_DEPTH, 200)
        sqlite3_limit(connection, SQLITE_LIMIT_WORKER_THREADS, 0)
        // A copy has no other readers, and without them needs no shared memory beside it; nor does anybody miss it.
        if isCopy { try db.execute(sql: "PRAGMA locking_mode = EXCLUSIVE; PRAGMA synchronous = OFF") }
        try db.execute(
            sql: """
                PRAGMA hard_heap_limit = \(heap);
                PRAGMA trusted_schema = OFF;
                PRAGMA cell_size_check = ON;
                PRAGMA mmap_size = 0;
                PRAGMA query_only = ON;
                """
        )
        SQLiteAuthoriser.install(on: connection)
        watch.install(on: connection)
    }

    /// Does something with the connection, alone.
    func read<Value>(_ body: (Database) throws -> Value) throws(DaybookError) -> Value {
        do {
            return try queue.inDatabase(body)
        } catch {
            throw SQLiteFault.error(error, of: file)
        }
    }

    /// Does something that may take `steps` of SQLite's at most, for a look that nobody expects to last.
    func look<Value>(steps: Int, _ body: (Database) throws -> Value) throws(DaybookError) -> Value {
        try read { db in
            watch.allowance = steps
            defer { watch.allowance = nil }
            return try body(db)
        }
    }
}

extension Database {
    /// Takes away what GRDB hooks into a connection to tell observers of transactions; nobody observes here.
    ///
    /// A connection that is closed while a statement of it is still held lives on until that is let go, and only then rolls
    /// its transaction back; the hook would reach for an observer that is gone by then.
    func observeNoTransactions() {
        sqlite3_commit_hook(sqliteConnection, nil, nil)
        sqlite3_rollback_hook(sqliteConnection, nil, nil)
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

/// Stops SQLite when the run is stopped, or when something takes longer than it may. Used on the queue of its connection.
final class SQLiteWatch: @unchecked Sendable {
    private let room: any StoreRoom
    /// How many steps may still be taken; nil for any number.
    var allowance: Int?

    private static let interval = 4096

    init(_ room: any StoreRoom) { self.room = room }

    func install(on connection: OpaquePointer?) {
        sqlite3_progress_handler(
            connection,
            Int32(SQLiteWatch.interval),
            { watch in Unmanaged<SQLiteWatch>.fromOpaque(watch!).takeUnretainedValue().mustStop ? 1 : 0 },
            Unmanaged.passUnretained(self).toOpaque()
        )
    }

    private var mustStop: Bool {
        if let left = allowance {
            allowance = left - SQLiteWatch.interval
            if left <= 0 { return true }
        }
        return room.isCancelled
    }
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

    static func install(on connection: OpaquePointer?) {
        sqlite3_set_authorizer(
            connection,
            { _, action, first, second, _, _ in
                SQLiteAuthoriser.permits(action, first, second) ? SQLITE_OK : SQLITE_DENY
            },
            nil
        )
    }

    private static func permits(
        _ action: Int32,
        _ first: UnsafePointer<CChar>?,
        _ second: UnsafePointer<CChar>?
    ) -> Bool {
        switch action {
        case SQLITE_SELECT, SQLITE_READ, SQLITE_RECURSIVE, SQLITE_TRANSACTION: true
        case SQLITE_FUNCTION: second.map { !refused.contains(String(cString: $0).lowercased()) } ?? true
        // Opening a virtual table asks for this; nothing comes of it in a database that is only read.
        case SQLITE_UPDATE: first.map { String(cString: $0) == "sqlite_master" } ?? false
        case SQLITE_PRAGMA: first.map { pragmas.contains(String(cString: $0).lowercased()) } ?? false
        default: false
        }
    }
}

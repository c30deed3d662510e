import CSQLite
import DaybookBytes
import Foundation

/// A database open for reading: one connection inside one transaction, so that all reads see one snapshot.
///
/// The store never writes files beside the database. SQLite reads a database without a log as it is, under a shared
/// lock. It would open a database with a write-ahead log only by making files beside it. If the log is empty, such a
/// database is opened as an immutable file; otherwise the store reads a copy of the database and its log.
package final class SQLiteStore: @unchecked Sendable {
    /// The companion files of a database: its write-ahead log, and the rollback journal of an interrupted transaction.
    package static let companions = [log, journal]
    private static let log = "-wal"
    private static let journal = "-journal"

    /// The longest value to read, in bytes. All values in flight have to fit into memory.
    static let longestValue = 64 << 20
    /// SQLite's total memory limit, in bytes.
    private static let heap = 1 << 30

    package let file: StoreFile
    /// Warnings about the log.
    package let warnings: [Finding.Kind]
    private let database: SQLiteDatabase
    private let lock = NSLock()

    package static func open(_ file: StoreFile) throws(DaybookError) -> SQLiteStore {
        try SQLiteFault.check(file)
        let hasLog = (file.companions[log] ?? 0) > 0
        let isUndone = (file.companions[journal] ?? 0) == 0
        let keepsLog = file.companions[log] != nil || file.keepsLog
        guard !hasLog, isUndone, !file.isPacked else {
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
            // The first read begins the transaction.
            try database.execute("BEGIN; SELECT count(*) FROM sqlite_schema")
        } catch {
            throw SQLiteFault.error(error, of: file)
        }
    }

    /// A database is untrusted like any other file: its views and indexes may hold programs.
    private func prepare(isCopy: Bool) throws(SQLiteError) {
        database.limit(SQLITE_LIMIT_LENGTH, to: SQLiteStore.longestValue)
        database.limit(SQLITE_LIMIT_ATTACHED, to: 0)
        database.limit(SQLITE_LIMIT_EXPR_DEPTH, to: 200)
        database.limit(SQLITE_LIMIT_WORKER_THREADS, to: 0)
        // A copy has no other readers, so it needs no shared memory beside it, and no durability.
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
        database.stop { [file] in file.room.isCancelled }
    }

    /// Calls `body` with exclusive use of the connection.
    package func read<Value>(_ body: (SQLiteDatabase) throws -> Value) throws(DaybookError) -> Value {
        do {
            return try lock.withLock { try body(database) }
        } catch {
            throw SQLiteFault.error(error, of: file)
        }
    }

    /// Calls `body` with at most `steps` SQLite steps, for a look-up that should be short.
    package func look<Value>(steps: Int, _ body: (SQLiteDatabase) throws -> Value) throws(DaybookError) -> Value {
        try read { db in
            database.allowance = steps
            defer { database.allowance = nil }
            return try body(db)
        }
    }
}

extension StoreFile {
    /// Whether the database uses a write-ahead log.
    fileprivate var keepsLog: Bool {
        defer { withExtendedLifetime(head) {} }
        return head.count >= 20 && (head.base[18] == 2 || head.base[19] == 2)
    }

    /// The length of the write-ahead log read with the database, in bytes.
    var logLength: Int { companions["-wal"] ?? 0 }
}

/// Permitted actions of a statement: reading tables, and calling deterministic functions.
enum SQLiteAuthoriser {
    /// Functions whose results a second run would not reproduce, or that reach outside.
    static let refused: Set<String> = [
        "random", "randomblob", "load_extension", "fts3_tokenizer", "sqlite_log", "changes", "total_changes",
        "last_insert_rowid", "current_date", "current_time", "current_timestamp",
    ]
    /// Pragmas that only read; virtual tables use them too.
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
        // Opening a virtual table requests this; it has no effect in a read-only database.
        case SQLITE_UPDATE: first == "sqlite_master"
        case SQLITE_PRAGMA: first.map { pragmas.contains($0.lowercased()) } ?? false
        default: false
        }
    }
}

/// Checks a write-ahead log for data that SQLite would silently skip.
///
/// A log is a header of 32 bytes and frames of 24 bytes and a page each. A frame counts if it has the header's salts
/// and the right running checksum, and only up to the last frame that ends a transaction
/// (https://www.sqlite.org/fileformat2.html#walformat). SQLite ignores all later frames, so half a copy of a log would
/// be read as if it were whole:
/// - a log that ends inside its header or inside a frame was certainly truncated, and is refused;
/// - frames of the present log behind its last transaction belong to a transaction that was unfinished at the time of
///   the copy, was rolled back, or is missing its end. SQLite itself leaves such frames behind, so they only cause a
///   warning;
/// - frames with other salts are left over from before the log was restarted, and mean nothing.
struct SQLiteLog {
    private static let headerSize = 32
    private static let frameHeaderSize = 24

    private let name: String
    private let handle: FileHandle
    private let room: any StoreContext

    /// Refuses a truncated log or a file that is no log, and returns the warnings.
    static func check(_ path: String, of file: StoreFile) throws(DaybookError) -> [Finding.Kind] {
        let name = file.source.path + "-wal"
        guard let handle = FileHandle(forReadingAtPath: path) else {
            throw .machine("cannot-read-database", "cannot read '\(name)'")
        }
        defer { try? handle.close() }
        do {
            let rest = try SQLiteLog(name: name, handle: handle, room: file.room).pagesBehindLastTransaction()
            return rest == 0 ? [] : [.unfinishedTransaction(name, pages: rest)]
        } catch let error as DaybookError {
            throw error
        } catch {
            throw .machine("cannot-read-database", "cannot read '\(name)': \(error.localizedDescription)")
        }
    }

    private func pagesBehindLastTransaction() throws -> Int {
        let size = Int(try handle.seekToEnd())
        try handle.seek(toOffset: 0)
        let header = [UInt8](try handle.read(upToCount: SQLiteLog.headerSize) ?? Data())
        guard header.count == SQLiteLog.headerSize else { throw damaged("is cut off: it ends inside its header") }
        let magic = SQLiteLog.number(header, 0)
        let pageSize = Int(SQLiteLog.number(header, 8))
        var sum = LogChecksum(isBigEndian: magic & 1 == 1)
        sum.add(header.span.bytes.extracting(first: 24))
        guard magic & ~1 == 0x377f_0682, (512...65536).contains(pageSize), pageSize & (pageSize - 1) == 0,
            sum.isStored(in: header, at: 24)
        else { throw damaged("is no write-ahead log, or its beginning is damaged") }
        let frameSize = SQLiteLog.frameHeaderSize + pageSize
        guard (size - SQLiteLog.headerSize) % frameSize == 0 else { throw damaged("is cut off: it ends inside a page") }
        return try count(frames: (size - SQLiteLog.headerSize) / frameSize, of: frameSize, header[16..<24], sum)
    }

    /// The number of frames of the present log behind the last end of a transaction.
    private func count(frames: Int, of size: Int, _ salts: ArraySlice<UInt8>, _ start: LogChecksum) throws -> Int {
        var sum = start
        var isWhole = true
        var rest = 0
        for _ in 0..<frames {
            if room.isCancelled { throw DaybookError.interrupted }
            let frame = [UInt8](try handle.read(upToCount: size) ?? Data())
            // Leftovers of an earlier log; no frame of the present one can follow them.
            guard frame.count == size, frame[8..<16] == salts else { break }
            if isWhole {
                sum.add(frame.span.bytes.extracting(first: 8))
                sum.add(frame.span.bytes.extracting(droppingFirst: SQLiteLog.frameHeaderSize))
                isWhole = sum.isStored(in: frame, at: 16)
            }
            // Only the frame that ends a transaction contains the database size.
            rest = isWhole && SQLiteLog.number(frame, 4) != 0 ? 0 : rest + 1
        }
        return rest
    }

    private func damaged(_ reason: String) -> DaybookError {
        let hint =
            "copy the database and its log again, when the app is closed; if there is no better copy, "
            + "'sqlite3 FILE \"PRAGMA wal_checkpoint(TRUNCATE)\"' takes into the database what is whole of the log"
        return .machine("damaged-database", "'\(name)' \(reason)", hint: hint)
    }

    fileprivate static func number(_ bytes: [UInt8], _ place: Int) -> UInt32 {
        bytes[place..<place + 4].reduce(0) { $0 << 8 | UInt32($1) }
    }
}

/// The running checksum of a write-ahead log.
private struct LogChecksum {
    let isBigEndian: Bool
    private var first: UInt32 = 0
    private var second: UInt32 = 0

    init(isBigEndian: Bool) { self.isBigEndian = isBigEndian }

    /// Adds bytes; their count is a multiple of 8.
    mutating func add(_ bytes: RawSpan) {
        for place in stride(from: 0, to: bytes.byteCount, by: 8) {
            let one = bytes.unsafeLoadUnaligned(fromByteOffset: place, as: UInt32.self)
            let other = bytes.unsafeLoadUnaligned(fromByteOffset: place + 4, as: UInt32.self)
            first &+= (isBigEndian ? UInt32(bigEndian: one) : UInt32(littleEndian: one)) &+ second
            second &+= (isBigEndian ? UInt32(bigEndian: other) : UInt32(littleEndian: other)) &+ first
        }
    }

    func isStored(in bytes: [UInt8], at place: Int) -> Bool {
        SQLiteLog.number(bytes, place) == first && SQLiteLog.number(bytes, place + 4) == second
    }
}

extension Finding.Kind {
    fileprivate static func unfinishedTransaction(_ log: String, pages: Int) -> Finding.Kind {
        let message =
            "\(pages == 1 ? "a page" : "\(pages) pages") at the end of '\(log)' "
            + "\(pages == 1 ? "is" : "are") not read, for no whole transaction holds "
            + "\(pages == 1 ? "it" : "them"); if the app was open when the store was copied, copy it again"
        return Finding.Kind("unfinished-transaction", message, severity: .warning)
    }
}

/// Words SQLite's errors about an unreadable file.
package enum SQLiteFault {
    /// The code of a look-up that was stopped for time.
    static let takesTooLong: DaybookError.Code = "database-takes-too-long"
    private static let magic = Array("SQLite format 3\0".utf8)

    /// Refuses a file that is no database at all, before SQLite opens it.
    package static func check(_ file: StoreFile) throws(DaybookError) {
        let head = file.head.array
        let name = file.source.path
        if head.starts(with: magic) {
            guard let missing = missingBytes(of: file, head) else { return }
            let message = "'\(name)' is damaged: its last \(missing) bytes are missing"
            throw .machine("damaged-database", message, hint: "copy it again, when its app is closed")
        }
        if head.isEmpty {
            let hint = "an app that never saved anything leaves such a file; a copy that failed does, too"
            throw .machine("not-a-database", "'\(name)' is empty", hint: hint)
        }
        if head.starts(with: [0x1f, 0x8b]) || head.starts(with: [0x28, 0xb5, 0x2f, 0xfd]) {
            let message = "'\(name)' is compressed"
            throw .machine("not-a-database", message, hint: "unpack it; a database is read here and there")
        }
        if let log = log(named: name, head) { throw log }
        throw notADatabase(file)
    }

    /// The error for a file that is the log of a database; nil for any other file.
    package static func log(named name: String, _ head: [UInt8], blame: DaybookError.Blame = .machine) -> DaybookError?
    {
        guard head.starts(with: [0x37, 0x7f, 0x06, 0x82]) || head.starts(with: [0x37, 0x7f, 0x06, 0x83]) else {
            return nil
        }
        let database = name.hasSuffix("-wal") ? "'\(name.dropLast(4))'" : nil
        let message = "'\(name)' is the write-ahead log of \(database ?? "an SQLite database")"
        let hint = "name \(database ?? "the database that it stood beside"); its log is read with it"
        return DaybookError("log-of-a-database", message, hint: hint, blame: blame)
    }

    /// The number of bytes missing at the end of a truncated database; SQLite reads the missing part of a page as
    /// zeros.
    private static func missingBytes(of file: StoreFile, _ head: [UInt8]) -> Int? {
        // A log or journal that is not yet replayed leaves the database's length unknown.
        guard head.count >= 100, file.companions.allSatisfy({ $0.value == 0 }) else { return nil }
        func number(_ place: Int) -> Int { head[place..<place + 4].reduce(0) { $0 << 8 | Int($1) } }
        let stored = Int(head[16]) << 8 | Int(head[17])
        let pageSize = stored == 1 ? 65536 : stored
        // The page count is valid if it was written together with the change counter.
        guard number(24) == number(92) else { return nil }
        let missing = number(28) * pageSize - file.size
        return missing > 0 ? missing : nil
    }

    private static func notADatabase(_ file: StoreFile) -> DaybookError {
        let message = "'\(file.source.path)' is not an SQLite database, or it is encrypted"
        let hint =
            "an SQLite database begins with the words 'SQLite format 3'; take an encrypted one out of its app first"
        return .machine("not-a-database", message, hint: hint)
    }

    package static func error(_ error: any Error, of file: StoreFile) -> DaybookError {
        if let error = error as? DaybookError { return error }
        let name = file.source.path
        guard let error = error as? SQLiteError else {
            return .machine("cannot-read-database", "cannot read '\(name)': \(error)")
        }
        switch error.code {
        case SQLITE_NOTADB: return notADatabase(file)
        case SQLITE_CORRUPT, SQLITE_FORMAT, SQLITE_MISMATCH:
            let hint = "copy it again; if that does not help, 'sqlite3 FILE .recover' saves what can be saved"
            return .machine("damaged-database", "'\(name)' is damaged: \(error.message)", hint: hint)
        case SQLITE_INTERRUPT:
            if file.room.isCancelled { return .interrupted }
            let message = "'\(name)' holds something that takes too long to look at"
            let hint = "a view may never end; declare the kinds of all columns in 'columns' to leave out the look"
            return .machine("database-takes-too-long", message, hint: hint)
        case SQLITE_TOOBIG, SQLITE_NOMEM:
            let message =
                "'\(name)' holds a value or a row that is too large: more than \(SQLiteStore.longestValue >> 20) MiB"
            let hint = "leave its column out with 'query', or take it out of the database by other means"
            return .machine("value-too-large", message, hint: hint)
        case SQLITE_BUSY, SQLITE_LOCKED:
            let hint = "run again when nothing writes to it any more, or read a copy"
            return .machine("database-is-busy", "'\(name)' is being written to", hint: hint)
        default: return .machine("cannot-read-database", "cannot read '\(name)': \(error.message)")
        }
    }

    /// Whether SQLite refuses the query in the job, rather than the file.
    package static func isAboutQuery(_ error: SQLiteError) -> Bool {
        error.code == SQLITE_ERROR || error.code == SQLITE_AUTH || error.code == SQLITE_MISUSE
    }
}

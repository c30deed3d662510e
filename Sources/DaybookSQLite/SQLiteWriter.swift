import CSQLite
import DaybookBytes
import DaybookDates
import Foundation

/// Inserts rows into one table of a database that is built at a scratch path, from the old one if it exists, and copied to
/// the output when it is complete. Used by one thread at a time.
public final class SQLiteWriter: SinkWriter, @unchecked Sendable {
    public private(set) var writtenRows = 0
    /// Nil until the rows are in, and for tables that keep no groups apart.
    public private(set) var groups: SinkGroups?

    private let build: SQLiteBuild
    private let target: SQLiteTarget
    private let days: [CalendarDay]
    private let dayColumn: ColumnName?
    private let isRepeated: Bool
    private var statement: SQLiteStatement?
    /// The rows of a table with triggers before the first row of the run; nil for other tables.
    private let rowsBefore: Int?

    init(_ options: ExportSqlite, _ context: SinkContext) throws(DaybookError) {
        let target = SQLiteTarget(options: options, schema: context.schema, isCancelled: context.isCancelled)
        self.target = target
        (days, dayColumn, isRepeated) = (context.days, context.dayColumn, context.isRepeated)
        do throws(DaybookError) {
            let shared = (context.shared as? SQLiteWriter)?.build
            let build =
                if let shared { shared } else { try SQLiteBuild(target, context) }
            self.build = build
            rowsBefore = try target.wording {
                try build.begin(target)
                let rows = try target.rowsIfTriggered(build.database)
                if rows != nil { build.database.countInsertedRows() }
                return rows
            }
        } catch { throw error.code == "scratch-failed" ? error : error.located(at: options.output.place) }
    }

    public func begin(_ out: any ByteOutput) throws(DaybookError) {}

    public func append(_ piece: Batch, input: Int, to out: any ByteOutput) throws(DaybookError) {
        guard piece.count > 0 else { return }
        let first = writtenRows
        do {
            let statement = try self.statement ?? SQLiteStatement(build.database, target.insertion)
            self.statement = statement
            let isBLOB = piece.schema.names.map { target.options.blobs.contains(ColumnName($0)) }
            defer { build.database.allowance = nil }
            let failure = piece.withCellPointers { columns in insert(columns, isBLOB, piece.count, statement) }
            if target.isCancelled() { throw DaybookError.interrupted }
            if let failure { throw failure }
        } catch {
            var error = target.error(error, row: writtenRows + 1)
            if case .gathered(let origins) = piece.provenance.keeping([Int32(writtenRows - first)]).gathered() {
                error.origin = origins.first
            }
            throw error
        }
    }

    /// Inserts the rows one by one; returns the error, if any.
    private func insert(
        _ columns: UnsafeBufferPointer<CellPointers>,
        _ isBLOB: [Bool],
        _ count: Int,
        _ statement: SQLiteStatement
    ) -> (any Error)? {
        let size = ISOText.maximumLength
        // Dates are made in here and bound without a copy, so they stay until the row is in.
        return withUnsafeTemporaryAllocation(of: UInt8.self, capacity: size * columns.count) { made in
            let binding = SQLiteBinding(statement: statement, dates: target.options.dates)
            for row in 0..<count {
                do throws(SQLiteError) {
                    for index in 0..<columns.count {
                        let text = made.baseAddress.unsafelyUnwrapped + index * size
                        try binding.bind(columns[index], row, at: index + 1, isBLOB: isBLOB[index], text)
                    }
                    build.database.allowance = SQLiteBuild.stepsOfRow
                    _ = try statement.step()
                } catch { return error }
                guard statement.changedRows == 1 else { return refusedByTrigger }
                statement.reset()
                writtenRows += 1
            }
            return nil
        }
    }

    private var refusedByTrigger: DaybookError {
        let message = "a trigger of table '\(target.options.table)' keeps row \(writtenRows + 1) out of it"
        let hint = "mend the row before this stage, or take the trigger out of the database first"
        return DaybookError.data("row-not-taken", message, at: target.options.tablePlace, hint: hint)
    }

    public func finish(_ run: RunSummary, _ out: any ByteOutput) throws(DaybookError) {
        statement = nil
        var least = rowsBefore
        try target.wording {
            if target.options.groups.isEmpty {
                // An upsert may update rows, so those that came are counted as they come.
                let came = build.database.insertedRows[target.options.table.lowercased()] ?? 0
                least = rowsBefore.map { $0 + (target.options.keys.isEmpty ? writtenRows : came) }
            } else {
                (groups, least) = try target.replaceGroups(build.database, days, in: dayColumn, tellsOld: isRepeated)
            }
        }
        try build.finish(target, rows: least, out)
    }
}

extension SQLiteTarget {
    /// Calls `body`, and words the error of SQLite that it throws.
    fileprivate func wording<Result>(_ body: () throws -> Result) throws(DaybookError) -> Result {
        do { return try body() } catch { throw self.error(error, row: nil) }
    }

    fileprivate func error(_ error: any Error, row: Int?) -> DaybookError {
        if let error = error as? DaybookError { return error }
        let name = options.output.text
        let reason = (error as? SQLiteError)?.message ?? "\(error)"
        switch (error as? SQLiteError)?.code {
        case SQLITE_CONSTRAINT:
            let which = row.map { "row \($0)" } ?? "a row"
            let message = "\(which) may not go into table '\(options.table)' of '\(name)': \(reason)"
            let hint = "the table demands it; find out which of the rows is right, and mend the others where they stand"
            return DaybookError.data("constraint-failed", message, at: options.tablePlace, hint: hint)
        case SQLITE_INTERRUPT:
            if isCancelled() { return .interrupted }
            let message = "a trigger of table '\(options.table)' takes too long\(row.map { " with row \($0)" } ?? "")"
            let hint = "take the trigger out of the database first"
            return DaybookError.data("row-not-taken", message, at: options.tablePlace, hint: hint)
        case SQLITE_NOTADB, SQLITE_CORRUPT:
            return .machine("damaged-database", "'\(name)' is damaged or encrypted: \(reason)")
        case SQLITE_TOOBIG:
            let message = "row \(row ?? 0) holds a value that is too large for SQLite: more than 1,000,000,000 bytes"
            return DaybookError.data("value-too-large", message, hint: "leave its column out with select_columns")
        case SQLITE_FULL:
            return .machine("scratch-failed", "there is no room to build '\(name)': \(reason)")
        default: return .machine("cannot-write-database", "cannot write '\(name)': \(reason)")
        }
    }
}

/// A database built in one transaction, for one or several tables. Used by one thread at a time.
final class SQLiteBuild: @unchecked Sendable {
    let database: SQLiteDatabase
    private let path: String
    /// Whether the old database used a write-ahead log, so that the new one has to.
    private let keepsLog: Bool
    /// The number of tables that still receive rows.
    private var openTables = 0
    /// The tables that are written, and how many rows each must hold at the end; nil for any number.
    private var written: [(target: SQLiteTarget, rows: Int?)] = []

    /// The most steps of SQLite's machine for one row and its triggers, which is half a minute or so.
    static let stepsOfRow = 1_000_000_000

    init(_ target: SQLiteTarget, _ context: SinkContext) throws(DaybookError) {
        let path = try context.scratchPath()
        self.path = path
        keepsLog =
            try context.base.map { base throws(DaybookError) in
                try SQLiteBuild.copy(base, to: path, name: target.options.output.text)
            } ?? false
        database = try target.wording {
            let database = try SQLiteDatabase(path, .readWrite)
            database.limit(SQLITE_LIMIT_ATTACHED, to: 0)
            database.stop(when: context.isCancelled)
            // No other process sees the file before it is complete, and it is flushed with the other outputs.
            try database.execute(
                """
                PRAGMA hard_heap_limit = \(1 << 30);
                PRAGMA trusted_schema = OFF;
                PRAGMA cell_size_check = ON;
                PRAGMA locking_mode = EXCLUSIVE;
                PRAGMA synchronous = OFF;
                PRAGMA journal_mode = DELETE;
                PRAGMA journal_mode = OFF;
                BEGIN IMMEDIATE
                """
            )
            return database
        }
    }

    func begin(_ target: SQLiteTarget) throws {
        openTables += 1
        try target.prepare(database)
    }

    /// Ends the rows of one table. After the last table, the database is complete and goes to the output.
    func finish(_ target: SQLiteTarget, rows: Int?, _ out: any ByteOutput) throws(DaybookError) {
        openTables -= 1
        written.append((target, rows))
        guard openTables == 0 else { return }
        // Also a trigger of another table may have taken rows out.
        for (target, rows) in written { try target.wording { try target.checkRows(database, atLeast: rows) } }
        try target.wording { try database.execute("COMMIT") }
        guard let file = FileHandle(forReadingAtPath: path) else {
            throw .machine("scratch-failed", "the database that was built is gone")
        }
        defer { try? file.close() }
        var isFirst = true
        while true {
            let part: Data
            do { part = try file.read(upToCount: 1 << 20) ?? Data() } catch {
                let message = "cannot read the database that was built: \(error.localizedDescription)"
                throw .machine("scratch-failed", message)
            }
            guard !part.isEmpty else { return }
            let bytes = Bytes(capacity: part.count)
            part.withUnsafeBytes { bytes.append($0.bindMemory(to: UInt8.self)) }
            if isFirst, keepsLog, bytes.count >= 20 {
                bytes.mutableBase[18] = 2
                bytes.mutableBase[19] = 2
            }
            isFirst = false
            try out.write(bytes)
        }
    }

    /// Copies the old database, and returns whether it uses a write-ahead log.
    private static func copy(_ base: BaseFile, to path: String, name: String) throws(DaybookError) -> Bool {
        let place = FilePath.canonical(base.path)
        // An app with a write-ahead log has these two files beside its database while it is open, even if they are
        // empty.
        let companions = [
            ("-wal", "a write-ahead log", 0), ("-shm", "the index of a write-ahead log", 0),
            ("-journal", "the journal of a transaction", 1),
        ]
        for (ending, what, least) in companions {
            guard let found = try? FileStatus.of(place + ending), found.size >= least else { continue }
            let message = "'\(name)' has \(what) beside it: an app has it open, or was stopped while it had"
            let hint =
                ending == "-journal"
                ? "close the app; the next program that opens the database for writing takes the transaction back"
                : "close the app; 'sqlite3 FILE \"PRAGMA wal_checkpoint(TRUNCATE)\"' takes the log into the database"
            throw .machine("database-in-use", message, hint: hint)
        }
        let head: ArraySlice<UInt8>
        let file: Descriptor
        do throws(SystemFailure) {
            file = try Descriptor(opening: place, O_RDONLY | O_NONBLOCK)
            head = file.bytes(count: 20)
        } catch { throw .cannotRead(name, error) }
        guard !isLockedForWriting(file.number) else {
            let hint = "run again when it has ended its transaction"
            throw .machine("database-in-use", "another program is writing to '\(name)'", hint: hint)
        }
        do throws(SystemFailure) {
            let copy = try Descriptor(opening: path, O_WRONLY | O_CREAT | O_EXCL, mode: 0o600)
            let block = Bytes(capacity: 1 << 20)
            while try file.readBlock(into: block) { try copy.writeAll(block) }
        } catch {
            guard error.number == ENOSPC || error.number == EDQUOT else { throw .cannotRead(name, error) }
            let message = "there is no room in the state directory for the copy of '\(name)' to which rows are added"
            let hint = "free some space, or name a directory on another disk with --state DIR"
            throw .machine("scratch-failed", message, hint: hint)
        }
        guard !head.isEmpty else { return false }
        guard head.starts(with: Array("SQLite format 3\0".utf8)) else {
            let message = "'\(name)' is there already and is no SQLite database"
            let hint = "write to another path, or move the file away"
            throw .machine("not-a-database", message, hint: hint)
        }
        return head.count == 20 && (head[18] == 2 || head[19] == 2)
    }

    /// Whether another process holds one of SQLite's write locks. They lie on two bytes of the file that are never used
    /// (sqlite.org/lockingv3.html).
    private static func isLockedForWriting(_ descriptor: Int32) -> Bool {
        var lock = flock()
        lock.l_type = Int16(F_RDLCK)
        lock.l_whence = Int16(SEEK_SET)
        lock.l_start = 0x4000_0000
        lock.l_len = 2
        return fcntl(descriptor, F_GETLK, &lock) == 0 && lock.l_type != Int16(F_UNLCK)
    }
}

/// Binds the values of rows to a statement. Text is not copied, so it has to last until the statement was stepped.
struct SQLiteBinding {
    let statement: SQLiteStatement
    let dates: CodableDates
    /// A buffer for the bytes of a BLOB, which SQLite copies.
    private let decoded = Bytes()

    /// Binds one value. `made` is a buffer for a date, which has to last as well.
    @inline(__always)
    func bind(
        _ column: CellPointers,
        _ row: Int,
        at place: Int,
        isBLOB: Bool,
        _ made: UnsafeMutablePointer<UInt8>
    ) throws(SQLiteError) {
        guard !column.isMissing(row) else { return try statement.bindNull(at: place) }
        switch column.kind {
        case .text where isBLOB: try bind(base64: column.cell(row), at: place)
        case .text, .json: try statement.bind(uncopied: column.cell(row), at: place)
        case .integer: try statement.bind(column.integer(row), at: place)
        case .decimal: try statement.bind(column.decimal(row), at: place)
        case .flag: try statement.bind(column.flag(row) ? 1 : 0 as Int64, at: place)
        case .day: try bind(made, ISOText.write(day: column.day(row), to: made), at: place)
        case .instant: try bind(instant: column.integer(row), at: place, made)
        }
    }

    private func bind(_ made: UnsafeMutablePointer<UInt8>, _ count: Int, at place: Int) throws(SQLiteError) {
        try statement.bind(uncopied: Cell(start: made, count: count), at: place)
    }

    private func bind(instant: Int64, at place: Int, _ made: UnsafeMutablePointer<UInt8>) throws(SQLiteError) {
        guard dates != .iso else { return try bind(made, ISOText.write(instant: instant, to: made), at: place) }
        guard let number = SQLiteDates.number(instant, dates) else {
            preconditionFailure("an instant is written that was not rejected and has no number")
        }
        if dates == .epochMillis { return try statement.bind(Int64(number), at: place) }
        try statement.bind(number, at: place)
    }

    private func bind(base64 cell: Cell, at place: Int) throws(SQLiteError) {
        decoded.removeAll()
        _ = Base64.decode(cell, into: decoded)
        try statement.bind(blob: Cell(start: decoded.base, count: decoded.count), at: place)
        withExtendedLifetime(decoded) {}
    }
}

import CSQLite
import DaybookBytes

/// Words SQLite's errors about an unreadable file.
package enum SQLiteFault {
    /// The code of a look-up that was stopped for time.
    static let takesTooLong: DaybookError.Code = "database-takes-too-long"
    private static let magic = Array("SQLite format 3\0".utf8)

    /// Refuses a file that is no database at all, before SQLite opens it.
    package static func check(_ file: StoreFile) throws(DaybookError) {
        let head = file.head.array
        let name = file.source.path
        guard !head.starts(with: magic) else {
            if let missing = missingBytes(of: file, head) {
                let message = "'\(name)' is damaged: its last \(missing) bytes are missing"
                throw .machine("damaged-database", message, hint: "copy it again, when its app is closed")
            }
            return
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
        let ending = "-wal"
        guard head.starts(with: [0x37, 0x7f, 0x06, 0x82]) || head.starts(with: [0x37, 0x7f, 0x06, 0x83]) else {
            return nil
        }
        let database = name.hasSuffix(ending) ? String(name.dropLast(ending.count)) : nil
        let message = "'\(name)' is the write-ahead log of \(database.map { "'\($0)'" } ?? "an SQLite database")"
        let hint = "name \(database.map { "'\($0)'" } ?? "the database that it stood beside"); its log is read with it"
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

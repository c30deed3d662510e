import DaybookCore
import Foundation
import GRDB

/// Words what SQLite says about a file that it cannot read.
enum SQLiteFault {
    private static let magic = Array("SQLite format 3\0".utf8)

    /// Refuses a file that is no database at all, before SQLite looks at it.
    static func check(_ file: StoreFile) throws(DaybookError) {
        let head = file.head.array
        guard !head.starts(with: magic) else { return }
        let name = file.source.path
        if head.isEmpty {
            throw .machine(
                "not-a-database",
                "'\(name)' is empty",
                hint: "an app that never saved anything leaves such a file; a copy that failed does, too"
            )
        }
        if head.starts(with: [0x1f, 0x8b]) || head.starts(with: [0x28, 0xb5, 0x2f, 0xfd]) {
            throw .machine(
                "not-a-database",
                "'\(name)' is compressed",
                hint: "unpack it; a database is read here and there"
            )
        }
        throw notADatabase(file)
    }

    private static func notADatabase(_ file: StoreFile) -> DaybookError {
        .machine(
            "not-a-database",
            "'\(file.source.path)' is not an SQLite database, or it is encrypted",
            hint:
                "an SQLite database begins with the words 'SQLite format 3'; take an encrypted one out of its app first"
        )
    }

    static func error(_ error: any Error, of file: StoreFile) -> DaybookError {
        if let error = error as? DaybookError { return error }
        let name = file.source.path
        guard let error = error as? DatabaseError else {
            return .machine("cannot-read-database", "cannot read '\(name)': \(error)")
        }
        let reason = error.message ?? "SQLite tells no reason"
        switch error.resultCode {
        case .SQLITE_NOTADB: return notADatabase(file)
        case .SQLITE_CORRUPT, .SQLITE_FORMAT, .SQLITE_MISMATCH:
            return .machine(
                "damaged-database",
                "'\(name)' is damaged: \(reason)",
                hint: "copy it again; if that does not help, 'sqlite3 FILE .recover' saves what can be saved"
            )
        case .SQLITE_INTERRUPT:
            if file.room.isCancelled { return .interrupted }
            return .machine(
                "database-takes-too-long",
                "'\(name)' holds something that takes too long to look at",
                hint: "a view may never end; declare the kinds of all columns in 'columns' to leave out the look"
            )
        case .SQLITE_TOOBIG, .SQLITE_NOMEM:
            return .machine(
                "value-too-large",
                "'\(name)' holds a value or a row that is too large: more than \(SQLiteStore.longestValue >> 20) MiB",
                hint: "leave its column out with 'query', or take it out of the database by other means"
            )
        case .SQLITE_BUSY, .SQLITE_LOCKED:
            return .machine(
                "database-is-busy",
                "'\(name)' is being written to",
                hint: "run again when nothing writes to it any more, or read a copy"
            )
        default: return .machine("cannot-read-database", "cannot read '\(name)': \(reason)")
        }
    }

    /// Whether SQLite refuses what a person wrote, rather than the file.
    static func isAboutQuery(_ error: any Error) -> Bool {
        guard let code = (error as? DatabaseError)?.resultCode else { return false }
        return code == .SQLITE_ERROR || code == .SQLITE_AUTH || code == .SQLITE_MISUSE
    }
}

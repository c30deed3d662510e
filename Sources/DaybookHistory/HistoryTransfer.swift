import CSQLite
import DaybookBytes
import DaybookEngine
import Foundation

/// The state of a state directory in one file, as for the cache of a CI service: the history as an SQLite database, with the other
/// files that a next run needs in a table of it.
public struct HistoryTransfer {
    private let state: StateDirectory
    private let file: String

    /// Directories whose files go along: what incremental jobs have read, manifests, backfills, and runs that wait for the history.
    private static let directories = ["taken", "manifests", "backfills", "entries"]
    private static let files = "CREATE TABLE state_files (path TEXT PRIMARY KEY, content BLOB NOT NULL)"

    public init(_ state: StateDirectory, file: String) { (self.state, self.file) = (state, file) }

    // MARK: - Export

    /// Writes the file as of one moment, and returns how many runs it has; nil if there is no history.
    public func export() throws(DaybookError) -> Int? {
        guard !state.holds(file) else {
            let hint = "write to another directory"
            throw DaybookError("export-in-state", "'\(file)' lies in the state directory", hint: hint)
        }
        try refuseOther()
        try HistoryKeeper.takeEntries(of: state)
        guard let history = try HistoryFile.openToRead(in: state) else { return nil }
        let temporary = "\(file).new-\(getpid())"
        unlink(temporary.systemPath)
        do throws(DaybookError) {
            // Markers are left behind the history, in the same commit.
            try state.whileLocked { () throws(DaybookError) in
                try history.copy(to: temporary, shown: file)
                try write(try stateFiles(), into: temporary)
            }
            guard rename(temporary.systemPath, file.systemPath) == 0 else { throw .cannotWrite(file, .last) }
        } catch {
            unlink(temporary.systemPath)
            throw error
        }
        return try history.count(RunChoice())
    }

    /// Refuses to replace what no export has written, such as the job file.
    private func refuseOther() throws(DaybookError) {
        let found: FileStatus?
        do { found = try FileStatus.of(file) } catch { throw .cannotWrite(file, error) }
        // A file that was made to reserve its name has nothing to lose.
        guard let found, !found.isRegularFile || found.size > 0 else { return }
        do throws(DaybookError) {
            if found.isRegularFile {
                _ = try opened()
                return
            }
        } catch { if error.code != "no-export" { throw error } }
        let what = found.isRegularFile ? "no history that 'daybook history export' has written" : "no regular file"
        let hint = "name the file to write; the job goes behind '--job', and the state directory behind '--state'"
        throw DaybookError("not-an-export", "'\(file)' is there, and is \(what)", hint: hint)
    }

    private func write(_ files: [(path: String, content: Bytes)], into path: String) throws(DaybookError) {
        do throws(SQLiteError) {
            let database = try SQLiteDatabase(bytes: path.systemPath, .readWrite)
            try database.transaction { () throws(SQLiteError) in
                try database.execute(HistoryTransfer.files)
                let adding = try SQLiteStatement(database, "INSERT INTO state_files VALUES (?, ?)")
                for file in files {
                    try adding.bind(file.path, at: 1)
                    try adding.bind(blob: file.content.filled, at: 2)
                    while try adding.step() {}
                    adding.reset()
                }
            }
        } catch { throw .machine("cannot-write", "cannot write '\(file)': \(error.message)") }
    }

    private func stateFiles() throws(DaybookError) -> [(path: String, content: Bytes)] {
        var found: [(path: String, content: Bytes)] = []
        func add(_ path: String) throws(DaybookError) {
            let place = FilePath.join(state.path, path)
            for entry in ((try? DirectoryListing.entries(in: place)) ?? []).sorted(by: { $0.name < $1.name }) {
                let path = "\(path)/\(entry.name)"
                if entry.kind == .directory { try add(path) }
                guard entry.kind == .file, HistoryTransfer.isStateFile(path) else { continue }
                do throws(SystemFailure) {
                    guard let content = try WholeFile.read(FilePath.join(state.path, path), limit: WholeFile.noLimit)
                    else { continue }
                    found.append((path, content))
                } catch { throw .cannotRead(FilePath.join(state.path, path), error) }
            }
        }
        for directory in HistoryTransfer.directories { try add(directory) }
        return found
    }

    /// Whether a path of an export names a file of the state: anybody may have made the export.
    static func isStateFile(_ path: String) -> Bool {
        let parts = path.split(separator: "/", omittingEmptySubsequences: false)
        return (2...3).contains(parts.count) && directories.contains(String(parts[0]))
            && parts.allSatisfy { !$0.isEmpty && !$0.hasPrefix(".") && !$0.utf8.contains(0) }
    }

    // MARK: - Import

    /// Puts the file in the place of the state, and returns how many runs it has.
    ///
    /// - Parameter isForced: whether a history with runs that the file does not know may be replaced.
    public func takeOver(isForced: Bool) throws(DaybookError) -> Int {
        let (exported, files) = try opened()
        if !isForced { try refuseLoss(to: exported) }
        try state.create()
        let temporary = "\(HistoryFile.path(in: state)).import-\(getpid())"
        unlink(temporary.systemPath)
        defer { unlink(temporary.systemPath) }
        try exported.copy(to: temporary, shown: temporary)
        let history = try HistoryFile.open(at: temporary)
        try history.attempt { () throws(SQLiteError) in
            try history.database.execute("DROP TABLE state_files; PRAGMA incremental_vacuum")
        }
        try state.whileLocked { () throws(DaybookError) in
            // Other commands that have the history open go on with the new one.
            try history.overwrite(HistoryFile.path(in: state))
            try replace(files)
        }
        return try history.count(RunChoice())
    }

    /// The file as a history, and the other files of the state in it.
    private func opened() throws(DaybookError) -> (HistoryFile, [(path: String, content: [UInt8])]) {
        let status: FileStatus?
        do { status = try FileStatus.of(file) } catch { throw .cannotRead(file, error) }
        guard status?.isRegularFile == true else {
            let hint = "'daybook history export FILE' writes it"
            throw DaybookError("no-export", "there is no file '\(file)'", hint: hint)
        }
        let history: HistoryFile
        do throws(DaybookError) { history = try HistoryFile.connect(file, .readOnly) } catch {
            throw error.code == "damaged-history" ? noExport("it is no database") : error
        }
        do throws(SQLiteError) {
            let strange = "SELECT count(*) FROM sqlite_schema WHERE type NOT IN ('table', 'index')"
            let count = try history.database.rows(strange) { $0.integer(0) }.first ?? 0
            let check = try history.database.rows("PRAGMA quick_check(1)") { $0.text(0) }.first ?? ""
            guard history.found > 0, count == 0, check == "ok" else {
                throw SQLiteError(SQLITE_CORRUPT, check == "ok" ? "it has no tables, or triggers" : check)
            }
            let files = try history.database.rows("SELECT path, content FROM state_files ORDER BY path") { row in
                (path: row.text(0) ?? "", content: Array(row.bytes(1)))
            }
            guard files.allSatisfy({ HistoryTransfer.isStateFile($0.path) }) else {
                throw SQLiteError(SQLITE_CORRUPT, "it names files that are none of the state")
            }
            return (history, files)
        } catch { throw noExport(error.message) }
    }

    private func noExport(_ reason: String) -> DaybookError {
        .machine("no-export", "'\(file)' is no history that 'daybook history export' has written: \(reason)")
    }

    /// Refuses to replace a history whose last run the file does not know.
    private func refuseLoss(to exported: HistoryFile) throws(DaybookError) {
        try HistoryKeeper.takeEntries(of: state)
        guard let history = try HistoryFile.openToRead(in: state),
            let last = try history.runs(RunChoice(last: 1)).first, try exported.names(of: last.run).isEmpty
        else { return }
        throw .machine(
            "loses-runs",
            "the history in '\(state.path)' has runs that '\(file)' does not know, the last of them \(last.run)",
            hint: "'--force' replaces it all the same"
        )
    }

    private func replace(_ files: [(path: String, content: [UInt8])]) throws(DaybookError) {
        for directory in HistoryTransfer.directories {
            try? FileManager.default.removeItem(atPath: FilePath.join(state.path, directory))
        }
        for file in files {
            let place = FilePath.join(state.path, file.path)
            for missing in OutputTarget.missingDirectories(above: place) { try state.makeDirectory(missing) }
            try WholeFile.write(Bytes(file.content), to: place)
        }
    }
}

extension HistoryFile {
    /// Copies the history as it is at this moment into a new file.
    fileprivate func copy(to path: String, shown: String) throws(DaybookError) {
        do throws(SQLiteError) {
            try SQLiteStatement(database, "VACUUM INTO ?").run([path])
        } catch {
            throw .machine("cannot-write", "cannot write '\(shown)': \(error.message.replacing(path, with: shown))")
        }
    }

    /// Puts the content of this history in the place of that of another file, for all who have it open.
    fileprivate func overwrite(_ other: String) throws(DaybookError) {
        do throws(SQLiteError) {
            let target = try SQLiteDatabase(bytes: other.systemPath, .readWrite, busyTimeout: 10_000)
            try target.takeAll(of: database)
        } catch { throw .history(other, error) }
    }
}

import CSQLite
import DaybookBytes
import DaybookEngine

/// The history of all runs of a state directory: `history.sqlite`.
///
/// For one thread. Several commands may use one file: SQLite locks it for as long as one of them writes.
public final class HistoryFile {
    /// The version of the tables, in the header of the file.
    static let version = 16
    /// The oldest version that is still read. Versions before it were never released.
    private static let oldest = 9
    static let name = "history.sqlite"
    /// How many milliseconds a command waits for another one that writes.
    private static let patience: Int32 = 10_000

    let database: SQLiteDatabase
    let path: String

    /// The version of the tables when the file was opened.
    let found: Int

    /// How the paths of jobs are stored.
    let jobPaths: JobPaths

    private init(_ database: SQLiteDatabase, at path: String, found: Int) {
        (self.database, self.path, self.found) = (database, path, found)
        jobPaths = JobPaths(inHistory: path)
    }

    /// Where the history of a state directory is.
    public static func path(in state: StateDirectory) -> String { FilePath.join(state.path, name) }

    /// Opens the history for writing, and makes it where there is none.
    ///
    /// Refuses a file that a newer program has written (`newer-history`), and one that is damaged or no database (`damaged-history`).
    public static func open(in state: StateDirectory) throws(DaybookError) -> HistoryFile {
        try open(at: path(in: state))
    }

    static func open(at path: String) throws(DaybookError) -> HistoryFile {
        let file = try connect(path, .readWrite)
        if file.found < version {
            try file.refuseForeign()
            try file.attempt(file.migrate)
            return HistoryFile(file.database, at: file.path, found: version)
        }
        return file
    }

    /// Opens the history for reading; nil where there is none. Tables of an older version are read as they are.
    public static func openToRead(in state: StateDirectory) throws(DaybookError) -> HistoryFile? {
        let path = path(in: state)
        do { guard try FileStatus.of(path) != nil else { return nil } } catch { throw .cannotRead(path, error) }
        let file = try connect(path, .readOnly)
        guard file.found == 0 else { return file }
        // One that has just been made is empty.
        try file.refuseForeign()
        return nil
    }

    /// Reads all pages of the history; throws `damaged-history` for a damaged page, and `cannot-keep-history` for one that
    /// cannot be read now.
    static func checkPages(in state: StateDirectory) throws(DaybookError) {
        let path = path(in: state)
        let said = try connect(path, .readOnly).rows("PRAGMA quick_check(1)") { $0.text(0) }.first ?? ""
        if said != "ok" { throw .damagedHistory(path, said) }
    }

    /// Opens a file; a new one has version 0.
    static func connect(_ path: String, _ access: SQLiteDatabase.Access) throws(DaybookError) -> HistoryFile {
        // A pipe would keep the command waiting for whoever writes to it.
        if let found = try? FileStatus.of(path), !found.isRegularFile {
            let message = "cannot use the history at '\(path)': it is no regular file"
            throw .machine("cannot-keep-history", message, hint: "move it away, and the next run begins a new one")
        }
        let database: SQLiteDatabase
        let found: Int
        do throws(SQLiteError) {
            database = try SQLiteDatabase(bytes: path.systemPath, access, busyTimeout: patience)
            found = try database.userVersion()
        } catch { throw .history(path, error) }
        guard found <= version else {
            throw .machine(
                "newer-history",
                "the history at '\(path)' was written by a newer Daybook: its tables are of version \(found), "
                    + "and this one knows up to \(version)",
                hint: "use that Daybook, or another state directory with --state DIR"
            )
        }
        guard found == 0 || found >= oldest else {
            throw .machine(
                "older-history",
                "the history at '\(path)' was written before the first release: its tables are of version \(found), "
                    + "and this Daybook knows them from \(oldest)",
                hint: "move it away, and the next run begins a new one; or use another state directory with --state DIR"
            )
        }
        return HistoryFile(database, at: path, found: found)
    }

    /// Throws where there are tables without a version, which another program made: the file is not to be written into.
    private func refuseForeign() throws(DaybookError) {
        // One statement, for another command may be making the tables.
        let sql = "SELECT count(*) FROM sqlite_schema, pragma_user_version WHERE user_version = 0"
        guard try rows(sql, read: { $0.integer(0) }).first ?? 0 == 0 else {
            throw .damagedHistory(path, "it has no version")
        }
    }

    /// Brings the tables of an older or a new file to `version`, one step after the other.
    private func migrate() throws(SQLiteError) {
        // Before the first table: pages of runs that were pruned can go back to the system.
        if found == 0 { try database.execute("PRAGMA auto_vacuum = INCREMENTAL") }
        try database.transaction { () throws(SQLiteError) in
            // Another command may have come first.
            let found = try database.userVersion()
            if found == 0 { try database.execute(HistoryFile.tables) }
            for change in HistoryFile.changes.suffix(found == 0 ? 0 : HistoryFile.version - found) {
                try database.execute(change)
            }
            try database.setUserVersion(Int32(HistoryFile.version))
        }
    }
}

extension DaybookError {
    /// A failure of SQLite.
    static func history(_ path: String, _ error: SQLiteError) -> DaybookError {
        let isDamaged =
            switch error.code {
            case SQLITE_CORRUPT, SQLITE_NOTADB: true
            // A table or a column that has to be there is not, or one is there that must not.
            case SQLITE_ERROR: error.message.contains(/^no such |^table .* (already exists|has )/)
            default: false
            }
        return isDamaged
            ? .damagedHistory(path, error.message)
            : .machine("cannot-keep-history", "cannot use the history at '\(path)': \(error.message)")
    }

    static func damagedHistory(_ path: String, _ reason: String) -> DaybookError {
        .machine(
            "damaged-history",
            "the history at '\(path)' is damaged: \(reason)",
            hint: "the next run puts it aside and begins a new one"
        )
    }
}

extension HistoryFile {
    /// The tables of a new file.
    ///
    /// 'marks' has a row for each column by which a stage of a job knows what is new; 'ledgers' what is the same in the ledgers of many runs:
    /// in JSON, for each stage its `id`, its `type`, whether it `is_source`, and which stages it `reads`.
    static let tables = """
        CREATE TABLE jobs (
            id INTEGER PRIMARY KEY, name TEXT NOT NULL, path TEXT NOT NULL, taken_by TEXT, taken_before TEXT, taken_order INTEGER,
            UNIQUE (name, path)
        );
        CREATE TABLE runs (
            id INTEGER PRIMARY KEY, run TEXT NOT NULL UNIQUE, job INTEGER NOT NULL REFERENCES jobs, digest TEXT,
            version TEXT NOT NULL, as_of TEXT, started INTEGER NOT NULL, seconds REAL NOT NULL, exit_code INTEGER NOT NULL,
            rows_read INTEGER NOT NULL, rejected INTEGER NOT NULL, params TEXT NOT NULL, errors TEXT NOT NULL,
            takes_new INTEGER NOT NULL DEFAULT 0, ledger INTEGER REFERENCES ledgers, is_redo INTEGER NOT NULL DEFAULT 0
        );
        CREATE INDEX runs_by_start ON runs (started);
        CREATE INDEX runs_by_job ON runs (job, started);
        CREATE INDEX runs_by_day ON runs (job, as_of, started);
        CREATE TABLE stages (
            run INTEGER NOT NULL, position INTEGER NOT NULL, rows_in INTEGER NOT NULL, rows_out INTEGER NOT NULL,
            rejected INTEGER NOT NULL, folded INTEGER NOT NULL, made INTEGER NOT NULL, added TEXT, dropped TEXT, skipped TEXT,
            milliseconds REAL NOT NULL, PRIMARY KEY (run, position)
        ) WITHOUT ROWID;
        CREATE TABLE rules (
            run INTEGER NOT NULL, position INTEGER NOT NULL, stage TEXT NOT NULL, rule TEXT NOT NULL, type TEXT NOT NULL,
            rows INTEGER NOT NULL, failing INTEGER NOT NULL, verdict TEXT NOT NULL, message TEXT NOT NULL, measure TEXT, observed REAL,
            PRIMARY KEY (run, position)
        ) WITHOUT ROWID;
        CREATE TABLE findings (
            run INTEGER NOT NULL, position INTEGER NOT NULL, stage TEXT NOT NULL, code TEXT NOT NULL, severity TEXT NOT NULL,
            "column" TEXT, rule TEXT, count INTEGER NOT NULL, PRIMARY KEY (run, position)
        ) WITHOUT ROWID;
        CREATE TABLE files (
            id INTEGER PRIMARY KEY, path TEXT NOT NULL, bytes INTEGER NOT NULL, xxh128 BLOB NOT NULL, sha256 BLOB,
            days TEXT, UNIQUE (path, bytes, xxh128)
        );
        CREATE TABLE run_files (
            run INTEGER NOT NULL, is_output INTEGER NOT NULL, position INTEGER NOT NULL, file INTEGER NOT NULL REFERENCES files,
            day TEXT, PRIMARY KEY (run, is_output, position)
        ) WITHOUT ROWID;
        CREATE TABLE notices (
            run INTEGER NOT NULL, position INTEGER NOT NULL, target TEXT NOT NULL, reason TEXT, PRIMARY KEY (run, position)
        ) WITHOUT ROWID;
        CREATE TABLE taken (
            job INTEGER NOT NULL, file INTEGER NOT NULL, run INTEGER NOT NULL DEFAULT 0, is_copy INTEGER NOT NULL DEFAULT 0,
            PRIMARY KEY (job, file)
        ) WITHOUT ROWID;
        CREATE TABLE measures (
            run INTEGER NOT NULL, position INTEGER NOT NULL, stage TEXT NOT NULL, title TEXT NOT NULL, value REAL, shown TEXT NOT NULL,
            PRIMARY KEY (run, position)
        ) WITHOUT ROWID;
        CREATE TABLE marks (
            job INTEGER NOT NULL, stage TEXT NOT NULL, "column" TEXT NOT NULL, value NOT NULL, started INTEGER NOT NULL,
            rows INTEGER, overlap TEXT, origin TEXT, PRIMARY KEY (job, stage, "column")
        ) WITHOUT ROWID;
        \(dayFigures)
        \(groupFigures)
        CREATE TABLE ledgers (id INTEGER PRIMARY KEY, stages TEXT NOT NULL UNIQUE);
        """

    /// What rules and measures found on the days of the data, by the name of the rule or the title of the measure; for a
    /// measure, 'measure' is missing. Without a 'value', earlier ones of the day count no more.
    private static let dayFigures = """
        CREATE TABLE day_figures (
            run INTEGER NOT NULL, position INTEGER NOT NULL, job INTEGER NOT NULL, stage TEXT NOT NULL, name TEXT NOT NULL,
            measure TEXT, day TEXT NOT NULL, value REAL, PRIMARY KEY (run, position)
        ) WITHOUT ROWID;
        CREATE INDEX day_figures_by_name ON day_figures (job, stage, name, day);
        """

    /// The figures of groups of rows that rules of a run compared with earlier ones.
    private static let groupFigures = """
        CREATE TABLE group_figures (
            run INTEGER NOT NULL, position INTEGER NOT NULL, stage TEXT NOT NULL, rule TEXT NOT NULL, "group" TEXT NOT NULL,
            value REAL NOT NULL, PRIMARY KEY (run, position)
        ) WITHOUT ROWID;
        """

    /// What makes version 10 of version 9, and so on. A column is added at the end, where 'tables' has it too.
    static let changes = [
        "ALTER TABLE marks ADD COLUMN rows INTEGER; ALTER TABLE marks ADD COLUMN overlap TEXT",
        "ALTER TABLE taken ADD COLUMN run INTEGER NOT NULL DEFAULT 0",
        dayFigures,
        """
        ALTER TABLE files ADD COLUMN days TEXT; ALTER TABLE taken ADD COLUMN is_copy INTEGER NOT NULL DEFAULT 0;
        ALTER TABLE run_files ADD COLUMN day TEXT
        """,
        groupFigures,
        "ALTER TABLE marks ADD COLUMN origin TEXT",
        "ALTER TABLE runs ADD COLUMN is_redo INTEGER NOT NULL DEFAULT 0",
    ]
}

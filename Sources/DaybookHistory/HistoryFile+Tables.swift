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
            takes_new INTEGER NOT NULL DEFAULT 0, ledger INTEGER REFERENCES ledgers
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
            UNIQUE (path, bytes, xxh128)
        );
        CREATE TABLE run_files (
            run INTEGER NOT NULL, is_output INTEGER NOT NULL, position INTEGER NOT NULL, file INTEGER NOT NULL REFERENCES files,
            PRIMARY KEY (run, is_output, position)
        ) WITHOUT ROWID;
        CREATE TABLE notices (
            run INTEGER NOT NULL, position INTEGER NOT NULL, target TEXT NOT NULL, reason TEXT, PRIMARY KEY (run, position)
        ) WITHOUT ROWID;
        CREATE TABLE taken (job INTEGER NOT NULL, file INTEGER NOT NULL, PRIMARY KEY (job, file)) WITHOUT ROWID;
        CREATE TABLE measures (
            run INTEGER NOT NULL, position INTEGER NOT NULL, stage TEXT NOT NULL, title TEXT NOT NULL, value REAL, shown TEXT NOT NULL,
            PRIMARY KEY (run, position)
        ) WITHOUT ROWID;
        CREATE TABLE marks (
            job INTEGER NOT NULL, stage TEXT NOT NULL, "column" TEXT NOT NULL, value NOT NULL, started INTEGER NOT NULL,
            rows INTEGER, overlap TEXT, PRIMARY KEY (job, stage, "column")
        ) WITHOUT ROWID;
        CREATE TABLE ledgers (id INTEGER PRIMARY KEY, stages TEXT NOT NULL UNIQUE);
        """

    /// What makes version 10 of version 9, and so on. A column is added at the end, where 'tables' has it too.
    static let changes = ["ALTER TABLE marks ADD COLUMN rows INTEGER; ALTER TABLE marks ADD COLUMN overlap TEXT"]
}

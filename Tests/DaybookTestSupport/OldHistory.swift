import DaybookSQLite
import Foundation

/// Takes a history back to how older programs have kept it.
public enum OldHistory {
    /// What takes the tables of version 10 back to version 9, those of 9 back to 8, and so on.
    private static let steps = [
        "ALTER TABLE marks DROP COLUMN rows; ALTER TABLE marks DROP COLUMN overlap;",
        """
        CREATE TABLE old (
            run INTEGER NOT NULL, position INTEGER NOT NULL, id TEXT NOT NULL, type TEXT NOT NULL, is_source INTEGER NOT NULL,
            rows_in INTEGER NOT NULL, rows_out INTEGER NOT NULL, rejected INTEGER NOT NULL, folded INTEGER NOT NULL,
            made INTEGER NOT NULL, added TEXT, dropped TEXT, skipped TEXT, milliseconds REAL NOT NULL, reads TEXT,
            PRIMARY KEY (run, position)
        ) WITHOUT ROWID;
        INSERT INTO old SELECT stages.run, position, value ->> 'id', value ->> 'type', value ->> 'is_source',
            rows_in, rows_out, stages.rejected, folded, made, added, dropped, skipped, milliseconds, value ->> 'reads'
            FROM stages JOIN runs ON runs.id = stages.run JOIN ledgers ON ledgers.id = ledger
            JOIN json_each(ledgers.stages) ON json_each.key = position;
        DROP TABLE stages;
        ALTER TABLE old RENAME TO stages;
        ALTER TABLE jobs DROP COLUMN taken_by;
        ALTER TABLE jobs DROP COLUMN taken_before;
        ALTER TABLE jobs DROP COLUMN taken_order;
        ALTER TABLE runs DROP COLUMN ledger;
        DROP TABLE ledgers;
        CREATE TABLE old (
            id INTEGER PRIMARY KEY, path TEXT NOT NULL, bytes INTEGER NOT NULL, xxh128 TEXT NOT NULL, sha256 TEXT,
            UNIQUE (path, bytes, xxh128)
        );
        INSERT INTO old SELECT id, path, bytes, lower(hex(xxh128)), lower(hex(sha256)) FROM files;
        DROP TABLE files;
        ALTER TABLE old RENAME TO files;
        """,
        "DROP TABLE marks;",
        // Paths of jobs are set by whom they matter to.
        "",
        "ALTER TABLE stages DROP COLUMN reads;",
        "DROP TABLE measures;",
        "ALTER TABLE runs DROP COLUMN takes_new; DROP TABLE taken;",
        "DROP TABLE notices;",
        "ALTER TABLE rules DROP COLUMN measure; ALTER TABLE rules DROP COLUMN observed; DROP INDEX runs_by_day;",
    ]

    /// The version that a new history has.
    public static let newest = steps.count + 1

    /// - Parameters:
    ///   - path: the file of the history, whose tables are of the newest version.
    ///   - job: the whole path of its one job, where the version keeps whole paths.
    public static func takeBack(_ path: String, to version: Int, job: String) throws {
        let database = try SQLiteDatabase(path, .readWrite)
        try database.execute(steps[..<(newest - version)].joined())
        if version < 7 { try database.execute("UPDATE jobs SET path = '\(job)'") }
        try database.setUserVersion(Int32(version))
        // Before version 9 nothing told that a job has taken something.
        try? FileManager.default.removeItem(atPath: (path as NSString).deletingLastPathComponent + "/taken")
    }
}

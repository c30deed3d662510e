import DaybookSQLite

/// A run as a list of runs shows it.
public struct ListedRun: Sendable {
    public var run: String
    public var job: String
    public var path: String
    public var asOf: String?
    /// Microseconds since 1970-01-01T00:00:00Z.
    public var started: Int64
    public var seconds: Double
    public var exitCode: Int
    public var rowsRead: Int
    public var rejected: Int
}

/// Which runs of the history are meant.
public struct RunChoice: Sendable {
    /// The canonical path of a job file; nil for all jobs.
    public var path: String?
    /// Whether only runs are meant that did not end with 0.
    public var failed = false
    /// How many at most, the latest ones; nil for all.
    public var last: Int?

    public init(path: String? = nil, failed: Bool = false, last: Int? = nil) {
        (self.path, self.failed, self.last) = (path, failed, last)
    }

    fileprivate var condition: String {
        ([path.map { _ in "path = ?1" }, failed ? "exit_code <> 0" : nil].compactMap(\.self) + ["1"])
            .joined(separator: " AND ")
    }
}

extension HistoryFile {
    /// The runs of a choice, the latest first.
    public func runs(_ choice: RunChoice) throws(DaybookError) -> [ListedRun] {
        let sql = """
            SELECT run, name, path, as_of, started, seconds, exit_code, rows_read, rejected
            FROM runs JOIN jobs ON jobs.id = runs.job WHERE \(choice.condition)
            ORDER BY started DESC, runs.id DESC LIMIT \(choice.last ?? -1)
            """
        return try reading { () throws(SQLiteError) in
            try rows(sql, choice) { row in
                ListedRun(
                    run: row.text(0) ?? "",
                    job: row.text(1) ?? "",
                    path: row.text(2) ?? "",
                    asOf: row.text(3),
                    started: row.integer(4),
                    seconds: row.decimal(5),
                    exitCode: Int(row.integer(6)),
                    rowsRead: Int(row.integer(7)),
                    rejected: Int(row.integer(8))
                )
            }
        }
    }

    /// How many runs there are of a choice, however many of them it wants.
    public func count(_ choice: RunChoice) throws(DaybookError) -> Int {
        let sql = "SELECT count(*) FROM runs JOIN jobs ON jobs.id = runs.job WHERE \(choice.condition)"
        return try reading { () throws(SQLiteError) in try rows(sql, choice) { Int($0.integer(0)) }.first ?? 0 }
    }

    private func rows<Row>(
        _ sql: String,
        _ choice: RunChoice,
        _ read: (SQLiteStatement) -> Row
    ) throws(SQLiteError) -> [Row] {
        guard let path = choice.path else { return try database.rows(sql, read: read) }
        return try database.rows(sql, path, read: read)
    }

    /// The names of the runs that a person may mean by `text`: all that end or begin with it.
    public func names(of text: String) throws(DaybookError) -> [String] {
        let sql = """
            SELECT run FROM runs WHERE substr(run, 1, length(?1)) = ?1 OR substr(run, -length(?1)) = ?1
            ORDER BY started DESC LIMIT 20
            """
        return try reading { () throws(SQLiteError) in try database.rows(sql, text) { $0.text(0) } }
    }

    /// All that is kept of a run; nil where there is none of that name.
    public func record(of run: String) throws(DaybookError) -> RunRecord? {
        try reading { () throws(SQLiteError) in
            let sql = """
                SELECT runs.id, name, path, digest, version, as_of, started, seconds, exit_code, params, errors,
                    \(self.found < 3 ? "0" : "takes_new")
                FROM runs JOIN jobs ON jobs.id = runs.job WHERE run = ?
                """
            var found: (id: Int64, record: RunRecord)?
            _ = try database.rows(sql, run) { row -> Bool? in
                let record = RunRecord(
                    run: run,
                    job: row.text(1) ?? "",
                    path: row.text(2) ?? "",
                    digest: row.text(3),
                    version: row.text(4) ?? "",
                    asOf: row.text(5),
                    started: row.integer(6),
                    seconds: row.decimal(7),
                    exitCode: Int(row.integer(8)),
                    params: HistoryJSON.value([String: String].self, of: row.text(9) ?? "") ?? [:],
                    stages: [],
                    rules: [],
                    findings: [],
                    inputs: [],
                    outputs: [],
                    errors: HistoryJSON.value([RunRecord.Failure].self, of: row.text(10) ?? "") ?? [],
                    takesNew: row.integer(11) == 1 ? true : nil
                )
                found = (row.integer(0), record)
                return nil
            }
            guard let found else { return nil }
            var record = found.record
            record.stages = try stages(of: found.id)
            record.rules = try rules(of: found.id)
            record.findings = try findings(of: found.id)
            record.inputs = try files(of: found.id, areOutputs: false)
            record.outputs = try files(of: found.id, areOutputs: true)
            record.notices = try notices(of: found.id)
            return record
        }
    }

    private func stages(of run: Int64) throws(SQLiteError) -> [RunRecord.Stage] {
        let sql = """
            SELECT id, type, is_source, rows_in, rows_out, rejected, folded, made, added, dropped, skipped, milliseconds
            FROM stages WHERE run = \(run) ORDER BY position
            """
        return try database.rows(sql) { row in
            RunRecord.Stage(
                id: row.text(0) ?? "",
                type: row.text(1) ?? "",
                isSource: row.integer(2) != 0,
                rowsIn: Int(row.integer(3)),
                rowsOut: Int(row.integer(4)),
                rejected: Int(row.integer(5)),
                folded: Int(row.integer(6)),
                made: Int(row.integer(7)),
                added: HistoryJSON.value([String: Int].self, of: row.text(8) ?? "") ?? [:],
                dropped: HistoryJSON.value([String: Int].self, of: row.text(9) ?? "") ?? [:],
                skipped: HistoryJSON.value([String: Int].self, of: row.text(10) ?? "") ?? [:],
                milliseconds: row.decimal(11)
            )
        }
    }

    private func rules(of run: Int64) throws(SQLiteError) -> [RunRecord.Rule] {
        let observed = found < 2 ? "NULL, NULL" : "measure, observed"
        let sql = """
            SELECT stage, rule, type, rows, failing, verdict, message, \(observed) FROM rules
            WHERE run = \(run) ORDER BY position
            """
        return try database.rows(sql) { row in
            RunRecord.Rule(
                stage: row.text(0) ?? "",
                rule: row.text(1) ?? "",
                type: row.text(2) ?? "",
                rows: Int(row.integer(3)),
                failing: Int(row.integer(4)),
                verdict: row.text(5) ?? "",
                message: row.text(6) ?? "",
                observed: row.text(7).flatMap(ObservedValue.Measure.init).flatMap { ObservedValue($0, row.decimal(8)) }
            )
        }
    }

    private func findings(of run: Int64) throws(SQLiteError) -> [RunRecord.Tally] {
        let sql = """
            SELECT stage, code, severity, "column", rule, count FROM findings WHERE run = \(run) ORDER BY position
            """
        return try database.rows(sql) { row in
            RunRecord.Tally(
                stage: row.text(0) ?? "",
                code: row.text(1) ?? "",
                severity: row.text(2) ?? "",
                column: row.text(3),
                rule: row.text(4),
                count: Int(row.integer(5))
            )
        }
    }

    private func files(of run: Int64, areOutputs: Bool) throws(SQLiteError) -> [RunRecord.File] {
        let sql = """
            SELECT path, bytes, xxh128, sha256 FROM run_files JOIN files ON files.id = run_files.file
            WHERE run = \(run) AND is_output = \(areOutputs ? 1 : 0) ORDER BY position
            """
        return try database.rows(sql) { row in
            let digest = row.text(2) ?? ""
            return RunRecord.File(
                path: row.text(0) ?? "",
                bytes: Int(row.integer(1)),
                xxh128: digest.isEmpty ? nil : digest,
                sha256: row.text(3)
            )
        }
    }

    func reading<Result>(_ read: () throws(SQLiteError) -> Result) throws(DaybookError) -> Result {
        do { return try read() } catch { throw .history(path, error) }
    }
}

extension HistoryFile {
    /// Removes all runs but the latest `count` of each job, or of the job of a path, and gives the number of those that went.
    public func prune(keeping count: Int, of path: String?) throws(DaybookError) -> Int {
        do throws(SQLiteError) {
            let ranked = """
                SELECT runs.id FROM (
                    SELECT runs.id, path, row_number() OVER (PARTITION BY job ORDER BY started DESC, runs.id DESC) AS place
                    FROM runs JOIN jobs ON jobs.id = runs.job
                ) AS runs WHERE place > \(max(0, count)) AND (?1 = '' OR path = ?1)
                """
            let removed = try database.transaction { () throws(SQLiteError) -> Int in
                let ids = try database.rows(ranked, path ?? "") { $0.integer(0) }
                if ids.isEmpty { return 0 }
                let list = ids.map(String.init).joined(separator: ", ")
                try keepTaken(ofRuns: list)
                try remove(runs: "IN (\(list))")
                try database.execute(
                    """
                    DELETE FROM files WHERE id NOT IN (SELECT file FROM run_files UNION SELECT file FROM taken);
                    DELETE FROM jobs WHERE id NOT IN 
                        (SELECT job FROM runs UNION SELECT job FROM taken UNION SELECT job FROM marks);
                    """
                )
                return ids.count
            }
            try database.execute("PRAGMA incremental_vacuum")
            return removed
        } catch { throw .history(self.path, error) }
    }
}

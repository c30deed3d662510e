import DaybookBytes

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

/// A job of the history. Two of one name are told apart by their paths.
public struct ListedJob: Sendable {
    let id: Int64
    public var name: String
    /// The canonical path of the job file; empty for a job from standard input.
    public var path: String
    /// How many of its runs are kept.
    public var runs: Int
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
            ORDER BY runs.id DESC LIMIT \(choice.last ?? -1)
            """
        return try reading { () throws(SQLiteError) in
            try rows(sql, choice) { row in
                ListedRun(
                    run: row.word(0) ?? "",
                    job: row.text(1) ?? "",
                    path: jobPaths.whole(row.text(2) ?? ""),
                    asOf: row.word(3),
                    started: row.moment(4),
                    seconds: row.duration(5),
                    exitCode: row.count(6),
                    rowsRead: row.count(7),
                    rejected: row.count(8)
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
        return try database.rows(sql, jobPaths.kept(path), read: read)
    }

    /// The jobs that have runs, those that ran last first.
    public func jobs(_ choice: RunChoice) throws(DaybookError) -> [ListedJob] {
        let sql = """
            SELECT jobs.id, name, path, count(*) FROM jobs JOIN runs ON runs.job = jobs.id WHERE \(choice.condition)
            GROUP BY jobs.id ORDER BY max(runs.id) DESC
            """
        return try reading { () throws(SQLiteError) in
            try rows(sql, choice) { row in
                ListedJob(
                    id: row.integer(0),
                    name: row.text(1) ?? "",
                    path: jobPaths.whole(row.text(2) ?? ""),
                    runs: row.count(3)
                )
            }
        }
    }

    /// The names of the runs that a person may mean by `text`: all that end or begin with it.
    public func names(of text: String) throws(DaybookError) -> [String] {
        let sql = """
            SELECT run FROM runs WHERE substr(run, 1, length(?1)) = ?1 OR substr(run, -length(?1)) = ?1
            ORDER BY id DESC LIMIT 20
            """
        return try reading { () throws(SQLiteError) in try database.rows(sql, text) { $0.text(0) } }
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
                    SELECT runs.id, path, row_number() OVER (PARTITION BY job ORDER BY runs.id DESC) AS place
                    FROM runs JOIN jobs ON jobs.id = runs.job
                ) AS runs WHERE place > \(max(0, count)) AND (?1 = '' OR path = ?1)
                """
            let removed = try database.transaction { () throws(SQLiteError) -> Int in
                let ids = try database.rows(ranked, path.map(jobPaths.kept) ?? "") { $0.integer(0) }
                if ids.isEmpty { return 0 }
                let list = ids.map(String.init).joined(separator: ", ")
                try keepTaken(ofRuns: list)
                try remove(runs: "IN (\(list))")
                try database.execute(
                    """
                    DELETE FROM files WHERE id NOT IN (SELECT file FROM run_files UNION SELECT file FROM taken);
                    DELETE FROM ledgers WHERE id NOT IN (SELECT ledger FROM runs WHERE ledger IS NOT NULL);
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

/// What stands in a file that anybody may have edited: numbers within bounds in which the sums of a page do not overflow, and words that steer no
/// terminal.
extension SQLiteStatement {
    /// One of our own words, such as the name of a run or a code.
    func word(_ column: Int) -> String? { text(column).map(PrintableText.of) }

    /// A count of rows, bytes or runs: 0 to 2^44.
    func count(_ column: Int) -> Int { Int(min(max(0, integer(column)), 1 << 44)) }

    /// Microseconds since 1970, in the years 1 to 9999.
    func moment(_ column: Int) -> Int64 { min(max(-62_135_596_800_000_000, integer(column)), 253_402_300_799_999_999) }

    /// Seconds or milliseconds, up to thirty years.
    func duration(_ column: Int) -> Double { min(max(0, decimal(column)), 1e9) }
}

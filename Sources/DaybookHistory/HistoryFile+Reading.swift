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

/// A job of the history. The path tells jobs of one name apart.
public struct ListedJob: Sendable {
    let id: Int64
    public var name: String
    /// The canonical path of the job file; empty for a job from standard input.
    public var path: String
    /// How many of its runs are kept.
    public var runs: Int
}

/// A selection of runs.
public struct RunChoice: Sendable {
    /// The canonical path of a job file; nil for all jobs.
    public var path: String?
    /// Whether only runs that did not end with 0 are selected.
    public var failed = false
    /// How many at most, the latest ones; nil for all.
    public var last: Int?
    /// Whether the latest is that of the latest day, and not the one that was added last.
    public var isByDay = false

    public init(path: String? = nil, failed: Bool = false, last: Int? = nil, isByDay: Bool = false) {
        (self.path, self.failed, self.last, self.isByDay) = (path, failed, last, isByDay)
    }

    /// The runs in their order, the latest first. A run whose job could not be read has no day: it belongs to the latest day
    /// before it.
    fileprivate var order: String {
        guard isByDay else { return "runs.id DESC" }
        let day = "SELECT max(as_of) FROM runs AS earlier WHERE earlier.job = runs.job AND earlier.id < runs.id"
        return "ifnull(as_of, ifnull((\(day)), '')) DESC, runs.id DESC"
    }

    fileprivate var condition: String {
        ([path.map { _ in "path = ?1" }, failed ? "exit_code <> 0" : nil].compactMap(\.self) + ["1"])
            .joined(separator: " AND ")
    }
}

extension HistoryFile {
    /// The selected runs, the latest first.
    public func runs(_ choice: RunChoice) throws(DaybookError) -> [ListedRun] {
        let sql = """
            SELECT run, name, path, as_of, started, seconds, exit_code, rows_read, rejected
            FROM runs JOIN jobs ON jobs.id = runs.job WHERE \(choice.condition)
            ORDER BY \(choice.order) LIMIT \(choice.last ?? -1)
            """
        return try rows(sql, values(of: choice)) { row in
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

    /// The number of selected runs, regardless of `last`.
    public func count(_ choice: RunChoice) throws(DaybookError) -> Int {
        let sql = "SELECT count(*) FROM runs JOIN jobs ON jobs.id = runs.job WHERE \(choice.condition)"
        return try rows(sql, values(of: choice)) { Int($0.integer(0)) }.first ?? 0
    }

    private func values(of choice: RunChoice) -> [String] { choice.path.map { [jobPaths.kept($0)] } ?? [] }

    /// The jobs that have runs, the last active first, without those that never could be read and whose file is not there:
    /// slips of the fingers.
    public func jobs(_ choice: RunChoice) throws(DaybookError) -> [ListedJob] {
        let sql = """
            SELECT jobs.id, name, path, count(*), count(as_of) FROM jobs JOIN runs ON runs.job = jobs.id WHERE \(choice.condition)
            GROUP BY jobs.id ORDER BY max(runs.id) DESC
            """
        return try rows(sql, values(of: choice)) { row -> ListedJob? in
            let path = jobPaths.whole(row.text(2) ?? "")
            if row.count(4) == 0, !path.isEmpty, access(path.systemPath, F_OK) != 0 { return nil }
            return ListedJob(id: row.integer(0), name: row.text(1) ?? "", path: path, runs: row.count(3))
        }
    }

    /// The names of the runs that end or begin with `text`.
    public func names(of text: String) throws(DaybookError) -> [String] {
        let sql = """
            SELECT run FROM runs WHERE substr(run, 1, length(?1)) = ?1 OR substr(run, -length(?1)) = ?1
            ORDER BY id DESC LIMIT 20
            """
        return try rows(sql, [text]) { $0.text(0) }
    }

    /// Runs `work`; a failure names the history.
    func attempt<Result>(_ work: () throws(SQLiteError) -> Result) throws(DaybookError) -> Result {
        do { return try work() } catch { throw .history(path, error) }
    }

    /// The rows of a query, nils left out.
    func rows<Row>(
        _ sql: String,
        _ values: [(any HistoryValue)?] = [],
        read: (SQLiteStatement) -> Row?
    ) throws(DaybookError) -> [Row] {
        var rows: [Row] = []
        try scan(sql, values) { row in
            if let row = read(row) { rows.append(row) }
            return true
        }
        return rows
    }

    /// Hands the rows of a query to `body`, as long as that says so.
    func scan(
        _ sql: String,
        _ values: [(any HistoryValue)?],
        _ body: (SQLiteStatement) throws(SQLiteError) -> Bool
    ) throws(DaybookError) {
        try attempt { () throws(SQLiteError) in
            let statement = try SQLiteStatement(database, sql)
            try statement.bind(values)
            while try statement.step(), try body(statement) {}
        }
    }

    /// The values for the name and the path of a job in a query.
    func values(of job: JobKey) -> [String] { [job.name, jobPaths.kept(job.path)] }

    /// The id of the job whose name and path are the first values of a query.
    static let job = "(SELECT id FROM jobs WHERE name = ?1 AND path = ?2)"
}

/// What tells jobs apart: a name, and the canonical path of the job file; empty for a job from standard input.
public typealias JobKey = (name: String, path: String)

/// Values of a file that anybody may have edited: numbers in bounds so that sums do not overflow, and words without control
/// characters.
extension SQLiteStatement {
    /// A word of ours, such as the name of a run or a code.
    func word(_ column: Int) -> String? { text(column).map(PrintableText.of) }

    /// A count of rows, bytes or runs: 0 to 2^44.
    func count(_ column: Int) -> Int { Int(min(max(0, integer(column)), 1 << 44)) }

    /// Microseconds since 1970, in the years 1 to 9999.
    func moment(_ column: Int) -> Int64 { min(max(-62_135_596_800_000_000, integer(column)), 253_402_300_799_999_999) }

    /// Seconds or milliseconds, up to thirty years.
    func duration(_ column: Int) -> Double { min(max(0, decimal(column)), 1e9) }
}

extension HistoryFile {
    /// The whole record of a run; nil for an unknown name.
    public func record(of run: String) throws(DaybookError) -> RunRecord? {
        try attempt { () throws(SQLiteError) in try records(ids(ofRun: run), areWhole: true).first }
    }

    /// The latest runs of a job, the latest first.
    ///
    /// - Parameter areWhole: whether inputs and findings are read too.
    func records(of job: ListedJob, last: Int, areWhole: Bool = true) throws(DaybookError) -> [RunRecord] {
        try attempt { () throws(SQLiteError) in
            let sql = "SELECT id FROM runs WHERE job = \(job.id) ORDER BY id DESC LIMIT \(max(0, last))"
            return try records(try database.rows(sql) { $0.integer(0) }, areWhole: areWhole)
        }
    }

    /// The runs of these ids, the latest first: one query for each table, however many there are.
    private func records(_ ids: [Int64], areWhole: Bool) throws(SQLiteError) -> [RunRecord] {
        guard !ids.isEmpty else { return [] }
        let meant = "IN (\(ids.map(String.init).joined(separator: ", ")))"
        let stages = try stages(of: meant)
        let rules = try rules(of: meant)
        let groups = areWhole ? try groupFigures(of: meant) : [:]
        let findings = areWhole ? try findings(of: meant) : [:]
        let inputs = areWhole ? try files(of: meant, areOutputs: false) : [:]
        let outputs = try files(of: meant, areOutputs: true)
        let measures = try measures(of: meant)
        let notices = try notices(of: meant)
        let days = try dayFigures(of: meant)
        let sql = """
            SELECT runs.id, name, path, digest, version, as_of, started, seconds, exit_code, params, errors, takes_new, run
            FROM runs JOIN jobs ON jobs.id = runs.job WHERE runs.id \(meant) ORDER BY runs.id DESC
            """
        return try database.rows(sql) { row in
            let id = row.integer(0)
            var record = RunRecord(
                run: row.word(12) ?? "",
                job: row.text(1) ?? "",
                path: jobPaths.whole(row.text(2) ?? ""),
                digest: row.word(3),
                version: row.word(4) ?? "",
                asOf: row.word(5),
                started: row.moment(6),
                seconds: row.duration(7),
                exitCode: row.count(8),
                params: HistoryJSON.value([String: String].self, of: row.text(9) ?? "") ?? [:],
                stages: stages[id] ?? [],
                rules: rules[id] ?? [],
                findings: findings[id] ?? [],
                inputs: inputs[id] ?? [],
                outputs: outputs[id] ?? [],
                errors: HistoryJSON.value([RunRecord.Failure].self, of: row.text(10) ?? "") ?? [],
                measures: measures[id],
                notices: notices[id],
                takesNew: row.integer(11) == 1 ? true : nil
            )
            record.dayFigures = days[id] ?? []
            let own = Dictionary(grouping: groups[id] ?? []) { [$0.stage, $0.rule] }.mapValues { $0.map(\.figure) }
            for number in record.rules.indices where !own.isEmpty {
                record.rules[number].groups = own[[record.rules[number].stage, record.rules[number].rule]]
            }
            return record
        }
    }

    /// The rows of a query, grouped by the run in the first column.
    private func byRun<Row>(_ sql: String, _ read: (SQLiteStatement) -> Row) throws(SQLiteError) -> [Int64: [Row]] {
        var rows: [Int64: [Row]] = [:]
        _ = try database.rows(sql) { row -> Bool? in
            rows[row.integer(0), default: []].append(read(row))
            return nil
        }
        return rows
    }

    private func stages(of runs: String) throws(SQLiteError) -> [Int64: [RunRecord.Stage]] {
        // Counts without a name are kept.
        let fixed = ["id", "type", "is_source", "reads"].map {
            "json_extract(ledgers.stages, '$[' || position || '].\($0)')"
        }
        let sql = """
            SELECT stages.run, \(fixed.joined(separator: ", ")), rows_in, rows_out, stages.rejected, folded, made,
                added, dropped, skipped, milliseconds
            FROM stages JOIN runs ON runs.id = stages.run
                LEFT JOIN ledgers ON ledgers.id = ledger AND json_valid(ledgers.stages)
            WHERE stages.run \(runs) ORDER BY stages.run, position
            """
        return try byRun(sql) { row in
            RunRecord.Stage(
                id: row.text(1) ?? "",
                type: row.text(2) ?? "",
                isSource: row.integer(3) != 0,
                rowsIn: row.count(5),
                rowsOut: row.count(6),
                rejected: row.count(7),
                folded: row.count(8),
                made: row.count(9),
                added: HistoryJSON.counts(row.text(10)),
                dropped: HistoryJSON.counts(row.text(11)),
                skipped: HistoryJSON.counts(row.text(12)),
                milliseconds: row.duration(13),
                reads: row.text(4).flatMap { HistoryJSON.value([String].self, of: $0) }
            )
        }
    }

    private func rules(of runs: String) throws(SQLiteError) -> [Int64: [RunRecord.Rule]] {
        let sql = """
            SELECT run, stage, rule, type, rows, failing, verdict, message, measure, observed FROM rules
            WHERE run \(runs) ORDER BY run, position
            """
        return try byRun(sql) { row in
            RunRecord.Rule(
                stage: row.text(1) ?? "",
                rule: row.text(2) ?? "",
                type: row.word(3) ?? "",
                rows: row.count(4),
                failing: row.count(5),
                verdict: row.word(6) ?? "",
                message: row.text(7) ?? "",
                observed: row.text(8).flatMap(ObservedValue.Measure.init).flatMap { ObservedValue($0, row.decimal(9)) }
            )
        }
    }

    private func findings(of runs: String) throws(SQLiteError) -> [Int64: [RunRecord.Tally]] {
        let sql = """
            SELECT run, stage, code, severity, "column", rule, count FROM findings WHERE run \(runs) ORDER BY run, position
            """
        return try byRun(sql) { row in
            RunRecord.Tally(
                stage: row.text(1) ?? "",
                code: row.word(2) ?? "",
                severity: row.word(3) ?? "",
                column: row.text(4),
                rule: row.text(5),
                count: row.count(6)
            )
        }
    }

    /// No entry for a run whose outputs show none.
    private func measures(of runs: String) throws(SQLiteError) -> [Int64: [RunRecord.Measure]] {
        let sql = """
            SELECT run, stage, title, value IS NULL, value, shown FROM measures WHERE run \(runs) ORDER BY run, position
            """
        return try byRun(sql) { row in
            RunRecord.Measure(
                stage: row.text(1) ?? "",
                title: row.text(2) ?? "",
                value: row.integer(3) == 1 ? nil : row.decimal(4),
                text: row.text(5) ?? ""
            )
        }
    }

    /// No entry for a run whose rows belong to no days.
    private func dayFigures(of runs: String) throws(SQLiteError) -> [Int64: [RunRecord.StoredFigure]] {
        guard found >= 12 else { return [:] }
        let sql =
            "SELECT run, stage, name, measure, day, value, value IS NULL FROM day_figures WHERE run \(runs) ORDER BY run, position"
        return try byRun(sql) { row in
            RunRecord.StoredFigure(
                stage: row.text(1) ?? "",
                name: row.text(2) ?? "",
                measure: row.text(3).flatMap(ObservedValue.Measure.init),
                day: row.text(4).flatMap { CalendarDay(iso: $0) } ?? CalendarDay(number: 0),
                value: row.integer(6) == 1 ? nil : row.decimal(5)
            )
        }
    }

    /// No entry for a run whose rules compare no groups.
    private func groupFigures(of runs: String) throws(SQLiteError) -> [Int64: [(
        stage: String, rule: String, figure: GroupFigure
    )]] {
        guard found >= 14 else { return [:] }
        let sql =
            "SELECT run, stage, rule, \"group\", value FROM group_figures WHERE run \(runs) ORDER BY run, position"
        return try byRun(sql) { row in
            (
                row.text(1) ?? "", row.text(2) ?? "",
                GroupFigure(HistoryJSON.value([String: String].self, of: row.text(3) ?? "") ?? [:], row.decimal(4))
            )
        }
    }

    /// The figures of days that runs of a job have left which are no longer kept, the oldest first.
    func figuresLeft(by job: ListedJob) throws(DaybookError) -> [RunRecord.StoredFigure] {
        guard found >= 12 else { return [] }
        let left = "IN (SELECT run FROM day_figures WHERE job = \(job.id) EXCEPT SELECT id FROM runs)"
        return try attempt { () throws(SQLiteError) in
            try dayFigures(of: left).sorted { $0.key < $1.key }.flatMap(\.value)
        }
    }

    /// No entry for a run without notices.
    private func notices(of runs: String) throws(SQLiteError) -> [Int64: [RunRecord.Notice]] {
        let sql = "SELECT run, target, reason FROM notices WHERE run \(runs) ORDER BY run, position"
        return try byRun(sql) { RunRecord.Notice(target: $0.text(1) ?? "", reason: $0.text(2)) }
    }

    private func files(of runs: String, areOutputs: Bool) throws(SQLiteError) -> [Int64: [RunRecord.File]] {
        let sql = """
            SELECT run, path, bytes, xxh128, sha256, \(found >= 13 ? "day" : "NULL"), \(found >= 13 ? "days" : "NULL") FROM run_files JOIN files ON files.id = run_files.file
            WHERE run \(runs) AND is_output = \(areOutputs ? 1 : 0) ORDER BY run, position
            """
        return try byRun(sql) { row in
            RunRecord.File(
                path: row.text(1) ?? "",
                bytes: row.count(2),
                xxh128: row.digest(3),
                sha256: row.digest(4),
                days: row.text(6),
                day: row.word(5)
            )
        }
    }
}

extension HistoryJSON {
    /// Counts by name; none where there is no such text.
    fileprivate static func counts(_ text: String?) -> [String: Int] {
        (text.flatMap { value([String: Int].self, of: $0) } ?? [:]).mapValues { min(max(0, $0), 1 << 44) }
    }
}

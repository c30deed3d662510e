import CSQLite
import DaybookBytes
import Foundation

extension HistoryFile {
    /// Adds a run, and replaces an entry of the same name: the commit was interrupted and has been finished since.
    public func add(_ record: RunRecord) throws(SQLiteError) {
        let path = jobPaths.kept(record.path)
        let ingests = record.exitCode == 0 && (record.takesNew == true || record.marks != nil)
        let marker = ingests ? IngestMarker(of: (record.job, path), besideHistory: self.path) : nil
        var record = record
        try database.transaction { () throws(SQLiteError) in
            for id in try ids(ofRun: record.run) { try remove(runs: "= \(id)") }
            // A job that could not be read is called by its file. Where that has run before, its name is known.
            if record.asOf == nil, !path.isEmpty, let name = try lastName(at: path) { record.job = name }
            try insert("INSERT OR IGNORE INTO jobs (name, path) VALUES (?, ?)", [record.job, path])
            let ledger = record.stages.isEmpty ? nil : HistoryJSON.text(record.stages.map(LedgerStage.init))
            if let ledger { try insert("INSERT OR IGNORE INTO ledgers (stages) VALUES (?)", [ledger]) }
            try insert(
                """
                INSERT INTO runs (run, job, digest, version, as_of, started, seconds, exit_code, rows_read, rejected, params, errors,
                    takes_new, is_redo, ledger)
                VALUES (?, (SELECT id FROM jobs WHERE name = ? AND path = ?), ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?,
                    (SELECT id FROM ledgers WHERE stages = ?))
                """,
                [
                    record.run, record.job, path, record.digest, record.version, record.asOf, record.started,
                    record.seconds, record.exitCode, record.rowsRead, record.rejected, HistoryJSON.text(record.params),
                    record.errors.isEmpty ? "[]" : HistoryJSON.text(record.errors), record.takesNew == true ? 1 : 0,
                    record.redoes == true ? 1 : 0, ledger,
                ]
            )
            let run = try database.rows("SELECT last_insert_rowid()") { $0.integer(0) }[0]
            try addStages(of: record, to: run)
            try addFindings(of: record, to: run)
            try addFiles(of: record, to: run)
            if ingests { try addCopies(record.copies ?? [], by: run) }
            try add(record.measures ?? [], to: "measures", of: run) { [$0.stage, $0.title, $0.value, $0.text] }
            try addDays(of: record, to: run)
            try addNotices(record.notices ?? [], to: run)
            try addMarks(record.marks ?? [], of: record)
            if let marker { try noteIngested(by: record, of: (record.job, path), marker) }
        }
        marker?.leave(record.run)
    }

    /// What the job of a path was called when it last ran.
    private func lastName(at path: String) throws(SQLiteError) -> String? {
        let sql = "SELECT name FROM jobs JOIN runs ON runs.job = jobs.id WHERE path = ? ORDER BY runs.id DESC LIMIT 1"
        return try database.rows(sql, path) { $0.text(0) }.first
    }

    private func addStages(of record: RunRecord, to run: Int64) throws(SQLiteError) {
        try add(record.stages, to: "stages", of: run) { stage in
            let counts = [stage.added, stage.dropped, stage.skipped].map { $0.isEmpty ? nil : HistoryJSON.text($0) }
            return [stage.rowsIn, stage.rowsOut, stage.rejected, stage.folded, stage.made] + counts
                + [stage.milliseconds]
        }
    }

    private func addFindings(of record: RunRecord, to run: Int64) throws(SQLiteError) {
        try add(record.rules, to: "rules", of: run) { rule in
            [
                rule.stage, rule.rule, rule.type, rule.rows, rule.failing, rule.verdict, rule.message,
                rule.observed?.measure.rawValue, rule.observed?.value,
            ]
        }
        let groups = record.rules.flatMap { rule in (rule.groups ?? []).map { (rule: rule, figure: $0) } }
        try add(groups, to: "group_figures", of: run) {
            [$0.rule.stage, $0.rule.rule, HistoryJSON.text($0.figure.group), $0.figure.value]
        }
        try add(record.findings, to: "findings", of: run) {
            [$0.stage, $0.code, $0.severity, $0.column, $0.rule, $0.count]
        }
    }

    /// The figures of days outlive their run, until another run makes the day.
    private func addDays(of record: RunRecord, to run: Int64) throws(SQLiteError) {
        let figures = record.dayFigures
        guard !figures.isEmpty else { return }
        let job = try database.rows("SELECT job FROM runs WHERE id = \(run)") { $0.integer(0) }[0]
        try add(figures, to: "day_figures", of: run) { figure in
            [job, figure.stage, figure.name, figure.measure?.rawValue, "\(figure.day)", figure.value]
        }
    }

    func addNotices(_ notices: [RunRecord.Notice], to run: Int64) throws(SQLiteError) {
        try add(notices, to: "notices", of: run) { [$0.target, $0.reason] }
    }

    /// Adds a row for each item of a run: the run, the place of the item, and the values of the other columns.
    private func add<Item>(
        _ items: [Item],
        to table: String,
        of run: Int64,
        _ values: (Item) -> [(any HistoryValue)?]
    ) throws(SQLiteError) {
        guard let first = items.first else { return }
        let marks = Array(repeating: "?", count: 2 + values(first).count).joined(separator: ", ")
        let statement = try SQLiteStatement(database, "INSERT OR REPLACE INTO \(table) VALUES (\(marks))")
        for (position, item) in items.enumerated() { try statement.run([run, position] + values(item)) }
    }

    /// The inputs and outputs of a run; a file that many runs have read stands once in the table of files.
    ///
    /// Every run does this, so each statement is made once.
    private func addFiles(of record: RunRecord, to run: Int64) throws(SQLiteError) {
        guard !record.inputs.isEmpty || !record.outputs.isEmpty else { return }
        let adding = try SQLiteStatement(database, HistoryFile.newFile)
        let linking = try SQLiteStatement(
            database,
            "INSERT INTO run_files SELECT ?, ?, ?, id, ? FROM files WHERE path = ? AND bytes = ? AND xxh128 = ?"
        )
        for (isOutput, files) in [(0, record.inputs), (1, record.outputs)] {
            for (position, file) in files.enumerated() {
                let digest = try add(file, by: adding)
                try linking.run([run, isOutput, position, file.day, file.path, file.bytes, digest])
            }
        }
    }

    /// Files that count as read, although no run has them among its inputs.
    private func addCopies(_ files: [RunRecord.File], by run: Int64) throws(SQLiteError) {
        guard !files.isEmpty else { return }
        let adding = try SQLiteStatement(database, HistoryFile.newFile)
        for file in files {
            let digest = try add(file, by: adding)
            try insert(
                """
                INSERT OR REPLACE INTO taken (job, run, is_copy, file) SELECT (SELECT job FROM runs WHERE id = ?1), ?1, 1, id
                FROM files WHERE path = ? AND bytes = ? AND xxh128 = ?
                """,
                [run, file.path, file.bytes, digest]
            )
        }
    }

    private static let newFile =
        "INSERT OR IGNORE INTO files (path, bytes, xxh128, sha256, days) VALUES (?, ?, ?, ?, ?)"

    private func add(_ file: RunRecord.File, by adding: SQLiteStatement) throws(SQLiteError) -> HistoryDigest {
        // Files that were not read to their end are told apart by size alone.
        let digest = HistoryDigest(file.xxh128 ?? "")
        try adding.run([file.path, file.bytes, digest, file.sha256.map(HistoryDigest.init), file.days])
        if let days = file.days {
            let sql = "UPDATE files SET days = ? WHERE path = ? AND bytes = ? AND xxh128 = ?"
            try insert(sql, [days, file.path, file.bytes, digest])
        }
        return digest
    }

    /// The ids of the runs of a name; at most one.
    func ids(ofRun run: String) throws(SQLiteError) -> [Int64] {
        try database.rows("SELECT id FROM runs WHERE run = ?", run) { $0.integer(0) }
    }

    /// Removes the runs whose ids fulfil a condition of SQL, from every table.
    ///
    /// - Parameter keepsDays: whether the last figures of days stay.
    func remove(runs condition: String, keepsDays: Bool = false) throws(SQLiteError) {
        let replaced = """
            AND (EXISTS (SELECT 1 FROM runs WHERE id = day_figures.run AND exit_code != 0) OR EXISTS (
                SELECT 1 FROM day_figures AS newer LEFT JOIN runs ON runs.id = newer.run
                WHERE newer.job = day_figures.job AND newer.stage = day_figures.stage AND newer.name = day_figures.name
                    AND newer.measure IS day_figures.measure AND newer.day = day_figures.day
                    AND newer.run > day_figures.run AND ifnull(exit_code, 0) = 0))
            """
        try database.execute("DELETE FROM day_figures WHERE run \(condition) \(keepsDays ? replaced : "")")
        for table in ["stages", "rules", "group_figures", "findings", "measures", "run_files", "notices"] {
            try database.execute("DELETE FROM \(table) WHERE run \(condition)")
        }
        try database.execute("DELETE FROM runs WHERE id \(condition)")
    }

    private func insert(_ sql: String, _ values: [(any HistoryValue)?]) throws(SQLiteError) {
        try SQLiteStatement(database, sql).run(values)
    }
}

/// What stays the same of a stage from run to run.
private struct LedgerStage: Encodable {
    let id: String
    let type: String
    let isSource: Bool
    let reads: [String]?

    init(_ stage: RunRecord.Stage) { (id, type, isSource, reads) = (stage.id, stage.type, stage.isSource, stage.reads) }

    private enum CodingKeys: String, CodingKey {
        case id, type, reads
        case isSource = "is_source"
    }
}

/// A value that a column of the history holds.
protocol HistoryValue {
    func bind(to statement: SQLiteStatement, at place: Int) throws(SQLiteError)
}

extension Int64: HistoryValue {
    func bind(to statement: SQLiteStatement, at place: Int) throws(SQLiteError) { try statement.bind(self, at: place) }
}

extension Int: HistoryValue {
    func bind(to statement: SQLiteStatement, at place: Int) throws(SQLiteError) {
        try statement.bind(Int64(self), at: place)
    }
}

extension Double: HistoryValue {
    func bind(to statement: SQLiteStatement, at place: Int) throws(SQLiteError) { try statement.bind(self, at: place) }
}

extension String: HistoryValue {
    func bind(to statement: SQLiteStatement, at place: Int) throws(SQLiteError) { try statement.bind(self, at: place) }
}

extension SQLiteStatement {
    /// Binds the values to the parameters, in their order.
    func bind(_ values: [(any HistoryValue)?]) throws(SQLiteError) {
        for (place, value) in values.enumerated() {
            if let value { try value.bind(to: self, at: place + 1) } else { try bindNull(at: place + 1) }
        }
    }

    /// Binds the values to all parameters, runs to the end, and can be run again.
    func run(_ values: [(any HistoryValue)?]) throws(SQLiteError) {
        try bind(values)
        while try step() {}
        reset()
    }
}

/// The JSON of values that a column holds as one text: with sorted keys, so that equal values are equal texts.
enum HistoryJSON {
    static func text(_ value: some Encodable) -> String {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        do {
            return String(decoding: try encoder.encode(value), as: UTF8.self)
        } catch {
            preconditionFailure("a record of texts and numbers can always be encoded: \(error)")
        }
    }

    /// Nil for what is none of that type, as where another program has written it.
    static func value<Value: Decodable>(_ type: Value.Type, of text: some StringProtocol) -> Value? {
        try? JSONDecoder().decode(type, from: Data(text.utf8))
    }
}

/// A digest as the history keeps it: its bytes, which are half as many as its digits.
struct HistoryDigest: HistoryValue {
    private let digits: String

    /// - Parameter digits: empty for the digest of a file that was not read to its end.
    init(_ digits: String) { self.digits = digits }

    /// Keeps what is no digest as it is.
    func bind(to statement: SQLiteStatement, at place: Int) throws(SQLiteError) {
        guard let bytes = Hexadecimal.bytes(of: digits) else { return try statement.bind(digits, at: place) }
        var bound = Result<Void, SQLiteError>.success(())
        bytes.withUnsafeBufferPointer { bytes in
            bound = Result { () throws(SQLiteError) in try statement.bind(blob: bytes, at: place) }
        }
        try bound.get()
    }
}

extension SQLiteStatement {
    /// The digits of a digest; nil where there is none. What was no digest stands there as text.
    func digest(_ column: Int) -> String? {
        let text = type(column) == SQLITE_BLOB ? Hexadecimal.text(of: Array(bytes(column))) : text(column)
        return text?.isEmpty == true ? nil : text
    }
}

import CSQLite
import DaybookBytes
import DaybookEngine
import Foundation

extension Plan {
    /// Up to where runs of the job which passed have read stores, by the stage that reads them; empty where no import asks.
    ///
    /// A history that cannot be read stops such a run: to begin anew would give rows twice.
    public func marks(in state: StateDirectory, jobFile: String) throws(DaybookError) -> [String: StageMark] {
        let asking = stages.compactMap { stage in stage.since.map { (id: stage.id, column: $0.column) } }
        guard !asking.isEmpty else { return [:] }
        let mask = SecretMask(job.secrets)
        let asked = historyName(jobFile: jobFile)
        guard let history = try state.historyOfTaken(by: asked, isOneOfSeveral: job.isNamedByParams) else { return [:] }
        var marks: [String: StageMark] = [:]
        do throws(DaybookError) {
            for (id, column) in asking {
                let value = try history.mark(
                    ofJob: asked.name,
                    at: asked.path,
                    stage: mask.masking(id),
                    column: mask.masking(column)
                )
                guard let value else { continue }
                marks[id] = StageMark(column: column, value: value.mark, rows: value.rows, overlap: value.overlap)
            }
        } catch { throw .takenUnknown(error) }
        return marks
    }
}

extension HistoryFile {
    /// The highest value that runs of a job have read of a column.
    func mark(
        ofJob name: String,
        at path: String,
        stage: String,
        column: String
    ) throws(DaybookError) -> (mark: StoreMark, rows: Int?, overlap: [OverlapRow]?)? {
        // Before version 10 nobody counted, nor kept rows.
        let sql = """
            SELECT value, \(found >= 10 ? "rows, overlap" : "NULL, NULL") FROM marks WHERE job = (SELECT id FROM jobs WHERE name = ? AND path = ?)
                AND stage = ? AND "column" = ?
            """
        return try reading { () throws(SQLiteError) in
            let statement = try SQLiteStatement(database, sql)
            let asked = [name, jobPaths.kept(path), stage, column]
            for (place, value) in asked.enumerated() { try statement.bind(value, at: place + 1) }
            guard try statement.step(), let mark = statement.mark(0) else { return nil }
            let rows = statement.type(1) == SQLITE_INTEGER ? Int(statement.integer(1)) : nil
            return (mark, rows, OverlapRow.rows(keptAs: statement.text(2)))
        }
    }

    /// Keeps what a run that passed has read.
    ///
    /// Runs of a job are added in their order: no other begins before one that was interrupted is added. Clocks are put back, so it is not asked
    /// when one started.
    func addMarks(_ marks: [RunRecord.Mark], of record: RunRecord) throws(SQLiteError) {
        guard record.exitCode == 0 else { return }
        let path = jobPaths.kept(record.path)
        let job = "(SELECT id FROM jobs WHERE name = ? AND path = ?)"
        for mark in marks {
            // Where rows were asked for from the start on and there are none, nothing is known any more.
            try SQLiteStatement(database, "DELETE FROM marks WHERE job = \(job) AND stage = ? AND \"column\" = ?")
                .run([record.job, path, mark.stage, mark.column])
            guard let value = mark.value?.historyValue else { continue }
            let rows: String? = mark.overlap.flatMap { OverlapRow.kept($0) }
            let values: [(any HistoryValue)?] = [
                record.job, path, mark.stage, mark.column, value, record.started, mark.rows, rows,
            ]
            try SQLiteStatement(database, "INSERT INTO marks VALUES (\(job), ?, ?, ?, ?, ?, ?)").run(values)
        }
    }
}

extension RunRecord {
    /// Up to where a stage has read a store.
    public struct Mark: Codable, Sendable, Equatable {
        public var stage: String
        public var column: String
        /// Nil where it has read all from the start on, and there was nothing.
        public var value: StoreMark?
        /// How many rows lie up to there; nil where nobody counted.
        public var rows: Int?
        /// The rows that lie in the overlap, where the import asks for one.
        public var overlap: [OverlapRow]?
    }

    /// What the imports of a run leave to the next; nil for nothing.
    static func marks(_ outcome: RunOutcome, _ mask: (String) -> String) -> [Mark]? {
        let marks = outcome.intakes.compactMap { intake -> Mark? in
            // Where nothing is new, what was known stays, but for rows that came late or changed.
            guard let since = intake.since else { return nil }
            guard since.highest != nil || since.bound.isInclusive || since.overlap != nil else { return nil }
            return Mark(
                stage: mask(intake.stage),
                column: mask(since.column),
                value: since.highest ?? (since.bound.isInclusive ? nil : since.bound.mark),
                rows: since.upToHighest,
                overlap: since.overlap?.rows
            )
        }
        return marks.isEmpty ? nil : marks
    }
}

extension StoreMark {
    fileprivate var historyValue: any HistoryValue {
        switch self {
        case .integer(let number): number
        case .decimal(let number): number
        case .text(let text): text
        }
    }
}

extension OverlapRow {
    /// As the history keeps rows: a list of JSON.
    fileprivate static func kept(_ rows: [OverlapRow]) -> String? {
        (try? JSONEncoder().encode(rows)).map { String(decoding: $0, as: UTF8.self) }
    }

    /// Nil where there are none, or somebody wrote something else: rows up to the mark are then taken as read.
    fileprivate static func rows(keptAs text: String?) -> [OverlapRow]? {
        text.flatMap { try? JSONDecoder().decode([OverlapRow].self, from: Data($0.utf8)) }
    }
}

extension SQLiteStatement {
    /// What stands in a column of marks.
    fileprivate func mark(_ column: Int) -> StoreMark? {
        switch type(column) {
        case SQLITE_INTEGER: .integer(integer(column))
        case SQLITE_FLOAT: .decimal(decimal(column))
        default: text(column).map(StoreMark.text)
        }
    }
}

import CSQLite
import DaybookBytes
import DaybookEngine
import Foundation

extension HistoryFile {
    /// Refuses an import with `since` that would give rows once more to an output that has them: no run of the job has taken
    /// what is new, or the last one that did took it under another name, which may be that of another import now.
    func checkMarks(of job: JobKey, _ plan: Plan, beside output: PathText) throws(DaybookError) {
        let mask = SecretMask(plan.job.secrets)
        let asking = plan.stages.compactMap { stage in
            let origin = stage.sinceOrigin(in: plan.job).map(mask.masking)
            return stage.since.map { (stage, name: [stage.id, $0.column].map(mask.masking), origin: origin) }
        }
        guard let first = asking.first else { return }
        let sql = """
            SELECT stage, "column", started, \(found >= 15 ? "origin" : "NULL") FROM marks
            WHERE job = \(HistoryFile.job) ORDER BY started DESC
            """
        let known = try rows(sql, values(of: job)) { row in
            (name: [row.text(0) ?? "", row.text(1) ?? ""], started: row.integer(2), origin: row.text(3))
        }
        // Rows that were read under a name which another import has now, by the import that reads them now.
        let takenOver = known.lazy.compactMap { mark in
            asking.first { ask in
                ask.origin != nil && ask.origin == mark.origin && ask.name != mark.name
                    && asking.contains { $0.name == mark.name && $0.origin.map { $0 != mark.origin } == true }
                    && !known.contains { $0.name == ask.name && $0.origin == mark.origin }
            }.map { (former: mark.name[0], ask: $0) }
        }.first
        let isOwn = { (name: [String]) in asking.contains { $0.name == name } }
        let unread = asking.first { ask in !known.contains { $0.name == ask.name } }
        let newest = known.first { isOwn($0.name) }?.started
        let former = known.first { !isOwn($0.name) && (unread != nil || $0.started > newest ?? 0) }
        let (stage, name, _) = takenOver?.ask ?? unread ?? first
        let before: String
        if let takenOver {
            before =
                "'\(takenOver.former)', which is another import now, took what is new of what '\(name[0])' reads; by these names"
        } else if let former {
            let isRenamed = former.name[0] != name[0]
            before =
                "what is new was taken \(isRenamed ? "as '\(former.name[0])'" : "by '\(former.name[1])'"), which the job has no more; "
                + (isRenamed ? "as '\(name[0])'" : "by '\(name[1])'")
        } else if known.isEmpty, try !hasTaken(job) {
            before = "no run of the job has taken what is new; by '\(name[1])'"
        } else {
            return
        }
        throw DaybookError(
            "taken-unknown",
            "'\(output.text)' has rows, and \(before) rows would be added once more",
            at: stage.place,
            hint:
                "give the import the 'id' and 'column' that it had; '--full-refresh' reads all, into outputs that are removed first; "
                + "'--begin' adds what another import reads",
            blame: .machine
        )
    }

    /// Whether some run of a job took what was new.
    private func hasTaken(_ job: JobKey) throws(DaybookError) -> Bool {
        let sql = "SELECT 1 FROM jobs WHERE name = ?1 AND path = ?2 AND taken_by IS NOT NULL"
        return try !rows(sql, values(of: job)) { $0.integer(0) }.isEmpty
    }
}

extension Plan {
    /// The highest values that successful runs of the job have read of stores, by stage; empty if no import asks.
    ///
    /// Throws if the history cannot be read: starting over would give rows twice.
    public func positions(in state: StateDirectory, jobFile: String) throws(DaybookError) -> [String: StagePosition] {
        let asking = stages.compactMap { stage in stage.since.map { (id: stage.id, column: $0.column) } }
        guard !asking.isEmpty else { return [:] }
        let mask = SecretMask(job.secrets)
        let asked = historyName(jobFile: jobFile)
        guard let history = try state.historyOfIngested(by: asked, isOneOfSeveral: job.isNamedByParams) else {
            return [:]
        }
        var marks: [String: StagePosition] = [:]
        do throws(DaybookError) {
            for (id, column) in asking {
                guard let value = try history.mark(of: asked, [id, column].map(mask.masking)) else { continue }
                marks[id] = StagePosition(column: column, value: value.mark, rows: value.rows, overlap: value.overlap)
            }
        } catch { throw .ingestedUnknown(error) }
        return marks
    }
}

extension HistoryFile {
    /// The highest value that runs of a job have read of a column, after the stage that reads it.
    fileprivate func mark(
        of job: JobKey,
        _ column: [String]
    ) throws(DaybookError) -> (mark: StoreValue, rows: Int?, overlap: [OverlapRow]?)? {
        // Before version 10 the history kept no counts and no rows.
        let sql = """
            SELECT value, \(found >= 10 ? "rows, overlap" : "NULL, NULL") FROM marks
            WHERE job = \(HistoryFile.job) AND stage = ?3 AND "column" = ?4
            """
        return try rows(sql, values(of: job) + column) { row in
            let rows = row.type(1) == SQLITE_INTEGER ? Int(row.integer(1)) : nil
            // Foreign text counts as no rows: rows up to the mark are then taken as read.
            let overlap = row.text(2).flatMap { HistoryJSON.value([OverlapRow].self, of: $0) }
            return row.mark(0).map { (mark: $0, rows: rows, overlap: overlap) }
        }.first
    }

    /// Keeps the highest values of a successful run.
    ///
    /// Runs of a job are added in their order: no other begins before an interrupted run is added. Their start does not
    /// count, for clocks are put back.
    func addMarks(_ marks: [RunRecord.Mark], of record: RunRecord) throws(SQLiteError) {
        guard record.exitCode == 0 else { return }
        let path = jobPaths.kept(record.path)
        let job = "(SELECT id FROM jobs WHERE name = ? AND path = ?)"
        // What reads all knows nothing of imports that the job had before.
        if record.takesAll == true {
            try SQLiteStatement(database, "DELETE FROM marks WHERE job = \(job)").run([record.job, path])
        }
        for mark in marks {
            // A complete read without rows clears the state.
            try SQLiteStatement(database, "DELETE FROM marks WHERE job = \(job) AND stage = ? AND \"column\" = ?")
                .run([record.job, path, mark.stage, mark.column])
            guard let value = mark.value?.historyValue else { continue }
            try SQLiteStatement(database, "INSERT INTO marks VALUES (\(job), ?, ?, ?, ?, ?, ?, ?)").run([
                record.job, path, mark.stage, mark.column, value, record.started, mark.rows,
                mark.overlap.flatMap(OverlapRow.kept), mark.origin,
            ])
        }
    }
}

extension RunRecord {
    /// How far a stage has read a store.
    public struct Mark: Codable, Sendable, Equatable {
        public var stage: String
        public var column: String
        /// What it reads, as the job names it; nil for runs before Daybook kept it.
        public var origin: String?
        /// The highest value; nil after a complete read without rows.
        public var value: StoreValue?
        /// How many rows lie up to it; nil if nobody counted.
        public var rows: Int?
        /// The rows that lie in the overlap, where the import asks for one.
        public var overlap: [OverlapRow]?
    }

    /// The incremental state that the imports of a run leave; nil for none.
    static func marks(_ outcome: RunOutcome, _ mask: (String) -> String) -> [Mark]? {
        let marks = outcome.intakes.compactMap { intake -> Mark? in
            // Without new rows the known state stays, unless rows came late or changed.
            guard let since = intake.since else { return nil }
            guard since.highest != nil || since.bound.isInclusive || since.overlap != nil else { return nil }
            return Mark(
                stage: mask(intake.stage),
                column: mask(since.column),
                origin: since.origin.map(mask),
                value: since.highest ?? (since.bound.isInclusive ? nil : since.bound.mark),
                rows: since.upToHighest,
                overlap: since.overlap?.rows
            )
        }
        return marks.isEmpty ? nil : marks
    }
}

extension StoreValue {
    fileprivate var historyValue: any HistoryValue {
        switch self {
        case .integer(let number): number
        case .decimal(let number): number
        case .text(let text): text
        }
    }
}

extension OverlapRow {
    /// The JSON of rows in the history.
    fileprivate static func kept(_ rows: [OverlapRow]) -> String? {
        (try? JSONEncoder().encode(rows)).map { String(decoding: $0, as: UTF8.self) }
    }
}

extension SQLiteStatement {
    /// The value of a column of marks.
    fileprivate func mark(_ column: Int) -> StoreValue? {
        switch type(column) {
        case SQLITE_INTEGER: .integer(integer(column))
        case SQLITE_FLOAT: .decimal(decimal(column))
        default: text(column).map(StoreValue.text)
        }
    }
}

import CSQLite
import DaybookBytes
import DaybookEngine
import Foundation

extension Plan {
    /// Whether some import reads only new files.
    public var takesNewOnly: Bool {
        stages.contains { if case .source(let source) = $0.role { source.intake.isNewOnly } else { false } }
    }

    /// The inputs of successful runs of the job, from the history of a state directory; nil if no import asks.
    ///
    /// Throws if the history cannot be read: reading all files would give rows twice.
    package func ingested(in state: StateDirectory, jobFile: String) throws(DaybookError) -> IngestedFiles? {
        guard takesNewOnly else { return nil }
        var taken = IngestedFiles(mask: SecretMask(job.secrets), ofJob: jobFile)
        let asked = historyName(jobFile: jobFile)
        let history = try state.historyOfIngested(by: asked, isOneOfSeveral: job.isNamedByParams)
        guard let history else { return taken }
        do throws(DaybookError) { try history.addIngested(by: asked, to: &taken) } catch {
            throw .ingestedUnknown(error)
        }
        return taken
    }

    /// The name and the path by which the history knows the job.
    func historyName(jobFile: String) -> JobKey { Plan.historyName(of: job, jobFile: jobFile) }

    /// The same for a job that is not planned.
    public static func historyName(of job: Job, jobFile: String) -> JobKey {
        let mask = SecretMask(job.secrets)
        return (job.name.isEmpty ? JobFile.name(of: jobFile) : mask.masking(job.name), JobPaths.path(of: jobFile, mask))
    }

    /// Refuses to append everything to outputs that have rows, if the state knows no successful run of the job: the state
    /// directory was lost, and the rows are likely there.
    ///
    /// - Returns: warnings about outputs that come out the same, since new rows replace old rows of the same key, and about
    ///   params under which nothing was taken yet, while others of the job took files.
    public func checkKnown(
        in state: StateDirectory,
        jobFile: String,
        directory: String
    ) throws(DaybookError) -> [DaybookError] {
        guard takesNewOnly || stages.contains(where: { $0.since != nil }) else { return [] }
        let outputs = growingOutputs(in: directory)
        let growing = outputs.filter(\.holdsRows)
        guard growing.count < outputs.count || !growing.isEmpty || job.isNamedByParams else { return [] }
        let asked = historyName(jobFile: jobFile)
        let history = try HistoryFile.openToRead(in: state)
        if let history, try history.hasPassed(asked) {
            if let output = growing.first(where: { !$0.replacesByKey }) {
                try history.checkMarks(of: asked, self, beside: output.path)
            }
            var warnings: [DaybookError] = []
            for output in outputs where !output.holdsRows {
                if let new = try history.checkThere(output, of: asked) { warnings.append(new) }
            }
            return warnings
        }
        let name = SecretMask(job.secrets).masking(asked.name)
        if let output = growing.first(where: { !$0.replacesByKey })?.path {
            throw DaybookError(
                "taken-unknown",
                "'\(output.text)' has rows, and '\(state.path)' knows no run of job '\(name)' that took what is new: all would be added once more",
                at: output.place,
                hint:
                    "bring the state directory back; where the job was renamed or moved, 'daybook history adopt OLD JOB' gives it its past; "
                    + "'--full-refresh' reads all, into outputs that are removed first; '--begin' adds to a file that is older than the job",
                blame: .machine
            )
        }
        if growing.isEmpty {
            guard let other = try history?.lastTaker(at: asked.path) else { return [] }
            let message =
                "everything is new to job '\(name)': it is known by its name, and took nothing yet under it; '\(other.name)', the same job "
                + "with other params, took what is new in the run \(other.run)"
            let hint = "where both should share what they took, give 'job' a name without a param"
            return [DaybookError("new-params", message, hint: hint)]
        }
        return growing.map(\.path).map { output in
            DaybookError(
                "taken-unknown",
                "'\(output.text)' has rows, and '\(state.path)' knows no run of job '\(name)': all is read again, and rows of one key take each other's place",
                at: output.place,
                blame: .machine
            )
        }
    }
}

extension Plan {
    /// The outputs that rows are added to, as they stand now.
    private func growingOutputs(in directory: String) -> [GrowingFile] {
        stages.compactMap { stage in
            guard let target = stage.target, let path = target.path, let growth = target.growth, let base = target.base
            else { return nil }
            let place = FilePath.join(directory, base.path.text)
            let status = (try? FileStatus.of(place)) ?? nil
            let isFile = status?.isRegularFile == true
            let file = BaseFile(
                path: place,
                open: { Descriptor.handle(of: place) },
                content: { () throws(DaybookError) in throw .cannotRead(place, SystemFailure(ENOTSUP)) }
            )
            return GrowingFile(
                stage: SecretMask(job.secrets).masking(stage.id),
                path: path,
                size: status.map { isFile ? $0.size : nil } ?? 0,
                isThere: status != nil,
                holdsRows: isFile && growth.holdsRows(file),
                replacesByKey: growth.replacesByKey,
                isShared: target.part != nil,
                isDated: path.place.map(job.dated.contains) == true
            )
        }
    }
}

/// An output that rows are added to, before a run.
private struct GrowingFile {
    /// The id of its stage, as the history has it.
    let stage: String
    let path: PathText
    /// Nil for what is no file.
    let size: Int?
    let isThere: Bool
    let holdsRows: Bool
    let replacesByKey: Bool
    /// Whether others may write to the file too.
    let isShared: Bool
    /// Whether its path names the day, so that another file begins with each of them, or with each month.
    let isDated: Bool
}

extension HistoryFile {
    /// Refuses to begin an output anew that earlier runs filled with rows of files that are not read again.
    ///
    /// - Returns: a warning about an output that no run has written before.
    fileprivate func checkThere(_ output: GrowingFile, of job: JobKey) throws(DaybookError) -> DaybookError? {
        let sql = """
            SELECT bytes FROM run_files JOIN files ON files.id = run_files.file JOIN runs ON runs.id = run_files.run
            WHERE runs.job = \(HistoryFile.job) AND exit_code = 0 AND is_output = 1 AND files.path = ?3
            ORDER BY runs.id DESC LIMIT 1
            """
        guard let written = try rows(sql, values(of: job) + [output.path.text], read: { $0.count(0) }).first else {
            guard !output.isThere, !output.isDated else { return nil }
            return DaybookError(
                "new-output",
                "'\(output.path.text)' is new, and gets the rows of what is new; those of files that earlier runs read are not read again",
                at: output.path.place,
                hint: "'--full-refresh' reads all files, for every output; 'daybook backfill' makes days"
            )
        }
        if output.isThere, output.isShared {
            // Others may have taken the rows out, so this is no more than a warning.
            guard try gaveRows(to: output.stage, of: job) else { return nil }
            return DaybookError(
                "output-lost",
                "'\(output.stage)' finds no rows in '\(output.path.text)' any more; those that earlier runs wrote are of files that are not read again",
                at: output.path.place,
                hint: "'--full-refresh' reads all files again",
                blame: .machine
            )
        }
        // An output may have no rows because none came.
        if output.isThere, written == output.size ?? written { return nil }
        throw DaybookError(
            "output-lost",
            output.isThere
                ? "'\(output.path.text)' has no rows any more, and those that earlier runs wrote are of files that are not read again"
                : "'\(output.path.text)' is gone, and the rows that earlier runs wrote are of files that are not read again",
            at: output.path.place,
            hint:
                "bring it back; or '--full-refresh' reads all files again, and '--begin' begins it anew with what is new",
            blame: .machine
        )
    }

    /// Whether some passed run of a job gave rows to a stage.
    private func gaveRows(to stage: String, of job: JobKey) throws(DaybookError) -> Bool {
        let sql = """
            SELECT 1 FROM stages JOIN runs ON runs.id = stages.run
                JOIN ledgers ON ledgers.id = ledger AND json_valid(ledgers.stages)
            WHERE runs.job = \(HistoryFile.job) AND exit_code = 0 AND rows_in > 0
                AND json_extract(ledgers.stages, '$[' || position || '].id') = ?3 LIMIT 1
            """
        return try !rows(sql, values(of: job) + [stage]) { $0.integer(0) }.isEmpty
    }

    /// Whether some run of a job passed, pruned runs included.
    fileprivate func hasPassed(_ job: JobKey) throws(DaybookError) -> Bool {
        let sql = """
            SELECT 1 FROM jobs WHERE name = ?1 AND path = ?2
                AND (EXISTS (SELECT 1 FROM runs WHERE runs.job = jobs.id AND exit_code = 0) OR taken_by IS NOT NULL)
            """
        return try !rows(sql, values(of: job)) { $0.integer(0) }.isEmpty
    }

    /// The job of a file that was the last to take what is new, whatever its name, and its run.
    fileprivate func lastTaker(at path: String) throws(DaybookError) -> (name: String, run: String)? {
        let sql =
            "SELECT name, taken_by FROM jobs WHERE path = ? AND taken_by IS NOT NULL ORDER BY taken_order DESC LIMIT 1"
        return try rows(sql, [jobPaths.kept(path)]) { (name: $0.text(0) ?? "", run: $0.text(1) ?? "") }.first
    }

    /// Adds the inputs of all successful runs of a job, in the order in which they were last read, pruned ones included if the
    /// job is incremental.
    fileprivate func addIngested(by job: JobKey, to taken: inout IngestedFiles) throws(DaybookError) {
        let sql = """
            WITH asked AS \(HistoryFile.job),
                taken AS (
                    SELECT file, run_files.run AS run, 0 AS is_copy FROM run_files JOIN runs ON runs.id = run_files.run
                    WHERE runs.job = (SELECT id FROM asked) AND exit_code = 0 AND is_output = 0
                    UNION ALL SELECT file, \(found >= 11 ? "run" : "0"), \(found >= 13 ? "is_copy" : "0") FROM main.taken WHERE job = (SELECT id FROM asked)
                ),
                latest AS (SELECT file, max(run) AS run, is_copy FROM taken GROUP BY file),
                written AS (
                    SELECT DISTINCT path FROM run_files JOIN runs ON runs.id = run_files.run JOIN files ON files.id = file
                    WHERE runs.job = (SELECT id FROM asked) AND is_output = 1
                )
            SELECT files.path, bytes, xxh128, runs.run, \(found >= 13 ? "days" : "NULL"), is_copy, runs.started,
                files.path IN (SELECT path FROM written)
            FROM latest JOIN files ON files.id = latest.file LEFT JOIN runs ON runs.id = latest.run
            WHERE length(xxh128) > 0 ORDER BY latest.run
            """
        try scan(sql, values(of: job)) { row in
            taken.add(
                path: row.text(0) ?? "",
                bytes: Int(row.integer(1)),
                xxh128: row.digest(2) ?? "",
                run: row.text(3),
                started: row.type(6) == SQLITE_INTEGER ? row.integer(6) : nil,
                days: row.text(4).flatMap(DaysOfFile.init),
                isCopy: row.integer(5) != 0,
                isOutput: row.integer(7) != 0
            )
            return true
        }
    }

    /// Keeps the inputs of runs about to be pruned, for incremental jobs.
    func keepIngested(ofRuns ids: String) throws(SQLiteError) {
        try database.execute(
            """
            INSERT INTO taken (job, file, run) SELECT job, file, max(runs.id) FROM runs JOIN run_files ON run_files.run = runs.id
            WHERE runs.id IN (\(ids)) AND exit_code = 0 AND takes_new = 1 AND is_output = 0 GROUP BY job, file
            ON CONFLICT (job, file) DO UPDATE SET run = max(run, excluded.run), is_copy = 0
            """
        )
    }

    /// The jobs of a name, or of the path of a file that need not exist any more.
    public func jobs(called text: String) throws(DaybookError) -> [JobKey] {
        let sql = "SELECT name, path FROM jobs WHERE name = ?1 OR path = ?2"
        return try rows(sql, values(of: (text, FilePath.place(of: text)))) { row in
            (name: row.text(0) ?? "", path: jobPaths.whole(row.text(1) ?? ""))
        }
    }

    /// Gives the runs of one job to another, with their incremental state: the history then knows the job by its new name and
    /// path. The state of the other job stays, and counts as later.
    ///
    /// - Returns: how many runs the other has now.
    public func adopt(_ old: JobKey, as new: JobKey) throws(DaybookError) -> Int {
        let (old, new) = ((old.name, jobPaths.kept(old.path)), (new.name, jobPaths.kept(new.path)))
        let (count, taker): (Int, String?) = try attempt { () throws(SQLiteError) in
            try database.transaction { () throws(SQLiteError) in
                func id(_ job: JobKey) throws(SQLiteError) -> Int64? {
                    let sql = "SELECT id FROM jobs WHERE name = ? AND path = ?"
                    return try database.rows(sql, job.name, job.path) { $0.integer(0) }.first
                }
                guard let from = try id(old) else { return (0, nil) }
                if let into = try id(new), into != from {
                    try database.execute(
                        """
                        UPDATE runs SET job = \(from) WHERE job = \(into);
                        UPDATE day_figures SET job = \(from) WHERE job = \(into);
                        DELETE FROM marks WHERE job = \(from) AND (stage, "column") IN (SELECT stage, "column" FROM marks WHERE job = \(into));
                        UPDATE marks SET job = \(from) WHERE job = \(into);
                        INSERT OR IGNORE INTO taken SELECT \(from), file, run, is_copy FROM taken WHERE job = \(into);
                        DELETE FROM taken WHERE job = \(into);
                        UPDATE jobs SET (taken_by, taken_before) = (SELECT taken_by, ifnull(taken_before, jobs.taken_by) FROM jobs AS later WHERE id = \(into))
                            WHERE id = \(from) AND EXISTS (SELECT 1 FROM jobs WHERE id = \(into) AND taken_by IS NOT NULL);
                        DELETE FROM jobs WHERE id = \(into);
                        """
                    )
                }
                try SQLiteStatement(
                    database,
                    "UPDATE jobs SET name = ?, path = ?, taken_order = (SELECT ifnull(max(taken_order), 0) + 1 FROM jobs) WHERE id = ?"
                ).run([new.0, new.1, from])
                let runs = try database.rows("SELECT count(*) FROM runs WHERE job = \(from)") { $0.count(0) }.first ?? 0
                return (runs, try database.rows("SELECT taken_by FROM jobs WHERE id = \(from)") { $0.text(0) }.first)
            }
        }
        // The marker follows: a run under the new name that finds no history is still refused.
        if let taker { IngestMarker(of: new, besideHistory: path).leave(taker) }
        if new != old { IngestMarker(of: old, besideHistory: path).remove() }
        return count
    }
}

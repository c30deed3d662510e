import DaybookBytes
import DaybookEngine
import DaybookReports
import Foundation

extension HistoryKeeper {
    /// Keeps the last runs of a job, if this one passed, and the manifest of each.
    ///
    /// Only a job that says how many runs are kept has a manifest of each run: others would fill the disk.
    ///
    /// - Parameter day: the first day of which the last run is kept too if it failed; nil for none.
    public func keep(_ count: Int, of report: RunReport, _ run: RunID, failedFrom day: CalendarDay?) {
        do throws(DaybookError) {
            try state.archiveManifest(JSONDocument.bytes(of: Manifest(report).value), of: run, ofJob: report.job)
            guard report.exitCode == 0 else { return }
            let history = try HistoryFile.open(in: state)
            let pruned = try history.prune(
                keeping: count,
                of: report.historyPath,
                named: report.job,
                failedFrom: day.map(\.description) ?? "a"
            )
            state.forgetManifests(of: pruned)
        } catch {
            // What a history in trouble says was said when the run was kept.
            reported.withLock { known in if !known.contains(where: { $0.code == error.code }) { known.append(error) } }
        }
    }

    /// Whether the history knows runs of a job file.
    public static func knows(_ jobFile: String, in state: StateDirectory) -> Bool {
        guard state.isThere, let history = try? HistoryFile.openToRead(in: state) else { return false }
        return (try? history.count(RunChoice(path: FilePath.place(of: jobFile)))).map { $0 > 0 } ?? false
    }

    /// The last day for which a job has a passed run, and the days between the first such and it, from `first` on, of which
    /// runs failed and none passed; nil without a passed run.
    public static func lastDay(
        of job: JobKey,
        failedFrom first: CalendarDay,
        notAfter end: CalendarDay,
        in state: StateDirectory
    ) throws(DaybookError) -> (passed: CalendarDay, failed: [CalendarDay])? {
        try takeEntries(of: state)
        guard let history = try HistoryFile.openToRead(in: state) else { return nil }
        let sql = """
            SELECT as_of, max(exit_code = 0) FROM runs
            WHERE job = \(HistoryFile.job) AND as_of IS NOT NULL GROUP BY as_of
            """
        let days = try history.rows(sql, history.values(of: job)) { row in
            row.text(0).flatMap { CalendarDay(iso: $0) }.map {
                (day: $0, passed: row.integer(1) == 1)
            }
        }
        let passed = days.filter { $0.passed && $0.day <= end }.map(\.day)
        guard let start = passed.min(), let last = passed.max(), start < last else {
            return passed.first.map { ($0, []) }
        }
        return (last, days.filter { !$0.passed && (max(first, start)..<last).contains($0.day) }.map(\.day).sorted())
    }

    /// All jobs, and whether they have a passed run for a day. Of several job files with one name, those that are gone or
    /// whose job was renamed since are left out.
    public static func jobs(
        passedOn day: CalendarDay,
        in state: StateDirectory
    ) throws(DaybookError) -> [(name: String, path: String, hasPassed: Bool)] {
        try takeEntries(of: state)
        guard let history = try HistoryFile.openToRead(in: state) else { return [] }
        let sql = """
            SELECT name, path, EXISTS (SELECT 1 FROM runs WHERE job = jobs.id AND as_of = ? AND exit_code = 0), name = (
                SELECT last.name FROM jobs AS last JOIN runs ON runs.job = last.id WHERE last.path = jobs.path
                ORDER BY runs.id DESC LIMIT 1
            ) FROM jobs
            """
        let jobs = try history.rows(sql, ["\(day)"]) { row in
            (
                name: row.text(0) ?? "", path: history.jobPaths.whole(row.text(1) ?? ""),
                hasPassed: row.integer(2) == 1,
                isCalledSo: row.integer(3) == 1
            )
        }
        return Dictionary(grouping: jobs, by: \.name).values.flatMap { same in
            let there = same.filter { $0.isCalledSo && access($0.path.systemPath, F_OK) == 0 }
            return (same.count > 1 && !there.isEmpty ? there : same).map { ($0.name, $0.path, $0.hasPassed) }
        }
    }
}

/// The manifests of single runs: `manifests/<job>/<run>.json`, beside the last one of each job.
extension StateDirectory {
    private func archive(ofJob job: String) -> String {
        FilePath.join(FilePath.join(path, "manifests"), StateDirectory.fileName(ofJob: job))
    }

    /// Where the manifest of a run may be: its own, and the last of its job.
    public func manifests(ofRun run: String, job: String) -> [String] {
        guard let id = RunID(run) else { return [] }
        return [FilePath.join(archive(ofJob: job), "\(id).json"), archive(ofJob: job) + ".json"]
    }

    fileprivate func archiveManifest(_ manifest: Bytes, of run: RunID, ofJob job: String) throws(DaybookError) {
        try create()
        let directory = archive(ofJob: job)
        try makeDirectory(FilePath.directory(of: directory))
        try makeDirectory(directory)
        try WholeFile.write(manifest, to: FilePath.join(directory, "\(run).json"))
    }

    /// Removes the manifests of runs that were pruned.
    public func forgetManifests(of runs: [PrunedRun]) {
        for run in runs {
            // A history that somebody has edited must not name files elsewhere.
            guard let id = RunID(run.run) else { continue }
            unlink(FilePath.join(archive(ofJob: run.job), "\(id).json").systemPath)
        }
        for job in Set(runs.map(\.job)) { rmdir(archive(ofJob: job).systemPath) }
    }
}

/// A run that the history does not have any more.
public typealias PrunedRun = (run: String, job: String)

extension HistoryFile {
    /// Removes all runs but the latest `count` of each job, or of the jobs at `path`, or of the one of a name there.
    ///
    /// - Parameter day: the first day of which the last run is kept if it failed, since it is tried again; none for a text behind
    ///   all days.
    public func prune(
        keeping count: Int,
        of path: String?,
        named name: String? = nil,
        failedFrom day: String = "a"
    ) throws(DaybookError) -> [PrunedRun] {
        try attempt { () throws(SQLiteError) in
            // With failed runs stays a passed one of a day before, behind which they are tried again.
            let ranked = """
                WITH ranked AS (
                    SELECT id, run, job, exit_code, ifnull(as_of, '') AS day,
                        row_number() OVER (PARTITION BY job ORDER BY id DESC) AS place,
                        row_number() OVER (PARTITION BY job, as_of ORDER BY id DESC) AS place_of_day
                    FROM runs
                ), failed AS (
                    SELECT id, job, day FROM ranked WHERE exit_code <> 0 AND place_of_day = 1 AND day >= ?5
                )
                SELECT ranked.id, run, name FROM ranked JOIN jobs ON jobs.id = job
                WHERE place > \(max(0, count)) AND (?1 = '' OR path = ?2) AND (?3 = '' OR name = ?4)
                    AND ranked.id NOT IN (SELECT id FROM failed)
                    AND ranked.id NOT IN (
                        SELECT max(runs.id) FROM failed JOIN runs ON runs.job = failed.job AND as_of < day
                        WHERE exit_code = 0 GROUP BY failed.id
                    )
                """
            let removed = try database.transaction { () throws(SQLiteError) -> [PrunedRun] in
                let found = try database.rows(
                    ranked,
                    path == nil ? "" : "one",
                    path.map(jobPaths.kept) ?? "",
                    name == nil ? "" : "one",
                    name ?? "",
                    day
                ) { (id: $0.integer(0), run: (run: $0.text(1) ?? "", job: $0.text(2) ?? "")) }
                if found.isEmpty { return [] }
                let list = found.map { String($0.id) }.joined(separator: ", ")
                try keepIngested(ofRuns: list)
                try remove(runs: "IN (\(list))", keepsDays: count > 0)
                try database.execute(
                    """
                    DELETE FROM files WHERE id NOT IN (SELECT file FROM run_files UNION SELECT file FROM taken);
                    DELETE FROM ledgers WHERE id NOT IN (SELECT ledger FROM runs WHERE ledger IS NOT NULL);
                    DELETE FROM jobs WHERE id NOT IN
                        (SELECT job FROM runs UNION SELECT job FROM taken UNION SELECT job FROM marks UNION SELECT job FROM day_figures);
                    """
                )
                return found.map(\.run)
            }
            if !removed.isEmpty { try database.execute("PRAGMA incremental_vacuum") }
            return removed
        }
    }
}

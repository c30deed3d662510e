import DaybookBytes
import DaybookEngine
import DaybookReports
import Synchronization

extension HistoryFile {
    func addNotices(_ notices: [RunRecord.Notice], to run: Int64) throws(SQLiteError) {
        guard !notices.isEmpty else { return }
        let statement = try SQLiteStatement(database, "INSERT OR REPLACE INTO notices VALUES (?, ?, ?, ?)")
        for (position, notice) in notices.enumerated() {
            try statement.run([run, position, notice.target, notice.reason])
        }
    }

    /// The exit code of the last run of a job, but for one of its runs; nil where there is no other.
    ///
    /// The last is that which was added last, for clocks are put back. It is looked for from the end of the table, so no index of jobs is used.
    func lastExitCode(ofJob job: String, at path: String, without run: String) throws(DaybookError) -> Int? {
        let sql = """
            SELECT exit_code FROM runs WHERE +job = (SELECT id FROM jobs WHERE name = ?1 AND path = ?2) AND run <> ?3
            ORDER BY id DESC LIMIT 1
            """
        return try reading { () throws(SQLiteError) in
            try database.rows(sql, job, jobPaths.kept(path), run) { Int($0.integer(0)) }.first
        }
    }
}

extension HistoryKeeper {
    /// Whether the run of the job before this one failed, as far as the history knows.
    public func earlierFailed(than report: RunReport, _ run: RunID?) -> Bool {
        // Why the history cannot be read has been told when the run was to be kept.
        let history = try? HistoryFile.openToRead(in: state)
        let code = try? history?.lastExitCode(
            ofJob: report.job,
            at: report.historyPath,
            without: run?.description ?? ""
        )
        return code.map { $0 != 0 } ?? false
    }

    /// Keeps what came of telling somebody of a run that is in the history.
    public func keep(_ outcomes: [NoticeOutcome], of run: RunID, _ mask: SecretMask) {
        guard !outcomes.isEmpty else { return }
        let notices = outcomes.map { outcome in
            RunRecord.Notice(
                target: mask.masking(outcome.target),
                reason: outcome.failure.map { mask.masking($0.reason(of: outcome.target)) }
            )
        }
        // Where the run waits for the history, they wait with it.
        let entry = FilePath.join(state.entries, "\(run).json")
        if let bytes = try? WholeFile.read(entry, limit: WholeFile.noLimit),
            var record = HistoryJSON.value(RunRecord.self, of: bytes.text(0..<bytes.count))
        {
            record.notices = notices
            try? state.keepForLater(HistoryJSON.text(record), of: run)
            return
        }
        do throws(DaybookError) {
            let file = try HistoryFile.open(in: state)
            do throws(SQLiteError) {
                try file.database.transaction { () throws(SQLiteError) in
                    let ids = try file.database.rows("SELECT id FROM runs WHERE run = ?", run.description) {
                        $0.integer(0)
                    }
                    for id in ids { try file.addNotices(notices, to: id) }
                }
            } catch { throw .history(file.path, error) }
        } catch {
            told.withLock { $0.append(error) }
        }
    }
}

extension DaybookError {
    /// Why a target was not told, where the message names it once more before the reason.
    fileprivate func reason(of target: String) -> String {
        let start = "nobody was told by the \(target): "
        return message.hasPrefix(start) ? String(message.dropFirst(start.count)) : message
    }
}

import DaybookBytes
import DaybookEngine
import DaybookReports
import Synchronization

/// Writes every run into the history of a state directory.
///
/// It never stops a run: a damaged history is set aside for a new one, and records that cannot be added wait in the
/// directory of entries, or in the journal of their commit. `remarks` says what went wrong.
public final class HistoryKeeper: RunRecorder {
    let state: StateDirectory
    private let takesAll: Bool
    private let redoes: Bool
    private let report: @Sendable (RunOutcome) -> RunReport
    let reported = Mutex<[DaybookError]>([])
    /// What the next attempts to add a run fail with, the last first. For tests.
    let failures = Mutex<[DaybookError]>([])

    /// - Parameters:
    ///   - takesAll: whether the run reads everything again, whatever earlier runs have read.
    ///   - redoes: whether the run makes days anew.
    ///   - report: the report of a run with an outcome, up to this moment.
    public init(
        _ state: StateDirectory,
        takesAll: Bool = false,
        redoes: Bool = false,
        report: @escaping @Sendable (RunOutcome) -> RunReport
    ) {
        (self.state, self.takesAll, self.redoes, self.report) = (state, takesAll, redoes, report)
    }

    /// The failures, each once.
    public var remarks: [DaybookError] { reported.withLock { $0 } }

    /// Keeps a run without a commit, and returns its name in the history.
    public func keep(failed report: RunReport) -> RunID {
        let run = report.outcome.run ?? RunID()
        do throws(DaybookError) {
            try state.create()
            let record = RunRecord(report, run: run)
            if !keep(record, of: run, { HistoryJSON.text(record) }) {
                reported.withLock { $0[$0.count - 1].hint = "this run will not be in the history" }
            }
        } catch { reported.withLock { $0.append(error) } }
        return run
    }

    public func entry(of run: RunID, _ outcome: RunOutcome) -> RunEntry {
        var record = RunRecord(report(outcome), run: run)
        (record.takesAll, record.redoes) = (takesAll ? true : nil, redoes ? true : nil)
        let text = HistoryJSON.text(record)
        return RunEntry(text: text) { [self, record] in keep(record, of: run) { text } }
    }

    /// False if the record is neither in the history nor waits for the next command.
    private func keep(_ record: RunRecord, of run: RunID, _ text: () -> String) -> Bool {
        do throws(DaybookError) {
            try keepOrThrow(record)
            return true
        } catch {
            var error = error
            let waits = (try? state.keepForLater(text(), of: run)) != nil
            if error.hint == nil {
                error.hint = "the run waits \(waits ? "beside it" : "in the journal of its commit") for the next one"
            }
            reported.withLock { $0.append(error) }
            return waits
        }
    }

    private func keepOrThrow(_ record: RunRecord) throws(DaybookError) {
        do throws(DaybookError) {
            try add(record)
        } catch {
            guard error.code == "damaged-history" else { throw error }
            do throws(DaybookError) {
                // A disk that fails to read one page looks like damage. Only what is damaged when it is opened anew is put aside.
                try HistoryFile.checkPages(in: state)
                try add(record)
            } catch {
                guard error.code == "damaged-history" else { throw error }
                try setAside()
                try add(record)
            }
        }
    }

    private func add(_ record: RunRecord) throws(DaybookError) {
        if let failure = failures.withLock({ $0.popLast() }) { throw failure }
        let file = try HistoryFile.open(in: state)
        try file.takeEntries(from: state)
        let newest = try file.attempt { () throws(SQLiteError) in
            try file.add(record)
            return try file.database.rows(HistoryKeeper.newestStart) { $0.moment(0) }.first ?? 0
        }
        let now = Int64(time(nil)) * 1_000_000
        if newest - HistoryKeeper.clockTolerance > now { reported.withLock { $0.append(.clockBehind(now, newest)) } }
    }

    /// Only of the last runs: a clock that once stood far ahead is not told for ever.
    private static let newestStart = "SELECT max(started) FROM (SELECT started FROM runs ORDER BY id DESC LIMIT 30)"

    /// How far the clocks of two machines that share a state directory may be apart, in microseconds.
    private static let clockTolerance: Int64 = 60_000_000

    /// Gives a damaged history another name, under which a person may look at it.
    private func setAside() throws(DaybookError) {
        let path = HistoryFile.path(in: state)
        let aside = "\(path).damaged-\(RunID())"
        guard rename(path.systemPath, aside.systemPath) == 0 else { throw .cannotWrite(aside, .last) }
        unlink((path + "-journal").systemPath)
        let error = DaybookError.machine(
            "damaged-history",
            "the history at '\(path)' is damaged and was put aside",
            hint: "a new one begins with this run; the old one is '\(FilePath.name(of: aside))'"
        )
        reported.withLock { $0.append(error) }
    }
}

extension HistoryFile {
    /// Adds the waiting entries, and removes them.
    func takeEntries(from state: StateDirectory) throws(DaybookError) {
        // Nothing waits, but after a kill.
        guard let names = try? DirectoryListing.names(in: state.entries) else { return }
        for name in names.sorted() where name.hasSuffix(".json") {
            let entry = FilePath.join(state.entries, name)
            guard let bytes = try? WholeFile.read(entry, limit: WholeFile.noLimit) else { continue }
            // What this program cannot read, one of another version may have written: it stays.
            guard let record = HistoryJSON.value(RunRecord.self, of: bytes.text(0..<bytes.count)) else { continue }
            try attempt { () throws(SQLiteError) in try add(record) }
            unlink(entry.systemPath)
        }
    }
}

extension HistoryKeeper {
    /// Adds waiting entries to the history if this user may write it, so that an interrupted commit is listed.
    public static func takeEntries(of state: StateDirectory) throws(DaybookError) {
        try state.recoverWhereAllowed()
        guard let names = try? DirectoryListing.names(in: state.entries), !names.isEmpty,
            access(state.path.systemPath, W_OK) == 0
        else { return }
        try HistoryFile.open(in: state).takeEntries(from: state)
    }
}

extension HistoryFile {
    /// The exit code of the last run of a job except one; nil if there is no other.
    ///
    /// The last run is the one added last, for clocks are put back. The query goes from the end of the table, so it uses no index of jobs.
    fileprivate func lastExitCode(of job: JobKey, without run: String) throws(DaybookError) -> Int? {
        let sql = "SELECT exit_code FROM runs WHERE +job = \(HistoryFile.job) AND run <> ?3 ORDER BY id DESC LIMIT 1"
        return try rows(sql, values(of: job) + [run]) { Int($0.integer(0)) }.first
    }
}

extension HistoryKeeper {
    /// Whether the previous run of the job failed, as far as the history knows.
    public func earlierFailed(than report: RunReport, _ run: RunID?) -> Bool {
        // A history that cannot be read was reported when the run was kept.
        let history = try? HistoryFile.openToRead(in: state)
        let job = (report.job, report.historyPath)
        let code = try? history?.lastExitCode(of: job, without: run?.description ?? "")
        return code.map { $0 != 0 } ?? false
    }

    /// Keeps the outcomes of the notices of a run.
    public func keep(_ outcomes: [NoticeOutcome], of run: RunID, _ mask: SecretMask) {
        guard !outcomes.isEmpty else { return }
        let notices = outcomes.map { outcome in
            RunRecord.Notice(
                target: mask.masking(outcome.target),
                reason: outcome.failure.map { mask.masking($0.reason(of: outcome.target)) }
            )
        }
        // A run that waits for the history takes its notices along.
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
            try file.attempt { () throws(SQLiteError) in
                try file.database.transaction { () throws(SQLiteError) in
                    for id in try file.ids(ofRun: run.description) { try file.addNotices(notices, to: id) }
                }
            }
        } catch { reported.withLock { $0.append(error) } }
    }
}

extension DaybookError {
    fileprivate static func clockBehind(_ now: Int64, _ newest: Int64) -> DaybookError {
        .machine(
            "clock-behind",
            "the clock of this machine says \(Instant.text(now)), and the newest run of the history began at \(Instant.text(newest))",
            hint: "set the clock; 'last' is the run of the latest day, whatever the clock says"
        )
    }

    /// The reason without the target, which the message repeats.
    fileprivate func reason(of target: String) -> String {
        let start = "nobody was told by the \(target): "
        return message.hasPrefix(start) ? String(message.dropFirst(start.count)) : message
    }
}

/// Stores the paths of jobs in a history.
///
/// A job below the directory that holds the state directory is stored by its relative path: a project that is moved as a whole,
/// or is mounted elsewhere in a container, keeps its history. Other jobs are stored by their whole path.
struct JobPaths {
    /// With a slash at its end.
    private let base: String

    /// - Parameter file: the history, in its state directory.
    init(inHistory file: String) {
        let directory = FilePath.canonical(FilePath.join(FilePath.directory(of: file), ".."))
        base = directory == "/" ? directory : directory + "/"
    }

    /// The stored form of a path; empty for a job from standard input.
    func kept(_ path: String) -> String {
        guard path.hasPrefix(base) else { return path }
        return String(path.dropFirst(base.count))
    }

    /// The whole path for a stored one.
    func whole(_ path: String) -> String {
        guard !path.isEmpty, !path.hasPrefix("/") else { return path }
        return base + path
    }

    /// The path of a job file, without secrets; empty for a job from standard input. A job file that is a link is known by the
    /// place of the link, where its paths begin too: a cluster that mounts a job switches the link with every change.
    static func path(of jobFile: String, _ mask: SecretMask) -> String {
        jobFile == "-" ? "" : mask.masking(FilePath.place(of: jobFile))
    }
}

extension RunReport {
    /// The path by which the history knows the job.
    var historyPath: String { JobPaths.path(of: jobFile, mask) }
}

import DaybookBytes
import DaybookEngine
import DaybookReports
import Synchronization

/// Writes every run into the history of a state directory.
///
/// It never stops a run: a history that is damaged is set aside for a new one, and what cannot be kept waits in the directory of
/// entries, or in the journal of its commit. What went wrong is in `remarks`.
public final class HistoryKeeper: RunRecorder {
    let state: StateDirectory
    private let takesAll: Bool
    private let report: @Sendable (RunOutcome) -> RunReport
    let told = Mutex<[DaybookError]>([])
    /// What the next attempts to add a run fail with, the last first. For tests.
    let failures = Mutex<[DaybookError]>([])

    /// - Parameters:
    ///   - takesAll: whether the run asks for all there is, whatever earlier runs have taken.
    ///   - report: what there is to tell of a run that ends so, up to this moment.
    public init(
        _ state: StateDirectory,
        takesAll: Bool = false,
        report: @escaping @Sendable (RunOutcome) -> RunReport
    ) {
        (self.state, self.takesAll, self.report) = (state, takesAll, report)
    }

    /// What could not be done, each once.
    public var remarks: [DaybookError] { told.withLock { $0 } }

    /// Keeps a run that came to no commit, and gives the name that it has in the history.
    public func keep(failed report: RunReport) -> RunID {
        let run = report.outcome.run ?? RunID()
        do throws(DaybookError) {
            try state.create()
            let record = RunRecord(report, run: run)
            if !keep(record, of: run, { HistoryJSON.text(record) }) {
                told.withLock { $0[$0.count - 1].hint = "this run will not be in the history" }
            }
        } catch { told.withLock { $0.append(error) } }
        return run
    }

    public func entry(of run: RunID, _ outcome: RunOutcome) -> RunEntry {
        var record = RunRecord(report(outcome), run: run)
        record.takesAll = takesAll ? true : nil
        let text = HistoryJSON.text(record)
        return RunEntry(text: text) { [self, record] in keep(record, of: run) { text } }
    }

    /// False where it is neither in the history nor waits for the next command.
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
            told.withLock { $0.append(error) }
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
        try file.attempt { () throws(SQLiteError) in try file.add(record) }
    }

    /// Gives a damaged history another name, under which a person may look at it.
    private func setAside() throws(DaybookError) {
        let path = HistoryFile.path(in: state)
        let aside = "\(path).damaged-\(RunID())"
        guard rename(path.systemPath, aside.systemPath) == 0 else { throw .cannotWrite(aside, .last) }
        unlink((path + "-journal").systemPath)
        told.withLock {
            $0.append(
                .machine(
                    "damaged-history",
                    "the history at '\(path)' is damaged and was put aside",
                    hint: "a new one begins with this run; the old one is '\(FilePath.name(of: aside))'"
                )
            )
        }
    }
}

extension HistoryFile {
    /// Adds the entries that wait for the history, and takes away those that it has.
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
    /// Brings entries that wait into the history, where this user may write it: so a commit that was interrupted is listed.
    public static func takeEntries(of state: StateDirectory) throws(DaybookError) {
        try state.recoverWhereAllowed()
        guard let names = try? DirectoryListing.names(in: state.entries), !names.isEmpty,
            access(state.path.systemPath, W_OK) == 0
        else { return }
        try HistoryFile.open(in: state).takeEntries(from: state)
    }
}

extension HistoryFile {
    /// The exit code of the last run of a job, but for one of its runs; nil where there is no other.
    ///
    /// The last is that which was added last, for clocks are put back. It is looked for from the end of the table, so no index of jobs is used.
    func lastExitCode(ofJob job: String, at path: String, without run: String) throws(DaybookError) -> Int? {
        let sql = """
            SELECT exit_code FROM runs WHERE +job = (SELECT id FROM jobs WHERE name = ?1 AND path = ?2) AND run <> ?3
            ORDER BY id DESC LIMIT 1
            """
        return try attempt { () throws(SQLiteError) in
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
            try file.attempt { () throws(SQLiteError) in
                try file.database.transaction { () throws(SQLiteError) in
                    for id in try file.ids(ofRun: run.description) { try file.addNotices(notices, to: id) }
                }
            }
        } catch { told.withLock { $0.append(error) } }
    }
}

extension DaybookError {
    /// Why a target was not told, where the message names it once more before the reason.
    fileprivate func reason(of target: String) -> String {
        let start = "nobody was told by the \(target): "
        return message.hasPrefix(start) ? String(message.dropFirst(start.count)) : message
    }
}

/// How a history keeps the paths of its jobs.
///
/// A job below the directory that holds the state directory is kept by its path from there: a project that is moved as a whole, or is
/// found at another place in a container, goes on with its history. Other jobs are kept by their whole path.
struct JobPaths {
    /// With a slash at its end.
    private let base: String

    /// - Parameter file: the history, whose state directory is the one that it stands in.
    init(inHistory file: String) {
        let directory = FilePath.canonical(FilePath.join(FilePath.directory(of: file), ".."))
        base = directory == "/" ? directory : directory + "/"
    }

    /// The path that is kept of a job whose path is `path`; empty for a job from standard input.
    func kept(_ path: String) -> String {
        guard path.hasPrefix(base) else { return path }
        return String(path.dropFirst(base.count))
    }

    /// The whole path of a job of which `path` is kept.
    func whole(_ path: String) -> String {
        guard !path.isEmpty, !path.hasPrefix("/") else { return path }
        return base + path
    }

    /// The path by which a job file is asked for, without secrets; empty for a job from standard input. A job file that is a link is known by
    /// where the link is, which is also where its paths begin: a cluster that mounts a job switches the link with every change.
    static func path(of jobFile: String, _ mask: SecretMask) -> String {
        jobFile == "-" ? "" : mask.masking(FilePath.place(of: jobFile))
    }
}

extension RunReport {
    /// The path by which the history knows the job.
    var historyPath: String { JobPaths.path(of: jobFile, mask) }
}

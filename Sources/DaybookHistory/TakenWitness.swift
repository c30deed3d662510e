import DaybookSQLite
import Foundation

/// A marker file in the state directory that says of a job: runs of it that held have taken what is new.
///
/// The history knows what they have taken. Where it is lost or was put aside, the witness is what keeps the next run from taking all files
/// again, and their rows a second time.
struct TakenWitness {
    private let directory: String
    private let file: String
    private let name: String
    private let path: String

    /// - Parameters:
    ///   - path: as the history keeps it.
    ///   - history: the file of the history, beside which the witnesses are.
    init(ofJob name: String, at path: String, besideHistory history: String) {
        (self.name, self.path) = (name, path)
        directory = FilePath.join(FilePath.directory(of: history), "taken")
        file = FilePath.join(directory, String(SHA256Digest.of("\(name)\u{0}\(path)").prefix(32)))
    }

    var isThere: Bool { (try? FileStatus.of(file)) != nil }

    /// Nothing depends on it but for a history that is lost, so no failure stops anything.
    func leave() {
        guard !isThere else { return }
        mkdir(directory.systemPath, 0o777)
        try? WholeFile.write(Bytes("\(name)\n\(path)\n"), to: file)
    }
}

extension HistoryFile {
    /// Whether it has a run of the job that held, or what such runs have taken.
    fileprivate func knowsTaken(ofJob name: String, at path: String) throws(DaybookError) -> Bool {
        let tables = ["taken", "marks"][..<(found < 4 ? 0 : found < 8 ? 1 : 2)]
        let others = tables.map { " OR EXISTS (SELECT 1 FROM \($0) WHERE job = jobs.id)" }.joined()
        let sql = """
            SELECT 1 FROM jobs WHERE name = ?1 AND path = ?2
                AND (EXISTS (SELECT 1 FROM runs WHERE job = jobs.id AND exit_code = 0)\(others))
            """
        return try reading { () throws(SQLiteError) in
            try !database.rows(sql, name, path) { $0.integer(0) }.isEmpty
        }
    }
}

extension StateDirectory {
    /// The history, where it can tell what runs of a job have taken; nil where there were none.
    ///
    /// One that is lost, or does not know a job that has taken something, is refused: to take all files would give their rows twice.
    func historyOfTaken(by job: (name: String, path: String)) throws(DaybookError) -> HistoryFile? {
        do throws(DaybookError) {
            try HistoryKeeper.takeEntries(of: self)
            let history = try HistoryFile.openToRead(in: self)
            let file = HistoryFile.path(in: self)
            let path = JobPaths(inHistory: file, version: history?.found ?? HistoryFile.version).kept(job.path)
            let isWitnessed = TakenWitness(ofJob: job.name, at: path, besideHistory: file).isThere
            if isWitnessed, try history?.knowsTaken(ofJob: job.name, at: path) != true {
                throw .machine("taken-unknown", "the history at '\(file)' does not know the runs that have taken files")
            }
            return history
        } catch {
            guard error.code != DaybookError.interrupted.code else { throw error }
            throw .takenUnknown(error)
        }
    }
}

extension DaybookError {
    /// Without the history, nobody knows what is new.
    static func takenUnknown(_ reason: DaybookError) -> DaybookError {
        .machine(
            "taken-unknown",
            "what earlier runs have read cannot be told: \(reason.message)",
            hint:
                "bring the history back, of which a damaged one is kept as 'history.sqlite.damaged-…', or read all with "
                + "'--full-refresh'; an output with 'append' would then have all rows twice, so remove it first"
        )
    }
}

import DaybookSQLite
import Foundation

/// A marker file in the state directory that says of a job which run of it was the last that held and took what is new.
///
/// The history knows what such runs have taken. Where it is lost or was put aside, or one of some nights ago has been brought back, it does not know
/// that run, and the witness keeps the next one from taking all files again, and their rows a second time.
struct TakenWitness {
    private let directory: String
    private let file: String
    private let name: String
    private let path: String

    private static let limit = 1 << 16

    /// - Parameters:
    ///   - path: as the history keeps it.
    ///   - history: the file of the history, beside which the witnesses are.
    init(ofJob name: String, at path: String, besideHistory history: String) {
        (self.name, self.path) = (name, path)
        directory = FilePath.join(FilePath.directory(of: history), "taken")
        file = FilePath.join(directory, String(SHA256Digest.of("\(name)\u{0}\(path)").prefix(32)))
    }

    /// The run that it names; nil where there is no witness.
    func run() throws(DaybookError) -> String? {
        let bytes: Bytes?
        do { bytes = try WholeFile.read(file, limit: TakenWitness.limit) } catch { throw .cannotRead(file, error) }
        guard let bytes else { return nil }
        return String(bytes.text(0..<bytes.count).prefix { $0 != "\n" })
    }

    /// Only a history that is lost depends on it, so a failure stops nothing: an older run that it names is known as well.
    func leave(_ run: String) {
        mkdir(directory.systemPath, 0o777)
        try? WholeFile.replace(file, with: Bytes("\(run)\n\(name)\n\(path)\n"), by: file + ".new")
    }
}

extension HistoryFile {
    /// Whether it knows what runs of a job have taken, up to the one that a witness names.
    ///
    /// The witness is written behind the history, so it may name an earlier run. That a history which was begun anew has the run is not enough:
    /// it does not know what those before it have taken, and has noted none of the job as `taken_by`.
    func knowsTaken(by run: String, ofJob name: String, at path: String) throws(SQLiteError) -> Bool {
        guard found >= 9 else { return false }
        let sql = """
            SELECT 1 FROM jobs WHERE name = ?1 AND path = ?2 AND taken_by IS NOT NULL
                AND (?3 IN (taken_by, taken_before) OR EXISTS (SELECT 1 FROM runs WHERE run = ?3))
            """
        return try !database.rows(sql, name, path, run) { $0.integer(0) }.isEmpty
    }

    /// Where a job of the name was when a later run than those of the job at `path` took what is new, and where no file is any more.
    func lostPlace(ofJob name: String, since path: String) throws(SQLiteError) -> String? {
        guard found >= 9 else { return nil }
        let sql = """
            SELECT path FROM jobs WHERE name = ?1 AND path NOT IN ('', ?2)
                AND taken_order > ifnull((SELECT taken_order FROM jobs WHERE name = ?1 AND path = ?2), 0)
            """
        let paths = try database.rows(sql, name, path) { $0.text(0) ?? "" }
        return paths.map(jobPaths.whole).first { access($0.systemPath, F_OK) != 0 }
    }

    /// Notes that a run is the last of its job that took what is new, unless what those before it have taken is not known: where the history
    /// was put aside since the run began, and this is the first run of a new one.
    func noteTaken(by record: RunRecord, at path: String, _ witness: TakenWitness) throws(SQLiteError) {
        if record.takesAll != true {
            let last: String?
            // One that cannot be read may name any run.
            do throws(DaybookError) { last = try witness.run() } catch { return }
            if let last, try !knowsTaken(by: last, ofJob: record.job, at: path) { return }
        }
        // A number, for the names of runs sort by their second alone, and clocks are put back.
        let sql = """
            UPDATE jobs SET taken_before = taken_by, taken_by = ?, taken_order = (SELECT ifnull(max(taken_order), 0) + 1 FROM jobs)
            WHERE name = ? AND path = ?
            """
        try SQLiteStatement(database, sql).run([record.run, record.job, path])
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
            try history?.checkPlace(ofJob: job.name, at: path)
            guard let last = try TakenWitness(ofJob: job.name, at: path, besideHistory: file).run() else {
                return history
            }
            let isKnown = try history?.reading { () throws(SQLiteError) in
                try history?.knowsTaken(by: last, ofJob: job.name, at: path) ?? false
            }
            guard isKnown == true else {
                throw .machine("taken-unknown", "the history at '\(file)' does not know the last run that took files")
            }
            return history
        } catch {
            guard error.code != DaybookError.interrupted.code else { throw error }
            throw .takenUnknown(error)
        }
    }
}

extension HistoryFile {
    /// Refuses to take all files for a job whose file was renamed: by its new path it has not taken what it has by the old one.
    fileprivate func checkPlace(ofJob name: String, at path: String) throws(DaybookError) {
        let place = try reading { () throws(SQLiteError) in try lostPlace(ofJob: name, since: path) }
        guard let place else { return }
        throw .machine(
            "taken-unknown",
            "job '\(name)' was '\(place)' when it last took what is new, and a job is known by its path",
            hint:
                "move the file back, or give a job that is another one another name; or read all with '--full-refresh', after which "
                + "the job is known by its new path"
        )
    }
}

extension DaybookError {
    /// Without the history, nobody knows what is new.
    static func takenUnknown(_ reason: DaybookError) -> DaybookError {
        let way = reason.code == "taken-unknown" ? reason.hint : nil
        return .machine(
            "taken-unknown",
            "what earlier runs have read cannot be told: \(reason.message)",
            hint: way
                ?? "bring the history back, of which a damaged one is kept as 'history.sqlite.damaged-…', or read all with "
                + "'--full-refresh'; an output with 'append' would then have all rows twice, so remove it first"
        )
    }
}

import DaybookSQLite

extension Plan {
    /// Whether some import leaves out files that an earlier run has taken.
    public var takesNewOnly: Bool {
        stages.contains { if case .source(let source) = $0.role { source.intake.isNewOnly } else { false } }
    }

    /// The files that runs of the job which held have read, as the history of a state directory knows them; nil where no import asks.
    ///
    /// A history that cannot be read stops such a run: to take all files would give rows twice.
    public func taken(in state: StateDirectory, jobFile: String) throws(DaybookError) -> TakenFiles? {
        guard takesNewOnly else { return nil }
        var taken = TakenFiles(mask: SecretMask(job.secrets), ofJob: jobFile)
        let asked = historyName(jobFile: jobFile)
        let history = try state.historyOfTaken(by: asked, isOneOfSeveral: job.isNamedByParams)
        guard let history else { return taken }
        do throws(DaybookError) {
            try history.taken(ofJob: asked.name, at: asked.path) { taken.add(path: $0, bytes: $1, xxh128: $2) }
        } catch { throw .takenUnknown(error) }
        return taken
    }

    /// The name and the path by which the history knows the job.
    func historyName(jobFile: String) -> (name: String, path: String) {
        let mask = SecretMask(job.secrets)
        return (
            job.name.isEmpty ? JobFile.name(of: jobFile) : mask.masking(job.name),
            JobPaths.path(of: jobFile, mask)
        )
    }
}

extension HistoryFile {
    /// Tells the inputs of all runs of a job that held, also of those that were pruned where the job takes only what is new.
    func taken(
        ofJob name: String,
        at path: String,
        _ body: (_ path: String, _ bytes: Int, _ xxh128: String) -> Void
    ) throws(DaybookError) {
        let pruned = found < 4 ? "" : "UNION SELECT file FROM taken WHERE job = (SELECT id FROM asked)"
        let sql = """
            WITH asked AS (SELECT id FROM jobs WHERE name = ? AND path = ?)
            SELECT path, bytes, xxh128 FROM files WHERE length(xxh128) > 0 AND id IN (
                SELECT file FROM run_files JOIN runs ON runs.id = run_files.run
                WHERE runs.job = (SELECT id FROM asked) AND exit_code = 0 AND is_output = 0 \(pruned)
            )
            """
        try reading { () throws(SQLiteError) in
            let statement = try SQLiteStatement(database, sql)
            try statement.bind(name, at: 1)
            try statement.bind(jobPaths.kept(path), at: 2)
            while try statement.step() {
                body(statement.text(0) ?? "", Int(statement.integer(1)), statement.digest(2) ?? "")
            }
        }
    }

    /// Keeps what runs have taken that are about to be forgotten, for jobs that take only what is new.
    func keepTaken(ofRuns ids: String) throws(SQLiteError) {
        try database.execute(
            """
            INSERT OR IGNORE INTO taken SELECT job, file FROM runs JOIN run_files ON run_files.run = runs.id
            WHERE runs.id IN (\(ids)) AND exit_code = 0 AND takes_new = 1 AND is_output = 0
            """
        )
    }
}

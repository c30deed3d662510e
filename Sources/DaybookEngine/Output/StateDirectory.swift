/// The directory where runs keep what outlives them: `.daybook` beside the job, unless `--state` names another.
///
/// `runs/<run-id>.open` lists the temporary files of a live run, `runs/<run-id>.journal` the renames of a commit, and
/// `manifests/` holds the last manifest of each job, `history.sqlite` the history of all runs, `entries/` what has yet to go there, and `taken/` which runs took what is new. `lock` is held while runs begin, commit or are recovered, so
/// several commands can share one directory. `locks/` holds the lock of each job that runs. Nothing is made before the
/// first run begins.
public struct StateDirectory: Sendable {
    public let path: String
    /// Asked while a command waits for another one; true ends the wait.
    public var isCancelled: @Sendable () -> Bool = { false }
    /// What is asked about commits of runs that were killed.
    public var services: @Sendable () -> [any CommitService] = { [] }

    public init(_ path: String) { self.path = path }

    /// What it is called beside a job.
    package static let name = ".daybook"

    /// Whether a file at `place` would be among those that runs keep. Beside these, a directory may hold what it likes.
    package func holds(_ place: String) -> Bool {
        let place = FilePath.canonical(place)
        return ["runs", "manifests", "locks", "lock", "entries", "taken", "history.sqlite", "history.sqlite-journal"]
            .contains {
                name in
                let kept = FilePath.canonical(FilePath.join(path, name))
                return place == kept || place.hasPrefix(kept + "/")
            }
    }

    /// The state directory of the job file at `path` when the command line names none.
    public static func beside(job path: String) -> StateDirectory {
        StateDirectory(FilePath.join(path == "-" ? "" : JobFile.directory(of: path), name))
    }

    /// Whether a run has made it already.
    public var isThere: Bool { access(path, F_OK) == 0 }

    package var runs: String { FilePath.join(path, "runs") }

    func runFile(_ run: RunID) -> String { "\(runs)/\(run)\(RunFile.suffix)" }
    func journal(_ run: RunID) -> String { "\(runs)/\(run).journal" }

    /// Begins a run: its outputs appear when the transaction is committed.
    public func beginRun(sha256: SHA256Policy = .auto) throws(DaybookError) -> OutputTransaction {
        try create()
        let run = RunID()
        let file = try whileLocked { () throws(DaybookError) in try RunFile(creating: runFile(run)) }
        return OutputTransaction(run: run, state: self, file: file, sha256: sha256)
    }

    /// Keeps `manifest` as the last one of the job `job`, and gives the path where it is.
    @discardableResult
    public func keepManifest(
        _ manifest: Bytes,
        ofJob job: String,
        for use: String = ""
    ) throws(DaybookError) -> String {
        try create()
        let directory = FilePath.join(path, "manifests")
        try makeDirectory(directory)
        let kept = FilePath.join(directory, StateDirectory.fileName(ofJob: job, for: use) + ".json")
        try WholeFile.write(manifest, to: kept)
        return kept
    }

    /// A job's name as a file name, which no other job's name becomes.
    ///
    /// Letters, digits, `-` and `_` stand for themselves. A name with anything else, or one that is too long, has `-` for each of the others, and
    /// its digest behind a `~`, which no name of the first kind holds.
    ///
    /// - Parameter use: what the file is for beside others of the job; it begins with `+`.
    static func fileName(ofJob job: String, for use: String = "") -> String {
        func isPlain(_ scalar: Unicode.Scalar) -> Bool {
            scalar.properties.isAlphabetic || scalar.properties.numericType != nil || scalar == "_" || scalar == "-"
        }
        var name = ""
        for scalar in job.unicodeScalars where name.utf8.count < 120 {
            name.unicodeScalars.append(isPlain(scalar) ? scalar : "-")
        }
        if !name.utf8.elementsEqual(job.utf8) || name.isEmpty { name += "~" + SHA256Digest.of(job).prefix(16) }
        return name + use
    }

    /// Runs `work` while no other command begins, commits or recovers a run in this directory.
    func whileLocked<Result>(
        _ work: () throws(DaybookError) -> Result
    ) throws(DaybookError) -> Result {
        let lockPath = FilePath.join(path, "lock")
        let lock: Descriptor
        do {
            lock = try Descriptor(opening: lockPath, O_RDWR | O_CREAT | O_NOFOLLOW)
            try lock.lock(unless: isCancelled)
        } catch { throw .cannotKeepState(lockPath, error) }
        defer { lock.shut() }
        return try work()
    }

    package func create() throws(DaybookError) {
        guard access(runs, F_OK) != 0 else { return }
        let isNew = access(path, F_OK) != 0
        for missing in OutputTarget.missingDirectories(above: runs) { try makeDirectory(missing) }
        try makeDirectory(runs)
        guard isNew else { return }
        // Jobs live in version control; what their runs leave behind does not.
        let ignoring = FilePath.join(path, ".gitignore")
        do {
            let file = try Descriptor(opening: ignoring, O_WRONLY | O_CREAT | O_NOFOLLOW)
            try file.writeAll(Bytes("*\n"))
        } catch { throw .cannotKeepState(ignoring, error) }
    }

    func makeDirectory(_ path: String) throws(DaybookError) {
        if mkdir(path, 0o777) != 0, errno != EEXIST { throw .cannotKeepState(path, .last) }
    }
}

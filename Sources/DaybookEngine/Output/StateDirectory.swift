import DaybookBytes

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
    func whileLocked<Result>(_ work: () throws(DaybookError) -> Result) throws(DaybookError) -> Result {
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

/// What a live run has put on the disk so far: `runs/<run-id>.open`, locked for as long as the run lives.
///
/// A path is noted before it is made, so a kill leaves nothing that is not noted. Paths are not flushed: after a
/// loss of power some temporary files may stay behind, and never a wrong output.
package struct RunFile {
    package enum Note: Equatable {
        /// A temporary file.
        case file(String)
        /// A directory that was made for an output.
        case directory(String)
        /// What takes part in the commit.
        case participant(ParticipantReference)
    }

    static let suffix = ".open"

    package let path: String
    package let descriptor: Descriptor

    /// Makes and locks the file. The caller holds the state directory's lock, so nobody finds it unlocked in between.
    package init(creating path: String) throws(DaybookError) {
        self.path = path
        do throws(SystemFailure) {
            descriptor = try Descriptor(opening: path, O_RDWR | O_CREAT | O_EXCL | O_APPEND | O_NOFOLLOW)
            guard try descriptor.lock() else { throw SystemFailure(EAGAIN) }
        } catch { throw .cannotKeepState(path, error) }
    }

    package func note(_ note: Note) throws(DaybookError) {
        let line =
            switch note {
            case .file(let path): "file\t\(PathField.written(path))\n"
            case .directory(let path): "directory\t\(PathField.written(path))\n"
            case .participant(let participant): participant.line
            }
        do throws(SystemFailure) {
            try descriptor.writeAll(Bytes(line))
            // What a service keeps of a run that nobody knows is never taken back.
            if case .participant = note { try descriptor.flush() }
        } catch { throw .cannotKeepState(path, error) }
    }

    /// The notes of a text. Lines that say nothing are passed over: the last one may have been cut off by a kill, and
    /// what is lost with them is only the clearing away of a file.
    package static func notes(in text: String) -> [Note] {
        text.split(separator: "\n").compactMap { line in
            let fields = line.split(separator: "\t", omittingEmptySubsequences: false)
            if let participant = ParticipantReference(line: fields) { return .participant(participant) }
            guard fields.count == 2, let path = PathField.read(fields[1]), path.hasPrefix("/") else { return nil }
            switch fields[0] {
            case "file": return .file(path)
            case "directory": return .directory(path)
            default: return nil
            }
        }
    }
}

/// The name of one run: when it started, in UTC, and a random part, such as `20261121T054700Z-8f3a91c2`.
///
/// Sorting by name sorts by the second in which runs started; those of one second come in no order. File names are made of it, so what is read back from a disk must pass `init?`.
public struct RunID: Sendable, Hashable, CustomStringConvertible {
    public let description: String

    /// A name that no other run has.
    package init() {
        let now = Instant.now.prefix(19).filter { $0 != "-" && $0 != ":" }
        let random = String(UInt32.random(in: 0x1000_0000 ... .max), radix: 16)
        description = "\(now)Z-\(random)"
    }

    /// The run that `text` names; nil when it is not the name of a run.
    package init?(_ text: some StringProtocol) {
        guard String(text).wholeMatch(of: /[0-9]{8}T[0-9]{6}Z-[0-9a-f]{8}/) != nil else { return nil }
        description = String(text)
    }

    /// The temporary file for output number `index` of this run, in the directory of its target.
    func temporaryName(_ index: Int) -> String { "\(temporaryPrefix)\(index)" }

    /// Whether `name` is a temporary file of this run, and so may be renamed or removed on its behalf.
    func owns(_ name: String) -> Bool {
        guard name.hasPrefix(temporaryPrefix) else { return false }
        let index = name.utf8.dropFirst(temporaryPrefix.utf8.count)
        return !index.isEmpty && index.allSatisfy { $0 >= UInt8(ascii: "0") && $0 <= UInt8(ascii: "9") }
    }

    /// Whether `path` lies in a directory that this run made to be published, and so may be removed on its behalf.
    func publishes(_ path: String) -> Bool { publishedDirectory(of: path) != nil }

    /// The directory on the way to `path` that this run made to be published.
    func publishedDirectory(of path: String) -> String? {
        var directory = FilePath.directory(of: path)
        while directory != "/", directory != "." {
            let name = FilePath.name(of: directory)
            if name.hasPrefix("."), name.hasSuffix(".\(self)"), name.utf8.count > description.utf8.count + 2 {
                return directory
            }
            directory = FilePath.directory(of: directory)
        }
        return nil
    }

    private var temporaryPrefix: String { ".daybook-\(description)-" }
}

/// Keeps what every run came to.
///
/// A run hands its entry over in the commit of its outputs: the journal of the commit has its text until `keep` has returned, so that a
/// run whose outputs are in place is in the history as well, whenever it is killed.
public protocol RunRecorder: Sendable {
    /// What is kept of a run that ends so. Called when its outputs are on the disk and none of them is in place.
    func entry(of run: RunID, _ outcome: RunOutcome) -> RunEntry
}

/// What is kept of a run.
public struct RunEntry {
    /// All of it, from which another command can keep it later.
    let text: String
    /// Keeps it, for good or for later; false where neither could be done.
    let keep: () -> Bool

    public init(text: String, keep: @escaping () -> Bool) { (self.text, self.keep) = (text, keep) }
}

extension StateDirectory {
    /// Where entries wait that no recorder has kept yet: those of commits that were interrupted, and those that could not be kept.
    package var entries: String { FilePath.join(path, "entries") }

    /// Leaves an entry for the next command that opens the history.
    package func keepForLater(_ entry: String, of run: RunID) throws(SystemFailure) {
        mkdir(entries.systemPath, 0o777)
        let path = FilePath.join(entries, "\(run).json")
        try WholeFile.replace(path, with: Bytes(entry), by: path + ".new")
    }
}

import DaybookBytes

/// Directory for data that outlives a run: `.daybook` beside the job, unless `--state` names another.
///
/// `runs/<run-id>.open` lists the temporary files of a live run, `runs/<run-id>.journal` the renames of a commit.
/// `manifests/` holds the last manifest of each job, `history.sqlite` the history of all runs, `entries/` the entries
/// that the history still lacks, and `taken/` the runs that imported new inputs. `lock` is held while runs begin,
/// commit or are recovered, so several commands can share one directory. `locks/` holds the lock of each running job.
/// The first run creates the directory.
public struct StateDirectory: Sendable {
    public let path: String
    /// Called while a command waits for another one; true ends the wait.
    public var isCancelled: @Sendable () -> Bool = { false }
    /// Services to query about commits of killed runs.
    public var services: @Sendable () -> [any CommitService] = { [] }

    public init(_ path: String) { self.path = path }

    /// Name of the directory beside a job.
    package static let name = JobFile.state

    /// Whether a file at `place` would be one of the state files. The directory may contain any other files.
    package func holds(_ place: String) -> Bool {
        let place = FilePath.canonical(place)
        let names = [
            "runs", "manifests", "locks", "lock", "entries", "taken", "history.sqlite", "history.sqlite-journal",
        ]
        return names.map { FilePath.canonical(FilePath.join(path, $0)) }.contains {
            place == $0 || place.hasPrefix($0 + "/")
        }
    }

    /// State directory of the job file at `path` when the command line names none.
    public static func beside(job path: String) -> StateDirectory {
        StateDirectory(FilePath.join(path == "-" ? "" : JobFile.directory(of: path), name))
    }

    /// Whether a run has created the directory.
    public var isThere: Bool { access(path, F_OK) == 0 }

    package var runs: String { FilePath.join(path, "runs") }

    func runFile(_ run: RunID) -> String { "\(runs)/\(run)\(RunFile.suffix)" }
    func journal(_ run: RunID) -> String { "\(runs)/\(run).journal" }

    /// Begins a run. Its outputs appear when the transaction is committed.
    public func beginRun(sha256: SHA256Policy = .auto) throws(DaybookError) -> OutputTransaction {
        try create()
        let run = RunID()
        let file = try whileLocked { () throws(DaybookError) in try RunFile(creating: runFile(run)) }
        return OutputTransaction(run: run, state: self, file: file, sha256: sha256)
    }

    /// Stores `manifest` as the last one of the job `job`, and returns its path.
    @discardableResult
    public func keepManifest(_ manifest: Bytes, ofJob job: String, for use: String = "") throws(DaybookError) -> String
    {
        try create()
        let directory = FilePath.join(path, "manifests")
        try makeDirectory(directory)
        let kept = FilePath.join(directory, StateDirectory.fileName(ofJob: job, for: use) + ".json")
        try WholeFile.write(manifest, to: kept)
        return kept
    }

    /// File name of a job, unique among all job names.
    ///
    /// Letters, digits, `-` and `_` represent themselves. In a name with other characters, or a name that is too long,
    /// `-` replaces each other character, and the digest follows a `~`, which no name of the first kind contains.
    ///
    /// - Parameter use: purpose of the file beside other files of the job; it begins with `+`.
    package static func fileName(ofJob job: String, for use: String = "") -> String {
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
    package func whileLocked<Result>(_ work: () throws(DaybookError) -> Result) throws(DaybookError) -> Result {
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
        // Jobs are under version control, but the state of their runs is not.
        let ignoring = FilePath.join(path, ".gitignore")
        do {
            let file = try Descriptor(opening: ignoring, O_WRONLY | O_CREAT | O_NOFOLLOW)
            try file.writeAll(Bytes("*\n"))
        } catch { throw .cannotKeepState(ignoring, error) }
    }

    package func makeDirectory(_ path: String) throws(DaybookError) {
        if mkdir(path, 0o777) != 0, errno != EEXIST { throw .cannotKeepState(path, .last) }
    }
}

extension WholeFile {
    /// Text of the file at `path`, of any length; nil if there is none.
    static func text(of path: String) throws(SystemFailure) -> String? {
        try read(path, limit: noLimit).map { $0.text(0..<$0.count) }
    }
}

/// Files of a live run so far: `runs/<run-id>.open`, locked while the run lives.
///
/// A path is noted before it is created, so a kill leaves no file without a note. Notes are not flushed: after a power
/// failure some temporary files may remain, but never a wrong output.
package struct RunFile {
    package enum Note: Equatable {
        /// A temporary file.
        case file(String)
        /// A directory that was created for an output.
        case directory(String)
        /// A participant of the commit.
        case participant(ParticipantReference)
    }

    static let suffix = ".open"

    package let path: String
    package let descriptor: Descriptor

    /// Creates and locks the file. The caller holds the state directory's lock, so no other process finds it unlocked
    /// in between.
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
            // Data in a service would never be discarded if its run were unknown.
            if case .participant = note { try descriptor.flush() }
        } catch { throw .cannotKeepState(path, error) }
    }

    /// Parses the notes. Invalid lines are skipped: a kill may have cut the last line, which only means that one file
    /// is not removed.
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

/// Name of one run: its start in UTC, and a random part, such as `20261121T054700Z-8f3a91c2`.
///
/// Sorting by name sorts by the start second; runs of the same second are in no order. File names contain it, so every
/// name from a disk must pass `init?`.
public struct RunID: Sendable, Hashable, CustomStringConvertible {
    public let description: String

    /// A unique new name.
    package init() {
        let now = Instant.now.prefix(19).filter { $0 != "-" && $0 != ":" }
        let random = String(UInt32.random(in: 0x1000_0000 ... .max), radix: 16)
        description = "\(now)Z-\(random)"
    }

    /// Run with the name `text`; nil if it is not the name of a run.
    package init?(_ text: some StringProtocol) {
        guard String(text).wholeMatch(of: /[0-9]{8}T[0-9]{6}Z-[0-9a-f]{8}/) != nil else { return nil }
        description = String(text)
    }

    /// Temporary file for output number `index` of this run, in the directory of its target.
    func temporaryName(_ index: Int) -> String { "\(temporaryPrefix)\(index)" }

    /// Whether `name` is a temporary file of this run, and so may be renamed or removed on its behalf.
    func owns(_ name: String) -> Bool {
        guard name.hasPrefix(temporaryPrefix) else { return false }
        let index = name.utf8.dropFirst(temporaryPrefix.utf8.count)
        return !index.isEmpty && index.allSatisfy { $0 >= UInt8(ascii: "0") && $0 <= UInt8(ascii: "9") }
    }

    /// Directory above `path` that this run made to publish, whose files may be removed on its behalf.
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

/// Records the result of every run.
///
/// A run hands over its entry in the commit of its outputs. The journal of the commit contains its text until `keep`
/// has returned, so that a run whose outputs are in place is also in the history, whenever it is killed.
public protocol RunRecorder: Sendable {
    /// Entry of a run that ends with an outcome. Called when its outputs are on disk and none is in place.
    func entry(of run: RunID, _ outcome: RunOutcome) -> RunEntry
}

/// History entry of a run.
public struct RunEntry {
    /// Complete text, from which another command can store the entry later.
    let text: String
    /// Stores the entry, at once or later; false if both fail.
    let keep: () -> Bool

    public init(text: String, keep: @escaping () -> Bool) { (self.text, self.keep) = (text, keep) }
}

extension StateDirectory {
    /// Directory of entries that no recorder has stored yet, from interrupted commits and from failed attempts.
    package var entries: String { FilePath.join(path, "entries") }

    /// Leaves an entry for the next command that opens the history.
    package func keepForLater(_ entry: String, of run: RunID) throws(SystemFailure) {
        mkdir(entries.systemPath, 0o777)
        let path = FilePath.join(entries, "\(run).json")
        try WholeFile.replace(path, with: Bytes(entry), by: path + ".new")
    }
}

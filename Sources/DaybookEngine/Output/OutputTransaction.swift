import DaybookBytes
import Synchronization

/// All outputs of a run: they appear together at `commit()`, or none does.
///
/// One thread at a time uses the transaction; other threads may write the files from `open`. A transaction that is
/// released without a commit is aborted.
public final class OutputTransaction {
    public let run: RunID
    /// Outputs in the order of opening.
    public private(set) var outputs: [OutputFile] = []

    /// Policy for the SHA-256 of outputs.
    private let sha256: SHA256Policy
    package let state: StateDirectory
    package let file: RunFile
    package private(set) var places: [String: String] = [:]
    private(set) var madeDirectories: [String] = []
    package var isOver = false
    /// Directory that the run publishes; nil without a publication.
    private(set) var publication: Publication?
    /// Files of containers, which have no outputs.
    var copied: [String] = []
    /// Paths of outputs that have gone into an archive.
    var packed: Set<String> = []
    /// Directories of containers, of which some have no files.
    private(set) var copiedDirectories: [String] = []
    /// Temporary names that a commit makes beside the outputs and removes at its end.
    var passing: [String] = []
    /// Number of renames in the journal of the commit.
    var journalled = 0
    /// New directory of the publication, locked while the run lives.
    private var published: Descriptor?

    /// State of the files of the run.
    public internal(set) var outputState = OutputState.old
    /// Streams that have received bytes, which cannot be withdrawn.
    public internal(set) var fedStreams: [String] = []
    /// Called when the commit waits for another process.
    public var onWait: (String) -> Void = { _ in }

    /// Checks again the base files of outputs, while locks keep other runs from replacing them.
    var checkBases: () throws(DaybookError) -> Void = { () throws(DaybookError) in }
    /// Whether outputs have base files that other programs may write, too.
    var hasBases = false
    /// Locks held from the last check of old files until the new ones are in place.
    private var locks = TargetLock()

    /// Services that take part in the commit, in the order of joining.
    private(set) var participants: [any CommitParticipant] = []
    /// Name of the job, for messages about an undecided commit.
    var job = ""
    /// Commits that were incomplete when the run began.
    var undecided = Recovery()

    /// Makes the history entry of the run, once its outputs are on disk; nil without a history.
    var makeEntry: (() -> RunEntry)?

    /// Called after each step of a commit; true stops it there like a kill. For tests.
    var isKilled: (CommitStep) -> Bool = { _ in false }

    package init(run: RunID, state: StateDirectory, file: RunFile, sha256: SHA256Policy) {
        (self.run, self.state, self.file, self.sha256) = (run, state, file, sha256)
    }

    deinit { abort() }

    /// Makes the outputs below `directory`, relative to `base`, appear by the switch of one link.
    ///
    /// - Parameter job: name of the job, for messages to other jobs that would publish there too.
    package func publish(_ directory: PathText, from base: String, of job: String?) throws(DaybookError) {
        precondition(outputs.isEmpty, "a publication begins before its outputs are opened")
        publication = try Publication(directory, from: base, of: job, run: run)
    }

    /// Opens an output for `path`, relative to the directory `base`; `-` is standard output.
    ///
    /// Bytes go to a temporary file beside the target. It keeps the permissions and, where the system allows it, the
    /// owner of the file that it will replace. Missing directories are created, and removed again if the run does not
    /// commit.
    ///
    /// - Parameter foretell: estimated final length at a current length; nil if unknown. It saves time and has no other
    ///   effect.
    public func open(
        _ path: String,
        from base: String = "",
        foretell: @escaping (Int) -> Int? = { _ in nil }
    ) throws(DaybookError) -> OutputFile {
        try add(path, from: base) { (target) throws(DaybookError) in
            guard !target.isFile else { return try openFile(target, foretell) }
            if let deciding { throw .streamBeside(deciding) }
            return try openStream(target, foretell)
        }
    }

    /// Adds a service to the commit. The note is on disk before the service may keep any data of the run.
    package func join(_ participant: any CommitParticipant) throws(DaybookError) {
        precondition(!isOver, "a transaction that is over takes no participants")
        let reference = participant.reference
        if reference.role == .deciding {
            if let deciding {
                throw DaybookError(
                    "two-deciding",
                    "the commits of '\(deciding.address)' and '\(reference.address)' would both decide whether the outputs become new",
                    hint: "write to one of them in a second job, which runs after this one"
                )
            }
            if outputs.contains(where: { !$0.target.isFile }) { throw .streamBeside(reference) }
        }
        try file.note(.participant(reference))
        participants.append(participant)
    }

    /// Discards the run's data in services, as after a failed gate.
    func discardParticipants() {
        for participant in participants.reversed() { participant.rollBack() }
        participants = []
    }

    private var deciding: ParticipantReference? {
        participants.map(\.reference).first { $0.role == .deciding }
    }

    /// Adopts a part that a shard wrote for an output at `path` in the directory that the job publishes.
    ///
    /// The part also keeps its own name, so that a failed merge can be repeated.
    func adopt(
        _ part: OutputPart,
        at place: String,
        as path: String,
        from base: String
    ) throws(DaybookError) -> OutputFile {
        try add(path, from: base) { (target) throws(DaybookError) in
            precondition(target.isPublished, "an output in parts is published")
            try makeDirectories(above: target.path, for: target.written)
            try file.note(.file(target.path))
            do throws(SystemFailure) {
                let taken = try part.take(from: place, as: target.path)
                let digest = try part.digest(of: taken, sha256)
                return OutputFile(target, taken, byteCount: part.bytes, digest: digest)
            } catch { throw part.refusal(of: target.shown, error) }
        }
    }

    private func add(
        _ path: String,
        from base: String,
        make: (OutputTarget) throws(DaybookError) -> OutputFile
    ) throws(DaybookError) -> OutputFile {
        precondition(!isOver, "a transaction that is over opens no outputs")
        let target =
            if let publication, Publication.rest(of: path, below: publication.written) != nil {
                try OutputTarget(path, from: base, in: publication)
            } else {
                try OutputTarget(path, from: base)
            }
        if let other = places[target.path] { throw .outputTwice(path, other) }
        try undecided.refuse([target.path], of: job)
        let output = try make(target)
        places[target.path] = path
        outputs.append(output)
        return output
    }

    /// Removes an output from the transaction: its old file stays as it is.
    public func discard(_ output: OutputFile) {
        guard let index = outputs.firstIndex(where: { $0 === output }) else { return }
        outputs.remove(at: index)
        if output.target.isFile { unlink(output.temporary) }
        output.shut()
        // Directories with the temporary file of another output are not empty, and stay.
        for directory in madeDirectories.reversed() { rmdir(directory) }
    }

    /// Removes all temporary files; the old outputs stay. A second call, or a call after a commit, has no effect.
    public func abort() {
        guard !isOver else { return }
        guard withdrawJournal() else {
            // The next command continues the commit, and needs the files.
            outputState = .mixed(new: 0, of: journalled)
            return die()
        }
        let made =
            outputs.filter(\.target.isFile).map(\.temporary) + copied + passing + (publication.map { [$0.list] } ?? [])
        let isClean = made.map(removed).allSatisfy { $0 }
        for directory in madeDirectories.reversed() { rmdir(directory) }
        discardParticipants()
        finish(isClean: isClean)
    }

    /// Makes paths for a writer's own files in the state directory, which a later run would remove.
    var scratchPaths: @Sendable () throws(DaybookError) -> String {
        let prefix = "\(state.runs)/\(run).\(OutputTransaction.scratchName)"
        return { [scratchNumber] () throws(DaybookError) in "\(prefix)\(scratchNumber.next())" }
    }

    private static let scratchName = "scratch-"
    /// Shared by all writers of the run, so that each path is unique.
    private let scratchNumber = ScratchNumber()

    func removeScratch() {
        let prefix = "\(run).\(OutputTransaction.scratchName)"
        for name in (try? DirectoryListing.names(in: state.runs)) ?? [] where name.hasPrefix(prefix) {
            unlink(FilePath.join(state.runs, name))
        }
    }

    private func openFile(
        _ target: OutputTarget,
        _ foretell: @escaping (Int) -> Int?
    ) throws(DaybookError) -> OutputFile {
        try makeDirectories(above: target.path, for: target.written)
        // In a directory without readers, an output has its final name from the beginning.
        let temporary =
            target.isPublished
            ? target.path : FilePath.join(FilePath.directory(of: target.path), run.temporaryName(places.count))
        try file.note(.file(temporary))
        do {
            let descriptor = try Descriptor(opening: temporary, O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW)
            if case .file(let old?) = target.kind { descriptor.takeOver(old) }
            return OutputFile(target, at: temporary, descriptor, sha256: sha256, foretell: foretell)
        } catch { throw .cannotWrite(target.written, error) }
    }

    /// - Parameter written: path of the output, for messages.
    func makeDirectories(above path: String, for written: String) throws(DaybookError) {
        for directory in OutputTarget.missingDirectories(above: path) {
            try file.note(.directory(directory))
            if mkdir(directory, 0o777) == 0 {
                madeDirectories.append(directory)
                if let publication, directory == publication.directory { try begin(publication, for: written) }
            } else if errno != EEXIST {
                throw .cannotWrite(written, .last)
            }
        }
    }

    /// Takes over what a copy of a container has made, also an incomplete one.
    func adopt(_ copy: DirectoryCopy) {
        copied += copy.files
        copiedDirectories += copy.directories
        madeDirectories += copy.directories
    }

    /// A stream cannot be renamed: its bytes wait in an unnamed file and are copied out at the commit.
    private func openStream(
        _ target: OutputTarget,
        _ foretell: @escaping (Int) -> Int?
    ) throws(DaybookError) -> OutputFile {
        let path = "\(state.runs)/\(run).stream-\(places.count)"
        do {
            let descriptor = try Descriptor(opening: path, O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW, mode: 0o600)
            unlink(path)
            return OutputFile(target, at: path, descriptor, sha256: sha256, foretell: foretell)
        } catch { throw .cannotKeepState(path, error) }
    }

    /// Copies the attributes of the previous directory to the new one of a publication, and locks it against removal by
    /// other runs.
    private func begin(_ publication: Publication, for written: String) throws(DaybookError) {
        do throws(SystemFailure) {
            let opened = try Descriptor(opening: publication.directory, O_RDONLY | O_DIRECTORY | O_NOFOLLOW)
            guard try opened.lock() else { throw SystemFailure(EWOULDBLOCK) }
            if let old = try FileStatus.of(publication.link), old.isDirectory {
                opened.takeOver(old, permissions: 0o7777)
            }
            published = opened
        } catch { throw .cannotWrite(written, error) }
    }

    /// Removes a file of the run; false if it still exists.
    func removed(_ path: String) -> Bool { unlink(path) == 0 || errno == ENOENT || errno == ENOTDIR }

    /// Ends the run's part in the state directory.
    ///
    /// - Parameter isClean: Whether all files of the run are removed; otherwise the next command removes them by the
    ///   run file.
    package func finish(isClean: Bool) {
        removeScratch()
        if isClean { unlink(file.path) }
        die()
    }

    package func stop(after step: CommitStep) throws(DaybookError) {
        guard isKilled(step) else { return }
        die()
        throw .interrupted
    }

    /// Unlocks the directories of the outputs while a service is waited for. Not for outputs with base files: additions
    /// of other programs would be lost.
    func unlockTargets() { if !hasBases { locks = TargetLock() } }

    /// Locks the directories of all files that the commit puts in place.
    ///
    /// - Parameter isDecided: whether the commit can no longer be undone, so that even a cancelled run waits.
    func lockTargets(isDecided: Bool = false) throws(DaybookError) {
        guard !isDecided || !hasBases else { return }
        let files = outputs.filter { $0.target.isFile && !$0.target.isPublished }.map(\.target)
        var places = files.map { (path: $0.path, shown: $0.shown) }
        if let publication, files.count < outputs.count(where: \.target.isFile) {
            places.append((publication.link, publication.written))
        }
        do throws(SystemFailure) {
            locks = try TargetLock(of: places, unless: isDecided ? { false } : state.isCancelled) { shown in
                onWait("waiting for another run that writes beside '\(shown)'")
            }
        } catch { throw .cannotWrite(places[0].shown, error) }
    }

    /// Releases everything without cleaning up, like a kill; the next recovery continues from there.
    func die() {
        isOver = true
        locks = TargetLock()
        for output in outputs { output.shut() }
        published?.shut()
        file.descriptor.shut()
    }
}

/// Number of the next scratch file of a run, from any thread.
private final class ScratchNumber: Sendable {
    private let count = Atomic(0)

    func next() -> Int { count.wrappingAdd(1, ordering: .relaxed).newValue }
}

/// State of the outputs of a run, also of a failed one.
public enum OutputState: Sendable, Equatable {
    /// Every file is as before the run.
    case old
    /// Some files of all are new, and the others old until the next command puts them in place.
    case mixed(new: Int, of: Int)
    /// Every file is as before, and becomes new once the service at an address is known to have committed.
    case undecided(String)
    /// Every file is new.
    case new
}

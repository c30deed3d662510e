import DaybookBytes
import Synchronization

/// All outputs of a run: together they appear at `commit()`, or none does.
///
/// Used by one thread at a time; the files that `open` gives out may be written by others. A transaction that is let
/// go without a commit is aborted.
public final class OutputTransaction {
    public let run: RunID
    /// In the order in which they were opened.
    public private(set) var outputs: [OutputFile] = []

    /// Of which of its outputs the SHA-256 is taken.
    private let sha256: SHA256Policy
    package let state: StateDirectory
    package let file: RunFile
    package private(set) var places: [String: String] = [:]
    private var madeDirectories: [String] = []
    package var isOver = false
    /// The directory that the run publishes; nil where its job publishes none.
    private(set) var publication: Publication?
    /// Names that a commit makes beside the outputs, to be gone at its end.
    var passing: [String] = []
    /// How many renames the journal of the commit tells of.
    var journalled = 0
    /// The new directory of the publication, locked for as long as the run lives.
    private var published: Descriptor?

    /// What is true of the files of the run.
    public internal(set) var outputState = OutputState.old
    /// The streams that bytes have gone to, which nobody can take back.
    public internal(set) var fedStreams: [String] = []
    /// Told when the commit waits for somebody.
    public var onWait: (String) -> Void = { _ in }

    /// Looks once more at the files that outputs start from, while nobody else can put others in their place.
    var checkBases: () throws(DaybookError) -> Void = { () throws(DaybookError) in }
    /// Whether outputs start from files that others may write, too.
    var hasBases = false
    /// Held from before the last look at old files until the new ones are in place.
    private var locks = TargetLock()

    /// The services that take part in the commit, in the order in which they joined.
    private(set) var participants: [any CommitParticipant] = []
    /// The job, by which a commit that nobody knows the end of is told.
    var job = ""
    /// The commits that were not over when the run began.
    var undecided = Recovery()

    /// Makes what the history is to keep of the run, once its outputs are on the disk; nil where nobody keeps one.
    var makeEntry: (() -> RunEntry)?

    /// Asked after each step of a commit; true stops it there as a kill would. For tests.
    var isKilled: (CommitStep) -> Bool = { _ in false }

    package init(run: RunID, state: StateDirectory, file: RunFile, sha256: SHA256Policy) {
        self.sha256 = sha256
        self.run = run
        self.state = state
        self.file = file
    }

    deinit { abort() }

    /// Lets the outputs below `directory`, seen from `base`, appear by the switch of one link.
    ///
    /// - Parameter job: the name of the job, which others are told that would publish there too.
    package func publish(_ directory: PathText, from base: String, of job: String?) throws(DaybookError) {
        precondition(outputs.isEmpty, "a publication begins before its outputs are opened")
        publication = try Publication(directory, from: base, of: job, run: run)
    }

    /// Opens an output for `path`, seen from the directory `base`; `-` is standard output.
    ///
    /// Its bytes go to a temporary file beside the target, which keeps the permissions and, where the system allows
    /// it, the owner of the file that it will replace. Missing directories are made, and removed again if the run
    /// does not come to its commit.
    ///
    /// - Parameter foretell: about how many bytes it will have once it has so many, where anybody knows. Saves time, and makes no
    ///   difference otherwise.
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

    /// Lets a service take part in the commit. It is noted on the disk before it may keep anything of the run.
    package func join(_ participant: any CommitParticipant) throws(DaybookError) {
        precondition(!isOver, "a transaction that is over takes no participants")
        let reference = participant.reference
        if reference.role == .deciding {
            if let deciding { throw .twoDeciding(deciding, reference) }
            if outputs.contains(where: { !$0.target.isFile }) { throw .streamBeside(reference) }
        }
        try file.note(.participant(reference))
        participants.append(participant)
    }

    /// Takes back what services have of the run, as where a gate failed.
    func discardParticipants() {
        for participant in participants.reversed() { participant.rollBack() }
        participants = []
    }

    private var deciding: ParticipantReference? {
        participants.map(\.reference).first { $0.role == .deciding }
    }

    /// Takes a part that a shard has written for an output at `path`, which lies in the directory that the job publishes.
    ///
    /// It keeps its own name besides, so that a merge that fails can be done again.
    func adopt(
        _ part: OutputPart,
        at place: String,
        as path: String,
        from base: String
    ) throws(DaybookError) -> OutputFile {
        try add(path, from: base) { (target) throws(DaybookError) in
            precondition(target.isPublished, "an output in parts is published")
            try makeDirectories(for: target)
            try file.note(.file(target.path))
            do throws(SystemFailure) {
                let taken = try part.take(from: place, as: target.path)
                let digest = try part.digest(of: taken, sha256)
                return OutputFile(target: target, descriptor: taken, byteCount: part.bytes, digest: digest)
            } catch { throw part.refusal(of: target.shown, error) }
        }
    }

    private func add(
        _ path: String,
        from base: String,
        make: (OutputTarget) throws(DaybookError) -> OutputFile
    ) throws(DaybookError) -> OutputFile {
        precondition(!isOver, "a transaction that is over opens no outputs")
        let target = try target(of: path, from: base)
        if let other = places[target.key] { throw .outputTwice(path, other) }
        try undecided.refuse([target.path], of: job)
        let output = try make(target)
        places[target.key] = path
        outputs.append(output)
        return output
    }

    private func target(of path: String, from base: String) throws(DaybookError) -> OutputTarget {
        guard let publication, Publication.rest(of: path, below: publication.written) != nil else {
            return try OutputTarget(path, from: base)
        }
        return try OutputTarget(path, from: base, in: publication)
    }

    /// Takes an output out of the transaction: it is not put in place, and its old file stays as it is.
    public func discard(_ output: OutputFile) {
        guard let index = outputs.firstIndex(where: { $0 === output }) else { return }
        outputs.remove(at: index)
        if output.target.isFile { unlink(output.temporary) }
        output.shut()
        // Those that hold the temporary file of another output are not empty, and stay.
        for directory in madeDirectories.reversed() { rmdir(directory) }
    }

    /// Removes all temporary files; the old outputs stay as they are. Again, or after a commit, it does nothing.
    public func abort() {
        guard !isOver else { return }
        guard withdrawJournal() else {
            // The next command goes on with the commit, and needs the files.
            outputState = .mixed(new: 0, of: journalled)
            return die()
        }
        let made = outputs.filter(\.target.isFile).map(\.temporary) + passing + (publication.map { [$0.list] } ?? [])
        let isClean = made.map(removed).allSatisfy { $0 }
        for directory in madeDirectories.reversed() { rmdir(directory) }
        discardParticipants()
        finish(isClean: isClean)
    }

    /// Makes paths for files of a writer's own, in the state directory, where a later run would clear them away.
    var scratchPaths: @Sendable () throws(DaybookError) -> String {
        let prefix = "\(state.runs)/\(run).\(OutputTransaction.scratchName)"
        return { [scratchNumber] () throws(DaybookError) in "\(prefix)\(scratchNumber.next())" }
    }

    private static let scratchName = "scratch-"
    /// One for all writers of the run, or two of them would be given one path.
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
        try makeDirectories(for: target)
        // In a directory that nobody reads yet, an output has its name from the beginning.
        let temporary =
            target.isPublished
            ? target.path : FilePath.join(FilePath.directory(of: target.path), run.temporaryName(places.count))
        try file.note(.file(temporary))
        do {
            let descriptor = try Descriptor(opening: temporary, O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW)
            if case .file(let old?) = target.kind { descriptor.takeOver(old) }
            return OutputFile(
                target: target,
                temporary: temporary,
                descriptor: descriptor,
                sha256: sha256,
                foretell: foretell
            )
        } catch { throw .cannotWrite(target.written, error) }
    }

    private func makeDirectories(for target: OutputTarget) throws(DaybookError) {
        for directory in target.missingDirectories() {
            try file.note(.directory(directory))
            if mkdir(directory, 0o777) == 0 {
                madeDirectories.append(directory)
                if let publication, directory == publication.directory { try begin(publication, for: target) }
            } else if errno != EEXIST {
                throw .cannotWrite(target.written, .last)
            }
        }
    }

    /// A stream cannot be renamed: its bytes wait in a nameless file and are copied out at the commit.
    private func openStream(
        _ target: OutputTarget,
        _ foretell: @escaping (Int) -> Int?
    ) throws(DaybookError) -> OutputFile {
        let path = "\(state.runs)/\(run).stream-\(places.count)"
        do {
            let descriptor = try Descriptor(opening: path, O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW, mode: 0o600)
            unlink(path)
            return OutputFile(
                target: target,
                temporary: path,
                descriptor: descriptor,
                sha256: sha256,
                foretell: foretell
            )
        } catch { throw .cannotKeepState(path, error) }
    }

    /// Gives the new directory of a publication what the one before it has, and keeps other runs from removing it.
    private func begin(_ publication: Publication, for target: OutputTarget) throws(DaybookError) {
        do throws(SystemFailure) {
            let opened = try Descriptor(opening: publication.directory, O_RDONLY | O_DIRECTORY | O_NOFOLLOW)
            guard try opened.lock() else { throw SystemFailure(EWOULDBLOCK) }
            if let old = try FileStatus.of(publication.link), old.isDirectory {
                opened.takeOver(old, permissions: 0o7777)
            }
            published = opened
        } catch { throw .cannotWrite(target.written, error) }
    }

    /// Takes a file of the run away; false when it is still there.
    func removed(_ path: String) -> Bool { unlink(path) == 0 || errno == ENOENT || errno == ENOTDIR }

    /// Ends the run's part in the state directory.
    ///
    /// - Parameter isClean: Whether nothing of the run is left; otherwise the next command clears it away by the run file.
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

    /// Lets others write beside the outputs while a service is waited for. Not where outputs start from old files: what others add to them
    /// meanwhile would be lost.
    func unlockTargets() { if !hasBases { locks = TargetLock() } }

    /// Takes the locks of the directories of all files that the commit puts in place.
    ///
    /// - Parameter isDecided: whether nothing can be taken back any more, so that a person who stops the run waits too.
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

    /// Lets go of everything without putting it away, as a kill does; the next recovery goes on from there.
    func die() {
        isOver = true
        locks = TargetLock()
        for output in outputs { output.shut() }
        published?.shut()
        file.descriptor.shut()
    }
}

/// Counts the scratch files of a run, on any thread.
private final class ScratchNumber: Sendable {
    private let count = Atomic(0)

    func next() -> Int { count.wrappingAdd(1, ordering: .relaxed).newValue }
}

/// What is true of the outputs of a run, also of one that failed.
public enum OutputState: Sendable, Equatable {
    /// Every file is as it was before the run.
    case old
    /// So many files of all are new, and the others old until the next command puts them in place.
    case mixed(new: Int, of: Int)
    /// Every file is as it was, and becomes new once the service at an address is known to have committed.
    case undecided(String)
    /// Every file is new.
    case new
}

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
            target.isFile ? try openFile(target, foretell) : try openStream(target, foretell)
        }
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
            return OutputFile(part, target: target, descriptor: try part.take(from: place, as: target.path))
        }
    }

    private func add(
        _ path: String,
        from base: String,
        make: (OutputTarget) throws(DaybookError) -> OutputFile
    ) throws(DaybookError) -> OutputFile {
        precondition(!isOver, "a transaction that is over opens no outputs")
        var target = try OutputTarget(path, from: base)
        if let publication, target.isFile, Publication.rest(of: path, below: publication.written) != nil {
            target = target.published(in: publication)
        }
        if let other = places[target.key] {
            let same = other == path ? "" : ", also written as '\(other)'"
            throw DaybookError(
                "output-twice",
                "two outputs go to '\(path)'\(same)",
                hint: "give each output a path of its own"
            )
        }
        let output = try make(target)
        places[target.key] = path
        outputs.append(output)
        return output
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

    /// Lets go of everything without putting it away, as a kill does; the next recovery goes on from there.
    func die() {
        isOver = true
        for output in outputs { output.shut() }
        published?.shut()
        file.descriptor.shut()
    }
}

/// A moment of a commit at which a kill must leave all outputs old or, after recovery, all new.
package enum CommitStep: Equatable {
    case flushed
    case journalled
    case renamed(Int)
}

/// Counts the scratch files of a run, on any thread.
private final class ScratchNumber: Sendable {
    private let count = Atomic(0)

    func next() -> Int { count.wrappingAdd(1, ordering: .relaxed).newValue }
}

/// How outputs are put in place.
///
/// Between the first rename and the last nothing else is done: what can be done before is done before, and what may wait
/// comes afterwards. A rename that frees the old file would take as long as the file is large, so each old file gets a
/// second name before and loses it afterwards.
extension OutputTransaction {
    /// Puts all outputs in place.
    ///
    /// Everything is flushed to the disk first; then streams are copied out, the renames are journalled and made. After an
    /// error `outputState` says what is true of the files: before the first rename all are old, and later the next command
    /// goes on with the journal.
    public func commit() throws(DaybookError) {
        precondition(!isOver, "a transaction is committed once")
        do {
            for output in outputs { try output.flush() }
            try sealPublication()
            try stop(after: .flushed)
            for output in outputs where !output.target.isFile { try feed(output) }
        } catch {
            abort()
            throw error
        }
        var renames = outputs.filter { $0.target.isFile && !$0.target.isPublished }.map {
            Journal.Rename(temporary: $0.temporary, target: $0.target.path)
        }
        if let publication = filledPublication {
            renames.append(Journal.Rename(temporary: newLink(of: publication), target: publication.link))
        }
        guard !renames.isEmpty else {
            outputState = .new
            return finish(isClean: true)
        }
        var previous: String?
        try state.whileLocked { () throws(DaybookError) in
            do throws(DaybookError) { try filledPublication?.check() } catch {
                abort()
                throw error
            }
            previous = filledPublication.flatMap { FilePath.link(at: $0.link) }
            try rename(Journal(run: run, renames: renames))
        }
        filledPublication?.removeOlder(but: previous)
    }

    private func feed(_ output: OutputFile) throws(DaybookError) {
        do {
            try output.copyToStream(isCancelled: state.isCancelled, onWait: onWait) {
                if !fedStreams.contains(output.streamName) { fedStreams.append(output.streamName) }
            }
        } catch {
            guard error.code == DaybookError.interrupted.code, !fedStreams.isEmpty else { throw error }
            var error = error
            error.hint =
                "the old files are as they were; \(fedStreams.joined(separator: " and ")) got a part of the rows"
            throw error
        }
    }

    // MARK: - Renames

    private func rename(_ journal: Journal) throws(DaybookError) {
        do {
            // An older commit that was cut short comes first, or the next recovery would put its outputs over these.
            _ = try state.recoverWhileLocked()
            try keepOldFiles(journal)
            // One rename is all or nothing by itself.
            if journal.renames.count > 1 {
                journalled = outputCount(of: journal.renames[...])
                try write(journal)
            }
            try stop(after: .journalled)
        } catch {
            if !isOver { abort() }
            throw error
        }
        for (index, entry) in journal.renames.enumerated() {
            do {
                try entry.make()
            } catch {
                throw failed(at: index, of: journal, error)
            }
            try stop(after: .renamed(index))
        }
        outputState = .new
        let isFlushed = Result { () throws(SystemFailure) in try journal.flushDirectories() }
        // All at once would let go of the last names of much data; still nobody waits for it but this run.
        let isClean = passing.map(removed).allSatisfy { $0 }
        if case .failure(let failure) = isFlushed {
            // With the journal still there, the next command flushes them again.
            journal.renames.count > 1 ? die() : finish(isClean: isClean)
            throw .notFlushed(failure)
        }
        unlink(state.journal(run))
        finish(isClean: isClean)
    }

    /// Ends a commit at a rename that the system refused.
    private func failed(at index: Int, of journal: Journal, _ failure: SystemFailure) -> DaybookError {
        let target = journal.renames[index].target
        // As long as nothing has moved, all can be taken back.
        if index == 0 {
            abort()
            if outputState == .old { return .cannotWrite(target, failure) }
        }
        outputState = .mixed(
            new: outputCount(of: journal.renames[..<index]),
            of: outputCount(of: journal.renames[...])
        )
        die()
        return .unfinishedCommit(target, failure, outputState, journal: state.journal(run))
    }

    /// How many outputs renames put in place; the one of a publication all that lie in its directory.
    private func outputCount(of renames: ArraySlice<Journal.Rename>) -> Int {
        let published = outputs.count { $0.target.isPublished }
        return renames.reduce(0) { $0 + ($1.target == publication?.link ? published : 1) }
    }

    /// Gives every file that will be replaced a second name; where a file system or its owner forbids that, it has none.
    private func keepOldFiles(_ journal: Journal) throws(DaybookError) {
        for (index, entry) in journal.renames.enumerated() {
            guard let found = try? FileStatus.of(entry.target, followingLinks: false), found.isRegularFile else {
                continue
            }
            let name = FilePath.join(
                FilePath.directory(of: entry.target),
                run.temporaryName(places.count + 1 + index)
            )
            try file.note(.file(name))
            if link(entry.target, name) == 0 { passing.append(name) }
        }
    }

    private func write(_ journal: Journal) throws(DaybookError) {
        let path = state.journal(run)
        do {
            try WholeFile.replace(path, with: Bytes(journal.text), by: path + ".new")
        } catch { throw .cannotKeepState(path, error) }
    }

    /// Takes back the journal of renames none of which was made; false when it stays, and the commit will be finished.
    func withdrawJournal() -> Bool {
        let path = state.journal(run)
        guard access(path, F_OK) == 0 else { return true }
        guard removed(path) else { return false }
        // Otherwise a loss of power could bring it back when half of the files that it names are gone.
        try? WholeFile.flushDirectory(state.runs)
        return true
    }

    // MARK: - Publication

    /// The publication, when there is something to publish.
    private var filledPublication: Publication? {
        outputs.contains { $0.target.isPublished } ? publication : nil
    }

    /// What `files` have come to, for the book of the run.
    func published(among files: [OutputFile]) -> RunOutcome.Published? {
        guard let publication, files.contains(where: \.target.isPublished) else { return nil }
        let written = Publication.withoutSlash(publication.written)
        let above = written.contains("/") ? FilePath.directory(of: written) : ""
        return RunOutcome.Published(
            link: publication.written,
            directory: FilePath.join(above, FilePath.name(of: publication.directory))
        )
    }

    private func newLink(of publication: Publication) -> String {
        FilePath.join(FilePath.directory(of: publication.link), run.temporaryName(places.count))
    }

    /// Makes the new directory whole and lasting, and the link that will lead to it.
    private func sealPublication() throws(DaybookError) {
        guard let publication = filledPublication else { return }
        let files = outputs.filter(\.target.isPublished).map(\.target.path)
        let paths = files.map {
            String(decoding: $0.utf8.dropFirst(publication.directory.utf8.count + 1), as: UTF8.self)
        }
        let link = newLink(of: publication)
        try file.note(.file(publication.list))
        try file.note(.file(link))
        do throws(SystemFailure) {
            let list = try Descriptor(opening: publication.list, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW)
            try list.writeAll(Bytes(publication.listHead + paths.map { PathField.written($0) + "\n" }.joined()))
            try list.flush()
            var directories: Set = [publication.directory]
            for file in files {
                var directory = FilePath.directory(of: file)
                while directory != publication.directory {
                    directories.insert(directory)
                    directory = FilePath.directory(of: directory)
                }
            }
            for directory in directories.sorted() { try WholeFile.flushDirectory(directory) }
            guard symlink(FilePath.name(of: publication.directory), link) == 0 else { throw .last }
            passing.append(link)
            try WholeFile.flushDirectory(FilePath.directory(of: link))
        } catch { throw .cannotWrite(publication.written, error) }
    }
}

/// What is true of the outputs of a run, also of one that failed.
public enum OutputState: Sendable, Equatable {
    /// Every file is as it was before the run.
    case old
    /// So many files of all are new, and the others old until the next command puts them in place.
    case mixed(new: Int, of: Int)
    /// Every file is new.
    case new
}

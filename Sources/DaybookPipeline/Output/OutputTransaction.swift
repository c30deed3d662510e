import DaybookCore
import Synchronization

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#else
    import Darwin
#endif

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
    private let state: StateDirectory
    private let file: RunFile
    private var places: [String: String] = [:]
    private var madeDirectories: [String] = []
    private var isOver = false

    /// Asked after each step of a commit; true stops it there as a kill would. For tests.
    var isKilled: (CommitStep) -> Bool = { _ in false }

    init(run: RunID, state: StateDirectory, file: RunFile, sha256: SHA256Policy) {
        self.sha256 = sha256
        self.run = run
        self.state = state
        self.file = file
    }

    deinit { abort() }

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
        precondition(!isOver, "a transaction that is over opens no outputs")
        let target = try OutputTarget(path, from: base)
        if let other = places[target.key] {
            let same = other == path ? "" : ", also written as '\(other)'"
            throw DaybookError(
                "output-twice",
                "two outputs go to '\(path)'\(same)",
                hint: "give each output a path of its own"
            )
        }
        let output = target.isFile ? try openFile(target, foretell) : try openStream(target, foretell)
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

    /// Puts all outputs in place.
    ///
    /// Everything is flushed to the disk first; then streams are copied out, the renames are journalled and made. An
    /// error before the journal leaves the old outputs; one after it names the journal, and the next run goes on.
    public func commit() throws(DaybookError) {
        precondition(!isOver, "a transaction is committed once")
        do {
            for output in outputs { try output.flush() }
            try stop(after: .flushed)
            for output in outputs where !output.target.isFile { try output.copyToStream() }
        } catch {
            abort()
            throw error
        }
        let renames = outputs.filter(\.target.isFile).map {
            Journal.Rename(temporary: $0.temporary, target: $0.target.path)
        }
        guard !renames.isEmpty else { return finish() }
        try state.whileLocked { () throws(DaybookError) in try rename(Journal(run: run, renames: renames)) }
    }

    /// Removes all temporary files; the old outputs stay as they are. Again, or after a commit, it does nothing.
    public func abort() {
        guard !isOver else { return }
        for output in outputs where output.target.isFile { unlink(output.temporary) }
        for directory in madeDirectories.reversed() { rmdir(directory) }
        finish()
    }

    /// Makes paths for files of a writer's own, in the state directory, where a later run would clear them away.
    var scratchPaths: @Sendable () throws(DaybookError) -> String {
        let prefix = "\(state.runs)/\(run).\(OutputTransaction.scratchName)"
        return { [scratchNumber] () throws(DaybookError) in "\(prefix)\(scratchNumber.next())" }
    }

    private static let scratchName = "scratch-"
    /// One for all writers of the run, or two of them would be given one path.
    private let scratchNumber = ScratchNumber()

    private func removeScratch() {
        let prefix = "\(run).\(OutputTransaction.scratchName)"
        for name in (try? DirectoryListing.names(in: state.runs)) ?? [] where name.hasPrefix(prefix) {
            unlink(FilePath.join(state.runs, name))
        }
    }

    private func openFile(
        _ target: OutputTarget,
        _ foretell: @escaping (Int) -> Int?
    ) throws(DaybookError) -> OutputFile {
        for directory in target.missingDirectories() {
            try file.note(.directory(directory))
            if mkdir(directory, 0o777) == 0 {
                madeDirectories.append(directory)
            } else if errno != EEXIST {
                throw .cannotWrite(target.written, .last)
            }
        }
        let temporary = FilePath.join(FilePath.directory(of: target.path), run.temporaryName(places.count))
        try file.note(.file(temporary))
        do {
            let descriptor = try Descriptor(opening: temporary, O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW)
            if case .file(let old?) = target.kind {
                // The owner first, for changing it takes permissions away. Only root may give a file away.
                if old.owner != geteuid() || old.group != getegid() {
                    _ = fchown(descriptor.number, old.owner, old.group)
                }
                _ = fchmod(descriptor.number, old.mode & 0o777)
            }
            return OutputFile(
                target: target,
                temporary: temporary,
                descriptor: descriptor,
                sha256: sha256,
                foretell: foretell
            )
        } catch { throw .cannotWrite(target.written, error) }
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

    private func rename(_ journal: Journal) throws(DaybookError) {
        // An older commit that was cut short comes first, or the next recovery would put its outputs over these.
        do {
            _ = try state.recoverWhileLocked()
            // One rename is all or nothing by itself.
            if journal.renames.count > 1 { try write(journal) }
        } catch {
            abort()
            throw error
        }
        try stop(after: .journalled)
        for (index, entry) in journal.renames.enumerated() {
            do {
                _ = try entry.finish()
            } catch {
                // As long as nothing has moved, all can be taken back; later the journal stays, and the next run goes on.
                guard index > 0 else {
                    unlink(state.journal(run))
                    abort()
                    throw .cannotWrite(entry.target, error)
                }
                die()
                throw .unfinishedCommit(entry.target, error, journal: state.journal(run))
            }
            try stop(after: .renamed(index))
        }
        do { try journal.flushDirectories() } catch { throw .cannotWrite(journal.renames[0].target, error) }
        finish()
    }

    private func write(_ journal: Journal) throws(DaybookError) {
        let path = state.journal(run)
        do {
            try WholeFile.replace(path, with: Bytes(journal.text), by: path + ".new")
        } catch { throw .cannotKeepState(path, error) }
    }

    private func finish() {
        removeScratch()
        unlink(state.journal(run))
        unlink(file.path)
        die()
    }

    private func stop(after step: CommitStep) throws(DaybookError) {
        guard isKilled(step) else { return }
        die()
        throw .interrupted
    }

    /// Lets go of everything without putting it away, as a kill does; the next recovery goes on from there.
    private func die() {
        isOver = true
        for output in outputs { output.shut() }
        file.descriptor.shut()
    }
}

/// A moment of a commit at which a kill must leave all outputs old or, after recovery, all new.
enum CommitStep: Equatable {
    case flushed
    case journalled
    case renamed(Int)
}

/// Counts the scratch files of a run, on any thread.
private final class ScratchNumber: Sendable {
    private let count = Atomic(0)

    func next() -> Int { count.wrappingAdd(1, ordering: .relaxed).newValue }
}

/// What `StateDirectory.recover()` did for runs that were killed.
public struct Recovery: Sendable, Equatable {
    /// Outputs that an interrupted commit had not put in place yet.
    public var finished: [String] = []
    /// Temporary files that were removed.
    public var cleared: [String] = []
}

extension StateDirectory {
    /// Finishes the commits and clears away the temporary files of runs that were killed.
    ///
    /// A run that lives keeps its lock and is left alone. To be called before a job's inputs are opened, since an
    /// input may be an output of the interrupted run.
    @discardableResult
    public func recover() throws(DaybookError) -> Recovery {
        guard try !leftFiles().isEmpty else { return Recovery() }
        return try whileLocked { () throws(DaybookError) in try recoverWhileLocked() }
    }

    /// The same for a command that runs nothing: it may stand on a disk, or be called by a user, that may only read.
    @discardableResult
    public func recoverWhereAllowed() throws(DaybookError) -> Recovery {
        guard access(FilePath.join(path, "lock"), W_OK) == 0, access(runs, W_OK) == 0 else { return Recovery() }
        return try recover()
    }

    /// The same for a caller that holds the lock.
    func recoverWhileLocked() throws(DaybookError) -> Recovery {
        var recovery = Recovery()
        let left = try leftFiles().sorted { $0.key.description < $1.key.description }
        for (run, names) in left { try recover(run, leaving: names, noting: &recovery) }
        return recovery
    }

    /// The names of the files that each run, live or dead, has in the directory.
    private func leftFiles() throws(DaybookError) -> [RunID: [String]] {
        let names: [String]
        do {
            names = try DirectoryListing.names(in: runs)
        } catch {
            if error.number == ENOENT { return [:] }
            throw .cannotKeepState(runs, error)
        }
        var files: [RunID: [String]] = [:]
        for name in names {
            if let run = name.split(separator: ".").first.flatMap({ RunID($0) }) {
                files[run, default: []].append(name)
            }
        }
        return files
    }

    private func recover(
        _ run: RunID,
        leaving names: [String],
        noting recovery: inout Recovery
    ) throws(DaybookError) {
        let path = runFile(run)
        var file: Descriptor?
        do throws(SystemFailure) {
            let opened = try Descriptor(opening: path, O_RDONLY | O_NOFOLLOW | O_NONBLOCK)
            guard try opened.lock() else { return }
            file = opened
        } catch {
            // A journal without a run file is finished all the same.
            if error.number != ENOENT { throw .cannotKeepState(path, error) }
        }
        defer { file?.shut() }
        try finishCommit(of: run, noting: &recovery)
        try clear(run, noting: &recovery)
        for name in names { unlink(FilePath.join(runs, name)) }
    }

    private func finishCommit(of run: RunID, noting recovery: inout Recovery) throws(DaybookError) {
        let path = journal(run)
        let text: Bytes?
        do { text = try WholeFile.read(path, limit: WholeFile.noLimit) } catch { throw .damagedJournal(path) }
        guard let text else { return }
        guard let journal = Journal(text.text(0..<text.count), of: run) else { throw .damagedJournal(path) }
        for rename in journal.renames {
            do {
                if try rename.finish(of: run) { recovery.finished.append(rename.target) }
            } catch { throw .unfinishedCommit(rename.target, error, nil, journal: path) }
        }
        do { try journal.flushDirectories() } catch { throw .notFlushed(error) }
        if let entry = journal.entry {
            do { try keepForLater(entry, of: run) } catch { throw .cannotKeepState(entries, error) }
        }
        unlink(path)
    }

    private func clear(_ run: RunID, noting recovery: inout Recovery) throws(DaybookError) {
        let path = runFile(run)
        let text: Bytes?
        do { text = try WholeFile.read(path, limit: WholeFile.noLimit) } catch { throw .cannotKeepState(path, error) }
        guard let text else { return }
        var emptied: Set<String> = []
        let notes = RunFile.notes(in: text.text(0..<text.count))
        for case .file(let temporary) in notes {
            let isPublished = run.publishedDirectory(of: temporary).map { Publication.isCurrent($0) }
            guard isPublished == false || (isPublished == nil && run.owns(FilePath.name(of: temporary))) else {
                continue
            }
            guard let left = try? FileStatus.of(temporary, followingLinks: false), left.isRegularFile || left.isLink
            else { continue }
            guard unlink(temporary) == 0 else { throw .cannotWrite(temporary, .last) }
            recovery.cleared.append(temporary)
            emptied.insert(FilePath.directory(of: temporary))
        }
        // Only where a temporary file just went, or in a directory that the run was to publish, so that a forged run file cannot
        // name any other directory.
        for case .directory(let made) in notes.reversed()
        where emptied.contains(made) || run.publishes(FilePath.join(made, Publication.listName)) {
            if rmdir(made) == 0 { emptied.insert(FilePath.directory(of: made)) }
        }
    }
}

extension DaybookError {
    static func damagedJournal(_ path: String) -> DaybookError {
        .machine(
            "damaged-journal",
            "cannot finish an interrupted run: its journal '\(path)' is damaged",
            hint: "look at the outputs of the last run, which may be old and new in part; "
                + "then delete the journal and run again"
        )
    }

    /// The renames of a commit stopped in the middle; where `state` is nil nobody has counted which are made.
    static func unfinishedCommit(
        _ target: String,
        _ failure: SystemFailure,
        _ state: OutputState?,
        journal: String
    ) -> DaybookError {
        var truth = "some outputs may be new and others old; "
        if case .mixed(let new, let all) = state {
            truth =
                new == 0
                ? "the \(all) outputs are as they were before; "
                : "\(new) of the \(all) outputs \(new == 1 ? "is" : "are") new, the others are as they were before; "
        }
        return .machine(
            "unfinished-commit",
            "cannot put '\(target)' in its place: \(failure.reason)",
            hint: truth + "mend that and run again, which finishes the rest; or delete '\(journal)' to give the rest up"
        )
    }

    /// All outputs have their names, and the disk does not say that it has the names.
    static func notFlushed(_ failure: SystemFailure) -> DaybookError {
        .machine(
            "not-flushed",
            "the outputs are in place, but the disk did not confirm it: \(failure.reason)",
            hint: "look at the disk, then run again: should the power fail now, old outputs may come back"
        )
    }
}

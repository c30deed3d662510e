import DaybookBytes

/// Work of `StateDirectory.recover()` for runs that were killed.
public struct Recovery: Sendable, Equatable {
    /// Outputs of an interrupted commit that recovery put in place.
    public var finished: [String] = []
    /// Temporary files that were removed.
    public var cleared: [String] = []
    /// Incomplete commits that need the answer of a service first.
    public internal(set) var undecided: [UndecidedCommit] = []
    /// Killed runs that need the answer of services.
    fileprivate var waiting: [RunID] = []

    /// Refuses everything that an undecided commit affects: another run of its job, and its outputs. Other work does
    /// not wait.
    func refuse(_ paths: [String], of job: String) throws(DaybookError) {
        for commit in undecided {
            if commit.job == job, !job.isEmpty { throw .undecided(commit.participant, commit.reason, of: job) }
            if let path = paths.first(where: commit.targets.contains) { throw .outputUndecided(path, commit) }
        }
    }

    /// Refuses inputs that may have become new. A live run is no reason: until it ends, its files are the old ones.
    func refuse(inputs: [String]) throws(DaybookError) {
        for commit in undecided where !commit.isLive {
            if let path = inputs.first(where: commit.targets.contains) { throw .outputUndecided(path, commit) }
        }
    }
}

/// Commit whose outputs are not all new, or may not become new.
public struct UndecidedCommit: Sendable, Equatable {
    let run: RunID
    public let job: String
    public let targets: [String]
    /// Service that has to answer.
    public let participant: ParticipantReference
    public let reason: String
    /// Whether the run is still live.
    let isLive: Bool

}

extension Recovery {
    /// Notes that a commit waits for a participant: the given one, or the one that decides.
    fileprivate mutating func wait(
        for participant: ParticipantReference? = nil,
        of journal: Journal,
        isLive: Bool = false,
        _ reason: String
    ) {
        guard let participant = participant ?? journal.deciding ?? journal.participants.first else { return }
        undecided.append(
            UndecidedCommit(
                run: journal.run,
                job: journal.job,
                targets: journal.renames.map(\.target),
                participant: participant,
                reason: reason,
                isLive: isLive
            )
        )
    }
}

extension StateDirectory {
    /// Completes the commits and removes the temporary files of killed runs.
    ///
    /// A live run keeps its lock and is left alone. Call it before a job's inputs are opened, since an input may be an
    /// output of the interrupted run. Services are queried outside the lock of the directory.
    @discardableResult
    public func recover() throws(DaybookError) -> Recovery {
        var recovery = try recoverFiles()
        for run in recovery.waiting { try settle(run, noting: &recovery) }
        return recovery
    }

    /// Recovers for a command that runs nothing: its disk or user may be read-only. It queries no service.
    @discardableResult
    public func recoverWhereAllowed() throws(DaybookError) -> Recovery {
        guard access(FilePath.join(path, "lock"), W_OK) == 0, access(runs, W_OK) == 0 else { return Recovery() }
        return try recoverFiles()
    }

    private func recoverFiles() throws(DaybookError) -> Recovery {
        guard try !leftFiles().isEmpty else { return Recovery() }
        return try whileLocked { () throws(DaybookError) in try recoverWhileLocked() }
    }

    /// Recovers for a caller that holds the lock.
    ///
    /// - Parameter own: the run of the caller.
    func recoverWhileLocked(of own: RunID? = nil) throws(DaybookError) -> Recovery {
        var recovery = Recovery()
        let left = try leftFiles().sorted { $0.key.description < $1.key.description }
        for (run, names) in left where run != own {
            let isDead = try whileDead(run) { () throws(DaybookError) in
                try recover(run, leaving: names, noting: &recovery)
            }
            // A live run that waits for a service to commit, or whose commit is being recovered.
            if !isDead, let journal = try readJournal(of: run), !journal.participants.isEmpty {
                recovery.wait(of: journal, isLive: true, "the run is not over")
            }
        }
        return recovery
    }

    /// Works on a killed run while no other process does; false for a live run.
    private func whileDead(_ run: RunID, _ body: () throws(DaybookError) -> Void) throws(DaybookError) -> Bool {
        let path = runFile(run)
        var file: Descriptor?
        do throws(SystemFailure) {
            let opened = try Descriptor(opening: path, O_RDONLY | O_NOFOLLOW | O_NONBLOCK)
            guard try opened.lock() else { return false }
            file = opened
        } catch {
            // A journal without a run file is completed anyway.
            if error.number != ENOENT { throw .cannotKeepState(path, error) }
        }
        defer { file?.shut() }
        try body()
        return true
    }

    /// File names of each run, live or dead, in the directory.
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

    private func recover(_ run: RunID, leaving names: [String], noting recovery: inout Recovery) throws(DaybookError) {
        if let journal = try readJournal(of: run) {
            if journal.isDecided { try rename(journal, noting: &recovery) }
            guard journal.participants.isEmpty else {
                recovery.waiting.append(run)
                return recovery.wait(of: journal, "nobody has asked since the run was killed")
            }
            try close(journal)
        } else if try !participants(of: run).isEmpty {
            return recovery.waiting.append(run)
        }
        try clear(run, noting: &recovery)
        for name in names { unlink(FilePath.join(runs, name)) }
    }

    private func readJournal(of run: RunID) throws(DaybookError) -> Journal? {
        let path = journal(run)
        let text: String?
        do { text = try WholeFile.text(of: path) } catch { throw .damagedJournal(path) }
        guard let text else { return nil }
        guard let journal = Journal(text, of: run) else { throw .damagedJournal(path) }
        return journal
    }

    private func rename(_ journal: Journal, noting recovery: inout Recovery) throws(DaybookError) {
        for rename in journal.renames {
            do {
                if try rename.finish(of: journal.run) { recovery.finished.append(rename.target) }
            } catch { throw .unfinishedCommit(rename.target, error, nil, journal: self.journal(journal.run)) }
        }
        do { try journal.flushDirectories() } catch { throw .notFlushed(error) }
    }

    private func close(_ journal: Journal) throws(DaybookError) {
        if let entry = journal.entry {
            do { try keepForLater(entry, of: journal.run) } catch { throw .cannotKeepState(entries, error) }
        }
        unlink(self.journal(journal.run))
    }

    private func clear(_ run: RunID, noting recovery: inout Recovery) throws(DaybookError) {
        var emptied: Set<String> = []
        let notes = try notes(of: run)
        for case .file(let temporary) in notes {
            let isPublished = run.publishedDirectory(of: temporary).map { Publication.isCurrent($0) }
            guard isPublished == false || (isPublished == nil && run.owns(FilePath.name(of: temporary))) else {
                continue
            }
            // An output that has gone into an archive is removed with it.
            guard let left = try? FileStatus.of(temporary, followingLinks: false), !left.isPacked,
                left.isRegularFile || left.isLink
            else { continue }
            guard unlink(temporary) == 0 else { throw .cannotWrite(temporary, .last) }
            recovery.cleared.append(temporary)
            emptied.insert(FilePath.directory(of: temporary))
        }
        // Only directories that lost a temporary file now, or directories that the run was to publish, so that a forged
        // run file cannot name any other directory.
        for case .directory(let made) in notes.reversed()
        where emptied.contains(made) || run.publishedDirectory(of: FilePath.join(made, Publication.listName)) != nil {
            if rmdir(made) == 0 { emptied.insert(FilePath.directory(of: made)) }
        }
    }

    /// Notes in the run file; none without a file.
    private func notes(of run: RunID) throws(DaybookError) -> [RunFile.Note] {
        let path = runFile(run)
        do { return RunFile.notes(in: try WholeFile.text(of: path) ?? "") } catch {
            throw .cannotKeepState(path, error)
        }
    }
}

/// Queries of services, outside the lock of the directory.
extension StateDirectory {
    /// Participants in the run file.
    private func participants(of run: RunID) throws(DaybookError) -> [ParticipantReference] {
        try notes(of: run).compactMap { if case .participant(let participant) = $0 { participant } else { nil } }
    }

    private func ask(
        _ participant: ParticipantReference,
        _ question: (any CommitService) -> ParticipantOutcome
    ) -> ParticipantOutcome {
        guard let service = services().first(where: { $0.name == participant.service }) else {
            return .unknown("this command knows no service '\(participant.service)'")
        }
        return question(service)
    }

    /// Completes the commit of a killed run, as far as services answer.
    private func settle(_ run: RunID, noting recovery: inout Recovery) throws(DaybookError) {
        _ = try whileDead(run) { () throws(DaybookError) in
            recovery.undecided.removeAll { $0.run == run }
            guard var journal = try readJournal(of: run) else { return try takeBack(run, noting: &recovery) }
            if let deciding = journal.deciding, !journal.isDecided {
                switch ask(deciding, { $0.outcome(of: deciding) }) {
                case .done:
                    journal.isNotedAsDecided = true
                    try write(journal)
                    try whileLocked { () throws(DaybookError) in try rename(journal, noting: &recovery) }
                case .failed:
                    do throws(SystemFailure) {
                        guard unlink(self.journal(run)) == 0 || errno == ENOENT else { throw .last }
                        // Otherwise a power failure could restore the journal when its files are gone.
                        try WholeFile.flushDirectory(runs)
                    } catch { throw .cannotKeepState(self.journal(run), error) }
                    return try takeBack(run, noting: &recovery)
                case .unknown(let reason): return recovery.wait(of: journal, reason)
                }
            }
            for participant in journal.participants where participant.role == .durable {
                switch ask(participant, { $0.commit(participant) }) {
                case .done: continue
                case .failed(let reason), .unknown(let reason):
                    return recovery.wait(for: participant, of: journal, reason)
                }
            }
            try whileLocked { () throws(DaybookError) in
                try close(journal)
                try forget(run, noting: &recovery)
            }
        }
    }

    /// Discards the writes of a run without a commit. If a service cannot discard now, recovery queries it again later.
    private func takeBack(_ run: RunID, noting recovery: inout Recovery) throws(DaybookError) {
        for participant in try participants(of: run).reversed()
        where ask(participant, { $0.rollBack(participant) }) != .done { return }
        try whileLocked { () throws(DaybookError) in try forget(run, noting: &recovery) }
    }

    private func forget(_ run: RunID, noting recovery: inout Recovery) throws(DaybookError) {
        try clear(run, noting: &recovery)
        for name in try leftFiles()[run] ?? [] { unlink(FilePath.join(runs, name)) }
    }

    /// Writes the journal of a commit to disk.
    func write(_ journal: Journal) throws(DaybookError) {
        let path = self.journal(journal.run)
        do {
            try WholeFile.replace(path, with: Bytes(journal.text), by: path + ".new")
        } catch { throw .cannotKeepState(path, error) }
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

    /// Error for an interrupted commit; `state` is nil if the completed renames were not counted.
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

    /// Error for outputs that have their names, while the disk does not confirm the flush.
    static func notFlushed(_ failure: SystemFailure) -> DaybookError {
        .machine(
            "not-flushed",
            "the outputs are in place, but the disk did not confirm it: \(failure.reason)",
            hint: "look at the disk, then run again: should the power fail now, old outputs may come back"
        )
    }

    static func streamBeside(_ participant: ParticipantReference) -> DaybookError {
        DaybookError(
            "stream-beside-service",
            "rows would go to a stream before '\(participant.address)' has committed, and nobody can take them back",
            hint: "write to a file in the place of the stream, or in a second job"
        )
    }

    /// Error for an undecided commit of a job's outputs.
    static func undecided(_ participant: ParticipantReference, _ reason: String, of job: String) -> DaybookError {
        .machine(
            "undecided-commit",
            "it is not known whether '\(participant.address)' has committed the last run of '\(job)': \(reason)",
            hint:
                "run the job again when it answers, which finishes that run first or takes it back; until then its files stay as they are"
        )
    }

    static func outputUndecided(_ path: String, _ commit: UndecidedCommit) -> DaybookError {
        .machine(
            "undecided-commit",
            "it is not known whether '\(path)' becomes new by a run of '\(commit.job)': '\(commit.participant.address)' has to answer, and "
                + commit.reason,
            hint: "run that job again when it answers"
        )
    }
}

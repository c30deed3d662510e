import DaybookBytes

/// Commit of outputs.
///
/// Between the first and the last rename no other work is done: it happens before or afterwards. A rename that frees
/// the old file takes longer for larger files, so each old file gets a second name before and loses it afterwards.
extension OutputTransaction {
    /// Puts all outputs in place.
    ///
    /// The commit first flushes everything to disk, then copies streams out, writes the journal and makes the renames.
    /// After an error `outputState` describes the files: before the first rename all are old, and later the next
    /// command completes the journal.
    public func commit() throws(DaybookError) {
        precondition(!isOver, "a transaction is committed once")
        do {
            for participant in participants { try participant.prepare() }
            try stop(after: .prepared)
            for output in outputs { try output.flush() }
            try sealPublication()
            try stop(after: .flushed)
            try lockTargets()
            try checkBases()
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
        let entry = makeEntry?()
        guard !renames.isEmpty || entry != nil || !participants.isEmpty else {
            outputState = .new
            return finish(isClean: true)
        }
        var journal = Journal(run: run, renames: renames, entry: entry?.text)
        (journal.job, journal.participants) = (job, participants.map(\.reference))
        var previous: String?
        try state.whileLocked { () throws(DaybookError) in
            previous = try begin(journal)
            if participants.isEmpty { try makeRenames(of: journal) }
        }
        if !participants.isEmpty {
            // No other command should wait for a network while this run locks the state directory.
            unlockTargets()
            try decide(&journal)
            // A failure to lock does not stop the renames.
            try? lockTargets(isDecided: true)
            try state.whileLocked { () throws(DaybookError) in try makeRenames(of: journal) }
            try follow(journal)
        }
        try end(journal, keeping: entry)
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

    /// Writes the commit to disk, so that another command can complete it.
    ///
    /// - Returns: the former target of the publication's link.
    private func begin(_ journal: Journal) throws(DaybookError) -> String? {
        do {
            try filledPublication?.check()
            // An older interrupted commit comes first, or the next recovery would replace these outputs by older ones.
            try state.recoverWhileLocked(of: run).refuse(journal.renames.map(\.target), of: job)
            // Streams may have taken long, and a program without locks may have written meanwhile.
            try checkBases()
            try check(journal.renames)
            try keepOldFiles(journal)
            if journal.isNeeded {
                journalled = outputCount(of: journal.renames[...])
                try state.write(journal)
            }
            try stop(after: .journalled)
        } catch {
            if !isOver { abort() }
            throw error
        }
        return filledPublication.flatMap { FilePath.link(at: $0.link) }
    }

    private func makeRenames(of journal: Journal) throws(DaybookError) {
        for (index, rename) in journal.renames.enumerated() {
            do { try rename.make() } catch { throw failed(at: index, of: journal, error) }
            try stop(after: .renamed(index))
        }
        outputState = .new
    }

    private func end(_ journal: Journal, keeping entry: RunEntry?) throws(DaybookError) {
        let isFlushed = Result { () throws(SystemFailure) in try journal.flushDirectories() }
        // Removing all at once frees the last names of much data; only this run waits for it.
        let isClean = passing.map(removed).allSatisfy { $0 }
        if case .failure(let failure) = isFlushed {
            // The next command flushes them again, since the journal remains.
            journal.isNeeded ? die() : finish(isClean: isClean)
            throw .notFlushed(failure)
        }
        // If the disk had no space for the entry, it stays in the journal, and the next command keeps it.
        if let entry, !entry.keep() { return die() }
        unlink(state.journal(run))
        finish(isClean: isClean)
    }

    // MARK: - Participants

    /// Commits the deciding participant and notes it: a service may forget its commits, but the outputs depend on them.
    private func decide(_ journal: inout Journal) throws(DaybookError) {
        guard let deciding = participants.first(where: { $0.reference.role == .deciding }) else { return }
        switch deciding.commit() {
        case .done: break
        case .failed(let reason):
            abort()
            let message = "'\(deciding.reference.address)' did not commit: \(reason)"
            throw .machine("not-committed", message, hint: "nothing was written there")
        case .unknown(let reason):
            outputState = .undecided(deciding.reference.address)
            die()
            throw .undecided(deciding.reference, reason, of: job)
        }
        try stop(after: .committed)
        journal.isNotedAsDecided = true
        do throws(DaybookError) { try state.write(journal) } catch {
            outputState = .undecided(deciding.reference.address)
            die()
            throw error
        }
        try stop(after: .decided)
    }

    /// Commits the durable participants, which follow the decision.
    private func follow(_ journal: Journal) throws(DaybookError) {
        for (number, participant) in participants.enumerated() where participant.reference.role == .durable {
            switch participant.commit() {
            case .done: try stop(after: .followed(number))
            case .failed(let reason), .unknown(let reason):
                die()
                throw .machine(
                    "unfinished-commit",
                    "the files are new, and '\(participant.reference.address)' is not yet: \(reason)",
                    hint:
                        "run the job again when it answers, which finishes this run first; or delete '\(state.journal(run))' to give the rest up"
                )
            }
        }
    }

    // MARK: - Steps of the renames

    private func check(_ renames: [Journal.Rename]) throws(DaybookError) {
        for rename in renames {
            do throws(SystemFailure) { try rename.check() } catch { throw .cannotWrite(rename.target, error) }
        }
    }

    /// Ends a commit at a rename that the system refused.
    private func failed(at index: Int, of journal: Journal, _ failure: SystemFailure) -> DaybookError {
        let target = journal.renames[index].target
        // Before the first move, everything can be undone.
        if index == 0, !journal.isNotedAsDecided {
            abort()
            if outputState == .old { return .cannotWrite(target, failure) }
        }
        outputState = .mixed(new: outputCount(of: journal.renames[..<index]), of: outputCount(of: journal.renames[...]))
        die()
        return .unfinishedCommit(target, failure, outputState, journal: state.journal(run))
    }

    /// Number of outputs that renames put in place. A publication's rename counts all of its outputs.
    private func outputCount(of renames: ArraySlice<Journal.Rename>) -> Int {
        let published = outputs.count { $0.target.isPublished }
        return renames.reduce(0) { $0 + ($1.target == publication?.link ? published : 1) }
    }

    /// Gives every file to be replaced a second name, unless the file system or its owner forbids that.
    private func keepOldFiles(_ journal: Journal) throws(DaybookError) {
        for (index, entry) in journal.renames.enumerated() {
            guard let found = try? FileStatus.of(entry.target, followingLinks: false), found.isRegularFile else {
                continue
            }
            let name = FilePath.join(FilePath.directory(of: entry.target), run.temporaryName(places.count + 1 + index))
            try file.note(.file(name))
            if link(entry.target, name) == 0 { passing.append(name) }
        }
    }

    /// Withdraws the journal before its first rename; false if the journal stays, and the commit will be completed.
    func withdrawJournal() -> Bool {
        let path = state.journal(run)
        guard access(path, F_OK) == 0 else { return true }
        guard removed(path) else { return false }
        // Otherwise a power failure could restore the journal when half of its files are gone.
        try? WholeFile.flushDirectory(state.runs)
        return true
    }

    // MARK: - Publication

    /// The publication, if it has outputs.
    private var filledPublication: Publication? {
        outputs.contains { $0.target.isPublished } || !copied.isEmpty || !copiedDirectories.isEmpty ? publication : nil
    }

    /// Result of the publication of `files`, for the outcome of the run.
    func published(among files: [OutputFile]) -> RunOutcome.Published? {
        guard let publication, files.contains(where: \.target.isPublished) else { return nil }
        let written = PublishedDirectory.withoutSlash(publication.written)
        let above = written.contains("/") ? FilePath.directory(of: written) : ""
        return RunOutcome.Published(
            link: publication.written,
            directory: FilePath.join(above, FilePath.name(of: publication.directory))
        )
    }

    private func newLink(of publication: Publication) -> String {
        FilePath.join(FilePath.directory(of: publication.link), run.temporaryName(places.count))
    }

    /// Completes and flushes the new directory and its link.
    private func sealPublication() throws(DaybookError) {
        guard let publication = filledPublication else { return }
        let files = outputs.filter(\.target.isPublished).map(\.target.path).filter { !packed.contains($0) } + copied
        func lines(_ paths: [String], _ head: String = "") -> String {
            paths.map { path in
                let rest = path.utf8.dropFirst(publication.directory.utf8.count + 1)
                return head + PathField.written(String(decoding: rest, as: UTF8.self)) + "\n"
            }.joined()
        }
        let text = publication.listHead + lines(files) + lines(copiedDirectories, Publication.directoryHead)
        let link = newLink(of: publication)
        try file.note(.file(publication.list))
        try file.note(.file(link))
        do throws(SystemFailure) {
            let list = try Descriptor(opening: publication.list, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW)
            try list.writeAll(Bytes(text))
            try list.flush()
            var directories = Set(copiedDirectories + [publication.directory])
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

/// Step of a commit at which a kill must leave all outputs old or, after recovery, all new.
package enum CommitStep: Equatable {
    /// Services are prepared and not committed.
    case prepared
    case flushed
    case journalled
    /// The deciding participant has committed.
    case committed
    /// The decision is noted.
    case decided
    case renamed(Int)
    /// A durable participant has committed.
    case followed(Int)
}

extension OutputTransaction {
    /// Copies a container to where the run publishes. The outputs are complete.
    func copy(_ container: Container, from base: String) throws(DaybookError) -> RunOutcome.Copied {
        guard let publication else { preconditionFailure("a job with containers publishes") }
        let target = publication.place(of: container.place.text)
        // A link may lead to the container, and none of its own is followed.
        let source = FilePath.canonical(FilePath.join(base, container.from.text))
        if ZipPath.isArchive(source) { return try pack(container, source, target) }
        guard (try? FileStatus.of(source))??.isDirectory == true else {
            let message = "there is no directory and no zip archive '\(container.from.text)' to copy"
            let hint = "'from' under 'container' names the directory of an app's files"
            throw DaybookError("container-not-found", message, at: container.from.place, hint: hint, blame: .machine)
        }
        try makeDirectories(above: target, for: container.to.text)
        var copy = DirectoryCopy(
            note: { [file] path, isDirectory throws(DaybookError) in
                try file.note(isDirectory ? .directory(path) : .file(path))
            },
            isCancelled: state.isCancelled
        )
        defer { adopt(copy) }
        do throws(DaybookError) { try copy.copy(source, to: target) } catch {
            throw error.located(at: container.from.place)
        }
        return RunOutcome.Copied(container, files: copy.files.count, bytes: copy.byteCount)
    }

    /// Writes a zip archive anew with the outputs inside it. All other files keep their packed bytes.
    private func pack(
        _ container: Container,
        _ source: String,
        _ target: String
    ) throws(DaybookError) -> RunOutcome.Copied {
        let inside = target + "/"
        let files = outputs.filter { $0.target.isPublished && $0.target.path.hasPrefix(inside) }
        try makeDirectories(above: target, for: container.to.text)
        let temporary = target + ".new"
        try file.note(.file(target))
        try file.note(.file(temporary))
        copied.append(temporary)
        for output in files { try output.flush() }
        do throws(SystemFailure) {
            let new = files.map { (name: String($0.target.path.dropFirst(inside.count)), $0.descriptor) }
            let (count, bytes) = try ZipArchive.copy(source, to: temporary, with: new, isCancelled: state.isCancelled)
            try put(temporary, over: target, holding: files)
            return RunOutcome.Copied(container, files: count, bytes: bytes)
        } catch {
            if error == .cancelled { throw .interrupted }
            let message = "cannot copy '\(container.from.text)': \(error.reason)"
            throw DaybookError("cannot-copy", message, at: container.from.place, hint: error.remedy, blame: .machine)
        }
    }

    /// Puts an archive in the place of the directory with the outputs that it holds.
    private func put(_ archive: String, over target: String, holding files: [OutputFile]) throws(SystemFailure) {
        for output in files { unlink(output.temporary) }
        for directory in madeDirectories.reversed() where (directory + "/").hasPrefix(target + "/") { rmdir(directory) }
        guard rename(archive, target) == 0 else { throw .last }
        copied.removeAll { $0 == archive }
        copied.append(target)
        packed.formUnion(files.map(\.target.path))
    }
}

import DaybookBytes

/// Copies a directory to its place in the directory that a run publishes: every file that the run does not write there
/// itself, with its bytes, permissions and times. Links stay links.
struct ContainerCopy {
    /// Notes a path before it is created.
    let note: (RunFile.Note) throws(DaybookError) -> Void
    let isCancelled: () -> Bool
    /// Paths of new files and links.
    private(set) var files: [String] = []
    /// Paths of new directories, outermost first.
    private(set) var directories: [String] = []
    private(set) var byteCount = 0

    /// Limit of directories inside each other.
    private static let depthLimit = 200

    private let block = Bytes(capacity: 1 << 20)

    init(
        note: @escaping (RunFile.Note) throws(DaybookError) -> Void,
        isCancelled: @escaping () -> Bool
    ) { (self.note, self.isCancelled) = (note, isCancelled) }

    /// Copies the directory at `source` to `target`. Throws also where `source` changes meanwhile.
    mutating func copy(_ source: String, to target: String) throws(DaybookError) {
        guard let found = try status(source), found.isDirectory else {
            throw .machine(
                "container-not-found",
                "there is no directory '\(source)' to copy",
                hint: "'from' under 'container' names the directory of an app's files"
            )
        }
        try copyDirectory(source, found, to: target, depth: 0)
    }

    private mutating func copyDirectory(
        _ source: String,
        _ found: FileStatus,
        to target: String,
        depth: Int
    ) throws(DaybookError) {
        guard depth < ContainerCopy.depthLimit else { throw .cannotCopy(source, "its directories are too deep") }
        if try status(target) == nil {
            try note(.directory(target))
            directories.append(target)
            // The owner may write until all files are there.
            guard mkdir(target.systemPath, 0o700) == 0 else { throw .cannotWrite(target, .last) }
        }
        let entries: [DirectoryListing.Entry]
        do { entries = try DirectoryListing.entries(in: source) } catch { throw .cannotRead(source, error) }
        for entry in entries.sorted(by: { $0.name.utf8.lexicographicallyPrecedes($1.name.utf8) }) {
            if isCancelled() { throw .interrupted }
            let (from, to) = (FilePath.join(source, entry.name), FilePath.join(target, entry.name))
            guard entry.isText else { throw .cannotCopy(from, "its name is not UTF-8") }
            guard let found = try status(from) else { throw .changedWhileCopied(from) }
            if found.isDirectory {
                try copyDirectory(from, found, to: to, depth: depth + 1)
            } else if let written = try status(to) {
                // An output of the run. It is read by whoever may read the original.
                guard written.isRegularFile else { throw .cannotCopy(from, "the run writes a directory of this name") }
                if found.isRegularFile { chmod(to.systemPath, found.mode & 0o777) }
            } else if found.isLink {
                try copyLink(from, to: to)
                try keepTimes(found, of: to)
            } else if found.isRegularFile {
                try copyFile(from, to: to)
            } else {
                throw .cannotCopy(from, "it is a socket, a pipe or a device")
            }
        }
        try keep(found, of: target)
    }

    private func status(_ path: String) throws(DaybookError) -> FileStatus? {
        do throws(SystemFailure) { return try FileStatus.of(path, followingLinks: false) } catch {
            throw .cannotRead(path, error)
        }
    }

    private mutating func copyLink(_ source: String, to target: String) throws(DaybookError) {
        guard let text = FilePath.link(at: source) else { throw .cannotRead(source, .last) }
        try note(.file(target))
        guard symlink(text, target.systemPath) == 0 else { throw .cannotWrite(target, .last) }
        files.append(target)
    }

    private mutating func copyFile(_ source: String, to target: String) throws(DaybookError) {
        let input: Descriptor
        let found: FileStatus
        do {
            input = try Descriptor(opening: source, O_RDONLY | O_NOFOLLOW | O_NONBLOCK)
            found = try input.status()
        } catch { throw .cannotRead(source, error) }
        guard found.isRegularFile else { throw .changedWhileCopied(source) }
        try note(.file(target))
        files.append(target)
        do throws(SystemFailure) {
            let output = try Descriptor(opening: target, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW, mode: 0o600)
            var count = 0
            while try input.readBlock(into: block) {
                if isCancelled() { throw .cancelled }
                count += block.count
                try output.writeAll(block)
            }
            output.takeOver(found)
            try output.flush()
            guard count == found.size, try input.status() == found else { throw SystemFailure(ESTALE) }
            byteCount += count
        } catch {
            if error == .cancelled { throw .interrupted }
            if error.number == ESTALE { throw .changedWhileCopied(source) }
            throw .cannotWrite(target, error)
        }
        try keepTimes(found, of: target)
    }

    private func keep(_ found: FileStatus, of directory: String) throws(DaybookError) {
        do throws(SystemFailure) {
            let opened = try Descriptor(opening: directory, O_RDONLY | O_DIRECTORY | O_NOFOLLOW)
            opened.takeOver(found, permissions: 0o7777)
        } catch { throw .cannotWrite(directory, error) }
        try keepTimes(found, of: directory)
    }

    private func keepTimes(_ found: FileStatus, of path: String) throws(DaybookError) {
        let changed = timespec(tv_sec: found.changed[0], tv_nsec: found.changed[1])
        guard utimensat(AT_FDCWD, path.systemPath, [changed, changed], AT_SYMLINK_NOFOLLOW) == 0 else {
            throw .cannotWrite(path, .last)
        }
    }
}

extension OutputTransaction {
    /// Copies a container to where the run publishes. The outputs are complete.
    func copy(_ container: Container, from base: String) throws(DaybookError) -> RunOutcome.Copied {
        guard let publication else { preconditionFailure("a job with containers publishes") }
        let target = publication.place(of: container.place.text)
        let source = FilePath.join(base, container.from.text)
        for missing in OutputTarget.missingDirectories(above: target) { try make(missing, for: container.to.text) }
        var copy = ContainerCopy(
            note: { [file] note throws(DaybookError) in try file.note(note) },
            isCancelled: state.isCancelled
        )
        defer { adopt(copy) }
        do throws(DaybookError) { try copy.copy(source, to: target) } catch {
            throw error.located(at: container.from.place)
        }
        return RunOutcome.Copied(
            from: container.from.text,
            to: container.place.text,
            files: copy.files.count,
            bytes: copy.byteCount
        )
    }
}

extension DaybookError {
    fileprivate static func cannotCopy(_ path: String, _ reason: String) -> DaybookError {
        .machine("cannot-copy", "cannot copy '\(path)': \(reason)", hint: "take it out of the container first")
    }

    fileprivate static func changedWhileCopied(_ path: String) -> DaybookError {
        .machine(
            "cannot-copy",
            "'\(path)' changed while it was copied",
            hint: "run the job when nothing writes to the container, as on a backup of it"
        )
    }
}

/// Copies a directory to another: every file that is not there yet, with its bytes, permissions and times. Links stay
/// links.
package struct DirectoryCopy {
    /// Notes a new file or directory before it is created.
    private let note: (_ path: String, _ isDirectory: Bool) throws(DaybookError) -> Void
    private let isCancelled: () -> Bool
    /// Paths of new files and links.
    package private(set) var files: [String] = []
    /// Paths of new directories, outermost first.
    package private(set) var directories: [String] = []
    package private(set) var byteCount = 0

    /// Limit of directories inside each other.
    private static let depthLimit = 200

    private let block = Bytes(capacity: 1 << 20)

    package init(
        note: @escaping (_ path: String, _ isDirectory: Bool) throws(DaybookError) -> Void,
        isCancelled: @escaping () -> Bool
    ) { (self.note, self.isCancelled) = (note, isCancelled) }

    /// Copies the directory at `source` to `target`. Throws also where `source` changes meanwhile.
    package mutating func copy(_ source: String, to target: String) throws(DaybookError) {
        guard let found = try status(source), found.isDirectory else { throw .cannotCopy(source, "it is no directory") }
        try copyDirectory(source, found, to: target, depth: 0)
    }

    private mutating func copyDirectory(
        _ source: String,
        _ found: FileStatus,
        to target: String,
        depth: Int
    ) throws(DaybookError) {
        guard depth < DirectoryCopy.depthLimit else { throw .cannotCopy(source, "its directories are too deep") }
        if try status(target) == nil {
            try note(target, true)
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
                // It is read by whoever may read the original.
                guard written.isRegularFile else {
                    throw .cannotCopy(from, "a directory of this name is there already")
                }
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
        try note(target, false)
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
        try note(target, false)
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

extension DaybookError {
    fileprivate static func cannotCopy(_ path: String, _ reason: String) -> DaybookError {
        .machine("cannot-copy", "cannot copy '\(path)': \(reason)", hint: "take it out of the directory first")
    }

    fileprivate static func changedWhileCopied(_ path: String) -> DaybookError {
        .machine(
            "cannot-copy",
            "'\(path)' changed while it was copied",
            hint: "run the job when nothing writes to the container, as on a backup of it"
        )
    }
}

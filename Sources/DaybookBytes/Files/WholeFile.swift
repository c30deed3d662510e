import Foundation

/// Small files that are read or written in one piece.
public enum WholeFile {
    /// For files that Daybook wrote itself: whatever a run could write, the next command must be able to read.
    package static let noLimit = Int.max

    /// Writes `bytes` to `path` so that a reader sees the old file or the new one, never a part.
    public static func write(_ bytes: Bytes, to path: String) throws(DaybookError) {
        do {
            try replace(path, with: bytes, by: path + ".new")
        } catch { throw .cannotWrite(path, error) }
    }

    /// Writes `temporary`, waits for the disk, and renames it to `path`.
    package static func replace(_ path: String, with bytes: Bytes, by temporary: String) throws(SystemFailure) {
        do throws(SystemFailure) {
            let file = try Descriptor(opening: temporary, O_WRONLY | O_CREAT | O_TRUNC | O_NOFOLLOW)
            try file.writeAll(bytes)
            try file.flush()
            try put(temporary, over: path)
            try flushDirectory(FilePath.directory(of: path))
        } catch {
            unlink(temporary)
            throw error
        }
    }

    /// Renames `temporary` over a regular file or nothing. A device, a pipe, a directory or a link stays.
    package static func put(_ temporary: String, over path: String) throws(SystemFailure) {
        let found = try FileStatus.of(path, followingLinks: false)
        guard found?.isRegularFile ?? true else { throw SystemFailure(EEXIST) }
        guard rename(temporary, path) == 0 else { throw .last }
    }

    /// The content of the regular file at `path`; nil when there is none.
    package static func read(_ path: String, limit: Int) throws(SystemFailure) -> Bytes? {
        let file: Descriptor
        do {
            file = try Descriptor(opening: path, O_RDONLY | O_NOFOLLOW | O_NONBLOCK)
        } catch {
            if error.number == ENOENT { return nil }
            throw error
        }
        let status = try file.status()
        guard status.isRegularFile else { throw SystemFailure(status.isDirectory ? EISDIR : EINVAL) }
        guard status.size <= limit else { throw SystemFailure(EFBIG) }
        let bytes = try file.readAll(upTo: limit)
        guard bytes.count <= limit else { throw SystemFailure(EFBIG) }
        return bytes
    }

    /// Flushes the names in a directory: a rename is on the disk only after this.
    package static func flushDirectory(_ path: String) throws(SystemFailure) {
        // Some network shares cannot open or flush a directory; then there is nothing more to be done.
        let directory: Descriptor
        do {
            directory = try Descriptor(opening: path, O_RDONLY | O_DIRECTORY)
        } catch {
            if [EACCES, EPERM, EINVAL, ENOTSUP].contains(error.number) { return }
            throw error
        }
        let result = uninterrupted { fsync(directory.number) }
        guard result == 0 || [EINVAL, ENOTSUP, EROFS, EBADF].contains(errno) else { throw .last }
    }
}

/// A file that must not be there yet.
public enum NewFile {
    /// Refuses a path that exists, before any work is done for it.
    public static func check(_ path: String) throws(DaybookError) {
        let found: FileStatus?
        do { found = try FileStatus.of(path, followingLinks: false) } catch { throw .cannotWrite(path, error) }
        if found != nil { throw taken(path) }
    }

    /// Writes `text` to a new file; a file created meanwhile is not overwritten.
    public static func write(_ text: String, to path: String) throws(DaybookError) {
        do throws(SystemFailure) {
            let file = try Descriptor(opening: path, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW)
            do throws(SystemFailure) {
                try file.writeAll(Bytes(text))
                try file.flush()
            } catch {
                unlink(path)
                throw error
            }
        } catch {
            if error.number == EEXIST { throw taken(path) }
            throw .cannotWrite(path, error)
        }
    }

    private static func taken(_ path: String) -> DaybookError {
        DaybookError(
            "file-exists",
            "there is a file '\(path)' already",
            hint: "name another file, or remove that one first"
        )
    }
}

/// A directory of its own for temporary files, in that which `TMPDIR` names.
package struct ScratchPlace: Sendable {
    package let path: String

    /// Only its name is made; `make` makes it.
    package init() {
        path = FilePath.join(FilePath.canonical(NSTemporaryDirectory()), "daybook-\(UUID().uuidString)")
    }

    /// Nobody else may look into it, for it holds rows of tables. Throws `scratch-failed`.
    package func make() throws(DaybookError) {
        guard mkdir(path, 0o700) != 0, errno != EEXIST else { return }
        let reason = SystemFailure.last.reason
        throw .machine(
            "scratch-failed",
            "cannot make a directory for temporary files in '\(FilePath.directory(of: path))': \(reason)",
            hint: "set TMPDIR to a directory with room"
        )
    }

    package func remove() { try? FileManager.default.removeItem(atPath: path) }
}

import CFiles

/// The file system's record of a file: its type, and what changes when the file is written.
package struct FileStatus: Equatable {
    package var device: UInt64
    package var inode: UInt64
    package var size: Int
    package var mode: mode_t
    package var owner: uid_t
    package var group: gid_t
    /// Seconds and nanoseconds of the last change of the content.
    package var changed: [Int]
    /// Whether it lies in a zip archive, where no library finds it by its path.
    package var isPacked = false

    package init(_ found: stat) {
        device = UInt64(truncatingIfNeeded: found.st_dev)
        inode = UInt64(truncatingIfNeeded: found.st_ino)
        size = Int(found.st_size)
        mode = found.st_mode
        owner = found.st_uid
        group = found.st_gid
        #if canImport(Darwin)
            changed = [found.st_mtimespec.tv_sec, found.st_mtimespec.tv_nsec]
        #else
            changed = [found.st_mtim.tv_sec, found.st_mtim.tv_nsec]
        #endif
    }

    /// The status of the file at `path`, or of a link there if `followingLinks` is false; nil if there is none.
    package static func of(_ path: String, followingLinks: Bool = true) throws(SystemFailure) -> FileStatus? {
        do throws(SystemFailure) { return try ofSystem(path, followingLinks: followingLinks) } catch {
            guard error.number == ENOTDIR else { throw error }
            return try ZipPath.status(path)
        }
    }

    /// The status of what the system finds at `path`.
    static func ofSystem(_ path: String, followingLinks: Bool) throws(SystemFailure) -> FileStatus? {
        var found = stat()
        let result = followingLinks ? stat(path.systemPath, &found) : lstat(path.systemPath, &found)
        guard result == 0 else {
            if errno == ENOENT { return nil }
            throw .last
        }
        return FileStatus(found)
    }

    /// When the file or link at `path` came to be, in microseconds since 1970; nil where the file system does not know.
    static func birth(of path: String) -> Int64? {
        let time = daybook_birth(path.systemPath)
        return time < 0 ? nil : time
    }

    package func isSameFile(as other: FileStatus) -> Bool { device == other.device && inode == other.inode }

    package var isDirectory: Bool { mode & S_IFMT == S_IFDIR }
    package var isRegularFile: Bool { mode & S_IFMT == S_IFREG }
    package var isLink: Bool { mode & S_IFMT == S_IFLNK }
    package var isPipe: Bool { mode & S_IFMT == S_IFIFO }
    package var isSocket: Bool { mode & S_IFMT == S_IFSOCK }
    /// A place that bytes flow through and that cannot be renamed over: a pipe, a terminal, `/dev/null`.
    package var isStream: Bool { !isDirectory && !isRegularFile && !isLink }
}

/// The names in a directory.
package struct DirectoryListing {
    package enum Kind {
        case file
        case directory
        /// A link, or a type that only examining the file can determine.
        case unknown
    }

    package struct Entry {
        package var name: String
        package var kind: Kind
        /// False for a name that is not valid UTF-8 and so cannot be shown unchanged.
        package var isText: Bool
    }

    /// The entries of the directory at `path`, without `.` and `..`, in no order.
    package static func entries(in path: String) throws(SystemFailure) -> [Entry] {
        guard let directory = opendir(path.systemPath) else {
            if errno == ENOTDIR { return try ZipPath.entries(path) }
            throw .last
        }
        defer { closedir(directory) }
        var entries: [Entry] = []
        while true {
            errno = 0
            guard let found = readdir(directory) else {
                if errno != 0 { throw .last }
                return entries
            }
            let name = SystemPath.text([UInt8](daybook_name(found)))
            if name == "." || name == ".." { continue }
            let kind: Kind =
                switch Int32(found.pointee.d_type) {
                case Int32(DT_REG): .file
                case Int32(DT_DIR): .directory
                default: .unknown
                }
            entries.append(Entry(name: name, kind: kind, isText: !SystemPath.isEscaped(name)))
        }
    }

    /// The names alone.
    package static func names(in path: String) throws(SystemFailure) -> [String] {
        try entries(in: path).map(\.name)
    }
}

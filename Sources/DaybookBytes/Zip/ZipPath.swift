import Synchronization

/// Paths that lead into zip archives: to the system, a part of such a path is a file and not a directory.
///
/// So `dumps/anna.zip/Library/app.plist` is read like a file in a directory, and the archive itself listed like one.
package enum ZipPath {
    private static let archives = Mutex<[String: ZipArchive]>([:])
    /// Limit of the archives that stay known, and of their directories in bytes.
    private static let most = (count: 64, bytes: 64 << 20)

    /// Whether a file that can be read begins like a zip archive.
    package static func isArchive(_ path: String) -> Bool {
        Descriptor.plainFile(at: path).map { ZipArchive.begins(like: $0.bytes(count: 4)) } ?? false
    }

    /// The archive on the way of `path`, and the name in it; nil where there is none.
    private static func find(_ path: String) throws(SystemFailure) -> (archive: ZipArchive, name: String)? {
        let names = path.split(separator: "/")
        guard !names.contains("..") else { return nil }
        for count in stride(from: names.count, to: 0, by: -1) {
            let head = (path.hasPrefix("/") ? "/" : "") + names.prefix(count).joined(separator: "/")
            guard let found = try? FileStatus.ofSystem(head, followingLinks: true) else { continue }
            guard found.isRegularFile, let archive = try archive(head) else { return nil }
            return (archive, names.dropFirst(count).filter { $0 != "." }.joined(separator: "/"))
        }
        return nil
    }

    private static func archive(_ path: String) throws(SystemFailure) -> ZipArchive? {
        guard let status = try FileStatus.ofSystem(path, followingLinks: true), status.isRegularFile else { return nil }
        let place = FilePath.canonical(path)
        if let known = archives.withLock({ $0[place] }), known.status == status { return known }
        guard let archive = try ZipArchive(place) else { return nil }
        archives.withLock {
            let bytes = $0.values.reduce(archive.directorySize) { $0 + $1.directorySize }
            if $0.count >= most.count || bytes > most.bytes { $0.removeAll() }
            $0[place] = archive
        }
        return archive
    }

    /// The status of a file or directory in an archive; nil if it is not there. Throws ENOTDIR for any other path.
    static func status(_ path: String) throws(SystemFailure) -> FileStatus? {
        guard let (archive, name) = try find(path) else { throw SystemFailure(ENOTDIR) }
        var status = archive.status
        status.isPacked = true
        if archive.list(name) != nil {
            status.mode = S_IFDIR | 0o755
            return status
        }
        guard let entry = archive.file(name) else { return nil }
        status.mode = S_IFREG | (entry.permissions ?? 0o644)
        (status.size, status.changed) = (entry.size, [entry.changed, 0])
        // Files of an archive are told apart, and from one of the same name in an archive in its place.
        status.inode ^= UInt64(entry.offset) << 32 | UInt64(entry.checksum)
        return status
    }

    /// A new descriptor of a file in an archive.
    static func open(_ path: String) throws(SystemFailure) -> Int32 {
        guard let (archive, name) = try find(path) else { throw SystemFailure(ENOTDIR) }
        guard let entry = archive.file(name) else {
            throw SystemFailure(archive.list(name) == nil ? ENOENT : EISDIR)
        }
        return try archive.open(entry)
    }

    /// The entries of a directory in an archive.
    static func entries(_ path: String) throws(SystemFailure) -> [DirectoryListing.Entry] {
        guard let (archive, name) = try find(path) else { throw SystemFailure(ENOTDIR) }
        guard let entries = archive.list(name) else {
            throw SystemFailure(archive.file(name) == nil ? ENOENT : ENOTDIR)
        }
        return entries
    }
}

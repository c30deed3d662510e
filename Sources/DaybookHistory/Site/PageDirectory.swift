import DaybookBytes
import DaybookEngine
import DaybookPages
import Foundation

/// A directory of pages that is replaced as a whole: readers see the old pages or the new ones.
///
/// It is filled under a temporary name beside its place, and moved there by one rename. A list of its files is in it, so that the
/// next command replaces these files, and nothing else.
final class PageDirectory {
    /// The names of the files in the directory, one a line.
    private static let listName = ".daybook-pages"
    private static let listLimit = 1 << 26

    private let written: String
    /// The place, without links.
    let path: String
    private let temporary: String
    /// Locked while the directory is filled, so that no other command removes it as left behind.
    private let lock: Descriptor
    private var names: [String] = []
    private var isOver = false

    /// Refuses a place with anything that no earlier command has written.
    ///
    /// - Parameter path: as the command line names it.
    init(_ path: String) throws(DaybookError) {
        written = path
        self.path = FilePath.canonical(path)
        let parent = FilePath.directory(of: self.path)
        let prefix = ".\(FilePath.name(of: self.path))."
        temporary = FilePath.join(parent, "\(prefix)\(RunID())")
        _ = try PageDirectory.files(in: self.path, as: path)
        PageDirectory.removeLeft(in: parent, prefix)
        do throws(SystemFailure) {
            for missing in OutputTarget.missingDirectories(above: temporary) + [temporary] {
                guard mkdir(missing.systemPath, 0o777) == 0 || missing != temporary && errno == EEXIST else {
                    throw .last
                }
            }
            lock = try Descriptor(opening: temporary, O_RDONLY | O_DIRECTORY)
            _ = try lock.lock()
        } catch { throw .cannotWrite(path, error) }
    }

    deinit { if !isOver { PageDirectory.remove(temporary, names) } }

    /// Seconds after which an empty directory counts as left behind; a younger one may just have been made.
    private static let freshness = 60

    /// Removes the directories of killed commands.
    private static func removeLeft(in parent: String, _ prefix: String) {
        for name in (try? DirectoryListing.names(in: parent)) ?? [] where name.hasPrefix(prefix) {
            guard RunID(name.dropFirst(prefix.count)) != nil else { continue }
            let directory = FilePath.join(parent, name)
            guard let left = try? Descriptor(opening: directory, O_RDONLY | O_DIRECTORY | O_NOFOLLOW),
                (try? left.lock()) == true, let files = try? DirectoryListing.names(in: directory),
                let status = try? left.status(), !files.isEmpty || time(nil) - status.changed[0] > freshness
            else { continue }
            remove(directory, files.filter(isName))
        }
    }

    /// Whether a page may have this name: small letters, digits and hyphens before `.html`.
    private static func isName(_ name: String) -> Bool { name.wholeMatch(of: /[a-z0-9][a-z0-9-]{0,80}\.html/) != nil }

    /// Writes a page.
    func add(_ page: HTML, as name: String) throws(DaybookError) {
        precondition(PageDirectory.isName(name), "pages have plain names")
        try write(page.printable, as: name)
        names.append(name)
    }

    /// Puts the directory in its place.
    func commit() throws(DaybookError) {
        try write(names.map { $0 + "\n" }.joined(), as: PageDirectory.listName)
        // Somebody may have put something there meanwhile.
        let old = try PageDirectory.files(in: path, as: written)
        do throws(SystemFailure) {
            try WholeFile.flushDirectory(temporary)
            try put(old)
            isOver = true
            try WholeFile.flushDirectory(FilePath.directory(of: path))
        } catch { throw .cannotWrite(written, error) }
    }

    private func put(_ old: [String]?) throws(SystemFailure) {
        takeOverPermissions()
        // A directory takes the place of nothing, or of an empty one.
        guard let old, !old.isEmpty else {
            guard rename(temporary.systemPath, path.systemPath) == 0 else { throw .last }
            return
        }
        if try SystemPath.exchange(temporary, path) { return PageDirectory.remove(temporary, old) }
        // Without that call there is a moment in which neither is there.
        let aside = temporary + "-old"
        guard rename(path.systemPath, aside.systemPath) == 0 else { throw .last }
        guard rename(temporary.systemPath, path.systemPath) == 0 else {
            let failure = SystemFailure.last
            rename(aside.systemPath, path.systemPath)
            throw failure
        }
        PageDirectory.remove(aside, old)
    }

    /// Gives the new pages the permissions of the old ones.
    private func takeOverPermissions() {
        var old = stat()
        guard stat(path.systemPath, &old) == 0 else { return }
        // Only a superuser or a member of the group may do so, and afterwards the bit of the group may be gone.
        _ = chown(temporary.systemPath, uid_t.max, old.st_gid)
        chmod(temporary.systemPath, old.st_mode & 0o7777)
    }

    private func write(_ text: String, as name: String) throws(DaybookError) {
        try NewFile.write(text, to: FilePath.join(temporary, name))
    }

    /// The files at a place that an earlier command has written; nil without a directory.
    private static func files(in path: String, as written: String) throws(DaybookError) -> [String]? {
        let found: [String]
        var listed: [String] = []
        do throws(SystemFailure) {
            guard let status = try FileStatus.of(path, followingLinks: false) else { return nil }
            guard status.isDirectory else { throw SystemFailure(ENOTDIR) }
            found = try DirectoryListing.names(in: path)
            let list = FilePath.join(path, listName)
            if found.contains(listName), let bytes = try WholeFile.read(list, limit: listLimit) {
                let lines = bytes.text(0..<bytes.count).split(separator: "\n").map(String.init)
                listed = lines.filter(isName) + [listName]
            }
        } catch { throw .cannotWrite(written, error) }
        let known = Set(listed)
        if let other = found.sorted().first(where: { !known.contains($0) }) {
            let message = "'\(written)' holds other things, such as '\(other)', and is left as it is"
            throw DaybookError("directory-in-use", message, hint: "name a new directory, or an empty one")
        }
        return found
    }

    private static func remove(_ directory: String, _ names: [String]) {
        for name in names + [listName] { unlink(FilePath.join(directory, name).systemPath) }
        rmdir(directory.systemPath)
    }
}

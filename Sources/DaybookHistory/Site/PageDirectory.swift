import Foundation

/// A directory of pages that is written anew as a whole: readers see the old pages or the new ones.
///
/// It is filled beside its place under another name, and put there by one rename. A list of what it holds stands in it, so that the next one
/// replaces what this one has written, and nothing else.
final class PageDirectory {
    /// The names of the files in the directory, one a line.
    private static let listName = ".daybook-pages"
    private static let listLimit = 1 << 20

    private let written: String
    /// The place, without links.
    let path: String
    private let temporary: String
    private var names: [String] = []
    private var isOver = false

    /// Refuses a place where other things are: a file, or a directory with anything that an earlier one has not written.
    ///
    /// - Parameter path: as the command line names it.
    init(_ path: String) throws(DaybookError) {
        written = path
        self.path = FilePath.canonical(path)
        temporary = FilePath.join(
            FilePath.directory(of: self.path),
            ".\(FilePath.name(of: self.path)).\(RunID())"
        )
        _ = try oldFiles()
        do throws(SystemFailure) {
            for missing in OutputTarget.missingDirectories(above: temporary) + [temporary] {
                guard mkdir(missing.systemPath, 0o777) == 0 || missing != temporary && errno == EEXIST else {
                    throw .last
                }
            }
        } catch { throw .cannotWrite(written, error) }
    }

    deinit { if !isOver { remove(temporary, names) } }

    /// Whether a file may be called so: small letters, digits and hyphens, and `.html` behind them.
    private static func isName(_ name: String) -> Bool {
        name.wholeMatch(of: /[a-z0-9][a-z0-9-]{0,80}\.html/) != nil
    }

    /// Writes a page.
    func add(_ text: String, as name: String) throws(DaybookError) {
        precondition(PageDirectory.isName(name), "pages have plain names")
        try write(text, as: name)
        names.append(name)
    }

    /// Puts the directory in its place.
    func commit() throws(DaybookError) {
        try write(names.map { $0 + "\n" }.joined(), as: PageDirectory.listName)
        // Somebody may have put something there meanwhile.
        let old = try oldFiles()
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
        if try SystemPath.exchange(temporary, path) { return remove(temporary, old) }
        // Without that call there is a moment in which neither is there.
        let aside = temporary + "-old"
        guard rename(path.systemPath, aside.systemPath) == 0 else { throw .last }
        guard rename(temporary.systemPath, path.systemPath) == 0 else {
            let failure = SystemFailure.last
            rename(aside.systemPath, path.systemPath)
            throw failure
        }
        remove(aside, old)
    }

    /// Whoever may not read the old pages may not read the new ones.
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

    /// What an earlier directory has written there; nil where none is.
    private func oldFiles() throws(DaybookError) -> [String]? {
        let found: [String]
        var listed: [String] = []
        do throws(SystemFailure) {
            guard let status = try FileStatus.of(path, followingLinks: false) else { return nil }
            guard status.isDirectory else { throw SystemFailure(ENOTDIR) }
            found = try DirectoryListing.names(in: path)
            let list = FilePath.join(path, PageDirectory.listName)
            if found.contains(PageDirectory.listName),
                let bytes = try WholeFile.read(list, limit: PageDirectory.listLimit)
            {
                listed =
                    bytes.text(0..<bytes.count).split(separator: "\n").map(String.init)
                    .filter(PageDirectory.isName) + [PageDirectory.listName]
            }
        } catch { throw .cannotWrite(written, error) }
        let known = Set(listed)
        if let other = found.sorted().first(where: { !known.contains($0) }) {
            throw DaybookError(
                "directory-in-use",
                "'\(written)' holds other things, such as '\(other)', and is left as it is",
                hint: "name a new directory, or an empty one"
            )
        }
        return found
    }

    private func remove(_ directory: String, _ names: [String]) {
        for name in names + [PageDirectory.listName] { unlink(FilePath.join(directory, name).systemPath) }
        rmdir(directory.systemPath)
    }
}

import DaybookBytes

/// Destination of an output: a file to replace, or a stream that receives bytes.
package struct OutputTarget {
    package enum Kind {
        /// A file, with its status if it exists.
        case file(FileStatus?)
        /// A pipe, terminal or device at `path`.
        case stream
        case standardOutput
    }

    /// Path as the job wrote it.
    package var written: String
    /// Path from the directory where the command was started.
    package var shown: String
    /// Path of the real file behind all links.
    package var path: String
    package var kind: Kind

    /// Key of the target; equal for the same file.
    package var key: String { path }

    /// Whether the target is in the new directory of a publication, where nothing is replaced.
    private(set) var isPublished = false

    var isFile: Bool { if case .file = kind { true } else { false } }

    /// Output in the directory that a run publishes. In the previous directory only a file matters, which passes on its
    /// permissions; a directory of parts may become a file, and a file such a directory.
    init(_ written: String, from base: String, in publication: Publication) throws(DaybookError) {
        let place = FilePath.join(base, written)
        let found = try? FileStatus.of(place)
        if let found, found.isRegularFile, !found.isPacked, access(place, W_OK) != 0 {
            throw .cannotWrite(written, .last)
        }
        self.written = written
        shown = FilePath.shown(written, from: base)
        path = publication.place(of: written)
        kind = .file(found.flatMap { $0.isRegularFile ? $0 : nil })
        isPublished = true
    }

    /// Inspects the path `written`, relative to `base`, and refuses invalid outputs.
    package init(_ written: String, from base: String) throws(DaybookError) {
        self.written = written
        shown = FilePath.shown(written, from: base)
        if written == "-" || OutputTarget.standardOutputs.contains(written) {
            let flags = fcntl(STDOUT_FILENO, F_GETFL)
            guard flags >= 0, flags & O_ACCMODE != O_RDONLY else {
                throw .machine("cannot-write", "cannot write standard output: it is closed", hint: "name a file")
            }
            (path, kind) = ("-", .standardOutput)
            return
        }
        let place = FilePath.join(base, written)
        let found: FileStatus?
        do { found = try FileStatus.of(place) } catch { throw .cannotWrite(written, error) }
        if found?.isDirectory == true || written.hasSuffix("/") {
            throw .machine(
                "output-is-a-directory",
                "cannot write '\(written)': it is a directory",
                hint: "name a file in it, such as '\(FilePath.join(written, "output.csv"))'"
            )
        }
        if found?.isSocket == true {
            throw .machine("cannot-write", "cannot write '\(written)': it is a socket", hint: "name a file")
        }
        if let found, found.isStream {
            (path, kind) = (place, .stream)
            return
        }
        // A rename would replace a file that its owner has protected, since only the permissions of the directory
        // count.
        if found != nil, access(place, W_OK) != 0 { throw .cannotWrite(written, .last) }
        path = FilePath.canonical(place)
        // Where a device is missing, as in some containers, its name must not become a file.
        guard !OutputTarget.systemDirectories.contains(where: path.hasPrefix) || path.hasPrefix("/dev/shm/") else {
            throw .machine(
                "cannot-write",
                "cannot write '\(written)': '\(path)' is a place for devices, and there is none",
                hint: "name a file elsewhere; '-' is standard output"
            )
        }
        kind = .file(found)
    }

    /// Other names of standard output. If it goes to a file, a rename would replace the file that the shell has open.
    private static let standardOutputs: Set = ["/dev/stdout", "/dev/fd/1", "/proc/self/fd/1"]
    private static let systemDirectories = ["/dev/", "/proc/", "/sys/"]

    /// Missing directories above the target, outermost first.
    func missingDirectories() -> [String] { OutputTarget.missingDirectories(above: path) }

    /// Creates the missing directories above `path`.
    package static func makeDirectories(above path: String) throws(SystemFailure) {
        for missing in missingDirectories(above: path) {
            guard mkdir(missing, 0o777) == 0 || errno == EEXIST else { throw .last }
        }
    }

    /// Missing directories above `path`, outermost first.
    package static func missingDirectories(above path: String) -> [String] {
        var missing: [String] = []
        var directory = FilePath.directory(of: path)
        while access(directory, F_OK) != 0, errno == ENOENT, directory != "/", directory != "." {
            missing.append(directory)
            directory = FilePath.directory(of: directory)
        }
        return missing.reversed()
    }
}

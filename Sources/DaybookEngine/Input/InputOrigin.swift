import DaybookBytes

/// Where the inputs of jobs are: it lists names, opens ranges of bytes, and tells whether a file is still the same.
///
/// The file system is one; another, such as an object store, is a second conformer.
package protocol InputOrigin: Sendable {
    /// The entries of a directory, in no order.
    func list(_ directory: String) throws(SystemFailure) -> [DirectoryListing.Entry]

    /// What is at a path; nil if nothing is.
    ///
    /// - Parameter followingLinks: false for a link itself.
    func identity(of path: String, followingLinks: Bool) throws(SystemFailure) -> InputIdentity?

    /// Opens a file for reading from the byte at `offset` on.
    func open(_ path: String, from offset: Int) throws(SystemFailure) -> any InputBytes

    /// The one name of a file that has several.
    func canonical(_ path: String) -> String
}

/// An open input, which is read by one thread at a time.
package protocol InputBytes: AnyObject {
    /// What is open: its kind and size, and by what a change is noticed.
    func identity() throws(SystemFailure) -> InputIdentity

    /// Appends the next bytes, at most `count`, and returns how many; 0 at the end.
    ///
    /// - Parameter isCancelled: ends a wait, with `SystemFailure.cancelled`.
    func read(_ count: Int, into bytes: Bytes, _ isCancelled: () -> Bool) throws(SystemFailure) -> Int

    /// The bytes of a range, wherever `read` has come to; nil if they cannot be read.
    func bytes(_ range: Range<Int>) -> Bytes?
}

/// The kind and size of an input, and a stamp that is another one when its content is.
package struct InputIdentity: Equatable, Sendable {
    package enum Kind: Sendable {
        case file, directory, link
        /// A pipe, terminal or device, whose bytes can be read only once.
        case stream
    }

    /// By what a change of content is noticed.
    package enum Stamp: Equatable, Sendable {
        /// Seconds and nanoseconds of the last change.
        case time([Int])
        /// The version that its origin gives it, such as an entity tag.
        case version(InputVersion)
    }

    package var kind: Kind
    /// In bytes.
    package var size: Int
    package var stamp: Stamp

    package init(_ kind: Kind, size: Int, _ stamp: Stamp) { (self.kind, self.size, self.stamp) = (kind, size, stamp) }

    init(_ status: FileStatus) {
        let kind: Kind = status.isDirectory ? .directory : status.isLink ? .link : status.isStream ? .stream : .file
        self.init(kind, size: status.size, .time(status.changed))
    }
}

/// The file system.
package struct LocalFiles: InputOrigin {
    package init() {}

    package func list(_ directory: String) throws(SystemFailure) -> [DirectoryListing.Entry] {
        try DirectoryListing.entries(in: directory)
    }

    package func identity(of path: String, followingLinks: Bool) throws(SystemFailure) -> InputIdentity? {
        try FileStatus.of(path, followingLinks: followingLinks).map(InputIdentity.init)
    }

    package func open(_ path: String, from offset: Int) throws(SystemFailure) -> any InputBytes {
        // Without blocking, or a pipe that nobody writes to could not be given up.
        try LocalFile(Descriptor(opening: path, O_RDONLY | O_NONBLOCK | O_NOCTTY), from: offset)
    }

    package func canonical(_ path: String) -> String { FilePath.canonical(path) }
}

/// An open file, pipe or device, or standard input.
private final class LocalFile: InputBytes {
    private let file: Descriptor
    private let isStream: Bool
    private let isFile: Bool

    init(_ file: Descriptor, from offset: Int = 0) throws(SystemFailure) {
        self.file = file
        let status = try file.status()
        guard !status.isDirectory else { throw SystemFailure(EISDIR) }
        (isStream, isFile) = (status.isStream, status.isRegularFile)
        #if os(Linux)
            if isFile { posix_fadvise(file.number, 0, 0, Int32(POSIX_FADV_SEQUENTIAL)) }
        #endif
        if offset > 0, lseek(file.number, off_t(offset), SEEK_SET) < 0 { throw .last }
    }

    func identity() throws(SystemFailure) -> InputIdentity { InputIdentity(try file.status()) }

    func read(_ count: Int, into bytes: Bytes, _ isCancelled: () -> Bool) throws(SystemFailure) -> Int {
        while true {
            if isStream { try file.waitForBytes(isCancelled) }
            let got = bytes.append(upTo: count, from: file.number)
            if got >= 0 { return got }
            switch errno {
            // The kernel's log says that it is a regular file, and gives bytes for ever as they come.
            case EAGAIN where !isFile: try file.waitForBytes(isCancelled)
            case EINTR: if isCancelled() { throw .cancelled }
            default: throw .last
            }
        }
    }
}

extension LocalFile {
    func bytes(_ range: Range<Int>) -> Bytes? {
        let bytes = Bytes(capacity: range.count)
        while bytes.count < range.count {
            let got = bytes.append(
                upTo: range.count - bytes.count,
                from: file.number,
                at: range.lowerBound + bytes.count
            )
            guard got > 0 else { return nil }
        }
        return bytes
    }
}

/// One input of a run.
public struct InputPath: Sendable, Hashable {
    /// As messages and reports show it: what the job wrote, with the pattern filled in, so it is the same on every
    /// machine; `-` for standard input.
    public let name: String
    /// Where it is opened.
    public let path: String
    /// As a person where the command was started would name it: for errors, which are read there.
    public let shown: String
    private let origin: any InputOrigin

    package init(name: String, path: String, shown: String? = nil, in origin: any InputOrigin = LocalFiles()) {
        (self.name, self.path, self.shown, self.origin) = (name, path, shown ?? name, origin)
    }

    public static let standardInput = InputPath(name: "-", path: "-", shown: "standard input")

    public static func == (one: InputPath, other: InputPath) -> Bool {
        one.name == other.name && one.path == other.path && one.shown == other.shown
    }

    public func hash(into hasher: inout Hasher) {
        hasher.combine(name)
        hasher.combine(path)
    }

    public var isStandardInput: Bool { name == "-" }

    /// The one name of the file, by which it is compared with others.
    /// Nil for standard input that is no file.
    package var canonical: String? { isStandardInput ? FilePath.standardInput : origin.canonical(path) }

    /// The file beside it whose name has that ending more, such as `-wal`.
    func companion(_ ending: String) -> InputPath {
        InputPath(name: name + ending, path: origin.canonical(path) + ending, shown: shown + ending, in: origin)
    }

    /// Whether its bytes can be read only once: standard input, a named pipe, or what a shell gives for `<(…)`.
    public var isReadOnce: Bool { isStandardInput || (try? identity())??.kind == .stream }

    /// What it is now, without opening it: the writer of a pipe would take that for its reader. Nil if nothing is there.
    package func identity() throws(SystemFailure) -> InputIdentity? {
        try origin.identity(of: path, followingLinks: true)
    }

    /// Its size in bytes; nil for a stream, and for what is not there.
    package var size: Int? {
        guard !isStandardInput, let found = (try? identity()) ?? nil, found.kind == .file else { return nil }
        return found.size
    }

    /// Opens it for reading from the byte at `offset` on.
    package func open(from offset: Int = 0) throws(SystemFailure) -> any InputBytes {
        isStandardInput ? try LocalFile(Descriptor(borrowing: STDIN_FILENO)) : try origin.open(path, from: offset)
    }

    /// The digest of all its bytes.
    func digest() throws(SystemFailure) -> FileDigest {
        let (digester, file, block) = (FileDigester(.never), try open(), Bytes(capacity: 1 << 20))
        repeat {
            block.removeAll()
            _ = try file.read(1 << 20, into: block, { false })
            digester.update(block)
        } while block.count > 0
        return digester.finish()
    }

    /// The digest of its size and its ends, by which it is recognised without being read.
    func endsDigest() throws(DaybookError) -> String {
        do throws(SystemFailure) {
            let file = try open()
            return FileEnds.digest(size: try file.identity().size) { file.bytes($0)?.array[...] ?? [] }
        } catch { throw .cannotRead(self, error) }
    }
}

/// Place of the inputs of jobs. It lists names, opens ranges of bytes, and detects changes of files.
///
/// The file system is one conformer; another, such as an object store, is a second one.
package protocol InputOrigin: Sendable {
    /// Entries of a directory, in no order.
    func list(_ directory: String) throws(SystemFailure) -> [DirectoryListing.Entry]

    /// Identity of the input at a path; nil if the path does not exist.
    ///
    /// - Parameter followingLinks: false for a link itself.
    func identity(of path: String, followingLinks: Bool) throws(SystemFailure) -> InputIdentity?

    /// Opens a file for reading from the byte at `offset` on.
    func open(_ path: String, from offset: Int) throws(SystemFailure) -> any InputBytes

    /// Single name of a file that has several.
    func canonical(_ path: String) -> String

    /// When the file came to be, in microseconds since 1970, which a rename does not change; nil where that is not known.
    func birth(of path: String) -> Int64?
}

/// An open input, which one thread at a time reads.
package protocol InputBytes: AnyObject {
    /// Kind and size of the open input, and the stamp that reveals changes.
    func identity() throws(SystemFailure) -> InputIdentity

    /// Appends the next bytes, at most `count`, and returns their number; 0 at the end.
    ///
    /// - Parameter isCancelled: ends a wait, with `SystemFailure.cancelled`.
    func read(_ count: Int, into bytes: Bytes, _ isCancelled: () -> Bool) throws(SystemFailure) -> Int

    /// Bytes of a range, independent of the position of `read`; nil if they cannot be read.
    func bytes(_ range: Range<Int>) -> Bytes?
}

/// Kind and size of an input, and a stamp that changes with its content.
package struct InputIdentity: Equatable, Sendable {
    package enum Kind: Sendable {
        case file, directory, link
        /// A pipe, terminal or device, whose bytes can be read only once.
        case stream
    }

    /// Stamp that reveals changes of content.
    package enum Stamp: Equatable, Sendable {
        /// Seconds and nanoseconds of the last change.
        case time([Int])
        /// Version from the origin, such as an entity tag.
        case version(InputVersion)
    }

    package var kind: Kind
    /// Size in bytes.
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
        // Non-blocking mode, since otherwise a pipe without a writer could not be cancelled.
        try LocalFile(Descriptor(opening: path, O_RDONLY | O_NONBLOCK | O_NOCTTY), from: offset)
    }

    package func canonical(_ path: String) -> String { FilePath.canonical(path) }

    package func birth(of path: String) -> Int64? { FileStatus.birth(of: path) }
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
            // The kernel's log reports a regular file, but delivers bytes without end as they arrive.
            case EAGAIN where !isFile: try file.waitForBytes(isCancelled)
            case EINTR: if isCancelled() { throw .cancelled }
            default: throw .last
            }
        }
    }

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
    /// Name in messages and reports: the text in the job, with the pattern filled in, so it is the same on every
    /// machine; `-` for standard input.
    public let name: String
    /// Path to open.
    public let path: String
    /// Path from the directory where the command was started, for errors, which are read there.
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

    /// Unique name of the file, for comparisons with other files.
    /// Nil for standard input that is not a file.
    package var canonical: String? { isStandardInput ? FilePath.standardInput : origin.canonical(path) }

    /// When the file came to be, in microseconds since 1970; nil where that is not known.
    fileprivate var birth: Int64? { origin.birth(of: path) }

    /// Companion file whose name has an additional suffix, such as `-wal`.
    package func companion(_ ending: String) -> InputPath {
        InputPath(name: name + ending, path: origin.canonical(path) + ending, shown: shown + ending, in: origin)
    }

    /// Whether a companion file with one of these endings is there and not empty.
    package func hasCompanion(_ endings: [String]) throws(DaybookError) -> Bool {
        for ending in endings {
            do { if let found = try companion(ending).identity(), found.size > 0 { return true } } catch {
                throw .cannotRead(self, error)
            }
        }
        return false
    }

    /// Whether the bytes can be read only once: standard input, a named pipe, or a shell's `<(…)`.
    public var isReadOnce: Bool { isStandardInput || (try? identity())??.kind == .stream }

    /// Current identity, without opening: the writer of a pipe would take an open for its reader. Nil for a missing
    /// file.
    package func identity() throws(SystemFailure) -> InputIdentity? {
        try origin.identity(of: path, followingLinks: true)
    }

    /// Size in bytes; nil for a stream or a missing file.
    package var size: Int? {
        guard !isStandardInput, let found = (try? identity()) ?? nil, found.kind == .file else { return nil }
        return found.size
    }

    /// Opens the input for reading from the byte at `offset` on.
    package func open(from offset: Int = 0) throws(SystemFailure) -> any InputBytes {
        isStandardInput ? try LocalFile(Descriptor(borrowing: STDIN_FILENO)) : try origin.open(path, from: offset)
    }

    /// Digest of all bytes.
    package func digest() throws(SystemFailure) -> FileDigest {
        let (digester, file, block) = (FileDigester(.never), try open(), Bytes(capacity: 1 << 20))
        repeat {
            block.removeAll()
            _ = try file.read(1 << 20, into: block, { false })
            digester.update(block)
        } while block.count > 0
        return digester.finish()
    }

    /// Digest of the size and both ends, which identifies the file without a full read.
    package func endsDigest() throws(DaybookError) -> String {
        do throws(SystemFailure) {
            let file = try open()
            return FileEnds.digest(size: try file.identity().size) { file.bytes($0)?.array[...] ?? [] }
        } catch { throw .cannotRead(self, error) }
    }
}

/// The inputs that successful runs of a job have read to the end.
package protocol IngestedInputs: Sendable {
    /// Whether a run has read the service at this state of its data.
    func holds(_ version: InputVersion, of address: String) -> Bool
    /// What a file with its companion files is to the runs.
    ///
    /// - Parameter asLast: whether it must have the content that was read last, as a file that may get an old one again.
    func delivery(_ input: InputPath, with companions: [String], asLast: Bool) throws(DaybookError) -> Delivery
    /// The days of the rows that a file had when it was read last; nil where that is not known.
    func days(of input: InputPath, in column: String) -> Set<CalendarDay>?
    /// The files that paths of an import would find and that are not among `found`, each with its days.
    ///
    /// - Parameter areCopiesOne: whether a file with the bytes of another, that came later, stands for it.
    func gone(
        _ day: FileDay,
        besides found: [InputPath],
        _ patterns: [PathPattern],
        areCopiesOne: Bool
    ) -> [IngestedFile]
}

/// A file of an import in the history, with the content that was read last.
package struct IngestedFile: Sendable {
    /// As the run named it.
    package let path: String
    /// Where it is, or was.
    package let place: String
    /// The days that it belonged to, where that is known.
    package private(set) var days: Set<CalendarDay> = []
    private let rows: DaysOfFile?
    package let bytes: Int
    package let xxh128: String
    /// Whether that run left it out, since it has the bytes of another file.
    package let isCopy: Bool
    /// Whether it is an output of the job, which runs read where they add to it.
    package let isOutput: Bool
    /// The run that read it; nil where it is not known any more.
    package let run: String?
    /// When that run began, in microseconds since 1970.
    private let started: Int64?

    package init(
        path: String,
        place: String,
        bytes: Int,
        xxh128: String,
        run: String?,
        started: Int64? = nil,
        days: DaysOfFile? = nil,
        isCopy: Bool = false,
        isOutput: Bool = false
    ) {
        (self.path, self.place, rows, self.isCopy, self.isOutput) = (path, place, days, isCopy, isOutput)
        (self.bytes, self.xxh128, self.run, self.started) = (bytes, xxh128, run, started)
    }

    /// Whether a file was there, as it is now, when the run began that read this one. A copy was not, whatever its time.
    package func wasRead(after file: InputPath) -> Bool {
        guard let started, let birth = file.birth, birth <= started,
            case .time(let time)? = (try? file.identity())?.stamp, time.count >= 2
        else { return false }
        return (Int64(time[0]), Int64(time[1]) / 1_000) <= (started / 1_000_000, started % 1_000_000)
    }

    package func of(_ days: Set<CalendarDay>) -> IngestedFile {
        var file = self
        file.days = days
        return file
    }

    /// The days of its rows in a column, if the run that read it asked for them.
    package func daysOfRows(in column: String) -> Set<CalendarDay>? { rows?.column == column ? rows?.days : nil }

    /// Whether it stands for a file that was renamed to another day, and left its name to nothing.
    package var isFormerName: Bool { isCopy && bytes == 0 }

    /// Whether an import with these paths would find it.
    package func isFound(by patterns: [PathPattern]) -> Bool {
        let place = FilePath.canonical(place)
        return patterns.contains { $0.wouldFind(place) }
    }

    package var whenTaken: String { run.map { "when run \($0) read it" } ?? "when it was read" }
    package var whichTook: String { run.map { "which run \($0) read" } ?? "which was read before" }
}

/// What a file is to the earlier runs of its job.
package enum Delivery: Sendable {
    case new
    /// It was read as it is.
    case taken
    /// A file of this name was read, with other bytes.
    case otherBytes(IngestedFile)
    /// These bytes were read, under other names, the last one last.
    case sameBytes([IngestedFile])
}

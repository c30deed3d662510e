import CFiles
import DaybookBytes
import Foundation

/// Output of a run, written to a temporary file until the run is committed.
///
/// One thread at a time writes.
public final class OutputFile: RunOutput, @unchecked Sendable {
    /// Path as the job wrote it.
    public let path: String
    /// Path of the output in parts that contains this file.
    var whole: String?
    /// Groups of rows in it, for an output that replaces groups.
    package var groups: SinkGroups?
    /// Number of bytes written.
    public private(set) var byteCount = 0

    package let target: OutputTarget
    let temporary: String
    package let descriptor: Descriptor
    /// Nil for a file that another process wrote.
    private let writer: BlockWriter?
    private let foreignDigest: FileDigest?

    init(
        _ target: OutputTarget,
        at temporary: String,
        _ descriptor: Descriptor,
        sha256: SHA256Policy,
        foretell: @escaping (Int) -> Int?
    ) {
        (path, self.target, self.temporary, self.descriptor) = (target.written, target, temporary, descriptor)
        writer = BlockWriter(descriptor, isFile: target.isFile, sha256: sha256, foretell: foretell)
        foreignDigest = nil
    }

    /// Part that a shard wrote, under its name among the outputs.
    init(_ target: OutputTarget, _ descriptor: Descriptor, byteCount: Int, digest: FileDigest) {
        (path, self.target, temporary, self.descriptor) = (target.written, target, target.path, descriptor)
        (self.byteCount, writer, foreignDigest) = (byteCount, nil, digest)
    }

    package var files: [OutputFile] { [self] }

    public func write(_ bytes: Bytes, _ part: Range<Int>) throws(DaybookError) {
        guard let writer else { preconditionFailure("what a shard has written gets no more bytes") }
        byteCount += part.count
        do { try writer.append(bytes, part) } catch { throw .cannotWrite(target.shown, error) }
    }

    /// Digest of the whole output after the flush.
    public var digest: FileDigest {
        guard let digest = writer?.digest ?? foreignDigest else { preconditionFailure("an output has one of them") }
        return digest
    }

    /// Waits until all bytes are on disk; nothing is written afterwards.
    func flush() throws(DaybookError) {
        do throws(SystemFailure) {
            try writer?.finish()
            if target.isFile { try descriptor.flush() }
        } catch {
            throw .cannotWrite(target.shown, error)
        }
    }

    /// Closes the file.
    func shut() {
        writer?.abandon()
        descriptor.shut()
    }

    /// Name of the output stream for messages.
    var streamName: String { path == "-" ? "standard output" : "'\(target.shown)'" }

    /// Copies the finished output to its stream. A reader that closed the stream has read enough.
    ///
    /// - Parameters:
    ///   - isCancelled: Ends a wait for the reader.
    ///   - onWait: Told when nobody reads the stream for a while.
    ///   - onBytes: Told when bytes have gone out.
    func copyToStream(isCancelled: () -> Bool, onWait: (String) -> Void, onBytes: () -> Void) throws(DaybookError) {
        do throws(SystemFailure) {
            let stream =
                if case .standardOutput = target.kind { try WaitingStream.standardOutput() } else {
                    try WaitingStream.open(target.path, isCancelled: isCancelled) {
                        onWait("waiting for somebody to read \(streamName)")
                    }
                }
            guard lseek(descriptor.number, 0, SEEK_SET) == 0 else { throw .last }
            let block = Bytes(capacity: 1 << 20)
            while try descriptor.readBlock(into: block) {
                try stream.writeAll(block, isCancelled: isCancelled, onWritten: onBytes)
            }
        } catch {
            if error.number == EPIPE { return }
            throw .cannotWrite(path == "-" ? "standard output" : target.shown, error)
        }
    }
}

/// Output in parts: a directory with the output's name and the files `part-000000.csv` and so on. Their concatenation
/// is the output.
///
/// Used by the committing thread only.
package final class PartedOutput: RunOutput, @unchecked Sendable {
    package private(set) var files: [OutputFile] = []
    package private(set) var adoptedRows = 0
    private let path: PathText
    private let base: String
    private let transaction: OutputTransaction
    /// Current part.
    private var current: OutputFile?

    init(_ path: PathText, from base: String, _ transaction: OutputTransaction) {
        (self.path, self.base, self.transaction) = (path, base, transaction)
    }

    package func write(_ bytes: Bytes, _ part: Range<Int>) throws(DaybookError) {
        if !part.isEmpty { try opened().write(bytes, part) }
    }

    /// Appends a part that a shard wrote.
    func adopt(_ part: OutputPart, at place: String) throws(DaybookError) {
        current = nil
        add(try transaction.adopt(part, at: place, as: nextPath, from: base))
        adoptedRows += part.rows
    }

    /// Ensures that there is a part, even for an output without rows.
    package func end() throws(DaybookError) { if files.isEmpty { _ = try opened() } }

    private func opened() throws(DaybookError) -> OutputFile {
        if let current { return current }
        do throws(DaybookError) {
            let file = try transaction.open(nextPath, from: base)
            current = file
            add(file)
            return file
        } catch { throw error.located(at: path.place) }
    }

    private func add(_ file: OutputFile) {
        file.whole = path.text
        files.append(file)
    }

    private var nextPath: String { PartedOutput.path(of: files.count.padded(to: 6), in: path.text) }

    /// Path of part `000000` of an output: `out/all.csv/part-000000.csv`.
    package static func path(of part: String, in output: String) -> String {
        let name = FilePath.name(of: output)
        let ending = name.lastIndex(of: ".").map { name[$0...] } ?? ""
        return FilePath.join(output, "part-\(part)\(ending)")
    }
}

/// Hashes and writes an output block by block on its own thread, so that neither delays the workers.
///
/// Full blocks bypass the system's page cache if the file system allows it (`O_DIRECT`): the bytes are on disk when the
/// write returns, so little is left to flush at the end, and no byte is copied twice. One thread appends.
final class BlockWriter: @unchecked Sendable {
    /// Length of a block; a multiple of every disk's block length, and of a huge page.
    static let blockSize = 2 << 20
    /// Limit of full blocks in the queue, which limits the memory of an output.
    private static let longestQueue = 2

    private let descriptor: Descriptor
    private let isFile: Bool
    private let digester: FileDigester
    /// Estimated final length of the output, by its current length.
    private let foretell: (Int) -> Int?
    /// Writes a part of a block, with the signature of `Descriptor.writeRest`.
    private let send: (Bytes, Range<Int>, Int32) -> Int
    private var block = Bytes.block(of: blockSize, isHuge: false)

    private let condition = NSCondition()
    private var queue: [Bytes] = []
    private var free: [Bytes] = []
    private var isRunning = false
    private var isIdle = true
    private var isEnded = false
    private var isDirect = false
    private var failure: SystemFailure?

    /// - Parameter foretell: estimated final length of the output at a current length; nil if unknown.
    init(
        _ descriptor: Descriptor,
        isFile: Bool,
        sha256: SHA256Policy,
        foretell: @escaping (Int) -> Int?,
        send: @escaping (Bytes, Range<Int>, Int32) -> Int = { $0.send($1, to: $2) }
    ) {
        (self.descriptor, self.isFile, self.foretell, self.send) = (descriptor, isFile, foretell, send)
        digester = FileDigester(sha256)
    }

    /// Copies a part of `bytes`. The error of an earlier block is thrown by the next call.
    func append(_ bytes: Bytes, _ part: Range<Int>) throws(SystemFailure) {
        var rest = part
        while !rest.isEmpty {
            let next = rest.prefix(BlockWriter.blockSize - block.count)
            block.append(next, of: bytes)
            rest = rest.dropFirst(next.count)
            if block.count == BlockWriter.blockSize { try handOver() }
        }
    }

    /// Writes all remaining bytes and waits; nothing may be appended afterwards.
    func finish() throws(SystemFailure) {
        try drain()
        if isDirect { _ = fcntl(descriptor.number, F_SETFL, 0) }
        digester.update(block)
        try descriptor.writeAll(block)
        block.removeAll()
        if digester.owesSHA256 { try computeDeferredSHA256() }
    }

    /// Computes the SHA-256 of the written bytes from the file.
    private func computeDeferredSHA256() throws(SystemFailure) {
        var digest = SHA256Digest()
        guard lseek(descriptor.number, 0, SEEK_SET) == 0 else { throw .last }
        while try descriptor.readBlock(into: block) { digest.update(block.filled) }
        block.removeAll()
        digester.complete(with: digest)
    }

    /// Digest of all written bytes, after `finish`.
    package var digest: FileDigest { digester.finish() }

    /// Stops the thread without writing the queue.
    func abandon() {
        condition.lock()
        free += queue
        queue = []
        endThread()
        condition.unlock()
    }

    /// Waits for the end of the thread, for a caller that holds the lock.
    private func endThread() {
        isEnded = true
        condition.broadcast()
        while isRunning { condition.wait() }
    }

    private func handOver() throws(SystemFailure) {
        condition.lock()
        while queue.count >= BlockWriter.longestQueue, failure == nil { condition.wait() }
        let failed = failure
        if failed == nil {
            queue.append(block)
            isIdle = false
            // As a huge page a further block goes to the disk as one piece. Otherwise it goes as 512 small pages, each of
            // which the kernel has to find: a twentieth of the time of a job that writes all its rows.
            block = free.popLast() ?? .block(of: BlockWriter.blockSize, isHuge: true)
            block.removeAll()
            if !isRunning { start() }
            condition.broadcast()
        }
        condition.unlock()
        if let failed { throw failed }
    }

    private func drain() throws(SystemFailure) {
        condition.lock()
        while failure == nil, !isIdle { condition.wait() }
        endThread()
        let failed = failure
        condition.unlock()
        if let failed { throw failed }
    }

    // MARK: - The thread

    private func start() {
        isRunning = true
        // No other thread uses the digester yet.
        if let length = foretell(BlockWriter.blockSize) { digester.foretell(byteCount: length) }
        #if os(Linux)
            isDirect = isFile && fcntl(descriptor.number, F_SETFL, DAYBOOK_O_DIRECT) == 0
        #endif
        let thread = Thread { [self] in run() }
        thread.stackSize = 1 << 20
        thread.start()
    }

    private func run() {
        condition.lock()
        while true {
            while queue.isEmpty, !isEnded { condition.wait() }
            guard !queue.isEmpty, failure == nil else { break }
            let block = queue.removeFirst()
            condition.unlock()
            let failed = write(block)
            condition.lock()
            free.append(block)
            failure = failed
            isIdle = queue.isEmpty
            condition.broadcast()
        }
        isRunning = false
        condition.broadcast()
        condition.unlock()
    }

    private func write(_ block: Bytes) -> SystemFailure? {
        digester.update(block)
        var place = 0
        do throws(SystemFailure) {
            do throws(SystemFailure) {
                try descriptor.writeRest(of: block, from: &place, send: send)
            } catch {
                // A file system may accept the flag and refuse the write. It also refuses the write after a short one,
                // which ends within a sector. The rest of the block is then written without the flag.
                guard isDirect, error.number == EINVAL else { throw error }
                isDirect = false
                _ = fcntl(descriptor.number, F_SETFL, 0)
                try descriptor.writeRest(of: block, from: &place, send: send)
            }
            return nil
        } catch {
            return error
        }
    }
}

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

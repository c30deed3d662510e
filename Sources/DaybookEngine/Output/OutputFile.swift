/// One output of a run, written to a temporary file until the run is committed.
///
/// One thread at a time writes.
public final class OutputFile: @unchecked Sendable {
    /// As the job wrote it.
    public let path: String
    /// The path of the output that it is a part of.
    var whole: String?
    /// How many bytes were written.
    public private(set) var byteCount = 0

    package let target: OutputTarget
    let temporary: String
    package let descriptor: Descriptor
    /// Nil where another process has written it.
    private let writer: BlockWriter?
    private let foreignDigest: FileDigest?

    package init(
        target: OutputTarget,
        temporary: String,
        descriptor: Descriptor,
        sha256: SHA256Policy,
        foretell: @escaping (Int) -> Int?
    ) {
        path = target.written
        self.target = target
        self.temporary = temporary
        self.descriptor = descriptor
        writer = BlockWriter(descriptor, isFile: target.isFile, sha256: sha256, foretell: foretell)
        foreignDigest = nil
    }

    /// A part that a shard has written, under its name among the outputs.
    init(target: OutputTarget, descriptor: Descriptor, byteCount: Int, digest: FileDigest) {
        path = target.written
        self.target = target
        temporary = target.path
        self.descriptor = descriptor
        self.byteCount = byteCount
        writer = nil
        foreignDigest = digest
    }

    /// Writes `bytes`.
    public func append(_ bytes: Bytes) throws(DaybookError) { try append(bytes, 0..<bytes.count) }

    /// Writes a part of `bytes`.
    public func append(_ bytes: Bytes, _ part: Range<Int>) throws(DaybookError) {
        guard let writer else { preconditionFailure("what a shard has written gets no more bytes") }
        byteCount += part.count
        do { try writer.append(bytes, part) } catch { throw .cannotWrite(target.shown, error) }
    }

    /// The digest of the whole output, once it is flushed.
    public var digest: FileDigest {
        guard let digest = writer?.digest ?? foreignDigest else { preconditionFailure("an output has one of them") }
        return digest
    }

    /// Waits until everything is on the disk; nothing is written afterwards.
    func flush() throws(DaybookError) {
        do throws(SystemFailure) {
            try writer?.finish()
            if target.isFile { try descriptor.flush() }
        } catch {
            throw .cannotWrite(target.shown, error)
        }
    }

    /// Lets go of the file.
    func shut() {
        writer?.abandon()
        descriptor.shut()
    }

    /// How a person calls the stream that it is meant for.
    var streamName: String { path == "-" ? "standard output" : "'\(target.shown)'" }

    /// Copies the finished output to the stream that it is meant for. A reader that went away has read enough.
    ///
    /// - Parameters:
    ///   - isCancelled: Ends a wait for the reader.
    ///   - onWait: Told when nobody reads the stream for a while.
    ///   - onBytes: Told when bytes have gone out.
    func copyToStream(
        isCancelled: () -> Bool,
        onWait: (String) -> Void,
        onBytes: () -> Void
    ) throws(DaybookError) {
        do throws(SystemFailure) {
            let stream: Descriptor
            if case .standardOutput = target.kind {
                stream = try WaitingStream.standardOutput()
            } else {
                stream = try WaitingStream.open(target.path, isCancelled: isCancelled) {
                    onWait("waiting for somebody to read \(streamName)")
                }
            }
            guard lseek(descriptor.number, 0, SEEK_SET) == 0 else { throw .last }
            try copy(to: stream, isCancelled, onBytes)
        } catch {
            if error.number == EPIPE { return }
            throw .cannotWrite(path == "-" ? "standard output" : target.shown, error)
        }
    }

    private func copy(to stream: Descriptor, _ isCancelled: () -> Bool, _ onBytes: () -> Void) throws(SystemFailure) {
        let block = Bytes(capacity: 1 << 20)
        while try descriptor.readBlock(into: block) {
            try stream.writeAll(block, isCancelled: isCancelled, onWritten: onBytes)
        }
    }
}

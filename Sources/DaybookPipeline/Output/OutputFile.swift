import CFiles
import DaybookCore

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#else
    import Darwin
#endif

/// One output of a run, written to a temporary file until the run is committed.
///
/// One thread at a time writes and one at a time hashes; these may be two threads, so that hashing does not hold up
/// the writer. Both see the same bytes in the same order.
public final class OutputFile: @unchecked Sendable {
    /// As the job wrote it.
    public let path: String
    /// How many bytes were written.
    public private(set) var byteCount = 0

    let target: OutputTarget
    let temporary: String
    let descriptor: Descriptor
    private let digest = SHA256Digest()
    private let waiting = Bytes(capacity: OutputFile.bufferSize)
    private var handedOver = 0
    private var startedUpTo = 0

    /// Writes smaller than this are gathered; larger ones go straight to the system.
    private static let bufferSize = 256 << 10
    /// After so many bytes the disk is asked to begin, so that the flush at the end has little left to do.
    private static let writeBackStep = 8 << 20

    init(target: OutputTarget, temporary: String, descriptor: Descriptor) {
        path = target.written
        self.target = target
        self.temporary = temporary
        self.descriptor = descriptor
    }

    /// Writes and hashes `bytes`.
    public func append(_ bytes: Bytes) throws(DaybookError) {
        hash(bytes)
        try write(bytes)
    }

    /// Writes `bytes`; the caller hashes them too, here or on another thread.
    public func write(_ bytes: Bytes) throws(DaybookError) {
        try write(UnsafeRawBufferPointer(bytes.filled))
    }

    /// Writes `bytes`; the caller hashes them too, here or on another thread.
    public func write(_ bytes: UnsafeRawBufferPointer) throws(DaybookError) {
        byteCount += bytes.count
        if waiting.count + bytes.count <= OutputFile.bufferSize {
            return waiting.append(bytes.assumingMemoryBound(to: UInt8.self))
        }
        try handOver()
        if bytes.count >= OutputFile.bufferSize / 2 {
            try handOver(bytes)
        } else {
            waiting.append(bytes.assumingMemoryBound(to: UInt8.self))
        }
    }

    /// Adds `bytes` to the digest. Every byte that is written is hashed once, in the same order.
    public func hash(_ bytes: Bytes) { digest.update(UnsafeRawBufferPointer(bytes.filled)) }

    /// Adds `bytes` to the digest. Every byte that is written is hashed once, in the same order.
    public func hash(_ bytes: UnsafeRawBufferPointer) { digest.update(bytes) }

    /// The SHA-256 of the whole output, once nothing more is written.
    public var sha256: String { digest.finish() }

    /// Hands what is still waiting to the system.
    func handOver() throws(DaybookError) {
        guard waiting.count > 0 else { return }
        defer { waiting.removeAll() }
        try handOver(UnsafeRawBufferPointer(waiting.filled))
    }

    /// Waits until everything is on the disk.
    func flush() throws(DaybookError) {
        try handOver()
        precondition(digest.byteCount == byteCount, "every byte of an output is written once and hashed once")
        guard target.isFile else { return }
        do { try descriptor.flush() } catch { throw .cannotWrite(path, error) }
    }

    private func handOver(_ bytes: UnsafeRawBufferPointer) throws(DaybookError) {
        do { try descriptor.writeAll(bytes) } catch { throw .cannotWrite(path, error) }
        handedOver += bytes.count
        if handedOver - startedUpTo >= OutputFile.writeBackStep, target.isFile {
            #if os(Linux)
                let length = Int64(handedOver - startedUpTo)
                _ = sync_file_range(
                    descriptor.number,
                    Int64(startedUpTo),
                    length,
                    DAYBOOK_SYNC_FILE_RANGE_WRITE
                )
            #endif
            startedUpTo = handedOver
        }
    }

    /// Copies the finished output to the stream that it is meant for. A reader that went away has read enough.
    func copyToStream() throws(DaybookError) {
        do throws(SystemFailure) {
            let stream: Descriptor
            if case .standardOutput = target.kind {
                stream = Descriptor(borrowing: STDOUT_FILENO)
            } else {
                stream = try Descriptor(opening: target.path, O_WRONLY)
            }
            guard lseek(descriptor.number, 0, SEEK_SET) == 0 else { throw .last }
            try copy(to: stream)
        } catch {
            if error.number == EPIPE { return }
            throw .cannotWrite(path == "-" ? "standard output" : path, error)
        }
    }

    private func copy(to stream: Descriptor) throws(SystemFailure) {
        let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: 1 << 20, alignment: 64)
        defer { buffer.deallocate() }
        while true {
            let got = try descriptor.readSome(into: buffer)
            if got == 0 { return }
            try stream.writeAll(UnsafeRawBufferPointer(rebasing: buffer[..<got]))
        }
    }
}

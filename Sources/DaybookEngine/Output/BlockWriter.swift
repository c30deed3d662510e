import CFiles
import Foundation

/// Hashes and writes an output block by block on a thread of its own, so that neither holds up the workers.
///
/// Full blocks bypass the system's page cache where the file system lets them (`O_DIRECT`): the bytes are on the disk when
/// the write returns, so little is left to flush at the end, and nothing is copied twice. One thread appends.
final class BlockWriter: @unchecked Sendable {
    /// The length of a block; a multiple of every disk's, and of a huge page.
    static let blockSize = 2 << 20
    /// How many full blocks may wait; what bounds the memory of an output.
    private static let longestQueue = 2

    private let descriptor: Descriptor
    private let isFile: Bool
    private let digester: FileDigester
    /// About how long the output will be, by how long it is.
    private let foretell: (Int) -> Int?
    /// Writes a part of a block, as `Descriptor.writeRest` is told.
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

    /// - Parameter foretell: about how long the output will be once it has so many bytes, where anybody knows.
    init(
        _ descriptor: Descriptor,
        isFile: Bool,
        sha256: SHA256Policy,
        foretell: @escaping (Int) -> Int?,
        send: @escaping (Bytes, Range<Int>, Int32) -> Int = { $0.send($1, to: $2) }
    ) {
        self.send = send
        digester = FileDigester(sha256)
        self.descriptor = descriptor
        self.isFile = isFile
        self.foretell = foretell
    }

    /// A block of an output that is longer than one. As a huge page it goes to the disk as one piece, and as 512 small pages
    /// otherwise, each of which the kernel has to find: a twentieth of the time of a job that writes all its rows.
    private static func furtherBlock() -> Bytes { .block(of: blockSize, isHuge: true) }

    /// Takes a part of `bytes`; an error of an earlier block is thrown at the next.
    func append(_ bytes: Bytes, _ part: Range<Int>) throws(SystemFailure) {
        var rest = part
        while !rest.isEmpty {
            let next = rest.prefix(BlockWriter.blockSize - block.count)
            block.append(bytes, next)
            rest = rest.dropFirst(next.count)
            if block.count == BlockWriter.blockSize { try handOver() }
        }
    }

    /// Writes everything that is left and waits for it; nothing may be appended afterwards.
    func finish() throws(SystemFailure) {
        try drain()
        if isDirect { _ = fcntl(descriptor.number, F_SETFL, 0) }
        digester.update(block)
        try descriptor.writeAll(block)
        block.removeAll()
        if digester.owesSHA256 { try computeDeferredSHA256() }
    }

    /// Takes the SHA-256 of what was written, from the file.
    private func computeDeferredSHA256() throws(SystemFailure) {
        var digest = SHA256Digest()
        guard lseek(descriptor.number, 0, SEEK_SET) == 0 else { throw .last }
        while try descriptor.readBlock(into: block) { digest.update(block.filled) }
        block.removeAll()
        digester.complete(with: digest)
    }

    /// The digest of all that was written, once it is finished.
    var digest: FileDigest { digester.finish() }

    /// Stops the thread without writing what waits.
    func abandon() {
        condition.lock()
        free += queue
        queue = []
        isEnded = true
        condition.broadcast()
        while isRunning { condition.wait() }
        condition.unlock()
    }

    private func handOver() throws(SystemFailure) {
        condition.lock()
        while queue.count >= BlockWriter.longestQueue, failure == nil { condition.wait() }
        let failed = failure
        if failed == nil {
            queue.append(block)
            isIdle = false
            block = free.popLast() ?? BlockWriter.furtherBlock()
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
        isEnded = true
        condition.broadcast()
        while isRunning { condition.wait() }
        let failed = failure
        condition.unlock()
        if let failed { throw failed }
    }

    // MARK: - The thread

    private func start() {
        isRunning = true
        // Nobody else uses the digester yet.
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
                // A file system may take the flag and refuse the write. It also refuses what follows a short write, which ends within a
                // sector. The rest of the block then goes the common way.
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

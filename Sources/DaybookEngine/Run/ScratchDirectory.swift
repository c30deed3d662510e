import DaybookBytes
import Foundation

/// Spill space for folds beyond their memory limit: files without a name, deleted when they are closed.
package final class ScratchDirectory: Scratch {
    package let memoryLimit: Int
    package let threads: Int

    package init(memoryLimit: Int, threads: Int) {
        self.memoryLimit = memoryLimit
        self.threads = threads
    }

    package func makeFile() throws(DaybookError) -> any ScratchFile { try ScratchDirectory.unnamedFile() }

    package func concurrently(
        _ count: Int,
        _ body: @escaping @Sendable (Int) throws(DaybookError) -> Void
    ) throws(DaybookError) {
        var numbers = (0..<count).makeIterator()
        try OrderedParallelMap(threads: min(threads, count), next: { numbers.next() }, work: body, commit: { _ in })
            .run()
    }

    static func unnamedFile() throws(DaybookError) -> any ScratchFile { try UnnamedScratch() }
}

/// Temporary file without a name.
private final class UnnamedScratch: ScratchFile, @unchecked Sendable {
    private let descriptor: Int32
    private(set) var length = 0

    init() throws(DaybookError) {
        do { descriptor = try UnnamedFile.make() } catch {
            throw UnnamedScratch.failure("cannot make a temporary file")
        }
    }

    deinit { close(descriptor) }

    func append(_ bytes: Bytes) throws(DaybookError) {
        var done = 0
        while done < bytes.count {
            let count = bytes.send(done..<bytes.count, to: descriptor, at: length)
            if count < 0 {
                if errno == EINTR { continue }
                throw UnnamedScratch.failure("cannot write a temporary file")
            }
            done += count
            length += count
        }
    }

    func read(_ count: Int, at offset: Int, into bytes: Bytes) throws(DaybookError) {
        var done = 0
        while done < count {
            let got = bytes.append(upTo: count - done, from: descriptor, at: offset + done)
            if got < 0 {
                if errno == EINTR { continue }
                throw UnnamedScratch.failure("cannot read a temporary file")
            }
            if got == 0 { break }
            done += got
        }
    }

    private static func failure(_ message: String) -> DaybookError {
        .machine(
            "scratch-failed",
            "\(message): \(String(cString: strerror(errno)))",
            hint: "set TMPDIR to a directory with room"
        )
    }
}

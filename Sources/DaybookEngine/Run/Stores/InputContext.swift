import DaybookBytes
import Foundation
import Synchronization

/// One store that a run reads, with its companion files: their identity when opened, and the digests of their bytes.
///
/// The library, not the run, reads the bytes, so the run verifies that it hashes the same bytes: a copy is hashed while
/// it is made, and a store that is read in place must have the same identity at the end as at the beginning.
package final class InputContext: StoreContext {
    private struct Part {
        /// Suffix of the companion file; empty for the store itself.
        var ending: String
        var status: FileStatus
    }

    package let source: SourceName
    let input: InputPath
    private let place: String
    private let parts: [Part]
    private let sha256: SHA256Policy
    private let cancelled: @Sendable () -> Bool
    /// Digests of the copied files, by suffix.
    private let copied = Mutex<[String: FileDigest]?>(nil)

    package init(
        _ input: InputPath,
        index: Int,
        companions: [String],
        sha256: SHA256Policy = .auto,
        isCancelled: @escaping @Sendable () -> Bool
    ) throws(DaybookError) {
        guard !input.isReadOnce else {
            throw .machine(
                "store-is-a-stream",
                "cannot read \(input.isStandardInput ? "standard input" : "'\(input.shown)'") as a store: "
                    + "it is a stream, and a store is read here and there",
                hint: "write it to a file first"
            )
        }
        self.input = input
        source = SourceName(index: index, path: input.name)
        place = FilePath.canonical(input.path)
        cancelled = isCancelled
        self.sha256 = sha256
        do throws(SystemFailure) {
            parts = try ([""] + companions).map { [place] ending throws(SystemFailure) in
                guard let status = try FileStatus.of(place + ending) else {
                    if ending.isEmpty { throw SystemFailure(ENOENT) }
                    return nil
                }
                if status.isDirectory { throw SystemFailure(EISDIR) }
                return Part(ending: ending, status: status)
            }.compactMap(\.self)
        } catch { throw .cannotRead(input, error) }
    }

    package var isCancelled: Bool { cancelled() }

    var byteCount: Int { parts[0].status.size }

    /// Store for a stage to open. Errors about the whole file use its path from the directory where the command was
    /// started.
    ///
    /// - Parameter since: the requested rows; nil for all.
    package func file(since: SinceBound? = nil) throws(DaybookError) -> StoreFile {
        let head = Bytes(capacity: StoreFile.headSize)
        do throws(SystemFailure) {
            let descriptor = try Descriptor(opening: place, O_RDONLY | O_NONBLOCK)
            _ = try descriptor.read(StoreFile.headSize, into: head)
        } catch { throw .cannotRead(input, error) }
        var file = StoreFile(
            source: SourceName(index: source.index, path: input.shown),
            path: place,
            size: parts[0].status.size,
            head: head,
            companions: Dictionary(uniqueKeysWithValues: parts.dropFirst().map { ($0.ending, $0.status.size) }),
            room: self
        )
        (file.since, file.isPacked) = (since, parts[0].status.isPacked)
        return file
    }

    package func makeFile() throws(DaybookError) -> any ScratchFile { try ScratchDirectory.unnamedFile() }

    // MARK: - Copying

    /// Number of attempts to copy while another program writes to the store.
    private static let patience = 3

    package func copying<Opened>(
        _ open: (_ path: String) throws(DaybookError) -> Opened
    ) throws(DaybookError) -> Opened {
        let directory = try CopyDirectory()
        defer { directory.remove() }
        for _ in 0..<InputContext.patience {
            if let opened = try attempt(in: directory, open) { return opened }
        }
        throw changed()
    }

    /// Nil if another program wrote to the store meanwhile.
    private func attempt<Opened>(
        in directory: CopyDirectory,
        _ open: (_ path: String) throws(DaybookError) -> Opened
    ) throws(DaybookError) -> Opened? {
        let path = directory.path + "/store"
        var digests: [String: FileDigest] = [:]
        let before = try now()
        for part in parts { digests[part.ending] = try copy(part.ending, to: path + part.ending) }
        guard try now() == before else { return nil }
        copied.withLock { $0 = digests }
        return try open(path)
    }

    private func now() throws(DaybookError) -> [FileStatus?] {
        do throws(SystemFailure) {
            return try parts.map { part throws(SystemFailure) in try FileStatus.of(place + part.ending) }
        } catch { throw .cannotRead(input, error) }
    }

    private func copy(_ ending: String, to path: String) throws(DaybookError) -> FileDigest {
        let target: Descriptor
        do { target = try Descriptor(opening: path, O_WRONLY | O_CREAT | O_TRUNC, mode: 0o600) } catch {
            throw CopyDirectory.failure(error)
        }
        return try digest(ending) { bytes throws(DaybookError) in
            do throws(SystemFailure) { try target.writeAll(bytes) } catch { throw CopyDirectory.failure(error) }
        }
    }

    /// Reads a part from beginning to end. A deleted one has no bytes; `now` detects the deletion.
    private func digest(
        _ ending: String,
        _ body: (Bytes) throws(DaybookError) -> Void = { _ in }
    ) throws(DaybookError) -> FileDigest {
        let digest = FileDigester(sha256)
        let block = Bytes(capacity: 1 << 20)
        let descriptor: Descriptor
        do { descriptor = try Descriptor(opening: place + ending, O_RDONLY | O_NONBLOCK) } catch {
            if error.number == ENOENT, !ending.isEmpty { return digest.finish() }
            throw .cannotRead(input, error)
        }
        while true {
            if isCancelled { throw .interrupted }
            do { guard try descriptor.readBlock(into: block) else { return digest.finish() } } catch {
                throw .cannotRead(input, error)
            }
            digest.update(block)
            try body(block)
        }
    }

    // MARK: - The end

    /// The store and its companion files, for the manifest.
    package func files(recognised: [String]) -> [RunInputs.File] {
        parts.filter { $0.ending.isEmpty || $0.status.size > 0 }.map { part in
            RunInputs.File(
                path: InputPath(name: input.name + part.ending, path: place + part.ending)
            ) { [self] () throws(DaybookError) in
                RunOutcome.Input(
                    path: input.name + part.ending,
                    bytes: part.status.size,
                    digest: try digest(of: part),
                    recognised: part.ending.isEmpty ? recognised : []
                )
            }
        }
    }

    private func digest(of part: Part) throws(DaybookError) -> FileDigest {
        if let known = copied.withLock({ $0?[part.ending] }) { return known }
        let digest = try digest(part.ending)
        if try now() != parts.map(\.status) { throw changed() }
        return digest
    }

    private func changed() -> DaybookError {
        .machine(
            "input-changed",
            "'\(input.shown)' changed while it was read",
            hint: "run again when nothing writes to it any more, or read a copy"
        )
    }
}

/// Directory for the copy of one store, removed as soon as the copy is open.
private struct CopyDirectory {
    let path: String

    init() throws(DaybookError) {
        var path = Array((NSTemporaryDirectory() + "daybook-store-XXXXXX").utf8CString)
        guard mkdtemp(&path) != nil else { throw CopyDirectory.failure(.last) }
        self.path = String(decoding: path.dropLast().map { UInt8(bitPattern: $0) }, as: UTF8.self)
    }

    func remove() { try? FileManager.default.removeItem(atPath: path) }

    static func failure(_ failure: SystemFailure) -> DaybookError {
        .machine(
            "scratch-failed",
            "cannot copy a store to the directory for temporary files: \(failure.reason)",
            hint: "set TMPDIR to a directory with room"
        )
    }
}

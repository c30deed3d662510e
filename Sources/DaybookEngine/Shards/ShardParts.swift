import DaybookBytes

/// Directory where the shards of a plan write outputs in parts: hidden, beside the directory that the job publishes. A
/// merge moves the parts into the published directory.
struct ShardParts {
    private let directory: String

    fileprivate static let suffix = ".daybook-part"

    /// Nil if the job publishes no directory, and so has no outputs in parts.
    init?(_ publish: PathText?, from base: String, plan: UInt64) {
        guard let publish else { return nil }
        let link = Publication.link(of: publish, from: base)
        let digits = String(plan, radix: 16)
        directory = FilePath.join(FilePath.directory(of: link), ".\(FilePath.name(of: link)).parts-\(digits)")
    }

    /// Path of a part; nil for a name that no shard gives.
    func path(of name: String) -> String? {
        guard name.hasSuffix(ShardParts.suffix), RunID(name.dropLast(ShardParts.suffix.count)) != nil else {
            return nil
        }
        return FilePath.join(directory, name)
    }

    /// Removes all parts after they have their names among the outputs.
    func remove() {
        for name in (try? DirectoryListing.names(in: directory)) ?? [] {
            if let path = path(of: name) { unlink(path) }
        }
        rmdir(directory)
    }
}

/// Writes one part.
final class PartWriter: ByteOutput {
    private let name: String
    private let path: String
    private let file: Descriptor
    private let writer: BlockWriter
    private var byteCount = 0
    private var isFinished = false

    init(in parts: ShardParts) throws(DaybookError) {
        name = "\(RunID())\(ShardParts.suffix)"
        path = parts.path(of: name) ?? name
        do throws(SystemFailure) {
            try OutputTarget.makeDirectories(above: path)
            file = try Descriptor(opening: path, O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW)
        } catch { throw .cannotWrite(path, error) }
        writer = BlockWriter(file, isFile: true, sha256: .auto) { _ in nil }
    }

    deinit {
        writer.abandon()
        file.shut()
        if !isFinished { unlink(path) }
    }

    func write(_ bytes: Bytes, _ part: Range<Int>) throws(DaybookError) {
        byteCount += part.count
        do { try writer.append(bytes, part) } catch { throw .cannotWrite(path, error) }
    }

    func finish(rows: Int, of shard: Int) throws(DaybookError) -> OutputPart {
        do throws(SystemFailure) {
            try writer.finish()
            try file.flush()
            isFinished = true
            return OutputPart(
                shard: shard,
                name: name,
                bytes: byteCount,
                rows: rows,
                xxh128: writer.digest.xxh128,
                sha256: writer.digest.sha256,
                ends: try FileEnds.digest(of: file)
            )
        } catch { throw .cannotWrite(path, error) }
    }
}

/// Part of an output that a shard has written, with the data by which the merge identifies it.
struct OutputPart: Codable, Sendable {
    var shard: Int
    /// File name in the directory of the parts of all shards.
    var name: String
    var bytes: Int
    var rows: Int
    var xxh128: String
    var sha256: String?
    /// XXH128 of the file's size and its first and last 64 KiB.
    var ends: String

    /// Gives the file at `place` a second name `path`, or renames it if the file system has no hard links.
    func take(from place: String, as path: String) throws(SystemFailure) -> Descriptor {
        do throws(SystemFailure) {
            if link(place, path) != 0, errno == ENOENT || rename(place, path) != 0 { throw .last }
            let file = try Descriptor(opening: path, O_RDONLY | O_NOFOLLOW | O_NONBLOCK)
            guard try file.status().isRegularFile, try FileEnds.digest(of: file) == ends else {
                throw SystemFailure(ENOENT)
            }
            return file
        } catch {
            unlink(path)
            throw error
        }
    }

    /// Digest of the part, with the SHA-256 if the policy requires it. The file is read only if the shard has not
    /// computed it.
    func digest(of file: Descriptor, _ policy: SHA256Policy) throws(SystemFailure) -> FileDigest {
        guard policy.limit >= bytes else { return FileDigest(xxh128: xxh128, sha256: nil) }
        if let sha256 { return FileDigest(xxh128: xxh128, sha256: sha256) }
        return try FileDigest.of(file, policy)
    }

    /// - Parameter output: path of the output, as the job names it.
    func refusal(of output: String, _ failure: SystemFailure) -> DaybookError {
        .machine(
            "missing-part",
            failure.number == ENOENT
                ? "what shard \(shard) wrote for '\(output)' is missing or was changed"
                : "cannot take what shard \(shard) wrote for '\(output)': \(failure.reason)",
            hint: "run shard \(shard) again, then merge"
        )
    }
}

import DaybookBytes

/// Where the shards of a plan write outputs in parts: a hidden directory beside the one that the job publishes, for a merge to put into
/// that.
struct ShardParts {
    private let directory: String

    private static let suffix = ".daybook-part"

    /// Nil where the job publishes no directory, and so has no outputs in parts.
    init?(_ publish: PathText?, from base: String, plan: UInt64) {
        guard let publish else { return nil }
        let link = Publication.link(of: publish, from: base)
        let digits = String(plan, radix: 16)
        directory = FilePath.join(FilePath.directory(of: link), ".\(FilePath.name(of: link)).parts-\(digits)")
    }

    /// A name that no other part has.
    func newName() -> String { "\(RunID())\(ShardParts.suffix)" }

    /// The path of a part; nil where no shard gives such a name.
    func path(of name: String) -> String? {
        guard name.hasSuffix(ShardParts.suffix), RunID(name.dropLast(ShardParts.suffix.count)) != nil else {
            return nil
        }
        return FilePath.join(directory, name)
    }

    /// Removes all parts, when they have their names among the outputs.
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
        name = parts.newName()
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

/// A part of an output that a shard has written, and by which the merge knows it again.
struct OutputPart: Codable, Sendable {
    var shard: Int
    /// In the directory of the parts of all shards.
    var name: String
    var bytes: Int
    var rows: Int
    var xxh128: String
    var sha256: String?
    /// The XXH128 of its size and its first and last 64 KiB.
    var ends: String

    /// Gives the file at `place` the further name `path`, or only that where the file system knows no two names of a file.
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

    /// Its digest, with the SHA-256 where the policy wants one; read for that only where the shard has not taken it.
    func digest(of file: Descriptor, _ policy: SHA256Policy) throws(SystemFailure) -> FileDigest {
        guard policy.limit >= bytes else { return FileDigest(xxh128: xxh128, sha256: nil) }
        if let sha256 { return FileDigest(xxh128: xxh128, sha256: sha256) }
        return try FileDigest.of(file, policy)
    }

    /// - Parameter output: the path among the outputs, as the job names it.
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

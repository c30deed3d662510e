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

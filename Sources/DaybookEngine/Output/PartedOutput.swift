/// An output in parts: a directory of the output's name with `part-000000.csv` and so on, which one behind the other are the output.
///
/// Touched by the committing thread only.
final class PartedOutput: RunOutput, @unchecked Sendable {
    private(set) var files: [OutputFile] = []
    private(set) var adoptedRows = 0
    private let path: PathText
    private let base: String
    private let transaction: OutputTransaction
    /// The part that is being written.
    private var current: OutputFile?

    init(_ path: PathText, from base: String, _ transaction: OutputTransaction) {
        (self.path, self.base, self.transaction) = (path, base, transaction)
    }

    func write(_ bytes: Bytes, _ part: Range<Int>) throws(DaybookError) {
        if !part.isEmpty { try opened().append(bytes, part) }
    }

    /// Puts a part that a shard has written behind those before.
    func adopt(_ part: OutputPart, at place: String) throws(DaybookError) {
        current = nil
        files.append(try transaction.adopt(part, at: place, as: nextName, from: base))
        adoptedRows += part.rows
    }

    /// Makes sure that there is a part, also of no rows.
    func end() throws(DaybookError) { if files.isEmpty { _ = try opened() } }

    private func opened() throws(DaybookError) -> OutputFile {
        if let current { return current }
        do throws(DaybookError) {
            let file = try transaction.open(nextName, from: base)
            current = file
            files.append(file)
            return file
        } catch { throw error.located(at: path.place) }
    }

    private var nextName: String {
        let digits = String(files.count)
        let number = String(repeating: "0", count: max(0, 6 - digits.count)) + digits
        return FilePath.join(path.text, "part-\(number)\(FilePath.name(of: path.text).drop { $0 != "." })")
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

    var digest: FileDigest { FileDigest(xxh128: xxh128, sha256: sha256) }

    /// Gives the file at `place` the further name `path`, or only that where the file system knows no two names of a file.
    func take(from place: String, as path: String) throws(DaybookError) -> Descriptor {
        do throws(SystemFailure) {
            if link(place, path) != 0, errno == ENOENT || rename(place, path) != 0 { throw .last }
            let file = try Descriptor(opening: path, O_RDONLY | O_NOFOLLOW | O_NONBLOCK)
            guard try file.status().isRegularFile, try FileEnds.digest(of: file) == ends else {
                throw SystemFailure(ENOENT)
            }
            return file
        } catch {
            unlink(path)
            throw .machine(
                "missing-part",
                error.number == ENOENT
                    ? "the part of an output that shard \(shard) has written is gone or another"
                    : "cannot take the part of an output that shard \(shard) has written: \(error.reason)",
                hint: "run that shard again, then merge"
            )
        }
    }
}

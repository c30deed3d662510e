/// The rows of one group, such as a day, of an output that replaces groups: their size and their digest.
///
/// A later verification computes the same from the output, whichever other groups it got since.
public struct SinkGroup: Sendable, Hashable, Codable {
    /// The table of a database; nil for a text.
    public var part: String?
    /// The values of the columns in `replace_by`, as the output has them.
    public var key: String
    public var bytes: Int
    public var xxh128: String

    public init(part: String? = nil, key: String, bytes: Int, xxh128: String) {
        (self.part, self.key, self.bytes, self.xxh128) = (part, key, bytes, xxh128)
    }

    /// Of a run with more groups, none are kept: a manifest stays a file that people open.
    package static let most = 10_000
}

/// The groups that a run wrote into an output, and what stood there of them before.
public struct SinkGroups: Sendable {
    public var written: [SinkGroup]
    /// Groups without rows are absent. A table tells them only in a repeated run.
    public var replaced: [SinkGroup]

    package init(written: [SinkGroup] = [], replaced: [SinkGroup] = []) {
        (self.written, self.replaced) = (written, replaced)
    }

    package mutating func add(_ other: SinkGroups) {
        written += other.written
        replaced += other.replaced
    }
}

/// Computes the digest of the rows of a group, in their order.
final class GroupDigester {
    private var digest = XXH128Digest()
    private var bytes = 0

    func add(_ rows: Cell) {
        digest.update(rows)
        bytes += rows.count
    }

    func group(_ key: String) -> SinkGroup { SinkGroup(key: key, bytes: bytes, xxh128: digest.finish()) }
}

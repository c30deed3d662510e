/// Identifies the bytes of one file.
public struct FileDigest: Sendable, Equatable {
    /// The 128 bits of XXH3, as `xxh128sum` prints them: 32 hexadecimal digits. Distinguishes files that differ by
    /// accident, but not files forged to collide.
    public var xxh128: String
    /// 64 hexadecimal digits; nil where the file is larger than the policy allows.
    public var sha256: String?

    package init(xxh128: String, sha256: String? = nil) { (self.xxh128, self.sha256) = (xxh128, sha256) }

    /// The digest of all remaining bytes of a file.
    package static func of(_ file: Descriptor, _ policy: SHA256Policy) throws(SystemFailure) -> FileDigest {
        let digester = FileDigester(policy)
        let block = Bytes(capacity: 1 << 20)
        while try file.readBlock(into: block) { digester.update(block) }
        return digester.finish()
    }

    /// The digest of a whole file, without its SHA-256.
    package static func of(fileAt path: String) throws(SystemFailure) -> FileDigest {
        try of(try Descriptor(opening: path, O_RDONLY | O_NONBLOCK), .never)
    }
}

/// Identifies a file without reading all of it.
package enum FileEnds {
    private static let length = 64 << 10

    /// The XXH128 of the size, the first and the last bytes, which `bytes` gives.
    package static func digest(size: Int, _ bytes: (Range<Int>) -> ArraySlice<UInt8>) -> String {
        let digester = FileDigester(.never)
        digester.update(Bytes("\(size)"))
        digester.update(bytes(0..<min(size, length)))
        digester.update(bytes(max(0, size - length)..<size))
        return digester.finish().xxh128
    }

    package static func digest(of file: Descriptor) throws(SystemFailure) -> String {
        digest(size: try file.status().size) { file.bytes(at: $0.lowerBound, count: $0.count) }
    }
}

/// For which files the SHA-256 is computed: each file takes one core for it, however many there are, and twenty times
/// as long as XXH3.
public enum SHA256Policy: String, Sendable, CaseIterable {
    /// Of files so small that it costs less than a hundredth of a second.
    case auto
    case always, never

    /// The largest file, in bytes, whose SHA-256 is computed; -1 for none.
    package var limit: Int {
        switch self {
        case .auto: 16 << 20
        case .always: .max
        case .never: -1
        }
    }
}

/// Computes the digest of a file piece by piece.
///
/// One thread at a time feeds it; it may move between threads, and the caller ensures the order.
public final class FileDigester: @unchecked Sendable {
    private var xxh128 = XXH128Digest()
    private var sha256: SHA256Digest?
    private let limit: Int
    private var isPutOff = false
    private var finished: FileDigest?
    /// How many bytes it was fed.
    public private(set) var byteCount = 0

    public init(_ policy: SHA256Policy = .auto) {
        limit = policy.limit
        sha256 = limit < 0 ? nil : SHA256Digest()
    }

    /// Sets the size of the file, so that no time goes into a SHA-256 that is given up later.
    public func expect(byteCount: Int) {
        if byteCount > limit { sha256 = nil }
    }

    /// Sets about how large the file will be. If that is by far too large for a SHA-256, it is deferred: should the
    /// file be smaller all the same, the digest is incomplete, and `complete(with:)` has to supply it.
    package func foretell(byteCount: Int) {
        guard sha256 != nil, byteCount / 4 > limit else { return }
        (sha256, isPutOff) = (nil, true)
    }

    /// Whether the SHA-256 was deferred but is still required.
    package var owesSHA256: Bool { isPutOff && byteCount <= limit }

    /// Sets the deferred SHA-256 of all bytes.
    package func complete(with digest: SHA256Digest) { (sha256, isPutOff) = (digest, false) }

    package func update(_ bytes: Bytes) { update(bytes, 0..<bytes.count) }

    package func update(_ bytes: Bytes, _ part: Range<Int>) { withExtendedLifetime(bytes) { update(bytes.cell(part)) } }

    package func update(_ bytes: ArraySlice<UInt8>) { update(Bytes(bytes)) }

    public func update(_ bytes: Cell) {
        precondition(finished == nil, "a finished digest gets no more bytes")
        guard bytes.count > 0 else { return }
        byteCount += bytes.count
        xxh128.update(bytes)
        if byteCount > limit { sha256 = nil } else { sha256?.update(bytes) }
    }

    /// The digest of all bytes fed; the same at every call.
    public func finish() -> FileDigest {
        if let finished { return finished }
        precondition(!owesSHA256, "a digest that was put off is made up for")
        let digest = FileDigest(xxh128: xxh128.finish(), sha256: sha256?.finish())
        finished = digest
        return digest
    }
}

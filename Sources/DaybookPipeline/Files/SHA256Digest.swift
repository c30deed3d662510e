import CCrypto

/// The SHA-256 of bytes that come in pieces.
///
/// One thread at a time feeds it; it may move between threads, and whoever moves it sees to the order.
public final class SHA256Digest: @unchecked Sendable {
    private var context = SHA256_CTX()
    private var hexadecimal: String?
    /// How many bytes it was fed.
    public private(set) var byteCount = 0

    private let isWanted: Bool

    /// A digest that is not wanted is fed like any other, computes nothing, and must not be finished.
    public init(isWanted: Bool = true) {
        self.isWanted = isWanted
        SHA256_Init(&context)
    }

    public func update(_ bytes: UnsafeRawBufferPointer) {
        precondition(hexadecimal == nil, "a finished digest gets no more bytes")
        guard bytes.count > 0, isWanted else { return }
        SHA256_Update(&context, bytes.baseAddress, bytes.count)
        byteCount += bytes.count
    }

    /// What `finish` gives, or nil when it is not wanted.
    public var sha256: String? { isWanted ? finish() : nil }

    /// The digest as 64 hexadecimal digits, in lower case; the same at every call.
    public func finish() -> String {
        precondition(isWanted, "a digest that nobody wants has no value")
        if let hexadecimal { return hexadecimal }
        var digest = [UInt8](repeating: 0, count: Int(SHA256_DIGEST_LENGTH))
        SHA256_Final(&digest, &context)
        let digits = Array("0123456789abcdef".utf8)
        let text = String(decoding: digest.flatMap { [digits[Int($0 >> 4)], digits[Int($0 & 15)]] }, as: UTF8.self)
        hexadecimal = text
        return text
    }

    /// The digest of a text.
    public static func of(_ text: String) -> String {
        let digest = SHA256Digest()
        var text = text
        text.withUTF8 { digest.update(UnsafeRawBufferPointer($0)) }
        return digest.finish()
    }
}

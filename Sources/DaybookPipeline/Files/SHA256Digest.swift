import CCrypto

/// The SHA-256 of bytes that come in pieces.
public struct SHA256Digest {
    private var context = SHA256_CTX()

    init() { SHA256_Init(&context) }

    mutating func update(_ bytes: UnsafeRawBufferPointer) {
        guard bytes.count > 0 else { return }
        SHA256_Update(&context, bytes.baseAddress, bytes.count)
    }

    /// The digest as 64 hexadecimal digits, in lower case; the same at every call.
    func finish() -> String {
        var context = context
        return withUnsafeTemporaryAllocation(byteCount: Int(SHA256_DIGEST_LENGTH), alignment: 1) { digest in
            SHA256_Final(digest.baseAddress?.assumingMemoryBound(to: UInt8.self), &context)
            return Hexadecimal.text(of: UnsafeRawBufferPointer(digest))
        }
    }
}

extension SHA256Digest {
    /// The digest of some bytes.
    public static func of(_ bytes: [UInt8]) -> String {
        var digest = SHA256Digest()
        bytes.withUnsafeBytes { digest.update($0) }
        return digest.finish()
    }

    /// The digest of a text.
    public static func of(_ text: String) -> String { of(Array(text.utf8)) }
}

/// Bytes as hexadecimal digits in lower case.
enum Hexadecimal {
    static func text(of bytes: UnsafeRawBufferPointer) -> String {
        let digits = Array("0123456789abcdef".utf8)
        return String(decoding: bytes.flatMap { [digits[Int($0 >> 4)], digits[Int($0 & 15)]] }, as: UTF8.self)
    }
}

import CCrypto

/// The SHA-256 of bytes that come in pieces.
public struct SHA256Digest {
    private var context = SHA256_CTX()

    public init() { SHA256_Init(&context) }

    public mutating func update(_ bytes: Cell) { SHA256_Update(&context, bytes.baseAddress, bytes.count) }

    /// The digest as 64 hexadecimal digits, in lower case; the same at every call.
    public func finish() -> String {
        var context = context
        var digest = [UInt8](repeating: 0, count: Int(SHA256_DIGEST_LENGTH))
        SHA256_Final(&digest, &context)
        return Hexadecimal.text(of: digest)
    }
}

extension SHA256Digest {
    /// The digest of some bytes.
    public static func of(_ bytes: [UInt8]) -> String {
        var digest = SHA256Digest()
        SHA256_Update(&digest.context, bytes, bytes.count)
        return digest.finish()
    }

    /// The digest of a text.
    public static func of(_ text: String) -> String { of(Array(text.utf8)) }
}

/// Bytes as hexadecimal digits in lower case.
package enum Hexadecimal {
    package static func text(of bytes: some Collection<UInt8>) -> String {
        String(unsafeUninitializedCapacity: 2 * bytes.count) { text in
            for (place, byte) in bytes.enumerated() {
                text[2 * place] = digit(byte >> 4)
                text[2 * place + 1] = digit(byte & 15)
            }
            return 2 * bytes.count
        }
    }

    /// The bytes of a digest in this text form; nil for any other text.
    package static func bytes(of text: String) -> [UInt8]? {
        let digits = text.utf8.map(value)
        guard digits.count.isMultiple(of: 2), digits.allSatisfy({ $0 < 16 }) else { return nil }
        return stride(from: 0, to: digits.count, by: 2).map { digits[$0] << 4 | digits[$0 + 1] }
    }

    /// 16 for anything but a digit.
    private static func value(of digit: UInt8) -> UInt8 {
        switch digit {
        case UInt8(ascii: "0")...UInt8(ascii: "9"): digit - UInt8(ascii: "0")
        case UInt8(ascii: "a")...UInt8(ascii: "f"): digit - UInt8(ascii: "a") + 10
        default: 16
        }
    }

    private static func digit(_ value: UInt8) -> UInt8 {
        value < 10 ? UInt8(ascii: "0") + value : UInt8(ascii: "a") + value - 10
    }
}

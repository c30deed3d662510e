import CCrypto

/// HMAC-SHA256 (RFC 2104) over the functions of SHA-256 that the rest of Daybook uses.
///
/// OpenSSL's own `HMAC` would load its providers, and put them into the release that is linked statically.
struct MessageSignature {
    /// The signature as 64 hexadecimal digits.
    let text: String

    init(of message: [UInt8], by key: [UInt8]) {
        let block = Int(SHA256_CBLOCK)
        var key = key.count > block ? MessageSignature.digest(key) : key
        key += [UInt8](repeating: 0, count: block - key.count)
        let inner = MessageSignature.digest(key.map { $0 ^ 0x36 } + message)
        let bytes = MessageSignature.digest(key.map { $0 ^ 0x5C } + inner)
        text = bytes.map { byte in
            let digits = String(byte, radix: 16)
            return byte < 16 ? "0" + digits : digits
        }.joined()
    }

    private static func digest(_ bytes: [UInt8]) -> [UInt8] {
        var digest = [UInt8](repeating: 0, count: Int(SHA256_DIGEST_LENGTH))
        SHA256(bytes, bytes.count, &digest)
        return digest
    }
}

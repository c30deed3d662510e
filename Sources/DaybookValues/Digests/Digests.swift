import CCrypto
import CXXHash
import Synchronization

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
    package static func text(of bytes: [UInt8]) -> String {
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

/// The 128 bits of XXH3 over bytes that come in pieces.
public struct XXH128Digest: ~Copyable {
    private let state: OpaquePointer

    public init() {
        guard let state = xxh128_begin() else { preconditionFailure("the machine has no memory left for a digest") }
        self.state = state
    }

    deinit { xxh128_end(state) }

    public mutating func update(_ bytes: Cell) { xxh128_update(state, bytes.baseAddress, bytes.count) }

    /// The digest so far, as `xxh128sum` prints it: 32 hexadecimal digits.
    public func finish() -> String {
        var value = [UInt8](repeating: 0, count: 16)
        xxh128_value(state, &value)
        return Hexadecimal.text(of: value)
    }
}

/// A digest of rows that does not depend on their order: the sums of both halves of their XXH128 digests.
///
/// The digest of rows of a table, which have no order. Detects accidents and edits, but no forgery.
package struct DigestSum: Sendable, Hashable {
    private var high: UInt64 = 0
    private var low: UInt64 = 0

    package init() {}

    package mutating func add(_ row: Cell) {
        var (first, second): (UInt64, UInt64) = (0, 0)
        xxh128_whole(row.baseAddress, row.count, &first, &second)
        high &+= first
        low &+= second
    }

    /// 32 hexadecimal digits.
    package var text: String {
        Hexadecimal.text(of: [high, low].flatMap { half in withUnsafeBytes(of: half.bigEndian) { Array($0) } })
    }
}

/// The seed of the hashes of keys: drawn anew in every process, so that nobody can write keys which all collide.
///
/// Processes that share the work of one run share its seed too: one partitions keys by hash, another merges them.
package enum HashSeed {
    private static let drawn = Mutex<(seed: UInt64?, isUsed: Bool)>((nil, false))

    /// The seed of this process, which never changes once read.
    package static var current: UInt64 {
        drawn.withLock { state in
            let seed = state.seed ?? UInt64.random(in: 1...UInt64.max)
            state = (seed, true)
            return seed
        }
    }

    /// Adopts the seed of a run that several processes share; false if this process has already used another.
    package static func adopt(_ seed: UInt64) -> Bool {
        drawn.withLock { state in
            guard !state.isUsed || state.seed == seed else { return false }
            state.seed = seed
            return true
        }
    }

    /// The seed of this process as 16 hexadecimal digits.
    package static var text: String { current.padded(to: 16, radix: 16) }
}

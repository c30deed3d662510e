/// The code at the end of the file of a shard, which nobody makes who does not have the plan: HMAC with SHA-256 (RFC 2104), its first 16 bytes.
///
/// What stands in such a file is believed, down to the places of texts in packed rows; so it is no digest, which anybody could make fit.
struct ShardSeal {
    static let length = 16
    private static let blockLength = 64

    private var inner = SHA256Digest()
    private let outerKey: [UInt8]

    /// - Parameter key: of 32 bytes.
    init(_ key: [UInt8]) {
        func padded(_ byte: UInt8) -> [UInt8] {
            key.map { $0 ^ byte } + [UInt8](repeating: byte, count: ShardSeal.blockLength - key.count)
        }
        outerKey = padded(0x5C)
        padded(0x36).withUnsafeBufferPointer { inner.update($0) }
    }

    mutating func update(_ bytes: Bytes, _ part: Range<Int>) {
        inner.update(Cell(rebasing: bytes.filled[part]))
        withExtendedLifetime(bytes) {}
    }

    func finish() -> [UInt8] {
        let sum = Hexadecimal.bytes(of: SHA256Digest.of(outerKey + (Hexadecimal.bytes(of: inner.finish()) ?? [])))
        return Array((sum ?? []).prefix(ShardSeal.length))
    }
}

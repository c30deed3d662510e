/// What stands before the blocks of a frame (RFC 8878, sections 3.1.1 and 3.1.2).
struct ZstdFrameHeader {
    static let maximumByteCount = 18

    let byteCount: Int
    /// How many bytes the frame says it decompresses to; nil where it does not say.
    let contentByteCount: UInt64?

    /// Whether the bytes begin a frame, or one that is to be skipped, as far as they go.
    static func begins(_ bytes: some Collection<UInt8>) -> Bool {
        isBegun(bytes, by: [0x28, 0xb5, 0x2f, 0xfd]) || isSkipped(bytes)
    }

    /// Parallel compressors begin with such a frame, of which the first byte may end in anything.
    private static func isSkipped(_ bytes: some Collection<UInt8>) -> Bool {
        guard let first = bytes.first else { return false }
        return first & 0xf0 == 0x50 && isBegun(bytes.dropFirst(), by: [0x2a, 0x4d, 0x18])
    }

    private static func isBegun(_ bytes: some Collection<UInt8>, by magic: [UInt8]) -> Bool {
        magic.starts(with: bytes.prefix(magic.count))
    }

    /// The header with which the bytes begin; nil where they end before it does.
    init?(_ bytes: Cell) {
        let prefixByteCount = 5
        guard bytes.count >= prefixByteCount else { return nil }
        if ZstdFrameHeader.isSkipped(bytes) {
            byteCount = 8
            contentByteCount = nil
        } else {
            let descriptor = bytes[4]
            let isSingleSegment = descriptor & 0x20 != 0
            let windowByteCount = isSingleSegment ? 0 : 1
            let dictionaryByteCount = [0, 1, 2, 4][Int(descriptor & 3)]
            let sizeByteCount = [isSingleSegment ? 1 : 0, 2, 4, 8][Int(descriptor >> 6)]
            let sizeOffset = prefixByteCount + windowByteCount + dictionaryByteCount
            byteCount = sizeOffset + sizeByteCount
            guard bytes.count >= byteCount else { return nil }
            let size = bytes[sizeOffset..<byteCount].reversed().reduce(0) { $0 << 8 | UInt64($1) }
            contentByteCount =
                switch sizeByteCount {
                case 0: nil
                case 2: size + 256
                default: size
                }
        }
        guard bytes.count >= byteCount else { return nil }
    }
}

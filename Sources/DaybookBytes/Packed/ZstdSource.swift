import CZstd

/// The bytes inside a Zstandard file, which may have several frames one after the other.
///
/// A frame that looks back more than 128 MiB is refused (`zstd --ultra --long=28` and above make such): the library
/// would have to keep that much in memory.
package final class ZstdSource: Decompressor {
    package static let format = "zstd"
    package static func isFormat(of head: ArraySlice<UInt8>) -> Bool {
        head.count >= 4 && ZstdFrameHeader.begins(head)
    }

    private let source: any ByteSource
    private let name: String
    private var chunk = SourceChunk(capacity: 256 << 10)
    private let stream: OpaquePointer
    private var isInFrame = false
    /// The decompressed size that the frame declares, and the bytes produced so far.
    private var promised: UInt64?
    private var delivered: UInt64 = 0
    /// The library may buffer output although it has consumed all input.
    private var mayHoldBack = false

    package var usedByteCount: Int { chunk.offset }

    package init(_ source: any ByteSource, name: String) {
        self.source = source
        self.name = name
        guard let stream = ZSTD_createDStream() else {
            preconditionFailure("the machine has no memory left for a decompressor")
        }
        self.stream = stream
    }

    deinit { ZSTD_freeDStream(stream) }

    package func read(_ count: Int, into bytes: Bytes) throws(DaybookError) -> Int {
        while true {
            var input = chunk.rest
            if !isInFrame {
                guard let header = try beginFrame() else { return 0 }
                input = chunk.rest.prefix(header.byteCount)
            } else if input.isEmpty, !mayHoldBack {
                try chunk.refill(from: source)
                if chunk.isAtEnd { throw .truncated(name, ZstdSource.format, at: chunk.offset) }
                input = chunk.rest
            }
            let filled = try decompress(input, count, into: bytes)
            if filled > 0 { return filled }
        }
    }

    /// The header of the next frame; nil at the end of the file.
    ///
    /// The library must receive the header separately. A frame passed as a whole takes another way, which reads other
    /// frames than the way for pieces: the content of a file would depend on how its bytes arrive.
    private func beginFrame() throws(DaybookError) -> ZstdFrameHeader? {
        while chunk.rest.count < ZstdFrameHeader.maximumByteCount, !chunk.isAtEnd { try chunk.refill(from: source) }
        let rest = chunk.bytes.cell(chunk.rest)
        if rest.isEmpty { return nil }
        guard ZstdFrameHeader.begins(rest) else {
            if chunk.offset > 0 { throw .trailing(name, ZstdSource.format, at: chunk.offset) }
            throw .damaged(name, ZstdSource.format, "no frame begins here", at: 0)
        }
        guard let header = ZstdFrameHeader(rest) else {
            throw .truncated(name, ZstdSource.format, at: chunk.offset + rest.count)
        }
        isInFrame = true
        promised = header.contentByteCount
        delivered = 0
        return header
    }

    private func decompress(_ range: Range<Int>, _ count: Int, into bytes: Bytes) throws(DaybookError) -> Int {
        let rest = chunk.bytes.cell(range)
        var input = ZSTD_inBuffer(src: rest.baseAddress, size: rest.count, pos: 0)
        var output = ZSTD_outBuffer(dst: bytes.reserve(count), size: count, pos: 0)
        let result = ZSTD_decompressStream(stream, &output, &input)
        guard ZSTD_isError(result) == 0 else { throw refused(result, at: chunk.offset + input.pos) }
        chunk.use(input.pos)
        bytes.count += output.pos
        delivered += UInt64(output.pos)
        isInFrame = result != 0
        mayHoldBack = isInFrame && output.pos == count
        // The library does not look where the last block is empty.
        if !isInFrame, let promised, promised != delivered {
            let detail = "a frame of \(promised) bytes holds \(delivered)"
            throw .damaged(name, ZstdSource.format, detail, at: chunk.offset)
        }
        return output.pos
    }

    private func refused(_ result: Int, at offset: Int) -> DaybookError {
        switch ZSTD_getErrorCode(result) {
        case ZSTD_error_frameParameter_windowTooLarge:
            .machine(
                "damaged-input",
                "'\(name)' needs more than 128 MiB of memory to be decompressed",
                hint: "decompress it beforehand with 'zstd -d --long=31', or compress it without --long"
            )
        default:
            .damaged(name, ZstdSource.format, String(cString: ZSTD_getErrorName(result)).lowercased(), at: offset)
        }
    }
}

/// The header before the blocks of a frame (RFC 8878, sections 3.1.1 and 3.1.2).
struct ZstdFrameHeader {
    static let maximumByteCount = 18

    let byteCount: Int
    /// The decompressed size in bytes that the frame declares; nil if it declares none.
    let contentByteCount: UInt64?

    /// Whether the bytes, as far as they go, begin a frame or a skippable frame.
    static func begins(_ bytes: some Collection<UInt8>) -> Bool {
        isBegun(bytes, by: [0x28, 0xb5, 0x2f, 0xfd]) || isSkipped(bytes)
    }

    /// Parallel compressors begin with a skippable frame; the low four bits of its first byte are arbitrary.
    private static func isSkipped(_ bytes: some Collection<UInt8>) -> Bool {
        guard let first = bytes.first else { return false }
        return first & 0xf0 == 0x50 && isBegun(bytes.dropFirst(), by: [0x2a, 0x4d, 0x18])
    }

    private static func isBegun(_ bytes: some Collection<UInt8>, by magic: [UInt8]) -> Bool {
        magic.starts(with: bytes.prefix(magic.count))
    }

    /// The header at the start of the bytes; nil if they end within it.
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

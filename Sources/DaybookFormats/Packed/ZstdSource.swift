import CZstd

/// The bytes inside a Zstandard file, which may have several frames one after the other.
///
/// A frame that looks back more than 128 MiB is refused (`zstd --ultra --long=28` and above make such): the library
/// would have to keep that much in memory.
package final class ZstdSource: Decompressor {
    package static let format = "zstd"
    package static func isFormat(of head: ArraySlice<UInt8>) -> Bool {
        if head.starts(with: [0x28, 0xb5, 0x2f, 0xfd]) { return true }
        // A frame that is to be skipped, with which parallel compressors begin.
        guard let first = head.first else { return false }
        return first & 0xf0 == 0x50 && head.dropFirst().starts(with: [0x2a, 0x4d, 0x18])
    }

    private let source: any ByteSource
    private let name: String
    private var chunk = SourceChunk(capacity: 256 << 10)
    private let stream: OpaquePointer
    private var isInFrame = false
    /// The library may hold back output although it has taken all input.
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
            if chunk.rest.isEmpty, !mayHoldBack {
                try chunk.refill(from: source)
                if chunk.isAtEnd {
                    guard isInFrame else { return 0 }
                    throw .truncated(name, ZstdSource.format, at: chunk.offset)
                }
            }
            let filled = try decompress(count, into: bytes)
            if filled > 0 { return filled }
        }
    }

    private func decompress(_ count: Int, into bytes: Bytes) throws(DaybookError) -> Int {
        let isNewFrame = !isInFrame && chunk.offset > 0
        let rest = chunk.bytes.cell(chunk.rest)
        // The library would go on with a frame of its first versions, and knows it only where all four bytes of its mark came at once.
        if isNewFrame, let first = rest.first, first != 0x28, first & 0xf0 != 0x50 {
            throw .trailing(name, ZstdSource.format, at: chunk.offset)
        }
        var input = ZSTD_inBuffer(src: rest.baseAddress, size: rest.count, pos: 0)
        var output = ZSTD_outBuffer(dst: bytes.reserve(count), size: count, pos: 0)
        let result = ZSTD_decompressStream(stream, &output, &input)
        guard ZSTD_isError(result) == 0 else {
            throw refused(result, isNewFrame: isNewFrame, at: chunk.offset + input.pos)
        }
        chunk.use(input.pos)
        bytes.count += output.pos
        isInFrame = result != 0
        mayHoldBack = isInFrame && output.pos == count
        return output.pos
    }

    private func refused(_ result: Int, isNewFrame: Bool, at offset: Int) -> DaybookError {
        switch ZSTD_getErrorCode(result) {
        case ZSTD_error_prefix_unknown where isNewFrame:
            .trailing(name, ZstdSource.format, at: offset)
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

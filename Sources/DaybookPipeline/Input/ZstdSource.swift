import CZstd
import DaybookCore

/// The bytes inside a Zstandard file, which may have several frames one after the other.
///
/// A frame that looks back more than 128 MiB is refused (`zstd --ultra --long=28` and above make such): the library
/// would have to keep that much in memory.
final class ZstdSource: ByteSource {
    private let source: any ByteSource
    private let name: String
    private var chunk = SourceChunk(capacity: 256 << 10)
    private let stream: OpaquePointer
    private var isInFrame = false
    /// The library may hold back output although it has taken all input.
    private var mayHoldBack = false

    /// - Parameter name: what messages call the file.
    init(_ source: any ByteSource, name: String) {
        self.source = source
        self.name = name
        guard let stream = ZSTD_createDStream() else {
            preconditionFailure("the machine has no memory left for a decompressor")
        }
        self.stream = stream
    }

    deinit { ZSTD_freeDStream(stream) }

    func read(into room: UnsafeMutableRawBufferPointer) throws(DaybookError) -> Int {
        while true {
            if chunk.rest.isEmpty, !mayHoldBack {
                try chunk.refill(from: source)
                if chunk.isAtEnd {
                    guard isInFrame else { return 0 }
                    throw .truncated(name, "zstd", at: chunk.offset)
                }
            }
            let filled = try decompress(into: room)
            if filled > 0 { return filled }
        }
    }

    private func decompress(into room: UnsafeMutableRawBufferPointer) throws(DaybookError) -> Int {
        let isNewFrame = !isInFrame && chunk.offset > 0
        var input = ZSTD_inBuffer(src: chunk.rest.baseAddress, size: chunk.rest.count, pos: 0)
        var output = ZSTD_outBuffer(dst: room.baseAddress, size: room.count, pos: 0)
        let result = ZSTD_decompressStream(stream, &output, &input)
        guard ZSTD_isError(result) == 0 else {
            throw refused(result, isNewFrame: isNewFrame, at: chunk.offset + input.pos)
        }
        chunk.use(input.pos)
        isInFrame = result != 0
        mayHoldBack = isInFrame && output.pos == room.count
        return output.pos
    }

    private func refused(_ result: Int, isNewFrame: Bool, at offset: Int) -> DaybookError {
        switch ZSTD_getErrorCode(result) {
        case ZSTD_error_prefix_unknown where isNewFrame:
            .trailing(name, "zstd", at: offset)
        case ZSTD_error_frameParameter_windowTooLarge:
            .machine(
                "damaged-input",
                "'\(name)' needs more than 128 MiB of memory to be decompressed",
                hint: "decompress it beforehand with 'zstd -d --long=31', or compress it without --long"
            )
        default:
            .damaged(name, "zstd", String(cString: ZSTD_getErrorName(result)).lowercased(), at: offset)
        }
    }
}

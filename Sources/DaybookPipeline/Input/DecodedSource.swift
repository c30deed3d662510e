import DaybookCore

/// UTF-8 text out of bytes of another encoding.
final class DecodedSource: ByteSource {
    private let source: any ByteSource
    private var chunk = SourceChunk(capacity: 256 << 10)
    private let decoder: TextDecoder

    /// - Parameter offset: how many bytes of the text, such as its byte-order mark, were passed over before.
    init(_ source: any ByteSource, _ encoding: TextEncoding, startingAt offset: Int) throws(DaybookError) {
        self.source = source
        decoder = try TextDecoder(encoding, startingAt: offset)
    }

    func takeFaults() -> [TextDecoder.Fault] { decoder.takeFaults() }

    func read(into room: UnsafeMutableRawBufferPointer) throws(DaybookError) -> Int {
        while true {
            if !chunk.rest.isEmpty {
                let (used, filled) = decoder.decode(chunk.rest, into: room, isLast: chunk.isAtEnd)
                chunk.use(used)
                if filled > 0 { return filled }
            } else if chunk.isAtEnd {
                return 0
            }
            try chunk.refill(from: source)
        }
    }
}

/// Turns UTF-8 into the encoding of an output.
///
/// One is used by one thread at a time; every call takes whole text, so several can share the work on one output.
public final class EncodingWriter {
    public let encoding: TextEncoding
    /// What stands before the first byte of the output: a byte-order mark, or nothing.
    public var mark: [UInt8] { encoding.mark }

    private let converter: TextConverter?
    private let replacement: [UInt8]

    public init(_ encoding: TextEncoding) throws(DaybookError) {
        self.encoding = encoding
        guard !encoding.isUTF8 else {
            (converter, replacement) = (nil, [])
            return
        }
        let converter = try TextConverter(from: "UTF-8", to: encoding.writing)
        self.converter = converter
        let spelling = Array((encoding.isUnicode ? "\u{FFFD}" : "?").utf8)
        replacement = withUnsafeTemporaryAllocation(byteCount: 16, alignment: 1) { room in
            spelling.withUnsafeBytes { spelling in
                var input = spelling
                var output = room
                _ = converter.convert(&input, into: &output)
                return Array(room[..<(room.count - output.count)])
            }
        }
    }

    /// Adds `text` to `output` in the encoding.
    ///
    /// A character that the encoding does not have is written as `?`, and `report` is told where its bytes stand in
    /// `text`; so are bytes that are not UTF-8. UTF-8 itself is copied and not looked at.
    public func encode(
        _ text: UnsafeBufferPointer<UInt8>,
        into output: Bytes,
        reporting report: (Range<Int>) -> Void
    ) {
        guard let converter else { return output.append(text) }
        var rest = UnsafeRawBufferPointer(text)
        while rest.count > 0 {
            let wanted = max(rest.count + rest.count / 4, 64)
            var room = UnsafeMutableRawBufferPointer(start: output.reserve(wanted), count: wanted)
            let stop = converter.convert(&rest, into: &room)
            output.count += wanted - room.count
            guard stop == .refused || stop == .incomplete else { continue }
            let length = EncodingWriter.characterLength(rest)
            let start = text.count - rest.count
            report(start..<start + length)
            replacement.withUnsafeBufferPointer { output.append($0) }
            rest = UnsafeRawBufferPointer(rebasing: rest[length...])
        }
    }

    /// The bytes of the first character: the lead byte and the continuations that are there.
    private static func characterLength(_ bytes: UnsafeRawBufferPointer) -> Int {
        let expected =
            switch bytes[0] {
            case 0xc2...0xdf: 2
            case 0xe0...0xef: 3
            case 0xf0...0xf4: 4
            default: 1
            }
        var length = 1
        while length < min(expected, bytes.count), bytes[length] & 0xc0 == 0x80 { length += 1 }
        return length
    }
}

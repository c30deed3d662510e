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
        let spelling = encoding.isUnicode ? "\u{FFFD}" : "?"
        let made = Bytes()
        let input = Bytes(spelling)
        var part = 0..<input.count
        _ = converter.convert(input, &part, into: made, upTo: 16)
        replacement = made.array
    }

    /// Adds a part of `text` to `output` in the encoding.
    ///
    /// A character that the encoding does not have is written as `?`, and `report` is told where its bytes stand in
    /// the part; so are bytes that are not UTF-8. UTF-8 itself is copied and not looked at.
    public func encode(
        _ text: Bytes,
        _ part: Range<Int>,
        into output: Bytes,
        reporting report: (Range<Int>) -> Void
    ) {
        guard let converter else { return output.append(text, part) }
        var rest = part
        while !rest.isEmpty {
            let stop = converter.convert(text, &rest, into: output, upTo: max(rest.count + rest.count / 4, 64))
            guard stop == .refused || stop == .incomplete else { continue }
            let length = EncodingWriter.characterLength(text, rest)
            let start = rest.lowerBound - part.lowerBound
            report(start..<start + length)
            output.append(replacement)
            rest = rest.dropFirst(length)
        }
    }

    /// The bytes of the first character: the lead byte and the continuations that are there.
    private static func characterLength(_ bytes: Bytes, _ rest: Range<Int>) -> Int {
        let expected =
            switch bytes[rest.lowerBound] {
            case 0xc2...0xdf: 2
            case 0xe0...0xef: 3
            case 0xf0...0xf4: 4
            default: 1
            }
        var length = 1
        while length < min(expected, rest.count), bytes[rest.lowerBound + length] & 0xc0 == 0x80 { length += 1 }
        return length
    }
}

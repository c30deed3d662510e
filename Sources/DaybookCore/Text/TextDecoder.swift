/// Turns bytes of an encoding into UTF-8, piece by piece, and says where the bytes are not of that encoding.
public final class TextDecoder {
    /// Bytes that are not of the encoding; U+FFFD stands for them in the text.
    public struct Fault: Sendable, Hashable {
        /// Where they begin, counted in bytes from the first that was decoded.
        public var rawOffset: Int
        public var length: Int
        /// Where U+FFFD stands in the UTF-8 text.
        public var decodedOffset: Int

        public init(rawOffset: Int, length: Int, decodedOffset: Int) {
            self.rawOffset = rawOffset
            self.length = length
            self.decodedOffset = decodedOffset
        }
    }

    /// The least room that `decode` makes use of.
    public static let leastCapacity = 16

    private let converter: TextConverter
    private let unit: Int
    private var faults: [Fault] = []
    private var rawOffset: Int
    private var decodedOffset = 0

    /// A decoder whose first byte is byte `offset` of its source.
    public init(_ encoding: TextEncoding, startingAt offset: Int = 0) throws(DaybookError) {
        converter = try TextConverter(from: encoding.reading, to: "UTF-8")
        unit = encoding.unit
        rawOffset = offset
    }

    /// Decodes as much of `input` as there is room for.
    ///
    /// Some bytes at the end may be left over, the beginning of a character: offer them again in front of the next
    /// piece. With `isLast` nothing follows, and they are a fault.
    ///
    /// - Returns: how many bytes of `input` were used and how many of `output` were filled.
    public func decode(
        _ input: UnsafeRawBufferPointer,
        into output: UnsafeMutableRawBufferPointer,
        isLast: Bool
    ) -> (used: Int, filled: Int) {
        precondition(output.count >= TextDecoder.leastCapacity, "a decoder needs room for a character")
        let rawStart = rawOffset
        let decodedStart = decodedOffset
        var rest = input
        var room = output
        while true {
            let stop = converter.convert(&rest, into: &room)
            rawOffset = rawStart + input.count - rest.count
            decodedOffset = decodedStart + output.count - room.count
            let length: Int
            switch stop {
            case .refused: length = faultLength(in: rest)
            case .incomplete where isLast: length = rest.count
            default: return (input.count - rest.count, output.count - room.count)
            }
            guard room.count >= 3 else { return (input.count - rest.count, output.count - room.count) }
            faults.append(Fault(rawOffset: rawOffset, length: length, decodedOffset: decodedOffset))
            room.copyBytes(from: [0xef, 0xbf, 0xbd])
            room = UnsafeMutableRawBufferPointer(rebasing: room[3...])
            rest = UnsafeRawBufferPointer(rebasing: rest[length...])
        }
    }

    /// The faults since the last time, in order.
    public func takeFaults() -> [Fault] {
        defer { faults = [] }
        return faults
    }

    /// How many bytes to pass over, so that the text behind them is read in step again.
    ///
    /// A pair that no character has is passed over whole, unless its second byte is ASCII: a quote or a line break
    /// after a stray lead byte is still a quote or a line break.
    private func faultLength(in rest: UnsafeRawBufferPointer) -> Int {
        if unit > 1 { return min(unit, rest.count) }
        guard rest.count > 1, rest[1] >= 0x80 else { return 1 }
        return converter.couldBegin(UnsafeRawBufferPointer(rebasing: rest[..<1])) ? 2 : 1
    }
}

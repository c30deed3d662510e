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

    /// Decodes as much of a part of `input` as makes at most `count` bytes of text, and appends these to `output`.
    ///
    /// Some bytes at the end may be left over, the beginning of a character: offer them again in front of the next
    /// piece. With `isLast` nothing follows, and they are a fault.
    ///
    /// - Returns: how many bytes of the part were used and how many were appended.
    public func decode(
        _ input: Bytes,
        _ part: Range<Int>,
        into output: Bytes,
        upTo count: Int,
        isLast: Bool
    ) -> (used: Int, filled: Int) {
        precondition(count >= TextDecoder.leastCapacity, "a decoder needs room for a character")
        let (rawStart, decodedStart, start) = (rawOffset, decodedOffset, output.count)
        var rest = part
        while true {
            let stop = converter.convert(input, &rest, into: output, upTo: count - (output.count - start))
            let done = (used: rest.lowerBound - part.lowerBound, filled: output.count - start)
            rawOffset = rawStart + done.used
            decodedOffset = decodedStart + done.filled
            let length: Int
            switch stop {
            case .refused: length = faultLength(in: input, rest)
            case .incomplete where isLast: length = rest.count
            default: return done
            }
            guard count - done.filled >= 3 else { return done }
            faults.append(Fault(rawOffset: rawOffset, length: length, decodedOffset: decodedOffset))
            output.append([0xef, 0xbf, 0xbd] as [UInt8])
            rest = rest.dropFirst(length)
        }
    }

    /// Decodes all of `input` from `start` on, but for what may be left over at the end.
    public func decode(_ input: Bytes, from start: Int = 0, into output: Bytes, isLast: Bool) {
        var rest = start..<input.count
        while !rest.isEmpty {
            let (used, filled) = decode(input, rest, into: output, upTo: 64 << 10, isLast: isLast)
            if used == 0, filled == 0 { return }
            rest = rest.dropFirst(used)
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
    private func faultLength(in bytes: Bytes, _ rest: Range<Int>) -> Int {
        if unit > 1 { return min(unit, rest.count) }
        guard rest.count > 1, bytes[rest.lowerBound + 1] >= 0x80 else { return 1 }
        return converter.couldBegin(bytes, rest.prefix(1)) ? 2 : 1
    }
}

/// The text of a job file, with a way from offsets to the lines and columns that an editor shows.
///
/// Lines end with LF, CRLF or a lone CR. A UTF-8 byte-order mark is not part of the text. Columns count
/// Unicode scalars; in text that is not UTF-8 every byte that could begin a scalar counts as one.
public struct SourceText: Sendable {
    /// The file as messages name it.
    public let file: String
    /// The text without its byte-order mark.
    public let bytes: [UInt8]
    /// Where each line begins, as a byte and as a scalar.
    private let lineStarts: [(byte: Int, scalar: Int)]
    /// The byte where every 256th scalar begins, so that a scalar is found in a bounded walk however long its line.
    private let checkpoints: [Int]

    public init(_ source: [UInt8], file: String) {
        self.file = file
        bytes = source.starts(with: [0xEF, 0xBB, 0xBF]) ? Array(source.dropFirst(3)) : source
        var lineStarts = [(byte: 0, scalar: 0)]
        var checkpoints = [0]
        var scalar = 0
        var index = 0
        while index < bytes.count {
            let byte = bytes[index]
            if byte & 0xC0 != 0x80 {
                if scalar & 255 == 0, scalar > 0 { checkpoints.append(index) }
                scalar += 1
            }
            index += 1
            let isCRBeforeLF = byte == 13 && index < bytes.count && bytes[index] == 10
            if byte == 10 || (byte == 13 && !isCRBeforeLF) { lineStarts.append((index, scalar)) }
        }
        self.lineStarts = lineStarts
        self.checkpoints = checkpoints
    }

    /// How many lines there are; at least 1.
    public var lineCount: Int { lineStarts.count }

    /// The bytes of a line, counted from 1, without what ends it; nil when there is no such line.
    public func line(_ number: Int) -> ArraySlice<UInt8>? {
        guard number >= 1, number <= lineStarts.count else { return nil }
        let start = lineStarts[number - 1].byte
        var end = number < lineStarts.count ? lineStarts[number].byte : bytes.count
        while end > start, bytes[end - 1] == 10 || bytes[end - 1] == 13 { end -= 1 }
        return bytes[start..<end]
    }

    /// The place of a run of scalars. A run over several lines is marked to the end of its first.
    package func place(ofScalars range: Range<Int>) -> SourcePlace {
        let line = SourceText.last(of: lineStarts.count) { lineStarts[$0].scalar <= range.lowerBound }
        let start = lineStarts[line]
        var end = range.upperBound
        if line + 1 < lineStarts.count, end >= lineStarts[line + 1].scalar {
            end = lineStarts[line + 1].scalar - 1
        }
        return SourcePlace(
            file: file,
            line: line + 1,
            column: range.lowerBound - start.scalar + 1,
            length: end - range.lowerBound
        )
    }

    /// The place of a run of bytes.
    package func place(ofBytes range: Range<Int>) -> SourcePlace {
        place(ofScalars: scalar(ofByte: range.lowerBound)..<scalar(ofByte: range.upperBound))
    }

    /// The byte where a scalar begins; the end of the text for a scalar past it.
    package func byte(ofScalar scalar: Int) -> Int {
        let block = min(scalar >> 8, checkpoints.count - 1)
        let start = checkpoints[block]
        return bytes.withUnsafeBufferPointer { bytes in
            var index = start
            var left = scalar - block << 8
            while left > 0, index < bytes.count {
                index += 1
                while index < bytes.count, bytes[index] & 0xC0 == 0x80 { index += 1 }
                left -= 1
            }
            return index
        }
    }

    /// The byte where a place begins.
    package func byte(of place: SourcePlace) -> Int? {
        guard place.file == file, place.line >= 1, place.line <= lineStarts.count else { return nil }
        return byte(ofScalar: lineStarts[place.line - 1].scalar + place.column - 1)
    }

    private func scalar(ofByte byte: Int) -> Int {
        let low = SourceText.last(of: checkpoints.count) { checkpoints[$0] <= byte }
        var scalar = low << 8
        for index in checkpoints[low]..<max(checkpoints[low], min(byte, bytes.count)) where bytes[index] & 0xC0 != 0x80
        {
            scalar += 1
        }
        return scalar
    }

    /// The last of `count` places for which `isBefore` holds; it holds for the first one, and for none behind one for which it does not.
    private static func last(of count: Int, where isBefore: (Int) -> Bool) -> Int {
        var (low, high) = (0, count)
        while high - low > 1 {
            let middle = (low + high) / 2
            if isBefore(middle) { low = middle } else { high = middle }
        }
        return low
    }
}

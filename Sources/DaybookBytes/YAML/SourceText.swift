/// The text of a job file, which maps offsets to the lines and columns that an editor shows.
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

    /// The bytes of a line, counted from 1, without its line end; nil if there is no such line.
    public func line(_ number: Int) -> ArraySlice<UInt8>? {
        guard number >= 1, number <= lineStarts.count else { return nil }
        let start = lineStarts[number - 1].byte
        var end = number < lineStarts.count ? lineStarts[number].byte : bytes.count
        while end > start, bytes[end - 1] == 10 || bytes[end - 1] == 13 { end -= 1 }
        return bytes[start..<end]
    }

    /// The place of a run of scalars. A run over several lines is marked to the end of its first.
    package func place(ofScalars range: Range<Int>) -> SourcePlace {
        let line = lineStarts.partitioningIndex { $0.scalar > range.lowerBound } - 1
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
        let low = checkpoints.partitioningIndex { $0 > byte } - 1
        let start = checkpoints[low]
        return low << 8 + bytes[start..<max(start, min(byte, bytes.count))].count { $0 & 0xC0 != 0x80 }
    }
}

/// Finds the places of a scalar's characters, by aligning its text with its source.
///
/// libyaml reports where a scalar begins and ends, not where each of its characters came from. Text and source differ
/// only in known ways: quotes, escapes, indentation, and line ends that became spaces.
enum ScalarSpots {
    /// Nil for a scalar on one line, written as it reads, as nearly all are. `end` counts scalars of the source.
    static func spots(
        of text: String,
        isPlain: Bool,
        at place: SourcePlace,
        to end: Int,
        in source: SourceText
    ) -> TextSpots? {
        guard !text.isEmpty, let start = source.byte(of: place) else { return nil }
        let stop = max(start, source.byte(ofScalar: end))
        let style = isPlain ? nil : source.bytes[start]
        let written = source.bytes[start..<stop]
        let isBlock = style == UInt8(ascii: "|") || style == UInt8(ascii: ">")
        if !isBlock, written.count == text.utf8.count + (isPlain ? 0 : 2), !written.contains(where: \.endsLine) {
            return nil
        }
        let scalars = Array(String(decoding: written, as: UTF8.self).unicodeScalars)
        var walk = Walk(source: scalars, line: place.line, column: place.column)
        if isBlock {
            walk.skip { !$0.endsLine }
        } else if !isPlain {
            walk.advance()
        }
        return walk.lay(Array(text.unicodeScalars), style: style)
    }

    private struct Walk {
        let source: [Unicode.Scalar]
        var position = 0
        var line: Int
        var column: Int

        func peek(_ ahead: Int = 0) -> Unicode.Scalar? {
            position + ahead < source.count ? source[position + ahead] : nil
        }

        mutating func advance() {
            guard let scalar = peek() else { return }
            position += 1
            column += 1
            if scalar == "\n" || (scalar == "\r" && peek() != "\n") {
                line += 1
                column = 1
            }
        }

        mutating func skip(while isPassed: (Unicode.Scalar) -> Bool) {
            while let scalar = peek(), isPassed(scalar) { advance() }
        }

        /// Whether blanks with a line end among them begin here.
        var breaksLine: Bool {
            var ahead = 0
            while let scalar = peek(ahead), scalar.isBlank {
                if scalar.endsLine { return true }
                ahead += 1
            }
            return false
        }

        mutating func lay(_ text: [Unicode.Scalar], style: UInt8?) -> TextSpots {
            var runs: [TextSpots.Run] = []
            func note(_ index: Int) {
                if let last = runs.last, last.line == line, last.column + index - last.scalar == column { return }
                runs.append(TextSpots.Run(scalar: index, line: line, column: column))
            }
            var index = 0
            while index < text.count {
                guard let scalar = peek() else {
                    return text[index...].allSatisfy(\.isBlank) ? TextSpots(runs) : .unknown
                }
                if text[index].isBlank, scalar.isBlank {
                    note(index)
                    guard breaksLine else {
                        index += 1
                        advance()
                        continue
                    }
                    while index < text.count, text[index].isBlank { index += 1 }
                    skip(while: \.isBlank)
                } else if scalar.isBlank {
                    advance()
                } else if style == UInt8(ascii: "\""), scalar == "\\" {
                    if peek(1).map(\.endsLine) ?? true {
                        advance()
                        skip(while: \.isBlank)
                        continue
                    }
                    note(index)
                    index += 1
                    for _ in 0..<escapeLength { advance() }
                } else if scalar == text[index] {
                    note(index)
                    index += 1
                    advance()
                    if style == UInt8(ascii: "'"), scalar == "'" { advance() }
                } else {
                    return .unknown
                }
            }
            note(index)
            return TextSpots(runs)
        }

        private var escapeLength: Int {
            switch peek(1) {
            case "x": 4
            case "u": 6
            case "U": 10
            default: 2
            }
        }
    }
}

extension Unicode.Scalar {
    fileprivate var endsLine: Bool {
        self == "\n" || self == "\r" || self == "\u{85}" || self == "\u{2028}" || self == "\u{2029}"
    }
    fileprivate var isBlank: Bool { self == " " || self == "\t" || endsLine }
}

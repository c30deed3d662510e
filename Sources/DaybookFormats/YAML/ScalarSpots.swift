/// Finds where the characters of a scalar stand, by laying its text beside the source that it was read from.
///
/// libyaml says where a scalar begins and ends, not where each of its characters came from. Beside each other, text and
/// source differ only in known ways: quotes, escapes, indentation, and line ends that became spaces.
enum ScalarSpots {
    /// Nil for a scalar that stands on one line as it reads, as nearly all do. `end` counts scalars of the source.
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
        var walk = Walk(String(decoding: written, as: UTF8.self), at: place)
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

        init(_ source: String, at place: SourcePlace) {
            self.source = Array(source.unicodeScalars)
            line = place.line
            column = place.column
        }

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

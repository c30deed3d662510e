/// Text for people, measured in the columns of a terminal and broken between its words.
package enum Prose {
    /// The width of a text in terminal columns. Colour codes take none.
    package static func width(of text: some StringProtocol) -> Int {
        var width = 0
        var isColour = false
        for scalar in text.unicodeScalars {
            if isColour {
                isColour = scalar != "m"
            } else if scalar == "\u{1B}" {
                isColour = true
            } else {
                width += PrintableText.width(of: scalar)
            }
        }
        return width
    }

    /// The lines of a text, none wider than `width` unless a single word is wider.
    ///
    /// - Parameters:
    ///   - first: the beginning of the first line.
    ///   - rest: the beginning of every other line.
    package static func lines(
        of text: some StringProtocol,
        first: String = "",
        rest: String = "",
        width: Int
    ) -> [String] {
        var lines: [String] = []
        var line = first
        var used = Prose.width(of: first)
        var isEmpty = true
        for word in text.split(separator: " ", omittingEmptySubsequences: false) {
            let wordWidth = Prose.width(of: word)
            if !isEmpty, used + 1 + wordWidth > width {
                lines.append(line)
                (line, used, isEmpty) = (rest, Prose.width(of: rest), true)
            }
            if !isEmpty { (line, used) = (line + " ", used + 1) }
            line += word
            used += wordWidth
            if !word.isEmpty { isEmpty = false }
        }
        return lines + [line]
    }

    /// The text, or as much of its beginning as `width` columns hold, with `…` for the rest.
    package static func cut(_ text: String, to width: Int) -> String {
        guard Prose.width(of: text) > width else { return text }
        var short = String.UnicodeScalarView()
        var used = 1
        for scalar in text.unicodeScalars {
            used += PrintableText.width(of: scalar)
            if used > width { break }
            short.append(scalar)
        }
        return width > 0 ? String(short) + "…" : ""
    }
}

/// Text as a terminal can show it.
package enum PrintableText {
    /// The characters, for private use, that represent the bytes of a path that are not UTF-8.
    package static let escapedByte: ClosedRange<UInt32> = 0x10FF80...0x10FFFF

    /// The text with symbols for characters that would control a terminal.
    package static func of(_ text: String) -> String {
        String(String.UnicodeScalarView(text.unicodeScalars.map { $0 == "\t" ? " " : of($0) }))
    }

    /// The scalar, or a symbol for a control character. A tab stays a tab.
    package static func of(_ scalar: Unicode.Scalar) -> Unicode.Scalar {
        switch scalar.value {
        case 9: scalar
        case 0..<32: Unicode.Scalar(0x2400 + scalar.value) ?? "\u{FFFD}"
        case 127: "\u{2421}"
        // C1 controls, line separators, and the marks that turn the direction of writing.
        case 0x80...0x9F, 0x2028...0x202E, 0x2066...0x2069, 0x200E, 0x200F: "\u{FFFD}"
        case escapedByte: "\u{FFFD}"
        default: scalar
        }
    }

    /// The number of terminal columns of the scalar: 2 for most of East Asia and for emoji, 0 for scalars that join the
    /// one before, else 1.
    package static func width(of scalar: Unicode.Scalar) -> Int {
        if scalar.value < 0x300 { return 1 }
        switch scalar.properties.generalCategory {
        case .nonspacingMark, .enclosingMark, .format: return 0
        default: break
        }
        switch scalar.value {
        case 0x1160...0x11FF: return 0
        case 0x1100...0x115F, 0x2E80...0x303E, 0x3041...0xA4CF, 0xA960...0xA97C, 0xAC00...0xD7A3, 0xF900...0xFAFF,
            0xFE30...0xFE6F, 0xFF00...0xFF60, 0xFFE0...0xFFE6, 0x1F300...0x1F64F, 0x1F680...0x1F6FF,
            0x1F900...0x1F9FF, 0x1FA70...0x1FAFF, 0x20000...0x3FFFD:
            return 2
        default: return 1
        }
    }
}

extension String {
    /// The text between quotes as an error message shows it: one line, and cut in its middle when long.
    package var quotedForMessage: String { "'\(shortened(to: 80))'" }

    /// The text as a report shows it: without control characters, and not endless.
    package var printable: String { PrintableText.of(shortened(to: 600)) }

    /// The text without a capital at its beginning; names such as `SSL` keep theirs.
    public var loweredFirst: String {
        dropFirst().first?.isUppercase == true ? self : prefix(1).lowercased() + dropFirst()
    }
    package var raisedFirst: String { prefix(1).uppercased() + dropFirst() }

    /// At most about `limit` characters, with `…` for the omitted rest.
    ///
    /// Works on scalars, so that its cost does not grow with one endless character.
    package func shortened(to limit: Int) -> String {
        // Every scalar has at least one byte, so most texts are answered without counting.
        guard utf8.count > limit, unicodeScalars.count > limit else { return self }
        var short = UnicodeScalarView(unicodeScalars.prefix(limit * 2 / 3))
        short.append("…")
        short.append(contentsOf: unicodeScalars.suffix(limit / 3))
        return String(short)
    }

    /// The beginning of a user's text, for a message.
    package var shortened: String { unicodeScalars.count <= 60 ? self : "\(String(unicodeScalars.prefix(60)))…" }

    /// The text with every `part` replaced, found among the Unicode scalars.
    ///
    /// Swift compares characters, and to Swift a quote followed by a combining mark is no quote. Every other program
    /// sees one, so text that is escaped for another program is searched by scalars.
    public func replacingScalars(_ part: String, with other: String) -> String {
        let (text, wanted) = (Array(utf8), Array(part.utf8))
        guard !wanted.isEmpty, text.count >= wanted.count else { return self }
        var result: [UInt8] = []
        var position = 0
        while position < text.count {
            if text[position...].starts(with: wanted) {
                result += other.utf8
                position += wanted.count
            } else {
                result.append(text[position])
                position += 1
            }
        }
        return String(decoding: result, as: UTF8.self)
    }
}

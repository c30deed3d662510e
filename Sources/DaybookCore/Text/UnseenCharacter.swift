/// Finds what makes a text fail that looks right: a character that no reader sees, or one that looks like another.
public enum UnseenCharacter {
    /// In words the first such character of a text, as in `U+200B (zero width space)`; nil for a text that is as it looks.
    ///
    /// That is a character without a shape of its own: a space other than the plain one, a tab, a mark of direction, a
    /// variation selector; or a letter that is decomposed (Unicode form NFD), as file systems and some apps write Hangul.
    /// No-break spaces are named only where there is nothing else, since dates are read with them as with plain spaces.
    public static func named(in text: Cell, besidesNoBreakSpaces: Bool = false) -> String? {
        guard text.contains(where: { $0 >= 0x80 || $0 == UInt8(ascii: "\t") }) else { return nil }
        var space: Unicode.Scalar?
        for scalar in String(decoding: text, as: UTF8.self).unicodeScalars where mayBeUnseen(scalar) {
            switch scalar.value {
            case 0xA0, 0x202F: space = space ?? scalar
            case 0x1100...0x11FF, 0xA960...0xA97F, 0xD7B0...0xD7FF:
                return "decomposed Hangul, \(code(of: scalar)); its composed form is that of Unicode's NFC"
            default: return spoken(scalar)
            }
        }
        return besidesNoBreakSpaces ? nil : space.map(spoken)
    }

    /// Syllables and ideographs are passed over at once.
    private static func mayBeUnseen(_ scalar: Unicode.Scalar) -> Bool {
        switch scalar.value {
        case 9: return true
        case 0..<0x80, 0xAC00...0xD7A3, 0x4E00...0x9FFF: return false
        case 0x1100...0x11FF, 0xA960...0xA97F, 0xD7B0...0xD7FF: return true
        default: break
        }
        switch scalar.properties.generalCategory {
        case .control, .format, .spaceSeparator, .lineSeparator, .paragraphSeparator, .nonspacingMark: return true
        default: return scalar.properties.isDefaultIgnorableCodePoint
        }
    }

    /// A character in words, as in `U+200B (zero width space)`.
    public static func spoken(_ scalar: Unicode.Scalar) -> String {
        // Unicode gives control characters no name.
        let name = scalar == "\t" ? "tab" : scalar.properties.name?.lowercased()
        return code(of: scalar) + (name.map { " (\($0))" } ?? "")
    }

    /// `U+00A0`.
    private static func code(of scalar: Unicode.Scalar) -> String {
        let digits = String(scalar.value, radix: 16, uppercase: true)
        return "U+" + String(repeating: "0", count: max(0, 4 - digits.count)) + digits
    }
}

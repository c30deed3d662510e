/// Finds what makes a text fail that looks right: a character that no reader sees, or one that looks like another.
public enum UnseenCharacter {
    /// In words the first such character of a text, as in `U+200B (zero width space)`; nil for a text that is as it looks.
    ///
    /// That is a character without a shape of its own: a space other than the plain one, a tab, a mark of direction, a
    /// variation selector; a letter that is decomposed (Unicode form NFD), as file systems and some apps write Hangul and accents; or one of
    /// another script than the letters beside it, as a Cyrillic one in a Latin word. No-break spaces are named only where there is nothing else, since dates are read with them as with plain spaces.
    public static func named(in text: Cell, besidesNoBreakSpaces: Bool = false) -> String? {
        guard !isPlain(text) else { return nil }
        var space: Unicode.Scalar?
        for scalar in String(decoding: text, as: UTF8.self).unicodeScalars where mayBeUnseen(scalar) {
            switch scalar.value {
            case 0xA0, 0x202F: space = space ?? scalar
            case 0x1100...0x11FF, 0xA960...0xA97F, 0xD7B0...0xD7FF:
                return "decomposed Hangul, \(code(of: scalar)) (Unicode form NFD)"
            default: return spoken(scalar)
            }
        }
        if let stranger = stranger(in: text) { return spoken(stranger) }
        return besidesNoBreakSpaces ? nil : space.map(spoken)
    }

    /// Whether a text has nothing but plain ASCII, Han and whole syllables of Hangul, as its bytes tell. Every reject asks.
    private static func isPlain(_ text: Cell) -> Bool {
        for position in 0..<text.count {
            switch text[position] {
            case 0x20...0x7E, 0x80...0xBF, 0xE5...0xE9, 0xEB, 0xEC: continue
            case 0xE4: if position + 1 >= text.count || text[position + 1] < 0xB8 { return false }
            case 0xEA: if position + 1 >= text.count || text[position + 1] < 0xB0 { return false }
            case 0xED: if position + 1 >= text.count || text[position + 1] > 0x9D { return false }
            default: return false
            }
        }
        return true
    }

    /// Scripts of which some letters look like those of another.
    private enum Script: CaseIterable { case latin, cyrillic, greek, fullWidth }

    private static func script(of scalar: Unicode.Scalar) -> Script? {
        switch scalar.value {
        case 0x41...0x5A, 0x61...0x7A, 0xC0...0x24F: .latin
        case 0x400...0x52F: .cyrillic
        case 0x370...0x3FF: .greek
        case 0xFF21...0xFF3A, 0xFF41...0xFF5A: .fullWidth
        default: nil
        }
    }

    /// The first letter of the script that has fewer in a word of two; of two that have as many, the one that is not Latin.
    private static func stranger(in text: Cell) -> Unicode.Scalar? {
        var firsts: [Script: (scalar: Unicode.Scalar, count: Int)] = [:]
        func found() -> Unicode.Scalar? {
            defer { firsts.removeAll(keepingCapacity: true) }
            guard firsts.count > 1 else { return nil }
            return Script.allCases.reversed().compactMap { firsts[$0] }.min { $0.count < $1.count }?.scalar
        }
        for scalar in String(decoding: text, as: UTF8.self).unicodeScalars {
            if let script = script(of: scalar) {
                firsts[script] = (firsts[script]?.scalar ?? scalar, (firsts[script]?.count ?? 0) + 1)
            } else if !scalar.properties.isAlphabetic, let stranger = found() {
                return stranger
            }
        }
        return found()
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
        case .control, .format, .spaceSeparator, .lineSeparator, .paragraphSeparator: return true
        // Accents, and the marks of voiced kana; what stands above letters of Thai or Hindi is seen.
        case .nonspacingMark: return (0x300...0x36F).contains(scalar.value) || (0x3099...0x309A).contains(scalar.value)
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

import Foundation
@_spi(_Unicode) import Swift

/// Texts by their look, to find a text that differs from another only in invisible characters.
package struct LookAlikes: Sendable {
    private var texts: [String: String] = [:]

    /// Above so many texts none is examined.
    package static let most = 10_000

    /// - Parameter texts: of two that look the same, the first is found.
    package init(_ texts: [String]) {
        guard texts.count <= LookAlikes.most else { return }
        for text in texts {
            let look = LookAlikes.look(of: text)
            if self.texts[look] == nil { self.texts[look] = text }
        }
    }

    /// The text that looks like this one and is another.
    package func twin(of text: String) -> String? {
        guard let twin = texts[LookAlikes.look(of: text)], !twin.utf8.elementsEqual(text.utf8) else { return nil }
        return twin
    }

    /// The texts among distinct ones that look like another, with what makes each odd, and its twin.
    package static func pairs(among texts: [String]) -> [(place: Int, oddity: String, twin: String)] {
        let odd = texts.enumerated().compactMap { place, text in oddity(in: text).map { (place: place, oddity: $0) } }
        guard !odd.isEmpty else { return [] }
        let places = Set(odd.map(\.place))
        let plain = texts.indices.filter { !places.contains($0) }
        let alike = LookAlikes((plain + odd.map(\.place)).map { texts[$0] })
        return odd.compactMap { one in alike.twin(of: texts[one.place]).map { (one.place, one.oddity, $0) } }
    }

    /// Why a text differs from what it looks like, in words.
    package static func oddity(in cell: Cell) -> String? {
        // As most keys are.
        guard !isVisibleASCII(cell) else { return nil }
        if let unseen = UnseenCharacter.named(in: cell) { return unseen }
        if cell.first?.isSpace == true || cell.last?.isSpace == true { return "a blank at an end" }
        return zip(cell, cell.dropFirst()).contains { $0.isSpace && $1.isSpace } ? "two blanks in a row" : nil
    }

    /// Whether all bytes are ASCII with a shape of its own, eight of them at a time.
    private static func isVisibleASCII(_ cell: Cell) -> Bool {
        let bytes = UnsafeRawBufferPointer(cell)
        guard bytes.count >= 8 else { return bytes.allSatisfy { 0x21...0x7E ~= $0 } }
        func isVisible(_ place: Int) -> Bool {
            let word = bytes.loadUnaligned(fromByteOffset: place, as: UInt64.self)
            // The upper bit of a byte is set by one above 0x7F, one below 0x21, or 0x7F.
            let wrong = word | (word &- 0x2121_2121_2121_2121) | (word &+ 0x0101_0101_0101_0101)
            return wrong & 0x8080_8080_8080_8080 == 0
        }
        var place = 0
        while place &+ 8 <= bytes.count {
            guard isVisible(place) else { return false }
            place &+= 8
        }
        return isVisible(bytes.count &- 8)
    }

    package static func oddity(in text: String) -> String? {
        var text = text
        return text.withUTF8 { oddity(in: $0) }
    }

    /// The text without invisible characters, trimmed, with single blanks. Composed and decomposed letters are equal to
    /// `String`, which compares by canonical equivalence.
    private static func look(of text: String) -> String {
        // Examining each character costs much more.
        guard oddity(in: text) != nil else { return text }
        var look = String.UnicodeScalarView()
        for scalar in text.unicodeScalars {
            let category = scalar.properties.generalCategory
            if category == .spaceSeparator || category == .control {
                if look.last != " " { look.append(" ") }
            } else if !scalar.properties.isDefaultIgnorableCodePoint {
                look.append(scalar)
            }
        }
        return String(String(look).drop { $0 == " " }.reversed().drop { $0 == " " }.reversed())
    }
}

/// Finds why a text fails that looks right: an invisible character, or one that looks like another.
public enum UnseenCharacter {
    /// The first such character of a text in words, as in `U+200B (zero width space)`; nil for a text without one.
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
            default: return displayText(scalar)
            }
        }
        if let stranger = stranger(in: text) { return displayText(stranger) }
        return besidesNoBreakSpaces ? nil : space.map(displayText)
    }

    /// Whether a text has only plain ASCII, Han and whole Hangul syllables, by its bytes. Called for every reject.
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

    /// Scripts with letters that look like letters of another.
    enum Script: CaseIterable { case latin, cyrillic, greek, fullWidth }

    static func script(of scalar: Unicode.Scalar) -> Script? {
        switch scalar.value {
        case 0x41...0x5A, 0x61...0x7A, 0xC0...0x24F: .latin
        case 0x400...0x52F: .cyrillic
        case 0x370...0x3FF: .greek
        case 0xFF21...0xFF3A, 0xFF41...0xFF5A: .fullWidth
        default: nil
        }
    }

    /// The first letter of the script with fewer letters in a word of two; on a tie, of the script other than Latin.
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
        // Accents, and the marks of voiced kana; marks above letters of Thai or Hindi are visible.
        case .nonspacingMark: return (0x300...0x36F).contains(scalar.value) || (0x3099...0x309A).contains(scalar.value)
        default: return scalar.properties.isDefaultIgnorableCodePoint
        }
    }

    /// A character in words, as in `U+200B (zero width space)`.
    public static func displayText(_ scalar: Unicode.Scalar) -> String {
        // Unicode gives control characters no name.
        let name = scalar == "\t" ? "tab" : scalar.properties.name?.lowercased()
        return code(of: scalar) + (name.map { " (\($0))" } ?? "")
    }

    /// `U+00A0`.
    private static func code(of scalar: Unicode.Scalar) -> String {
        "U+" + scalar.value.padded(to: 4, radix: 16, uppercase: true)
    }
}

/// The Unicode normal forms, in which texts that look alike have the same characters.
///
/// https://www.unicode.org/reports/tr15/
public enum NormalForm: String, CaseIterable, Sendable {
    /// Composed letters: file systems and some apps write Hangul and accents decomposed.
    case nfc
    /// NFC, with full-width and other variants replaced by plain letters, digits and spaces.
    case nfkc

    /// Whether all characters are stable, Han or whole Hangul syllables; characters that join syllables are neither.
    @inline(__always)
    func keeps(_ cell: Cell) -> Bool {
        // Below 0xCC every character of two bytes stays as it is under NFC.
        let stable: UInt8 = self == .nfc ? 0xCC : 0x80
        for position in 0..<cell.count {
            let byte = cell[position]
            switch byte {
            case 0x80...0xBF, 0xE4...0xE9, 0xEB, 0xEC: continue
            case 0xEA: if position + 1 >= cell.count || cell[position + 1] < 0xB0 { return false }
            case 0xED: if position + 1 >= cell.count || cell[position + 1] > 0x9E { return false }
            default: if byte >= stable { return false }
            }
        }
        return true
    }

    /// Appends a text in this form.
    @inline(__always)
    package func append(_ cell: Cell, to bytes: Bytes) {
        guard !keeps(cell) else { return bytes.append(cell) }
        let text = String(decoding: cell, as: UTF8.self)
        let parts =
            self == .nfc ? text.decomposedStringWithCanonicalMapping : text.decomposedStringWithCompatibilityMapping
        // Foundation takes apart and Swift composes. Foundation composes some Hangul wrongly and loses characters of it,
        // and neither orders the marks of one character that is made of several, such as U+0F73.
        for scalar in parts._nfc { for byte in scalar.utf8 { bytes.append(byte) } }
    }
}

extension TextColumn {
    /// The same texts in a normal form; the column itself if they already have it.
    package func formed(_ form: NormalForm) -> TextColumn {
        var isFormed = true
        forEachValue { _, cell in isFormed = isFormed && form.keeps(cell) }
        guard !isFormed else { return self }
        let old = self
        return TextColumn(rows: count, missing: missing, capacity: count * 16) { row, bytes in
            old.withCell(row) { form.append($0, to: bytes) }
        }
    }
}

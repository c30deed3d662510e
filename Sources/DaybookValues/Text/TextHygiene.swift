/// A fault of a text that readers do not see, or take for something else.
public enum TextFault: String, CaseIterable, Sendable {
    case edges
    case doubleBlanks = "double_blanks"
    case mojibake
    case mixedScripts = "mixed_scripts"
    case unseen
}

/// A set of faults of texts.
public struct TextFaults: OptionSet, Hashable, Sendable {
    public let rawValue: UInt8
    public init(rawValue: UInt8) { self.rawValue = rawValue }

    public init(_ faults: [TextFault]) {
        self.init(rawValue: faults.reduce(0) { $0 | 1 << UInt8(TextFault.allCases.firstIndex(of: $1) ?? 0) })
    }

    static let (edges, doubleBlanks) = (TextFaults([.edges]), TextFaults([.doubleBlanks]))
    static let (mojibake, mixedScripts) = (TextFaults([.mojibake]), TextFaults([.mixedScripts]))
    static let unseen = TextFaults([.unseen])
    /// A character was lost when the text was read; it cannot be mended, and is a part of `mojibake`.
    static let lost = TextFaults(rawValue: 1 << 5)

    /// The faults in words, to follow "has".
    public var displayText: String {
        let words = [
            "a blank at an end", "two blanks in a row", "letters of UTF-8 that were read as Windows-1252",
            "letters of two scripts in a word", "characters that nobody sees", "U+FFFD where a character was lost",
        ]
        return DisplayText.list(words.indices.filter { rawValue >> $0 & 1 == 1 }.map { words[$0] })
    }
}

/// Finds and mends faults of texts: blanks at the ends and two in a row, text read in another encoding, look-alikes of
/// another script, and characters that nobody sees.
///
/// A false alarm is worse than a miss, so what people write on purpose is no fault: a joiner in Persian, Hindi or an emoji, a
/// mark of direction in Arabic, `é »` in French, `μm` and `ΔH`, and the indentation of lines.
public struct TextHygiene: Sendable, Hashable {
    let wanted: TextFaults

    public init(_ wanted: [TextFault]) { self.wanted = TextFaults(wanted) }

    /// The faults of a text.
    public func faults(in cell: Cell) -> TextFaults {
        guard TextHygiene.mayHaveFaults(cell) else { return [] }
        var text = TextHygiene.scalars(of: cell)
        var found: TextFaults = wanted.contains(.mojibake) && text.contains("\u{FFFD}") ? .lost : []
        if wanted.contains(.mixedScripts), !MixedWord.all(in: text).isEmpty { found.insert(.mixedScripts) }
        return found.union(mend(&text))
    }

    /// The text without the faults that can be mended; nil for one without them.
    public func mended(_ cell: Cell) -> String? {
        guard TextHygiene.mayHaveFaults(cell) else { return nil }
        var text = TextHygiene.scalars(of: cell)
        guard mend(&text) != [] else { return nil }
        // What one step mends may show a fault to another. Every step leaves fewer characters, or fewer of other scripts.
        while mend(&text) != [] {}
        return String(String.UnicodeScalarView(text))
    }

    /// The mended text, as a message shows it.
    package var hint: ValueHint {
        ValueHint(of: self) { cell in
            cell.flatMap(mended).map { "; mended: \(DisplayText.value($0))" } ?? "; it cannot be mended"
        }
    }

    private typealias Scalars = [Unicode.Scalar]
    private static func scalars(of cell: Cell) -> Scalars {
        Array(String(decoding: cell, as: UTF8.self).unicodeScalars)
    }

    /// Takes each step once, and returns the faults that it has mended.
    private func mend(_ text: inout Scalars) -> TextFaults {
        var mended: TextFaults = []
        for (fault, mend) in TextHygiene.steps where wanted.contains(fault) {
            guard let next = mend(text) else { continue }
            (text, mended) = (next, mended.union(fault))
        }
        return mended
    }

    /// How each fault is mended: functions that return nil for a text without it.
    private static let steps: [(fault: TextFaults, mend: @Sendable (Scalars) -> Scalars?)] = [
        (.mojibake, Mojibake.mended), (.unseen, withoutUnseen), (.mixedScripts, MixedWord.mended),
        (.doubleBlanks, withSingleBlanks), (.edges, trimmed),
    ]

    private static func isBreak(_ scalar: Unicode.Scalar) -> Bool {
        switch scalar.value {
        case 0x0A...0x0D, 0x85, 0x2028, 0x2029: true
        default: false
        }
    }

    private static func isBlank(_ scalar: Unicode.Scalar) -> Bool {
        switch scalar.value {
        case 0x09, 0x20, 0xA0, 0x1680, 0x2000...0x200A, 0x202F, 0x205F, 0x3000: true
        default: false
        }
    }

    @Sendable private static func trimmed(_ text: Scalars) -> Scalars? {
        func isInk(_ scalar: Unicode.Scalar) -> Bool { !isBlank(scalar) && !isBreak(scalar) }
        guard let first = text.firstIndex(where: isInk), let last = text.lastIndex(where: isInk) else {
            return text.isEmpty ? nil : []
        }
        return last - first + 1 < text.count ? Array(text[first...last]) : nil
    }

    /// Leaves one blank of several, a plain one where there is one. Blanks at the ends and at the beginning of a line stay.
    @Sendable private static func withSingleBlanks(_ text: Scalars) -> Scalars? {
        var result: Scalars = []
        var start = 0
        while start < text.count {
            let end = text[start...].firstIndex { !isBlank($0) } ?? text.count
            let isInside = start > 0 && end < text.count && !isBreak(text[start - 1])
            if isInside, end - start > 1 {
                result.append(text[start..<end].contains(" ") ? " " : text[start])
            } else {
                result += text[start..<end]
            }
            if end < text.count { result.append(text[end]) }
            start = end + 1
        }
        return result.count < text.count ? result : nil
    }

    @Sendable private static func withoutUnseen(_ text: Scalars) -> Scalars? {
        let isLeftward = text.contains { (0x590...0x8FF).contains($0.value) || (0xFB1D...0xFEFC).contains($0.value) }
        // Whether the last scalar that is no tag was a picture, behind which tags make a flag.
        var isFlag = false
        let kept = text.indices.filter { place in
            if !isTag(text[place]) { isFlag = isPicture(text[place]) }
            let before = place > 0 ? text[place - 1] : " "
            let after = place + 1 < text.count ? text[place + 1] : " "
            switch text[place].value {
            case 0x09...0x0D, 0x85: return true
            case 0...0x1F, 0x7F...0x9F, 0xAD, 0x202A...0x202E, 0x2060...0x2064, 0x2066...0x206F, 0xFEFF: return false
            // Fillers of Hangul, marks of annotations, and what once named a language.
            case 0x3164, 0xFFA0, 0xFFF9...0xFFFB, 0xE0001: return false
            case 0x115F, 0x1160: return isJamo(before) || isJamo(after)
            case 0x180E: return isJoined(before)
            case 0xFE0F: return before.value > 0x2000 || before.properties.isEmoji
            case 0xE0020...0xE007F: return isFlag
            case 0x200E, 0x200F, 0x61C: return isLeftward
            case 0x200B: return isWrittenWithoutBlanks(before) || isWrittenWithoutBlanks(after)
            case 0x200C: return isJoined(before) || isJoined(after)
            case 0x200D: return isJoined(before) || isJoined(after) || isPicture(before) && isPicture(after)
            default: return true
            }
        }
        return kept.count < text.count ? kept.map { text[$0] } : nil
    }

    /// Whether a letter is of a script whose letters change with their neighbours, or of one like Thai.
    private static func isJoined(_ scalar: Unicode.Scalar) -> Bool {
        switch scalar.value {
        case 0x590...0x109F, 0x1700...0x1CFF, 0xA800...0xABFF, 0xFB1D...0xFDFF, 0xFE70...0xFEFC, 0x10800...0x11FFF,
            0x1E800...0x1E95F:
            true
        default: false
        }
    }

    /// Whether a scalar is a part of a Hangul syllable, of which a filler takes the place where it lacks another.
    private static func isJamo(_ scalar: Unicode.Scalar) -> Bool {
        switch scalar.value {
        case 0x115F, 0x1160: false
        case 0x1100...0x11FF, 0xA960...0xA97F, 0xD7B0...0xD7FF: true
        default: false
        }
    }

    /// Whether a scalar is one of the tags behind a flag, which name a region.
    private static func isTag(_ scalar: Unicode.Scalar) -> Bool { (0xE0020...0xE007F).contains(scalar.value) }

    private static func isWrittenWithoutBlanks(_ scalar: Unicode.Scalar) -> Bool {
        (0xE00...0x109F).contains(scalar.value) || (0x1780...0x19FF).contains(scalar.value)
    }

    /// Whether a scalar is an emoji, a skin tone or the selector behind one.
    private static func isPicture(_ scalar: Unicode.Scalar) -> Bool {
        scalar.value > 0x2000 && (scalar.properties.isEmoji || scalar.value == 0xFE0F)
    }

    /// Whether a text is worth looking at, by its bytes: false only for texts without a fault.
    static func mayHaveFaults(_ cell: Cell) -> Bool {
        func byte(_ place: Int) -> UInt8 { place < cell.count ? cell[place] : 0 }
        var isBlank = true
        // Whether the character before may be the first byte of another one that was read as Windows-1252.
        var isLead = false
        // The script of the letter before: 1 for Latin, 2 for Greek and Cyrillic, 0 for others.
        var script = 0
        for place in 0..<cell.count {
            let first = cell[place]
            if first < 0x80 {
                let isLetter = (first | 0x20) &- 0x61 < 26
                let wasBlank = isBlank
                isBlank = first == 0x20 || first &- 0x09 < 5
                if isBlank && wasBlank || isLetter && script == 2 || first < 0x20 && !isBlank || first == 0x7F {
                    return true
                }
                (isLead, script) = (false, isLetter ? 1 : 0)
                continue
            }
            if first < 0xC0 { continue }
            let (second, third) = (byte(place + 1), byte(place + 2))
            if isLead, first == 0xC2 || first == 0xC5 || first == 0xC6 || first == 0xCB || first == 0xE2 { return true }
            (isBlank, isLead) = (false, first == 0xC3 && second >= 0x82 && second <= 0xB4)
            var letter = 0
            switch first {
            case 0xC3...0xC9: letter = 1
            case 0xCC: letter = script
            case 0xCD: letter = second < 0xB0 ? script : 2
            case 0xCE...0xD4: letter = 2
            case 0xC2: if second <= 0xA0 || second == 0xAD { return true }
            case 0xD8: if second == 0x9C { return true }
            case 0xE1:
                if second == 0x9A, third == 0x80 { return true }
                if second == 0x85, third == 0x9F || third == 0xA0 { return true }
                if second == 0xA0, third == 0x8E { return true }
            case 0xE2:
                if second == 0x80, third <= 0x8F || third >= 0xA8 && third <= 0xAF { return true }
                if second == 0x81, third >= 0x9F && third <= 0xAF { return true }
            case 0xE3: if second == 0x80 && third == 0x80 || second == 0x85 && third == 0xA4 { return true }
            case 0xEF:
                if second == 0xBB && third == 0xBF || second == 0xB8 && third == 0x8F { return true }
                if second == 0xBE && third == 0xA0 || second == 0xBF && third >= 0xB9 && third <= 0xBD { return true }
            case 0xF3: if second == 0xA0, third <= 0x81 { return true }
            default: break
            }
            if letter + script == 3 { return true }
            script = letter
        }
        return isBlank && cell.count > 0
    }
}

/// A word with letters of Latin and of Greek or Cyrillic, all of the fewer of which look like those of the other.
///
/// `μm`, `ΔH` and `PDFка` are none: their letters were meant.
private struct MixedWord {
    let range: Range<Int>
    /// Whether the word is Latin without doubt, so that the odd letters can become Latin.
    let isLatin: Bool

    private static let latin: [Unicode.Scalar: Unicode.Scalar] = Dictionary(
        uniqueKeysWithValues: zip(
            "АВЕКМНОРСТХІЈЅаеорсхуіјѕΑΒΕΖΗΙΚΜΝΟΡΤΥΧο".unicodeScalars,
            "ABEKMHOPCTXIJSaeopcxyijsABEZHIKMNOPTYXo".unicodeScalars
        )
    )
    private static let likeCyrillic = Set("ABEKMHOPCTXIaeopcxyi".unicodeScalars)
    private static let likeGreek = Set("ABEZHIKMNOPTYXo".unicodeScalars)

    private init?(_ text: [Unicode.Scalar], _ range: Range<Int>) {
        self.range = range
        let scripts = text[range].map(UnseenCharacter.script(of:))
        let ours = zip(range, scripts).filter { $1 == .latin }.map { text[$0.0] }
        let others = zip(range, scripts).filter { $1 == .greek || $1 == .cyrillic }.map { text[$0.0] }
        guard !ours.isEmpty, !others.isEmpty else { return nil }
        let alike = scripts.contains(.greek) ? MixedWord.likeGreek : MixedWord.likeCyrillic
        let areOursAlike = ours.allSatisfy(alike.contains)
        let areOthersAlike = others.allSatisfy { MixedWord.latin[$0] != nil }
        isLatin = areOthersAlike && !areOursAlike
        if areOthersAlike { return }
        // A Latin letter here and there in a word of the other script; `IT` before an ending was meant.
        let least = scripts.contains(.greek) ? 3 * ours.count : ours.count + 1
        let isAlone = !zip(scripts, scripts.dropFirst()).contains { $0 == .latin && $1 == .latin }
        guard areOursAlike, others.count >= least, isAlone else { return nil }
    }

    static func all(in text: [Unicode.Scalar]) -> [MixedWord] {
        var words: [MixedWord] = []
        var start = 0
        for place in 0...text.count {
            let isInside =
                place < text.count
                && (UnseenCharacter.script(of: text[place]) != nil || (0x300...0x36F).contains(text[place].value))
            if isInside { continue }
            if place - start > 1, let word = MixedWord(text, start..<place) { words.append(word) }
            start = place + 1
        }
        return words
    }

    @Sendable static func mended(_ text: [Unicode.Scalar]) -> [Unicode.Scalar]? {
        let words = all(in: text).filter(\.isLatin)
        guard !words.isEmpty else { return nil }
        var result = text
        for place in words.flatMap(\.range) { result[place] = latin[text[place]] ?? text[place] }
        return result
    }
}

/// Finds characters of UTF-8 that were read as Windows-1252 or Latin-1 byte by byte, as in `CafÃ©` for `Café`.
///
/// That a few characters are the bytes of another is not enough: so are the last of `« marché »`, `píš…` and `12 Å²`, which
/// are written that way. Such a piece is taken for mojibake only beside another, or where no word would end like that.
enum Mojibake {
    private struct Piece {
        let range: Range<Int>
        let scalar: Unicode.Scalar
        /// Whether no doubt is left without pieces beside it.
        let isSure: Bool
    }

    /// The text as it was before, however often it was misread; nil for one without such characters.
    @Sendable static func mended(_ text: [Unicode.Scalar]) -> [Unicode.Scalar]? {
        var mended = once(text)
        // Each time leaves half of the characters where there was something to mend, or fewer.
        while let again = mended.flatMap(once) { mended = again }
        return mended
    }

    private static func once(_ text: [Unicode.Scalar]) -> [Unicode.Scalar]? {
        let pieces = pieces(of: text)
        let isSure = pieces.indices.map { place in
            pieces[place].isSure || place > 0 && pieces[place - 1].range.upperBound == pieces[place].range.lowerBound
                || place + 1 < pieces.count && pieces[place + 1].range.lowerBound == pieces[place].range.upperBound
        }
        guard isSure.contains(true) else { return nil }
        var result: [Unicode.Scalar] = []
        var end = 0
        // Beside sure pieces, single letters of Greek, Cyrillic, Hebrew and Arabic are words of that text.
        for (piece, isSure) in zip(pieces, isSure) where isSure || piece.range.count == 2 {
            result += text[end..<piece.range.lowerBound] + [piece.scalar]
            end = piece.range.upperBound
        }
        return result + text[end...]
    }

    private static func pieces(of text: [Unicode.Scalar]) -> [Piece] {
        var pieces: [Piece] = []
        var start = 0
        while start < text.count {
            let piece = piece(of: text, at: start)
            if let piece { pieces.append(piece) }
            start = piece?.range.upperBound ?? start + 1
        }
        return pieces
    }

    private static func piece(of text: [Unicode.Scalar], at start: Int) -> Piece? {
        guard (0xC2...0xF4).contains(text[start].value), let lead = byte(of: text[start]) else { return nil }
        let range = start..<start + (lead < 0xE0 ? 2 : lead < 0xF0 ? 3 : 4)
        guard range.upperBound <= text.count else { return nil }
        let bytes = text[range].compactMap(byte(of:))
        guard bytes.count == range.count, let whole = String(validating: bytes, as: UTF8.self)?.unicodeScalars.first
        else { return nil }
        switch (lead, whole.properties.generalCategory) {
        case (_, .unassigned), (_, .privateUse): return nil
        // A control character is what Latin-1 makes of a byte, and only if it stood there as one.
        case (_, .control) where text[start + 1].value != bytes[1]: return nil
        case (0xC2...0xC5, _), (0xE0..., _): break
        // Letters of Vietnamese and Romanian, and `ƒ`, `ˆ` and `˜` of texts that were misread twice.
        case (0xC6, _) where [0x92, 0xA0, 0xA1, 0xAF, 0xB0].contains(bytes[1]): break
        case (0xC8, _) where (0x98...0x9B).contains(bytes[1]): break
        case (0xCB, _) where [0x86, 0x9C].contains(bytes[1]): break
        case (0xCE...0xD3, _), (0xD7...0xDB, _): return Piece(range: range, scalar: whole, isSure: false)
        default: return nil
        }
        return Piece(range: range, scalar: whole, isSure: !mayBeMeant(text, range, lead, bytes.dropFirst()))
    }

    /// Whether people write such a piece: an accented letter that ends a word, and the signs behind the word.
    private static func mayBeMeant(
        _ text: [Unicode.Scalar],
        _ range: Range<Int>,
        _ lead: UInt8,
        _ rest: ArraySlice<UInt8>
    ) -> Bool {
        guard text[range].allSatisfy({ !(0x80...0x9F).contains($0.value) }) else { return false }
        // `píš…` and `mážeš“`.
        if lead >= 0xE0 { return rest.allSatisfy { signs.contains($0) || $0 == 0x9A || $0 == 0x9E } }
        guard rest.allSatisfy(signs.contains), lead != 0xC2 else { return false }
        let before = range.lowerBound > 0 ? text[range.lowerBound - 1].properties : nil
        let after = range.upperBound < text.count ? text[range.upperBound].properties : nil
        let isInCapitals = before?.isUppercase ?? false
        let endsWord = !(after?.isAlphabetic ?? false)
        if lead == 0xC3 { return isInCapitals && endsWord }
        if isInCapitals { return endsWord || after?.isUppercase ?? false }
        // `Å²` and `kJ/Å·mol`.
        return !(before?.isAlphabetic ?? false)
            && (endsWord || rest.allSatisfy { [0xB2, 0xB3, 0xB7, 0xB9].contains($0) })
    }

    /// The bytes of signs that stand behind a word without a blank: `…‘’“”•–—™›‹«»®©°·¹²³`, and the no-break space.
    private static let signs: Set<UInt8> = [
        0x85, 0x91, 0x92, 0x93, 0x94, 0x95, 0x96, 0x97, 0x99, 0x9B, 0x8B, 0xAB, 0xBB, 0xAE, 0xA9, 0xB0, 0xB7, 0xB9,
        0xB2, 0xB3, 0xA0,
    ]

    /// The byte of a character other than ASCII in Windows-1252, or in Latin-1.
    private static func byte(of scalar: Unicode.Scalar) -> UInt8? {
        (0x80...0xFF).contains(scalar.value) ? UInt8(scalar.value) : windowsBytes[scalar]
    }

    private static let windowsBytes: [Unicode.Scalar: UInt8] = Dictionary(
        uniqueKeysWithValues: zip(
            "€‚ƒ„…†‡ˆ‰Š‹ŒŽ‘’“”•–—˜™š›œžŸ".unicodeScalars,
            [0x80] + Array(0x82...0x8C) + [0x8E] + Array(0x91...0x9C) + [0x9E, 0x9F]
        )
    )
}

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
        0xB2,
        0xB3, 0xA0,
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

/// Text of keys and strings, with entities, CDATA and comments.
extension XMLPropertyListReader {
    /// Reads through the closing tag. Text without markup stays in the file.
    mutating func text(of tag: Tag, from start: Int) throws(PropertyListFault) -> PropertyList.Piece {
        guard !tag.isEmpty else { return PropertyList.Piece(start: position, length: 0) }
        let first = position
        skipPlain()
        if position + 1 < end, bytes[position] == UInt8(ascii: "<"), bytes[position + 1] == UInt8(ascii: "/") {
            let piece = PropertyList.Piece(start: first, length: position - first)
            try closeElement(tag.name, from: start)
            return piece
        }
        let piece = builder.decodedStart
        builder.decoded.append(first..<position, of: bytes)
        while try decodePart(from: start) {
            let next = position
            skipPlain()
            builder.decoded.append(next..<position, of: bytes)
        }
        try closeElement(tag.name, from: start)
        return PropertyList.Piece(start: piece, length: builder.decodedStart - piece)
    }

    /// Advances over literal characters.
    private mutating func skipPlain() {
        while position < end {
            switch bytes[position] {
            case UInt8(ascii: "<"), UInt8(ascii: "&"), UInt8(ascii: "\r"): return
            default: position += 1
            }
        }
    }

    /// Decodes one entity, CDATA section, comment or line end; false at the closing tag.
    private mutating func decodePart(from start: Int) throws(PropertyListFault) -> Bool {
        let place = position
        if skip("\r") {
            // XML normalises every line end to a line feed (section 2.11).
            _ = skip("\n")
            builder.decoded.append(UInt8(ascii: "\n"))
        } else if skip("&") {
            try decodeEntity(at: place)
        } else if skip("<![CDATA[") {
            let first = position
            guard skip(to: "]]>") else { throw .malformed("a CDATA section is never closed", at: place) }
            appendLines(first..<position - 3)
        } else if skip("<!--") {
            guard skip(to: "-->") else { throw .malformed("a comment is never closed", at: place) }
        } else {
            // Any other '<' is checked as the closing tag.
            return false
        }
        return true
    }

    private func appendLines(_ range: Range<Int>) {
        for place in range {
            let byte = bytes[place]
            if byte != UInt8(ascii: "\r") {
                builder.decoded.append(byte)
            } else if place + 1 == range.upperBound || bytes[place + 1] != UInt8(ascii: "\n") {
                builder.decoded.append(UInt8(ascii: "\n"))
            }
        }
    }

    mutating func decodeEntity(at place: Int) throws(PropertyListFault) {
        let entities: [(StaticString, StaticString)] =
            [("amp;", "&"), ("lt;", "<"), ("gt;", ">"), ("quot;", "\""), ("apos;", "'")]
        for (name, text) in entities where skip(name) { return builder.decoded.append(text) }
        guard skip("#") else {
            let message =
                "property lists have only the entities &amp; &lt; &gt; &quot; &apos; and numbers such as &#44;"
            throw .unsupported(message, at: place)
        }
        let radix: UInt32 = skip("x") ? 16 : 10
        var scalar: UInt32 = 0
        var digits = 0
        while position < end, let digit = Character(UnicodeScalar(bytes[position])).hexDigitValue, digit < Int(radix) {
            scalar = min(scalar * radix + UInt32(digit), 0x11_0000)
            digits += 1
            position += 1
        }
        guard digits > 0, skip(";"), scalar > 0, let character = UnicodeScalar(scalar) else {
            throw .malformed("this names no character", at: place)
        }
        var out = ByteCursor(builder.decoded)
        out.put(scalar: character.value)
        out.finish()
    }
}

/// The elements of Apple's DTD for property lists.
enum XMLPropertyListElement: String {
    case plist, dict, key, array, string, integer, real, `true`, `false`, date, data

    init?(_ name: Cell) { self.init(rawValue: String(decoding: name, as: UTF8.self)) }

    var displayText: String {
        switch self {
        case .integer: "a whole number of up to 128 bits"
        case .real: "a number"
        case .date: "a date such as 2026-11-21T05:00:00Z"
        default: "a \(rawValue)"
        }
    }
}

/// Parses the text of numbers and dates.
enum PropertyListScalars {
    static func content(of element: XMLPropertyListElement, _ text: Cell) -> PropertyList.Content? {
        switch element {
        case .integer: integer(text)
        case .real: real(text).map { .real($0) }
        case .date: date(text).map { .date($0) }
        default: nil
        }
    }

    /// Decimal digits, or hexadecimal ones behind `0x`, with an optional sign.
    static func integer(_ text: Cell) -> PropertyList.Content? {
        let isNegative = text.first == UInt8(ascii: "-")
        var digits = text.dropFirst(isNegative || text.first == UInt8(ascii: "+") ? 1 : 0)
        let isHexadecimal = digits.count > 2 && (digits.starts(with: "0x".utf8) || digits.starts(with: "0X".utf8))
        if isHexadecimal { digits.removeFirst(2) }
        // A second sign is no digit.
        guard let first = digits.first, Character(UnicodeScalar(first)).isHexDigit else { return nil }
        let number = (isNegative ? "-" : "") + String(decoding: digits, as: UTF8.self)
        return Int128(number, radix: isHexadecimal ? 16 : 10).map { .integer($0) }
    }

    /// A decimal number, or one of Foundation's words for infinity and NaN.
    static func real(_ text: Cell) -> Double? {
        if let value = CellReading.decimal(text) { return value }
        switch String(decoding: text.prefix(12), as: UTF8.self).lowercased() {
        case "nan", "+nan", "-nan": return .nan
        case "inf", "+inf", "infinity", "+infinity": return .infinity
        case "-inf", "-infinity": return -.infinity
        default: return nil
        }
    }

    /// Seconds since 2001 of `2026-11-21T05:00:00Z`.
    static func date(_ text: Cell) -> Double? {
        guard text.count == 20, text[10] == UInt8(ascii: "T"), text[13] == UInt8(ascii: ":"),
            text[16] == UInt8(ascii: ":"), text[19] == UInt8(ascii: "Z"),
            let day = CellReading.day(Cell(rebasing: text[..<10])) ?? dayOfYearZero(Cell(rebasing: text[..<10])),
            let hour = CellReading.integer(Cell(rebasing: text[11..<13])), (0...23).contains(hour),
            let minute = CellReading.integer(Cell(rebasing: text[14..<16])), (0...59).contains(minute),
            let second = CellReading.integer(Cell(rebasing: text[17..<19])), (0...60).contains(second),
            !text[11...].contains(where: { $0 == UInt8(ascii: "+") || $0 == UInt8(ascii: "-") })
        else { return nil }
        let seconds = (Int64(day) - 11_323) * 86_400 + hour * 3_600 + minute * 60 + second
        return Double(seconds)
    }

    /// A day of year 0, where Foundation puts `Date.distantPast`. It has the days of the year 2000.
    private static func dayOfYearZero(_ text: Cell) -> Int32? {
        guard text.starts(with: "0000-".utf8) else { return nil }
        let later = Array("2000".utf8) + text.dropFirst(4)
        return later.withUnsafeBufferPointer { CellReading.day($0) }.map { $0 - 730_485 }
    }
}

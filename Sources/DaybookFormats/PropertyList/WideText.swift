/// Turns text files in UTF-16 into UTF-8 and finds the way back to their bytes.
enum WideText {
    /// How long the mark of UTF-8 is with which a text begins; mostly 0.
    static func markLength(of text: Cell) -> Int { text.starts(with: [0xEF, 0xBB, 0xBF]) ? 3 : 0 }

    /// The order of bytes, when a file says by its first ones that it is UTF-16.
    private static func isBigEndian(_ bytes: Cell) -> Bool? {
        guard bytes.count >= 2 else { return nil }
        switch (bytes[0], bytes[1]) {
        case (0xFE, 0xFF): return true
        case (0xFF, 0xFE): return false
        default: return nil
        }
    }

    /// The text in UTF-8 without its mark, or nil when the file is not UTF-16 by its mark.
    static func utf8(of bytes: Cell) throws(PropertyListFault) -> Bytes? {
        guard let isBigEndian = isBigEndian(bytes) else { return nil }
        guard bytes.count % 2 == 0 else {
            throw .malformed("the file is UTF-16 and ends in half a unit", at: bytes.count - 1)
        }
        let text = Bytes(capacity: bytes.count)
        if let wrong = append(Cell(rebasing: bytes[2...]), isBigEndian: isBigEndian, to: text) {
            throw .malformed("half a surrogate pair", at: wrong + 2)
        }
        return text
    }

    /// Appends UTF-16 as UTF-8. Gives the byte of half a surrogate pair, at which it stops.
    static func append(_ units: Cell, isBigEndian: Bool, to text: Bytes) -> Int? {
        var out = ByteCursor(text)
        defer { out.finish() }
        var place = 0
        func unit(_ place: Int) -> UInt32 {
            isBigEndian
                ? UInt32(units[place]) << 8 | UInt32(units[place + 1])
                : UInt32(units[place + 1]) << 8 | UInt32(units[place])
        }
        while place + 1 < units.count {
            var scalar = unit(place)
            out.reserve(4)
            if scalar & 0xF800 == 0xD800 {
                guard scalar < 0xDC00, place + 3 < units.count, unit(place + 2) & 0xFC00 == 0xDC00 else { return place }
                scalar = 0x10000 + (scalar & 0x3FF) << 10 + (unit(place + 2) & 0x3FF)
                place += 2
            }
            place += 2
            out.put(scalar: scalar)
        }
        return nil
    }

    /// Which byte of a file in UTF-16 with its mark became the byte of its UTF-8.
    static func byte(of place: Int, in text: Cell) -> Int {
        var units = 1
        for byte in text[..<place] where byte & 0xC0 != 0x80 { units += byte >= 0xF0 ? 2 : 1 }
        return units * 2
    }
}

extension ByteCursor {
    /// Writes a scalar as UTF-8 into room that was reserved.
    package mutating func put(scalar: UInt32) {
        switch scalar {
        case ..<0x80: put(UInt8(truncatingIfNeeded: scalar))
        case ..<0x800:
            put(UInt8(truncatingIfNeeded: 0xC0 | scalar >> 6))
            put(UInt8(truncatingIfNeeded: 0x80 | scalar & 0x3F))
        case ..<0x10000:
            put(UInt8(truncatingIfNeeded: 0xE0 | scalar >> 12))
            put(UInt8(truncatingIfNeeded: 0x80 | scalar >> 6 & 0x3F))
            put(UInt8(truncatingIfNeeded: 0x80 | scalar & 0x3F))
        default:
            put(UInt8(truncatingIfNeeded: 0xF0 | scalar >> 18))
            put(UInt8(truncatingIfNeeded: 0x80 | scalar >> 12 & 0x3F))
            put(UInt8(truncatingIfNeeded: 0x80 | scalar >> 6 & 0x3F))
            put(UInt8(truncatingIfNeeded: 0x80 | scalar & 0x3F))
        }
    }
}

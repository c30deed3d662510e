/// In what the widths of columns are counted.
package enum WidthUnit: Sendable, Hashable {
    /// Unicode scalars.
    case characters
    /// Bytes of the file in its encoding, as banks and mainframes count them.
    case bytes(of: ByteWidths)
    /// Columns of a terminal, of which East Asian characters take two.
    case columns

    /// How many bytes a character has in an encoding.
    package enum ByteWidths: Sendable, Hashable {
        case one, utf8, utf16, doubleByte, shiftJIS

        /// Nil for an encoding in which that cannot be told from the character alone.
        package init?(_ encoding: TextEncoding) {
            switch encoding.name {
            case "utf-8", "utf-8-bom": self = .utf8
            case "utf-16", "utf-16le", "utf-16be": self = .utf16
            case "cp949", "euc-kr", "gbk", "big5": self = .doubleByte
            case "shift_jis": self = .shiftJIS
            case "euc-jp", "gb18030", "utf-32", "utf-32le", "utf-32be": return nil
            default: self = .one
            }
        }
    }

    /// The width of the character whose UTF-8 begins at `place`.
    func width(of line: Cell, at place: Int) -> Int {
        switch self {
        case .characters: return 1
        case .columns: return WidthUnit.isWide(WidthUnit.scalar(of: line, at: place)) ? 2 : 1
        case .bytes(.one): return 1
        case .bytes(.utf8): return WidthUnit.length(of: line[place])
        case .bytes(.utf16): return WidthUnit.length(of: line[place]) == 4 ? 4 : 2
        case .bytes(.doubleByte): return line[place] < 0x80 ? 1 : 2
        case .bytes(.shiftJIS):
            // Katakana of half width have one byte.
            return line[place] < 0x80 || (0xFF61...0xFF9F).contains(WidthUnit.scalar(of: line, at: place)) ? 1 : 2
        }
    }

    /// Whether every ASCII character counts as one, so that a line of such needs no look at its characters.
    var countsASCIIAsOne: Bool { self != .bytes(of: .utf16) }

    private static func length(of lead: UInt8) -> Int { lead < 0x80 ? 1 : lead < 0xE0 ? 2 : lead < 0xF0 ? 3 : 4 }

    private static func scalar(of line: Cell, at place: Int) -> UInt32 {
        let length = min(length(of: line[place]), line.count - place)
        guard length > 1 else { return UInt32(line[place]) }
        var scalar = UInt32(line[place]) & (0x7F >> UInt32(length))
        for next in place + 1..<place + length { scalar = scalar << 6 | UInt32(line[next] & 0x3F) }
        return scalar
    }

    /// The East Asian characters that take two columns: those wide and full-width in Unicode's UAX #11, by blocks.
    private static func isWide(_ scalar: UInt32) -> Bool {
        switch scalar {
        case 0x1100...0x115F, 0x2E80...0x303E, 0x3041...0x4DBF, 0x4E00...0xA4CF, 0xA960...0xA97F, 0xAC00...0xD7A3,
            0xF900...0xFAFF, 0xFE30...0xFE6F, 0xFF00...0xFF60, 0xFFE0...0xFFE6, 0x1F300...0x1F64F, 0x1F900...0x1F9FF,
            0x20000...0x3FFFD:
            true
        default: false
        }
    }
}

/// Writes the lines of an iCalendar file: text escaped, lines folded, CRLF at each end.
///
/// Source: RFC 5545, sections 3.1 (content lines) and 3.3.11 (text).
package struct ContentLine {
    /// Octets of a line without its end, beyond which it is folded.
    package static let limit = 75

    /// The line that is being made, before it is folded.
    private let line = Bytes(capacity: 256)
    package let out: Bytes

    package init(to out: Bytes) { self.out = out }

    /// Appends a line that needs neither escaping nor folding.
    package func plain(_ text: StaticString) {
        out.append(text)
        end()
    }

    /// Appends a property whose value is `text`; `suffix` is digits and the like.
    package func text(_ name: StaticString, _ text: Cell, suffix: String = "") {
        line.removeAll()
        line.append(name)
        line.append(UInt8(ascii: ":"))
        ContentLine.append(escaped: text, to: line)
        if !suffix.isEmpty { line.append(suffix) }
        fold()
    }

    package func text(_ name: StaticString, _ text: String) {
        var text = text
        text.withUTF8 { self.text(name, $0) }
    }

    /// Appends a property whose value is a day: `DTSTART;VALUE=DATE:20261121`.
    package func day(_ name: StaticString, _ day: Int32) {
        out.append(name)
        out.append(";VALUE=DATE:" as StaticString)
        ContentLine.append(day: day, to: out)
        end()
    }

    package func end() { out.append("\r\n" as StaticString) }

    /// `20261121`, of years 1 to 9999.
    package static func append(day: Int32, to bytes: Bytes) {
        let date = CivilDate(day: day)
        let digits = bytes.reserve(8)
        var rest = Int(date.year) * 10_000 + Int(date.month) * 100 + Int(date.day)
        for place in stride(from: 7, through: 0, by: -1) {
            digits[place] = UInt8(ascii: "0") + UInt8(rest % 10)
            rest /= 10
        }
        bytes.count += 8
    }

    /// A backslash before `\`, `;` and `,`, and `\n` for a line end of any kind. Control characters, which a calendar may
    /// not hold, become their pictures, as on a page: nothing vanishes.
    package static func append(escaped cell: Cell, to bytes: Bytes) {
        for (position, byte) in cell.enumerated() {
            switch byte {
            case UInt8(ascii: "\\"), UInt8(ascii: ";"), UInt8(ascii: ","):
                bytes.append(UInt8(ascii: "\\"))
                bytes.append(byte)
            case 0x0D:
                // The line feed of a CRLF speaks for both.
                if position + 1 >= cell.count || cell[position + 1] != 0x0A { bytes.append("\\n" as StaticString) }
            case 0x0A: bytes.append("\\n" as StaticString)
            case 0x7F: bytes.append("␡" as StaticString)
            case 0x09, 0x20...: bytes.append(byte)
            default:
                // The picture of control n is U+2400 + n.
                bytes.append(0xE2)
                bytes.append(0x90)
                bytes.append(0x80 + byte)
            }
        }
    }

    /// Cuts the line so that no part has more octets than the limit, and never inside a character.
    private func fold() {
        let bytes = line.filled
        defer { withExtendedLifetime(line) {} }
        var start = 0
        var room = ContentLine.limit
        while bytes.count - start > room {
            var cut = start + room
            // A character has three continuation bytes at most; what has more is no UTF-8 and may be cut anywhere.
            while cut > start + room - 3, bytes[cut] & 0xC0 == 0x80 { cut -= 1 }
            out.append(Cell(rebasing: bytes[start..<cut]))
            out.append("\r\n " as StaticString)
            start = cut
            // The space that begins a folded part counts.
            room = ContentLine.limit - 1
        }
        out.append(Cell(rebasing: bytes[start...]))
        end()
    }
}

/// Writes text as JSON strings (RFC 8259, section 7).
public enum JSONText {
    /// 0 for a byte that stands for itself, else the letter of its short escape, or `u`.
    @usableFromInline
    static let escapes: [UInt8] = {
        var table = [UInt8](repeating: 0, count: 256)
        for control in 0..<32 { table[control] = UInt8(ascii: "u") }
        table[8] = UInt8(ascii: "b")
        table[9] = UInt8(ascii: "t")
        table[10] = UInt8(ascii: "n")
        table[12] = UInt8(ascii: "f")
        table[13] = UInt8(ascii: "r")
        table[34] = UInt8(ascii: "\"")
        table[92] = UInt8(ascii: "\\")
        return table
    }()
}

extension ByteCursor {
    /// Writes the inside of a JSON string. The cell is UTF-8.
    public mutating func put(escaped cell: Cell) {
        reserve(cell.count * 6)
        var target = next
        JSONText.escapes.withUnsafeBufferPointer { escapes in
            for byte in cell {
                let escape = escapes[Int(byte)]
                if escape == 0 {
                    target.pointee = byte
                    target += 1
                    continue
                }
                target[0] = UInt8(ascii: "\\")
                target[1] = escape
                target += 2
                if escape == UInt8(ascii: "u") {
                    target[0] = UInt8(ascii: "0")
                    target[1] = UInt8(ascii: "0")
                    target[2] = (byte >> 4) + 48
                    target[3] = byte & 15 < 10 ? (byte & 15) + 48 : (byte & 15) + 87
                    target += 4
                }
            }
        }
        next = target
    }
}

extension Bytes {
    /// Appends a JSON string with its quotes. The cell is UTF-8.
    public func append(jsonString cell: Cell) {
        append(UInt8(ascii: "\""))
        var out = ByteCursor(self)
        out.put(escaped: cell)
        out.finish()
        append(UInt8(ascii: "\""))
    }

    /// Appends a JSON string with its quotes.
    public func append(jsonString text: String) {
        var text = text
        text.withUTF8 { append(jsonString: $0) }
    }
}

/// Base64 as property lists and JSON dumps write data (RFC 4648, section 4), with white space anywhere.
package enum Base64 {
    private static let alphabet = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/".utf8)
    private static let digits: [UInt8] = {
        var table = [UInt8](repeating: 255, count: 256)
        for (value, letter) in alphabet.enumerated() { table[Int(letter)] = UInt8(value) }
        return table
    }()

    /// Appends the decoded bytes of the text. Returns the place of an invalid character; then nothing is appended.
    package static func decode(_ text: Cell, into bytes: Bytes) -> Int? {
        let start = bytes.count
        var out = ByteCursor(bytes)
        out.reserve(text.count / 4 * 3 + 3)
        var bits: UInt32 = 0
        var count = 0
        var padding = 0
        var wrong: Int?
        let digits = digits
        for place in 0..<text.count {
            let byte = text[place]
            let digit = digits[Int(byte)]
            if digit < 64, padding == 0 {
                bits = bits << 6 | UInt32(digit)
                count += 1
                guard count == 4 else { continue }
                out.put(UInt8(truncatingIfNeeded: bits >> 16))
                out.put(UInt8(truncatingIfNeeded: bits >> 8))
                out.put(UInt8(truncatingIfNeeded: bits))
                bits = 0
                count = 0
            } else if byte == UInt8(ascii: "="), count + padding < 4, count >= 2 {
                padding += 1
            } else if !byte.isSpace {
                wrong = place
                break
            }
        }
        if wrong == nil, count + padding != 0, count + padding != 4 { wrong = text.count }
        // The bits that fill up the last digit must be none of the data.
        let spare: UInt32 = count == 3 ? bits & 3 : bits & 15
        if wrong == nil, count > 0, spare != 0 { wrong = text.count }
        if wrong == nil, count >= 2 { out.put(UInt8(truncatingIfNeeded: count == 3 ? bits >> 10 : bits >> 4)) }
        if wrong == nil, count == 3 { out.put(UInt8(truncatingIfNeeded: bits >> 2)) }
        out.finish()
        if wrong != nil { bytes.count = start }
        return wrong
    }

    package static func append(_ data: Cell, to bytes: Bytes) {
        var out = ByteCursor(bytes)
        out.reserve((data.count + 2) / 3 * 4)
        let alphabet = alphabet
        func digit(_ value: UInt32, _ shift: UInt32) -> UInt8 { alphabet[Int(value >> shift & 63)] }
        for place in stride(from: 0, to: data.count, by: 3) {
            let left = data.count - place
            let second = left > 1 ? UInt32(data[place + 1]) : 0
            let third = left > 2 ? UInt32(data[place + 2]) : 0
            let value = UInt32(data[place]) << 16 | second << 8 | third
            out.put(digit(value, 18))
            out.put(digit(value, 12))
            out.put(left > 1 ? digit(value, 6) : UInt8(ascii: "="))
            out.put(left > 2 ? digit(value, 0) : UInt8(ascii: "="))
        }
        out.finish()
    }
}

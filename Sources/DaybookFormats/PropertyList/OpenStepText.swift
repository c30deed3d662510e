/// Reads a text in quotes with its escapes: `\n`, `\"`, `\101` in octal digits, `\U00e9`.
struct OpenStepText {
    private let bytes: Bytes
    private let start: Int
    private let end: Int
    private(set) var position: Int
    /// The first half of a surrogate pair that `\U` has given.
    private var high: UInt32?
    private var isBroken = false

    init(_ bytes: Bytes, from start: Int, to end: Int) {
        self.bytes = bytes
        self.start = start
        self.end = end
        position = start
    }

    /// Steps over the text. Without escapes it stays in the file; else it is appended to `decoded`.
    mutating func read(decoded: Bytes, sourceLength: Int) throws(PropertyListFault) -> PropertyList.Content {
        let quote = bytes[start]
        position += 1
        while position < end, bytes[position] != quote, bytes[position] != UInt8(ascii: "\\") { position += 1 }
        let first = start + 1
        if position < end, bytes[position] == quote {
            position += 1
            return .text(PropertyList.Piece(start: first, length: position - 1 - first))
        }
        let from = decoded.count
        var out = ByteCursor(decoded)
        out.reserve(position - first)
        for place in first..<position { out.put(bytes[place]) }
        while position < end, bytes[position] != quote {
            out.reserve(8)
            guard bytes[position] == UInt8(ascii: "\\") else {
                if high.take() != nil { isBroken = true }
                out.put(bytes[position])
                position += 1
                continue
            }
            try escape(&out)
        }
        if high != nil { isBroken = true }
        out.finish()
        guard position < end else { throw .malformed("a text opens here and is never closed", at: start) }
        position += 1
        if isBroken {
            decoded.count = from
            return .brokenText
        }
        return .text(PropertyList.Piece(start: sourceLength + from, length: decoded.count - from))
    }

    private mutating func escape(_ out: inout ByteCursor) throws(PropertyListFault) {
        let place = position
        position += 1
        guard position < end else { throw .malformed("a text opens here and is never closed", at: start) }
        let byte = bytes[position]
        position += 1
        if byte == UInt8(ascii: "U") { return try put(unit(at: place), &out) }
        if high.take() != nil { isBroken = true }
        switch byte {
        case 48...55: out.put(try octal(byte, at: place))
        case UInt8(ascii: "a"): out.put(7)
        case UInt8(ascii: "b"): out.put(8)
        case UInt8(ascii: "t"): out.put(9)
        case UInt8(ascii: "n"): out.put(10)
        case UInt8(ascii: "v"): out.put(11)
        case UInt8(ascii: "f"): out.put(12)
        case UInt8(ascii: "r"): out.put(13)
        default: out.put(byte)
        }
    }

    private mutating func octal(_ first: UInt8, at place: Int) throws(PropertyListFault) -> UInt8 {
        var value = UInt32(first - 48)
        var digits = 1
        while digits < 3, position < end, (48...55).contains(bytes[position]) {
            value = value << 3 | UInt32(bytes[position] - 48)
            digits += 1
            position += 1
        }
        guard value < 0x80 else {
            throw .unsupported("an octal escape above \\177 is a character of NeXTSTEP's own encoding", at: place)
        }
        return UInt8(value)
    }

    /// Four hexadecimal digits.
    private mutating func unit(at place: Int) throws(PropertyListFault) -> UInt32 {
        var value: UInt32 = 0
        for _ in 0..<4 {
            guard position < end, let digit = Character(UnicodeScalar(bytes[position])).hexDigitValue else {
                throw .malformed("\\U wants four hexadecimal digits", at: place)
            }
            value = value << 4 | UInt32(digit)
            position += 1
        }
        return value
    }

    private mutating func put(_ unit: UInt32, _ out: inout ByteCursor) throws(PropertyListFault) {
        if let first = high.take() {
            if unit & 0xFC00 == 0xDC00 {
                return out.put(scalar: 0x10000 + (first & 0x3FF) << 10 + (unit & 0x3FF))
            }
            isBroken = true
        }
        switch unit & 0xFC00 {
        case 0xD800: high = unit
        case 0xDC00: isBroken = true
        default: out.put(scalar: unit)
        }
    }
}

import CScan
import DaybookCore

extension JSONCursor {
    /// Steps over a string and says whether it has escapes; nil when it is none.
    mutating func string() -> Bool? {
        let opening = position
        var place = position &+ 1
        var isEscaped = false
        while true {
            if place &+ 32 <= end {
                let special = json_special32(base + place)
                if special == 0 {
                    place &+= 32
                    continue
                }
                place &+= special.trailingZeroBitCount
            }
            guard place < end else {
                _ = fail(.openString, at: opening)
                return nil
            }
            switch base[place] {
            case UInt8(ascii: "\""):
                position = place &+ 1
                return isEscaped
            case UInt8(ascii: "\\"):
                isEscaped = true
                guard let behind = escape(at: place, opening) else { return nil }
                place = behind
            case 0..<0x20:
                // A line end says more likely that the quote was forgotten; it is a control character all the same.
                _ = fail(.controlCharacter, at: place)
                return nil
            default: place &+= 1
            }
        }
    }

    /// The place behind an escape, two of them where they make a surrogate pair.
    private mutating func escape(at place: Int, _ opening: Int) -> Int? {
        guard place + 1 < end else {
            _ = fail(.openString, at: opening)
            return nil
        }
        switch base[place + 1] {
        case UInt8(ascii: "\""), UInt8(ascii: "\\"), UInt8(ascii: "/"), UInt8(ascii: "b"), UInt8(ascii: "f"),
            UInt8(ascii: "n"), UInt8(ascii: "r"), UInt8(ascii: "t"):
            return place + 2
        case UInt8(ascii: "u"):
            guard let unit = JSONString.unit(base, at: place, end) else {
                _ = fail(.badEscape, at: place)
                return nil
            }
            guard unit & 0xF800 == 0xD800 else { return place + 6 }
            if unit < 0xDC00, let second = JSONString.unit(base, at: place + 6, end), second & 0xFC00 == 0xDC00 {
                return place + 12
            }
            _ = fail(.loneSurrogate, at: place)
            return nil
        default:
            _ = fail(.badEscape, at: place)
            return nil
        }
    }

    /// Steps over a number and says whether it is written as a whole one; nil when it is none.
    mutating func number() -> Bool? {
        let start = position
        if byte == UInt8(ascii: "-") { position += 1 }
        let first = position
        guard digits() else { return noNumber(start) }
        if base[first] == 48, position > first + 1 {
            _ = fail(.leadingZero, at: start)
            return nil
        }
        var isWhole = true
        if byte == UInt8(ascii: ".") {
            isWhole = false
            position += 1
            guard digits() else { return noNumber(start) }
        }
        if byte | 0x20 == UInt8(ascii: "e") {
            isWhole = false
            position += 1
            if byte == UInt8(ascii: "-") || byte == UInt8(ascii: "+") { position += 1 }
            guard digits() else { return noNumber(start) }
        }
        switch byte {
        case UInt8(ascii: "."), UInt8(ascii: "_"), UInt8(ascii: "+"), UInt8(ascii: "-"), 65...90, 97...122:
            return noNumber(start)
        default: return isWhole
        }
    }

    private mutating func noNumber(_ start: Int) -> Bool? {
        _ = fail(.badNumber, at: position >= end ? end : start)
        return nil
    }

    private mutating func digits() -> Bool {
        let start = position
        while position < end, base[position] &- 48 <= 9 { position &+= 1 }
        return position > start
    }
}

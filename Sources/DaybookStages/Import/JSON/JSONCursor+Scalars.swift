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

/// Reads what stands between the quotes of a JSON string.
enum JSONString {
    /// The UTF-16 unit of an escape `\u20AC`, or nil when there is none at `place`.
    static func unit(_ base: UnsafePointer<UInt8>, at place: Int, _ end: Int) -> UInt32? {
        guard place + 6 <= end, base[place] == UInt8(ascii: "\\"), base[place + 1] == UInt8(ascii: "u") else {
            return nil
        }
        var unit: UInt32 = 0
        for index in 2..<6 {
            let digit: UInt8
            switch base[place + index] {
            case let byte where (48...57).contains(byte): digit = byte - 48
            case let byte where (65...70).contains(byte): digit = byte - 55
            case let byte where (97...102).contains(byte): digit = byte - 87
            default: return nil
            }
            unit = unit << 4 | UInt32(digit)
        }
        return unit
    }

    /// Appends the text of a string that has been checked. `range` is what stands between its quotes.
    static func decode(_ base: UnsafePointer<UInt8>, _ range: Range<Int>, into bytes: Bytes) {
        let start = bytes.reserve(range.count)
        var target = start
        var place = range.lowerBound
        while place < range.upperBound {
            let byte = base[place]
            guard byte == UInt8(ascii: "\\") else {
                target.pointee = byte
                target += 1
                place += 1
                continue
            }
            if base[place + 1] == UInt8(ascii: "u"), var scalar = unit(base, at: place, range.upperBound) {
                place += 6
                if scalar & 0xFC00 == 0xD800, let low = unit(base, at: place, range.upperBound) {
                    scalar = 0x10000 + (scalar & 0x3FF) << 10 + (low & 0x3FF)
                    place += 6
                }
                target = write(scalar, to: target)
            } else {
                target.pointee = plain(base[place + 1])
                target += 1
                place += 2
            }
        }
        bytes.count += target - start
    }

    /// The text between the quotes as a string, for names.
    static func name(_ base: UnsafePointer<UInt8>, _ range: Range<Int>, isEscaped: Bool) -> [UInt8] {
        guard isEscaped else { return Array(UnsafeBufferPointer(start: base + range.lowerBound, count: range.count)) }
        let bytes = Bytes(capacity: range.count)
        decode(base, range, into: bytes)
        return Array(bytes.filled)
    }

    private static func plain(_ escape: UInt8) -> UInt8 {
        switch escape {
        case UInt8(ascii: "b"): 8
        case UInt8(ascii: "f"): 12
        case UInt8(ascii: "n"): 10
        case UInt8(ascii: "r"): 13
        case UInt8(ascii: "t"): 9
        default: escape
        }
    }

    /// Writes a scalar as UTF-8, which is never longer than its escape.
    private static func write(_ scalar: UInt32, to start: UnsafeMutablePointer<UInt8>) -> UnsafeMutablePointer<UInt8> {
        func put(_ index: Int, _ value: UInt32) { start[index] = UInt8(truncatingIfNeeded: value) }
        switch scalar {
        case ..<0x80:
            put(0, scalar)
            return start + 1
        case ..<0x800:
            put(0, 0xC0 | scalar >> 6)
            put(1, 0x80 | scalar & 0x3F)
            return start + 2
        case ..<0x10000:
            put(0, 0xE0 | scalar >> 12)
            put(1, 0x80 | scalar >> 6 & 0x3F)
            put(2, 0x80 | scalar & 0x3F)
            return start + 3
        default:
            put(0, 0xF0 | scalar >> 18)
            put(1, 0x80 | scalar >> 12 & 0x3F)
            put(2, 0x80 | scalar >> 6 & 0x3F)
            put(3, 0x80 | scalar & 0x3F)
            return start + 4
        }
    }
}

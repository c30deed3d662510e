import CScan

extension UInt8 {
    /// Whether it is white space in JSON, and in XML too: a space, a tab, a line feed or a carriage return.
    @inlinable
    package var isSpace: Bool { self == 0x20 || self == 0x0A || self == 0x0D || self == 0x09 }

    /// Whether a number of JSON can begin with it.
    package var isJSONNumber: Bool { self == UInt8(ascii: "-") || (48...57).contains(self) }
}

extension Cell {
    /// Whether it is one value of JSON, of any kind.
    package var isJSON: Bool {
        guard let base = baseAddress else { return false }
        var cursor = JSONCursor(base, to: count)
        return cursor.skipValue() && cursor.finish()
    }
}

/// Walks over JSON text and checks all of it: RFC 8259, strictly.
///
/// Reads no byte past `end`, so any buffer will do. A function that returns false has left the reason in `fault`.
package struct JSONCursor {
    /// How deep objects and arrays may be nested; the limit keeps hostile input from costing memory.
    package static let deepest = 512

    package let base: UnsafePointer<UInt8>
    package var position: Int
    package var end: Int
    /// How many objects and arrays are open around `position`.
    package var depth = 0
    package private(set) var fault: JSONFault?
    package private(set) var faultAt = 0

    package init(_ base: UnsafePointer<UInt8>, from position: Int = 0, to end: Int) {
        self.base = base
        self.position = position
        self.end = end
    }

    /// A part of the text, as an address that does not keep it alive.
    package func cell(_ range: Range<Int>) -> Cell { Cell(start: base + range.lowerBound, count: range.count) }

    /// The byte here, or 0 at the end; no rule of the grammar takes a 0.
    @inline(__always)
    package var byte: UInt8 { position < end ? base[position] : 0 }

    @inline(__always)
    package mutating func skipSpace() {
        while position < end {
            switch base[position] {
            case 0x20, 0x0A, 0x0D, 0x09: position &+= 1
            default: return
            }
        }
    }

    /// Records a fault. A fault at the very end means a text that ends early.
    @inline(never)
    package mutating func fail(_ reason: JSONFault, at place: Int? = nil) -> Bool {
        let place = place ?? position
        let ends = place >= end && reason != .openString && reason != .tooDeep
        fault = ends ? .endsEarly : reason
        faultAt = place
        return false
    }

    /// The same for a function that returns nil.
    package mutating func failed<Result>(_ reason: JSONFault, at place: Int? = nil) -> Result? {
        _ = fail(reason, at: place)
        return nil
    }

    /// Steps over the closing bracket of the value just opened, if that is empty.
    @inline(__always)
    package mutating func closesAtOnce(_ bracket: UInt8) -> Bool {
        skipSpace()
        guard byte == bracket else { return false }
        position &+= 1
        depth &-= 1
        return true
    }

    /// Steps into an object or array.
    @inline(__always)
    package mutating func open() -> Bool {
        guard depth < JSONCursor.deepest else { return fail(.tooDeep) }
        depth &+= 1
        position &+= 1
        return true
    }

    /// Steps over a key and its colon and returns the range between the quotes; stops before the value.
    package mutating func key() -> (bytes: Range<Int>, isEscaped: Bool)? {
        skipSpace()
        guard byte == UInt8(ascii: "\"") else { return failed(byte == UInt8(ascii: "}") ? .trailingComma : .noKey) }
        let start = position + 1
        guard let isEscaped = string() else { return nil }
        let bytes = start..<position - 1
        skipSpace()
        guard byte == UInt8(ascii: ":") else { return failed(.noColon) }
        position += 1
        skipSpace()
        return (bytes, isEscaped)
    }

    /// Steps over a comma and returns true, or over the closing bracket and returns false; nil if there is neither.
    @inline(__always)
    package mutating func next(inObject: Bool) -> Bool? {
        skipSpace()
        let byte = byte
        if byte == UInt8(ascii: ",") {
            position &+= 1
            return true
        }
        if byte == (inObject ? UInt8(ascii: "}") : UInt8(ascii: "]")) {
            position &+= 1
            depth &-= 1
            return false
        }
        return failed(inObject ? .noCommaInObject : .noCommaInArray)
    }

    /// Steps over one value with everything in it. No recursion, so each level of depth costs one bit.
    package mutating func skipValue() -> Bool {
        let bottom = depth
        var objects = OpenObjects()
        while true {
            skipSpace()
            var isClosed = true
            switch byte {
            case UInt8(ascii: "{"):
                guard open() else { return false }
                objects.set(depth, true)
                if !closesAtOnce(UInt8(ascii: "}")) {
                    guard key() != nil else { return false }
                    isClosed = false
                }
            case UInt8(ascii: "["):
                guard open() else { return false }
                objects.set(depth, false)
                isClosed = closesAtOnce(UInt8(ascii: "]"))
            default:
                guard scalar() else { return false }
            }
            while isClosed {
                if depth == bottom { return true }
                let inObject = objects[depth]
                guard let more = next(inObject: inObject) else { return false }
                guard more else { continue }
                isClosed = false
                if inObject {
                    guard key() != nil else { return false }
                } else {
                    skipSpace()
                    if byte == UInt8(ascii: "]") { return fail(.trailingComma) }
                }
            }
        }
    }

    /// Steps over a string, a number or a word.
    package mutating func scalar() -> Bool {
        switch byte {
        case UInt8(ascii: "\""): string() != nil
        case UInt8(ascii: "-"), 48...57: number() != nil
        case UInt8(ascii: "t"): word("true")
        case UInt8(ascii: "f"): word("false")
        case UInt8(ascii: "n"): word("null")
        case 65...90, 97...122:
            fail(JSONCursor.notANumber(base + position, base + end) == nil ? .badLiteral : .notANumber)
        default: fail(.noValue)
        }
    }

    /// The length of `NaN`, `Infinity` or `-Infinity` at the cursor.
    package var notANumber: Int? { JSONCursor.notANumber(base + position, base + end) }

    /// The length of `NaN`, `Infinity` or `-Infinity` at a place, as Python and others write; nil if there is none.
    package static func notANumber(_ place: UnsafePointer<UInt8>, _ end: UnsafePointer<UInt8>) -> Int? {
        for word in ["NaN", "Infinity", "-Infinity"] as [StaticString] {
            let length = word.utf8CodeUnitCount
            guard end - place >= length, (0..<length).allSatisfy({ place[$0] == word.utf8Start[$0] }) else { continue }
            return end - place > length && isWordByte(place[length]) ? nil : length
        }
        return nil
    }

    package mutating func word(_ word: StaticString) -> Bool {
        let length = word.utf8CodeUnitCount
        for index in 0..<length where position + index >= end || base[position + index] != word.utf8Start[index] {
            return fail(.badLiteral, at: position + index >= end ? end : position)
        }
        if position + length < end, JSONCursor.isWordByte(base[position + length]) { return fail(.badLiteral) }
        position += length
        return true
    }

    private static func isWordByte(_ byte: UInt8) -> Bool {
        (48...57).contains(byte) || (65...90).contains(byte) || (97...122).contains(byte) || byte == UInt8(ascii: "_")
    }

    /// Checks that nothing but white space is left.
    package mutating func finish() -> Bool {
        skipSpace()
        return position == end || fail(.secondValue)
    }

    /// Reads the rest of the open objects and arrays around the end of a value, outermost first. A key on the way to the
    /// value that comes again is a fault: one of two equal keys would be left out.
    package mutating func finish(_ around: [JSONHolder]) -> Bool {
        depth = around.count
        for holder in around.reversed() {
            while true {
                guard let more = next(inObject: holder.isObject) else { return false }
                guard more else { break }
                if case .object(let way) = holder {
                    guard let key = key() else { return false }
                    if JSONString.isName(way, base, key.bytes, isEscaped: key.isEscaped) {
                        return fail(.secondKey, at: key.bytes.lowerBound - 1)
                    }
                }
                skipSpace()
                if byte == UInt8(ascii: "]") { return fail(.trailingComma) }
                guard skipValue() else { return false }
            }
        }
        return finish()
    }

    /// Steps over a string and returns whether it has escapes; nil if there is no string.
    package mutating func string() -> Bool? {
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
            guard place < end else { return failed(.openString, at: opening) }
            switch base[place] {
            case UInt8(ascii: "\""):
                position = place &+ 1
                return isEscaped
            case UInt8(ascii: "\\"):
                isEscaped = true
                guard let behind = escape(at: place, opening) else { return nil }
                place = behind
            case 0..<0x20:
                // A line end more likely means a forgotten quote; it is a control character all the same.
                return failed(.controlCharacter, at: place)
            default: place &+= 1
            }
        }
    }

    /// The place behind an escape, or behind both of a surrogate pair.
    private mutating func escape(at place: Int, _ opening: Int) -> Int? {
        guard place + 1 < end else { return failed(.openString, at: opening) }
        switch base[place + 1] {
        case UInt8(ascii: "\""), UInt8(ascii: "\\"), UInt8(ascii: "/"), UInt8(ascii: "b"), UInt8(ascii: "f"),
            UInt8(ascii: "n"), UInt8(ascii: "r"), UInt8(ascii: "t"):
            return place + 2
        case UInt8(ascii: "u"):
            guard let unit = JSONString.unit(base, at: place, end) else { return failed(.badEscape, at: place) }
            guard unit & 0xF800 == 0xD800 else { return place + 6 }
            if unit < 0xDC00, let second = JSONString.unit(base, at: place + 6, end), second & 0xFC00 == 0xDC00 {
                return place + 12
            }
            return failed(.loneSurrogate, at: place)
        default: return failed(.badEscape, at: place)
        }
    }

    /// Steps over a number and returns whether it is written as a whole number; nil if there is no number.
    package mutating func number() -> Bool? {
        let start = position
        if byte == UInt8(ascii: "-") { position += 1 }
        let first = position
        guard digits() else { return noNumber(start) }
        if base[first] == 48, position > first + 1 { return failed(.leadingZero, at: start) }
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
        if JSONCursor.notANumber(base + start, base + end) != nil { return failed(.notANumber, at: start) }
        return failed(.badNumber, at: position >= end ? end : start)
    }

    private mutating func digits() -> Bool {
        let start = position
        while position < end, base[position] &- 48 <= 9 { position &+= 1 }
        return position > start
    }
}

/// Which open brackets are objects: one bit per level.
private struct OpenObjects {
    private var bits = SIMD8<UInt64>(repeating: 0)

    subscript(depth: Int) -> Bool { bits[(depth - 1) >> 6] >> UInt64((depth - 1) & 63) & 1 == 1 }

    mutating func set(_ depth: Int, _ isObject: Bool) {
        let bit: UInt64 = 1 << UInt64((depth - 1) & 63)
        if isObject { bits[(depth - 1) >> 6] |= bit } else { bits[(depth - 1) >> 6] &= ~bit }
    }
}

/// Why bytes are not JSON, as RFC 8259 has it.
package enum JSONFault: UInt8, Sendable {
    case noValue, noKey, noColon, noCommaInObject, noCommaInArray, trailingComma, secondValue
    case badLiteral, badNumber, leadingZero, notANumber
    case openString, controlCharacter, badEscape, loneSurrogate
    case tooDeep, endsEarly, secondKey

    package var kind: Finding.Kind {
        switch self {
        case .controlCharacter: Finding.Kind("control-character", message)
        case .loneSurrogate: Finding.Kind("lone-surrogate", message)
        case .tooDeep: Finding.Kind("nested-too-deeply", message)
        case .secondKey: Finding.Kind("duplicate-key", message)
        default: Finding.Kind("not-json", message)
        }
    }

    package var message: String {
        switch self {
        case .noValue: "expected a value"
        case .noKey: "expected a key in double quotes"
        case .noColon: "expected ':' behind the key"
        case .noCommaInObject: "expected ',' or '}'"
        case .noCommaInArray: "expected ',' or ']'"
        case .trailingComma: "nothing follows the comma"
        case .secondValue: "something stands behind the value"
        case .badLiteral: "expected a value; JSON knows the words true, false and null, in lower case"
        case .badNumber: "this is not a JSON number"
        case .notANumber:
            "NaN and Infinity are no JSON, null is; import_json reads them as missing with 'not_a_number: missing'"
        case .leadingZero: "a JSON number cannot begin with a zero that other digits follow"
        case .openString: "a string opens here and is never closed"
        case .controlCharacter: "a control character stands in a string; JSON wants it as \\n, \\t or \\u0000"
        case .badEscape: "a backslash in a string is followed by none of \" \\ / b f n r t u"
        case .loneSurrogate: "a \\u escape is half of a surrogate pair, which is no character"
        case .tooDeep: "objects and arrays are nested deeper than \(JSONCursor.deepest) levels"
        case .endsEarly: "the JSON text ends before its value does"
        case .secondKey: "a key on the way to the records stands twice in its object, and only one of the two is read"
        }
    }
}

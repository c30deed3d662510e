import CScan
import DaybookCore

/// Walks over JSON text and checks all of it: RFC 8259, and nothing more.
///
/// Reads no byte past `end`, so it may look at any buffer. A function that returns false has left the reason in `fault`.
struct JSONCursor {
    /// How deep objects and arrays may be nested; the limit keeps hostile input from costing memory.
    static let deepest = 512

    let base: UnsafePointer<UInt8>
    var position: Int
    var end: Int
    /// How many objects and arrays are open around `position`.
    var depth = 0
    private(set) var fault: JSONFault?
    private(set) var faultAt = 0

    init(_ base: UnsafePointer<UInt8>, from position: Int = 0, to end: Int) {
        self.base = base
        self.position = position
        self.end = end
    }

    /// The byte here, or 0 at the end; no rule of the grammar takes a 0.
    @inline(__always)
    var byte: UInt8 { position < end ? base[position] : 0 }

    @inline(__always)
    mutating func skipSpace() {
        while position < end {
            switch base[position] {
            case 0x20, 0x0A, 0x0D, 0x09: position &+= 1
            default: return
            }
        }
    }

    /// Notes what is wrong. What is missing at the very end is a text that ends early.
    @inline(never)
    mutating func fail(_ reason: JSONFault, at place: Int? = nil) -> Bool {
        let place = place ?? position
        let ends = place >= end && reason != .openString && reason != .tooDeep
        fault = ends ? .endsEarly : reason
        faultAt = place
        return false
    }

    mutating func clearFault() { fault = nil }

    /// Steps into an object or array.
    @inline(__always)
    mutating func open() -> Bool {
        guard depth < JSONCursor.deepest else { return fail(.tooDeep) }
        depth &+= 1
        position &+= 1
        return true
    }

    /// Steps over a key and its colon and gives the bytes between the quotes; stops before the value.
    mutating func key() -> (bytes: Range<Int>, isEscaped: Bool)? {
        skipSpace()
        guard byte == UInt8(ascii: "\"") else {
            _ = fail(byte == UInt8(ascii: "}") ? .trailingComma : .noKey)
            return nil
        }
        let start = position + 1
        guard let isEscaped = string() else { return nil }
        let bytes = start..<position - 1
        skipSpace()
        guard byte == UInt8(ascii: ":") else {
            _ = fail(.noColon)
            return nil
        }
        position += 1
        skipSpace()
        return (bytes, isEscaped)
    }

    /// Steps over a comma and says true, or over the closing bracket and says false; nil when there is neither.
    @inline(__always)
    mutating func next(inObject: Bool) -> Bool? {
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
        _ = fail(inObject ? .noCommaInObject : .noCommaInArray)
        return nil
    }

    /// Steps over one value with all that is in it. No recursion, so depth costs a bit a level.
    mutating func skipValue() -> Bool {
        let bottom = depth
        var objects = OpenObjects()
        while true {
            skipSpace()
            var isClosed = true
            switch byte {
            case UInt8(ascii: "{"):
                guard open() else { return false }
                objects.set(depth, true)
                skipSpace()
                if byte == UInt8(ascii: "}") {
                    position += 1
                    depth -= 1
                } else {
                    guard key() != nil else { return false }
                    isClosed = false
                }
            case UInt8(ascii: "["):
                guard open() else { return false }
                objects.set(depth, false)
                skipSpace()
                if byte == UInt8(ascii: "]") {
                    position += 1
                    depth -= 1
                } else {
                    isClosed = false
                }
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
    mutating func scalar() -> Bool {
        switch byte {
        case UInt8(ascii: "\""): string() != nil
        case UInt8(ascii: "-"), 48...57: number() != nil
        case UInt8(ascii: "t"): word("true")
        case UInt8(ascii: "f"): word("false")
        case UInt8(ascii: "n"): word("null")
        case 65...90, 97...122: fail(.badLiteral)
        default: fail(.noValue)
        }
    }

    mutating func word(_ word: StaticString) -> Bool {
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
    mutating func finish() -> Bool {
        skipSpace()
        return position == end || fail(.secondValue)
    }

    /// Reads the rest of objects (true) and arrays (false) that are open around the end of a value, outermost first.
    mutating func finish(_ around: [Bool]) -> Bool {
        depth = around.count
        for inObject in around.reversed() {
            while true {
                guard let more = next(inObject: inObject) else { return false }
                guard more else { break }
                if inObject, key() == nil { return false }
                skipSpace()
                if byte == UInt8(ascii: "]") { return fail(.trailingComma) }
                guard skipValue() else { return false }
            }
        }
        return finish()
    }
}

/// Which of the open brackets are those of objects: one bit a level.
private struct OpenObjects {
    private var bits = SIMD8<UInt64>(repeating: 0)

    subscript(depth: Int) -> Bool { bits[(depth - 1) >> 6] >> UInt64((depth - 1) & 63) & 1 == 1 }

    mutating func set(_ depth: Int, _ isObject: Bool) {
        let bit: UInt64 = 1 << UInt64((depth - 1) & 63)
        if isObject { bits[(depth - 1) >> 6] |= bit } else { bits[(depth - 1) >> 6] &= ~bit }
    }
}

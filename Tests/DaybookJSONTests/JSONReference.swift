@testable import DaybookContracts

/// A second opinion on what is JSON: RFC 8259 written down rule by rule, slowly.
struct JSONReference {
    private let bytes: [UInt8]
    private var position = 0
    private var depth = 0

    /// Whether the bytes are one JSON value, with every escape a character and at most 512 levels of nesting.
    static func accepts(_ bytes: [UInt8]) -> Bool {
        guard String(validating: bytes, as: UTF8.self) != nil else { return false }
        var reference = JSONReference(bytes: bytes)
        reference.space()
        guard reference.value() else { return false }
        reference.space()
        return reference.position == bytes.count
    }

    private init(bytes: [UInt8]) { self.bytes = bytes }

    private var next: Character? { position < bytes.count ? Character(UnicodeScalar(bytes[position])) : nil }

    private mutating func take(_ character: Character) -> Bool {
        guard next == character else { return false }
        position += 1
        return true
    }

    private mutating func space() {
        while let next, " \t\r\n".unicodeScalars.contains(next.unicodeScalars.first!), next.unicodeScalars.count == 1 {
            position += 1
        }
    }

    private mutating func value() -> Bool {
        switch next {
        case "{": list(closing: "}") { $0.member() }
        case "[": list(closing: "]") { $0.value() }
        case "\"": string()
        case "t": word("true")
        case "f": word("false")
        case "n": word("null")
        default: number()
        }
    }

    private mutating func word(_ word: String) -> Bool { word.allSatisfy { take($0) } }

    private mutating func list(closing: Character, _ element: (inout JSONReference) -> Bool) -> Bool {
        depth += 1
        defer { depth -= 1 }
        guard depth <= 512 else { return false }
        position += 1
        space()
        if take(closing) { return true }
        repeat {
            space()
            guard element(&self) else { return false }
            space()
        } while take(",")
        return take(closing)
    }

    private mutating func member() -> Bool {
        guard string() else { return false }
        space()
        guard take(":") else { return false }
        space()
        return value()
    }

    private mutating func digits() -> Bool {
        let start = position
        while position < bytes.count, bytes[position] >= 48, bytes[position] <= 57 { position += 1 }
        return position > start
    }

    private mutating func number() -> Bool {
        _ = take("-")
        if !take("0"), !digits() { return false }
        if take("."), !digits() { return false }
        if take("e") || take("E") {
            if !take("+") { _ = take("-") }
            if !digits() { return false }
        }
        return true
    }

    private mutating func string() -> Bool {
        guard take("\"") else { return false }
        var pendingHigh = false
        while position < bytes.count {
            let byte = bytes[position]
            position += 1
            if pendingHigh, byte != UInt8(ascii: "\\") { return false }
            if byte == UInt8(ascii: "\"") { return true }
            if byte < 0x20 { return false }
            guard byte == UInt8(ascii: "\\") else { continue }
            guard position < bytes.count else { return false }
            let escape = bytes[position]
            position += 1
            guard escape == UInt8(ascii: "u") else {
                guard !pendingHigh, "\"\\/bfnrt".utf8.contains(escape) else { return false }
                continue
            }
            guard position + 4 <= bytes.count,
                bytes[position..<position + 4].allSatisfy({ Character(UnicodeScalar($0)).isHexDigit }),
                let unit = UInt32(String(decoding: bytes[position..<position + 4], as: UTF8.self), radix: 16)
            else { return false }
            position += 4
            let isLow = (0xDC00...0xDFFF).contains(unit)
            guard pendingHigh == isLow else { return false }
            pendingHigh = (0xD800...0xDBFF).contains(unit)
        }
        return false
    }
}

import Foundation

/// Numbers and instants of JSON as Foundation's decoder reads them.
enum ModelNumber {
    static func hasExponent(_ cell: Cell) -> Bool { cell.contains { $0 | 0x20 == UInt8(ascii: "e") } }

    /// The value of a number, where it is whole: `34`, `34.0` and `3.4e1` are.
    static func integer(_ text: String) -> Int128? {
        if let value = Int64(text) { return Int128(value) }
        if let value = UInt64(text) { return Int128(value) }
        var digits: [UInt8] = []
        var fraction = 0
        var exponent = 0
        var isBehindPoint = false
        var rest = Array(text.utf8)[...]
        let isNegative = rest.first == UInt8(ascii: "-")
        if isNegative { rest = rest.dropFirst() }
        while let byte = rest.popFirst() {
            switch byte {
            case 48...57:
                if isBehindPoint { fraction += 1 }
                if byte != 48 || !digits.isEmpty { digits.append(byte - 48) }
            case UInt8(ascii: "."): isBehindPoint = true
            default:
                guard let written = Int(String(decoding: rest, as: UTF8.self)) else { return digits.isEmpty ? 0 : nil }
                exponent = max(-100_000, min(100_000, written))
                rest = []
            }
        }
        if digits.isEmpty { return 0 }
        var shift = exponent - fraction
        while digits.last == 0 {
            digits.removeLast()
            shift += 1
        }
        guard shift >= 0, digits.count + shift <= 25 else { return nil }
        var value = digits.reduce(Int128(0)) { $0 * 10 + Int128($1) }
        for _ in 0..<shift { value *= 10 }
        return isNegative ? -value : value
    }

    /// - Parameter bits: 0 for Int and UInt, which have 64.
    static func fits(_ value: Int128, isSigned: Bool, bits: Int) -> Bool {
        let bits = bits == 0 ? 64 : bits
        let end = Int128(1) << Int128(isSigned ? bits - 1 : bits)
        return value < end && value >= (isSigned ? -end : 0)
    }

    /// Whether a number is finite, and zero only where it is written so.
    static func isReal<Real: BinaryFloatingPoint>(_ text: String, _ value: Real?) -> Bool {
        guard let value, value.isFinite else { return false }
        guard value == 0 else { return true }
        return !text.utf8.prefix { $0 | 0x20 != UInt8(ascii: "e") }.contains { (49...57).contains($0) }
    }

    static func isDecimal(_ text: String) -> Bool {
        guard let value = Decimal(string: text), !value.isNaN else { return false }
        return value != 0 || isReal(text, Double(0))
    }

    /// Whether text stands for a date of a property list: an instant with any fraction, or a number of seconds.
    static func isDateOfList(_ text: [UInt8]) -> Bool {
        let point = text.firstIndex(of: UInt8(ascii: ".")) ?? text.count
        return isInstant(text[..<point] + (point < text.count ? [UInt8(ascii: "Z")] : []))
            || String(decoding: text, as: UTF8.self).hasSuffix(" seconds since 2001")
    }

    /// Whether text is `2026-11-20T05:00:00Z`, with an offset in place of the Z or not: what every version of
    /// Foundation reads. Fractions of seconds it does not.
    static func isInstant(_ text: [UInt8]) -> Bool {
        let form = Array("0000-00-00T00:00:00".utf8)
        guard text.count > form.count else { return false }
        func number(_ range: Range<Int>) -> Int { text[range].reduce(0) { $0 * 10 + Int($1) - 48 } }
        for (byte, model) in zip(text, form) {
            guard model == 48 ? (48...57).contains(byte) : byte == model else { return false }
        }
        let (year, month, day) = (number(0..<4), number(5..<7), number(8..<10))
        guard CalendarDay(year: year, month: month, day: day) != nil else { return false }
        guard number(11..<13) < 24, number(14..<16) < 60, number(17..<19) < 60 else { return false }
        let zone = text[form.count...]
        if zone.elementsEqual([UInt8(ascii: "Z")]) { return true }
        guard zone.first == UInt8(ascii: "+") || zone.first == UInt8(ascii: "-") else { return false }
        let digits = zone.dropFirst().filter { $0 != UInt8(ascii: ":") }
        let isWritten = zone.count == 5 || zone.count == 6 && text[form.count + 3] == UInt8(ascii: ":")
        guard isWritten, digits.count == 4, digits.allSatisfy({ (48...57).contains($0) }) else { return false }
        let hours = Int(digits[0] - 48) * 10 + Int(digits[1] - 48)
        return hours < 24 && digits[2] < 54
    }
}

/// Reads numbers and flags from the bytes of a cell, exactly: no spaces, no group marks, nothing before or behind.
public enum CellReading {
    /// A whole number in decimal digits with an optional sign, or nil when it is none or does not fit 64 bits.
    @inlinable
    public static func integer(_ cell: Cell) -> Int64? {
        var position = 0
        var isNegative = false
        if let first = cell.first, first == UInt8(ascii: "-") || first == UInt8(ascii: "+") {
            isNegative = first == UInt8(ascii: "-")
            position = 1
        }
        let digits = cell.count &- position
        guard digits > 0 else { return nil }
        if digits <= 18 {
            var value: Int64 = 0
            while position < cell.count {
                let digit = cell[position] &- 48
                guard digit <= 9 else { return nil }
                value = value &* 10 &+ Int64(digit)
                position &+= 1
            }
            return isNegative ? 0 &- value : value
        }
        return longInteger(cell, from: position, isNegative: isNegative)
    }

    @usableFromInline
    static func longInteger(_ cell: Cell, from start: Int, isNegative: Bool) -> Int64? {
        var value: Int64 = 0
        for byte in cell[start...] {
            let digit = byte &- 48
            guard digit <= 9 else { return nil }
            let (tens, overflowed) = value.multipliedReportingOverflow(by: 10)
            // Counted downwards, since the range has one more negative number.
            let (next, overflowedToo) = tens.subtractingReportingOverflow(Int64(digit))
            guard !overflowed, !overflowedToo else { return nil }
            value = next
        }
        if isNegative { return value }
        return value == .min ? nil : -value
    }

    /// A finite number such as `-12`, `0.5`, `1e-7`, or nil. Rounded to the nearest double, ties to even.
    public static func decimal(_ cell: Cell) -> Double? {
        var position = 0
        var isNegative = false
        if let first = cell.first, first == UInt8(ascii: "-") || first == UInt8(ascii: "+") {
            isNegative = first == UInt8(ascii: "-")
            position = 1
        }
        var mantissa: UInt64 = 0
        var digits = 0
        var decimals = 0
        var seenPoint = false
        var exponentFrom: Int?
        scan: while position < cell.count {
            let byte = cell[position]
            switch byte {
            case 48...57:
                digits += 1
                if digits <= 19 { mantissa = mantissa &* 10 &+ UInt64(byte &- 48) }
                if seenPoint { decimals += 1 }
            case UInt8(ascii: "."):
                guard !seenPoint, digits > 0 else { return nil }
                seenPoint = true
            case UInt8(ascii: "e"), UInt8(ascii: "E"):
                exponentFrom = position + 1
                break scan
            default: return nil
            }
            position &+= 1
        }
        guard digits > 0, !(seenPoint && decimals == 0) else { return nil }
        // Exact while mantissa and power of ten both are: Clinger, "How to Read Floating Point Numbers
        // Accurately" (PLDI 1990).
        if exponentFrom == nil, digits <= 19, mantissa < 1 << 53, decimals <= 22 {
            let value = Double(mantissa) / powersOfTen[decimals]
            return isNegative ? -value : value
        }
        if let exponentFrom {
            guard isExponent(cell[exponentFrom...]) else { return nil }
        }
        guard let value = Double(String(decoding: cell, as: UTF8.self)), value.isFinite else { return nil }
        return value
    }

    private static func isExponent(_ digits: Slice<Cell>) -> Bool {
        let sign = digits.first == UInt8(ascii: "-") || digits.first == UInt8(ascii: "+")
        let rest = digits.dropFirst(sign ? 1 : 0)
        return !rest.isEmpty && rest.allSatisfy { $0 >= 48 && $0 <= 57 }
    }

    private static let powersOfTen: [Double] = [
        1e0, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9, 1e10, 1e11, 1e12, 1e13, 1e14, 1e15, 1e16, 1e17, 1e18, 1e19,
        1e20, 1e21, 1e22,
    ]

    /// `true` or `false`, or nil.
    public static func flag(_ cell: Cell) -> Bool? {
        if equals(cell, "true") { return true }
        return equals(cell, "false") ? false : nil
    }

    /// A day written `2026-11-21`, or nil.
    @inlinable
    public static func day(_ cell: Cell) -> Int32? {
        guard cell.count == 10, cell[4] == UInt8(ascii: "-"), cell[7] == UInt8(ascii: "-") else { return nil }
        var wrong: UInt8 = 0
        func digit(_ position: Int) -> Int {
            let value = cell[position] &- 48
            wrong |= value > 9 ? 1 : 0
            return Int(value)
        }
        let year = digit(0) &* 1000 &+ digit(1) &* 100 &+ digit(2) &* 10 &+ digit(3)
        let month = digit(5) &* 10 &+ digit(6)
        let day = digit(8) &* 10 &+ digit(9)
        guard wrong == 0 else { return nil }
        return CalendarDay(year: year, month: month, day: day)?.number
    }

    /// Whether the cell holds exactly that text.
    @inlinable
    public static func equals(_ cell: Cell, _ text: StaticString) -> Bool {
        guard cell.count == text.utf8CodeUnitCount else { return false }
        for position in 0..<cell.count where cell[position] != text.utf8Start[position] { return false }
        return true
    }
}

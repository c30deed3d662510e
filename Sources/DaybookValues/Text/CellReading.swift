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

    /// Reads an integer from a cell in a `Bytes`, eight bytes at once: up to seven bytes behind the cell are read.
    ///
    /// Source: Daniel Lemire, "Quickly parsing eight digits" (2018).
    @inlinable
    public static func integer(buffered cell: Cell) -> Int64? {
        guard cell.count > 0, cell.count <= 8 else { return integer(cell) }
        let word = cell.word(at: 0) ^ 0x3030_3030_3030_3030
        // The digits go to the end of the word; zeros precede them.
        let digits = word &<< UInt64(truncatingIfNeeded: 64 &- 8 &* cell.count)
        guard (digits &+ 0x7676_7676_7676_7676 | digits) & 0x8080_8080_8080_8080 == 0 else { return integer(cell) }
        let pairs = digits &* 10 &+ digits &>> 8
        let low = (pairs & 0xFF_0000_00FF) &* (100 | 1_000_000 &<< 32)
        let high = (pairs &>> 16 & 0xFF_0000_00FF) &* (1 | 10_000 &<< 32)
        return Int64(truncatingIfNeeded: (low &+ high) &>> 32)
    }

    /// Whether a cell is no integer only because it is too large: digits with an optional sign, and nothing else.
    public static func isTooLargeInteger(_ cell: Cell) -> Bool {
        let isSigned = cell.first == UInt8(ascii: "-") || cell.first == UInt8(ascii: "+")
        guard cell.count > 18, cell.dropFirst(isSigned ? 1 : 0).allSatisfy({ $0 >= 48 && $0 <= 57 }) else {
            return false
        }
        return integer(cell) == nil
    }

    /// A whole number, clamped to bounds from which sums and differences cannot overflow; nil for other text. For
    /// exponents and the like, which are all the same beyond some size.
    public static func saturatedInteger(_ cell: Cell, within most: Int) -> Int? {
        if let value = integer(cell) { return Int(clamping: max(Int64(-most), min(value, Int64(most)))) }
        guard isTooLargeInteger(cell) else { return nil }
        return cell.first == UInt8(ascii: "-") ? -most : most
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

    /// A finite number such as `-12`, `0.5`, `.5`, `1e-7`, or nil. Rounded to the nearest double, ties to even.
    public static func decimal(_ cell: Cell) -> Double? { decimal(cell, point: UInt8(ascii: ".")) }

    /// Reads a decimal with another byte as its point; only that byte is then accepted.
    @inline(__always)
    public static func decimal(_ cell: Cell, point: UInt8) -> Double? {
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
            case point:
                guard !seenPoint else { return nil }
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
        let bytes = cell.map { $0 == point ? UInt8(ascii: ".") : $0 }
        guard let value = Double(String(decoding: bytes, as: UTF8.self)), value.isFinite else { return nil }
        return value
    }

    /// Reads a decimal and loses no number silently: nil also for a whole number, without point and exponent, that no
    /// double equals, and for a non-zero number that reads as 0. Other digits beyond a double's are rounded.
    @inline(__always)
    public static func keptDecimal(_ cell: Cell, point: UInt8 = UInt8(ascii: ".")) -> Double? {
        guard let value = decimal(cell, point: point) else { return nil }
        // Below 2^53 every whole number is a double, and no text of five bytes is as small as 1e-324.
        if value.magnitude < 0x1p53, value != 0 || cell.count < 6 { return value }
        return isKept(cell, by: value) ? value : nil
    }

    @inline(never)
    private static func isKept(_ cell: Cell, by value: Double) -> Bool {
        if value == 0 { return !cell.prefix { $0 | 0x20 != UInt8(ascii: "e") }.contains { (49...57).contains($0) } }
        let isSigned = cell.first == UInt8(ascii: "-") || cell.first == UInt8(ascii: "+")
        // Without the zeros before them there are at most 309, whatever the cell holds.
        let digits = Cell(rebasing: cell.dropFirst(isSigned ? 1 : 0).drop { $0 == 48 })
        return !digits.allSatisfy { (48...57).contains($0) } || isWhole(digits, value.magnitude)
    }

    /// Whether digits spell a double of at least 2^53 exactly: halved down to 53 bits, they equal its significand.
    private static func isWhole(_ digits: Cell, _ value: Double) -> Bool {
        withUnsafeTemporaryAllocation(of: UInt8.self, capacity: digits.count) { rest in
            _ = rest.initialize(from: digits)
            for _ in 52..<Int(value.exponent) {
                var carry: UInt8 = 0
                for place in rest.indices {
                    let digit = carry &* 10 &+ (rest[place] &- 48)
                    rest[place] = 48 &+ digit / 2
                    carry = digit & 1
                }
                guard carry == 0 else { return false }
            }
            return integer(Cell(rest)).map { Double($0) } == value.significand * 0x1p52
        }
    }

    /// Why a cell is no decimal.
    public enum DecimalFault: Sendable, Hashable, CaseIterable {
        /// It is no number.
        case other
        /// It is larger than every double.
        case tooLarge
        /// A whole number that no double equals.
        case inexact
        /// It is not 0, but nearer to 0 than every double.
        case tooSmall
    }

    /// Why a cell is no decimal.
    public static func fault(ofDecimal cell: Cell, point: UInt8 = UInt8(ascii: ".")) -> DecimalFault {
        if isTooLargeDecimal(cell) { return .tooLarge }
        guard let value = decimal(cell, point: point) else { return .other }
        return value == 0 ? .tooSmall : .inexact
    }

    /// Whether a cell is no decimal only because it is too large.
    public static func isTooLargeDecimal(_ cell: Cell) -> Bool {
        // Words such as `infinity` have letters that a number has not.
        let signs = "0123456789+-.eE".utf8
        guard cell.contains(where: { $0 >= 48 && $0 <= 57 }), cell.allSatisfy(signs.contains) else { return false }
        return Double(String(decoding: cell, as: UTF8.self))?.isInfinite == true
    }

    private static func isExponent(_ digits: Slice<Cell>) -> Bool {
        let sign = digits.first == UInt8(ascii: "-") || digits.first == UInt8(ascii: "+")
        let rest = digits.dropFirst(sign ? 1 : 0)
        return !rest.isEmpty && rest.allSatisfy { $0 >= 48 && $0 <= 57 }
    }

    /// The powers of ten that a double holds exactly.
    static let powersOfTen: [Double] = [
        1e0, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9, 1e10, 1e11, 1e12, 1e13, 1e14, 1e15, 1e16, 1e17, 1e18, 1e19,
        1e20, 1e21, 1e22,
    ]

    /// `true` or `false`, also as `TRUE` of a spreadsheet or `True` of Python; else nil.
    public static func flag(_ cell: Cell) -> Bool? {
        if equals(cell, "true") { return true }
        if equals(cell, "false") { return false }
        if equals(cell, "TRUE") || equals(cell, "True") { return true }
        return equals(cell, "FALSE") || equals(cell, "False") ? false : nil
    }

    /// A day written `2026-11-21`, or nil.
    public static func day(_ cell: Cell) -> Int32? {
        var date = CivilDate(year: 0, month: 0, day: 0)
        guard cell.count == 10, TenByteDay.iso.read(cell.baseAddress.unsafelyUnwrapped, into: &date),
            CivilDate.exists(year: date.year, month: date.month, day: date.day)
        else { return nil }
        return CivilDate.number(year: date.year, month: date.month, day: date.day)
    }

    /// Whether the cell holds exactly that text.
    @inlinable
    public static func equals(_ cell: Cell, _ text: StaticString) -> Bool {
        guard cell.count == text.utf8CodeUnitCount else { return false }
        for position in 0..<cell.count where cell[position] != text.utf8Start[position] { return false }
        return true
    }
}

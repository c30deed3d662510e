/// Reads the digits of numbers.
enum JSONNumber {
    @inline(__always)
    static func eightBytes(_ place: UnsafePointer<UInt8>) -> UInt64 {
        UInt64(littleEndian: UnsafeRawPointer(place).loadUnaligned(as: UInt64.self))
    }

    @inline(__always)
    static func fourBytes(_ place: UnsafePointer<UInt8>) -> UInt32 {
        UInt32(littleEndian: UnsafeRawPointer(place).loadUnaligned(as: UInt32.self))
    }

    /// The number that eight digits make, each a byte from 0 to 9, the first in the lowest byte.
    ///
    /// Source: Johnny Lee and Daniel Lemire, "Quickly parsing eight digits" (lemire.me, 2018 and 2022).
    @inline(__always)
    static func value(ofDigits digits: UInt64) -> UInt32 {
        let pairs = digits &* 10 &+ digits >> 8
        let mask: UInt64 = 0x0000_00FF_0000_00FF
        let high = (pairs & mask) &* 0x000F_4240_0000_0064
        let low = (pairs >> 16 & mask) &* 0x0000_2710_0000_0001
        return UInt32(truncatingIfNeeded: (high &+ low) >> 32)
    }

    /// A number that a double may stand for without losing a digit, and the place behind it.
    static func decimal(at place: UnsafePointer<UInt8>, _ limit: UnsafePointer<UInt8>) -> (
        Double, UnsafePointer<UInt8>
    )? {
        let isNegative = place.pointee == UInt8(ascii: "-")
        var next = isNegative ? place + 1 : place
        let first = next
        var mantissa: UInt64 = 0
        while next < limit, next.pointee &- 48 <= 9 {
            mantissa = mantissa &* 10 &+ UInt64(next.pointee &- 48)
            next += 1
        }
        let whole = next - first
        guard whole > 0, whole == 1 || first.pointee != 48 else { return nil }
        var decimals = 0
        if next < limit, next.pointee == UInt8(ascii: ".") {
            next += 1
            let point = next
            while next < limit, next.pointee &- 48 <= 9 {
                mantissa = mantissa &* 10 &+ UInt64(next.pointee &- 48)
                next += 1
            }
            decimals = next - point
            guard decimals > 0 else { return nil }
        }
        let hasExponent = next < limit && next.pointee | 0x20 == UInt8(ascii: "e")
        // Exact while mantissa and power of ten both are: Clinger, "How to Read Floating Point Numbers Accurately"
        // (PLDI 1990).
        if !hasExponent, whole + decimals <= JSONDigits.always {
            let value = Double(mantissa) / powersOfTen[decimals]
            return (isNegative ? -value : value, next)
        }
        return longDecimal(at: place, limit)
    }

    @inline(never)
    private static func longDecimal(
        at place: UnsafePointer<UInt8>,
        _ limit: UnsafePointer<UInt8>
    ) -> (Double, UnsafePointer<UInt8>)? {
        var cursor = JSONCursor(place, to: limit - place)
        guard let isWhole = cursor.number() else { return nil }
        let text = Cell(start: place, count: cursor.position)
        guard let value = CellReading.decimal(text), isWhole || JSONDigits.areKept(text, by: value) else { return nil }
        if isWhole {
            guard let exact = CellReading.integer(text), Int64(exactly: value) == exact else { return nil }
        }
        return (value, place + cursor.position)
    }

    private static let powersOfTen: [Double] = [
        1e0, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9, 1e10, 1e11, 1e12, 1e13, 1e14, 1e15, 1e16, 1e17, 1e18, 1e19,
        1e20, 1e21, 1e22,
    ]
}

/// The significant digits of a number and the power of ten of the last one, by which two spellings of it are compared.
struct JSONDigits: Equatable {
    /// In ASCII, without zeros at either end.
    private(set) var digits: [UInt8] = []
    private(set) var exponent = 0

    /// How many digits every double keeps: a decimal of no more comes back as it was (IEEE 754, binary64).
    static let always = 15

    /// Whether the shortest spelling of `value` is the number that `text` spells. `text` is a JSON number.
    static func areKept(_ text: Cell, by value: Double) -> Bool {
        let written = JSONDigits(text)
        if written.digits.count <= always, !written.digits.isEmpty, value != 0, value.isNormal { return true }
        return written == JSONDigits(of: value)
    }

    /// Of the shortest spelling of a number.
    init(of value: Double) {
        var text = value.description
        self = text.withUTF8 { JSONDigits($0) }
    }

    /// The number behind an `e`. Beyond a million million digits a number is 0 or infinite, whatever its exponent, and no text
    /// has so many digits that the two together overflow.
    static func exponent(_ digits: Cell) -> Int {
        CellReading.saturatedInteger(digits, within: 1_000_000_000_000) ?? 0
    }

    private init(_ text: Cell) {
        var position = 0
        var isBehindPoint = false
        while position < text.count {
            let byte = text[position]
            position += 1
            switch byte {
            case 48...57:
                if isBehindPoint { exponent -= 1 }
                if byte != 48 || !digits.isEmpty { digits.append(byte) }
            case UInt8(ascii: "."): isBehindPoint = true
            case UInt8(ascii: "e"), UInt8(ascii: "E"):
                exponent += JSONDigits.exponent(Cell(rebasing: text[position...]))
                position = text.count
            default: break
            }
        }
        while digits.last == 48 {
            digits.removeLast()
            exponent += 1
        }
        if digits.isEmpty { exponent = 0 }
    }
}

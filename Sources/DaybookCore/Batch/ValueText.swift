extension Column {
    /// Appends the value of a row as text: days as `2026-11-21`, instants as RFC 3339, flags as `true` or `false`.
    ///
    /// The row must have a value. Text is appended as it stands, without quotes.
    public func appendValue(_ row: Int, to bytes: Bytes) {
        switch self {
        case .text(let column), .json(let column): column.withCell(row) { bytes.append($0) }
        case .integers(let values):
            bytes.count += NumberText.write(values.elements[row], to: bytes.reserve(NumberText.maximumLength))
        case .decimals(let values): bytes.append(decimal: values.elements[row])
        case .flags(let values): bytes.append(values.elements[row] ? "true" as StaticString : "false")
        case .days(let values):
            bytes.count += ISOText.write(day: values.elements[row], to: bytes.reserve(ISOText.maximumLength))
        case .instants(let values):
            bytes.count += ISOText.write(instant: values.elements[row], to: bytes.reserve(ISOText.maximumLength))
        }
    }
}

/// Writes whole numbers as decimal digits.
public enum NumberText {
    /// The most bytes a 64-bit number takes, with its sign.
    public static let maximumLength = 20

    /// Writes `value` and gives how many bytes it took. All of `maximumLength` may be written to.
    @inlinable
    public static func write(_ value: Int64, to start: UnsafeMutablePointer<UInt8>) -> Int {
        // The sign is written over where there is none.
        start.pointee = UInt8(ascii: "-")
        let sign = value < 0 ? 1 : 0
        let magnitude = value.magnitude
        guard magnitude < 100_000_000 else { return sign &+ writeLong(magnitude, to: start + sign) }
        let digits = eightDigits(magnitude)
        // The first digit lies lowest; a zero in front of the last one is left away.
        let zeros = min(digits.trailingZeroBitCount & ~7, 56)
        store(digits | 0x3030_3030_3030_3030, from: zeros, to: start + sign)
        return sign &+ 8 &- zeros / 8
    }

    @usableFromInline
    static func writeLong(_ magnitude: UInt64, to start: UnsafeMutablePointer<UInt8>) -> Int {
        let (high, low) = magnitude.quotientAndRemainder(dividingBy: 100_000_000)
        let length = high < 100_000_000 ? write(Int64(high), to: start) : writeLong(high, to: start)
        store(eightDigits(low) | 0x3030_3030_3030_3030, from: 0, to: start + length)
        return length + 8
    }

    @inlinable
    static func store(_ digits: UInt64, from bit: Int, to start: UnsafeMutablePointer<UInt8>) {
        UnsafeMutableRawPointer(start).storeBytes(of: (digits &>> UInt64(bit)).littleEndian, as: UInt64.self)
    }

    /// The eight decimal digits of a number below 10⁸, one a byte, the first one lowest.
    ///
    /// All pairs are split at once, by multiplications that are exact in their range: Paul Khuong, "How to print integers
    /// really fast" (2017).
    @inlinable
    static func eightDigits(_ value: UInt64) -> UInt64 {
        let high = value / 10_000
        let halves = high | (value &- high &* 10_000) &<< 32
        let hundreds = (halves &* 10_486) &>> 20 & 0x0000_007F_0000_007F
        let pairs = hundreds | (halves &- hundreds &* 100) &<< 16
        let tens = (pairs &* 103) &>> 10 & 0x000F_000F_000F_000F
        return tens | (pairs &- tens &* 10) &<< 8
    }
}

extension NumberText {
    /// Writes the shortest digits that read back as the same number, in at most 32 bytes; a whole one without a point.
    public static func write(_ value: Double, to start: UnsafeMutablePointer<UInt8>) -> Int {
        if value.magnitude < 1e15, let whole = Int64(exactly: value), whole != 0 || value.sign == .plus {
            return write(whole, to: start)
        }
        var text = value.description
        return text.withUTF8 { digits in
            for (place, digit) in digits.enumerated() { start[place] = digit }
            return digits.count
        }
    }
}

extension Bytes {
    @inlinable
    public func append(integer value: Int64) {
        count &+= NumberText.write(value, to: reserve(NumberText.maximumLength))
    }

    /// Appends the shortest digits that read back as the same number.
    public func append(decimal value: Double) { count += NumberText.write(value, to: reserve(32)) }
}

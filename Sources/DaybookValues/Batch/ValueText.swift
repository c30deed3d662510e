extension Column {
    /// Appends the value of a row as text: days as `2026-11-21`, instants as RFC 3339, flags as `true` or `false`.
    ///
    /// The row must have a value. Text is appended unchanged, without quotes.
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

    /// Writes `value` and returns its length. All of `maximumLength` may be written to.
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

    /// The eight decimal digits of a number below 10⁸, one per byte, the first one lowest.
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

/// Writes the whole numbers of a column one after another: small ones from a table. A number close to the one before,
/// as in ids and lines, reuses its upper digits.
public struct IntegerWriter {
    @usableFromInline let small = WrittenIntegers.shared
    @usableFromInline let digits = FourDigits.shared
    /// The number that was written last with all of its digits.
    @usableFromInline var last: Int64 = .min
    /// The first of the ten thousand numbers that share the cached upper digits; no cache at first.
    @usableFromInline var first: Int64 = 0
    @usableFromInline var reach: UInt64 = 0
    @usableFromInline var upper: UInt64 = 0
    @usableFromInline var upperLength = 0

    public init() {}

    /// Writes a number at `bytes` and returns its length; up to `NumberText.maximumLength` bytes may be written to.
    @inlinable
    public mutating func write(_ value: Int64, to bytes: UnsafeMutablePointer<UInt8>) -> Int {
        if let length = small.writeKnown(value, to: bytes) { return length }
        let place = value &- first
        if UInt64(bitPattern: place) < reach {
            let bytes = UnsafeMutableRawPointer(bytes)
            bytes.storeBytes(of: upper, as: UInt64.self)
            bytes.storeBytes(of: digits.texts[Int(place)], toByteOffset: upperLength, as: UInt32.self)
            return upperLength &+ 4
        }
        return writeFar(value, to: bytes)
    }

    @usableFromInline
    mutating func writeFar(_ value: Int64, to bytes: UnsafeMutablePointer<UInt8>) -> Int {
        let length = NumberText.write(value, to: bytes)
        // Numbers in no order are not worth the division.
        let isNear = (value &- last).magnitude < 10_000
        last = value
        guard isNear, length > 4, length <= 12, value > 0 else { return length }
        first = value / 10_000 * 10_000
        reach = 10_000
        upperLength = length - 4
        upper = UnsafeRawPointer(bytes).loadUnaligned(as: UInt64.self)
        return length
    }
}

/// The numbers below ten thousand with all four digits.
@usableFromInline
struct FourDigits: @unchecked Sendable {
    static let shared = FourDigits()

    /// Never written after `init`.
    @usableFromInline let texts: UnsafePointer<UInt32>

    private init() {
        let texts = UnsafeMutablePointer<UInt32>.allocate(capacity: 10_000)
        for number in 0..<10_000 as Range<UInt32> {
            // The first digit lies lowest in memory.
            let (upper, lower) = (number / 100, number % 100)
            let digits = upper / 10 | (upper % 10) << 8 | (lower / 10) << 16 | (lower % 10) << 24
            texts[Int(number)] = (digits | 0x3030_3030).littleEndian
        }
        self.texts = UnsafePointer(texts)
    }
}

/// The texts of the whole numbers around 0, for loops that write millions of mostly small numbers.
@usableFromInline
struct WrittenIntegers: @unchecked Sendable {
    static let shared = WrittenIntegers()

    /// For each number from −4,096 to 4,095 its text, with its length in the last byte. Never written after `init`.
    @usableFromInline let texts: UnsafeMutablePointer<SIMD8<UInt8>>
    @usableFromInline static let reach: Int64 = 4_096

    private init() {
        let count = Int(2 * WrittenIntegers.reach)
        // Bytes written past a number are overwritten by its length, and then by the next number.
        let bytes = UnsafeMutablePointer<UInt8>.allocate(capacity: count * 8 + NumberText.maximumLength)
        for place in 0..<count {
            let length = NumberText.write(Int64(place) - WrittenIntegers.reach, to: bytes + place * 8)
            bytes[place * 8 + 7] = UInt8(length)
        }
        texts = UnsafeMutableRawPointer(bytes).assumingMemoryBound(to: SIMD8<UInt8>.self)
    }

    /// Writes a number of the table at `bytes` and returns its length; nil for others. Up to eight bytes are written.
    @inlinable
    func writeKnown(_ value: Int64, to bytes: UnsafeMutablePointer<UInt8>) -> Int? {
        let place = UInt64(bitPattern: value &+ WrittenIntegers.reach)
        guard place < UInt64(2 * WrittenIntegers.reach) else { return nil }
        let text = texts[Int(place)]
        UnsafeMutableRawPointer(bytes).storeBytes(of: text, as: SIMD8<UInt8>.self)
        return Int(text[7])
    }
}

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

    /// Writes `value` and gives how many bytes it took.
    @inlinable
    public static func write(_ value: Int64, to start: UnsafeMutablePointer<UInt8>) -> Int {
        var magnitude = value.magnitude
        if magnitude < 10, value >= 0 {
            start.pointee = UInt8(truncatingIfNeeded: magnitude) &+ 48
            return 1
        }
        if value < 0 { start.pointee = UInt8(ascii: "-") }
        let length = digits(magnitude) &+ (value < 0 ? 1 : 0)
        // Two digits at a time, so that there are half as many divisions.
        var end = start + length
        while magnitude >= 100 {
            let pair = Int(truncatingIfNeeded: magnitude % 100) &* 2
            magnitude /= 100
            end -= 2
            end[0] = pairs.utf8Start[pair]
            end[1] = pairs.utf8Start[pair &+ 1]
        }
        if magnitude >= 10 {
            end[-2] = UInt8(truncatingIfNeeded: magnitude / 10) &+ 48
            end[-1] = UInt8(truncatingIfNeeded: magnitude % 10) &+ 48
        } else {
            end[-1] = UInt8(truncatingIfNeeded: magnitude) &+ 48
        }
        return length
    }

    /// How many decimal digits a number has.
    @inlinable
    static func digits(_ number: UInt64) -> Int {
        var rest = number
        var count = 1
        while rest >= 10000 {
            rest /= 10000
            count &+= 4
        }
        return rest < 100 ? (rest < 10 ? count : count &+ 1) : (rest < 1000 ? count &+ 2 : count &+ 3)
    }

    /// The numbers from 0 to 99 in two digits each.
    @inlinable
    static var pairs: StaticString {
        """
        00010203040506070809101112131415161718192021222324252627282930313233343536373839404142434445464748495051525354\
        555657585960616263646566676869707172737475767778798081828384858687888990919293949596979899
        """
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

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
        var length = value < 0 ? 1 : 0
        if value < 0 { start.pointee = UInt8(ascii: "-") }
        var bound = magnitude
        repeat {
            length &+= 1
            bound /= 10
        } while bound > 0
        var position = length
        repeat {
            position &-= 1
            start[position] = UInt8(truncatingIfNeeded: magnitude % 10) &+ 48
            magnitude /= 10
        } while magnitude > 0
        return length
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

/// A whole number of 128 bits times a power of two, which holds what most sums of decimals come to.
struct ScaledNumber: BitwiseCopyable, Sendable {
    var mantissa: Int128
    var exponent: Int32

    /// Of sums: with 127 bits above it a number is still less than 2¹⁰²³.
    private static let largestExponent: Int32 = 890

    @inline(__always)
    init(_ mantissa: Int128, _ exponent: Int32) {
        (self.mantissa, self.exponent) = (mantissa, exponent)
    }

    /// A finite number other than 0, with an odd mantissa.
    @inline(__always)
    init(_ value: Double) {
        let bits = value.bitPattern
        let field = Int32(truncatingIfNeeded: bits >> 52 & 0x7FF)
        var magnitude = Int64(bitPattern: bits & 0xF_FFFF_FFFF_FFFF)
        if field > 0 { magnitude |= 1 << 52 }
        let zeros = magnitude.trailingZeroBitCount
        magnitude >>= Int64(zeros)
        // A subnormal has the exponent of the smallest normal number.
        exponent = max(field, 1) &- 1075 &+ Int32(truncatingIfNeeded: zeros)
        mantissa = Int128(value.sign == .minus ? 0 &- magnitude : magnitude)
    }

    /// The sum, or nil when it has no room.
    @inline(__always)
    func adding(_ other: ScaledNumber) -> ScaledNumber? {
        let common = min(exponent, other.exponent)
        guard let first = Self.shifted(mantissa, by: exponent &- common),
            let second = Self.shifted(other.mantissa, by: other.exponent &- common)
        else { return nil }
        let (sum, overflowed) = first.addingReportingOverflow(second)
        // A sum beyond the doubles could not be taken apart into such.
        return overflowed || common > Self.largestExponent ? nil : ScaledNumber(sum, common)
    }

    /// The number with that many zeros behind it, or nil when it has no room for them.
    @inline(__always)
    private static func shifted(_ value: Int128, by count: Int32) -> Int128? {
        let room = Int32(truncatingIfNeeded: value.magnitude.leadingZeroBitCount) &- 2
        return count <= room || count == 0 ? value << Int128(count) : nil
    }

    /// The nearest double, ties to even, or nil where that is so small or large that it takes an `ExactSum` to tell.
    @inline(__always)
    var rounded: Double? {
        var magnitude = mantissa.magnitude
        var exponent = exponent
        let length = 128 &- Int32(truncatingIfNeeded: magnitude.leadingZeroBitCount)
        if length > 64 {
            // 64 bits are eleven more than a double holds; whether anything lies below shows in the last of them.
            let cut = UInt128(truncatingIfNeeded: length &- 64)
            let lost = magnitude & ((1 << cut) &- 1)
            magnitude = magnitude >> cut | (lost == 0 ? 0 : 1)
            exponent &+= length &- 64
        }
        if magnitude == 0 { return 0 }
        // Neither below the smallest normal number nor near the largest.
        guard (-1000...900).contains(exponent) else { return nil }
        let scale = Double(bitPattern: UInt64(truncatingIfNeeded: exponent &+ 1023) << 52)
        let value = Double(UInt64(truncatingIfNeeded: magnitude)) * scale
        return mantissa < 0 ? -value : value
    }
}

extension ExactSum {
    /// Adds a number in parts that a double holds exactly.
    mutating func add(_ number: ScaledNumber) {
        var rest = number.mantissa.magnitude
        var exponent = Int(number.exponent)
        while rest > 0 {
            let part = Double(UInt64(truncatingIfNeeded: rest) & 0xFFFF_FFFF)
            if part > 0 {
                add(Double(sign: number.mantissa < 0 ? .minus : .plus, exponent: exponent, significand: part))
            }
            rest >>= 32
            exponent += 32
        }
    }
}

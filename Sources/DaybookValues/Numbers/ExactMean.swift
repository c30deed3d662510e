/// Means of sums that 128 bits hold, rounded once: to the nearest double, ties to even.
public enum ExactMean {
    /// The exponents of sums whose means are normal numbers.
    public static let exponents: ClosedRange<Int32> = -800...800

    /// The mean of whole numbers.
    ///
    /// - Parameter count: at least 1.
    @inlinable
    public static func of(_ sum: Int128, count: Int64) -> Double {
        // Up to here both are decimals without rounding, and so their quotient is the only thing to be rounded.
        if sum.magnitude <= 1 << 53, count <= 1 << 53 {
            return Double(Int64(truncatingIfNeeded: sum)) / Double(count)
        }
        return quotient(sum, 0, count)
    }

    /// The mean of numbers whose sum is a whole number times a power of two; nil where that is beyond `exponents`.
    ///
    /// - Parameter count: at least 1.
    @inlinable
    public static func of(_ sum: Int128, doubled exponent: Int32, count: Int64) -> Double? {
        guard exponents.contains(exponent) else { return nil }
        if sum.magnitude <= 1 << 53, count <= 1 << 53 {
            return Double(Int64(truncatingIfNeeded: sum)) / Double(count) * power(exponent)
        }
        return quotient(sum, exponent, count)
    }

    /// The quotient by one division: whether anything is left behind it shows in its last bit, which is enough to round.
    @inlinable
    static func quotient(_ sum: Int128, _ exponent: Int32, _ count: Int64) -> Double {
        var magnitude = sum.magnitude
        var exponent = exponent
        // The sum begins at the second bit and the count at the first, so the quotient has 63 or 64 bits.
        let zeros = Int32(truncatingIfNeeded: magnitude.leadingZeroBitCount)
        if zeros > 0 { magnitude <<= UInt128(zeros &- 1) } else { magnitude = magnitude >> 1 | magnitude & 1 }
        let space = Int32(truncatingIfNeeded: count.leadingZeroBitCount)
        let divisor = UInt64(bitPattern: count) << UInt64(space)
        let high = UInt64(truncatingIfNeeded: magnitude >> 64)
        let (quotient, rest) = divisor.dividingFullWidth((high, UInt64(truncatingIfNeeded: magnitude)))
        exponent &+= space &- zeros &+ 1
        let mean = Double(quotient | (rest == 0 ? 0 : 1)) * power(exponent)
        return sum < 0 ? -mean : mean
    }

    /// 2 to a power of a normal number.
    @inlinable
    static func power(_ exponent: Int32) -> Double {
        Double(bitPattern: UInt64(truncatingIfNeeded: exponent &+ 1023) << 52)
    }
}

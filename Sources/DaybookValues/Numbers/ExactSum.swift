/// Sums doubles without any rounding until the end, so that neither order nor grouping changes the result.
///
/// So a sum of decimals is the same for any number of threads and any size of morsels. The sum is a fixed-point number
/// wide enough for every double, in 67 digits to the base 2³² with room for carries.
///
/// Source: Radford M. Neal, "Fast Exact Summation Using Small and Large Superaccumulators" (arXiv:1505.05571).
public struct ExactSum: Sendable, Hashable {
    private var digits: [Int64]
    /// Additions since the carries were last taken; a digit overflows after 2³⁰ of them at the earliest.
    private var additions: Int32 = 0
    private static let digitCount = 67
    private static let carryEvery: Int32 = 1 << 29

    public init() { digits = [Int64](repeating: 0, count: ExactSum.digitCount) }

    /// Adds a finite number.
    public mutating func add(_ value: Double) {
        let bits = value.bitPattern
        let exponent = Int(bits >> 52 & 0x7FF)
        var mantissa = Int64(bits & 0xF_FFFF_FFFF_FFFF)
        if exponent > 0 { mantissa |= 1 << 52 }
        // A subnormal has the exponent of the smallest normal number.
        let shift = max(exponent, 1)
        let digit = shift >> 5
        let low = UInt64(mantissa) << UInt64(shift & 31)
        let carried = shift & 31 > 11 ? UInt64(mantissa) >> UInt64(64 - (shift & 31)) : 0
        let sign: Int64 = value.sign == .minus ? -1 : 1
        digits[digit] += sign * Int64(low & 0xFFFF_FFFF)
        digits[digit + 1] += sign * Int64(low >> 32)
        digits[digit + 2] += sign * Int64(carried)
        additions += 1
        if additions == ExactSum.carryEvery { carry() }
    }

    public mutating func add(_ other: ExactSum) { add(other, times: 1) }

    /// Removes an earlier sum; the result is as if it had never been added.
    public mutating func subtract(_ other: ExactSum) { add(other, times: -1) }

    private mutating func add(_ other: ExactSum, times factor: Int64) {
        if other.additions == 0 { return }
        var other = other
        carry()
        other.carry()
        for index in digits.indices { digits[index] += factor * other.digits[index] }
        additions = 2
    }

    /// Makes every digit but the last one non-negative and less than 2³².
    private mutating func carry() {
        for index in 0..<digits.count - 1 {
            digits[index + 1] += digits[index] >> 32
            digits[index] &= 0xFFFF_FFFF
        }
        additions = 1
    }

    /// The sum, rounded once to the nearest double, ties to even; infinite when it is too large.
    public var value: Double { quotient(1) }

    /// The sum divided by a count of numbers and rounded once; it is finite even where the sum is not.
    public func mean(of count: Int) -> Double { quotient(UInt64(count)) }

    private func quotient(_ divisor: UInt64) -> Double {
        var sum = self
        sum.carry()
        let isNegative = sum.digits[sum.digits.count - 1] < 0
        if isNegative {
            for index in sum.digits.indices { sum.digits[index] = -sum.digits[index] }
            sum.carry()
        }
        let hasRest = divisor > 1 && sum.divide(by: divisor)
        guard let top = sum.digits.lastIndex(where: { $0 != 0 }) else { return 0 }
        // Three digits hold 65 bits or more; the last bit shows whether lower digits are set, which is enough to round.
        var leading: UInt128 = 0
        for index in (max(0, top - 2)...top).reversed() { leading = leading << 32 | UInt128(sum.digits[index]) }
        if top < 2 { leading <<= UInt128(32 * (2 - top)) }
        if hasRest || (top > 2 && sum.digits[..<(top - 2)].contains(where: { $0 != 0 })) { leading |= 1 }
        // Digit 0 counts units of 2^-1075: an exponent field of e stands for 2^(e - 1075).
        let exponent = 32 * (top - 2) - 1075
        let rounded =
            128 - leading.leadingZeroBitCount + exponent > -1022
            ? Double(sign: .plus, exponent: exponent, significand: Double(leading))
            : ExactSum.subnormal(leading, cut: -1074 - exponent)
        return isNegative ? 0 - rounded : rounded
    }

    /// A number below the normal ones, whose bits are those of its count of units of 2^-1074, rounded.
    private static func subnormal(_ number: UInt128, cut: Int) -> Double {
        let (count, rest, half) = (number >> cut, number & (1 << cut - 1), UInt128(1) << (cut - 1))
        let isRoundedUp = rest > half || (rest == half && count & 1 == 1)
        return Double(bitPattern: UInt64(count) + (isRoundedUp ? 1 : 0))
    }

    /// Divides a sum without carries that is not negative; true if something of it is left.
    private mutating func divide(by divisor: UInt64) -> Bool {
        var rest: UInt64 = 0
        for index in digits.indices.reversed() where rest > 0 || digits[index] > 0 {
            let part = UInt128(rest) << 32 | UInt128(digits[index])
            let (quotient, remainder) = part.quotientAndRemainder(dividingBy: UInt128(divisor))
            digits[index] = Int64(quotient)
            rest = UInt64(remainder)
        }
        return rest > 0
    }
}

extension ExactSum: BinaryForm {
    public func write(to bytes: Bytes) {
        var sum = self
        sum.carry()
        bytes.append(array: sum.digits)
    }

    public init(reading reader: inout ByteReader) throws(DaybookError) {
        digits = try reader.array()
        guard digits.count == ExactSum.digitCount else {
            throw DaybookError.machine("damaged-partial", "a stored sum has \(digits.count) digits")
        }
        additions = 1
    }
}

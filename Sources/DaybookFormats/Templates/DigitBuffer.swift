/// The decimal digits of one number at a time, rounded exactly.
///
/// A double is a whole number times a power of two, so it has an exact decimal form, and that is what is rounded: to the
/// nearest, and ties to even, as C's `printf` does. 2.675 is a little less than it looks, and so 2.67; 0.125 is a tie, and
/// so 0.12. Nothing in between is rounded, also not for percent.
struct DigitBuffer: ~Copyable {
    /// 309 digits before the point, up to 22 behind it, and the point.
    private static let size = 352

    private let room: UnsafeMutablePointer<UInt8>
    /// What was put stands from here to the end of the room.
    private var start = DigitBuffer.size
    /// How many of the characters, from the first, are digits before a point.
    private(set) var wholeDigits = 0
    /// Whether every digit is 0.
    private(set) var isZero = true

    init() { room = .allocate(capacity: DigitBuffer.size) }

    deinit { room.deallocate() }

    var characters: Cell { Cell(start: room + start, count: DigitBuffer.size - start) }

    /// Puts a whole number times ten to the power of `shift`, its last `decimals` digits behind a point.
    mutating func put(_ magnitude: UInt64, shift: Int, decimals: Int) {
        begin(zeros: shift)
        prepend(magnitude)
        close(decimals)
    }

    /// Puts a finite number of no sign times ten to the power of `shift`, rounded to a whole one, its last `decimals`
    /// digits behind a point. `shift` is at most 22.
    mutating func put(_ value: Double, shift: Int, decimals: Int) {
        let bits = value.bitPattern
        let exponent = Int(bits >> 52 & 0x7FF)
        let mantissa = bits & 0xF_FFFF_FFFF_FFFF | (exponent > 0 ? 1 << 52 : 0)
        // A subnormal has the exponent of the smallest normal number.
        let power = max(exponent, 1) - 1_075
        if power < 0 {
            begin(zeros: 0)
            prepend(Self.rounded(mantissa, shift, halvings: -power))
        } else {
            begin(zeros: shift)
            if power <= 75 { prepend(UInt128(mantissa) << UInt128(power)) } else { prepend(mantissa, doubled: power) }
        }
        close(decimals)
    }

    /// Puts the shortest digits that read back as the same number, or its name when it is none.
    mutating func put(shortest value: Double) {
        start = 0
        let count = NumberText.write(value.magnitude, to: room)
        start = DigitBuffer.size - count
        // From the end, since the two stretches may overlap.
        for place in stride(from: count - 1, through: 0, by: -1) { room[start + place] = room[place] }
        wholeDigits = 0
        while wholeDigits < count, room[start + wholeDigits] &- 48 <= 9 { wholeDigits += 1 }
        isZero = value == 0
    }

    /// mantissa × 10^shift ÷ 2^halvings, to the nearest whole number, ties to even.
    private static func rounded(_ mantissa: UInt64, _ shift: Int, halvings: Int) -> UInt128 {
        // 53 bits times 10²² are less than 2¹²⁷, half of what the smallest divisor left out here would need.
        let scaled = UInt128(mantissa) * powersOfTen[shift]
        guard halvings < 128 else { return 0 }
        let quotient = scaled >> UInt128(halvings)
        let rest = scaled & (1 << UInt128(halvings) - 1)
        let half: UInt128 = 1 << UInt128(halvings - 1)
        return rest > half || (rest == half && quotient & 1 == 1) ? quotient + 1 : quotient
    }

    private static let powersOfTen: [UInt128] = (0...22).map { exponent in
        (0..<exponent).reduce(into: UInt128(1)) { power, _ in power *= 10 }
    }

    private mutating func begin(zeros: Int) {
        start = DigitBuffer.size
        isZero = true
        for _ in 0..<zeros { prepend(digit: 0) }
    }

    @inline(__always)
    private mutating func prepend(digit: UInt64) {
        start &-= 1
        room[start] = 48 &+ UInt8(truncatingIfNeeded: digit)
    }

    private mutating func prepend(_ value: UInt64) {
        var rest = value
        if rest > 0 { isZero = false }
        while rest > 0 {
            prepend(digit: rest % 10)
            rest /= 10
        }
    }

    private mutating func prepend(_ value: UInt128) {
        var rest = value
        while rest > UInt128(UInt64.max) {
            let (quotient, lowest) = rest.quotientAndRemainder(dividingBy: 10_000_000_000_000_000_000)
            prepend(UInt64(lowest), digits: 19)
            rest = quotient
        }
        prepend(UInt64(rest))
    }

    private mutating func prepend(_ value: UInt64, digits: Int) {
        let end = start - digits
        prepend(value)
        while start > end { prepend(digit: 0) }
    }

    /// For numbers of more than 128 bits, which nobody measures: limbs to the base 10⁹, the lowest first.
    private mutating func prepend(_ mantissa: UInt64, doubled power: Int) {
        let base: UInt64 = 1_000_000_000
        var limbs = [mantissa % base, mantissa / base]
        var left = power
        while left > 0 {
            let step = min(left, 32)
            var carry: UInt64 = 0
            for index in limbs.indices {
                let value = limbs[index] << UInt64(step) + carry
                limbs[index] = value % base
                carry = value / base
            }
            while carry > 0 {
                limbs.append(carry % base)
                carry /= base
            }
            left -= step
        }
        for limb in limbs.dropLast() { prepend(limb, digits: 9) }
        prepend(limbs[limbs.count - 1])
    }

    /// Makes sure of a digit before the point, and sets the point.
    private mutating func close(_ decimals: Int) {
        while DigitBuffer.size - start <= decimals { prepend(digit: 0) }
        wholeDigits = DigitBuffer.size - start - decimals
        guard decimals > 0 else { return }
        start -= 1
        for place in start..<start + wholeDigits { room[place] = room[place + 1] }
        room[start + wholeDigits] = UInt8(ascii: ".")
    }
}

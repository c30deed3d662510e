/// Exact sums of decimals, one for each group, so that neither the order nor the number of threads changes the result.
///
/// A sum is a whole number of 128 bits times a power of two, which holds most columns' sums in 20 bytes. A sum of
/// numbers too far apart becomes an `ExactSum`, which holds any.
package struct DecimalSums: GroupValues {
    package static let code = GroupValuesCode.decimal

    private var mantissas: [Int128] = []
    private var exponents: [Int32] = []
    private var counts: [Int64] = []
    private var wide: [Int32: ExactSum] = [:]

    /// The exponent that marks a sum in `wide`.
    private static let isWide = Int32.min
    /// The exponent that marks a sum of zeros only.
    private static let isZero = Int32.max

    package init() {}

    package mutating func grow(to groups: Int) {
        mantissas.extend(to: groups, with: 0)
        exponents.extend(to: groups, with: Self.isZero)
        counts.extend(to: groups, with: 0)
    }

    /// The numbers of the column are finite.
    package mutating func add(_ column: ColumnName?, of batch: Batch, _ groups: [Int32]) {
        guard let column else { preconditionFailure("a sum is that of a column") }
        batch.decimals(in: column).forEachValue(groups) { _, group, value in
            counts[group] &+= 1
            if value == 0 { return }
            add(ScaledNumber(value), to: group)
        }
    }

    @inline(__always)
    private mutating func add(_ number: ScaledNumber, to group: Int) {
        let mine = exponents[group]
        if mine == Self.isZero {
            mantissas[group] = number.mantissa
            exponents[group] = number.exponent
            return
        }
        if mine != Self.isWide, let sum = ScaledNumber(mantissas[group], mine).adding(number) {
            mantissas[group] = sum.mantissa
            exponents[group] = sum.exponent
            return
        }
        addWide(number, to: group)
    }

    private mutating func addWide(_ number: ScaledNumber, to group: Int) {
        let key = Int32(truncatingIfNeeded: group)
        if exponents[group] != Self.isWide {
            wide[key] = ExactSum()
            wide[key]?.add(ScaledNumber(mantissas[group], exponents[group]))
            exponents[group] = Self.isWide
            mantissas[group] = 0
        }
        wide[key]?.add(number)
    }

    package func write(_ groups: Range<Int>, to bytes: Bytes) {
        bytes.append(packed: mantissas[groups])
        bytes.append(packed: exponents[groups])
        bytes.append(packed: counts[groups])
        for group in groups where exponents[group] == Self.isWide {
            wide[Int32(truncatingIfNeeded: group)]?.write(to: bytes)
        }
    }

    package mutating func merge(_ reader: inout ByteReader, _ places: [Int32]) throws(DaybookError) {
        let later = (mantissas: try reader.wide(places.count), exponents: try reader.packed(places.count) as [Int32])
        try reader.forEachPacked(places.count) { (group, count: Int64) in counts[Int(places[group])] &+= count }
        for (group, place) in places.enumerated() {
            switch later.exponents[group] {
            case Self.isZero: continue
            case Self.isWide:
                let sum = try ExactSum(reading: &reader)
                // Makes the sum wide.
                addWide(ScaledNumber(0, 0), to: Int(place))
                wide[place]?.add(sum)
            default: add(ScaledNumber(later.mantissas[group], later.exponents[group]), to: Int(place))
            }
        }
    }

    package func fill(_ column: ResultColumn, _ result: GroupResult) {
        let isMean = if case .mean = result { true } else { false }
        for group in counts.indices where counts[group] > 0 {
            // Rounded once; a sum is infinite when it is too large, and no double is too small for a mean.
            let figure = isMean ? mean(group) : exact(group).value
            if !figure.isFinite { column.reject(group) }
            column.set(group, figure.sortable)
        }
    }

    private func mean(_ group: Int) -> Double {
        let (sum, exponent, count) = (mantissas[group], exponents[group], counts[group])
        if exponent == Self.isZero { return 0 }
        return ExactMean.of(sum, doubled: exponent, count: count) ?? exact(group).mean(of: Int(count))
    }

    private func exact(_ group: Int) -> ExactSum {
        if exponents[group] == Self.isWide, let sum = wide[Int32(truncatingIfNeeded: group)] { return sum }
        var sum = ExactSum()
        if exponents[group] != Self.isZero { sum.add(ScaledNumber(mantissas[group], exponents[group])) }
        return sum
    }
}

/// Sums of whole numbers, one for each group. 128 bits hold the sum of as many numbers as a machine can count.
package struct WholeSums: GroupValues {
    package static let code = GroupValuesCode.whole

    private var sums: [Int128] = []
    /// How many numbers went into each.
    private var counts: [Int64] = []

    package init() {}

    package mutating func grow(to groups: Int) {
        sums.extend(to: groups, with: 0)
        counts.extend(to: groups, with: 0)
    }

    package mutating func add(_ column: ColumnName?, of batch: Batch, _ groups: [Int32]) {
        guard let column else { preconditionFailure("a sum is that of a column") }
        let values = batch.integers(in: column)
        sums.withUnsafeMutableBufferPointer { sums in
            counts.withUnsafeMutableBufferPointer { counts in
                values.forEachValue(groups) { _, group, value in
                    sums[group] &+= Int128(value)
                    counts[group] &+= 1
                }
            }
        }
    }

    package func write(_ groups: Range<Int>, to bytes: Bytes) {
        bytes.append(packed: counts[groups])
        bytes.append(packed: sums[groups])
    }

    package mutating func merge(_ reader: inout ByteReader, _ places: [Int32]) throws(DaybookError) {
        try reader.forEachPacked(places.count) { (group, count: Int64) in counts[Int(places[group])] &+= count }
        try reader.forEachWide(places.count) { group, sum in sums[Int(places[group])] &+= sum }
    }

    package func fill(_ column: ResultColumn, _ result: GroupResult) {
        if case .mean = result {
            return column.fill { counts[$0] > 0 ? ExactMean.of(sums[$0], count: counts[$0]).sortable : nil }
        }
        column.fill { group in
            guard counts[group] > 0 else { return nil }
            if let sum = Int64(exactly: sums[group]) { return sum }
            column.reject(group, "the sum of the group is \(sums[group]), more than a whole number of 64 bits can hold")
            return nil
        }
    }
}

/// A whole number of 128 bits times a power of two, which holds most sums of decimals.
struct ScaledNumber: BitwiseCopyable, Sendable {
    var mantissa: Int128
    var exponent: Int32

    /// Of sums: with 127 bits above it a number is still less than 2¹⁰²³.
    private static let largestExponent: Int32 = 890

    @inline(__always)
    init(_ mantissa: Int128, _ exponent: Int32) { (self.mantissa, self.exponent) = (mantissa, exponent) }

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

    /// The sum, or nil if it overflows.
    @inline(__always)
    func adding(_ other: ScaledNumber) -> ScaledNumber? {
        let common = min(exponent, other.exponent)
        guard let first = Self.shifted(mantissa, by: exponent &- common),
            let second = Self.shifted(other.mantissa, by: other.exponent &- common)
        else { return nil }
        let (sum, overflowed) = first.addingReportingOverflow(second)
        // A sum beyond the range of doubles could not be split into doubles.
        return overflowed || common > Self.largestExponent ? nil : ScaledNumber(sum, common)
    }

    /// The number with that many zeros behind it, or nil if it overflows.
    @inline(__always)
    private static func shifted(_ value: Int128, by count: Int32) -> Int128? {
        let space = Int32(truncatingIfNeeded: value.magnitude.leadingZeroBitCount) &- 2
        return count <= space || count == 0 ? value << Int128(count) : nil
    }

    /// The nearest double, ties to even, or nil if it is so small or large that only an `ExactSum` can decide.
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

/// Exact sums of decimals, one for each group, so that neither the order nor the number of threads changes the result.
///
/// A sum is a whole number of 128 bits times a power of two, which holds what most columns have in 20 bytes. One whose numbers lie
/// too far apart becomes an `ExactSum`, which holds any.
package struct DecimalSums: GroupValues {
    package static let code = GroupValuesCode.decimal

    private var mantissas: [Int128] = []
    private var exponents: [Int32] = []
    private var counts: [Int64] = []
    private var wide: [Int32: ExactSum] = [:]

    /// Stands for the exponent of a sum that is in `wide`.
    private static let isWide = Int32.min
    /// Stands for the exponent of a sum to which nothing but zeros was added.
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
        let values = batch.decimals(in: column)
        values.forEachValue(groups) { _, group, value in
            counts[group] &+= 1
            if value == 0 { return }
            let (mantissa, exponent) = Self.parts(of: value)
            add(mantissa, exponent, to: group)
        }
    }

    /// A number as an odd whole number times a power of two.
    @inline(__always)
    private static func parts(of value: Double) -> (mantissa: Int128, exponent: Int32) {
        let bits = value.bitPattern
        let field = Int32(truncatingIfNeeded: bits >> 52 & 0x7FF)
        var magnitude = Int64(bitPattern: bits & 0xF_FFFF_FFFF_FFFF)
        if field > 0 { magnitude |= 1 << 52 }
        let zeros = magnitude.trailingZeroBitCount
        magnitude >>= Int64(zeros)
        // A subnormal has the exponent of the smallest normal number.
        let exponent = max(field, 1) &- 1075 &+ Int32(truncatingIfNeeded: zeros)
        return (Int128(value.sign == .minus ? 0 &- magnitude : magnitude), exponent)
    }

    /// Adds `mantissa` times two to the power of `exponent`.
    @inline(__always)
    private mutating func add(_ mantissa: Int128, _ exponent: Int32, to group: Int) {
        let mine = exponents[group]
        if mine == Self.isZero {
            mantissas[group] = mantissa
            exponents[group] = exponent
            return
        }
        if mine != Self.isWide {
            let common = min(mine, exponent)
            if let first = Self.shifted(mantissas[group], by: mine &- common),
                let second = Self.shifted(mantissa, by: exponent &- common)
            {
                let (sum, overflowed) = first.addingReportingOverflow(second)
                if !overflowed {
                    mantissas[group] = sum
                    exponents[group] = common
                    return
                }
            }
        }
        addWide(mantissa, exponent, to: group)
    }

    /// The number with that many zeros behind it, or nil when it has no room for them.
    @inline(__always)
    private static func shifted(_ value: Int128, by count: Int32) -> Int128? {
        let room = Int32(truncatingIfNeeded: value.magnitude.leadingZeroBitCount) &- 2
        return count <= room || count == 0 ? value << Int128(count) : nil
    }

    private mutating func addWide(_ mantissa: Int128, _ exponent: Int32, to group: Int) {
        let key = Int32(truncatingIfNeeded: group)
        if exponents[group] != Self.isWide {
            wide[key] = ExactSum()
            wide[key]?.add(mantissas[group], exponent: exponents[group])
            exponents[group] = Self.isWide
            mantissas[group] = 0
        }
        wide[key]?.add(mantissa, exponent: exponent)
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
                // Makes the own one wide.
                addWide(0, 0, to: Int(place))
                wide[place]?.add(sum)
            default: add(later.mantissas[group], later.exponents[group], to: Int(place))
            }
        }
    }

    package func fill(_ column: ResultColumn, _ result: GroupResult) {
        let isMean = if case .mean = result { true } else { false }
        for group in counts.indices where counts[group] > 0 {
            let figure = isMean ? mean(group) : sum(group)
            if !figure.isFinite { column.reject(group) }
            column.set(group, figure.sortable)
        }
    }

    /// The sum, rounded once; infinite when it is too large.
    private func sum(_ group: Int) -> Double { exact(group).value }

    /// The mean of at least one value, which no double is too small for.
    private func mean(_ group: Int) -> Double { exact(group).mean(of: Int(counts[group])) }

    private func exact(_ group: Int) -> ExactSum {
        if exponents[group] == Self.isWide, let sum = wide[Int32(truncatingIfNeeded: group)] { return sum }
        var sum = ExactSum()
        if exponents[group] != Self.isZero { sum.add(mantissas[group], exponent: exponents[group]) }
        return sum
    }
}

extension ExactSum {
    /// Adds a whole number times two to the power of `exponent`, in parts that a double holds exactly.
    fileprivate mutating func add(_ mantissa: Int128, exponent: Int32) {
        var rest = mantissa.magnitude
        var exponent = Int(exponent)
        while rest > 0 {
            let part = Double(UInt64(truncatingIfNeeded: rest) & 0xFFFF_FFFF)
            if part > 0 { add(Double(sign: mantissa < 0 ? .minus : .plus, exponent: exponent, significand: part)) }
            rest >>= 32
            exponent += 32
        }
    }
}

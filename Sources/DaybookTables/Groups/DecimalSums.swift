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
                // Makes the own one wide.
                addWide(ScaledNumber(0, 0), to: Int(place))
                wide[place]?.add(sum)
            default: add(ScaledNumber(later.mantissas[group], later.exponents[group]), to: Int(place))
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
        if exponents[group] != Self.isZero { sum.add(ScaledNumber(mantissas[group], exponents[group])) }
        return sum
    }
}

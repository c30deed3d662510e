/// Computes with two numeric operands of one kind, row by row.
///
/// A result that overflows 64 bits, is not finite, or divides by 0 has no value: the row is missing and marked as one
/// that could not be computed.
enum ArithmeticKernel {
    static func result(_ operation: Arithmetic, _ first: Operand, _ second: Operand, count: Int) -> Operand {
        defer { withExtendedLifetime((first, second)) {} }
        let missing = first.missing(count).union(second.missing(count))
        let faults = first.faults.union(second.faults)
        guard case .integers = first.column, operation != .divided else {
            return decimal(decimals(operation, first, second, count), missing, faults)
        }
        let (one, other) = (first.integers, second.integers)
        switch operation {
        case .plus: return integer(one, other, missing, faults, count) { $0.addingReportingOverflow($1) }
        case .minus: return integer(one, other, missing, faults, count) { $0.subtractingReportingOverflow($1) }
        case .times: return integer(one, other, missing, faults, count) { $0.multipliedReportingOverflow(by: $1) }
        case .remainder:
            return integer(one, other, missing, faults, count) { one, other in
                // The least number has no opposite, so its remainder by -1 would trap; it is 0.
                other == -1 ? (0, false) : one.remainderReportingOverflow(dividingBy: other)
            }
        case .divided: preconditionFailure("whole numbers are divided as decimals")
        }
    }

    /// The opposite numbers.
    static func negated(_ operand: Operand, count: Int) -> Operand {
        result(.minus, operand.column.kind == .decimal ? .decimal(0) : .integer(0), operand, count: count)
    }

    /// Whole numbers as decimals, beyond 2^53 the nearest.
    ///
    /// - Parameter exactly: marks those that no decimal holds as ones that could not be computed. They are not missing, so that
    ///   they are chosen as they would be, and no other value in their place.
    static func widened(_ operand: Operand, exactly: Bool = false) -> Operand {
        guard case .integers(let values) = operand.column else { return operand }
        var result = operand
        result.column = .decimals(values.mapValues { Double($0) })
        let span = values.elements.span
        var bits: UInt64 = 0
        for place in span.indices { bits |= span[place].magnitude }
        guard exactly, bits >> 53 != 0 else { return result }
        let failed = Mask(count: span.count) { Int64(exactly: Double(span[$0])) != span[$0] }
            .subtracting(values.missing).orNil
        result.faults = operand.faults.union(failed)
        return result
    }

    /// The decimal that is nearest to the quotient of two whole numbers, which decimals may not hold.
    static func quotient(_ one: Int64, _ other: Int64) -> Double {
        if (one.magnitude | other.magnitude) >> 53 == 0 { return Double(one) / Double(other) + 0 }
        guard one != 0, other != 0 else { return one == 0 && other != 0 ? 0 : .infinity }
        let shifts = (one.magnitude.leadingZeroBitCount, other.magnitude.leadingZeroBitCount)
        let (top, divisor) = (one.magnitude << shifts.0, other.magnitude << shifts.1)
        // 63 or 64 bits of the quotient. The last one also says whether anything remains, so it is rounded once.
        let (bits, rest) = divisor.dividingFullWidth((top >> 1, top << 63))
        let exponent = shifts.1 - shifts.0 - 63
        let value = Double(sign: .plus, exponent: exponent, significand: Double(bits | (rest == 0 ? 0 : 1)))
        return (one < 0) == (other < 0) ? value : -value
    }

    @inline(__always)
    private static func integer(
        _ one: ValueLane<Int64>,
        _ other: ValueLane<Int64>,
        _ missing: Mask?,
        _ faults: Mask?,
        _ count: Int,
        _ compute: (Int64, Int64) -> (partialValue: Int64, overflow: Bool)
    ) -> Operand {
        // Gathered without a branch; the rows are identified only if there are any.
        var overflows: UInt8 = 0
        let elements = [Int64](unsafeUninitializedCapacity: count) { new, filled in
            for row in 0..<count {
                let (value, overflow) = compute(one[row], other[row])
                overflows |= overflow ? 1 : 0
                new.initializeElement(at: row, to: value)
            }
            filled = count
        }
        guard overflows != 0 else { return Operand(.integers(Values(elements, missing: missing)), faults: faults) }
        // Under gaps is anything, so only rows with both values can fail.
        let failed = Mask(count: count) { compute(one[$0], other[$0]).overflow }.subtracting(missing).orNil
        return Operand(.integers(Values(elements, missing: missing.union(failed))), faults: faults.union(failed))
    }

    private static func decimals(_ operation: Arithmetic, _ first: Operand, _ second: Operand, _ count: Int) -> [Double]
    {
        if case .integers = first.column {
            return decimals(first.integers, second.integers, count) { quotient($0, $1) }
        }
        let (one, other) = (first.decimals, second.decimals)
        switch operation {
        case .plus: return decimals(one, other, count) { $0 + $1 }
        case .minus: return decimals(one, other, count) { $0 - $1 }
        // Of two zeros, the sum is the one without a sign.
        case .times: return decimals(one, other, count) { $0 * $1 + 0 }
        case .divided: return decimals(one, other, count) { $0 / $1 + 0 }
        case .remainder: return decimals(one, other, count) { $0.truncatingRemainder(dividingBy: $1) + 0 }
        }
    }

    @inline(__always)
    private static func decimals<Number>(
        _ one: ValueLane<Number>,
        _ other: ValueLane<Number>,
        _ count: Int,
        _ compute: (Number, Number) -> Double
    ) -> [Double] {
        [Double](unsafeUninitializedCapacity: count) { new, filled in
            for row in 0..<count { new.initializeElement(at: row, to: compute(one[row], other[row])) }
            filled = count
        }
    }

    /// Decimals; those that are not finite are failures.
    static func decimal(_ elements: [Double], _ missing: Mask?, _ faults: Mask?) -> Operand {
        let span = elements.span
        // A sum of differences with oneself is 0 exactly when all are finite.
        var check = 0.0
        for place in span.indices { check += span[place] - span[place] }
        let failed = check == 0 ? nil : Mask(count: span.count) { !span[$0].isFinite }.subtracting(missing).orNil
        return Operand(.decimals(Values(elements, missing: missing.union(failed))), faults: faults.union(failed))
    }
}

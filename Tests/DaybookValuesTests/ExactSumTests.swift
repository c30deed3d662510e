import DaybookContracts
import Testing

/// Sums that no double can hold.
@Suite struct ExactSumTests {
    @Test func aMeanIsFiniteWhereTheSumIsNot() {
        var sum = ExactSum()
        for value in [Double.greatestFiniteMagnitude, 1e308, 1.5e308] { sum.add(value) }
        #expect(sum.value == .infinity)
        let mean = Double.greatestFiniteMagnitude / 3 + 1e308 / 3 + 1.5e308 / 3
        #expect(abs(sum.mean(of: 3) / mean - 1) < 1e-15)
        sum.add(-Double.greatestFiniteMagnitude)
        sum.add(-1e308)
        #expect(sum.mean(of: 5) == 1.5e308 / 5)
    }

    @Test func aMeanOfFewIsTheSumDivided() {
        var sum = ExactSum()
        for value in [0.1, 0.2, 0.3] { sum.add(value) }
        #expect(sum.mean(of: 3) == sum.value / 3)
        #expect(ExactSum().mean(of: 1) == 0)
    }

    @Test(
        "a sum is exact until it is rounded once, however its parts are merged",
        arguments: [
            ([0x1p53, 1], 0x1p53),
            ([0x1p53, 1, .leastNonzeroMagnitude], 0x1p53 + 2),
            ([0x1p53, 1, -.leastNonzeroMagnitude], 0x1p53),
            ([1e308, 1, -1e308], 1),
            ([.leastNonzeroMagnitude, .leastNonzeroMagnitude, .leastNonzeroMagnitude], 3 * .leastNonzeroMagnitude),
            ([.leastNormalMagnitude, -.leastNonzeroMagnitude], .leastNormalMagnitude - .leastNonzeroMagnitude),
        ] as [([Double], Double)]
    )
    func merging(_ values: [Double], _ expected: Double) {
        for cut in 0...values.count {
            var (sum, later) = (ExactSum(), ExactSum())
            for value in values[..<cut] { sum.add(value) }
            for value in values[cut...] { later.add(value) }
            sum.add(later)
            #expect(sum.value == expected)
        }
    }
}

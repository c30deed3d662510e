import DaybookCore
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
}

import DaybookTestSupport
import Testing

@testable import DaybookContracts

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

    /// Rounded only there: the sum of three times 1.6 as a decimal is more than that, and its third more than 1.6.
    @Test func aMeanOfEqualsIsWhatTheyAre() {
        for value in [1.6, 0.1, -2.2, 1e308, .leastNonzeroMagnitude] {
            for count in [3, 7, 10, 49] {
                var sum = ExactSum()
                for _ in 0..<count { sum.add(value) }
                #expect(sum.mean(of: count) == value, "\(count) times \(value)")
            }
        }
        #expect(ExactSum().mean(of: 1) == 0)
    }

    /// The means are those of Python's `fractions`.
    @Test(
        "a mean is rounded once, to even in a tie, and below the normal numbers too",
        arguments: [
            ([0x1p53, 1], 2, 0x1p52), ([0x1p53, 3], 2, 0x1p52 + 2), ([3], 2, 1.5),
            ([.leastNonzeroMagnitude], 2, 0),
            ([.leastNonzeroMagnitude, .leastNonzeroMagnitude, .leastNonzeroMagnitude], 2, 2 * .leastNonzeroMagnitude),
            ([-.leastNonzeroMagnitude], 3, 0), ([0.1, 0.2, 0.3], 3, 0.2),
            ([.leastNormalMagnitude], 3, Double(bitPattern: 1_501_199_875_790_165)),
            ([1e300, 1, -1e300], 3, 1 / 3), ([0x1p54, 2, 1e-300], 4, 0x1p52 + 1),
        ] as [([Double], Int, Double)]
    )
    func means(_ values: [Double], _ count: Int, _ expected: Double) {
        var sum = ExactSum()
        for value in values { sum.add(value) }
        let mean = sum.mean(of: count)
        #expect(mean == expected && mean.sign == expected.sign)
    }

    @Test("no decimal is nearer to the exact mean than the one that is given")
    func nearest() {
        var random = SeededGenerator(seed: 3)
        for _ in 0..<2_000 {
            let exponent = Int32.random(in: -70...70, using: &random)
            let count = Int64(1) << Int64.random(in: 0...30, using: &random) + Int64.random(in: 0...99, using: &random)
            let high = Int64.random(in: -1_000_000_000...1_000_000_000, using: &random)
            let low = Int64(random.next() >> UInt64.random(in: 11...63, using: &random))
            var sum = ExactSum()
            sum.add(Double(sign: .plus, exponent: Int(exponent) + 53, significand: Double(high)))
            sum.add(Double(sign: .plus, exponent: Int(exponent), significand: Double(low)))
            let mean = sum.mean(of: Int(count))
            #expect(ExactMean.of(Int128(high) << 53 + Int128(low), doubled: exponent, count: count) == mean)
            let distance = Self.distance(sum, mean, count)
            for other in [mean.nextUp, mean.nextDown] {
                let further = Self.distance(sum, other, count)
                #expect(distance < further || (distance == further && mean.bitPattern & 1 == 0), "\(random)")
            }
        }
    }

    /// The distance of a sum from so many times a mean. Exact differences of neighbours differ as decimals too.
    private static func distance(_ sum: ExactSum, _ mean: Double, _ count: Int64) -> Double {
        var difference = sum
        let product = -mean * Double(count)
        difference.add(product)
        difference.add((-product).addingProduct(-mean, Double(count)))
        return difference.value.magnitude
    }

    @Test("means of whole numbers beyond 2^53, as Python's fractions give them")
    func wholeMeans() {
        let cases: [(Int128, Int64, Double)] = [
            (3 * 9_007_199_254_740_993, 3, 9_007_199_254_740_992),
            (7 * 9_007_199_254_740_995, 7, 9_007_199_254_740_996),
            (.init(Int64.max) * 5, 5, 0x1p63), (-(1 << 100) - 1, 1 << 40, -0x1p60),
            ((1 << 53) + 1, 3, 3_002_399_751_580_331),
            (.min, 1, -0x1p127), (.min, .max, -0x1p64), (0, 5, 0), (10, 4, 2.5), (-1, 3, -1 / 3),
        ]
        for (sum, count, mean) in cases { #expect(ExactMean.of(sum, count: count) == mean, "\(sum) of \(count)") }
        #expect(ExactMean.of(1, doubled: -801, count: 1) == nil && ExactMean.of(1, doubled: 801, count: 1) == nil)
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

/// Bounds for the numbers of a column: wide enough for tomorrow, but close enough to catch a wrong digit.
///
/// The margin is the distance between the 5th and the 95th percentile, half on either side, and above at least the length of the
/// upper quarter; the sign of all numbers is kept. A few outliers do not widen the bounds.
struct NumberBounds {
    let low: Double
    let high: Double
    /// The range of nine in ten numbers.
    let core: ClosedRange<Double>
    /// How many numbers are outside the bounds.
    let odd: Int

    /// Nil for numbers too large to judge.
    init?(_ numbers: NumberSummary, isWhole: Bool) {
        let spread = numbers.spread
        guard spread.total > 0, numbers.unbounded == 0, max(spread.least.magnitude, spread.most.magnitude) < 1e12
        else { return nil }
        func quantile(_ share: Double) -> ClosedRange<Double> {
            let rank = Int(share * Double(spread.total - 1))
            let even = spread.bounds(ofRank: rank)
            guard let sized = numbers.octaves.bounds(ofRank: rank), sized.overlaps(even) else { return even }
            return sized.clamped(to: even)
        }
        let (lowest, highest) = (quantile(0.05).lowerBound, quantile(0.95).upperBound)
        self.core = lowest...max(lowest, highest)
        let (lower, upper) = (quantile(0.25).lowerBound, quantile(0.75).upperBound)
        let core = highest - lowest
        let far = NumberBounds.inner(spread, lowest - 5 * core, highest + 5 * core)
        let (least, most) = (far?.least ?? spread.least, far?.most ?? spread.most)
        odd = far?.odd ?? 0
        // Equal numbers may differ by a half.
        let width = core > 0 ? core : max(most - least, least.magnitude, isWhole ? 2 : 0.001)
        let (below, above) = (max(width / 2, lower - least), max(width / 2, most - upper))
        let step = Histogram.step(atLeast: min(below, above) / 10, isWhole: isWhole)
        func rounded(_ number: Double, _ rule: FloatingPointRoundingRule) -> Double {
            // A step below 1 is not exact, but its inverse is.
            step < 1
                ? (number * (1 / step).rounded()).rounded(rule) / (1 / step).rounded()
                : (number / step).rounded(rule) * step
        }
        let (outerLow, outerHigh) = (rounded(least - below, .down), rounded(most + above, .up))
        low = least >= 0 ? max(0, outerLow) : outerLow
        // A maximum just below 100 indicates percentages.
        let isPercentage = least >= 0 && (95...100).contains(most)
        high = most <= 0 ? min(0, outerHigh) : isPercentage ? 100 : outerHigh
    }

    private typealias Inner = (least: Double, most: Double, odd: Int)

    /// The range without outliers, and their number; nil for none, or for more than one in a thousand.
    private static func inner(_ spread: NumberSpread, _ low: Double, _ high: Double) -> Inner? {
        guard low < high, spread.least < low || spread.most > high else { return nil }
        let steps = spread.counts.indices.filter {
            spread.counts[$0] > 0 && spread.end(of: $0) > low && spread.start(of: $0) < high
        }
        guard let first = steps.first, let last = steps.last else { return nil }
        let odd = spread.total - steps.reduce(0) { $0 + spread.counts[$1] }
        guard odd > 0, odd <= max(1, spread.total / 1000) else { return nil }
        return (spread.start(of: first), min(spread.most, spread.end(of: last)), odd)
    }
}

/// Very few numbers that are far from all others.
struct NumberOutliers: Sendable, Hashable {
    let count: Int
    /// The minimum and the maximum, if they are outliers.
    let least: Double?
    let most: Double?
    /// The range of nine in ten numbers.
    let core: ClosedRange<Double>

    /// The fewest numbers to judge.
    private static let someNumbers = 50

    init?(_ numbers: NumberSummary, isWhole: Bool) {
        let spread = numbers.spread
        guard spread.total >= NumberOutliers.someNumbers, let bounds = NumberBounds(numbers, isWhole: isWhole),
            bounds.odd > 0
        else { return nil }
        let width = bounds.core.upperBound - bounds.core.lowerBound
        count = bounds.odd
        core = bounds.core
        least = spread.least < bounds.core.lowerBound - 5 * width ? spread.least : nil
        most = spread.most > bounds.core.upperBound + 5 * width ? spread.most : nil
    }
}

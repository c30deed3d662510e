/// A value axis whose ticks are round: 1, 2 or 5 times a power of ten apart, with 0 among them.
struct ChartScale {
    let ticks: [Double]

    /// Spans 0 and all values between `low` and `high`, with at most nine ticks.
    init(low: Double, high: Double, whole: Bool) {
        // Half of the largest number, so that the span cannot overflow.
        let bound = 8e307
        let (bottom, top) = (max(min(low, 0), -bound), min(max(high, 0), bound))
        guard top > bottom else {
            ticks = [0, 1]
            return
        }
        // A step below the normal numbers has no power of ten to stand for it.
        let step = ChartScale.step(atLeast: max((top - bottom) / 7, 1e-300), whole: whole)
        let (first, last) = ((bottom / step).rounded(.down), (top / step).rounded(.up))
        ticks = (Int(first)...Int(last)).map { Double($0) * step }
    }

    var low: Double { ticks[0] }
    var high: Double { ticks[ticks.count - 1] }

    /// Where a value stands between the lowest tick, which is 0, and the highest, which is 1.
    func position(of value: Double) -> Double { (value - low) / (high - low) }

    private static func step(atLeast least: Double, whole: Bool) -> Double {
        var power = 1.0
        while power > least { power /= 10 }
        while power * 10 <= least { power *= 10 }
        let step = [power, power * 2, power * 5, power * 10].first { $0 >= least } ?? power * 10
        return whole ? max(1, step) : step
    }
}

import Foundation

/// A value axis whose ticks are round: 1, 2 or 5 times a power of ten apart, or powers of ten.
package struct ChartScale {
    package let ticks: [Double]
    package let low: Double
    package let high: Double
    let isLogarithmic: Bool

    private init(_ ticks: [Double], _ low: Double, _ high: Double, isLogarithmic: Bool = false) {
        (self.ticks, self.low, self.high, self.isLogarithmic) = (ticks, low, high, isLogarithmic)
    }

    /// Spans all values between `low` and `high`, and 0 if `fromZero`.
    package init(low: Double, high: Double, whole: Bool, ticks wanted: Int = 7, fromZero: Bool = true) {
        // Half of the largest number, so that the span cannot overflow.
        let bound = 8e307
        var (bottom, top) = (max(low, -bound), min(high, bound))
        if fromZero { (bottom, top) = (min(bottom, 0), max(top, 0)) }
        guard top > bottom else {
            let ticks = fromZero || bottom == 0 ? [0, 1] : [min(bottom, 0), max(bottom, 0)]
            self.init(ticks, ticks[0], ticks[1])
            return
        }
        // A step below the normal numbers has no power of ten for it, nor one that is negligible beside the values.
        let least = max((top - bottom) / Double(wanted), 1e-300, max(bottom.magnitude, top.magnitude) * 1e-12)
        let step = ChartScale.step(atLeast: least, isWhole: whole)
        let (first, last) = ((bottom / step).rounded(.down), (top / step).rounded(.up))
        let ticks = (0...max(1, Int(last - first))).map { (first + Double($0)) * step }
        self.init(ticks, ticks[0], ticks[ticks.count - 1])
    }

    /// The scale of a section.
    ///
    /// - Parameters:
    ///   - values: all values drawn.
    ///   - reach: the lowest and the highest place of the marks.
    init(_ spec: ChartSpec, of values: [Double], reach: (low: Double, high: Double), fromZero: Bool) {
        guard !spec.isLogarithmic else {
            self.init(ratiosOf: values.filter { $0 >= ChartPoints.ratioLimit }, from: spec.least, to: spec.most)
            return
        }
        let isWhole = values.allSatisfy { $0 == $0.rounded() }
        let bottom = spec.least ?? reach.low
        let top = max(spec.most ?? reach.high, bottom)
        let round = ChartScale(low: bottom, high: top, whole: isWhole, fromZero: fromZero && spec.least == nil)
        let (low, high) = (spec.least ?? round.low, spec.most ?? round.high)
        guard low < high else {
            self = round
            return
        }
        self.init(round.ticks.filter { $0 >= low && $0 <= high }, low, high)
    }

    /// Powers of ten, and 2 and 5 times these where they are few.
    private init(ratiosOf values: [Double], from least: Double?, to most: Double?) {
        let highest = most ?? max(values.max() ?? 1, (least ?? 0) * 10)
        let lowest = least ?? min(values.min() ?? highest, highest / 10)
        let first = log10(lowest).rounded(.down)
        let last = max(log10(highest).rounded(.up), first + 1)
        let every = max(1, ((last - first) / 8).rounded(.up))
        let parts: [Double] = last - first <= 2 ? [1, 2, 5] : [1]
        let ticks = stride(from: first, through: last, by: every).flatMap { power in parts.map { $0 * pow(10, power) } }
        let (low, high) = (least ?? pow(10, first), most ?? pow(10, last))
        self.init(ticks.filter { $0 >= low && $0 <= high }, low, high, isLogarithmic: true)
    }

    /// The position of a value between the low end, which is 0, and the high end, which is 1. Values beyond are at an end.
    package func position(of value: Double) -> Double {
        if value <= low { return 0 }
        if value >= high { return 1 }
        return isLogarithmic ? (log(value) - log(low)) / (log(high) - log(low)) : (value - low) / (high - low)
    }

    /// Whether a value is drawn at an end, which is not its place.
    func isBeyond(_ value: Double) -> Bool { value < low || value > high }

    /// Whether a range of values is near enough to 0 to begin there.
    static func isNearZero(_ low: Double, _ high: Double) -> Bool {
        low * high <= 0 || high - low >= 0.4 * max(high.magnitude, low.magnitude)
    }

    /// 1, 2 or 5 times a power of ten.
    package static func step(atLeast least: Double, isWhole: Bool) -> Double {
        var power = 1.0
        while power > least { power /= 10 }
        while power * 10 <= least { power *= 10 }
        let step = [power, power * 2, power * 5, power * 10].first { $0 >= least } ?? power * 10
        return isWhole ? max(1, step) : step
    }
}

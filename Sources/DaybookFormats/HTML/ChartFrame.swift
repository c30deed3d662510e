/// The room that the drawings of one section share, so that a month stands at the same place in all of them.
package struct ChartFrame {
    package static let width = 1_032.0
    /// Months up to which each has its full label, such as `2026-03`.
    private static let fullLabels = 12
    private static let labelLimit = 36

    package struct Label: Hashable {
        package var text: String
        /// The middle of the label.
        package var x: Double
    }

    package let months: [Int]
    /// Where the first month begins; names and ticks stand to the left of it.
    package let left: Double
    /// The width of one month.
    package let slot: Double

    /// - Parameter texts: what will stand to the left of the drawings.
    package init(months: [Int], texts: [String]) {
        self.months = months
        let widest = texts.map(Drawing.width(of:)).max() ?? 0
        left = (min(max(widest, 28), 160) + 16).rounded(.up)
        let room = ChartFrame.width - left - 8
        slot = min(max(Double(months.count) * 64, 280), room) / Double(months.count)
    }

    package var right: Double { left + slot * Double(months.count) }
    /// The width of a whole drawing.
    var outerWidth: Double { right + 8 }

    package func x(of index: Int) -> Double { left + slot * Double(index) }

    /// Labels of months, at most 36, and then of years, each only where it has room.
    package var labels: (months: [Label], years: [Label], yearStarts: [Double]) {
        func middle(_ index: Int) -> Double { x(of: index) + slot / 2 }
        if months.count <= ChartFrame.fullLabels {
            return (months.indices.map { Label(text: MonthTable.text(months[$0]), x: middle($0)) }, [], [])
        }
        // Every month, then quarters, then half-years, whichever is the first with few enough labels and enough room.
        let step = [1, 3, 6].first { months.count / $0 <= ChartFrame.labelLimit && slot * Double($0) >= 18 }
        let monthLabels = months.indices.filter { index in step.map { months[index] % 12 % $0 == 0 } ?? false }
            .map { Label(text: String(months[$0] % 12 + 1), x: middle($0)) }
        return (monthLabels, yearLabels, years.dropFirst().map { x(of: $0.lowerBound) })
    }

    /// The months of each year, as ranges of indices.
    private var years: [Range<Int>] {
        var result: [Range<Int>] = []
        var start = 0
        for index in months.indices.dropFirst() where months[index] / 12 != months[index - 1] / 12 {
            result.append(start..<index)
            start = index
        }
        return result + [start..<months.count]
    }

    private var yearLabels: [Label] {
        let widest = 40.0
        var result: [Label] = []
        let step = [1, 2, 5, 10, 20, 50, 100].first { slot * 12 * Double($0) >= widest } ?? 100
        for range in years {
            let year = months[range.lowerBound] / 12
            let centre = (x(of: range.lowerBound) + x(of: range.upperBound)) / 2
            // A year with a single month at the edge may have no room.
            let hasRoom = result.last.map { centre - $0.x >= widest } ?? true
            guard year % step == 0, hasRoom, slot * Double(range.count) >= 30 || step > 1 else { continue }
            result.append(Label(text: String(year), x: centre))
        }
        return result
    }

    /// The text, cut with an ellipsis to the room on the left.
    func fitted(_ text: String) -> String { Drawing.fitted(text, to: left - 16) }
}

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

extension Drawing {
    /// How high the months below a drawing stand.
    static func axisHeight(_ frame: ChartFrame) -> Double { frame.labels.years.isEmpty ? 26 : 44 }

    /// What each month says to a pointer, unless there are too many.
    mutating func tips(of table: MonthTable, _ frame: ChartFrame, from top: Double, height: Double, limit: Int) {
        guard table.months.count <= limit else { return }
        for month in table.months.indices {
            tip(table.spoken(month), over: Box(x: frame.x(of: month), y: top, width: frame.slot, height: height))
        }
    }

    /// The months below a drawing.
    package mutating func months(of frame: ChartFrame, below y: Double) {
        let labels = frame.labels
        for label in labels.months { text(label.text, x: label.x, y: y + 17, style: "mid") }
        let yearLine = y + (labels.months.isEmpty ? 17 : 35)
        for label in labels.years { text(label.text, x: label.x, y: yearLine, style: "mid year") }
        for x in labels.yearStarts where labels.years.count > 1 && frame.slot * 12 >= 24 {
            line(x1: x, y1: y + 4, x2: x, y2: yearLine + 2, style: "tick")
        }
    }
}

import DaybookCore

/// The room that the drawings of one section share, so that a month stands at the same place in all of them.
struct ChartFrame {
    static let width = 1_032.0
    /// Months up to which each has its full label, such as `2026-03`.
    private static let fullLabels = 12
    private static let labelLimit = 36

    struct Label: Hashable {
        var text: String
        /// The middle of the label.
        var x: Double
    }

    let months: [Int]
    /// Where the first month begins; names and ticks stand to the left of it.
    let left: Double
    /// The width of one month.
    let slot: Double

    /// - Parameter texts: what will stand to the left of the drawings.
    init(months: [Int], texts: [String]) {
        self.months = months
        let widest = texts.map(Drawing.width(of:)).max() ?? 0
        left = (min(max(widest, 28), 160) + 16).rounded(.up)
        let room = ChartFrame.width - left - 8
        slot = min(max(Double(months.count) * 64, 280), room) / Double(months.count)
    }

    var right: Double { left + slot * Double(months.count) }
    /// The width of a whole drawing.
    var outerWidth: Double { right + 8 }

    func x(of index: Int) -> Double { left + slot * Double(index) }

    /// Labels of months, at most 36, and then of years, each only where it has room.
    var labels: (months: [Label], years: [Label], yearStarts: [Double]) {
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
    func fitted(_ text: String) -> String {
        let room = left - 16
        guard Drawing.width(of: text) > room else { return text }
        var result = ""
        for character in text {
            guard Drawing.width(of: result + String(character) + "…") <= room else { break }
            result.append(character)
        }
        return result + "…"
    }
}

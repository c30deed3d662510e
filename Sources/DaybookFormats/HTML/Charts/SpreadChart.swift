/// How values spread, as bars that stand side by side over an axis of days, months or numbers.
package struct SpreadChart {
    /// What the bars stand over, from the first to the last.
    package enum Axis: Sendable, Hashable {
        /// A day each, from this one on.
        case days(first: Int32)
        /// A month each, from this one on.
        case months(first: Int32)
        /// Steps of equal width between two numbers.
        case numbers(low: Double, high: Double)
    }

    private static let size = PlotFrame.Size.narrow
    private static let plotHeight = 110.0

    private let counts: [Int]
    private let axis: ChartAxis

    /// Nil where there is nothing to draw.
    package init?(_ counts: [Int], over axis: Axis) {
        guard let most = counts.max(), most > 0 else { return nil }
        self.counts = counts
        self.axis =
            switch axis {
            case .days(let first): ChartAxis(.days, keys: counts.indices.map { Double(first) + Double($0) })
            case .months(let first): ChartAxis(.months, keys: counts.indices.map { Double(first) + Double($0) })
            case .numbers(let low, let high): ChartAxis(.numbers, keys: [low, high], isScaled: true)
            }
    }

    /// - Parameters:
    ///   - id: unique in the page.
    ///   - tips: what each bar tells to a pointer that rests on it.
    package func markup(id: String, title: String, description: String, tips: [String]) -> HTML {
        let size = SpreadChart.size
        let scale = ChartScale(low: 0, high: Double(counts.max() ?? 1), whole: true, ticks: 3)
        let frame = PlotFrame(
            size,
            texts: scale.ticks.map(Figure.compact),
            top: 10,
            plotHeight: SpreadChart.plotHeight
        )
        var parts = Drawing(width: size.width, height: 0)
        parts.valueAxis(scale, frame, title: "", NumberSigns(language: ""))
        let slot = frame.width / Double(counts.count)
        let gap = slot > 5 ? 1.0 : 0
        let boxes = counts.enumerated().filter { $0.element > 0 }.map { index, count in
            // A single value among very many can be seen.
            let top = min(frame.y(Double(count), scale), frame.bottom - 1)
            let x = frame.left + Double(index) * slot
            return Box(x: x + gap / 2, y: top, width: slot - gap, height: frame.bottom - top)
        }
        parts.boxes(boxes, style: "s1")
        let height = parts.placeAxis(axis, frame, title: "")
        for (index, tip) in tips.enumerated() where index < counts.count {
            let x = frame.left + Double(index) * slot
            parts.tip(tip, over: Box(x: x, y: frame.top, width: slot, height: frame.height))
        }
        var drawing = Drawing(width: size.width, height: height - PlotFrame.labelHeight)
        drawing.add(parts.content)
        return drawing.markup(id: id, title: title, description: description, style: "chart")
    }

    /// What the drawing needs of the style sheet.
    package static let style = ChartStyle.screen
}

/// The frame of a drawing: what surrounds the plot, and the place of the plot.
struct PlotFrame {
    /// How large a drawing is, in the units in which its type is 12: across the page, beside another, and on a phone.
    struct Size: Equatable {
        let width: Double
        let plotHeight: Double
        /// The limit of places up to which each can be focused.
        let reachedPlaces: Int

        static let wide = Size(width: 860, plotHeight: 250, reachedPlaces: 160)
        static let half = Size(width: 420, plotHeight: 180, reachedPlaces: 62)
        static let narrow = Size(width: 350, plotHeight: 200, reachedPlaces: 62)
    }

    static let labelHeight = 15.0

    let size: Size
    let left: Double
    let right: Double
    let top: Double
    let bottom: Double

    /// - Parameters:
    ///   - texts: the texts to the left of the plot.
    ///   - ends: the texts to the right of it.
    init(_ size: Size, texts: [String], ends: [String] = [], top: Double = 30, plotHeight: Double? = nil) {
        self.size = size
        let widest = texts.map(Drawing.width(of:)).max() ?? 0
        left = (min(max(widest, 16), size.width * 0.3) + 14).rounded(.up)
        let end = ends.map(Drawing.width(of:)).max().map { min($0, size.width * 0.26) + 24 } ?? 12
        right = size.width - end.rounded(.up)
        self.top = top
        bottom = top + (plotHeight ?? size.plotHeight)
    }

    var width: Double { right - left }
    var height: Double { bottom - top }

    /// The position of a share of the plot's width.
    func x(_ share: Double) -> Double { left + share * width }

    func y(_ value: Double, _ scale: ChartScale) -> Double { bottom - scale.position(of: value) * height }

    /// The part of a text that fits to the left and to the right of the plot.
    func fittedLeft(_ text: String) -> String { Drawing.fitted(text, to: left - 12) }
    func fittedRight(_ text: String) -> String { Drawing.fitted(text, to: size.width - right - 22) }
}

extension Drawing {
    /// The lines of a value axis, its ticks, and above it what it measures.
    ///
    /// - Parameter texts: the texts of the ticks.
    mutating func valueAxis(_ scale: ChartScale, _ texts: [String], _ frame: PlotFrame, title: String) {
        for (tick, label) in zip(scale.ticks, texts) {
            let y = frame.y(tick, scale)
            line(x1: frame.left, y1: y, x2: frame.right, y2: y, style: tick == 0 ? "axis" : "grid")
            text(label, x: frame.left - 8, y: y + 4, style: "end")
        }
        if !title.isEmpty { text(Drawing.fitted(title, to: frame.right - 4), x: 0, y: 12, style: "soft") }
    }

    /// The labels of the places below the plot, and the axis title. Returns the height of both.
    mutating func placeAxis(_ axis: ChartAxis, _ frame: PlotFrame, title: String) -> Double {
        let labels = axis.labels(space: frame.width)
        var y = frame.bottom + 5
        for row in [labels.first, labels.second] where !row.isEmpty {
            y += PlotFrame.labelHeight
            var end = -Double.infinity
            for label in row {
                let half = Drawing.width(of: label.text) / 2
                // At the edge of the drawing a label moves inwards.
                let x = min(max(frame.x(label.at), half + 3), frame.size.width - half - 5)
                guard x - half >= end else { continue }
                end = x + half + 4
                text(label.text, x: x, y: y, style: row == labels.second ? "mid soft" : "mid")
            }
        }
        y += PlotFrame.labelHeight + 3
        text(title, x: (frame.left + frame.right) / 2, y: y, style: "mid soft")
        return y + 6
    }

    /// The names of series beside the end of the plot, each as near as possible to the end of its line.
    mutating func endLabels(_ labels: [(name: String, style: SeriesStyle, y: Double)], _ frame: PlotFrame) {
        let sorted = labels.sorted { $0.y < $1.y }
        var places = sorted.map(\.y)
        for index in places.indices.dropFirst() {
            places[index] = max(places[index], places[index - 1] + PlotFrame.labelHeight)
        }
        var lowest = frame.bottom
        for index in places.indices.reversed() {
            places[index] = min(places[index], lowest)
            lowest = places[index] - PlotFrame.labelHeight
        }
        let x = frame.right + 6
        for (label, y) in zip(sorted, places) {
            let box = Box(x: x, y: y - 4, width: 9, height: 9)
            add("<rect\(label.style.attributes("edge"))\(box.attributes) rx=\"2\"/>\n")
            text(frame.fittedRight(label.name), x: x + 13, y: y + 4, style: "name")
        }
    }

    /// The tooltips of places, each of which can be focused unless there are many; none for very many places.
    mutating func tips(_ places: Int, in frame: PlotFrame, _ tip: (Int) -> (lines: [String], box: Box)) {
        let isReached = places <= frame.size.reachedPlaces
        guard isReached || places <= 400 else { return }
        for place in 0..<places {
            let (lines, box) = tip(place)
            if isReached {
                reach(lines, over: box, in: frame)
            } else {
                self.tip(lines.joined(separator: "\n"), over: box)
            }
        }
    }

    /// A part of the drawing that shows its lines under a resting pointer, on focus, or on touch.
    mutating func reach(_ lines: [String], over box: Box, in frame: PlotFrame) {
        let shown = lines.count > 12 ? lines.prefix(11) + ["and \(lines.count - 11) more"] : lines[...]
        let width = min((shown.map(Drawing.width(of:)).max() ?? 0) + 20, frame.size.width)
        let height = Double(shown.count) * PlotFrame.labelHeight + 11
        let middle = box.x + box.width / 2
        // Beside the place rather than over it, on the side that has more space.
        let isLeft = middle > frame.size.width / 2
        let x = min(max(isLeft ? box.x - width - 4 : box.x + box.width + 4, 0), frame.size.width - width)
        let y = max(0, min(frame.top, frame.bottom - height))
        var bubble: HTML = ""
        for (index, line) in shown.enumerated() {
            let text = Drawing.fitted(line, to: width - 12)
            bubble +=
                "<text\(index == 0 ? " class=\"lead\"" : "" as HTML) x=\"\(Figure.length(x + 9))\" y=\"\(Figure.length(y + 17 + Double(index) * PlotFrame.labelHeight))\">\(text)</text>"
        }
        add(
            """
            <g class="m" tabindex="0" role="img" aria-label="\(lines.joined(separator: ", "))"><rect class="hit"\(box.attributes)/>\
            <g class="bub"><rect\(Box(x: x, y: y, width: width, height: height).attributes) rx="6"/>\(bubble)</g></g>

            """
        )
    }

    /// Stripes over the marks of an unfinished period.
    mutating func hatch(_ boxes: [Box], id: String) {
        guard !boxes.isEmpty else { return }
        add(
            """
            <pattern id="\(id)" width="6" height="6" patternUnits="userSpaceOnUse" patternTransform="rotate(45)">\
            <path class="stripe" d="M0 0V6"/></pattern>

            """
        )
        self.boxes(boxes, " fill=\"url(#\(id))\"")
    }
}

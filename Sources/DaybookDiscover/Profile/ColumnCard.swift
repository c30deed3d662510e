import DaybookPages

/// What a page shows of one column: its facts, a drawing of its values, and its notes.
struct ColumnCard {
    let column: ColumnFacts
    /// Unique in the page.
    let id: String

    var markup: HTML {
        var text: HTML = "<article class=\"col\" id=\"\(id)\" aria-labelledby=\"\(id)-h\">\n"
        text += "<h3 id=\"\(id)-h\"><span lang=\"\">\(column.name)</span>"
        text += "<span class=\"soft\">\(column.holds)</span></h3>\n<dl>\n"
        for (name, value) in ProfileText.facts(of: column) {
            text += "<dt>\(name)</dt><dd>\(value)</dd>\n"
        }
        text += "</dl>\n" + drawing
        for note in column.notes { text += "<p class=\"note\">\(note)</p>\n" }
        return text + "</article>\n"
    }

    private var drawing: HTML {
        let bars = ProfileText.bars(of: column)
        // A few days stand on their axis all the same, for the gaps between them say something.
        if !bars.isEmpty, bars.isSpread || column.days != nil, let spread { return spread }
        return list(bars)
    }

    /// Days, moments or numbers as bars over their axis.
    private var spread: HTML? {
        guard let histogram = column.drawn,
            let chart = SpreadChart(histogram.bars.map(\.count), over: histogram.axis)
        else { return nil }
        let counts = ProfileBars(
            bars: histogram.bars.map { ($0.label, $0.count) },
            certainty: histogram.isExact ? .exact : .about,
            isSpread: true
        )
        return chart.markup(
            id: "\(id)-b",
            title: "How the values spread of \(column.name)",
            description: ColumnCard.description(of: counts),
            tips: counts.bars.map { "\($0.label)\n\(counts.spoken($0.count))" }
        )
    }

    private static func description(of bars: ProfileBars) -> String {
        let most = bars.bars.max { $0.count < $1.count }.map { "\($0.label), \(Figure.grouped($0.count))" } ?? ""
        return "\(Figure.counted(bars.bars.count, "bar")); the longest is \(most)."
    }

    private static let width = 460.0
    private static let rowHeight = 22.0

    /// The most frequent values: horizontal bars with their labels to the left and their counts to the right.
    private func list(_ bars: ProfileBars) -> HTML {
        guard !bars.isEmpty else { return "" }
        let (width, rowHeight) = (ColumnCard.width, ColumnCard.rowHeight)
        let names = min((bars.bars.map { Drawing.width(of: $0.label) }.max() ?? 0) * 1.12, 200).rounded(.up)
        let isColour = column.kinds.first?.kind == .colour && !bars.isSpread
        let left = names + (isColour ? 32 : 12)
        let counts = bars.bars.map { bars.spoken($0.count) }
        let right = Double(counts.map(\.count).max() ?? 0) * 7.2 + 12
        let room = width - left - right
        var drawing = Drawing(width: width, height: Double(bars.bars.count) * rowHeight + 4)
        for (index, bar) in bars.bars.enumerated() {
            let y = Double(index) * rowHeight + 3
            let length = bars.most == 0 ? 0 : max(bar.count > 0 ? 1 : 0, room * Double(bar.count) / Double(bars.most))
            drawing.text(Drawing.fitted(bar.label, to: names / 1.12), x: names + 2, y: y + 12.5, style: "end")
            if isColour { drawing.swatch(bar.label, over: Box(x: left - 22, y: y + 1, width: 14, height: 14)) }
            drawing.boxes([Box(x: left, y: y, width: length, height: 16)], style: "s1")
            drawing.text(counts[index], x: left + length + 8, y: y + 12.5, style: "name")
            drawing.tip("\(bar.label)\n\(counts[index])", over: Box(x: 0, y: y - 3, width: width, height: rowHeight))
        }
        drawing.line(x1: left, y1: 0, x2: left, y2: Double(bars.bars.count) * rowHeight + 2, style: "axis")
        let what = bars.isSpread ? "How the values spread" : "The most frequent values"
        return drawing.markup(
            id: "\(id)-b",
            title: "\(what) of \(column.name)",
            description: ColumnCard.description(of: bars)
        )
    }
}

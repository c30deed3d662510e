import DaybookCore

/// Writes inline SVG, with a title and a description for those who do not see it.
struct Drawing {
    let width: Double
    let height: Double
    private var body = ""

    init(width: Double, height: Double) {
        self.width = width
        self.height = height
    }

    /// The whole drawing. `id` is unique in the page, and not from the job.
    func markup(id: String, title: String, description: String) -> String {
        let (width, height) = (Figure.length(width), Figure.length(height))
        return """
            <svg role="img" aria-labelledby="\(id)-t \(id)-d" viewBox="0 0 \(width) \(height)" width="\(width)" \
            height="\(height)" style="--w:\(width)px">
            <title id="\(id)-t">\(HTMLText.escaped(title))</title>
            <desc id="\(id)-d">\(HTMLText.escaped(description))</desc>
            \(body)</svg>

            """
    }

    mutating func text(_ text: String, x: Double, y: Double, style: String) {
        body += "<text class=\"\(style)\" x=\"\(Figure.length(x))\" y=\"\(Figure.length(y))\">"
        body += HTMLText.escaped(text) + "</text>\n"
    }

    mutating func line(x1: Double, y1: Double, x2: Double, y2: Double, style: String) {
        body += "<path class=\"\(style)\" d=\"M\(Figure.length(x1)) \(Figure.length(y1))"
        body += y1 == y2 ? "H\(Figure.length(x2))\"/>\n" : "V\(Figure.length(y2))\"/>\n"
    }

    /// Rectangles of one style, as one path.
    mutating func boxes(_ boxes: [Box], style: String) {
        guard !boxes.isEmpty else { return }
        body += "<path class=\"\(style)\" d=\""
        for box in boxes {
            body += "M\(Figure.length(box.x)) \(Figure.length(box.y))h\(Figure.length(box.width))"
            body += "v\(Figure.length(box.height))h\(Figure.length(-box.width))z"
        }
        body += "\"/>\n"
    }

    /// An unseen rectangle that tells its text to a pointer that rests on it.
    mutating func tip(_ text: String, over box: Box) {
        body += "<rect class=\"tip\" x=\"\(Figure.length(box.x))\" y=\"\(Figure.length(box.y))\""
        body += " width=\"\(Figure.length(box.width))\" height=\"\(Figure.length(box.height))\"><title>"
        body += HTMLText.escaped(text) + "</title></rect>\n"
    }

    /// How high the months below a drawing stand.
    static func axisHeight(_ frame: ChartFrame) -> Double { frame.labels.years.isEmpty ? 26 : 44 }

    /// The months below a drawing.
    mutating func months(of frame: ChartFrame, below y: Double) {
        let labels = frame.labels
        for label in labels.months { text(label.text, x: label.x, y: y + 17, style: "mid") }
        let yearLine = y + (labels.months.isEmpty ? 17 : 35)
        for label in labels.years { text(label.text, x: label.x, y: yearLine, style: "mid year") }
        for x in labels.yearStarts where labels.years.count > 1 && frame.slot * 12 >= 24 {
            line(x1: x, y1: y + 4, x2: x, y2: yearLine + 2, style: "tick")
        }
    }
}

/// A rectangle in a drawing.
struct Box: Hashable {
    var x: Double
    var y: Double
    var width: Double
    var height: Double
}

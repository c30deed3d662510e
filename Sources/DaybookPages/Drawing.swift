/// Writes inline SVG, with a title and a description for those who do not see it.
package struct Drawing {
    package let width: Double
    /// Set once the labels are placed; they need different heights.
    package var height: Double
    private var body: HTML = ""

    package init(width: Double, height: Double) { (self.width, self.height) = (width, height) }

    /// The size of all texts.
    package static let fontSize = 12.0

    /// About how wide a text is drawn. Letters of East Asia and pictures take a whole em, the others about half of one.
    package static func width(of text: String) -> Double {
        text.reduce(0) { width, character in
            guard let scalar = character.unicodeScalars.first else { return width }
            let isWide = scalar == "#" || scalar.properties.isUppercase
            return width + (scalar.value >= 0x1100 ? 1 : isWide ? 0.68 : 0.56) * fontSize
        }
    }

    /// The whole drawing. `id` is unique in the page, and does not come from the job.
    ///
    /// - Parameters:
    ///   - role: `img`, or `group` if parts of the drawing can be focused.
    ///   - style: a CSS class of the drawing.
    ///   - sheet: the style sheet of a drawing in a file of its own; nil in a page, which has a style sheet.
    package func markup(
        id: String,
        title: String,
        description: String,
        role: String = "img",
        style: String = "",
        sheet: String? = nil
    ) -> HTML {
        let (width, height) = (Figure.length(width), Figure.length(height))
        let ownClass: HTML = " class=\"\(style)\""
        let file: HTML = " xmlns=\"http://www.w3.org/2000/svg\""
        let ownStyle: HTML = "<style>\n\(own: sheet ?? "")\n</style>\n"
        return """
            <svg\(file, if: sheet != nil)\(ownClass, if: !style.isEmpty) role="\(role)" aria-labelledby="\(id)-t \(id)-d" viewBox="0 0 \(width) \(height)" width="\(width)" \
            height="\(height)" style="--w:\(width)px">
            <title id="\(id)-t">\(title)</title>
            <desc id="\(id)-d">\(description)</desc>
            \(ownStyle, if: sheet != nil)\(body)</svg>

            """
    }

    package mutating func text(_ text: String, x: Double, y: Double, style: String) {
        body += "<text class=\"\(style)\" x=\"\(Figure.length(x))\" y=\"\(Figure.length(y))\">"
        body += "\(text)</text>\n"
    }

    /// Appends own markup.
    package mutating func add(_ markup: HTML) { body += markup }

    /// A path through points, broken where one is missing; a point alone has a stroke without a length. Nil without a point.
    package static func path(through points: [(x: Double, y: Double)?]) -> String? {
        var path = ""
        var isOpen = false
        for (index, point) in points.enumerated() {
            guard let point else {
                isOpen = false
                continue
            }
            path += "\(isOpen ? "L" : "M")\(Figure.length(point.x)) \(Figure.length(point.y))"
            if !isOpen, index + 1 == points.count || points[index + 1] == nil { path += "h0" }
            isOpen = true
        }
        return path.isEmpty ? nil : path
    }

    package mutating func line(x1: Double, y1: Double, x2: Double, y2: Double, style: String) {
        body += "<path class=\"\(style)\" d=\"M\(Figure.length(x1)) \(Figure.length(y1))"
        body += y1 == y2 ? "H\(Figure.length(x2))\"/>\n" : "V\(Figure.length(y2))\"/>\n"
    }

    /// Rectangles of one style, as one path.
    package mutating func boxes(_ boxes: [Box], style: String) { self.boxes(boxes, " class=\"\(style)\"") }

    /// Rectangles with the same attributes, as one path.
    mutating func boxes(_ boxes: [Box], _ attributes: HTML) {
        guard !boxes.isEmpty else { return }
        let path = boxes.map { box in
            "M\(Figure.length(box.x)) \(Figure.length(box.y))h\(Figure.length(box.width))v\(Figure.length(box.height))"
                + "h\(Figure.length(-box.width))z"
        }
        add("<path\(attributes) d=\"\(path.joined())\"/>\n")
    }

    /// A square of a hex colour; nothing for any other text.
    package mutating func swatch(_ text: String, over box: Box) {
        guard HexSwatch.isColour(text) else { return }
        add("<rect\(box.attributes) rx=\"3\" fill=\"\(text)\" class=\"swatch-edge\"/>\n")
    }

    /// The longest beginning of a text that is drawn no wider than `width`.
    package static func fitted(_ text: String, to space: Double) -> String {
        guard width(of: text) > space else { return text }
        var result = ""
        for character in text {
            guard width(of: result + String(character) + "…") <= space else { break }
            result.append(character)
        }
        return result + "…"
    }

    /// An invisible rectangle that shows its text under a resting pointer.
    package mutating func tip(_ text: String, over box: Box) {
        add("<rect class=\"tip\"\(box.attributes)><title>\(text)</title></rect>\n")
    }
}

/// A rectangle in a drawing.
package struct Box: Hashable {
    package var x: Double
    package var y: Double
    package var width: Double
    package var height: Double

    package init(x: Double, y: Double, width: Double, height: Double) {
        (self.x, self.y, self.width, self.height) = (x, y, width, height)
    }

    /// The attributes of a rectangle in SVG.
    var attributes: HTML {
        [("x", x), ("y", y), ("width", width), ("height", height)].map { name, side -> HTML in
            " \(name)=\"\(Figure.length(side))\""
        }.joined()
    }
}

/// The parts that drawings have in common.
package enum HTMLDrawing {
    /// Names and their values.
    package static func facts(_ facts: [(String, HTML)]) -> HTML {
        let items = facts.map { fact -> HTML in "<div><dt>\(fact.0)</dt><dd>\(fact.1)</dd></div>" }
        return "<dl class=\"facts\">\n\(items.joined(separator: "\n"))\n</dl>\n"
    }

    static func note(_ sentences: [String]) -> HTML {
        sentences.isEmpty ? "" : "<p class=\"note\">\(sentences.joined(separator: " "))</p>\n"
    }
}

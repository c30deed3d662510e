/// A small line of values by day, without axes; the last one has a dot.
package struct Sparkline {
    private static let (width, height, edge) = (200.0, 34.0, 4.0)

    package static let style = """
        svg.spark{width:100%;min-width:0;max-width:none;height:auto}
        svg.spark .ln{fill:none;stroke:var(--s1);stroke-width:1.75;stroke-linejoin:round;stroke-linecap:round}
        svg.spark .dot{fill:var(--s1)}
        """

    private let points: [(day: CalendarDay, value: Double)]

    /// - Parameter points: at least one, the earliest first; no value is infinite.
    package init(_ points: [(day: CalendarDay, value: Double)]) { self.points = points }

    /// - Parameters:
    ///   - id: unique in the page.
    ///   - description: the values in words.
    package func markup(id: String, title: String, description: String) -> HTML {
        var drawing = Drawing(width: Sparkline.width, height: Sparkline.height)
        let places = self.places
        if let path = Drawing.path(through: places.map { $0 }) { drawing.add("<path class=\"ln\" d=\"\(path)\"/>\n") }
        if let last = places.last {
            drawing.add(
                "<circle class=\"dot\" cx=\"\(Figure.length(last.x))\" cy=\"\(Figure.length(last.y))\" r=\"3\"/>\n"
            )
        }
        return drawing.markup(id: id, title: title, description: description, style: "spark")
    }

    private var places: [(x: Double, y: Double)] {
        guard let first = points.first?.day.number, let last = points.last?.day.number else { return [] }
        let values = points.map(\.value)
        let (least, greatest) = (values.min() ?? 0, values.max() ?? 0)
        // Halves, since the distance of the largest numbers may be beyond them all.
        let span = greatest / 2 - least / 2
        let room = (x: Sparkline.width - 2 * Sparkline.edge, y: Sparkline.height - 2 * Sparkline.edge)
        return points.map { point in
            let x = last == first ? 1 : Double(point.day.number - first) / Double(last - first)
            let height = span > 0 ? (point.value / 2 - least / 2) / span : 0.5
            return (Sparkline.edge + x * room.x, Sparkline.edge + (1 - height) * room.y)
        }
    }
}

/// Lines of cells that stand under each other.
package struct TextTable {
    package enum Side { case left, right }

    private let sides: [Side]
    private var rows: [[String]] = []

    package init(_ sides: [Side]) { self.sides = sides }

    package mutating func add(_ cells: [String]) { rows.append(cells) }

    /// The lines, each after `indent`, without blanks at their ends.
    ///
    /// - Parameter width: where lines are broken, if the last column is one of words; nil for nowhere.
    package func lines(indent: String = "  ", width: Int? = nil) -> [String] {
        let widths = sides.indices.map { column in rows.map { Prose.width(of: $0[column]) }.max() ?? 0 }
        // Where the last column stands.
        let start = Prose.width(of: indent) + widths.dropLast().reduce(0) { $0 + $1 + 2 }
        return rows.flatMap { cells -> [String] in
            var line = indent
            for (column, cell) in cells.enumerated() {
                if column == cells.count - 1, sides[column] == .left, let width, width > start,
                    start + Prose.width(of: cell) > width
                {
                    let rest = String(repeating: " ", count: start)
                    return Prose.lines(of: cell, first: line, rest: rest, width: width)
                }
                let gap = String(repeating: " ", count: widths[column] - Prose.width(of: cell))
                line += sides[column] == .left ? cell + gap : gap + cell
                line += "  "
            }
            while line.last == " " { line.removeLast() }
            return [line]
        }
    }
}

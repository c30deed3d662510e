/// Lines of cells that stand under each other.
package struct TextTable {
    package enum Side { case left, right }

    private let sides: [Side]
    private var rows: [[String]] = []

    package init(_ sides: [Side]) { self.sides = sides }

    package mutating func add(_ cells: [String]) { rows.append(cells) }

    /// The lines, each after `indent`, without blanks at their ends.
    package func lines(indent: String = "  ") -> [String] {
        let widths = sides.indices.map { column in rows.map { TextTable.width($0[column]) }.max() ?? 0 }
        return rows.map { cells in
            var line = indent
            for (column, cell) in cells.enumerated() {
                let gap = String(repeating: " ", count: widths[column] - TextTable.width(cell))
                line += sides[column] == .left ? cell + gap : gap + cell
                line += "  "
            }
            while line.last == " " { line.removeLast() }
            return line
        }
    }

    /// How many columns of a terminal a text takes.
    package static func width(_ text: String) -> Int {
        text.unicodeScalars.reduce(0) { $0 + PrintableText.width(of: $1) }
    }
}

/// How text looks where it is read: the colours that a person may have asked not to see, and the width of the terminal.
public struct TerminalStyle: Sendable {
    public let hasColour: Bool
    /// How many columns a line has; nil where the text goes to no terminal, which breaks none.
    public let width: Int?

    /// - Parameter width: How many columns the terminal has, taken for 20 where it has fewer; nil for no terminal.
    public init(hasColour: Bool, width: Int? = nil) {
        self.hasColour = hasColour
        self.width = width.map { max($0, 20) }
    }

    public static let plain = TerminalStyle(hasColour: false)

    package func bold(_ text: String) -> String { styled(text, "1") }
    package func faint(_ text: String) -> String { styled(text, "2") }
    package func error(_ text: String) -> String { styled(text, "1;31") }
    package func warning(_ text: String) -> String { styled(text, "1;33") }
    package func success(_ text: String) -> String { styled(text, "1;32") }
    package func gutter(_ text: String) -> String { styled(text, "36") }

    package func severity(_ severity: Finding.Severity, _ text: String) -> String {
        switch severity {
        case .error: error(text)
        case .warning: warning(text)
        case .note: gutter(text)
        }
    }

    private func styled(_ text: String, _ code: String) -> String {
        hasColour ? "\u{1B}[\(code)m\(text)\u{1B}[0m" : text
    }

    /// The text with its lines broken between words where the terminal is narrower.
    ///
    /// What is broken off stands two columns further in than the line that it belongs to.
    public func prose(_ text: String) -> String {
        guard let width else { return text }
        return text.split(separator: "\n", omittingEmptySubsequences: false).flatMap { line -> [String] in
            guard Prose.width(of: line) > width else { return [String(line)] }
            let indent = line.prefix { $0 == " " }
            let rest = String(repeating: " ", count: min(indent.count + 2, width / 2))
            return Prose.lines(of: line.dropFirst(indent.count), first: String(indent), rest: rest, width: width)
        }.joined(separator: "\n")
    }

    /// How many columns text may take that is broken everywhere, and never wider than `most`.
    package func textWidth(_ most: Int) -> Int { min(most, width ?? most) }

    /// How many columns of a line of a file are shown behind its number; nil where no terminal limits them.
    package var excerptWidth: Int? { width.map { $0 - 10 } }

    /// The same for text that stands so much further in.
    package func indented(by columns: Int) -> TerminalStyle {
        TerminalStyle(hasColour: hasColour, width: width.map { $0 - columns })
    }
}

/// Lines of cells that stand under each other.
package struct TextTable {
    package enum Side { case left, right }

    private let sides: [Side]
    private var rows: [[String]]

    package init(_ sides: [Side], _ rows: [[String]] = []) { (self.sides, self.rows) = (sides, rows) }

    package mutating func add(_ cells: [String]) { rows.append(cells) }

    /// The lines, each after `indent`, without blanks at their ends.
    ///
    /// - Parameters:
    ///   - width: where lines are broken, if the last column is one of words; nil for nowhere.
    ///   - heading: how the first line looks.
    package func lines(indent: String = "  ", width: Int? = nil, heading: ((String) -> String)? = nil) -> [String] {
        let widths = sides.indices.map { column in rows.map { Prose.width(of: $0[column]) }.max() ?? 0 }
        // Where the last column stands.
        let start = Prose.width(of: indent) + widths.dropLast().reduce(0) { $0 + $1 + 2 }
        let lines = rows.flatMap { cells -> [String] in
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
        guard let heading, let first = lines.first else { return lines }
        return [heading(first)] + lines.dropFirst()
    }
}

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

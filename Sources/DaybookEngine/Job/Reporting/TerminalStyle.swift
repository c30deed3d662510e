/// Whether a text is for a terminal that shows colours, and which colours say what.
public struct TerminalStyle: Sendable {
    public let hasColour: Bool

    public init(hasColour: Bool) { self.hasColour = hasColour }

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
}

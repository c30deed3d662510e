import DaybookBytes
import DaybookEngine

/// Prints errors with the line of the job file that they are about, and a caret under the place.
///
/// ```
/// pipelines/monthly-mood.yaml:9:13: error: no column named 'dtae' [unknown-column]
///     9 |       days: dtae
///       |             ^^^^
///   hint: did you mean 'date'?
/// ```
/// Control characters are shown by symbols, so that no file can steer the terminal.
public struct ErrorRenderer: Sendable {
    private let source: SourceText?
    private let style: TerminalStyle
    private let mask: SecretMask

    /// - Parameters:
    ///   - source: The job file. Places in other files are printed without an excerpt.
    ///   - style: The colours and the width of the terminal that shows them.
    ///   - mask: The secrets that no line may show.
    public init(source: SourceText?, style: TerminalStyle = .plain, mask: SecretMask = SecretMask([])) {
        self.source = source
        self.style = style
        self.mask = mask
    }

    /// One error, over one to four lines, without a last line break.
    public func render(_ error: DaybookError) -> String {
        render(style.error("error: "), error.code, error.message, at: error.place, hint: error.hint)
    }

    /// One warning, in the same form.
    public func render(_ warning: JobWarning) -> String {
        render(style.warning("warning: "), warning.code, warning.message, at: warning.place, hint: warning.hint)
    }

    private func render(
        _ label: String,
        _ code: DaybookError.Code,
        _ message: String,
        at place: SourcePlace?,
        hint: String?
    ) -> String {
        var text = ""
        if let place { text += style.bold("\(printable("\(place)")): ") }
        text += label
        text += style.bold(printable(message))
        text += " [\(PrintableText.of(code.rawValue))]"
        text = style.prose(text)
        if let place, let excerpt = excerpt(at: place) { text += "\n\(excerpt)" }
        if let hint { text += "\n" + style.prose("  \(style.gutter("hint: "))\(printable(hint))") }
        return text
    }

    /// Several errors, one after another.
    public func render(_ errors: [DaybookError]) -> String {
        errors.map { render($0) }.joined(separator: "\n")
    }

    private func excerpt(at place: SourcePlace) -> String? {
        guard let source, source.file == place.file,
            let excerpt = Excerpt(of: place, in: source, maskedBy: mask, width: style.excerptWidth)
        else { return nil }
        let number = String(place.line)
        let gutter = String(repeating: " ", count: max(0, 5 - number.utf8.count)) + number
        let blank = String(repeating: " ", count: gutter.utf8.count)
        return """
            \(style.gutter("\(gutter) |")) \(excerpt.line)
            \(style.gutter("\(blank) |")) \(excerpt.indent)\(style.error(excerpt.carets))
            """
    }

    private func printable(_ text: String) -> String { mask.masking(text).printable }
}

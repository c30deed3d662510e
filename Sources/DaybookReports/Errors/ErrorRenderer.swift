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
        (self.source, self.style, self.mask) = (source, style, mask)
    }

    /// One error, over one to four lines, without a last line break.
    public func render(_ error: DaybookError) -> String {
        render(style.error("error: "), error.code, error.message, at: error.place, hint: error.hint)
    }

    /// One warning, in the same form.
    public func render(_ warning: JobWarning) -> String {
        render(style.warning("warning: "), warning.code, warning.message, at: warning.place, hint: warning.hint)
    }

    /// An error that hinders nothing, as a warning.
    public func render(warning error: DaybookError) -> String {
        render(style.warning("warning: "), error.code, error.message, at: error.place, hint: error.hint)
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
    public func render(_ errors: [DaybookError]) -> String { errors.map { render($0) }.joined(separator: "\n") }

    private func excerpt(at place: SourcePlace) -> String? {
        guard let source, source.file == place.file,
            let excerpt = Excerpt(of: place, in: source, maskedBy: mask, width: style.excerptWidth)
        else { return nil }
        return excerpt.lines(place.line, style, style.error).joined(separator: "\n")
    }

    private func printable(_ text: String) -> String { mask.masking(text).printable }
}

/// A line of a file without its secrets, and the carets under a place in it.
package struct Excerpt {
    /// How many scalars of a line are shown; the rest is cut to `…`.
    static let window = 100

    package private(set) var line = ""
    /// What brings the carets under their place: spaces, and the tabs of the line.
    package private(set) var indent = ""
    package private(set) var carets = ""
    /// Which characters of `line` the carets stand under, counted from 0; empty where nothing stands above them.
    package private(set) var marked = 0..<0

    /// The line after its number, and the carets under it.
    ///
    /// - Parameter mark: colours the carets.
    package func lines(_ number: Int?, _ style: TerminalStyle, _ mark: (String) -> String) -> [String] {
        let number = number.map(String.init) ?? ""
        let gutter = String(repeating: " ", count: max(0, 5 - number.utf8.count)) + number
        let blank = String(repeating: " ", count: gutter.utf8.count)
        return ["\(style.gutter("\(gutter) |")) \(line)", "\(style.gutter("\(blank) |")) \(indent)\(mark(carets))"]
    }

    /// Nil when the file has no such line.
    ///
    /// Of a secret that the window cuts, each character is shown as a dot.
    ///
    /// - Parameter width: How many columns of a terminal the line may take.
    package init?(
        of place: SourcePlace,
        in source: SourceText,
        maskedBy mask: SecretMask = SecretMask([]),
        width: Int? = nil
    ) {
        guard let all = source.line(place.line) else { return nil }
        let window = Self.window(of: all, width)
        // A scalar has at most four bytes, so this is never less than the window needs.
        let target = max(0, place.column - 1)
        let start = source.byte(of: SourcePlace(file: place.file, line: place.line, column: 1)) ?? all.startIndex
        var first = 0
        var from = start
        if all.count > window {
            first = max(0, target - window / 2)
            from = source.byte(of: SourcePlace(file: place.file, line: place.line, column: first + 1)) ?? start
        }
        from = min(from, all.endIndex)
        let part = String(decoding: all[from..<min(all.endIndex, from + 4 * window + 4)], as: UTF8.self)
        let shown = Array(part.unicodeScalars.prefix(window))
        let isCut = part.unicodeScalars.count > shown.count || from + part.utf8.count < all.endIndex

        let end = from + shown.reduce(0) { $0 + UTF8.width($1) }
        var secrets = mask.ranges(in: all).filter { $0.overlaps(from..<end) }[...]
        var byte = from
        if first > 0 {
            line = "…"
            indent = " "
        }
        let columns = target..<target + place.length
        for (column, scalar) in zip(first..., shown) {
            let start = byte
            byte += UTF8.width(scalar)
            while let secret = secrets.first, secret.upperBound <= start { secrets.removeFirst() }
            guard let secret = secrets.first, secret.contains(start) else {
                append([PrintableText.of(scalar)], at: column..<column + 1, under: columns)
                continue
            }
            if secret.lowerBound < from || secret.upperBound > end {
                append(["•"], at: column..<column + 1, under: columns)
            } else if secret.lowerBound == start {
                let length = all[secret].count { $0 & 0xC0 != 0x80 }
                append(Array(SecretMask.mark.unicodeScalars), at: column..<column + length, under: columns)
            }
        }
        if isCut { line += "…" }
        // A place just past the end of its line, where something is missing.
        if carets.isEmpty {
            indent += String(repeating: " ", count: max(0, min(target - first - shown.count, window)))
            carets = "^"
        }
    }

    /// Appends what stands for some columns of the file, and what stands under it.
    ///
    /// - Parameter place: the columns that are marked.
    private mutating func append(_ scalars: [Unicode.Scalar], at columns: Range<Int>, under place: Range<Int>) {
        for scalar in scalars {
            let width = scalar == "\t" ? 1 : PrintableText.width(of: scalar)
            if columns.upperBound <= place.lowerBound {
                indent += scalar == "\t" ? "\t" : String(repeating: " ", count: width)
            } else if columns.lowerBound < place.upperBound {
                let here = line.unicodeScalars.count
                marked = (marked.isEmpty ? here : marked.lowerBound)..<here + 1
                carets += String(repeating: "^", count: width)
            }
            line.unicodeScalars.append(scalar)
        }
    }

    /// How many scalars of the line are shown: half as many where some may take two columns.
    private static func window(of line: ArraySlice<UInt8>, _ width: Int?) -> Int {
        guard let width else { return window }
        let isWide = line.contains { $0 >= 0xE1 }
        return max(1, min(window, isWide ? width / 2 : width))
    }
}

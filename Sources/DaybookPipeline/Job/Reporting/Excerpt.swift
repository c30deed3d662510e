import DaybookCore

/// A line of a file and the carets under a place in it.
struct Excerpt {
    /// How many scalars of a line are shown; the rest is cut to `…`.
    static let window = 100

    private(set) var line = ""
    /// What brings the carets under their place: spaces, and the tabs of the line.
    private(set) var indent = ""
    private(set) var carets = ""

    /// Nil when the file has no such line.
    init?(of place: SourcePlace, in source: SourceText) {
        guard let all = source.line(place.line) else { return nil }
        // A scalar has at most four bytes, so this is never less than the window needs.
        let marked = max(0, place.column - 1)
        let start = source.byte(of: SourcePlace(file: place.file, line: place.line, column: 1)) ?? all.startIndex
        var first = 0
        var from = start
        if all.count > Self.window {
            first = max(0, marked - Self.window / 2)
            from = source.byte(of: SourcePlace(file: place.file, line: place.line, column: first + 1)) ?? start
        }
        from = min(from, all.endIndex)
        let part = String(decoding: all[from..<min(all.endIndex, from + 4 * Self.window + 4)], as: UTF8.self)
        let shown = Array(part.unicodeScalars.prefix(Self.window))
        let isCut = part.unicodeScalars.count > shown.count || from + part.utf8.count < all.endIndex

        if first > 0 {
            line = "…"
            indent = " "
        }
        for (index, scalar) in shown.enumerated() {
            let printable = PrintableText.of(scalar)
            line.unicodeScalars.append(printable)
            let column = first + index
            if column < marked {
                indent += printable == "\t" ? "\t" : String(repeating: " ", count: PrintableText.width(of: printable))
            } else if column < marked + place.length {
                carets += String(repeating: "^", count: printable == "\t" ? 1 : PrintableText.width(of: printable))
            }
        }
        if isCut { line += "…" }
        // A place just past the end of its line, where something is missing.
        if carets.isEmpty {
            indent += String(repeating: " ", count: max(0, min(marked - first - shown.count, Self.window)))
            carets = "^"
        }
    }
}

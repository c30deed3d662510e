/// A line of a file and the carets under a place in it.
package struct Excerpt {
    /// How many scalars of a line are shown; the rest is cut to `…`.
    static let window = 100

    package private(set) var line = ""
    /// What brings the carets under their place: spaces, and the tabs of the line.
    package private(set) var indent = ""
    package private(set) var carets = ""
    /// Which characters of `line` the carets stand under, counted from 0; empty where nothing stands above them.
    package private(set) var marked = 0..<0

    /// Nil when the file has no such line.
    ///
    /// A secret that the window cuts is shown by dots, since `mask` would not know what is left of it.
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
        let cut =
            first == 0 && !isCut
            ? []
            : mask.ranges(in: all).filter { range in
                range.contains(from - 1) && range.contains(from) || range.contains(end - 1) && range.contains(end)
            }
        var byte = from
        if first > 0 {
            line = "…"
            indent = " "
        }
        for (index, scalar) in shown.enumerated() {
            let printable = cut.contains { $0.contains(byte) } ? "•" : PrintableText.of(scalar)
            byte += UTF8.width(scalar)
            line.unicodeScalars.append(printable)
            let column = first + index
            if column < target {
                indent += printable == "\t" ? "\t" : String(repeating: " ", count: PrintableText.width(of: printable))
            } else if column < target + place.length {
                let here = index + (first > 0 ? 1 : 0)
                marked = (marked.isEmpty ? here : marked.lowerBound)..<here + 1
                carets += String(repeating: "^", count: printable == "\t" ? 1 : PrintableText.width(of: printable))
            }
        }
        if isCut { line += "…" }
        // A place just past the end of its line, where something is missing.
        if carets.isEmpty {
            indent += String(repeating: " ", count: max(0, min(target - first - shown.count, window)))
            carets = "^"
        }
    }

    /// How many scalars of the line are shown: half as many where some may take two columns.
    private static func window(of line: ArraySlice<UInt8>, _ width: Int?) -> Int {
        guard let width else { return window }
        let isWide = line.contains { $0 >= 0xE1 }
        return max(1, min(window, isWide ? width / 2 : width))
    }
}

/// Text for people, measured in the columns of a terminal and broken between its words.
package enum Prose {
    /// How many columns of a terminal a text takes. What sets its colours takes none.
    package static func width(of text: some StringProtocol) -> Int {
        var width = 0
        var isColour = false
        for scalar in text.unicodeScalars {
            if isColour {
                isColour = scalar != "m"
            } else if scalar == "\u{1B}" {
                isColour = true
            } else {
                width += PrintableText.width(of: scalar)
            }
        }
        return width
    }

    /// The lines of a text, none wider than `width` but for a word that is so by itself.
    ///
    /// - Parameters:
    ///   - first: what the first line begins with.
    ///   - rest: what every other line begins with.
    package static func lines(
        of text: some StringProtocol,
        first: String = "",
        rest: String = "",
        width: Int
    ) -> [String] {
        var lines: [String] = []
        var line = first
        var used = Prose.width(of: first)
        var isEmpty = true
        for word in text.split(separator: " ", omittingEmptySubsequences: false) {
            let wordWidth = Prose.width(of: word)
            if !isEmpty, used + 1 + wordWidth > width {
                lines.append(line)
                (line, used, isEmpty) = (rest, Prose.width(of: rest), true)
            }
            if !isEmpty { (line, used) = (line + " ", used + 1) }
            line += word
            used += wordWidth
            if !word.isEmpty { isEmpty = false }
        }
        return lines + [line]
    }

    /// The text, or as much of its beginning as `width` columns hold, with `…` for the rest.
    package static func cut(_ text: String, to width: Int) -> String {
        guard Prose.width(of: text) > width else { return text }
        var short = String.UnicodeScalarView()
        var used = 1
        for scalar in text.unicodeScalars {
            used += PrintableText.width(of: scalar)
            if used > width { break }
            short.append(scalar)
        }
        return width > 0 ? String(short) + "…" : ""
    }
}

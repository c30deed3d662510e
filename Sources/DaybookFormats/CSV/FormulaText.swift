/// Finds text that a spreadsheet program would run as a formula.
///
/// The characters are those of OWASP, "CSV Injection" (https://owasp.org/www-community/attacks/CSV_Injection): `=`, `+`, `-`, `@`,
/// tab, carriage return and line feed, and the full-width forms of the first four. OWASP's Application Security Verification
/// Standard 5.0, requirement 1.2.10, adds NUL; the other two blanks of ASCII are added here. Some programs trim blanks and what
/// nobody sees, so a formula is also found behind those.
///
/// A program that is told another delimiter than the file's cuts cells where that stands, and may find a formula behind it: no
/// spelling of a cell prevents that.
enum FormulaText {
    /// `=`, `+`, `-`, `@`, and their full-width forms, U+FF1D, U+FF0B, U+FF0D and U+FF20.
    private static let beginnings: [StaticString] = ["=", "+", "-", "@", "＝", "＋", "－", "＠"]
    /// Space, no-break space, soft hyphen, the blanks and marks of U+2000 to U+200F, line and paragraph separators, marks of
    /// direction, narrow no-break space, word joiner, ideographic space, and the byte-order mark.
    private static let blanks: [StaticString] = [
        " ", "\u{A0}", "\u{AD}", "\u{61C}", "\u{180E}", "\u{2000}", "\u{2001}", "\u{2002}", "\u{2003}", "\u{2004}",
        "\u{2005}", "\u{2006}", "\u{2007}",
        "\u{2008}", "\u{2009}", "\u{200A}", "\u{200B}", "\u{200C}", "\u{200D}", "\u{200E}",
        "\u{200F}", "\u{2028}", "\u{2029}", "\u{202A}", "\u{202B}", "\u{202C}", "\u{202D}", "\u{202E}", "\u{202F}",
        "\u{205F}", "\u{2060}", "\u{2066}", "\u{2067}", "\u{2068}", "\u{2069}", "\u{3000}", "\u{FEFF}",
    ]

    static func isFormula(_ cell: Cell) -> Bool {
        var rest = cell[...]
        while let first = rest.first {
            // A letter, a digit or a quote decides at once.
            if first < 0x80, first != 0x20 { return "=+-@\t\r\n\u{B}\u{C}\0".utf8.contains(first) }
            if beginnings.contains(where: { rest.begins(with: $0) }) { return true }
            guard let blank = blanks.first(where: { rest.begins(with: $0) }) else { return false }
            rest = rest.dropFirst(blank.utf8CodeUnitCount)
        }
        return false
    }
}

extension Slice<Cell> {
    fileprivate func begins(with text: StaticString) -> Bool {
        text.withUTF8Buffer { starts(with: $0) }
    }
}

import DaybookCore

/// Finds text that a spreadsheet program would run as a formula.
///
/// The characters are those of OWASP, "CSV Injection" (https://owasp.org/www-community/attacks/CSV_Injection): `=`, `+`, `-`, `@`,
/// tab, carriage return and line feed, and the full-width forms of the first four. OWASP's Application Security Verification
/// Standard 5.0, requirement 1.2.10, adds NUL. Some programs trim blanks and byte-order marks, so a formula is also found behind
/// those.
enum FormulaText {
    /// `=`, `+`, `-`, `@`, and their full-width forms, U+FF1D, U+FF0B, U+FF0D and U+FF20.
    private static let beginnings: [StaticString] = ["=", "+", "-", "@", "＝", "＋", "－", "＠"]
    /// Space, no-break space, the blanks of U+2000 to U+200B, narrow no-break space, word joiner, ideographic space, and the
    /// byte-order mark.
    private static let blanks: [StaticString] = [
        " ", "\u{A0}", "\u{2000}", "\u{2001}", "\u{2002}", "\u{2003}", "\u{2004}", "\u{2005}", "\u{2006}", "\u{2007}",
        "\u{2008}", "\u{2009}", "\u{200A}", "\u{200B}", "\u{202F}", "\u{2060}", "\u{3000}", "\u{FEFF}",
    ]

    static func isFormula(_ cell: Cell) -> Bool {
        var rest = cell[...]
        while let first = rest.first {
            // A letter, a digit or a quote decides at once.
            if first < 0x80, first != 0x20 { return "=+-@\t\r\n\0".utf8.contains(first) }
            if beginnings.contains(where: { rest.begins(with: $0) }) { return true }
            guard let blank = blanks.first(where: { rest.begins(with: $0) }) else { return false }
            rest = rest.dropFirst(blank.utf8CodeUnitCount)
        }
        return false
    }
}

extension Slice<Cell> {
    fileprivate func begins(with text: StaticString) -> Bool {
        starts(with: UnsafeBufferPointer(start: text.utf8Start, count: text.utf8CodeUnitCount))
    }
}

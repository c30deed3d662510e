extension String {
    /// The text between quotes as an error message shows it: one line, and cut in its middle when long.
    var quotedForMessage: String { "'\(shortened(to: 80))'" }

    /// At most `limit` characters or so, with `…` for what is left out.
    ///
    /// Works on scalars, so that its cost does not grow with one endless character.
    func shortened(to limit: Int) -> String {
        // Every scalar has at least one byte, so most texts are answered without counting.
        guard utf8.count > limit, unicodeScalars.count > limit else { return self }
        var short = UnicodeScalarView(unicodeScalars.prefix(limit * 2 / 3))
        short.append("…")
        short.append(contentsOf: unicodeScalars.suffix(limit / 3))
        return String(short)
    }
}

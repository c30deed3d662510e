/// What stands behind the backslashes of a text, which tells whether they keep signs inside cells.
struct EscapeUse {
    private static let backslash = UInt8(ascii: "\\")

    /// Before the quote or the delimiter.
    private var signs = 0
    /// Before a line end.
    private var lineEnds = 0
    /// Cells of `\N`, as databases write what is no value.
    private var nulls = 0
    /// Before another backslash.
    private var doubled = 0
    /// Before anything else, where it keeps nothing.
    private var others = 0

    init(of bytes: UnsafeBufferPointer<UInt8>, quote: UInt8, delimiter: UInt8) {
        guard bytes.contains(EscapeUse.backslash) else { return }
        var place = 0
        while place + 1 < bytes.count {
            guard bytes[place] == EscapeUse.backslash else {
                place += 1
                continue
            }
            let next = bytes[place + 1]
            let end = place + 2 < bytes.count ? bytes[place + 2] : CSVDialect.lineFeed
            if next == delimiter || next == quote && quote != CSVDialect.noQuote {
                signs += 1
            } else if next == EscapeUse.backslash {
                doubled += 1
            } else if CSVDialect.mayEndLine(next) {
                lineEnds += 1
            } else if next == UInt8(ascii: "N"), end == delimiter || CSVDialect.mayEndLine(end) {
                nulls += 1
            } else {
                others += 1
            }
            place += 2
        }
    }

    /// The escapes to try: none where no backslash keeps anything, and nothing but the backslash where all of them must.
    ///
    /// - Parameter hasQuotes: whether cells may be quoted, in which a sign that is doubled needs no backslash.
    func escapes(hasQuotes: Bool) -> [UInt8?] {
        if others == 0, nulls > 0 || signs + doubled + lineEnds > 0 && !hasQuotes { return [EscapeUse.backslash] }
        return signs + lineEnds > 0 ? [nil, EscapeUse.backslash] : [nil]
    }
}

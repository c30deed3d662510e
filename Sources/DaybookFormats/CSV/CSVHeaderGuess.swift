/// Whether the first record of a delimited text names the columns.
package struct CSVHeaderGuess {
    enum Verdict {
        case present, absent
        /// All cells are words, those of the first record too.
        case likely
    }

    let verdict: Verdict
    package let reason: String
    package let width: Int

    package init(_ records: [[CSVCellSample]]) {
        let first = records.first ?? []
        let rest = records.dropFirst()
        width = first.count
        if let value = first.first(where: \.isValue) {
            verdict = .absent
            reason = "the first row holds '\(value.text)', which is a value and no name"
        } else if first.contains(where: { $0.text.isEmpty && !$0.isQuoted }), width == 1 {
            verdict = .present
            reason = "the first row is empty"
        } else if first.indices.contains(where: { index in rest.contains { $0[index].isValue } }) {
            verdict = .present
            reason = "the first row has words where the others have numbers or dates"
        } else if let index = first.indices.first(where: { index in
            !first[index].text.isEmpty && rest.contains { $0[index].text == first[index].text }
        }) {
            verdict = .absent
            reason = "'\(first[index].text)' in the first row stands further down too"
        } else {
            verdict = .likely
            reason = "all cells are words, so this is likely and not certain"
        }
    }

    /// Names for columns that have none.
    var madeNames: SuggestedValue { .list((0..<width).map { .text("column_\($0 + 1)") }) }
}

extension CSVGuess {
    package func detection(_ text: FoundText) -> FormatDetection {
        var options: [SuggestedOption] = []
        if let encoding = text.encoding { options.append(encoding) }
        if preamble > 0 {
            let lines = preamble == 1 ? "the first line is" : "the first \(preamble) lines are"
            options.append(
                SuggestedOption("skip_lines", .plain(String(preamble)), because: "\(lines) no part of the table")
            )
        }
        if let comment {
            let mark = String(Character(UnicodeScalar(comment)))
            options.append(SuggestedOption("comment", .text(mark), because: "lines that begin with it are remarks"))
        }
        let dialect = reading.dialect
        if dialect.delimiter != UInt8(ascii: ",") {
            options.append(
                SuggestedOption(
                    "delimiter",
                    .text(dialect.delimiter == 9 ? "tab" : String(Character(UnicodeScalar(dialect.delimiter)))),
                    because: reading.width == 1
                        ? "commas stand inside the values"
                        : "it splits \(CSVGuess.share(reading)) into \(reading.width) cells"
                            + (odd?.repeats(dialect.delimiter) == true
                                ? ", those between '\(odd?.text ?? "")' empty" : "")
                )
            )
        }
        if dialect.delimiter == UInt8(ascii: ","), reading.width == 1, odd != nil || headHoldsDelimiter {
            // Else the header would be taken for one that the wrong delimiter has left whole.
            let reason =
                odd.map {
                    $0.isSpace
                        ? "its columns look aligned with spaces, and columns of fixed width are not read"
                        : "'\($0.text)' stands as often in every line, but only one ASCII character can separate cells"
                }
                ?? "the rows are one column by any other delimiter too"
            options.append(SuggestedOption("delimiter", .text(","), because: reason))
        }
        if dialect.quote != UInt8(ascii: "\"") {
            let isNone = dialect.quote == CSVDialect.noQuote
            let kept = reading.quotes.cells > 0 ? ", and so those around cells stay in them" : ""
            options.append(
                SuggestedOption(
                    "quote",
                    isNone ? .text("none") : .text("'"),
                    because: isNone ? "quotes stand in the middle of cells\(kept)" : "it stands around the cells"
                )
            )
        }
        if let header = headerOption { options.append(header) }
        if let short = shortRows { options.append(short) }
        let isSure = !looksLikeJSON && reading.width > 1 && reading.share >= 0.9 && reading.records.count > 1
        return FormatDetection(
            isSure ? .likely : .possible,
            form: form,
            imports: [SuggestedImport(options: options, notes: [])],
            cellsAreText: true
        )
    }

    /// Whether the first row holds what separates cells in other files.
    private var headHoldsDelimiter: Bool {
        let text = reading.records.first??.cells.first?.text ?? ""
        return text.utf8.contains { CSVDialect.commonDelimiters.contains($0) }
    }

    private var headerOption: SuggestedOption? {
        if let mendedNames {
            return SuggestedOption(
                "header",
                .list(mendedNames.map { .text($0) }),
                because: "the header does not have \(reading.width) names, as many as its rows have cells"
            )
        }
        let names = header.madeNames
        switch header.verdict {
        case .present: return nil
        case .likely:
            return SuggestedOption(
                "header",
                .plain("true"),
                because: header.reason,
                others: header.width <= 50
                    ? [SuggestedChoice(names, because: "if the first row is a row like the others")] : []
            )
        case .absent:
            let reason = "\(header.reason); write names of your own"
            return SuggestedOption("header", header.width <= 50 ? names : .plain("false"), because: reason)
        }
    }

    /// Rows that end before their last cells; a program that leaves empty cells out writes many of them.
    private var shortRows: SuggestedOption? {
        let short = reading.records.count { ($0?.cells.count ?? reading.seenWidth) < reading.seenWidth }
        guard short > 0, reading.width > 1 else { return nil }
        return SuggestedOption(
            "ragged",
            .plain("reject"),
            because: "\(short) of the first \(reading.records.count) rows \(short == 1 ? "is" : "are") too short",
            others: [SuggestedChoice(.plain("pad"), because: "if the cells that are not there are empty ones")]
        )
    }

    private var form: String {
        let kind: String
        switch reading.dialect.delimiter {
        case _ where reading.width == 1: kind = "text with one value a line"
        case UInt8(ascii: ","): kind = "comma-separated text"
        case UInt8(ascii: ";"): kind = "text separated by semicolons"
        case 9: kind = "text separated by tabs"
        case UInt8(ascii: "|"): kind = "text separated by bars"
        case UInt8(ascii: " "): kind = "text separated by spaces"
        case let sign: kind = "text separated by '\(Character(UnicodeScalar(sign)))'"
        }
        switch header.verdict {
        case .absent: return "\(kind) without a header"
        case .present, .likely: return "\(kind) with a header"
        }
    }

    private static func share(_ reading: Reading) -> String {
        reading.regular == reading.records.count
            ? "every row" : "\(reading.regular) of the first \(reading.records.count) rows"
    }
}

/// The rows above the header of a table that have as many cells as its rows, nearly all of them empty.
///
/// Spreadsheets pad every row to the width of the widest, so a title, the day of an export and the blank rows between them
/// look like rows of the table. The header is the first row that is filled like those below it.
struct CSVTitleRows {
    /// How many rows stand above the header.
    private(set) var count = 0

    private let rows: [[CSVCellSample]?]
    private let width: Int
    /// How many cells of each row hold anything; nil for rows that are none of the table.
    private let filled: [Int?]

    /// - Parameters:
    ///   - rows: the first rows, nil where their quotes are out of place.
    ///   - limit: how many rows may stand above a header.
    init(_ rows: [[CSVCellSample]?], width: Int, limit: Int) {
        self.rows = rows
        self.width = width
        filled = rows.map { row in row.flatMap { $0.count == width ? $0.count(where: \.isFilled) : nil } }
        let full = filled.indices.prefix(limit + 1).first { index in
            filled[index].map { $0 * 2 > usual(below: index) } ?? false
        }
        if let full, full > 0 { count = titles(above: full) }
    }

    /// How many cells are filled in a usual row below `index`.
    private func usual(below index: Int) -> Int {
        let counts = filled[(index + 1)...].compactMap { $0 }.filter { $0 > 0 }.sorted()
        return counts.isEmpty ? 0 : counts[counts.count / 2]
    }

    /// How many of the sparse rows above `full` are titles: all, unless one of them is a header with gaps or a row.
    private func titles(above full: Int) -> Int {
        guard let last = (0..<full).last(where: { filled[$0] ?? 0 > 0 }), let above = rows[last] else { return full }
        let isAlone = filled[last] == 1 && width > 2
        switch CSVHeaderGuess(rows[full...].compactMap { $0 }.filter { $0.count == width }).verdict {
        case .present: return full
        case .likely: return isAlone || last < full - 1 ? full : 0
        case .absent:
            // What is filled like the others is a row itself, so its names stand above it, or nowhere.
            guard isAlone else { return last }
            return above.contains(where: \.isValue) ? 0 : full
        }
    }
}

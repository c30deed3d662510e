extension CSVGuess {
    /// The options of import_csv, each with its evidence and the place of that.
    package func detection(_ text: FoundText) -> FormatDetection {
        let options: [SuggestedOption?] =
            [text.encoding, preambleOption, footerOption, commentOption, delimiterOption, quoteOption, escapeOption]
            + [lenientOption, trimOption, missingOption, headerOption, raggedOption, blankOption]
        let isSure =
            !looksLikeJSON && reading.width > 1 && reading.share >= 0.9 && reading.records.count > 1
            && !reading.isAligned
        return FormatDetection(
            isSure ? .likely : .possible,
            form: form,
            imports: [SuggestedImport(options: options.compactMap(\.self), notes: doubts)],
            cellsAreText: true
        )
    }

    /// How import_csv reads tables stacked in one file: each separately.
    package static func detection(of tables: [CSVGuess], _ text: FoundText) -> FormatDetection? {
        guard var detection = tables.first?.detection(text), tables.count > 1 else {
            return tables.first?.detection(text)
        }
        let all = tables.map { $0.detection(text) }
        detection.confidence = all.map(\.confidence).min() ?? .possible
        detection.form = "text with \(tables.count) tables, one below the other"
        detection.imports = all.flatMap(\.imports)
        for index in detection.imports.indices { detection.imports[index].part = "table \(index + 1)" }
        return detection
    }

    private var isComma: Bool { reading.dialect.delimiter == [UInt8(ascii: ",")] }

    // MARK: - Around the table

    private var preambleOption: SuggestedOption? {
        guard preamble > 0 else { return nil }
        let lines = preamble == 1 ? "the first line is" : "the first \(preamble) lines are"
        return SuggestedOption("skip_lines", .plain(String(preamble)), because: "\(lines) no part of the table")
    }

    private var commentOption: SuggestedOption? {
        comment.map {
            let mark = String(Character(UnicodeScalar($0)))
            return SuggestedOption("comment", .text(mark), because: "lines that begin with it are remarks")
        }
    }

    private var footerOption: SuggestedOption? {
        if let (table, records) = below, let records {
            let reason =
                "another table begins on line \(table.line.displayText)"
                + (structure.footer.first.map { ", and what stands from line \($0.line.displayText) on is no row" }
                    ?? "")
            return SuggestedOption("skip_footer", .plain(String(structure.footer.count + records)), because: reason)
        }
        guard let first = structure.footer.first else { return nil }
        let text = (first.cells.first(where: \.isFilled)?.text ?? "").sample
        let count = structure.footer.count
        let ending = count == 1 ? "the last line is" : "the last \(count) lines are"
        let reason = "\(ending) no row of the table: line \(first.line) begins with '\(text)'"
        let others =
            structure.isFooterRow
            ? [SuggestedChoice(.plain("0"), because: "if that is a row like the others")] : []
        return SuggestedOption("skip_footer", .plain(String(count)), because: reason, others: others)
    }

    // MARK: - Delimiter and quotes

    private var delimiterOption: SuggestedOption? {
        let delimiter = reading.dialect.displayDelimiter
        if !isComma {
            let share =
                reading.regular == reading.records.count
                ? "every row" : "\(reading.regular) of the first \(reading.records.count) rows"
            let reason =
                reading.width == 1
                ? "commas stand inside the values" : "it splits \(share) into \(reading.width) cells"
            return SuggestedOption("delimiter", .text(delimiter), because: reason)
        }
        guard reading.width == 1, odd != nil || headHoldsDelimiter else { return nil }
        // Otherwise the header would be taken for one that the wrong delimiter has left whole.
        let reason =
            odd.map {
                $0.isSpace
                    ? "its columns look aligned with spaces, which import_fixed_width may read"
                    : "'\($0.text)' stands as often in every line, but does not make a table of it"
            } ?? "the rows are one column by any other delimiter too"
        return SuggestedOption("delimiter", .text(","), because: reason)
    }

    /// Whether the first row has a separator of other files.
    private var headHoldsDelimiter: Bool {
        let text = reading.records.first?.cells.first?.text ?? ""
        return text.utf8.contains { CSVDialect.commonDelimiters.contains($0) }
    }

    private var quoteOption: SuggestedOption? {
        let quote = reading.dialect.quote
        if quote == UInt8(ascii: "\"") { return nil }
        return quote == CSVDialect.noQuote
            ? SuggestedOption("quote", .text("none"), because: "quotes stand in the middle of cells and around none")
            : SuggestedOption("quote", .text("'"), because: "it stands around the cells")
    }

    private var lenientOption: SuggestedOption? {
        let stray = reading.stray
        guard stray.count > 0, reading.dialect.quote != CSVDialect.noQuote else { return nil }
        let rows = stray.count == 1 ? "1 row has a quote" : "\(stray.count.displayText) rows have quotes"
        let reason = "\(rows) inside a cell, the first in line \(stray.line): '\(stray.text.sample)'"
        return SuggestedOption("quotes", .plain("lenient"), because: reason)
    }

    private var trimOption: SuggestedOption? {
        guard reading.trims else { return nil }
        let line = (reading.blankQuotes.count > 0 ? reading.blankQuotes : reading.blanks).line
        let cells = "\(reading.blanks.count) of the first \(reading.innerCells) cells"
        return SuggestedOption("trim", .plain("true"), because: "blanks stand around \(cells), as in line \(line)")
    }

    private var escapeOption: SuggestedOption? {
        guard reading.dialect.escape != nil else { return nil }
        let reason =
            reading.escaped.count > 0
            ? "it keeps quotes and delimiters inside cells, as in line \(reading.escaped.line): '\(reading.escaped.text.sample)'"
            : "'\\N' stands for no value, as in line \(reading.nulls.line), so a backslash is no sign of its own"
        return SuggestedOption("escape", .text("\\"), because: reason)
    }

    private var missingOption: SuggestedOption? {
        missingQuoted.map { SuggestedOption("missing_quoted", .plain("true"), because: $0) }
    }

    /// The reason why cells in quotes may hold no value.
    private var missingQuoted: String? {
        let gap = reading.quotedGap
        if gap.count > 0 { return "'\(gap.text)' stands in quotes, as in line \(gap.line)" }
        guard reading.quotedEmpty.count > 0 else { return nil }
        if reading.plainCells * 50 <= reading.quotedCells {
            return "all cells are quoted, also those that hold nothing, as in line \(reading.quotedEmpty.line)"
        }
        if reading.records.allSatisfy({ $0.cells.allSatisfy { $0.isQuoted || $0.isValue } }) {
            return "all texts are quoted, also those that hold nothing, as in line \(reading.quotedEmpty.line)"
        }
        // Nothing is no number.
        let record = reading.records.first { record in
            zip(record.cells, structure.columns).contains { $0.isQuoted && $0.text.isEmpty && $1.isValued }
        }
        return record.map { "among numbers and dates, cells in quotes hold nothing, as in line \($0.line)" }
    }

    // MARK: - Header and rows

    private var headerOption: SuggestedOption? {
        if structure.headerRows > 1 {
            let reason =
                "\(header.reason): line \((reading.records.first?.line ?? 1) + structure.headerRows) is the first with values"
            return SuggestedOption("header_rows", .plain(String(structure.headerRows)), because: reason)
        }
        return header.option(calling: "row", most: 50)
    }

    /// Rows of delimiters only, which spreadsheets write for emptied rows.
    private var blankOption: SuggestedOption? {
        let end = structure.footer.first?.line ?? .max
        var rows = reading.blankRows
        // Blank rows above and below the table are left out with the titles and the footer.
        rows.count -= structure.footer.count { $0.width > 1 && $0.filled == 0 } + structure.blanksAbove
        if rows.line < reading.records.first?.line ?? 1,
            let first = reading.records.first(where: { $0.width > 1 && $0.filled == 0 })
        {
            rows.line = first.line
        }
        guard reading.width > 1, rows.count > 0, rows.line < end else { return nil }
        let reason =
            "\(rows.count.displayText) \(rows.count == 1 ? "row holds" : "rows hold") nothing but delimiters, the first on line \(rows.line)"
        let others = [SuggestedChoice(.plain("keep"), because: "if such rows are rows all the same")]
        return SuggestedOption("blank_rows", .plain("skip"), because: reason, others: others)
    }

    /// Rows wider than the header, and rows that end before their last cells; a program that leaves empty cells out
    /// writes many of the latter.
    private var raggedOption: SuggestedOption? {
        let (wide, narrow) = (structure.wide, structure.narrow)
        guard reading.width > 1, wide.count > 0 || narrow.count > 0 else { return nil }
        let expected = "the header \(structure.headerWidth)"
        func displayText(_ sight: CSVTrialReading.Sight, _ what: String) -> String {
            "line \(sight.line) has \(sight.width) \(sight.width == 1 ? "cell" : "cells"), \(expected); "
                + "\(sight.count.displayText) \(sight.count == 1 ? "row is" : "rows are") \(what)"
        }
        var reasons: [String] = []
        if wide.count > 0 {
            reasons.append(displayText(wide, structure.endsEmpty ? "longer by an empty cell" : "longer"))
        }
        if narrow.count > 0 { reasons.append(displayText(narrow, "shorter")) }
        let reason = reasons.joined(separator: "; ")
        let others = [SuggestedChoice(.plain("reject"), because: "if such rows are broken")]
        return SuggestedOption("ragged", .plain(wide.count > 0 ? "extend" : "pad"), because: reason, others: others)
    }
}

extension String {
    /// So much of a cell as a comment shows.
    var sample: String { count > 30 ? prefix(30) + "…" : self }
}

/// Remarks on a guessed table as a whole.
extension CSVGuess {
    /// The doubts about the guess.
    var doubts: [String] {
        var doubts: [String] = []
        func doubt(_ text: String) { doubts.append("not sure: \(text)") }
        let delimiter = reading.dialect.displayDelimiter
        if let rival {
            let (place, other) = (rival.isHeaded ? "" : "below the first line, ", rival.dialect.displayDelimiter)
            doubt("\(place)'\(other)' would separate cells nearly as well as '\(delimiter)'")
        }
        if let formula = reading.formula {
            doubt(
                "cells such as '\(formula.text)' on line \(formula.line) are formulas, by which spreadsheets keep zeros; they "
                    + "stay as they are, and a delimiter inside one splits it: export the file without them"
            )
        }
        if reading.width > 1, reading.share < 0.9 {
            doubt("only \(reading.regular) of the first \(reading.records.count) rows have \(reading.width) cells")
        }
        if reading.width == 2, !DialectScore.isCommon(reading.dialect), header.verdict == .likely {
            doubt("these lines may be one column, in which '\(delimiter)' stands once")
        }
        if structure.isFooterDoubtful, let line = structure.footer.first?.line {
            doubt("line \(line) may be a short row, and not what stands below the table")
        }
        if structure.isHeaderDoubtful, let first = reading.records.first?.line.displayText {
            doubt(
                "of the rows of the header, the first of them on line \(first), one may be a title or a row of values"
            )
        }
        if let line = wordyLine?.displayText {
            doubt("line \(line) may be a row of the header, since words stand there above numbers")
        }
        if let line = structure.periodLine?.displayText {
            doubt("line \(line) may be a row of the header, since years stand there above other numbers")
        }
        if let line = structure.above, line.filled > reading.width {
            doubt(
                "line \(line.line.displayText), which is left out, has \(line.filled) cells, more than the rows below it; "
                    + "'ragged: pad' reads rows that are too short"
            )
        }
        if header.verdict == .absent, let line = structure.above, line.filled > 1 {
            doubt("line \(line.line.displayText), which stands above the first row, may name the columns")
        }
        if header.verdict == .absent, let second = reading.records.dropFirst().first, second.blankLines > 0 {
            doubt("a blank line parts the first row from those below it, so it may be a title")
        }
        if let (line, header) = above.map({ ($0.line.displayText, $0.sample) }) {
            doubt("what stands above may be a table too; on line \(line) its header is '\(header)'")
        }
        if above == nil, let line = structure.pairAbove {
            doubt(
                "line \(line.line.displayText) and the one below it, which are left out, have \(line.filled) cells each and "
                    + "may be a table too"
            )
        }
        if let (table, records) = below {
            doubt(
                "a second table begins on line \(table.line.displayText), and its header is '\(table.sample)'; "
                    + (records == nil
                        ? "cut the file in two before it, or its rows are read as those of the first"
                        : "both are imported, and the numbers of lines hold for this file alone")
            )
        }
        if reading.width == 1, let (sign, count) = splitting {
            doubt("'\(sign)' stands in \(count) of \(reading.records.count) rows, and may separate cells")
        }
        return doubts
    }

    /// The line of the first row of a small table, where it has no number and the last row has many.
    private var wordyLine: Int? {
        guard header.verdict != .absent, reading.width > 2 else { return nil }
        let rows = reading.records.filter { $0.width == reading.width }.dropFirst(structure.headerRows)
        guard (2...8).contains(rows.count), let first = rows.first, let last = rows.last else { return nil }
        let numbers = zip(first.cells, last.cells).filter { $1.isValue }
        return numbers.count * 2 >= reading.width && !numbers.contains { $0.0.isValue } ? first.line : nil
    }

    /// The separator of other files that is in most rows of this one, which is read as one column.
    private var splitting: (sign: String, count: Int)? {
        let texts = reading.records.compactMap(\.cells.first).filter { !$0.isQuoted }.map(\.text)
        var counts: [Unicode.Scalar: Int] = [:]
        for text in texts {
            for sign in Set(text.unicodeScalars) where OddDelimiter.separates(sign) || isCommon(sign) {
                counts[sign, default: 0] += 1
            }
        }
        // A blank in every line may separate words as well as cells; links have signs that are missing in their header.
        let likely = counts.filter { sign, count in
            count > 1 && (sign == " " ? count == texts.count : count * 2 > texts.count)
                && (isCommon(sign) || texts[0].unicodeScalars.contains(sign))
        }
        let best = likely.max { ($0.key == " " ? 0 : $0.value, $1.key) < ($1.key == " " ? 0 : $1.value, $0.key) }
        return best.map { ($0.key == "\t" ? "tab" : String(Character($0.key)), $0.value) }
    }

    private func isCommon(_ sign: Unicode.Scalar) -> Bool {
        sign.isASCII && CSVDialect.commonDelimiters.contains(UInt8(sign.value))
    }

    var form: String {
        let delimiter = reading.dialect.displayDelimiter
        let signs = [";": "semicolons", "tab": "tabs", "|": "bars", " ": "spaces"]
        let kind =
            reading.width == 1
            ? "text with one value a line"
            : delimiter == ","
                ? "comma-separated text" : "text separated by \(signs[delimiter] ?? "'\(delimiter)'")"
        return "\(kind) with\(header.verdict == .absent ? "out" : "") a header"
    }
}

extension CSVGuess {
    /// The options of import_csv, each with what speaks for it and where it was seen.
    package func detection(_ text: FoundText) -> FormatDetection {
        var options: [SuggestedOption] = []
        if let encoding = text.encoding { options.append(encoding) }
        if preamble > 0 {
            let lines = preamble == 1 ? "the first line is" : "the first \(preamble) lines are"
            options.append(
                SuggestedOption("skip_lines", .plain(String(preamble)), because: "\(lines) no part of the table")
            )
        }
        if let footerOption { options.append(footerOption) }
        if let comment {
            let mark = String(Character(UnicodeScalar(comment)))
            options.append(SuggestedOption("comment", .text(mark), because: "lines that begin with it are remarks"))
        }
        if let delimiterOption { options.append(delimiterOption) }
        options += quoteOptions
        if let headerOption { options.append(headerOption) }
        if let raggedOption { options.append(raggedOption) }
        if let blankOption { options.append(blankOption) }
        let isSure =
            !looksLikeJSON && reading.width > 1 && reading.share >= 0.9 && reading.records.count > 1
            && !reading.isAligned
        return FormatDetection(
            isSure ? .likely : .possible,
            form: form,
            imports: [SuggestedImport(options: options, notes: doubts)],
            cellsAreText: true
        )
    }

    /// How import_csv reads tables that stand in one file, one below the other: each by itself.
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

    private var footerOption: SuggestedOption? {
        if let (table, records) = below, let records {
            return SuggestedOption(
                "skip_footer",
                .plain(String(structure.footer.count + records)),
                because: "another table begins on line \(table.line.spoken)"
                    + (structure.footer.first.map { ", and what stands from line \($0.line.spoken) on is no row" } ?? "")
            )
        }
        guard let first = structure.footer.first else { return nil }
        let text = (first.cells.first(where: \.isFilled)?.text ?? "").sample
        let count = structure.footer.count
        let ending = count == 1 ? "the last line is" : "the last \(count) lines are"
        return SuggestedOption(
            "skip_footer",
            .plain(String(count)),
            because: "\(ending) no row of the table: line \(first.line) begins with '\(text)'",
            others: structure.isFooterRow
                ? [SuggestedChoice(.plain("0"), because: "if that is a row like the others")] : []
        )
    }

    // MARK: - Delimiter and quotes

    private var delimiterOption: SuggestedOption? {
        let delimiter = reading.dialect.spokenDelimiter
        if !isComma {
            let share =
                reading.regular == reading.records.count
                ? "every row" : "\(reading.regular) of the first \(reading.records.count) rows"
            return SuggestedOption(
                "delimiter",
                .text(delimiter),
                because: reading.width == 1
                    ? "commas stand inside the values" : "it splits \(share) into \(reading.width) cells"
            )
        }
        guard reading.width == 1, odd != nil || headHoldsDelimiter else { return nil }
        // Else the header would be taken for one that the wrong delimiter has left whole.
        let reason =
            odd.map {
                $0.isSpace
                    ? "its columns look aligned with spaces, which import_fixed_width may read"
                    : "'\($0.text)' stands as often in every line, but does not make a table of it"
            } ?? "the rows are one column by any other delimiter too"
        return SuggestedOption("delimiter", .text(","), because: reason)
    }

    /// Whether the first row holds what separates cells in other files.
    private var headHoldsDelimiter: Bool {
        let text = reading.records.first?.cells.first?.text ?? ""
        return text.utf8.contains { CSVDialect.commonDelimiters.contains($0) }
    }

    private var quoteOptions: [SuggestedOption] {
        var options: [SuggestedOption] = []
        let quote = reading.dialect.quote
        if quote == CSVDialect.noQuote {
            options.append(
                SuggestedOption("quote", .text("none"), because: "quotes stand in the middle of cells and around none")
            )
        } else if quote != UInt8(ascii: "\"") {
            options.append(SuggestedOption("quote", .text("'"), because: "it stands around the cells"))
        }
        if let escapeOption { options.append(escapeOption) }
        if reading.stray.count > 0, quote != CSVDialect.noQuote {
            let sample = reading.stray.sample
            options.append(
                SuggestedOption(
                    "quotes",
                    .plain("lenient"),
                    because:
                        "\(reading.stray.count == 1 ? "1 row has a quote" : "\(reading.stray.count.spoken) rows have quotes") inside a cell, "
                        + "the first in line \(reading.stray.line): '\(sample)'"
                )
            )
        }
        if reading.trims {
            let sight = reading.blankQuotes.count > 0 ? reading.blankQuotes : reading.blanks
            options.append(
                SuggestedOption(
                    "trim",
                    .plain("true"),
                    because:
                        "blanks stand around \(reading.blanks.count) of the first \(reading.innerCells) cells, as in line \(sight.line)"
                )
            )
        }
        if let missingQuoted {
            options.append(SuggestedOption("missing_quoted", .plain("true"), because: missingQuoted))
        }
        return options
    }

    private var escapeOption: SuggestedOption? {
        guard reading.dialect.escape != nil else { return nil }
        let reason =
            reading.escaped.count > 0
            ? "it keeps quotes and delimiters inside cells, as in line \(reading.escaped.line): '\(reading.escaped.sample)'"
            : "'\\N' stands for no value, as in line \(reading.nulls.line), so a backslash is no sign of its own"
        return SuggestedOption("escape", .text("\\"), because: reason)
    }

    /// Why cells in quotes may hold no value.
    private var missingQuoted: String? {
        let gap = reading.quotedGap
        if gap.count > 0 { return "'\(gap.text)' stands in quotes, as in line \(gap.line)" }
        guard reading.quotedEmpty.count > 0 else { return nil }
        if reading.plainCells * 50 <= reading.quotedCells {
            return "all cells are quoted, also those that hold nothing, as in line \(reading.quotedEmpty.line)"
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
            return SuggestedOption(
                "header_rows",
                .plain(String(structure.headerRows)),
                because:
                    "\(header.reason): line \((reading.records.first?.line ?? 1) + structure.headerRows) is the first with values"
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
            return SuggestedOption(
                "header",
                header.width <= 50 ? names : .plain("false"),
                because: reason,
                others: header.otherwise
            )
        }
    }

    /// Rows of nothing but delimiters, which spreadsheets write for rows that somebody has emptied.
    private var blankOption: SuggestedOption? {
        let end = structure.footer.first?.line ?? .max
        var rows = reading.blankRows
        // Those above the table and below it are left out with what stands there.
        rows.count -= structure.footer.count { $0.width > 1 && $0.filled == 0 } + structure.blanksAbove
        if rows.line < reading.records.first?.line ?? 1,
            let first = reading.records.first(where: { $0.width > 1 && $0.filled == 0 })
        {
            rows.line = first.line
        }
        guard reading.width > 1, rows.count > 0, rows.line < end else { return nil }
        return SuggestedOption(
            "blank_rows",
            .plain("skip"),
            because:
                "\(rows.count.spoken) \(rows.count == 1 ? "row holds" : "rows hold") nothing but delimiters, the first on line \(rows.line)",
            others: [SuggestedChoice(.plain("keep"), because: "if such rows are rows all the same")]
        )
    }

    /// Rows that are wider than the header, and such that end before their last cells; a program that leaves empty cells out
    /// writes many of them.
    private var raggedOption: SuggestedOption? {
        let (wide, narrow) = (structure.wide, structure.narrow)
        guard reading.width > 1, wide.count > 0 || narrow.count > 0 else { return nil }
        let expected = "the header \(structure.headerWidth)"
        func spoken(_ sight: CSVTrialReading.Sight, _ what: String) -> String {
            "line \(sight.line) has \(sight.width) \(sight.width == 1 ? "cell" : "cells"), \(expected); "
                + "\(sight.count.spoken) \(sight.count == 1 ? "row is" : "rows are") \(what)"
        }
        var reasons: [String] = []
        if wide.count > 0 { reasons.append(spoken(wide, structure.endsEmpty ? "longer by an empty cell" : "longer")) }
        if narrow.count > 0 { reasons.append(spoken(narrow, "shorter")) }
        return SuggestedOption(
            "ragged",
            .plain(wide.count > 0 ? "extend" : "pad"),
            because: reasons.joined(separator: "; "),
            others: [SuggestedChoice(.plain("reject"), because: "if such rows are broken")]
        )
    }
}

extension String {
    /// So much of a cell as a comment shows.
    var sample: String { count > 30 ? prefix(30) + "…" : self }
}

extension CSVTrialReading.Sight {
    fileprivate var sample: String { text.sample }
}

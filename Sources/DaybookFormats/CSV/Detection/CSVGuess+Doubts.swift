/// What is said of a guessed table as a whole.
extension CSVGuess {
    /// What the guess is not sure of.
    var doubts: [String] {
        var doubts: [String] = []
        if let rival {
            let place = rival.isHeaded ? "" : "below the first line, "
            doubts.append(
                "not sure: \(place)'\(rival.dialect.spokenDelimiter)' would separate cells nearly as well as "
                    + "'\(reading.dialect.spokenDelimiter)'"
            )
        }
        if let formula = reading.formula {
            doubts.append(
                "not sure: cells such as '\(formula.text)' on line \(formula.line) are formulas, by which spreadsheets keep zeros; they stay as they "
                    + "are, and a delimiter inside one splits it: export the file without them"
            )
        }
        if reading.width > 1, reading.share < 0.9 {
            doubts.append(
                "not sure: only \(reading.regular) of the first \(reading.records.count) rows have \(reading.width) cells"
            )
        }
        if reading.width == 2, !DialectScore.isCommon(reading.dialect), header.verdict == .likely {
            doubts.append(
                "not sure: these lines may be one column, in which '\(reading.dialect.spokenDelimiter)' stands once"
            )
        }
        if structure.isFooterDoubtful, let line = structure.footer.first?.line {
            doubts.append("not sure: line \(line) may be a short row, and not what stands below the table")
        }
        if structure.isHeaderDoubtful, let first = reading.records.first?.line {
            doubts.append(
                "not sure: of the rows of the header, the first of them on line \(first.spoken), one may be a title or a row of values"
            )
        }
        if let line = wordyLine {
            doubts.append(
                "not sure: line \(line.spoken) may be a row of the header, since words stand there above numbers"
            )
        }
        if let line = structure.periodLine {
            doubts.append(
                "not sure: line \(line.spoken) may be a row of the header, since years stand there above other numbers"
            )
        }
        if let line = structure.above, line.filled > reading.width {
            doubts.append(
                "not sure: line \(line.line.spoken), which is left out, has \(line.filled) cells, more than the rows below it; "
                    + "'ragged: pad' reads rows that are too short"
            )
        }
        if header.verdict == .absent, let line = structure.above, line.filled > 1 {
            doubts.append("not sure: line \(line.line.spoken), which stands above the first row, may name the columns")
        }
        if header.verdict == .absent, let second = reading.records.dropFirst().first, second.blankLines > 0 {
            doubts.append("not sure: a blank line parts the first row from those below it, so it may be a title")
        }
        if let above {
            doubts.append(
                "not sure: what stands above may be a table too; on line \(above.line.spoken) its header is '\(above.sample)'"
            )
        }
        if above == nil, let line = structure.pairAbove {
            doubts.append(
                "not sure: line \(line.line.spoken) and the one below it, which are left out, have \(line.filled) cells each and may be a table too"
            )
        }
        if let (table, records) = below {
            doubts.append(
                "not sure: a second table begins on line \(table.line.spoken), and its header is '\(table.sample)'; "
                    + (records == nil
                        ? "cut the file in two before it, or its rows are read as those of the first"
                        : "both are imported, and the numbers of lines hold for this file alone")
            )
        }
        if reading.width == 1, let (sign, count) = splitting {
            doubts.append(
                "not sure: '\(sign)' stands in \(count) of \(reading.records.count) rows, and may separate cells"
            )
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

    /// What separates cells in other files and stands in most rows of this one, which is read as one column.
    private var splitting: (sign: String, count: Int)? {
        let texts = reading.records.compactMap(\.cells.first).filter { !$0.isQuoted }.map(\.text)
        var counts: [Unicode.Scalar: Int] = [:]
        for text in texts {
            for sign in Set(text.unicodeScalars) where OddDelimiter.separates(sign) || isCommon(sign) {
                counts[sign, default: 0] += 1
            }
        }
        // A blank in every line may stand between two words as well as between two cells; links have signs that their header lacks.
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
        let kind: String
        switch reading.dialect.spokenDelimiter {
        case _ where reading.width == 1: kind = "text with one value a line"
        case ",": kind = "comma-separated text"
        case ";": kind = "text separated by semicolons"
        case "tab": kind = "text separated by tabs"
        case "|": kind = "text separated by bars"
        case " ": kind = "text separated by spaces"
        case let sign: kind = "text separated by '\(sign)'"
        }
        return header.verdict == .absent ? "\(kind) without a header" : "\(kind) with a header"
    }
}

/// How a delimited text is most likely written.
package struct CSVGuess {
    package let reading: CSVTrialReading
    /// Lines above the first record of the table.
    let preamble: Int
    var header: CSVHeaderGuess { structure.header }
    /// The records around the rows, and the rows with other widths.
    let structure: TableStructure
    /// The sign that is equally frequent in every line of a text of one column.
    let odd: OddDelimiter?
    /// Another delimiter that explains the text nearly as well, and whether it splits the first record as the others.
    let rival: (dialect: TrialDialect, isHeaded: Bool)?
    /// Whether the text begins as JSON and property lists do, whose lines may have as many commas each.
    let looksLikeJSON: Bool
    /// The table below this one in the same file, and the number of records from its header on; nil if they are too
    /// many for an import to leave out.
    var below: (table: StackedTables.Table, records: Int?)?
    /// The records above this table that look like a table too.
    var above: StackedTables.Table?
    var comment: UInt8? { structure.comment }

    /// How much of a text the dialects are tried on.
    private static let sample = 64 << 10
    private static let mostRecords = 300
    private static let quotes: [UInt8] = [UInt8(ascii: "\""), UInt8(ascii: "'"), CSVDialect.noQuote]

    private struct Candidate {
        var dialect: TrialDialect
        var score: DialectScore
    }

    /// Tries all dialects; nil if none makes a table of the text.
    ///
    /// - Parameter firstLine: the number in the file of the text's first line.
    package static func of(_ text: FoundText, firstLine: Int = 1) -> CSVGuess? {
        // If a single cell is longer than the sample, all bytes read are examined.
        of(text, firstLine, trying: sample)
            ?? (text.bytes.count > sample ? of(text, firstLine, trying: .max) : nil)
    }

    /// - Parameter most: how many bytes every dialect is tried on.
    private static func of(_ text: FoundText, _ firstLine: Int, trying most: Int) -> CSVGuess? {
        defer { withExtendedLifetime(text.bytes) {} }
        let bytes = text.bytes.filled
        // Markup and property lists begin like this, and no table does.
        guard let first = bytes.first(where: { $0 > 0x20 }), first != UInt8(ascii: "<") else { return nil }
        let part = Cell(rebasing: bytes.prefix(most))
        let isLast = text.isWhole && part.count == bytes.count
        let candidates = candidates(part, isLast: isLast)
        var likeliest = best(of: candidates)
        // One column of cells in quotes is better than several of pieces.
        if likeliest.map({ $0.score.types < 0.75 }) ?? true, let one = oneColumn(part, isLast: isLast),
            likeliest == nil || one.score.types > 0.9
        {
            likeliest = one
        }
        guard let best = likeliest else { return nil }
        var reading = CSVTrialReading(
            bytes,
            best.dialect,
            width: best.score.width,
            firstLine: firstLine,
            isLast: text.isWhole
        )
        guard reading.width > 0, !reading.isMarkdown, !reading.isBrokenByReturns else { return nil }
        guard reading.width > 1 || reading.isOneColumn else { return nil }
        let structure = TableStructure(&reading, isWhole: text.isWhole)
        var guess = CSVGuess(
            reading: reading,
            preamble: max(structure.preamble, firstLine - 1),
            structure: structure,
            odd: reading.width > 1
                ? nil : OddDelimiter.of(bytes, from: 0, CSVDialect(delimiter: best.dialect.delimiter[0])),
            rival: rival(of: best, candidates),
            looksLikeJSON: "{[(".utf8.contains(first)
        )
        guess.above = guess.tableAbove(in: bytes)
        return guess
    }

    // MARK: - Dialects

    private static func candidates(_ bytes: Cell, isLast: Bool) -> [Candidate] {
        var candidates: [Candidate] = []
        let delimiters = DelimiterCandidates(bytes).all
        let hasQuotes = bytes.contains(quotes[0])
        for quote in quotes {
            if quote == CSVDialect.noQuote ? !hasQuotes : quote != quotes[0] && !bytes.contains(quote) { continue }
            let lineEnd = LineEnd(of: bytes, quote: quote)
            for delimiter in delimiters {
                let use = EscapeUse(of: bytes, quote: quote, delimiter: delimiter[0])
                for escape in use.escapes(hasQuotes: hasQuotes && quote != CSVDialect.noQuote) {
                    let dialect = TrialDialect(delimiter: delimiter, quote: quote, escape: escape, lineEnd: lineEnd)
                    let score = DialectScore(bytes, dialect, isLast: isLast, most: mostRecords)
                    if isPossible(dialect, score) { candidates.append(Candidate(dialect: dialect, score: score)) }
                }
            }
        }
        return candidates
    }

    private static func isPossible(_ dialect: TrialDialect, _ score: DialectScore) -> Bool {
        guard score.width > 1 else { return false }
        if DialectScore.isCommon(dialect) { return score.share >= 0.6 || score.isReadByItsHeader || score.endsOptional }
        // A comma and a sign of equality are a cell and a formula.
        guard score.share >= 0.6, !score.isOneName, !dialect.beginsFormulas else { return false }
        guard score.records > 2, score.evenness >= 0.9 || score.evenness >= 0.75 && score.width > 2 && score.types > 0.9
        else { return false }
        if score.width == 2 || dialect.isBlank {
            // Two words are a name or a time, and a link has a colon. Nothing else has a bar twice, whatever its cells look like.
            guard
                score.hasNumbers || score.quoted > score.regular || score.width > 3
                    || !dialect.isBlank && score.evenness > 0.99 && (score.types > 0.9 || dialect.repeatsCommon)
                        && score.records > 4
            else { return false }
        }
        return !(dialect.delimiter == [UInt8(ascii: ":")] && score.width < 4 && score.isAllNumbers)
    }

    /// The candidate that explains the text best: among equals, the one with the usual quote, and without an escape.
    private static func best(of candidates: [Candidate]) -> Candidate? {
        var best: Candidate?
        for candidate in candidates {
            // Written twice, a delimiter leaves a cell of nothing between any two.
            if candidate.score.alternates, candidate.dialect.delimiter.count == 1,
                candidates.contains(where: {
                    $0.dialect.delimiter == candidate.dialect.delimiter + candidate.dialect.delimiter
                })
            {
                continue
            }
            if isHeadless(candidate, among: candidates) { continue }
            if candidate.score.value > (best?.score.value ?? 0) * 1.003 + 0.000_1 { best = candidate }
        }
        return best
    }

    /// Whether a delimiter leaves out the first record although another one splits it like the rows. The header is
    /// split by the separator of cells, and not by a sign inside the cells of one column, such as the blank in a date.
    private static func isHeadless(_ candidate: Candidate, among candidates: [Candidate]) -> Bool {
        !candidate.score.isHeaded
            && candidates.contains { other in
                other.dialect.delimiter != candidate.dialect.delimiter && other.score.isHeaded
                    && other.score.evenness >= 0.9 && !other.score.alternates
            }
    }

    /// Another delimiter that explains the text nearly as well as the best, or explains the header, which the best
    /// leaves out. If blanks are best, the rival must split the header as well, for blanks separate words too.
    private static func rival(
        of best: Candidate,
        _ candidates: [Candidate]
    ) -> (dialect: TrialDialect, isHeaded: Bool)? {
        let others = candidates.filter {
            $0.dialect.delimiter != best.dialect.delimiter && !$0.score.alternates
                && ($0.score.value > best.score.value * 0.85
                    || $0.score.isHeaded && (!best.score.isHeaded || best.dialect.isBlank))
        }
        return others.max { $0.score.value < $1.score.value }.map { ($0.dialect, $0.score.isHeaded) }
    }

    /// A reading of one value per line: with the usual delimiter, unless the values contain it.
    private static func oneColumn(_ bytes: Cell, isLast: Bool) -> Candidate? {
        var best: Candidate?
        for quote in quotes {
            let lineEnd = LineEnd(of: bytes, quote: quote)
            for delimiter in CSVDialect.commonDelimiters {
                let dialect = TrialDialect(delimiter: [delimiter], quote: quote, lineEnd: lineEnd)
                let score = DialectScore(bytes, dialect, isLast: isLast, most: mostRecords)
                guard score.width == 1, score.share >= 0.95 else { continue }
                if best == nil || score.types * score.share > best!.score.types * best!.score.share + 0.05 {
                    best = Candidate(dialect: dialect, score: score)
                }
            }
        }
        return best
    }
}

/// One cell of the first records.
package struct CSVCellSample {
    package let text: String
    package let isQuoted: Bool

    package init(_ text: String, isQuoted: Bool = false) { (self.text, self.isQuoted) = (text, isQuoted) }

    package func begins(with byte: UInt8) -> Bool { !isQuoted && text.utf8.first == byte }

    /// Whether it has anything visible.
    package var isFilled: Bool { !text.allSatisfy(\.isWhitespace) }

    var hasDigit: Bool { text.utf8.contains { (0x30...0x39).contains($0) } }
    var hasLetter: Bool { text.contains(where: \.isLetter) }

    /// Whether it is a year, month or day from 1900 to 2100, of the kind that names columns if each has one.
    var isPeriod: Bool { periodParts != nil }

    /// Of how many numbers a year, month or day consists: 1 for `2024`, 3 for `1/22/20`; nil for anything else.
    var periodParts: Int? {
        let parts = text.split(omittingEmptySubsequences: false) { "-/.".contains($0) }
        guard parts.count <= 3,
            parts.allSatisfy({ [1, 2, 4].contains($0.count) && $0.utf8.allSatisfy { 48...57 ~= $0 } }),
            [parts[0], parts[parts.count - 1]].contains(where: { $0.count == 4 && 1900...2100 ~= Int($0) ?? 0 })
                || parts.count == 3 && text.contains("/") && parts[2].count == 2
        else { return nil }
        // 12.2024 is a number.
        return parts.count == 2 && text.contains(".") ? nil : parts.count
    }

    /// Whether it is a number, a date, a colour or a flag: something that no column is called.
    var isValue: Bool {
        let bytes = Bytes(text)
        defer { withExtendedLifetime(bytes) {} }
        let cell = bytes.filled
        if CellReading.decimal(cell) != nil || CellReading.flag(cell) != nil { return true }
        let digits = cell.count { $0 >= 48 && $0 <= 57 }
        if digits >= 5, digits * 2 >= cell.count { return true }
        // Amounts and parts of a number: € 5.00, 12 %, 1.234,5. Digits with an underscore are a name: 1_2.
        if digits > 0, !hasLetter, !text.contains("_") { return true }
        return cell.count == 7 && cell.first == UInt8(ascii: "#") && text.dropFirst().allSatisfy(\.isHexDigit)
    }
}

/// The separator of cells in a text that no common delimiter splits: signs that are equally frequent in each of its
/// first lines.
package struct OddDelimiter {
    /// The separator as written between cells: `~`, `::`, `§`. Spaces are one space, however many align the columns.
    package let text: String
    /// The number of cells into which it splits a line.
    package let cells: Int
    /// Whether cells are aligned with several spaces.
    let aligns: Bool

    /// The delimiter, where Daybook can split at it.
    package var byte: UInt8? { text.utf8.count == 1 && !aligns ? text.utf8.first : nil }
    var isSpace: Bool { text == " " }

    /// Whether it repeats that delimiter, with which all cells between would be empty.
    package func repeats(_ delimiter: UInt8) -> Bool { text.utf8.count > 1 && text.utf8.allSatisfy { $0 == delimiter } }

    private static let mostLines = 50
    private static let mostBytes = 64 << 10
    /// Two lines agree by chance.
    private static let fewestLines = 3

    /// Examines the lines from `start` on; nil if no sign but the delimiter of `dialect` is equally frequent in all.
    package static func of(_ bytes: Cell, from start: Int, _ dialect: CSVDialect) -> OddDelimiter? {
        let part = Cell(rebasing: bytes[start...].prefix(mostBytes))
        var lines = part.split(whereSeparator: CSVDialect.mayEndLine).prefix(mostLines + 1)
        // The last line may be cut.
        if lines.count > mostLines || part.count == mostBytes { lines.removeLast() }
        guard lines.count >= fewestLines, let first = lines.first else { return nil }
        var (common, aligns) = runs(first)
        for line in lines.dropFirst() where !common.isEmpty {
            let (others, alignsToo) = runs(line)
            common = common.filter { others[$0.key] == $0.value }
            aligns = aligns || alignsToo
        }
        common[String(UnicodeScalar(dialect.delimiter))] = nil
        // A line of two words is a name or a time.
        if common[" "] == 1 { common[" "] = nil }
        let best = common.max { ($0.key == " " ? 0 : 1, $0.value, $1.key) < ($1.key == " " ? 0 : 1, $1.value, $0.key) }
        return best.map { OddDelimiter(text: $0.key, cells: $0.value + 1, aligns: aligns && $0.key == " ") }
    }

    /// How often each sign occurs in a line, adjacent ones counted as one run; and whether spaces do.
    private static func runs(_ line: Slice<Cell>) -> (counts: [String: Int], aligns: Bool) {
        var counts: [String: Int] = [:]
        var aligns = false
        var run = ""
        for scalar in String(decoding: line, as: UTF8.self).unicodeScalars.drop(while: { $0 == " " }) {
            if let last = run.unicodeScalars.last, last == scalar {
                if scalar == " " { aligns = true } else { run.unicodeScalars.append(scalar) }
                continue
            }
            if !run.isEmpty { counts[run, default: 0] += 1 }
            run = separates(scalar) ? String(scalar) : ""
        }
        if !run.isEmpty, run != " " { counts[run, default: 0] += 1 }
        return (counts, aligns)
    }

    /// Whether a character is likelier between cells than in numbers, dates and names.
    static func separates(_ scalar: Unicode.Scalar) -> Bool {
        if scalar.value < 0x80 {
            return scalar == " " || scalar.value < 0x20 || ",;|:^~\\!*#&+=".unicodeScalars.contains(scalar)
        }
        switch scalar.properties.generalCategory {
        case .otherPunctuation, .mathSymbol, .modifierSymbol, .otherSymbol, .control: return true
        default: return false
        }
    }
}

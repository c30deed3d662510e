/// How well a dialect explains a text: how even its records are, times how much its cells look like cells.
///
/// Source: G. J. J. van den Burg, A. Nazábal, C. Sutton, "Wrangling messy CSV files by detecting row and type
/// patterns", Data Mining and Knowledge Discovery 33 (2019). Both measures differ here: an even table has rows of one
/// width, aside from titles above and notes below, and a cell with a separator of other files scores less than a cell
/// without one.
struct DialectScore {
    /// The number of cells that most records have.
    private(set) var width = 0
    /// How many records have it.
    private(set) var regular = 0
    private(set) var records = 0
    /// From 0 to 1.
    private(set) var value = 0.0
    /// How much the cells look like cells, from 0 to 1.
    private(set) var types = 0.0
    /// Whether every second cell is empty, as where a delimiter is written twice.
    private(set) var alternates = false
    /// The number of quoted cells.
    private(set) var quoted = 0
    /// Whether a column holds numbers, which single words between blanks do not; and whether all do.
    private(set) var hasNumbers = false
    private(set) var isAllNumbers = false
    /// The share of records of the usual width, titles and notes aside.
    private(set) var evenness = 0.0
    /// Whether the first record has that width, as a header does.
    private(set) var isHeaded = false
    /// Whether a first record of one word is right above values: the name of the one column whose parts they are.
    private(set) var isOneName = false
    /// Whether tabs separate rows that are even but for a last cell, which many lack.
    private(set) var endsOptional = false
    /// Whether its header explains a few rows: ragged rows, or one whose last cell spans lines without quotes.
    private(set) var isReadByItsHeader = false

    /// The limit of titles and notes around a table.
    private static let mostAround = 24
    /// Among more rows than that most have the width of their table.
    private static let mostSmall = 30

    /// - Parameter isLast: whether the text ends with the bytes; the last record may be cut otherwise.
    init(_ bytes: Cell, _ dialect: TrialDialect, isLast: Bool, most: Int) {
        struct Group {
            var records = 0
            var types = 0.0
            var alternating = 0
            var numbers = 0
            var quoted = 0
        }
        let bytes = DialectScore.behindRemarks(bytes)
        var groups: [Int: Group] = [:]
        var widths: [Int] = []
        var scanner = TrialScanner(bytes, dialect, isWhole: isLast)
        /// Whether the first record has no digit, and the second one has numbers.
        var (isName, isAboveValues, isProse) = (false, false, false)
        while widths.count < most, scanner.next() {
            if scanner.isCut, !isLast, !widths.isEmpty { break }
            widths.append(scanner.width)
            // What no column is called is as long as a sentence.
            if widths.count == 1, scanner.cells.contains(where: { $0.end - $0.start > 60 }) { isProse = true }
            if widths.count == 1, let cell = scanner.cells.first {
                isName = !bytes[cell.start..<cell.end].contains {
                    $0 &- 48 <= 9 || CSVDialect.commonDelimiters.contains($0)
                }
            }
            if widths.count == 2 { isAboveValues = scanner.cells.contains { CellKind(bytes, $0, dialect).isNumber } }
            var group = groups[scanner.width] ?? Group()
            group.records += 1
            var sum = 0.0
            var isAlternating = scanner.width > 2 && scanner.width % 2 == 1
            for (index, cell) in scanner.cells.enumerated() {
                let kind = CellKind(bytes, cell, dialect)
                sum += kind.worth
                if kind.isNumber { group.numbers += 1 }
                if cell.isQuoted { group.quoted += 1 }
                if isAlternating, index % 2 == 1, !cell.isEmpty || cell.isQuoted { isAlternating = false }
            }
            if isAlternating { group.alternating += 1 }
            group.types += sum / Double(max(1, scanner.cells.count))
            groups[scanner.width] = group
        }
        records = widths.count
        // Of two equally common widths the larger one, for missing cells are easier to explain than surplus ones.
        guard var (width, group) = groups.max(by: { ($0.value.records, $0.key) < ($1.value.records, $1.key) }) else {
            return
        }
        let isSmall =
            isLast && widths.count > 2 && widths.count <= DialectScore.mostSmall && DialectScore.isCommon(dialect)
        if isSmall, !isProse, let first = widths.first, first > 2, widths[1] == first, width == 1 || width == first,
            widths.dropFirst(2).allSatisfy({ $0 < first }), widths.contains(1), let whole = groups[first]
        {
            (width, group, isReadByItsHeader) = (first, whole, true)
        }
        self.width = width
        isHeaded = widths.first == width
        isOneName = widths.first == 1 && width > 1 && widths.dropFirst().first == width && isName && isAboveValues
        // For a few ragged rows the header decides how many cells they should have.
        if isSmall, isHeaded, width > 2, widths.allSatisfy({ $0 > 1 }), group.records * 5 >= widths.count * 2 {
            isReadByItsHeader = true
        }
        regular = group.records
        let neighbours = max(groups[width - 1]?.records ?? 0, groups[width + 1]?.records ?? 0)
        endsOptional =
            dialect.delimiter == [UInt8(ascii: "\t")] && width > 2 && (regular + neighbours) * 50 >= records * 49
        types = group.types / Double(group.records)
        alternates = group.alternating == group.records
        hasNumbers = group.numbers * 3 >= group.records * 2
        isAllNumbers = group.numbers == group.records * width
        quoted = group.quoted
        // Records around the table are narrower than it.
        let above = min(widths.firstIndex(of: width) ?? 0, DialectScore.mostAround)
        let below = min(widths.count - 1 - (widths.lastIndex(of: width) ?? 0), DialectScore.mostAround)
        let narrow = widths.prefix(above).count { $0 < width } + widths.suffix(below).count { $0 < width }
        evenness = Double(regular) / Double(max(1, records - min(narrow, regular)))
        let columns = Double(width - 1) / Double(width)
        value = evenness * columns * types * types * DialectScore.prior(dialect)
    }

    /// The text behind two or more lines that begin with a hash: a single one may be a header.
    private static func behindRemarks(_ bytes: Cell) -> Cell {
        let hash = UInt8(ascii: "#")
        var (start, lines) = (0, 0)
        while start < bytes.count, bytes[start] == hash {
            guard let end = bytes[start...].firstIndex(where: CSVDialect.mayEndLine) else { return bytes }
            start = end + 1
            if start < bytes.count, bytes[end] == 0x0D, bytes[start] == 0x0A { start += 1 }
            lines += 1
        }
        return lines < 2 || start == bytes.count ? bytes : Cell(rebasing: bytes[start...])
    }

    var share: Double { records == 0 ? 0 : Double(regular) / Double(records) }

    /// Whether it separates cells as most files do.
    static func isCommon(_ dialect: TrialDialect) -> Bool {
        dialect.delimiter.count == 1 && CSVDialect.commonDelimiters.contains(dialect.delimiter[0])
    }

    /// How much likelier files are to be written with some delimiters than with others.
    private static func prior(_ dialect: TrialDialect) -> Double {
        if dialect.isBlank { return 0.8 }
        if isCommon(dialect) { return 1 }
        if dialect.delimiter.count > 1 { return 0.95 }
        return dialect.delimiter[0] > 0x20 && !":~^".utf8.contains(dialect.delimiter[0]) ? 0.7 : 0.9
    }
}

/// The look of a cell under a dialect.
struct CellKind {
    /// How much it speaks for the dialect, from 0 to 1.
    private(set) var worth = 1.0
    private(set) var isNumber = false

    private static let longest = 200

    private static func isDigit(_ byte: UInt8) -> Bool { byte >= 0x30 && byte <= 0x39 }

    init(_ bytes: Cell, _ cell: TrialScanner.Field, _ dialect: TrialDialect) {
        if cell.isFlawed {
            worth = 0.3
            return
        }
        if cell.isQuoted { return }
        var (start, end) = (cell.start, min(cell.end, cell.start + CellKind.longest))
        while start < end, bytes[start] == 0x20 || bytes[start] == 9 { start += 1 }
        while end > start, bytes[end - 1] == 0x20 || bytes[end - 1] == 9 { end -= 1 }
        guard start < end else {
            worth = 0.9
            return
        }
        var (digits, letters, commas, dashes) = (0, 0, 0, 0)
        var (isSplit, isProse, isTimed, isBrokenTime) = (false, false, false, false)
        // A blank among digits is followed by three digits, as in 1 234.
        var isBrokenGroup = false
        var place = start
        while place < end {
            let next = place + 1 < end ? bytes[place + 1] : 0
            switch bytes[place] {
            case 0x30...0x39: digits += 1
            // Spaces of other widths and signs of currencies; the other characters here separate cells somewhere.
            case 0xC2:
                if ![0xA0, 0xA3, 0xA5, 0xB0].contains(next) { commas += 100 }
                place += 1
            case 0xE2: place += 2
            case 0x41...0x5A, 0x61...0x7A, 0x80...0xFF: letters += 1
            case UInt8(ascii: ","), UInt8(ascii: ";"):
                commas += bytes[place] == UInt8(ascii: ",") ? 1 : 100
                // In sentences a blank follows it.
                if next == 0x20, place > start { isProse = true } else { isSplit = true }
            case 9, UInt8(ascii: "|"), UInt8(ascii: "~"), UInt8(ascii: "^"), 0x01...0x08, 0x1C...0x1F: commas += 100
            case UInt8(ascii: "-"): dashes += place > start ? 1 : 0
            case UInt8(ascii: ":"):
                let isTime =
                    CellKind.isDigit(next) && (place + 2 < end && CellKind.isDigit(bytes[place + 2]))
                    && (place + 3 >= end || !CellKind.isDigit(bytes[place + 3]))
                    && (place > start && CellKind.isDigit(bytes[place - 1]))
                    && (place < start + 3 || !CellKind.isDigit(bytes[place - 3]))
                if isTime { isTimed = true } else { isBrokenTime = true }
            case 0x20:
                let follows =
                    CellKind.isDigit(bytes[place - 1]) && (CellKind.isDigit(next) || next == UInt8(ascii: "-"))
                let group = (place + 1..<end).prefix { CellKind.isDigit(bytes[$0]) }.count
                if follows, group != 3 { isBrokenGroup = true }
            default: break
            }
            place += 1
        }
        let first = bytes[start]
        let last = bytes[end - 1]
        let isEnclosed = end - start > 1 && first == last
        if first == UInt8(ascii: "\"") || last == UInt8(ascii: "\"") && letters == 0,
            dialect.quote != UInt8(ascii: "\"")
        {
            worth = isEnclosed ? 0 : 0.5
        } else if first == UInt8(ascii: "'") || last == UInt8(ascii: "'"), dialect.quote != UInt8(ascii: "'") {
            worth = isEnclosed ? 0.2 : 0.4
        } else if first == UInt8(ascii: "/"), start + 1 < end, bytes[start + 1] == first {
            // The rest of a link whose colon was taken for a delimiter.
            worth = 0.1
        } else if letters == 0, digits > 0 {
            isNumber = !isTimed && !isBrokenTime && dashes == 0 && commas < 100
            worth = commas >= 100 || isBrokenTime || commas > 0 && (dashes > 0 || isTimed) || isProse ? 0.1 : 1
            if isBrokenGroup, !isTimed { worth = min(worth, 0.3) }
        } else if commas >= 100 || isSplit {
            worth = isProse && !isSplit && commas < 200 ? 0.7 : 0.1
        } else if isProse {
            worth = 0.7
        } else if bytes[start..<end].contains(UInt8(ascii: "\"")), dialect.quote != UInt8(ascii: "\"") {
            worth = 0.6
        } else if letters + digits == 0 {
            worth = 0.8
        }
    }
}

/// The possible delimiters of a text: the common delimiters, and other signs in nearly all of its first lines.
struct DelimiterCandidates {
    /// Each as bytes, the commonest in the world first.
    private(set) var all: [[UInt8]]

    private static let mostLines = 60
    private static let mostBytes = 64 << 10
    private static let longestLine = 8 << 10
    private static let mostOdd = 6
    /// Two lines agree by chance.
    private static let fewestLines = 3

    init(_ bytes: Cell) {
        let part = Cell(rebasing: bytes.prefix(DelimiterCandidates.mostBytes))
        all = CSVDialect.commonDelimiters.filter { part.contains($0) }.map { [$0] }
        let split = part.split(whereSeparator: CSVDialect.mayEndLine)
        let lines = DelimiterCandidates.withoutInner(split).prefix(DelimiterCandidates.mostLines)
        guard lines.count >= DelimiterCandidates.fewestLines else { return }
        var signs: [Unicode.Scalar: (lines: Int, runs: Runs)] = [:]
        /// Runs of different signs, as `~|~`.
        var mixed: [String: Int] = [:]
        for line in lines {
            var seen: [Unicode.Scalar: Runs] = [:]
            var seenMixed: Set<String> = []
            var run: [Unicode.Scalar] = []
            func end() {
                if let first = run.first {
                    if run.allSatisfy({ $0 == first }) {
                        seen[first, default: Runs(run.count)].add(run.count)
                    } else if run.count <= 4 {
                        var text = ""
                        text.unicodeScalars.append(contentsOf: run)
                        seenMixed.insert(text)
                        // A cell may begin with a sign of its own, as in `||#FFFFFF`.
                        for (sign, length) in DelimiterCandidates.stretches(of: run) where seen[sign] == nil {
                            seen[sign] = Runs(length)
                        }
                    }
                }
                run.removeAll(keepingCapacity: true)
            }
            let text = String(decoding: line.prefix(DelimiterCandidates.longestLine), as: UTF8.self)
            for scalar in text.unicodeScalars {
                if scalar == " " {
                    end()
                    seen[scalar] = Runs(1)
                } else if OddDelimiter.separates(scalar) {
                    run.append(scalar)
                } else {
                    end()
                }
            }
            end()
            for (sign, runs) in seen {
                var known = signs[sign] ?? (0, runs)
                known.lines += 1
                known.runs.merge(runs)
                signs[sign] = known
            }
            for run in seenMixed { mixed[run, default: 0] += 1 }
        }
        let enough = lines.count * 6 / 10
        for (sign, found) in signs where found.lines > enough {
            let isCommon = sign.isASCII && CSVDialect.commonDelimiters.contains(UInt8(sign.value))
            // Several blanks or commas are blanks and empty cells.
            if !" ,\t".unicodeScalars.contains(sign) {
                for length in Set([found.runs.shortest, found.runs.longest]) where length > 1 && length <= 4 {
                    add(String(repeating: Character(sign), count: length))
                }
            }
            if !isCommon { add(String(Character(sign))) }
        }
        for (run, count) in mixed where count > enough && !run.contains(" ") { add(run) }
        let common = all.filter { $0.count == 1 && CSVDialect.commonDelimiters.contains($0[0]) }
        // In the order of their bytes, for tables of hashes have none.
        let odd = all.filter { !common.contains($0) }.sorted { $0.lexicographicallyPrecedes($1) }
        all = common + odd.prefix(DelimiterCandidates.mostOdd * 2)
    }

    /// The lines except those that begin inside quotes, judged by the number of quotes in the lines above.
    private static func withoutInner(_ lines: [Slice<Cell>]) -> [Slice<Cell>] {
        let quote = ([UInt8(ascii: "\""), UInt8(ascii: "'")]).first { quote in lines.contains { $0.contains(quote) } }
        guard let quote else { return lines }
        var isInside = false
        let outer = lines.filter { line in
            defer { if line.count(where: { $0 == quote }) % 2 == 1 { isInside.toggle() } }
            return !isInside
        }
        return outer.count >= fewestLines && !isInside ? outer : lines
    }

    /// How often a sign repeats in a row in a line: the least and the most, for a cell may contain the sign once.
    private struct Runs {
        private(set) var shortest: Int
        private(set) var longest: Int

        init(_ length: Int) { (shortest, longest) = (length, length) }

        mutating func add(_ length: Int) {
            shortest = min(shortest, length)
            longest = max(longest, length)
        }

        /// Keeps only the signs that another line has as well.
        mutating func merge(_ line: Runs) {
            shortest = min(shortest, line.shortest)
            longest = min(longest, line.longest)
        }
    }

    /// The signs of a run, each with the number of its repetitions at its first occurrence.
    private static func stretches(of run: [Unicode.Scalar]) -> [Unicode.Scalar: Int] {
        var stretches: [Unicode.Scalar: Int] = [:]
        var start = 0
        while start < run.count {
            let length = run[start...].prefix { $0 == run[start] }.count
            if stretches[run[start]] == nil { stretches[run[start]] = length }
            start += length
        }
        return stretches
    }

    private mutating func add(_ text: String) { all.append(Array(text.utf8)) }
}

/// The characters after the backslashes of a text, which show whether these protect signs inside cells.
struct EscapeUse {
    private static let backslash = UInt8(ascii: "\\")

    /// Before the quote or the delimiter.
    private var signs = 0
    /// Before a line end.
    private var lineEnds = 0
    /// Cells of `\N`, which databases write for missing values.
    private var nulls = 0
    /// Before another backslash.
    private var doubled = 0
    /// Backslashes before other characters, which protect nothing.
    private var others = 0

    init(of bytes: Cell, quote: UInt8, delimiter: UInt8) {
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

    /// The escapes to try: none if no backslash protects anything, and only the backslash if all of them must.
    ///
    /// - Parameter hasQuotes: whether cells may be quoted, in which a doubled sign needs no backslash.
    func escapes(hasQuotes: Bool) -> [UInt8?] {
        if others == 0, nulls > 0 || signs + doubled + lineEnds > 0 && !hasQuotes { return [EscapeUse.backslash] }
        return signs + lineEnds > 0 ? [nil, EscapeUse.backslash] : [nil]
    }
}

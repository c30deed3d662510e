/// A text read with the likeliest dialect: its first records, its last ones, and the records unlike the others.
package struct CSVTrialReading {
    /// A record as written in the file.
    package struct Record {
        var cells: [CSVCellSample]
        /// The number of cells; perhaps more than are stored.
        var width: Int
        var line: Int
        /// Where it begins in the text.
        var start = 0
        var isFlawed = false
        /// How many lines before it are blank.
        var blankLines = 0

        var filled: Int { cells.count(where: \.isFilled) }

        /// Removes the blanks that belong to no cell.
        mutating func trim() {
            for index in cells.indices where !cells[index].isQuoted {
                cells[index] = CSVCellSample(cells[index].text.trimmed)
            }
        }
    }

    /// An observation, with its count and its first place.
    struct Sight {
        var count = 0
        var line = 0
        /// The observed value: the number of cells, or a cell.
        var width = 0
        var text = ""

        mutating func add(_ line: Int, width: Int = 0, _ text: @autoclosure () -> String = "") {
            if count == 0 { (self.line, self.width, self.text) = (line, width, text()) }
            count += 1
        }

        mutating func merge(_ other: Sight) {
            let sum = count + other.count
            if count == 0 || other.line < line { self = other }
            count = sum
        }
    }

    let dialect: TrialDialect
    /// The number of cells that most records have.
    package let width: Int
    package internal(set) var records: [Record] = []
    /// The last records of the text; some may be in `records` too.
    var tail: [Record] = []
    /// How many records of the text were read.
    private(set) var total = 0
    /// Records with other widths, wherever they are.
    private(set) var widths: [Int: Sight] = [:]
    /// Quotes out of place.
    private(set) var stray = Sight()
    /// Records of nothing but delimiters.
    private(set) var blankRows = Sight()
    /// Cells with signs protected by a backslash, and cells of `\N` alone, which databases write for missing values.
    private(set) var escaped = Sight()
    private(set) var nulls = Sight()
    /// Records with several blanks between two words of a cell, or with cells of nothing between blanks.
    private var alignedCount = 0
    /// Cells after the first that begin with a blank, in quotes or not; and all cells after the first.
    private(set) var blanks = Sight()
    /// Cells padded with blanks at their end.
    private(set) var padded = Sight()
    private(set) var innerCells = 0
    /// Blanks between a delimiter and a quote.
    private(set) var blankQuotes = Sight()
    /// Empty cells in quotes, and words in quotes that mean a missing value.
    private(set) var quotedEmpty = Sight()
    private(set) var quotedGap = Sight()
    private(set) var quotedCells = 0
    private(set) var plainCells = 0

    /// How many records of the usual width there are.
    package var regular: Int { records.count { $0.width == width } }
    package var share: Double { records.isEmpty ? 0 : Double(regular) / Double(records.count) }
    /// Whether every row has an unquoted carriage return that ends no line, for which an import refuses them all.
    package var isBrokenByReturns: Bool {
        records.count > 1
            && records.dropFirst().allSatisfy { record in
                record.cells.contains { !$0.isQuoted && $0.text.utf8.contains(CSVDialect.carriageReturn) }
            }
    }
    /// How many cells of a record are examined.
    var seenWidth: Int { min(width, TrialScanner.mostCells) }

    static let mostRecords = 500
    private static let mostTail = 8

    /// - Parameter firstLine: the line at which the text begins.
    init(_ bytes: Cell, _ dialect: TrialDialect, width: Int, firstLine: Int, isLast: Bool) {
        self.dialect = dialect
        self.width = width
        var scanner = TrialScanner(bytes, dialect, isWhole: isLast)
        var lines = LineCursor(bytes, firstLine: firstLine, lineEnd: dialect.lineEnd)
        var nextLine = firstLine
        while scanner.next() {
            if scanner.isCut, !isLast { break }
            let line = lines.place(of: scanner.start).line
            let isFirst = records.count < CSVTrialReading.mostRecords
            var record = Record(cells: [], width: scanner.width, line: line, start: scanner.start)
            record.blankLines = line - nextLine
            if isFirst { look(at: scanner, line) }
            if let flawed = scanner.cells.first(where: \.isFlawed) {
                record.isFlawed = true
                stray.add(line, scanner.text(of: flawed))
            }
            if scanner.width > 1, scanner.cells.allSatisfy({ $0.isEmpty && !$0.isQuoted }) { blankRows.add(line) }
            if scanner.width != width { widths[scanner.width, default: Sight()].add(line, width: scanner.width) }
            // The end may be a note, so its cells are examined too.
            let isNear = bytes.count - scanner.position < CSVTrialReading.nearEnd
            if isFirst || isNear { record.cells = samples(scanner) }
            if isFirst { records.append(record) }
            if isNear || isFirst {
                tail.append(record)
                if tail.count > CSVTrialReading.mostTail { tail.removeFirst() }
            }
            total += 1
            nextLine = lines.place(of: scanner.position).line
        }
        if trims {
            for index in records.indices { records[index].trim() }
            for index in tail.indices { tail[index].trim() }
        }
    }

    /// How far before the end of a text its last records are stored.
    private static let nearEnd = 16 << 10

    private func samples(_ scanner: TrialScanner) -> [CSVCellSample] {
        scanner.cells.map { CSVCellSample(scanner.text(of: $0), isQuoted: $0.isQuoted) }
    }

    /// Whether blanks seem to fill columns up, which other signs do not separate.
    var isAligned: Bool { alignedCount * 2 > records.count }

    private mutating func look(at scanner: TrialScanner, _ line: Int) {
        if scanner.cells.contains(where: { scanner.isAligned($0) }) { alignedCount += 1 }
        for (index, cell) in scanner.cells.enumerated() {
            if cell.isQuoted {
                quotedCells += 1
                if cell.isEmpty { quotedEmpty.add(line) }
                if cell.end - cell.start < 8, ColumnLook.gaps.contains(scanner.text(of: cell)) {
                    quotedGap.add(line, scanner.text(of: cell))
                }
                if cell.isPadded { blankQuotes.add(line, scanner.text(of: cell)) }
            } else {
                plainCells += 1
            }
            if scanner.isNull(cell) { nulls.add(line) }
            if cell.isCoded, dialect.escape != nil { escaped.add(line, scanner.text(of: cell)) }
            guard !cell.isEmpty || cell.isQuoted, scanner.width > 1 else { continue }
            if !cell.isQuoted, scanner.bytes[cell.end - 1] == 0x20 { padded.add(line, scanner.text(of: cell)) }
            guard index > 0 else { continue }
            innerCells += 1
            if cell.isQuoted ? cell.isPadded : scanner.bytes[cell.start] == 0x20 {
                blanks.add(line, scanner.text(of: cell))
            }
        }
    }

    /// Whether blanks around cells belong to no cell.
    var trims: Bool { blankQuotes.count > 0 || innerCells > 2 && blanks.count * 10 >= innerCells * 9 }

    /// The first cell with a text as a formula, as in `="007"`.
    var formula: (text: String, line: Int)? {
        for record in records {
            if let cell = record.cells.first(where: { !$0.isQuoted && $0.text.hasPrefix("=\"") }) {
                return (cell.text.sample, record.line)
            }
        }
        return nil
    }

    /// Whether a row of dashes divides a header from its rows, as in a page of Markdown.
    var isMarkdown: Bool {
        dialect.delimiter == [UInt8(ascii: "|")]
            && records.contains { record in
                record.cells.contains { $0.text.contains("--") }
                    && record.cells.allSatisfy { $0.text.allSatisfy { " -:".contains($0) } }
            }
    }

    var isOneColumn: Bool {
        let cells = records.compactMap { $0.isFlawed ? nil : $0.cells.first?.text }
        guard share >= 0.95, cells.count > 1 else { return false }
        // Programs and configurations indent their lines, and prose has long ones or breaks its sentences.
        let odd = cells.count {
            $0.utf8.count > 120 || $0.first?.isWhitespace == true || "{}();".contains($0.last ?? " ")
        }
        return (odd + CSVTrialReading.brokenSentences(in: cells)) * 20 <= cells.count
    }

    /// The number of lines of prose that were broken at one width: the next line goes on in lower case, and its first
    /// word would make the line longer than any of them.
    private static func brokenSentences(in lines: [String]) -> Int {
        let open = zip(lines, lines.dropFirst()).filter { line, next in
            next.first?.isLowercase == true && line.count { $0 == " " } >= 6 && !".!?:".contains(line.last ?? ".")
        }
        let width = open.map(\.0.count).max() ?? 0
        let broken = open.count { line, next in line.count + 1 + next.prefix { $0 != " " }.count > width }
        // Of notes a few are as long as the longest, of prose most lines.
        return broken * 2 > open.count ? broken : 0
    }
}

/// The structure of a text: titles above, the header rows of the table, notes below, and rows of other widths.
struct TableStructure {
    /// Lines above the header.
    private(set) var preamble = 0
    private(set) var header: CSVHeaderGuess
    /// How many rows the header has.
    private(set) var headerRows = 1
    /// Whether a row of the header is neither the names of column groups nor their units.
    private(set) var isHeaderDoubtful = false
    /// The line below the header that may be another header row, for it has years above other numbers.
    private(set) var periodLine: Int?
    /// The last record above it.
    private(set) var above: CSVTrialReading.Record?
    /// The first of two adjacent records above the table with equally many filled cells, as in another table.
    private(set) var pairAbove: CSVTrialReading.Record?
    /// How many records above it hold nothing but delimiters.
    private(set) var blanksAbove = 0
    /// How many cells the header has.
    private(set) var headerWidth: Int
    /// The look of the cells of each column.
    let columns: [ColumnLook]
    /// The beginning of remarks.
    private(set) var comment: UInt8?
    /// Records below the table, from the top.
    private(set) var footer: [CSVTrialReading.Record] = []
    /// Whether a short row might have been taken for a note.
    private(set) var isFooterDoubtful = false
    /// Whether the footer has the cells of a row, and is recognised by its first word alone.
    private(set) var isFooterRow = false
    /// Records of the table that have more cells than the header, and fewer.
    private(set) var wide = CSVTrialReading.Sight()
    private(set) var narrow = CSVTrialReading.Sight()
    /// Whether the last cell of every record that is one cell too wide is empty.
    private(set) var endsEmpty = false

    private static let mostPreamble = 20
    private static let mostHeaderRows = 3

    init(_ reading: inout CSVTrialReading, isWhole: Bool) {
        let width = reading.width
        let hash = UInt8(ascii: "#")
        var skipped: [Int: Int] = [:]
        // A hash begins a colour as well as a remark; a remark does not have the cells of a record.
        let remarks = reading.records.filter { $0.cells.first?.begins(with: hash) == true }
        let leading = reading.records.prefix { $0.cells.first?.begins(with: hash) == true }.count
        // The last line of a long remark above the table may name its columns.
        let others = remarks.dropFirst(leading > 2 ? leading : 0)
        if width > 1, !remarks.isEmpty, others.allSatisfy({ $0.width != width }) {
            comment = hash
            for remark in remarks { skipped[remark.width, default: 0] += 1 }
            reading.records.removeAll { $0.cells.first?.begins(with: hash) == true }
            reading.tail.removeAll { $0.cells.first?.begins(with: hash) == true }
        }
        headerWidth = width
        var first = 0
        /// Rows of a header that has fewer cells than the rows below it.
        var narrowRows = 0
        // Records of one cell above a wide table are a title; a short one among others is a short row.
        if width > 1 {
            let records = reading.records
            // Rows without their last cell are no titles, where many lack it.
            let narrower = records.count { $0.width == width - 1 }
            let lacksLast = width > 2 && narrower >= TableStructure.mostPreamble && narrower * 5 >= records.count
            let widths = lacksLast ? [width, width - 1] : [width]
            first = records.prefix(TableStructure.mostPreamble + 1).firstIndex { widths.contains($0.width) } ?? 0
            let rows = records[first...].map { $0.width == width ? $0.cells : nil }
            if case .some(.some) = rows.first {
                first += CSVTitleRows(rows, width: reading.seenWidth, limit: TableStructure.mostPreamble).count
            }
            // A title has commas too; below it is the header.
            let isBelowTitle =
                TableStructure.header(of: records[first...], width: reading.seenWidth).verdict == .present
            if first > 0, !isBelowTitle, TableStructure.isNarrowHeader(records[first - 1], width: width) {
                headerWidth = records[first - 1].width
                while narrowRows < TableStructure.mostHeaderRows, first > 0, records[first - 1].width == headerWidth {
                    first -= 1
                    narrowRows += 1
                }
            }
        }
        var line = first < reading.records.count ? reading.records[first].line : 1
        var rows = Array(reading.records[first...])
        for index in rows.indices.prefix(narrowRows) {
            let missing = min(width, TrialScanner.mostCells) - rows[index].cells.count
            rows[index].cells += [CSVCellSample](repeating: CSVCellSample(""), count: max(0, missing))
            rows[index].width = width
        }
        let usual = rows.filter { $0.width == width }.map(\.cells)
        columns = ColumnLook.of(usual, width: reading.seenWidth)
        headerRows = width > 1 ? TableStructure.headerRows(usual, columns) : 1
        // The records above a narrow header are titles.
        if narrowRows > headerRows {
            first += narrowRows - headerRows
            rows.removeFirst(narrowRows - headerRows)
            line = rows.first?.line ?? line
            headerRows = 1
        }
        // A header is contiguous: a record separated from it by other lines is a title.
        let heads = rows.indices.filter { rows[$0].width == width }.prefix(headerRows)
        if headerRows > 1, let last = heads.last,
            let gap = (0...last).last(where: { $0 > 0 && (rows[$0].width != width || rows[$0].blankLines > 0) })
        {
            let titles = heads.prefix { $0 < gap }
            headerRows -= titles.count
            first += heads[titles.endIndex]
            rows.removeFirst(heads[titles.endIndex])
            line = rows.first?.line ?? line
        }
        isHeaderDoubtful = (1..<headerRows).contains { row in
            !TableStructure.areUnits(rows[row].cells)
                && !TableStructure.isGroups(rows[row - 1].cells, above: rows[row].cells)
        }
        periodLine = TableStructure.periodLine(rows.filter { $0.width == width }.dropFirst(headerRows).first, columns)
        preamble = first > 0 ? line - 1 : 0
        above = reading.records[..<first].last
        pairAbove =
            zip(reading.records[..<first], reading.records[..<first].dropFirst())
            .first { $0.filled > 1 && $0.filled == $1.filled && $1.blankLines == 0 }?.0
        blanksAbove = reading.records[..<first].count { $0.width > 1 && $0.filled == 0 }
        for record in reading.records[..<first] { skipped[record.width, default: 0] += 1 }
        reading.records.removeFirst(first)
        header =
            headerRows > 1
            ? CSVHeaderGuess(
                several: rows.filter { $0.width == width }.prefix(headerRows).map(\.cells),
                width: reading.seenWidth
            )
            : TableStructure.header(of: rows[...], width: reading.seenWidth)
        if isWhole, width > 1 { findFooter(reading, below: line + headerRows - 1) }
        findRagged(reading, from: line, skipped: skipped)
    }

    private static func header(of records: ArraySlice<CSVTrialReading.Record>, width: Int) -> CSVHeaderGuess {
        CSVHeaderGuess(records.map(\.cells).filter { $0.count == width })
    }

    /// Whether a record of fewer cells than the rows below it may name their columns.
    private static func isNarrowHeader(_ record: CSVTrialReading.Record, width: Int) -> Bool {
        record.width < width && record.width * 2 > width && record.width > 1
            && (record.filled * 2 > record.width || areUnits(record.cells))
    }

    // MARK: - Header rows

    /// The number of rows above the first that has values where most rows have them.
    private static func headerRows(_ rows: [[CSVCellSample]], _ columns: [ColumnLook]) -> Int {
        let valued = columns.indices.filter { columns[$0].isValued }
        guard !valued.isEmpty, rows.count > 3 else { return 1 }
        var count = 0
        for (index, row) in rows.prefix(mostHeaderRows).enumerated() {
            let filled = valued.filter { row[$0].isFilled }
            // Above the names of months are years; below a header they may be values.
            guard
                filled.allSatisfy({ columns[$0].isHeader(row[$0]) || index == 0 && columns[$0].isPeriod(row[$0]) })
            else { break }
            if index > 0, !areUnits(row) {
                // A missing value is written as a word.
                if filled.isEmpty || filled.contains(where: { ColumnLook.gaps.contains(row[$0].text) }) { break }
                let others = row.indices.count { !columns[$0].isValued && row[$0].isFilled }
                guard filled.count > 1 || others == 0 || isGroups(rows[index - 1], above: row) else { break }
            }
            count += 1
        }
        return max(1, count)
    }

    /// The line of a record with years and other words, in columns where most rows have other numbers.
    private static func periodLine(_ record: CSVTrialReading.Record?, _ columns: [ColumnLook]) -> Int? {
        guard let record else { return nil }
        let filled = zip(columns, record.cells).filter { $0.isValued && $1.isFilled }
        let periods = filled.count { $0.isPeriod($1) }
        return periods > 1 && filled.allSatisfy { $0.isPeriod($1) || $0.isHeader($1) } ? record.line : nil
    }

    /// Whether all cells of a row are in brackets, as units are.
    private static func areUnits(_ row: [CSVCellSample]) -> Bool {
        let filled = row.filter(\.isFilled)
        return !filled.isEmpty
            && filled.allSatisfy { cell in
                let text = cell.text.trimmed
                return (text.hasPrefix("(") && text.hasSuffix(")")) || (text.hasPrefix("[") && text.hasSuffix("]"))
            }
    }

    /// Whether a row names groups of columns: fewer names than the row below, or a repeated name.
    private static func isGroups(_ row: [CSVCellSample], above: [CSVCellSample]) -> Bool {
        let names = row.filter(\.isFilled).map(\.text)
        let below = above.filter(\.isFilled).map(\.text)
        return Set(below).count == below.count && (names.count < below.count || Set(names).count < names.count)
    }

    // MARK: - Below the table

    private mutating func findFooter(_ reading: CSVTrialReading, below line: Int) {
        let rows = reading.tail.filter { $0.line > line }
        guard reading.total > 3 else { return }
        var footer = rows[rows.endIndex...]
        while footer.count < 5, let record = rows[..<footer.startIndex].last,
            isNote(record, reading, known: footer)
        {
            footer = rows[(footer.startIndex - 1)...]
        }
        self.footer = Array(footer)
        isFooterRow = footer.contains { $0.width == reading.width && $0.filled > 0 }
    }

    private mutating func isNote(
        _ record: CSVTrialReading.Record,
        _ reading: CSVTrialReading,
        known: ArraySlice<CSVTrialReading.Record>
    ) -> Bool {
        guard let first = record.cells.first(where: \.isFilled) else { return !known.isEmpty || record.width == 1 }
        if ColumnLook.isTotal(first.text) || ColumnLook.isCount(record.cells) { return true }
        // Spreadsheets pad a note to the width of the table.
        if record.width == reading.width, record.filled == 1, record.cells[0].isFilled, isPaddedNote(first.text) {
            return true
        }
        guard record.width != reading.width, !record.isFlawed else { return false }
        if record.blankLines > 0, record.width == 1 || !columns[0].fits(first) || first.text.hasSuffix(":") {
            return true
        }
        guard record.width < reading.width else { return false }
        if record.blankLines > 0 {
            isFooterDoubtful = true
            return true
        }
        // A short row begins as the others do.
        if columns[0].tells { return !columns[0].fits(first) }
        guard record.width == 1 else { return false }
        if (reading.widths[1]?.count ?? 0) - known.count(where: { $0.width == 1 }) > 1 { return false }
        let isSentence = first.text.contains(" ") && !columns[0].hasBlanks || first.text.contains(":")
        isFooterDoubtful = isFooterDoubtful || !isSentence
        return isSentence || reading.width > 2
    }

    /// Whether the only filled cell of a row is no value of its column: another kind, or a sentence with a colon in it.
    private func isPaddedNote(_ text: String) -> Bool {
        if columns[0].tells, !columns[0].fits(CSVCellSample(text)) { return true }
        // The note itself is among the cells of the column, and an adjacent note may be.
        return text.contains(": ") && columns[0].colons <= 2
    }

    // MARK: - Rows of other widths

    /// - Parameter skipped: how many records of a width are above the table or are remarks.
    private mutating func findRagged(_ reading: CSVTrialReading, from line: Int, skipped: [Int: Int]) {
        let end = footer.first?.line ?? .max
        let outside = footer.reduce(into: skipped) { $0[$1.width, default: 0] += 1 }
        for (width, sight) in reading.widths where width != headerWidth {
            var sight = sight
            sight.count -= outside[width] ?? 0
            if let first = reading.records.first(where: { $0.width == width && $0.line >= line }) {
                sight.line = first.line
            }
            guard sight.count > 0, sight.line >= line, sight.line < end else { continue }
            if width > headerWidth { wide.merge(sight) } else { narrow.merge(sight) }
        }
        guard headerWidth < reading.width else { return }
        let rows = reading.records.filter { $0.width == reading.width }
        for row in rows { wide.add(row.line, width: row.width) }
        endsEmpty = rows.allSatisfy { $0.cells.dropFirst(headerWidth).allSatisfy { !$0.isFilled } }
    }
}

/// The look of a column's cells, the first rows aside.
struct ColumnLook {
    /// Whether most cells are numbers, dates and the like.
    private(set) var isValued = false
    /// Whether all cells have digits, or none.
    private(set) var digits: Bool?
    private(set) var hasBlanks = false
    /// How many cells have a colon.
    private(set) var colons = 0
    /// The forms of years, months and days among the cells, by the count of their numbers.
    private(set) var periodParts: Set<Int> = []
    private var filled = 0

    /// How many rows may be a header.
    private static let mostHeaders = 3
    private static let mostRows = 100

    /// Words for a missing value.
    static let gaps: Set<String> = [
        "-", "--", "?", "N/A", "n/a", "#N/A", "NA", "na", "null", "NULL", "nil", "None", "none", "NaN", "nan",
        "unknown", "\\N",
    ]

    /// Words that a row of sums begins with.
    private static let totals: Set<String> = [
        "total", "totals", "grand total", "subtotal", "sum", "summe", "gesamt", "gesamtsumme", "somme", "totale",
        "suma", "totaal",
        "합계", "총계", "소계", "총합", "합", "계", "합 계", "총 계", "合計", "总计", "итого",
    ]

    /// The names of rows in counts of rows.
    private static let counted: Set<String> = [
        "row", "rows", "record", "records", "line", "lines", "entries", "건", "행", "개",
    ]

    /// Whether cells state the number of rows: `3 rows`, `(3 rows)`.
    static func isCount(_ cells: [CSVCellSample]) -> Bool {
        let words = cells.flatMap { $0.text.split { " ()[]:".contains($0) } }.map { $0.lowercased() }
        guard (2...3).contains(words.count) else { return false }
        return words.contains { counted.contains($0) } && words.contains { $0.allSatisfy(\.isNumber) }
    }

    static func isTotal(_ text: String) -> Bool {
        var text = text.lowercased()
        while let last = text.last, last == ":" || last == " " { text.removeLast() }
        return totals.contains(text)
    }

    static func of(_ rows: [[CSVCellSample]], width: Int) -> [ColumnLook] {
        let body = rows.dropFirst(min(mostHeaders, max(1, (rows.count - 1) / 2))).prefix(mostRows)
        return (0..<width).map { column in
            var look = ColumnLook()
            var (values, withDigits) = (0, 0)
            for row in body where row[column].isFilled && !gaps.contains(row[column].text) {
                look.filled += 1
                if row[column].isValue { values += 1 }
                if row[column].hasDigit { withDigits += 1 }
                if let parts = row[column].periodParts { look.periodParts.insert(parts) }
                if row[column].text.contains(" ") { look.hasBlanks = true }
                if row[column].text.contains(":") { look.colons += 1 }
            }
            look.isValued =
                look.filled > 1 && (look.filled < 6 ? values * 3 >= look.filled * 2 : values * 5 >= look.filled * 4)
            look.digits =
                look.filled > 2 && withDigits == look.filled ? true : look.filled > 2 && withDigits == 0 ? false : nil
            return look
        }
    }

    /// Whether cells of other rows can be distinguished from the cells of the column.
    var tells: Bool { isValued || digits == true }

    func fits(_ cell: CSVCellSample) -> Bool {
        if isValued { return cell.isValue }
        if digits == true { return cell.hasDigit && (hasBlanks || !cell.text.contains(" ")) }
        return hasBlanks || !cell.text.contains(" ")
    }

    /// Whether a cell is a year or a day above other numbers.
    func isPeriod(_ cell: CSVCellSample) -> Bool {
        isValued && cell.periodParts.map { !periodParts.contains($0) } ?? false
    }

    /// Whether a cell above the column may be its name or its unit.
    func isHeader(_ cell: CSVCellSample) -> Bool { !cell.isValue && (cell.hasLetter || !cell.hasDigit) }
}

extension String {
    /// The text without blanks around it.
    var trimmed: String {
        var text = self[...].drop { $0 == " " || $0 == "\t" }
        while let last = text.last, last == " " || last == "\t" { text.removeLast() }
        return String(text)
    }
}

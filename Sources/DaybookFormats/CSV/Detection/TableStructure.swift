/// What of a text is its table: titles above, the rows of its header, notes below, and rows of other widths.
struct TableStructure {
    /// Lines above the header.
    private(set) var preamble = 0
    private(set) var header: CSVHeaderGuess
    /// How many rows the header has.
    private(set) var headerRows = 1
    /// How many cells the header has.
    private(set) var headerWidth: Int
    /// What begins remarks.
    private(set) var comment: UInt8?
    /// Records below the table, the first of them first.
    private(set) var footer: [CSVTrialReading.Record] = []
    /// Whether a short row might be what was taken for a note.
    private(set) var isFooterDoubtful = false
    /// Records of the table that have more cells than the header, and fewer.
    private(set) var wide = CSVTrialReading.Sight()
    private(set) var narrow = CSVTrialReading.Sight()
    /// Whether the last cell of every record that is too wide by one is empty.
    private(set) var endsEmpty = false

    private static let mostPreamble = 20

    init(_ reading: inout CSVTrialReading, isWhole: Bool) {
        let width = reading.width
        let hash = UInt8(ascii: "#")
        // A hash begins a colour as well as a remark; a remark does not have the cells of a record.
        let remarks = reading.records.filter { $0.cells.first?.begins(with: hash) == true }
        if width > 1, !remarks.isEmpty, remarks.allSatisfy({ $0.width != width }) {
            comment = hash
            reading.records.removeAll { $0.cells.first?.begins(with: hash) == true }
            reading.tail.removeAll { $0.cells.first?.begins(with: hash) == true }
        }
        var first = 0
        headerWidth = width
        // Records of one cell above a wide table are a title; a short one among others is a short row.
        if width > 1 {
            let records = reading.records
            first = records.prefix(TableStructure.mostPreamble + 1).firstIndex { $0.width == width } ?? 0
            let above = first > 0 ? records[first - 1] : nil
            let isTitle = TableStructure.header(of: records[first...], width: reading.seenWidth).verdict == .present
            // A title has commas too; below it stands the header.
            if let above, above.width * 2 > width, above.width > 1, !isTitle {
                first -= 1
                headerWidth = above.width
            } else {
                let rows = records[first...].map { $0.width == width ? $0.cells : nil }
                first += CSVTitleRows(rows, width: reading.seenWidth, limit: TableStructure.mostPreamble).count
            }
        }
        let line = first < reading.records.count ? reading.records[first].line : 1
        preamble = first > 0 ? line - 1 : 0
        reading.records.removeFirst(first)
        var rows = reading.records
        if headerWidth < width, !rows.isEmpty {
            let gaps = [CSVCellSample](repeating: CSVCellSample(""), count: min(width, TrialScanner.mostCells) - headerWidth)
            rows[0].cells += gaps
            rows[0].width = width
        }
        header = TableStructure.header(of: rows[...], width: reading.seenWidth)
        let usual = rows.filter { $0.width == width }.map(\.cells)
        let columns = ColumnLook.of(usual, width: reading.seenWidth)
        if width > 1, header.verdict != .absent || usual.first?.contains(where: \.hasLetter) == true {
            headerRows = TableStructure.headerRows(usual, columns)
            if headerRows > 1 { header = CSVHeaderGuess(several: headerRows, width: header.width) }
        }
        let from = first < reading.tail.count ? line : 1
        if isWhole, width > 1 { findFooter(reading, columns, below: from + headerRows - 1) }
        findRagged(reading, from: line)
    }

    private static func header(of records: ArraySlice<CSVTrialReading.Record>, width: Int) -> CSVHeaderGuess {
        CSVHeaderGuess(records.map(\.cells).filter { $0.count == width })
    }

    // MARK: - Header rows

    /// How many rows stand above the first that has values where most rows have.
    private static func headerRows(_ rows: [[CSVCellSample]], _ columns: [ColumnLook]) -> Int {
        let valued = columns.indices.filter { columns[$0].isValued }
        guard !valued.isEmpty, rows.count > 3 else { return 1 }
        var count = 0
        for row in rows.prefix(3) {
            let filled = valued.filter { row[$0].isFilled }
            let isHeader = valued.allSatisfy { !row[$0].isFilled || columns[$0].isHeader(row[$0]) }
            guard isHeader else { break }
            // Where a value is missing, a word says so.
            if count > 0 {
                if filled.isEmpty || filled.contains(where: { ColumnLook.gaps.contains(row[$0].text) }) { break }
                let others = row.indices.filter { !columns[$0].isValued && row[$0].isFilled }
                guard filled.count > 1 || others.isEmpty else { break }
            }
            count += 1
        }
        return max(1, count)
    }

    // MARK: - Below the table

    private mutating func findFooter(_ reading: CSVTrialReading, _ columns: [ColumnLook], below line: Int) {
        let rows = reading.tail.filter { $0.line > line }
        guard reading.total > 3 else { return }
        var footer = rows[rows.endIndex...]
        while footer.count < 5, let record = rows[..<footer.startIndex].last,
            isNote(record, reading, columns, known: footer)
        {
            footer = rows[(footer.startIndex - 1)...]
        }
        self.footer = Array(footer)
    }

    private mutating func isNote(
        _ record: CSVTrialReading.Record,
        _ reading: CSVTrialReading,
        _ columns: [ColumnLook],
        known: ArraySlice<CSVTrialReading.Record>
    ) -> Bool {
        guard let first = record.cells.first(where: \.isFilled) else { return !known.isEmpty || record.width == 1 }
        if ColumnLook.isTotal(first.text) { return true }
        guard record.width < reading.width, !record.isFlawed else { return false }
        if record.blankLines > 0, record.width == 1 || !columns[0].fits(first) { return true }
        // A short row begins as the others do.
        if columns[0].tells { return !columns[0].fits(first) }
        guard record.width == 1 else { return false }
        let others = (reading.widths[1]?.count ?? 0) - known.count { $0.width == 1 } - 1
        if others > 0 { return false }
        let isSentence = first.text.contains(" ") && !columns[0].hasBlanks || first.text.contains(":")
        isFooterDoubtful = isFooterDoubtful || !isSentence
        return isSentence || reading.width > 2
    }

    // MARK: - Rows of other widths

    private mutating func findRagged(_ reading: CSVTrialReading, from line: Int) {
        let end = footer.first?.line ?? .max
        let outside = footer.reduce(into: [Int: Int]()) { $0[$1.width, default: 0] += 1 }
        for (width, sight) in reading.widths.sorted(by: { $0.key < $1.key }) where width != headerWidth {
            // Titles and notes have their places; what else is so wide stands in the table.
            let inside = reading.records.first { $0.width == width && $0.line >= line && $0.line < end }
            let above = sight.count - (outside[width] ?? 0)
            guard let place = inside?.line ?? (sight.line >= line && above > 0 && sight.line < end ? sight.line : nil) else {
                continue
            }
            let count = inside == nil ? above : max(1, reading.records.count { $0.width == width && $0.line < end })
            for _ in 0..<min(count, 1_000_000) {
                if width > headerWidth { wide.add(place, width: width) } else { narrow.add(place, width: width) }
            }
        }
        if headerWidth < reading.width {
            let rows = reading.records.filter { $0.width == reading.width }
            for row in rows { wide.add(row.line, width: row.width) }
            endsEmpty = rows.allSatisfy { $0.cells[headerWidth...].allSatisfy { !$0.isFilled } }
        }
    }
}

/// What the cells of a column look like, the first rows aside.
struct ColumnLook {
    /// Whether most cells are numbers, dates and the like.
    private(set) var isValued = false
    /// Whether all cells have digits, or none.
    private(set) var digits: Bool?
    private(set) var hasBlanks = false
    private var filled = 0

    /// How many rows may be a header.
    private static let mostHeaders = 3
    private static let mostRows = 100

    /// Words that stand where a value is missing.
    static let gaps: Set<String> = [
        "-", "--", "?", "N/A", "n/a", "#N/A", "NA", "na", "null", "NULL", "nil", "None", "none", "NaN", "nan", "unknown",
    ]

    /// Words that a row of sums begins with.
    private static let totals: Set<String> = [
        "total", "totals", "grand total", "subtotal", "sum", "summe", "gesamt", "gesamtsumme", "somme", "totale", "suma", "totaal",
        "합계", "총계", "소계", "총합", "합", "계", "합 계", "총 계", "合計", "总计", "итого",
    ]

    static func isTotal(_ text: String) -> Bool {
        let text = text.lowercased().trimmingSuffix { ": ".contains($0) }
        return totals.contains(String(text))
    }

    static func of(_ rows: [[CSVCellSample]], width: Int) -> [ColumnLook] {
        let body = rows.dropFirst(rows.count > mostHeaders * 2 ? mostHeaders : 1).prefix(mostRows)
        return (0..<width).map { column in
            var look = ColumnLook()
            var (values, withDigits) = (0, 0)
            for row in body where row[column].isFilled && !gaps.contains(row[column].text) {
                look.filled += 1
                if row[column].isValue { values += 1 }
                if row[column].hasDigit { withDigits += 1 }
                if row[column].text.contains(" ") { look.hasBlanks = true }
            }
            look.isValued = look.filled > 1 && values * 5 >= look.filled * 4
            look.digits = look.filled > 2 && withDigits == look.filled ? true : look.filled > 2 && withDigits == 0 ? false : nil
            return look
        }
    }

    /// Whether a cell of another row can be told from those of the column.
    var tells: Bool { isValued || digits == true }

    func fits(_ cell: CSVCellSample) -> Bool {
        if isValued { return cell.isValue }
        if digits == true { return cell.hasDigit && (hasBlanks || !cell.text.contains(" ")) }
        return hasBlanks || !cell.text.contains(" ")
    }

    /// Whether a cell above the column may be its name or its unit.
    func isHeader(_ cell: CSVCellSample) -> Bool { !cell.isValue && (cell.hasLetter || !cell.hasDigit) }
}

extension String {
    fileprivate func trimmingSuffix(where drops: (Character) -> Bool) -> Substring {
        var text = self[...]
        while let last = text.last, drops(last) { text.removeLast() }
        return text
    }
}

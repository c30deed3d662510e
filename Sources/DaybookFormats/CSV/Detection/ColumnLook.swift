/// What the cells of a column look like, the first rows aside.
struct ColumnLook {
    /// Whether most cells are numbers, dates and the like.
    private(set) var isValued = false
    /// Whether all cells have digits, or none.
    private(set) var digits: Bool?
    private(set) var hasBlanks = false
    /// How many cells have a colon.
    private(set) var colons = 0
    /// Whether a cell is a year or a day, as a name above other numbers may be.
    private(set) var hasPeriods = false
    private var filled = 0

    /// How many rows may be a header.
    private static let mostHeaders = 3
    private static let mostRows = 100

    /// Words that stand where a value is missing.
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

    /// What rows are called where they are counted.
    private static let counted: Set<String> = [
        "row", "rows", "record", "records", "line", "lines", "entries", "건", "행", "개",
    ]

    /// Whether cells say how many rows there are: `3 rows`, `(3 rows)`.
    static func isCount(_ cells: [CSVCellSample]) -> Bool {
        let words = cells.flatMap { $0.text.split { " ()[]:".contains($0) } }.map { $0.lowercased() }
        guard (2...3).contains(words.count) else { return false }
        return words.contains { counted.contains($0) } && words.contains { $0.allSatisfy(\.isNumber) }
    }

    static func isTotal(_ text: String) -> Bool {
        let text = text.lowercased().trimmingSuffix { ": ".contains($0) }
        return totals.contains(String(text))
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
                if row[column].isPeriod { look.hasPeriods = true }
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

    /// Whether a cell of another row can be told from those of the column.
    var tells: Bool { isValued || digits == true }

    func fits(_ cell: CSVCellSample) -> Bool {
        if isValued { return cell.isValue }
        if digits == true { return cell.hasDigit && (hasBlanks || !cell.text.contains(" ")) }
        return hasBlanks || !cell.text.contains(" ")
    }

    /// Whether a cell is a year or a day above other numbers.
    func isPeriod(_ cell: CSVCellSample) -> Bool { isValued && cell.isPeriod && !hasPeriods }

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

    fileprivate func trimmingSuffix(where drops: (Character) -> Bool) -> Substring {
        var text = self[...]
        while let last = text.last, drops(last) { text.removeLast() }
        return text
    }
}

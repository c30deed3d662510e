/// Whether the first record of a delimited text names the columns.
package struct CSVHeaderGuess {
    enum Verdict {
        case present, absent
        /// All cells are words, also in the first record; or years head columns of other numbers.
        case likely
    }

    let verdict: Verdict
    package let reason: String
    package let width: Int
    /// Whether a first record with values may still be the header: its cells differ, and the first is no value.
    private(set) var isDoubtful = false

    package init(_ records: [[CSVCellSample]]) {
        let first = records.first ?? []
        let rest = records.dropFirst()
        width = first.count
        let periods = CSVHeaderGuess.periods(in: first, above: rest)
        let repeated = CSVHeaderGuess.repeated(first, in: rest)
        let values = first.indices.filter { first[$0].isValue && !periods.contains($0) }
        if let index = values.first, CSVHeaderGuess.named(first, above: rest) < 3 * values.count {
            verdict = .absent
            reason = "the first row holds '\(first[index].text)', which is a value and no name"
            isDoubtful =
                width > 1 && !rest.isEmpty && !first[0].isValue && repeated == nil
                && CSVHeaderGuess.areDistinct(first)
        } else if let index = periods.first {
            verdict = .likely
            reason = "'\(first[index].text)' stands above other numbers, so it is likely a name and not certainly"
        } else if first.contains(where: { $0.text.isEmpty && !$0.isQuoted }), width == 1 {
            verdict = .present
            reason = "the first row is empty"
        } else if first.indices.contains(where: { index in rest.contains { $0[index].isValue } }) {
            verdict = .present
            reason = "the first row has words where the others have numbers or dates"
        } else if rest.count > 2,
            first.indices.contains(where: { index in
                !first[index].hasDigit && first[index].hasLetter && rest.allSatisfy { $0[index].hasDigit }
            })
        {
            verdict = .present
            reason = "the first row has words where the others have digits"
        } else if let index = repeated {
            verdict = .absent
            reason = "'\(first[index].text)' in the first row stands further down too"
        } else {
            verdict = .likely
            reason = "all cells are words, so this is likely and not certain"
        }
    }

    /// A header of several rows, each with words where rows have values, or the first with years.
    init(several rows: [[CSVCellSample]], width: Int) {
        verdict = .present
        let names = rows.joined().contains(where: \.isPeriod) ? "words or years" : "words"
        reason = "the first \(rows.count) rows have \(names) where the others have numbers or dates"
        self.width = width
    }

    /// The columns named by a year or a day: all of their rows have other numbers.
    private static func periods(in first: [CSVCellSample], above rest: ArraySlice<[CSVCellSample]>) -> [Int] {
        guard areDistinct(first) else { return [] }
        return first.indices.filter { index in
            let cells = rest.map { $0[index] }.filter { $0.isFilled && !ColumnLook.gaps.contains($0.text) }
            // 1/22/20 heads a column of numbers, of which one may be 2020.
            guard let parts = first[index].periodParts, !cells.isEmpty else { return false }
            return cells.allSatisfy { $0.isValue && $0.periodParts != parts }
        }
    }

    /// How many columns have a word above values alone, so that one name may look like a value: `EU27_2007`.
    private static func named(_ first: [CSVCellSample], above rest: ArraySlice<[CSVCellSample]>) -> Int {
        first.indices.count { index in
            guard first[index].hasLetter, !first[index].isValue else { return false }
            let cells = rest.map { $0[index] }.filter { $0.isFilled && !ColumnLook.gaps.contains($0.text) }
            return cells.count > 2 && cells.allSatisfy(\.isValue)
        }
    }

    /// The first column whose cell stands further down too, as that of a row would and a name would not.
    ///
    /// A column of members has its own name or nothing in each row: `EU` below `EU`. In a wide table, a few names are values too.
    private static func repeated(_ first: [CSVCellSample], in rest: ArraySlice<[CSVCellSample]>) -> Int? {
        let columns = first.indices.filter { index in
            let text = first[index].text
            guard !text.isEmpty, rest.contains(where: { $0[index].text == text }) else { return false }
            let isMembership =
                rest.contains { $0[index].text.isEmpty }
                && rest.allSatisfy { $0[index].text.isEmpty || $0[index].text == text }
            return !isMembership
        }
        return first.count >= 10 && columns.count * 10 < first.count && areDistinct(first) ? nil : columns.first
    }

    private static func areDistinct(_ cells: [CSVCellSample]) -> Bool {
        let filled = cells.filter(\.isFilled)
        return Set(filled.map(\.text)).count == filled.count
    }

    /// The option that says what the first record is; nil where it need not be said.
    ///
    /// - Parameters:
    ///   - record: what a record is called.
    ///   - most: for so many columns names are suggested.
    func option(calling record: String, most: Int = .max) -> SuggestedOption? {
        let names: SuggestedValue? = width <= most ? .list((0..<width).map { .text("column_\($0 + 1)") }) : nil
        switch verdict {
        case .present: return nil
        case .likely:
            let because = "if the first \(record) is a row like the others"
            let others = names.map { [SuggestedChoice($0, because: because)] } ?? []
            return SuggestedOption("header", .plain("true"), because: reason, others: others)
        case .absent:
            let because = "\(reason); write names of your own"
            let others = [SuggestedChoice(.plain("true"), because: "if the first row names the columns")]
            let value = names ?? .plain("false")
            return SuggestedOption("header", value, because: because, others: isDoubtful ? others : [])
        }
    }
}

/// The rows above the header of a table that are as wide as its rows, but nearly empty.
///
/// Spreadsheets pad every row to the width of the widest, so a title, the day of an export and the blank rows between
/// them look like rows of the table. The header is the first row that is filled like the rows below it.
struct CSVTitleRows {
    /// The number of rows above the header.
    private(set) var count = 0

    private let rows: [[CSVCellSample]?]
    private let width: Int
    /// The number of non-empty cells of each row; nil for rows outside the table.
    private let filled: [Int?]

    /// - Parameters:
    ///   - rows: the first rows; nil for rows with misplaced quotes.
    ///   - limit: how many rows may precede a header.
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

    /// How many of the sparse rows above `full` are titles: all, unless one is a header with gaps or a row.
    private func titles(above full: Int) -> Int {
        guard let last = (0..<full).last(where: { filled[$0] ?? 0 > 0 }), let above = rows[last] else { return full }
        let isAlone = filled[last] == 1 && width > 2
        switch CSVHeaderGuess(rows[full...].compactMap { $0 }.filter { $0.count == width }).verdict {
        case .present: return full
        case .likely: return isAlone || last < full - 1 ? full : 0
        case .absent:
            // A row filled like the others is a row itself, so its names are above it, or nowhere.
            guard isAlone else { return last }
            return above.contains(where: \.isValue) ? 0 : full
        }
    }
}

/// Detects an ordinary row taken for the header, which would be lost: its values resemble those of the next rows.
struct CSVMissingHeader {
    static let mostRows = 50

    /// The values of the first row that no column is called; nil where it may be a header.
    let values: [String]

    /// - Parameters:
    ///   - rows: the rows after the first, at most `mostRows`, each with as many cells.
    ///   - names: cells that the job knows to be names.
    init?(_ first: [CSVCellSample], besides names: some Sequence<String>, rows: () -> [[CSVCellSample]]) {
        let suspects = first.indices.filter { CSVMissingHeader.isNumberOrDate(first[$0]) && !first[$0].isQuoted }
        guard !suspects.isEmpty, !CSVMissingHeader.areNames(suspects.map { first[$0] }) else { return nil }
        let rows = rows()
        let goesOn = suspects.filter { index in
            let below = rows.map { $0[index] }.filter(\.isFilled)
            guard !below.isEmpty, below.allSatisfy(CSVMissingHeader.isNumberOrDate) else { return false }
            // A year above other numbers is the name of their column.
            guard let parts = first[index].periodParts else { return true }
            return below.contains { $0.periodParts == parts }
        }
        guard goesOn.count == suspects.count else { return nil }
        let holdsGap = first.indices.contains { index in
            !first[index].isFilled && rows.contains { $0[index].isFilled }
        }
        // An export writes nothing above its column of row numbers.
        guard !holdsGap else { return nil }
        let values = goesOn.map { first[$0].text }
        guard !names.contains(where: values.contains) else { return nil }
        self.values = values
    }

    /// The error for a first row that is probably lost.
    func error(at place: SourcePlace) -> DaybookError {
        let shown = DisplayText.list(values.prefix(3).map { "'\($0.prefix(40))'" })
        let message =
            "the first row is taken for the header and holds \(shown), as the rows below it do: it is likely a row"
        let hint = "write 'header: false' if it is one, or 'header: true' if it names the columns"
        return DaybookError.data("no-header", message, at: place, hint: hint)
    }

    /// Whether a cell is what no column is called: digits with the signs of numbers, days and times, and not `c10000`, `=1+2` or `3);`.
    private static func isNumberOrDate(_ cell: CSVCellSample) -> Bool {
        guard cell.isValue, cell.hasDigit else { return false }
        let text = cell.text.utf8.drop { "+-".utf8.contains($0) }
        guard let first = text.first, (0x30...0x39).contains(first) else { return false }
        return text.allSatisfy { (0x30...0x39).contains($0) || ".,:/-+% TZeE".utf8.contains($0) }
    }

    /// Whether numbers can be names: several years or days, or three or more in sequence.
    private static func areNames(_ cells: [CSVCellSample]) -> Bool {
        if cells.count > 1, cells.allSatisfy(\.isPeriod), Set(cells.map(\.text)).count == cells.count { return true }
        let numbers = cells.compactMap { Int($0.text) }
        guard numbers.count == cells.count, numbers.count > 2 else { return false }
        return zip(numbers, numbers.dropFirst()).allSatisfy { $1 == $0 + 1 }
    }

    /// The rows of delimited text.
    static func rows(
        from start: Int,
        of bytes: Cell,
        _ dialect: CSVDialect,
        width: Int,
        isWhole: Bool
    ) -> [[CSVCellSample]] {
        var scanner = CSVRecordScanner(dialect: dialect)
        var rows: [[CSVCellSample]] = []
        var position = start
        while rows.count < mostRows, let record = scanner.next(in: bytes, at: &position, isLast: isWhole) {
            guard record.kind == .fields, scanner.fields.count == width else { continue }
            rows.append(samples(of: scanner.fields, bytes, dialect))
        }
        return rows
    }

    static func samples(of fields: [CSVRecordScanner.Field], _ bytes: Cell, _ dialect: CSVDialect) -> [CSVCellSample] {
        fields.map { CSVCellSample(CSVFormat.text(of: $0, bytes, dialect), isQuoted: $0.isQuoted) }
    }
}

/// The header of a delimited file, to find its repetitions among the rows, as in concatenated exports.
struct RepeatedHeader: Sendable {
    /// The possible beginning of an export, and so of a header among the rows: the UTF-8 byte-order mark.
    private static let mark = ByteOrderMark.bytes

    /// How a record begins that may be the header: the bytes of `key` that `mask` has set, the first lowest.
    struct Beginning: Sendable {
        var key: UInt64 = 0
        var mask: UInt64 = 0
        let isQuoted: Bool

        init(_ bytes: some Collection<UInt8>, isQuoted: Bool = false) {
            self.isQuoted = isQuoted
            for (place, byte) in bytes.prefix(8).enumerated() {
                key |= UInt64(byte) << UInt64(8 * place)
                mask |= 0xFF << UInt64(8 * place)
            }
        }
    }

    /// The header rows that are not blank.
    private let rows: [[[UInt8]]]
    private let dialect: CSVDialect
    /// Whether a repetition is dropped, rather than rejected.
    let isSkipped: Bool
    /// The beginnings of a repetition: as written, after a byte-order mark, and in quotes.
    let beginnings: [Beginning]
    /// By first byte, 1 if a repetition may begin so, and 2 for a byte-order mark: looked up for every record.
    let firstBytes: [UInt8]
    /// The same table if no record is compared with a header.
    static let noFirstBytes: [UInt8] = {
        var bytes = [UInt8](repeating: 0, count: 256)
        bytes[Int(mark[0])] = 2
        return bytes
    }()

    /// Nil if no record is compared with the header.
    init?(_ header: [[[UInt8]]], _ dialect: CSVDialect, _ fate: CSVReadSettings.Repeated) {
        // A row of nothing is no header, and one column of nothing is a file of blank lines.
        let rows = header.filter { $0.contains { !$0.isEmpty } }
        guard fate != .keep, !rows.isEmpty else { return nil }
        self.rows = rows
        self.dialect = dialect
        isSkipped = fate == .skip
        beginnings = rows.flatMap { RepeatedHeader.beginnings(of: $0, dialect) }
        var firstBytes = RepeatedHeader.noFirstBytes
        for beginning in beginnings { firstBytes[Int(beginning.key & 0xFF)] |= 1 }
        self.firstBytes = firstBytes
    }

    /// The possible beginnings of a record that repeats a row of the header.
    private static func beginnings(of cells: [[UInt8]], _ dialect: CSVDialect) -> [Beginning] {
        let first = cells[0]
        // If blanks belong to no cell, they may surround the first.
        let plain = first + (cells.count > 1 && (!dialect.trims || first.isEmpty) ? [dialect.delimiter] : [])
        let blanks = dialect.trims ? [Beginning([0x20]), Beginning([0x09])] : []
        return [
            Beginning(plain), Beginning(mark + plain),
            Beginning([dialect.quote] + first.prefix { $0 != dialect.quote }, isQuoted: true),
        ] + blanks
    }

    /// Whether the fields of a record equal a row of the header.
    func repeats(_ fields: [CSVRecordScanner.Field], _ bytes: Cell) -> Bool {
        rows.contains { equals($0, fields, bytes) }
    }

    private func equals(_ cells: [[UInt8]], _ fields: [CSVRecordScanner.Field], _ bytes: Cell) -> Bool {
        guard fields.count == cells.count else { return false }
        for (place, (field, cell)) in zip(fields, cells).enumerated() {
            if field.isEncoded {
                guard CSVFormat.text(of: field, bytes, dialect).utf8.elementsEqual(cell) else { return false }
            } else {
                var text = bytes[field.start..<field.end]
                if place == 0, text.count == cell.count + 3, text.starts(with: RepeatedHeader.mark) {
                    text = text.dropFirst(3)
                }
                guard text.count == cell.count, text.elementsEqual(cell) else { return false }
            }
        }
        return true
    }
}

/// Column names over several rows, as under the merged cells of a spreadsheet.
struct CSVHeaderRows {
    private var rows: [(texts: [String], places: [Int])] = []

    /// The cells of each row as they are written.
    var cells: [[[UInt8]]] { rows.map { $0.texts.map { Array($0.utf8) } } }
    var count: Int { rows.count }

    mutating func append(_ fields: [CSVRecordScanner.Field], _ bytes: Cell, _ dialect: CSVDialect) {
        rows.append((fields.map { CSVFormat.text(of: $0, bytes, dialect) }, fields.map(\.start)))
    }

    /// The name of each column, and the place of its lowest part.
    ///
    /// The parts are joined from the top, without blanks and repetitions. A blank upper cell continues the cell to its
    /// left, as merged cells are exported, unless that cell has nothing below: then it is a name.
    func names(joinedBy separator: String) -> [(text: String, place: Int)] {
        let width = rows.map(\.texts.count).max() ?? 0
        var parts = [[String]](repeating: [], count: width)
        var places = [Int](repeating: 0, count: width)
        for (number, row) in rows.enumerated() {
            var carried = ""
            for (column, text) in row.texts.enumerated() {
                let isBlank = CSVHeaderRows.isBlank(text)
                if !isBlank { carried = rows.dropFirst(number + 1).contains { isFilled($0.texts, column) } ? text : "" }
                let part = isBlank ? carried : text
                if !CSVHeaderRows.isBlank(part), parts[column].last != part { parts[column].append(part) }
                if !isBlank || places[column] == 0 { places[column] = row.places[column] }
            }
        }
        // One row names its columns to the letter, blanks and all.
        if rows.count == 1 { return zip(rows[0].texts, places).map { ($0, $1) } }
        return zip(parts, places).map { ($0.joined(separator: separator), $1) }
    }

    private func isFilled(_ texts: [String], _ column: Int) -> Bool {
        column < texts.count && !CSVHeaderRows.isBlank(texts[column])
    }

    private static func isBlank(_ text: String) -> Bool { text.allSatisfy(\.isWhitespace) }
}

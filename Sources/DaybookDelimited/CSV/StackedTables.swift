import CScan

/// Finds a second table behind the rows of a file: its own header with other columns, and rows that match it.
///
/// The cutter runs it over all records of a file in order, so that morsels and shards change nothing. A row of the
/// wrong width is no header by itself: its cells have to be names, and the next rows need its width and values.
struct StackedTables: Sendable {
    /// The place and the header by which the file is read.
    let file: String
    let dialect: CSVDialect
    let header: [[[UInt8]]]
    let width: Int
    /// The number of the line at which the next bytes begin.
    fileprivate var line: Int
    /// The treatment of rows of another width, which do not suggest another table if they are accepted.
    var ragged = CSVReadSettings.Ragged.reject
    /// The columns of the first table whose cells have digits.
    var valueColumns: [Int] = []
    /// How many values are required before a row of names with as many cells counts as a header.
    var fewestValues = 2
    private var hasRows = false
    private var isBehindBlank = false
    private var candidate: Table?
    /// How many more records are tried as headers, so that a file of odd rows costs little.
    private var tries = 10_000

    /// A record that may be a header, with the properties of the records after it.
    struct Table {
        var line: Int
        /// Its start in the bytes examined when it was met.
        var start: Int
        var names: [String]
        /// The header as it is written.
        var text: String
        /// The columns that have had values in all rows.
        var values: Set<Int>
        fileprivate var isBehindBlank: Bool
        fileprivate var rows = 0

        var width: Int { names.count }
    }

    /// The number of rows that have to match a header without a blank line before it.
    private static let rowsBehindNone = 2
    private static let rowsBehindBlank = 1
    private static let mostCells = 1000

    init(_ file: String, _ dialect: CSVDialect, _ header: [[[UInt8]]], width: Int, line: Int) {
        (self.file, self.dialect, self.header) = (file, dialect, header)
        (self.width, self.line) = (width, line)
    }

    /// Finds the first table of an unknown text.
    init(firstOf dialect: CSVDialect, line: Int) {
        self.init("", dialect, [], width: 0, line: line)
        hasRows = true
    }

    /// Examines indexed records. If all of them have the right number of cells, there is nothing to find.
    mutating func look(_ index: CSVIndex, in bytes: Cell, lines: Int) -> Table? {
        defer { line += lines }
        if isQuiet, isEven(index) {
            hasRows = true
            return nil
        }
        var cursor = LineCursor(bytes, firstLine: line, lineEnd: dialect.lineEnd)
        for record in 0..<index.found.records {
            see(index.cells(of: record).lazy.map { index.range(of: $0, in: bytes) }, bytes, &cursor)
            if let candidate, isTable(candidate) { return candidate }
        }
        return nil
    }

    /// Examines records without an index.
    ///
    /// - Parameter areEven: whether all of them are known to have the right number of cells.
    mutating func look(_ bytes: Cell, areEven: Bool = false, lines: Int = 0) -> Table? {
        defer { line += lines }
        if isQuiet, areEven {
            hasRows = true
            return nil
        }
        var cursor = LineCursor(bytes, firstLine: line, lineEnd: dialect.lineEnd)
        var scanner = CSVRecordScanner(dialect: dialect, most: max(width, StackedTables.mostCells) + 1)
        var position = 0
        while let record = scanner.next(in: bytes, at: &position) {
            switch record.kind {
            case .comment: break
            case .blank: isBehindBlank = true
            case .fields:
                see(scanner.fields.lazy.map(\.whole), bytes, &cursor)
                if let candidate, isTable(candidate) { return candidate }
            case .strayQuote, .textBehindQuote, .unclosedQuote, .strayReturn, .unfinished:
                (isBehindBlank, candidate) = (false, nil)
            }
        }
        return nil
    }

    /// Whether earlier records make no difference to rows of the right number of cells.
    private var isQuiet: Bool { candidate == nil && !isBehindBlank }

    /// Whether all records have the right number of cells; of many, only some are checked.
    private func isEven(_ index: CSVIndex) -> Bool {
        let records = index.found.records
        let step = records <= 64 ? 1 : records / 16
        return stride(from: records, to: 0, by: -step).allSatisfy { index.cells(of: $0 - 1).upperBound == $0 * width }
    }

    /// Examines one record; its cells include their quotes.
    private mutating func see(
        _ cells: some RandomAccessCollection<Range<Int>>,
        _ bytes: Cell,
        _ cursor: inout LineCursor
    ) {
        let count = cells.count
        if count == 1, cells.first?.isEmpty == true {
            isBehindBlank = true
            return
        }
        if var table = candidate, table.width == count {
            table.rows += 1
            for (column, cell) in cells.enumerated() where table.values.contains(column) {
                if !StackedTables.isValue(Cell(rebasing: bytes[cell])) { table.values.remove(column) }
            }
            candidate = table.values.isEmpty ? nil : table
        } else {
            candidate = nil
            if hasRows, tries > 0, count > 1, count <= StackedTables.mostCells, mayBegin(count) {
                tries -= 1
                candidate = named(cells, bytes, &cursor)
            }
            if count == width { hasRows = true }
        }
        isBehindBlank = false
    }

    /// Whether a row with so many cells may begin another table.
    private func mayBegin(_ count: Int) -> Bool {
        switch ragged {
        case _ where isBehindBlank: true
        case .reject: count != width
        case .pad: count > width
        case .extend: false
        }
    }

    /// The record as a header, where all its cells are different names.
    private func named(
        _ cells: some RandomAccessCollection<Range<Int>>,
        _ bytes: Cell,
        _ cursor: inout LineCursor
    ) -> Table? {
        guard let start = cells.first?.lowerBound, let end = cells.last?.upperBound else { return nil }
        if cells.count == width, valueColumns.count < fewestValues { return nil }
        var names: [String] = []
        for cell in cells {
            let text = Cell(rebasing: bytes[cell])
            guard !text.isEmpty, text.count <= 100, !StackedTables.isValue(text) else { return nil }
            let isQuoted = text.count > 1 && text.first == dialect.quote && text.last == dialect.quote
            names.append(String(decoding: isQuoted ? text.dropFirst().dropLast() : text[...], as: UTF8.self))
        }
        guard Set(names).count == names.count, !header.contains(names.map { Array($0.utf8) }) else { return nil }
        return Table(
            line: cursor.place(of: start).line,
            start: start,
            names: names,
            text: String(decoding: bytes[start..<end], as: UTF8.self),
            values: Set(names.indices),
            isBehindBlank: isBehindBlank
        )
    }

    private func isTable(_ table: Table) -> Bool {
        let isPlain = table.isBehindBlank && ragged == .reject
        return table.rows >= (isPlain ? StackedTables.rowsBehindBlank : StackedTables.rowsBehindNone)
    }

    /// Whether it begins like a number or a date: with a digit, optionally after a sign or a quote.
    private static func isValue(_ cell: Cell) -> Bool {
        let first = cell.first { $0 != 0x22 && $0 != 0x27 && $0 != 0x20 && $0 != 0x2B && $0 != 0x2D }
        return first.map { 0x30...0x39 ~= $0 } ?? false
    }
}

extension StackedTables.Table {
    /// The error for a person who has to separate the tables.
    func error(in file: String, behind width: Int, hint: String) -> DaybookError {
        DaybookError.data(
            "stacked-tables",
            "a second table begins here: its header is '\(sample)', with \(self.width) columns, where the first has \(width)",
            at: SourcePlace(file: file, line: line, column: 1),
            hint: hint
        )
    }

    var sample: String { text.count > 80 ? text.prefix(80) + "…" : text }
}

extension CSVGuess {
    /// More tables than that are left in one.
    private static let mostTables = 20

    /// The tables of a text, stacked: nearly always one.
    ///
    /// The next table is found by its header, as in an import, which refuses such a file unless it reads one alone.
    /// - Parameter file: the name of the file, for the error if neither all of it nor its first table can be read.
    package static func tables(
        of text: FoundText,
        in file: String,
        firstLine: Int = 1,
        most: Int = mostTables
    ) throws(DaybookError) -> [CSVGuess] {
        defer { withExtendedLifetime(text.bytes) {} }
        let bytes = text.bytes.filled
        let whole = of(text, firstLine: firstLine)
        guard most > 1, let (below, width) = tableBelow(whole, bytes, firstLine) else {
            return whole.map { [$0] } ?? []
        }
        if text.isWhole, var first = of(text.part(0..<below.start), firstLine: firstLine), first.reading.width > 1,
            let records = first.records(from: below.start, of: bytes)
        {
            first.below = (below, records)
            let rest = text.part(below.start..<bytes.count)
            return try [first] + tables(of: rest, in: file, firstLine: below.line, most: most - 1)
        }
        guard var whole, whole.reading.width > 1 else {
            let hint = "cut the file in two before this line, and guess each part"
            throw below.error(in: file, behind: width, hint: hint)
        }
        whole.below = (below, nil)
        return [whole]
    }

    /// The header of a second table, and how many columns the first has.
    private static func tableBelow(
        _ whole: CSVGuess?,
        _ bytes: Cell,
        _ firstLine: Int
    ) -> (table: StackedTables.Table, width: Int)? {
        if let whole, whole.reading.width > 1 {
            // A text that begins with its header is the first table.
            guard let header = whole.reading.records.first,
                let first = table(in: bytes, from: header.start, whole.importDialect, line: header.line),
                first.start == header.start
            else { return nil }
            return tableBelow(first, bytes, whole.importDialect)
        }
        for delimiter in CSVDialect.commonDelimiters where bytes.contains(delimiter) {
            let dialect = CSVDialect(delimiter: delimiter, lineEnd: LineEnd(of: bytes, quote: UInt8(ascii: "\"")))
            if let first = table(in: bytes, from: 0, dialect, line: firstLine),
                let found = tableBelow(first, bytes, dialect)
            {
                return found
            }
        }
        return nil
    }

    private static func tableBelow(
        _ first: StackedTables.Table,
        _ bytes: Cell,
        _ dialect: CSVDialect
    ) -> (table: StackedTables.Table, width: Int)? {
        let header = [first.names.map { Array($0.utf8) }]
        var tables = StackedTables("", dialect, header, width: first.width, line: first.line)
        tables.valueColumns = Array(first.values)
        // A wrong guess costs less than a refused run.
        tables.fewestValues = 1
        guard var second = tables.look(Cell(rebasing: bytes[first.start...])) else { return nil }
        second.start += first.start
        return (second, first.width)
    }

    /// The first header with rows behind `start`.
    private static func table(
        in bytes: Cell,
        from start: Int,
        _ dialect: CSVDialect,
        line: Int
    ) -> StackedTables.Table? {
        var tables = StackedTables(firstOf: dialect, line: line)
        var found = tables.look(Cell(rebasing: bytes[start...]))
        found?.start += start
        return found
    }

    /// The records above the table that look like a table too.
    func tableAbove(in bytes: Cell) -> StackedTables.Table? {
        guard let header = reading.records.first else { return nil }
        let above = Cell(rebasing: bytes[..<header.start])
        return CSVGuess.table(in: above, from: 0, importDialect, line: 1)
    }

    /// The number of records from a place on, up to the limit of what an import can leave out; nil beyond that.
    private func records(from start: Int, of bytes: Cell) -> Int? {
        let most = CSVFooter.most - structure.footer.count
        let rest = Cell(rebasing: bytes[start...])
        let count = CSVFooter(records: most + 1, dialect: importDialect).found(in: rest).records
        return count > most ? nil : count
    }

    /// The dialect of the import that the guess writes.
    private var importDialect: CSVDialect {
        var dialect = reading.dialect.plain
        dialect.trims = reading.trims
        dialect.comment = comment
        if reading.stray.count > 0, dialect.quote != CSVDialect.noQuote { dialect.quotes = .lenient }
        return dialect
    }
}

extension FoundText {
    /// A part of the text, as if nothing surrounded it.
    fileprivate func part(_ range: Range<Int>) -> FoundText {
        FoundText(bytes: bytes.copy(range), isWhole: true, encoding: encoding, displayText: displayText)
    }
}

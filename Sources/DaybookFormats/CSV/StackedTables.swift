import CScan

/// Finds a second table behind the rows of a file: a header of its own with other columns, and rows that go with it.
///
/// It is asked by the cutter, which sees all records of a file in their order, so that morsels and shards change nothing. A row of the
/// wrong width is no header by itself: the cells have to be names, and what follows has to have its width and values below the names.
struct StackedTables: Sendable {
    /// Where the file is read and by what header, for the message.
    let file: String
    let dialect: CSVDialect
    let header: [[[UInt8]]]
    let width: Int
    /// What becomes of rows of another width, which are no sign of another table where they are read.
    let ragged: CSVReadSettings.Ragged
    /// The columns of the first table whose cells have digits.
    let valueColumns: [Int]

    /// The line at which the bytes to come begin.
    private var line: Int
    private var hasRows = false
    private var isBehindBlank = false
    private var candidate: Candidate?
    /// How many more records are looked at as headers, so that a file of odd rows costs little.
    private var tries = 10_000

    /// A record that may be a header, and what is known of those behind it.
    private struct Candidate {
        var line: Int
        var width: Int
        var text: String
        var isBehindBlank: Bool
        var rows = 0
        /// The columns that have had values in all rows.
        var values: Set<Int>
    }

    /// So many rows have to go with a header that stands behind no blank line.
    private static let rowsBehindNone = 2
    private static let rowsBehindBlank = 1
    private static let mostCells = 1000

    init(
        _ file: String,
        _ dialect: CSVDialect,
        _ header: [[[UInt8]]],
        width: Int,
        ragged: CSVReadSettings.Ragged,
        valueColumns: [Int],
        line: Int
    ) {
        (self.file, self.dialect, self.header, self.width) = (file, dialect, header, width)
        (self.ragged, self.valueColumns, self.line) = (ragged, valueColumns, line)
    }

    /// Looks at records that were indexed. Where all of them have the right number of cells there is nothing to see.
    mutating func look(_ index: CSVIndex, in bytes: UnsafeBufferPointer<UInt8>, lines: Int) throws(DaybookError) {
        defer { line += lines }
        let found = index.found
        if isEven(index) {
            (hasRows, isBehindBlank, candidate) = (true, false, nil)
            return
        }
        var cursor = LineCursor(bytes, firstLine: line, lineEnd: dialect.lineEnd)
        for record in 0..<found.records {
            let cells = index.cells(of: record)
            let count = cells.count
            if count == 1, index.range(of: cells.lowerBound, in: bytes).isEmpty {
                isBehindBlank = true
                continue
            }
            if let table = candidate, table.width == count {
                add(cells, index, bytes, to: table)
                if let found = candidate, isTable(found) { throw error(found) }
            } else {
                candidate = nil
                if hasRows, tries > 0, count > 1, count <= StackedTables.mostCells, mayBegin(count) {
                    tries -= 1
                    candidate = named(cells, index, bytes, &cursor)
                }
                if count == width { hasRows = true }
            }
            isBehindBlank = false
        }
    }

    /// Whether all records have the right number of cells; of many, some are asked where they end.
    private func isEven(_ index: CSVIndex) -> Bool {
        let records = index.found.records
        let step = records <= 64 ? 1 : records / 16
        return stride(from: records, to: 0, by: -step).allSatisfy { index.cells(of: $0 - 1).upperBound == $0 * width }
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

    /// Goes past records that are not looked at.
    mutating func pass(lines: Int) {
        line += lines
        (isBehindBlank, candidate) = (false, nil)
    }

    /// The record as a header, where all its cells are different names.
    private func named(
        _ cells: Range<Int>,
        _ index: CSVIndex,
        _ bytes: UnsafeBufferPointer<UInt8>,
        _ cursor: inout LineCursor
    ) -> Candidate? {
        var names: [String] = []
        for cell in cells {
            let text = UnsafeBufferPointer(rebasing: bytes[index.range(of: cell, in: bytes)])
            guard !text.isEmpty, text.count <= 100, !StackedTables.isValue(text) else { return nil }
            let isQuoted = text.count > 1 && text.first == dialect.quote && text.last == dialect.quote
            names.append(String(decoding: isQuoted ? text.dropFirst().dropLast() : text[...], as: UTF8.self))
        }
        guard Set(names).count == names.count, !header.contains(where: { isHeader($0, names) }) else { return nil }
        if names.count == width, valueColumns.count < 2 { return nil }
        let start = index.range(of: cells.lowerBound, in: bytes).lowerBound
        return Candidate(
            line: cursor.place(of: start).line,
            width: names.count,
            text: names.joined(separator: String(decoding: [dialect.delimiter], as: UTF8.self)),
            isBehindBlank: isBehindBlank,
            values: Set(names.indices)
        )
    }

    private func isHeader(_ row: [[UInt8]], _ names: [String]) -> Bool {
        row.count == names.count && zip(row, names).allSatisfy { $0.elementsEqual($1.utf8) }
    }

    private mutating func add(
        _ cells: Range<Int>,
        _ index: CSVIndex,
        _ bytes: UnsafeBufferPointer<UInt8>,
        to table: Candidate
    ) {
        var table = table
        table.rows += 1
        table.values = table.values.filter { column in
            StackedTables.isValue(
                UnsafeBufferPointer(rebasing: bytes[index.range(of: cells.lowerBound + column, in: bytes)])
            )
        }
        candidate = table.values.isEmpty ? nil : table
    }

    private func isTable(_ table: Candidate) -> Bool {
        guard
            table.rows
                >= (table.isBehindBlank && ragged == .reject
                    ? StackedTables.rowsBehindBlank : StackedTables.rowsBehindNone)
        else {
            return false
        }
        // With as many columns as the first table, half of the values at least have to stand elsewhere.
        return table.width != width
            || 2 * valueColumns.count { !table.values.contains($0) } >= valueColumns.count
    }

    /// Whether it begins like a number or a date: with a digit, perhaps behind a sign or a quote.
    private static func isValue(_ cell: UnsafeBufferPointer<UInt8>) -> Bool {
        guard let first = cell.first(where: { $0 != 0x22 && $0 != 0x27 && $0 != 0x20 && $0 != 0x2B && $0 != 0x2D })
        else {
            return false
        }
        return first >= 0x30 && first <= 0x39
    }

    private func error(_ table: Candidate) -> DaybookError {
        DaybookError(
            "stacked-tables",
            "a second table begins here: its header is '\(table.text.prefix(80))\(table.text.count > 80 ? "…" : "")', with "
                + "\(table.width) columns, where the first has \(width)",
            at: SourcePlace(file: file, line: table.line, column: 1),
            hint: "cut the file in two before this line; 'second_header: keep' reads its rows as those of the first",
            blame: .data
        )
    }
}

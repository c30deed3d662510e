import CScan

/// Formats the rows of a batch as delimited text.
package struct CSVRowWriter {
    package let dialect: CSVDialect
    let quotesAll: Bool
    let escapesFormulas: Bool
    package let missing: [UInt8]
    /// Row ends are needed only to tell rows apart when they are encoded.
    let notesEnds: Bool
    private let style: csv_style

    package init(_ options: CSVWriteSettings) { self.init(options, notesEnds: !options.encoding.isUTF8) }

    /// - Parameter notesEnds: whether `write` tells where rows end.
    package init(_ options: CSVWriteSettings, notesEnds: Bool) {
        dialect = options.dialect
        quotesAll = options.quoting == .all
        escapesFormulas = options.formulas == .escape
        missing = Array(options.missing.utf8)
        self.notesEnds = notesEnds
        style = csv_style(
            delimiter: dialect.delimiter,
            quote: dialect.quote,
            ends_with_return: options.lineEnds == .crlf,
            quotes_all: quotesAll,
            missing_length: missing.count
        )
    }

    /// The rows, and behind which byte each ends when that is needed.
    package func write(_ batch: Batch) -> (bytes: Bytes, ends: [Int]) {
        let bytes = Bytes(capacity: batch.count * (batch.columns.count * 12 + 2))
        var ends: [Int] = []
        var out = ByteCursor(bytes)
        let block = CSVRowBlock(columns: batch.columns.count, escapesFormulas: escapesFormulas)
        batch.withCellPointers { columns in
            for first in stride(from: 0, to: batch.count, by: CSVRowBlock.size) {
                block.take(columns, from: first, rows: min(CSVRowBlock.size, batch.count - first))
                // Quotes and a delimiter about each cell, a line end of two bytes, and what may be written behind the last.
                let room = block.length + block.rows * (3 * columns.count + 2) + CSV_CELL_SLACK
                out.reserve(room)
                var cursor = csv_cursor(row: 0, column: 0, out: out.next)
                while cursor.row < block.rows {
                    let end = notesEnds ? cursor.row + 1 : block.rows
                    let isDone = csv_write_rows(block.columns, columns.count, end, style, &cursor)
                    out.next = cursor.out
                    if isDone {
                        if notesEnds { ends.append(out.count) }
                    } else {
                        let kind = columns[Int(cursor.column)].kind
                        let isText = kind == .text || kind == .json
                        append(block.cell(cursor), isText: isText, to: &out, andThen: room)
                        cursor.column += 1
                        cursor.out = out.next
                    }
                }
            }
        }
        out.finish()
        return (bytes, ends)
    }

    /// The names of the columns as a row.
    package func header(_ schema: Schema) -> Bytes {
        let bytes = Bytes()
        var out = ByteCursor(bytes)
        for name in schema.names {
            let cell = Bytes(name)
            append(cell.filled, isText: true, to: &out, andThen: 2)
            withExtendedLifetime(cell) {}
        }
        // The line end takes the place of the delimiter behind the last name.
        if !schema.names.isEmpty { out.next -= 1 }
        if style.ends_with_return { out.put(CSVDialect.carriageReturn) }
        out.put(CSVDialect.lineFeed)
        out.finish()
        return bytes
    }

    /// Appends a cell, in quotes where it needs some, and a delimiter.
    ///
    /// - Parameter room: how many bytes may be written behind it without asking.
    @inline(never)
    private func append(_ cell: Cell?, isText: Bool, to out: inout ByteCursor, andThen room: Int) {
        out.reserve(missing.count + 2 * (cell?.count ?? 0) + 4 + room)
        guard let cell else {
            for byte in missing { out.put(byte) }
            return out.put(dialect.delimiter)
        }
        let isFormula = isText && escapesFormulas && FormulaText.isFormula(cell)
        let needsQuotes =
            quotesAll || cell.isEmpty || isSpelledAsMissing(cell)
            || cell.contains { $0 == dialect.delimiter || $0 == dialect.quote || CSVDialect.mayEndLine($0) }
        if needsQuotes { out.put(dialect.quote) }
        if isFormula { out.put(UInt8(ascii: "'")) }
        for byte in cell {
            if byte == dialect.quote { out.put(byte) }
            out.put(byte)
        }
        if needsQuotes { out.put(dialect.quote) }
        out.put(dialect.delimiter)
    }

    /// Whether the text would read as a missing value if it were not quoted.
    private func isSpelledAsMissing(_ cell: Cell) -> Bool { cell.count == missing.count && cell.elementsEqual(missing) }
}

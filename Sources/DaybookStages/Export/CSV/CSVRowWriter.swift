import CScan
import DaybookCore

/// Formats the rows of a batch as delimited text.
struct CSVRowWriter {
    let dialect: CSVDialect
    let quotesAll: Bool
    let escapesFormulas: Bool
    let endsWithReturn: Bool
    let missing: [UInt8]
    /// Row ends are needed only to tell rows apart when they are encoded.
    let notesEnds: Bool

    init(_ options: ExportCSV) {
        dialect = options.dialect
        quotesAll = options.quoting == .all
        escapesFormulas = options.formulas == .escape
        endsWithReturn = options.lineEnds == .crlf
        missing = Array(options.missing.utf8)
        notesEnds = !options.encoding.isUTF8
    }

    /// The rows, and behind which byte each ends when that is needed.
    func write(_ batch: Batch) -> (bytes: Bytes, ends: [Int]) {
        let bytes = Bytes(capacity: batch.count * (batch.columns.count * 12 + 2))
        var ends: [Int] = []
        var out = ByteCursor(bytes)
        batch.withCellPointers { columns in
            for row in 0..<batch.count {
                for column in 0..<columns.count {
                    // Every cell makes room for what follows it, so the delimiter needs none of its own.
                    if column > 0 { out.put(dialect.delimiter) }
                    append(columns[column], row, to: &out)
                }
                endLine(&out)
                if notesEnds { ends.append(out.count) }
            }
        }
        out.finish()
        return (bytes, ends)
    }

    /// The names of the columns as a row.
    func header(_ schema: Schema) -> Bytes {
        let bytes = Bytes()
        var out = ByteCursor(bytes)
        for (column, name) in schema.names.enumerated() {
            let cell = Bytes(name)
            if column > 0 { out.put(dialect.delimiter) }
            append(cell.filled, to: &out)
            withExtendedLifetime(cell) {}
        }
        endLine(&out)
        out.finish()
        return bytes
    }

    @inline(__always)
    private func endLine(_ out: inout ByteCursor) {
        out.reserve(2)
        if endsWithReturn { out.put(CSVDialect.carriageReturn) }
        out.put(CSVDialect.lineFeed)
    }

    /// Room behind every cell for what comes next: a delimiter, a line end, a number with its quotes.
    private static let room = 64

    @inline(__always)
    private func append(_ column: CellPointers, _ row: Int, to out: inout ByteCursor) {
        if column.isMissing(row) {
            out.reserve(missing.count + CSVRowWriter.room)
            for byte in missing { out.put(byte) }
            return
        }
        if column.kind == .text || column.kind == .json { return append(column.cell(row), to: &out) }
        out.reserve(CSVRowWriter.room)
        if quotesAll { out.put(dialect.quote) }
        switch column.kind {
        case .integer: out.next += NumberText.write(column.integer(row), to: out.next)
        case .day: out.next += ISOText.write(day: column.day(row), to: out.next)
        case .instant: out.next += ISOText.write(instant: column.integer(row), to: out.next)
        case .decimal: out.next += NumberText.write(column.decimal(row), to: out.next)
        case .flag: out.put(CSVRowWriter.spelling(of: column.flag(row)))
        case .text, .json: break
        }
        if quotesAll { out.put(dialect.quote) }
    }

    private static func spelling(of flag: Bool) -> Cell {
        let text: StaticString = flag ? "true" : "false"
        return Cell(start: text.utf8Start, count: text.utf8CodeUnitCount)
    }

    @inline(__always)
    private func append(_ cell: Cell, to out: inout ByteCursor) {
        // Vector loads and stores may run past the cell and past what is written, into room that both buffers have.
        out.reserve(2 * cell.count + CSVRowWriter.room)
        guard let start = cell.baseAddress, cell.count > 0, !quotesAll, !escapesFormulas,
            !csv_copy_cell(out.next, start, cell.count, dialect.delimiter, dialect.quote),
            missing.isEmpty || !isSpelledAsMissing(cell)
        else { return appendQuoted(cell, to: &out) }
        out.next += cell.count
    }

    @inline(never)
    private func appendQuoted(_ cell: Cell, to out: inout ByteCursor) {
        let isFormula = escapesFormulas && CSVRowWriter.beginsFormula(cell)
        let needsQuotes =
            quotesAll || cell.isEmpty || isSpelledAsMissing(cell)
            || cell.contains { $0 == dialect.delimiter || $0 == dialect.quote || dialect.isLineEnd($0) }
        if needsQuotes { out.put(dialect.quote) }
        if isFormula { out.put(UInt8(ascii: "'")) }
        for byte in cell {
            if byte == dialect.quote { out.put(byte) }
            out.put(byte)
        }
        if needsQuotes { out.put(dialect.quote) }
    }

    /// Whether the text would read as a missing value if it were not quoted.
    private func isSpelledAsMissing(_ cell: Cell) -> Bool { cell.count == missing.count && cell.elementsEqual(missing) }

    /// Text that spreadsheet programs take for a formula (OWASP, "CSV Injection").
    private static func beginsFormula(_ cell: Cell) -> Bool {
        guard let first = cell.first else { return false }
        return "=+-@\t\r".utf8.contains(first)
    }
}

import CScan
import DaybookCore

/// Formats the rows of a batch as delimited text.
struct CSVRowWriter {
    let dialect: CSVDialect
    let quotesAll: Bool
    let escapesFormulas: Bool
    let lineEnd: [UInt8]
    let missing: [UInt8]
    /// Row ends are needed only to tell rows apart when they are encoded.
    let notesEnds: Bool

    init(_ options: ExportCSV) {
        dialect = options.dialect
        quotesAll = options.quoting == .all
        escapesFormulas = options.formulas == .escape
        lineEnd = options.lineEnds == .crlf ? [13, 10] : [10]
        missing = Array(options.missing.utf8)
        notesEnds = !options.encoding.isUTF8
    }

    /// The rows, and behind which byte each ends when that is needed.
    func write(_ batch: Batch) -> (bytes: Bytes, ends: [Int]) {
        let out = Bytes(capacity: batch.count * (batch.columns.count * 12 + 2))
        var ends: [Int] = []
        batch.withCellPointers { columns in
            for row in 0..<batch.count {
                for column in 0..<columns.count {
                    if column > 0 { out.append(dialect.delimiter) }
                    append(columns[column], row, to: out)
                }
                for byte in lineEnd { out.append(byte) }
                if notesEnds { ends.append(out.count) }
            }
        }
        return (out, ends)
    }

    /// The names of the columns as a row.
    func header(_ schema: Schema) -> Bytes {
        let out = Bytes()
        for (index, name) in schema.names.enumerated() {
            if index > 0 { out.append(dialect.delimiter) }
            let bytes = Bytes(name)
            append(bytes.filled, to: out)
            withExtendedLifetime(bytes) {}
        }
        for byte in lineEnd { out.append(byte) }
        return out
    }

    @inline(__always)
    private func append(_ column: CellPointers, _ row: Int, to out: Bytes) {
        if column.isMissing(row) {
            for byte in missing { out.append(byte) }
            return
        }
        if column.kind == .text || column.kind == .json { return append(column.cell(row), to: out) }
        if quotesAll { out.append(dialect.quote) }
        switch column.kind {
        case .integer: out.append(integer: column.integer(row))
        case .day: out.count += ISOText.write(day: column.day(row), to: out.reserve(ISOText.maximumLength))
        case .instant: out.count += ISOText.write(instant: column.integer(row), to: out.reserve(ISOText.maximumLength))
        case .decimal: out.append(decimal: column.decimal(row))
        case .flag: out.append(column.flag(row) ? "true" as StaticString : "false")
        case .text, .json: break
        }
        if quotesAll { out.append(dialect.quote) }
    }

    @inline(__always)
    private func append(_ cell: Cell, to out: Bytes) {
        guard let start = cell.baseAddress, !quotesAll, !escapesFormulas else { return appendQuoted(cell, to: out) }
        // Vector loads and stores may run past the cell and past what is written, into the slack of both buffers.
        let target = out.reserve(cell.count + 16)
        if csv_copy_cell(target, start, cell.count, dialect.delimiter, dialect.quote) || cell.isEmpty {
            return appendQuoted(cell, to: out)
        }
        out.count &+= cell.count
    }

    @inline(never)
    private func appendQuoted(_ cell: Cell, to out: Bytes) {
        let isFormula = escapesFormulas && CSVRowWriter.beginsFormula(cell)
        let needsQuotes =
            quotesAll || cell.isEmpty
            || cell.contains { $0 == dialect.delimiter || $0 == dialect.quote || dialect.isLineEnd($0) }
        if needsQuotes { out.append(dialect.quote) }
        if isFormula { out.append(UInt8(ascii: "'")) }
        let target = out.reserve(cell.count * 2)
        var length = 0
        for byte in cell {
            if byte == dialect.quote {
                target[length] = byte
                length += 1
            }
            target[length] = byte
            length += 1
        }
        out.count += length
        if needsQuotes { out.append(dialect.quote) }
    }

    /// Text that spreadsheet programs take for a formula (OWASP, "CSV Injection").
    private static func beginsFormula(_ cell: Cell) -> Bool {
        guard let first = cell.first else { return false }
        return "=+-@\t\r".utf8.contains(first)
    }
}

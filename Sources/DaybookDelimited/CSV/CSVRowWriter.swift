import CScan

/// Formats the rows of a batch as delimited text.
package struct CSVRowWriter {
    package let dialect: CSVDialect
    let quotesAll: Bool
    let escapesFormulas: Bool
    package let missing: [UInt8]
    /// Row ends are needed only to separate rows when they are encoded.
    let notesEnds: Bool
    private let style: csv_style

    /// - Parameter notesEnds: whether `write` returns where rows end; nil if only for an encoding that needs it.
    package init(_ options: CSVWriteSettings, notesEnds: Bool? = nil) {
        dialect = options.dialect
        quotesAll = options.quoting == .all
        escapesFormulas = options.formulas == .escape
        missing = Array(options.missing.utf8)
        self.notesEnds = notesEnds ?? !options.encoding.isUTF8
        style = csv_style(
            delimiter: dialect.delimiter,
            quote: dialect.quote,
            ends_with_return: options.lineEnds == .crlf,
            quotes_all: quotesAll,
            guards_marks: !options.header || options.encoding == .utf8WithMark,
            missing_length: missing.count
        )
    }

    /// The rows, and the end of each in bytes if that is needed.
    package func write(_ batch: Batch) -> (bytes: Bytes, ends: [Int]) {
        let bytes = Bytes(capacity: batch.count * (batch.columns.count * 12 + 2))
        var ends: [Int] = []
        var out = ByteCursor(bytes)
        let block = CSVRowBlock(columns: batch.columns.count, escapesFormulas: escapesFormulas)
        batch.withCellPointers { columns in
            for first in stride(from: 0, to: batch.count, by: CSVRowBlock.size) {
                block.take(columns, from: first, rows: min(CSVRowBlock.size, batch.count - first))
                // Quotes and a delimiter around each cell, a line end of two bytes, and the slack behind the last cell.
                let size = block.length + block.rows * (3 * columns.count + 2) + CSV_CELL_SLACK
                out.reserve(size)
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
                        append(
                            block.cell(cursor),
                            isText: isText,
                            isFirst: style.guards_marks && cursor.column == 0,
                            to: &out,
                            andThen: size
                        )
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
        for (place, name) in schema.names.enumerated() {
            let cell = Bytes(name)
            append(cell.filled, isText: true, isFirst: place == 0, to: &out, andThen: 2)
            withExtendedLifetime(cell) {}
        }
        // The line end replaces the delimiter after the last name.
        if !schema.names.isEmpty { out.next -= 1 }
        if style.ends_with_return { out.put(CSVDialect.carriageReturn) }
        out.put(CSVDialect.lineFeed)
        out.finish()
        return bytes
    }

    /// Appends a cell, in quotes where it needs some, and a delimiter.
    ///
    /// - Parameters:
    ///   - isFirst: whether it stands where a mark of byte order would not be read as a character.
    ///   - size: how many bytes may be written behind it without a check.
    @inline(never)
    private func append(_ cell: Cell?, isText: Bool, isFirst: Bool, to out: inout ByteCursor, andThen size: Int) {
        out.reserve(missing.count + 2 * (cell?.count ?? 0) + 4 + size)
        guard let cell else {
            for byte in missing { out.put(byte) }
            return out.put(dialect.delimiter)
        }
        let isFormula = isText && escapesFormulas && FormulaText.isFormula(cell)
        // A text that is spelled as a missing value would read as one.
        let needsQuotes =
            quotesAll || cell.isEmpty || cell.count == missing.count && cell.elementsEqual(missing)
            || cell.contains(where: dialect.needsQuotes) || isFirst && cell.starts(with: [0xEF, 0xBB, 0xBF])
        if needsQuotes { out.put(dialect.quote) }
        if isFormula { out.put(UInt8(ascii: "'")) }
        for byte in cell {
            if byte == dialect.quote { out.put(byte) }
            out.put(byte)
        }
        if needsQuotes { out.put(dialect.quote) }
        out.put(dialect.delimiter)
    }
}

/// The columns of up to 64 rows as text: views of that in the batch, and other values written out.
final class CSVRowBlock {
    /// As many rows as a word of a mask has bits.
    static let size = 64
    /// The slot of a value that is not text; the longest have `ISOText.maximumLength` bytes.
    private static let slotSize = 64

    private let count: Int
    private let escapesFormulas: Bool
    private(set) var rows = 0
    /// The length of all texts together.
    private(set) var length = 0
    let columns: UnsafeMutablePointer<csv_column>
    /// For each non-text column a view and a slot for every row.
    private let views: UnsafeMutablePointer<TextView>
    private let slots: UnsafeMutablePointer<UInt8>
    /// By column.
    private var integers: [IntegerWriter]

    init(columns count: Int, escapesFormulas: Bool) {
        self.count = count
        self.escapesFormulas = escapesFormulas
        integers = [IntegerWriter](repeating: IntegerWriter(), count: count)
        columns = .allocate(capacity: count)
        views = .allocate(capacity: CSVRowBlock.size * count)
        slots = .allocate(capacity: CSVRowBlock.size * CSVRowBlock.slotSize * count + Bytes.slack)
    }

    deinit {
        columns.deallocate()
        views.deallocate()
        slots.deallocate()
    }

    /// Converts the rows from `first` on, which is a multiple of 64.
    func take(_ cells: UnsafeBufferPointer<CellPointers>, from first: Int, rows: Int) {
        self.rows = rows
        length = 0
        for (place, column) in cells.enumerated() {
            let missing = column.missing(from: first)
            switch column.kind {
            case .text, .json:
                let views = column.views + first
                for row in 0..<rows { length &+= Int(views[row].length) }
                set(place, views, column.text, missing, isText: true)
            case .integer:
                var integers = integers[place]
                write(place, missing) { integers.write(column.integer(first &+ $0), to: $1) }
                self.integers[place] = integers
            case .day:
                let days = WrittenDays.shared
                write(place, missing) { days.write(column.day(first &+ $0), to: $1) }
            case .instant: write(place, missing) { ISOText.write(instant: column.integer(first &+ $0), to: $1) }
            case .decimal: write(place, missing) { NumberText.write(column.decimal(first &+ $0), to: $1) }
            case .flag: write(place, missing) { CSVRowBlock.write(column.flag(first &+ $0), to: $1) }
            }
        }
    }

    @inline(__always)
    private func write(
        _ place: Int,
        _ missing: UInt64,
        _ write: (_ row: Int, _ out: UnsafeMutablePointer<UInt8>) -> Int
    ) {
        let views = self.views + place * CSVRowBlock.size
        let slots = self.slots + place * CSVRowBlock.size * CSVRowBlock.slotSize
        for row in 0..<rows {
            let start = row &* CSVRowBlock.slotSize
            let isMissing = missing >> UInt64(row) & 1 == 1
            views[row] = TextView(offset: start, length: isMissing ? 0 : write(row, slots + start))
        }
        length += rows * CSVRowBlock.slotSize
        set(place, views, slots, missing, isText: false)
    }

    private func set(
        _ place: Int,
        _ views: UnsafePointer<TextView>,
        _ text: UnsafePointer<UInt8>,
        _ missing: UInt64,
        isText: Bool
    ) {
        let views = UnsafeRawPointer(views).assumingMemoryBound(to: UInt32.self)
        columns[place] = csv_column(views: views, text: text, missing: missing, all_are_odd: isText && escapesFormulas)
    }

    private static func write(_ flag: Bool, to out: UnsafeMutablePointer<UInt8>) -> Int {
        let text: StaticString = flag ? "true" : "false"
        out.update(from: text.utf8Start, count: text.utf8CodeUnitCount)
        return text.utf8CodeUnitCount
    }

    /// The text of a cell; nil where there is no value.
    func cell(_ cursor: csv_cursor) -> Cell? {
        let column = columns[cursor.column]
        guard column.missing >> UInt64(cursor.row) & 1 == 0 else { return nil }
        let (offset, length) = (Int(column.views[cursor.row * 2]), Int(column.views[cursor.row * 2 + 1]))
        return Cell(start: column.text + offset, count: length)
    }
}

/// Finds text that a spreadsheet program would run as a formula.
///
/// The characters are from OWASP, "CSV Injection" (https://owasp.org/www-community/attacks/CSV_Injection): `=`, `+`,
/// `-`, `@`, tab, carriage return and line feed, and the full-width forms of the first four. OWASP's Application
/// Security Verification Standard 5.0, requirement 1.2.10, adds NUL; the other two blanks of ASCII are added here. Some
/// programs trim blanks and invisible characters, so a formula is also found behind these.
///
/// A program set to another delimiter than the file's cuts cells at that delimiter, and may find a formula behind it:
/// no spelling of a cell prevents that.
enum FormulaText {
    /// `=`, `+`, `-`, `@`, and their full-width forms, U+FF1D, U+FF0B, U+FF0D and U+FF20.
    private static let beginnings: [StaticString] = ["=", "+", "-", "@", "＝", "＋", "－", "＠"]
    /// Space, no-break space, soft hyphen, the blanks and marks of U+2000 to U+200F, line and paragraph separators, marks of
    /// direction, narrow no-break space, word joiner, ideographic space, and the byte-order mark.
    private static let blanks: [StaticString] = [
        " ", "\u{A0}", "\u{AD}", "\u{61C}", "\u{180E}", "\u{2000}", "\u{2001}", "\u{2002}", "\u{2003}", "\u{2004}",
        "\u{2005}", "\u{2006}", "\u{2007}",
        "\u{2008}", "\u{2009}", "\u{200A}", "\u{200B}", "\u{200C}", "\u{200D}", "\u{200E}",
        "\u{200F}", "\u{2028}", "\u{2029}", "\u{202A}", "\u{202B}", "\u{202C}", "\u{202D}", "\u{202E}", "\u{202F}",
        "\u{205F}", "\u{2060}", "\u{2066}", "\u{2067}", "\u{2068}", "\u{2069}", "\u{3000}", "\u{FEFF}",
    ]

    static func isFormula(_ cell: Cell) -> Bool {
        var rest = cell[...]
        while let first = rest.first {
            // A letter, a digit or a quote decides at once.
            if first < 0x80, first != 0x20 { return "=+-@\t\r\n\u{B}\u{C}\0".utf8.contains(first) }
            if beginnings.contains(where: { rest.begins(with: $0) }) { return true }
            guard let blank = blanks.first(where: { rest.begins(with: $0) }) else { return false }
            rest = rest.dropFirst(blank.utf8CodeUnitCount)
        }
        return false
    }
}

extension Slice<Cell> {
    fileprivate func begins(with text: StaticString) -> Bool { text.withUTF8Buffer { starts(with: $0) } }
}

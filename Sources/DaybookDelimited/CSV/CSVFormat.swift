import CScan

/// The format of one delimited file, by its beginning: its dialect, its columns, and the start of its rows.
public struct CSVFormat: HeadedFormat {
    package let source: SourceName
    let settings: CSVReadSettings
    package var dialect: CSVDialect
    /// The names of the columns in the order of this file; nil when the file is empty and names none.
    package var columns: [String]?
    /// How many columns the header names, or the first row has if there is no header.
    package private(set) var headerWidth = 0
    public private(set) var dataStart = 0
    public internal(set) var warnings: [SourceWarning] = []
    public private(set) var headerLine = 1
    /// Offset of that line, after the byte-order mark.
    package private(set) var headerStart = 0
    public var lineEnd: LineEnd { dialect.lineEnd }
    /// The cells of each header row as written, or the names from the job; empty if neither names the columns.
    package private(set) var header: [[[UInt8]]] = []
    /// Whether there is nothing in the file.
    package let isEmpty: Bool
    package private(set) var isRowless = false
    /// Whether the file begins with a byte-order mark, so that a mark before a later record begins another file.
    let followsMark: Bool
    /// The footer at the end of the file; nil without one.
    private var footer: CSVFooter?
    /// The search for a second table after the rows.
    private var tables: StackedTables?
    /// The likeness of the first rows.
    private(set) var likeness = CSVRowLikeness()

    public func makeCutter() -> any RecordCutter {
        CSVCutter(dialect: dialect, likeness: likeness, footer: footer, tables: tables)
    }

    public func makeCutter(of part: TextPart) -> (any RecordCutter)? {
        part.isLast ? makeCutter() : CSVCutter(dialect: dialect, likeness: likeness)
    }

    /// Reads the dialect and the header from the head of a file.
    package init(of head: SourceHead, _ settings: CSVReadSettings) throws(DaybookError) {
        source = head.source
        self.settings = settings
        followsMark = head.followsMark
        dialect = settings.dialect
        defer { withExtendedLifetime(head.bytes) {} }
        let bytes = head.bytes.filled
        isEmpty = head.isBlank
        dialect.lineEnd = LineEnd(of: bytes, quote: dialect.quote)
        var position = CSVFormat.skippingLines(settings.skipLines, in: bytes, dialect)
        if settings.delimiter == .auto {
            let rest = UnsafeBufferPointer(rebasing: bytes[position...])
            dialect.delimiter = CSVDialect.likelyDelimiter(of: rest, dialect: dialect) ?? dialect.delimiter
        }
        switch settings.header {
        case .names(let names):
            columns = names
            header = [names.map { Array($0.utf8) }]
            if names.count > 1, position < bytes.count { try checkDelimiter(head, from: position) }
        case .absent, .present:
            var scanner = CSVRecordScanner(dialect: dialect)
            if let start = try headerRecord(&scanner, head, &position) {
                headerLine = place(start, head).line
                headerStart = start
                if settings.header == .present {
                    let line = UnsafeBufferPointer(rebasing: bytes[start..<position])
                    try checkContent(head, line, scanner.fields.count)
                }
                try checkDelimiter(head, from: start)
                if settings.header == .absent {
                    columns = (1...scanner.fields.count).map { "column_\($0)" }
                    position = start
                } else {
                    if settings.headerRows == 1 { try checkHeader(scanner.fields, head, start, position) }
                    var rows = CSVHeaderRows()
                    rows.append(scanner.fields, bytes, dialect)
                    while rows.count < settings.headerRows, try headerRecord(&scanner, head, &position) != nil {
                        rows.append(scanner.fields, bytes, dialect)
                    }
                    if rows.count < settings.headerRows {
                        let message =
                            "\(head.source.path) has \(rows.count) \(rows.count == 1 ? "row" : "rows"), and its header is to have \(settings.headerRows)"
                        let hint = "'header_rows' says how many rows name the columns"
                        throw DaybookError.data("header-too-short", message, at: place(start, head), hint: hint)
                    }
                    header = rows.cells
                    columns = name(rows.names(joinedBy: settings.headerSeparator), areExact: true, bytes)
                }
            }
        }
        dataStart = position
        isRowless = hasNoRow(head)
        if settings.skipFooter > 0 { footer = CSVFooter(records: settings.skipFooter, dialect: dialect) }
        if let columns {
            headerWidth = columns.count
            likeness = CSVRowLikeness(of: bytes, from: position, width: headerWidth, dialect: dialect)
            if settings.secondHeader == .refuse {
                tables = StackedTables(
                    source.path,
                    dialect,
                    header,
                    width: headerWidth,
                    line: place(dataStart, head).line
                )
                tables?.ragged = settings.ragged
                tables?.valueColumns = likeness.valueColumns
            }
            if settings.ragged == .extend { extend(columns, head, settings.width) }
        }
    }

    private func hasNoRow(_ head: SourceHead) -> Bool {
        var (scanner, position, rows) = (CSVRecordScanner(dialect: dialect), dataStart, 0)
        while head.isWhole, rows <= settings.skipFooter,
            let record = scanner.next(in: head.bytes.filled, at: &position)
        {
            let isBlank =
                settings.blankRows == .skip && scanner.fields.count > 1
                && scanner.fields.allSatisfy { $0.whole.isEmpty }
            if record.kind != .blank, record.kind != .comment, !isBlank { rows += 1 }
        }
        return head.isWhole && rows <= settings.skipFooter
    }

    /// Reads the next record, neither blank nor a comment: it names columns and must be valid. Returns its start.
    private func headerRecord(
        _ scanner: inout CSVRecordScanner,
        _ head: SourceHead,
        _ position: inout Int
    ) throws(DaybookError) -> Int? {
        let bytes = head.bytes.filled
        while position < bytes.count {
            let start = position
            let record = scanner.scan(bytes, from: start, isLast: head.isWhole)
            if record.kind == .unfinished {
                let message = "\(head.source.path) has no line end in its first \(bytes.count) bytes"
                throw DaybookError.data("header-too-long", message, at: place(start, head), hint: "is it a CSV file?")
            }
            position = record.end
            if record.kind == .blank || record.kind == .comment { continue }
            try check(record, from: start, head)
            return start
        }
        return nil
    }

    /// Refuses a header that is not text, or with a misplaced quote or carriage return.
    private func check(_ record: CSVRecordScanner.Record, from start: Int, _ head: SourceHead) throws(DaybookError) {
        let bytes = head.bytes.filled
        let invalid = start + Int(scan_text_valid(head.bytes.base + start, record.end - start))
        guard invalid == record.end else {
            let isNUL = bytes[invalid] == 0
            // Letters of other scripts come before the first delimiter, which has one.
            let zero = (start..<record.end).first { bytes[$0] == 0 }
            let likely = zero.map { ($0 - start) % 2 == 0 ? "utf-16be" : "utf-16le" } ?? "cp949"
            let message =
                isNUL
                ? "the header has a NUL character (U+0000), which no text holds"
                : "the header has bytes that are not text in the encoding of the file"
            let hint = "name the encoding, such as 'encoding: \(likely)'; is it a CSV file at all?"
            throw DaybookError.data("bad-header", message, at: place(invalid, head), hint: hint)
        }
        guard record.kind == .fields else {
            throw DaybookError.data(
                "bad-header",
                CSVFormat.fault(record.kind),
                at: place(record.fault, head),
                hint: CSVFormat.otherForm(bytes)
                    ?? (record.kind == .strayReturn
                        ? "let all lines end in LF, or all in CR LF"
                        : "give the names yourself with 'header: [...]' and pass over the line with 'skip_lines'")
            )
        }
    }

    /// Adds columns for rows that are wider than the header.
    private mutating func extend(_ header: [String], _ head: SourceHead, _ width: Int?) {
        var rows = UnsafeBufferPointer(rebasing: head.bytes.filled[dataStart...])
        if let footer, head.isWhole { rows = UnsafeBufferPointer(rebasing: rows[..<footer.found(in: rows).start]) }
        let width = width ?? CSVExtension.width(of: rows, header: header.count, isWhole: head.isWhole, dialect)
        columns = CSVExtension.names(header, width: width)
    }

    /// The decoded text of a field, without its doubled quotes and escapes.
    package static func text(
        of field: CSVRecordScanner.Field,
        _ bytes: UnsafeBufferPointer<UInt8>,
        _ dialect: CSVDialect
    ) -> String {
        let cell = UnsafeBufferPointer(rebasing: bytes[field.start..<field.end])
        guard field.isEncoded else { return String(decoding: cell, as: UTF8.self) }
        return String(unsafeUninitializedCapacity: cell.count) { text in
            text.baseAddress.map { dialect.decode(cell, isQuoted: field.isQuoted, to: $0) } ?? 0
        }
    }

    /// The fault of a header of that kind.
    private static func fault(_ kind: CSVRecordScanner.Kind) -> String {
        switch kind {
        case .strayQuote, .textBehindQuote: "the header has a quote inside a name"
        case .strayReturn: "the header has a carriage return inside a name, where lines end with line feeds"
        default: "the header has a quote that is never closed"
        }
    }

    private static func skippingLines(
        _ count: Int,
        in bytes: UnsafeBufferPointer<UInt8>,
        _ dialect: CSVDialect
    ) -> Int {
        var position = 0
        for _ in 0..<count {
            while position < bytes.count, !dialect.isLineEnd(bytes, position) { position += 1 }
            guard position < bytes.count else { break }
            let isReturn = bytes[position] == CSVDialect.carriageReturn
            position += 1
            if isReturn, position < bytes.count, bytes[position] == CSVDialect.lineFeed { position += 1 }
        }
        return position
    }
}

/// The options of an import of delimited text that its format and its reader use.
package struct CSVReadSettings: Sendable {
    /// The source of the column names.
    package enum Header: Sendable, Hashable {
        case present, absent
        case names([String])
    }

    package enum Delimiter: Sendable, Hashable {
        /// One to eight bytes.
        case text([UInt8])
        case auto
    }

    /// The treatment of a row that repeats the header.
    enum Repeated: String, OptionChoice { case reject, skip, keep }

    /// The treatment of a row whose number of cells differs from the header's: for fewer, `pad` adds missing cells; for
    /// more, `extend` does that too and adds columns for them.
    enum Ragged: String, OptionChoice { case reject, pad, extend }

    /// The treatment of a row of delimiters only.
    enum BlankRows: String, OptionChoice { case keep, skip, reject }

    /// The treatment of a file with a second table: refused, or its rows are read as rows of the first table.
    enum SecondHeader: String, OptionChoice { case refuse, keep }

    var delimiter: Delimiter = .auto
    /// Whether the job sets the delimiter, rather than leaving it to the file.
    var namesDelimiter = false
    var header: Header = .present
    /// Whether the job declares a header, rather than leaving it to the default.
    var namesHeader = false
    /// The columns that the job names.
    var named: [String] = []
    /// How many rows the header has.
    var headerRows = 1
    /// The separator between the names of several header rows.
    var headerSeparator = " "
    /// The treatment of rows that repeat the header.
    var repeated = Repeated.reject
    var secondHeader = SecondHeader.refuse
    var skipLines = 0
    /// How many records at the end of a file are no rows.
    var skipFooter = 0
    var ragged = Ragged.reject
    /// Nil if the job does not set it; then blank rows are kept, with a warning.
    var blankRows: BlankRows?
    /// The number of columns if rows are extended; nil if the head of the file decides.
    var width: Int?
    var dialect = CSVDialect()
    /// The spellings of a missing value.
    var missing = [""]
    /// Whether a quoted cell is missing too where it is spelled so.
    var missesQuoted = false
    /// The number formats of columns that hold numbers.
    var numbers = NumberFormats.placeholder
}

/// The columns of rows beyond the header of their file.
///
/// Columns are known before the first row is read, so the widest row in the head of the file decides, or the job does.
enum CSVExtension {
    /// The limit of columns from a row: a line of delimiters only is no table.
    static let most = 1000

    /// As many names as `width`: the names of the header, followed by `column_5` for the fifth.
    static func names(_ header: [String], width: Int) -> [String] {
        var names = header
        var used = Set(header)
        while names.count < width {
            var name = "column_\(names.count + 1)"
            var number = 2
            while !used.insert(name).inserted {
                name = "column_\(names.count + 1)_\(number)"
                number += 1
            }
            names.append(name)
        }
        return names
    }

    /// How many cells the widest of some rows has; empty cells at the end of a row are none.
    static func width(of rows: UnsafeBufferPointer<UInt8>, header: Int, isWhole: Bool, _ dialect: CSVDialect) -> Int {
        let most = header + CSVExtension.most
        var scanner = CSVRecordScanner(dialect: dialect, most: most + 1)
        var (width, position) = (header, 0)
        while let record = scanner.next(in: rows, at: &position, isLast: isWhole) {
            guard record.kind == .fields, scanner.fields.count > width else { continue }
            let used = CSVExtension.used(scanner.fields)
            if used <= most { width = max(width, used) }
        }
        return width
    }

    /// The number of cells before the empty ones at the end of a row.
    static func used(_ fields: [CSVRecordScanner.Field]) -> Int {
        fields.lastIndex { $0.isQuoted || $0.start < $0.end }.map { $0 + 1 } ?? 0
    }
}

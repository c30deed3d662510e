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
            let rest = Cell(rebasing: bytes[position...])
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
                    let line = Cell(rebasing: bytes[start..<position])
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
        var rows = Cell(rebasing: head.bytes.filled[dataStart...])
        if let footer, head.isWhole { rows = Cell(rebasing: rows[..<footer.found(in: rows).start]) }
        let width = width ?? CSVExtension.width(of: rows, header: header.count, isWhole: head.isWhole, dialect)
        columns = CSVExtension.names(header, width: width)
    }

    /// The decoded text of a field, without its doubled quotes and escapes.
    package static func text(of field: CSVRecordScanner.Field, _ bytes: Cell, _ dialect: CSVDialect) -> String {
        let cell = Cell(rebasing: bytes[field.start..<field.end])
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

    private static func skippingLines(_ count: Int, in bytes: Cell, _ dialect: CSVDialect) -> Int {
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
    static func width(of rows: Cell, header: Int, isWhole: Bool, _ dialect: CSVDialect) -> Int {
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

extension CSVFormat {
    /// Refuses a first row that begins no table: the line that declares a delimiter to spreadsheets, a tag of a page,
    /// or a bracket of JSON.
    func checkContent(_ head: SourceHead, _ record: Cell, _ cells: Int) throws(DaybookError) {
        let line =
            String(decoding: record, as: UTF8.self).split(whereSeparator: \.isNewline).first.map(String.init) ?? ""
        let start = record.baseAddress! - head.bytes.base
        if line.hasPrefix("sep="), line.unicodeScalars.count == 5, let sign = line.utf8.last, sign < 0x80 {
            let message = "the first line, '\(line)', tells spreadsheets what separates cells, and names no column"
            let hint = "write 'delimiter: \(CSVFormat.written(sign))' and 'skip_lines: 1'"
            throw DaybookError.data("bad-header", message, at: place(start, head), hint: hint)
        }
        let isTag = line.first == "<" && line.last == ">"
        guard cells == 1, isTag || ["[", "{", "[{", "[["].contains(line) else { return }
        let message = "the first row is '\(line.prefix(60))\(line.count > 60 ? "…" : "")', with which no table begins"
        let hint = CSVFormat.otherForm(head.bytes.filled)
        throw DaybookError.data("bad-header", message, at: place(start, head), hint: hint)
    }

    /// Refuses a first row that is an ordinary row, unless the job declares it as the header.
    func checkHeader(
        _ fields: [CSVRecordScanner.Field],
        _ head: SourceHead,
        _ start: Int,
        _ end: Int
    ) throws(DaybookError) {
        guard !settings.namesHeader else { return }
        let bytes = head.bytes.filled
        let first = CSVMissingHeader.samples(of: fields, bytes, dialect)
        let found = CSVMissingHeader(first, besides: settings.named) {
            CSVMissingHeader.rows(from: end, of: bytes, dialect, width: first.count, isWhole: head.isWhole)
        }
        if let found { throw found.error(at: place(start, head)) }
    }

    /// The hint for a text that begins as JSON and pages do.
    static func otherForm(_ bytes: Cell) -> String? {
        switch bytes.first(where: { $0 > 0x20 && $0 < 0x80 }) {
        case UInt8(ascii: "["), UInt8(ascii: "{"): "this looks like JSON; use import_json"
        case UInt8(ascii: "<"):
            "this looks like HTML or XML, as a server sends that has no such file; is it a CSV file?"
        default: nil
        }
    }

    /// Refuses a file whose first row is one cell that another common delimiter would split, unless the job sets one.
    ///
    /// A row of values may contain one by chance, so if the first row is no header, the rows behind it must agree.
    mutating func checkDelimiter(_ head: SourceHead, from start: Int) throws(DaybookError) {
        guard !settings.namesDelimiter else { return }
        let bytes = head.bytes.filled
        guard fields(of: dialect.delimiter, bytes, start, head.isWhole) == 1 else { return }
        var best: (delimiter: UInt8, fields: Int)?
        for candidate in CSVDialect.commonDelimiters where candidate != dialect.delimiter {
            let fields = fields(of: candidate, bytes, start, head.isWhole)
            if fields > max(1, best?.fields ?? 0) { best = (candidate, fields) }
        }
        let odd = OddDelimiter.of(bytes, from: start, dialect)
        guard let delimiter = best?.delimiter else {
            guard settings.header == .present else { return }
            if quotesWholeRows(bytes, start) {
                let mend = "take the quotes around whole rows off in the file first"
                throw wrongDelimiter("is one cell in quotes, \(cell(head, start))", mend, head, from: start)
            }
            if let odd { try refuse(odd, head, from: start) }
            return
        }
        if settings.header != .present {
            let rows = Cell(rebasing: bytes[start...])
            guard CSVDialect.likelyDelimiter(of: rows, dialect: dialect) == delimiter else { return }
        }
        if let odd, odd.repeats(delimiter) { return try refuse(odd, head, from: start) }
        let mend = "write 'delimiter: \(CSVFormat.written(delimiter))'"
        throw wrongDelimiter(split(by: CSVFormat.displayText(delimiter), head, start), mend, head, from: start)
    }

    /// Refuses a one-column file that another delimiter would split, and only warns of spaces, which may be chance.
    private mutating func refuse(_ odd: OddDelimiter, _ head: SourceHead, from start: Int) throws(DaybookError) {
        let isControl = odd.byte.map { $0 < 0x20 } ?? false
        let name = isControl ? UnseenCharacter.displayText(odd.text.unicodeScalars.first ?? " ") : "'\(odd.text)'"
        let mend =
            odd.byte.map { "write 'delimiter: \(CSVFormat.written($0))'" }
            ?? (odd.aligns
                ? "put a delimiter between them in the file first"
                : CSVFormat.written(odd.text).map { "write 'delimiter: \($0)'" }
                    ?? "replace \(name) by one ASCII character in the file first")
        guard odd.isSpace else { throw wrongDelimiter(split(by: name, head, start), mend, head, from: start) }
        let message =
            "the file is read as one column, and spaces split each of its first rows into \(odd.cells) cells; "
            + "\(mend), or write 'delimiter: \(CSVFormat.written(dialect.delimiter))' if it is one column"
        warnings.append(
            SourceWarning(Finding.Kind("one-column", message, severity: .warning), at: start, of: head.bytes.filled)
        )
    }

    private func wrongDelimiter(_ what: String, _ mend: String, _ head: SourceHead, from start: Int) -> DaybookError {
        let own = CSVFormat.written(dialect.delimiter)
        let message = "the \(settings.header == .present ? "header" : "first row") \(what)"
        let hint = "\(mend), or \(mend.hasPrefix("write") ? "" : "write ")'delimiter: \(own)' if it is one column"
        return DaybookError.data("wrong-delimiter", message, at: place(start, head), hint: hint)
    }

    private func split(by other: String, _ head: SourceHead, _ start: Int) -> String {
        "is one cell, \(cell(head, start)), which \(other) would split and \(CSVFormat.displayText(dialect.delimiter)) does not"
    }

    /// The first cell of a record, in quotes and not too long.
    private func cell(_ head: SourceHead, _ start: Int) -> String {
        var scanner = CSVRecordScanner(dialect: dialect)
        _ = scanner.scan(head.bytes.filled, from: start, isLast: head.isWhole)
        let text = scanner.fields.first.map { CSVFormat.text(of: $0, head.bytes.filled, dialect) } ?? ""
        return "'\(text.prefix(60))\(text.count > 60 ? "…" : "")'"
    }

    /// Whether each of the first rows is one quoted cell with at least as many delimiters as the first, and more than
    /// one of them, since a name may have a comma of its own.
    private func quotesWholeRows(_ bytes: Cell, _ start: Int) -> Bool {
        var scanner = CSVRecordScanner(dialect: dialect)
        var (rows, fewest, position) = (0, 2, start)
        while rows < 50, let record = scanner.next(in: bytes, at: &position) {
            if record.kind == .blank { continue }
            guard record.kind == .fields, scanner.fields.count == 1, let cell = scanner.fields.first, cell.isQuoted
            else { return false }
            let delimiters = bytes[cell.start..<cell.end].count { $0 == dialect.delimiter }
            guard delimiters >= fewest else { return false }
            (rows, fewest) = (rows + 1, rows == 0 ? delimiters : fewest)
        }
        return rows > 2
    }

    private func fields(of delimiter: UInt8, _ bytes: Cell, _ start: Int, _ isLast: Bool) -> Int {
        var scanner = CSVRecordScanner(dialect: dialect)
        scanner.dialect.delimiter = delimiter
        return scanner.scan(bytes, from: start, isLast: isLast).kind == .fields ? scanner.fields.count : 0
    }

    private static func displayText(_ delimiter: UInt8) -> String {
        delimiter == 9 ? "a tab" : "'\(Character(UnicodeScalar(delimiter)))'"
    }

    /// A delimiter of several bytes as a job names it; nil where a job cannot.
    private static func written(_ delimiter: String) -> String? {
        guard delimiter.utf8.count <= DelimiterTail.most + 1,
            !delimiter.unicodeScalars.contains(where: { $0.value < 0x20 })
        else { return nil }
        return delimiter.contains("\\") ? "'\(delimiter)'" : "\"\(delimiter)\""
    }

    /// A delimiter as a job names it.
    package static func written(_ delimiter: UInt8) -> String {
        switch delimiter {
        case 9: "tab"
        case 0..<0x20: "\"\\x\(delimiter.padded(to: 2, radix: 16))\""
        case UInt8(ascii: "\\"): "'\\'"
        default: "\"\(Character(UnicodeScalar(delimiter)))\""
        }
    }
}

import CScan

extension Finding.Kind {
    static let strayQuote = Finding.Kind("stray-quote", "a quote stands inside a cell that does not begin with one")
    static let textBehindQuote = Finding.Kind(
        "stray-quote",
        "text stands behind the quote that closes this cell; a quote that is part of a cell is written twice"
    )
    static let escapedQuote = Finding.Kind(
        "stray-quote",
        "a backslash keeps no quote from closing its cell; a quote that is part of a cell is written twice"
    )
    static let unclosedQuote = Finding.Kind("unclosed-quote", "a quote opens here and is never properly closed")
    static let strayReturn = Finding.Kind(
        "stray-return",
        "a carriage return stands inside a cell that is not quoted, where lines end with line feeds"
    )
    static let blankRow = Finding.Kind("blank-row", "the row holds nothing but delimiters")
    static let keptBlankRow = Finding.Kind(
        "blank-row",
        "the row holds nothing but delimiters and is a row all the same; 'blank_rows' says whether to keep, skip or reject such rows",
        severity: .warning,
        isToldOnce: true
    )
    static let repeatedHeader = Finding.Kind("repeated-header", "the header stands here once more, as if it were a row")

    /// A row of `found` cells; counts past a thousand share one kind, so hostile input cannot make endless kinds.
    package static func ragged(_ found: Int, expected: Int, extends: Bool = false) -> Finding.Kind {
        let count = found > 1000 ? "over 1000" : String(found)
        let message =
            "found \(count) \(found == 1 ? "cell" : "cells"), expected \(extends ? "at most " : "")\(expected)"
        let mend = extends && found <= 1000 ? "write 'width: \(found)', and all cells have a column" : nil
        return Finding.Kind("ragged-row", message, mend: mend)
    }
}

/// Parses morsels of delimited text into batches.
///
/// Two ways lead to the same rows. The index way finds all ends of cells by vector instructions and then fills each
/// column in one loop. The careful way reads record by record; it is used if a quote or a carriage return is out of
/// place, if a quote has swallowed rows or the header is among them, if bytes are not text, and if lines may be
/// comments.
package final class CSVReader: RecordReader {
    let dialect: CSVDialect
    let made: ReadColumns
    public var schema: Schema { made.schema }
    static let emptyCells = "empty trailing cells"
    static let blankRowsSkipped = "blank rows"

    /// Cells in a row.
    let width: Int
    let settings: CSVReadSettings
    /// By first byte, the possible kinds of a record: 1 the header, 2 a header after a byte-order mark, 4 blank.
    let firstBytes: [UInt8]
    /// Whether a row with too few cells is a row, with its last cells missing.
    var pads: Bool { settings.ragged != .reject }
    /// Whether empty cells after the last column are dropped.
    var extends: Bool { settings.ragged == .extend }
    /// Spellings of a missing value other than the empty cell.
    let otherMissing: [[UInt8]]
    let emptyIsMissing: Bool
    /// Whether byte-order marks before records are reported: in a file that begins with none, they may be text.
    let followsMark: Bool
    let likeness: CSVRowLikeness
    /// The header, to find it among the rows; nil if it is not searched for.
    let repeated: RepeatedHeader?

    /// - Parameter declared: the columns of a declared kind.
    init(_ format: CSVFormat, schema: Schema, checking declared: Schema) {
        settings = format.settings
        repeated = RepeatedHeader(format.header, format.dialect, settings.repeated)
        dialect = format.dialect
        var firstBytes = repeated?.firstBytes ?? RepeatedHeader.noFirstBytes
        firstBytes[Int(format.dialect.delimiter)] |= 4
        self.firstBytes = firstBytes
        let columns = format.columns ?? []
        followsMark = format.followsMark
        likeness = format.likeness
        width = columns.count
        made = ReadColumns(schema, checking: declared, among: columns, settings.numbers)
        emptyIsMissing = settings.missing.contains("")
        otherMissing = settings.missing.filter { !$0.isEmpty }.map { Array($0.utf8) }
    }

    package func read(_ morsel: Morsel, reporting findings: inout Findings) -> Batch {
        let isText = morsel.faults.isEmpty && scan_text_valid(morsel.bytes.base, morsel.length) == morsel.length
        if isText, let index = index(of: morsel), !index.found.has_stray_returns {
            let reading = CSVIndexReading(reader: self, morsel: morsel, index: index)
            if !reading.hasStrayOpening, let batch = reading.batch(&findings) { return batch }
        }
        return CSVCarefulReading(reader: self, morsel: morsel, isText: isText).batch(&findings)
    }

    private func index(of morsel: Morsel) -> CSVIndex? {
        if let index = morsel.notes as? CSVIndex, index.length == morsel.length { return index }
        if morsel.notes is CSVFooter.Notes { return nil }
        if morsel.length > CSVCutter.longestIndex { return nil }
        return CSVIndex(morsel.bytes.base, morsel.length, dialect, isLast: true)
    }

    /// Makes a batch of columns of views, and replaces the spellings of missing values by gaps.
    func batch(
        _ views: [(views: [TextView], missing: Mask?)],
        _ spans: [RecordSpan],
        _ records: [UInt32],
        _ morsel: Morsel,
        _ findings: inout Findings
    ) -> Batch {
        let texts = views.map { views, missing in
            var text = TextColumn(morsel.bytes, views: views, missing: missing)
            if !otherMissing.isEmpty { removeMissing(&text) }
            return text
        }
        return made.batch(texts, spans, records, morsel, &findings)
    }

    private func removeMissing(_ column: inout TextColumn) {
        var missing = column.missing
        let count = column.count
        let quote = dialect.quote
        let start = column.bytes.base
        column.forEachValue { row, cell in
            for spelling in otherMissing where spelling.count == cell.count && spelling.elementsEqual(cell) {
                // A quoted spelling is that text, not a gap: the byte before a quoted cell is its quote.
                let before = cell.baseAddress == start ? nil : cell.baseAddress?[-1]
                guard before != CSVQuotes.escapedMark, settings.missesQuoted || before != quote else { continue }
                missing.insert(row, of: count)
            }
        }
        column.missing = missing
    }

    package func finder(of field: String) -> FieldFinder? {
        made.cell(of: field).map { CSVCellFinder(dialect, cell: $0) }
    }
}

private final class CSVCellFinder: FieldFinder, @unchecked Sendable {
    private let dialect: CSVDialect
    private let cell: Int

    init(_ dialect: CSVDialect, cell: Int) { (self.dialect, self.cell) = (dialect, cell) }

    override func range(in record: Cell) -> Range<Int>? {
        dialect.range(ofCell: cell, in: record)
    }

    override func appendText(of field: Cell, to bytes: Bytes) {
        guard dialect.isPlain else { return appendUnusual(field, to: bytes) }
        guard field.count >= 2, field.first == dialect.quote, field.last == dialect.quote else {
            return bytes.append(field)
        }
        let cell = Bytes(capacity: 2 * field.count)
        cell.append(field)
        let view = CSVQuotes.view(1, field.count - 1, cell, quote: dialect.quote)
        let start = Int(view.offset)
        bytes.append(Cell(rebasing: cell.filled[start..<start + Int(view.length)]))
        withExtendedLifetime(cell) {}
    }

    /// A cell by itself is read as it is in its record.
    private func appendUnusual(_ cell: Cell, to bytes: Bytes) {
        guard !cell.isEmpty else { return }
        var scanner = CSVRecordScanner(dialect: dialect, most: 1)
        _ = scanner.scan(cell, from: 0, isLast: true)
        guard let field = scanner.fields.first, field.whole == 0..<cell.count else { return bytes.append(cell) }
        let length = dialect.decode(
            Cell(rebasing: cell[field.start..<field.end]),
            isQuoted: field.isQuoted,
            to: bytes.reserve(cell.count)
        )
        bytes.count += length
    }
}

/// Makes a batch from a morsel record by record, and reports why a record is not a row.
struct CSVCarefulReading {
    let reader: CSVReader
    let morsel: Morsel
    /// Whether every byte is known to be text.
    let isText: Bool

    func batch(_ findings: inout Findings) -> Batch {
        // Copies of cells with doubled quotes follow the morsel's own bytes, which must not move meanwhile.
        _ = morsel.bytes.reserve(2 * morsel.length + 64)
        let footer = morsel.notes as? CSVFooter.Notes
        let bytes = Cell(start: morsel.bytes.base, count: footer?.start ?? morsel.length)
        let stray = findings.token(.strayQuote)
        let unclosed = findings.token(.unclosedQuote)
        let strayReturn = findings.token(.strayReturn)
        let repeatedHeader = findings.token(.repeatedHeader)
        let most = max(reader.likeness.mostFields, reader.width + 2)
        var scanner = CSVRecordScanner(dialect: reader.dialect, most: most)
        var views = [[TextView]](repeating: [], count: reader.made.cells.count)
        var missing = [[Int]](repeating: [], count: reader.made.cells.count)
        var spans: [RecordSpan] = []
        var records: [UInt32] = []
        var blank = 0
        var comments = 0
        var seen = 0
        var repeats = 0
        var blankRows = 0
        var emptyCells = 0
        var invalidText = InvalidText(morsel, isText: isText)
        var position = 0
        // The end of a record that a stray quote has made of several; these are read one by one up to there.
        var swallowed = 0
        while position < bytes.count {
            let visible = Cell(rebasing: position < swallowed ? bytes[..<swallowed] : bytes[...])
            var record = scanner.scan(visible, from: position, isLast: true)
            if record.kind == .fields, let quote = reader.likeness.strayOpening(among: scanner.fields, visible) {
                if position >= swallowed { swallowed = record.end }
                record = scanner.givingUp(quote, from: position, in: visible)
            }
            let span = RecordSpan(start: position, end: record.end)
            position = record.end
            let invalid = invalidText.first(in: span)
            switch record.kind {
            case .comment:
                comments += 1
                continue
            case .blank where reader.width != 1, .fields where reader.width != 1 && isBlank(span, bytes):
                blank += 1
                continue
            case .strayQuote where isMarked(span, bytes):
                findings.reject(record: seen, span, at: Int(span.start), findings.token(.byteOrderMark))
            case .strayQuote: findings.reject(record: seen, span, at: record.fault, stray)
            case .textBehindQuote:
                let isEscaped = bytes[record.fault - 1] == UInt8(ascii: "\\")
                let token = findings.token(isEscaped ? .escapedQuote : .textBehindQuote)
                findings.reject(record: seen, span, at: record.fault, token)
            case .unclosedQuote: findings.reject(record: seen, span, at: record.fault, unclosed)
            case .fields, .strayReturn, .blank, .unfinished:
                var cells = max(1, scanner.fields.count)
                // Empty cells behind the last column are dropped, if all of them were buffered to be checked.
                if reader.extends, cells > reader.width, cells < most {
                    let used = max(reader.width, CSVExtension.used(scanner.fields))
                    if used == reader.width {
                        emptyCells += cells - used
                        cells = used
                    }
                }
                if let invalid {
                    let token = findings.token(invalid.kind)
                    findings.reject(record: seen, span, at: invalid.at, token, saying: invalid.message)
                } else if record.kind == .strayReturn {
                    findings.reject(record: seen, span, at: record.fault, strayReturn)
                } else if let header = reader.repeated, header.repeats(scanner.fields, bytes) {
                    if header.isSkipped {
                        repeats += 1
                    } else {
                        findings.reject(record: seen, span, at: Int(span.start), repeatedHeader)
                    }
                } else if isMarked(span, bytes) {
                    findings.reject(record: seen, span, at: Int(span.start), findings.token(.byteOrderMark))
                } else if cells != reader.width, !(cells < reader.width && reader.pads) {
                    let token = findings.token(.ragged(cells, expected: reader.width, extends: reader.extends))
                    findings.reject(record: seen, span, at: fault(scanner.fields, bytes) ?? Int(span.start), token)
                } else if let fate = reader.settings.blankRows, fate != .keep, isEmpty(scanner.fields) {
                    if fate == .skip {
                        blankRows += 1
                    } else {
                        findings.reject(record: seen, span, at: Int(span.start), findings.token(.blankRow))
                    }
                } else {
                    if reader.settings.blankRows == nil, isEmpty(scanner.fields) {
                        findings.warn(spans.count, findings.token(.keptBlankRow))
                    }
                    append(scanner.fields, &views, &missing)
                    spans.append(span)
                    records.append(UInt32(truncatingIfNeeded: seen))
                }
            }
            seen += 1
        }
        findings.saw(records: seen)
        findings.skip(blank, as: "blank lines")
        findings.skip(comments, as: "comments")
        findings.skip(emptyCells, as: CSVReader.emptyCells)
        findings.skip(footer?.records ?? 0, as: "footer rows")
        findings.drop(records: repeats, as: "repeated headers")
        findings.drop(records: blankRows, as: CSVReader.blankRowsSkipped)
        let columns = zip(views, missing).map { views, rows in
            var mask: Mask?
            for row in rows { mask.insert(row, of: views.count) }
            return (views: views, missing: mask)
        }
        return reader.batch(columns, spans, records, morsel, &findings)
    }

    private func isMarked(_ span: RecordSpan, _ bytes: Cell) -> Bool {
        reader.followsMark && ByteOrderMark.begins(Cell(rebasing: bytes[Int(span.start)..<Int(span.end)]))
    }

    /// Whether a line has only blanks that belong to no cell.
    private func isBlank(_ span: RecordSpan, _ bytes: Cell) -> Bool {
        reader.dialect.trims && reader.dialect.isBlankLine(bytes, Int(span.start)..<Int(span.end))
    }

    /// Whether a row of as many cells as there are columns holds nothing but its delimiters.
    private func isEmpty(_ fields: [CSVRecordScanner.Field]) -> Bool {
        reader.width > 1 && fields.count == reader.width && fields.allSatisfy { $0.whole.isEmpty }
    }

    /// The place of the fault in a row of too many or too few cells; nil if it cannot be determined.
    private func fault(_ fields: [CSVRecordScanner.Field], _ bytes: Cell) -> Int? {
        let ranges = fields.map(\.whole)
        if let fault = reader.likeness.fault(of: ranges, in: bytes) { return fault }
        return fields.count > reader.width ? ranges[reader.width].lowerBound : nil
    }

    private func append(_ fields: [CSVRecordScanner.Field], _ views: inout [[TextView]], _ missing: inout [[Int]]) {
        for (index, cell) in reader.made.cells.enumerated() {
            guard cell < min(fields.count, reader.width) else {
                if reader.emptyIsMissing { missing[index].append(views[index].count) }
                views[index].append(TextView(offset: 0, length: 0))
                continue
            }
            let field = fields[cell]
            if field.start == field.end, reader.emptyIsMissing, !field.isQuoted || reader.settings.missesQuoted {
                missing[index].append(views[index].count)
            }
            views[index].append(
                field.isEncoded
                    ? CSVQuotes.view(field, morsel.bytes, reader.dialect)
                    : TextView(offset: field.start, length: field.end - field.start)
            )
        }
    }
}

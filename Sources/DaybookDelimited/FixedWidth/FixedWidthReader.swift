import CScan

/// The format of one fixed-width file, by its beginning: its columns, and the start of its lines.
public struct FixedWidthFormat: HeadedFormat {
    package let source: SourceName
    public let lineEnd: LineEnd
    /// The columns; nil if no line defines them.
    private(set) var layout: FixedWidthLayout?
    public private(set) var dataStart = 0
    public private(set) var headerLine = 1
    /// Where the header begins, in bytes.
    package private(set) var headerStart = 0
    public internal(set) var warnings: [SourceWarning] = []
    /// Whether there is nothing in the file.
    package let isEmpty: Bool
    package private(set) var isRowless = false
    let settings: FixedWidthReadSettings

    package var columns: [String]? { layout?.columns.map(\.name) }
    var headerWidth: Int { layout?.columns.count ?? 0 }
    public func makeCutter() -> any RecordCutter { LineCutter(file: source.path, lineEnd: lineEnd) }
    public func makeCutter(of part: TextPart) -> (any RecordCutter)? { makeCutter() }

    /// Reads the header, and the columns where the settings do not name them, from the head of a file.
    init(of head: SourceHead, _ settings: FixedWidthReadSettings) throws(DaybookError) {
        source = head.source
        self.settings = settings
        layout = settings.layout
        isEmpty = head.isBlank
        defer { withExtendedLifetime(head.bytes) {} }
        let text = head.bytes.filled
        lineEnd = LineEnd(of: text)
        var lines = TextLines(text, lineEnd: lineEnd)
        for _ in 0..<settings.skipLines {
            guard lines.next() != nil else { break }
        }
        dataStart = lines.position
        if layout == nil {
            let found = FixedWidthLayout(guessedFrom: text, from: dataStart, settings, lineEnd, isWhole: head.isWhole)
            guard !found.columns.isEmpty else {
                if !isEmpty, lines.position < text.count { try refuseLongLine(lines, head) }
                return
            }
            guard found.columns.count > 1 else {
                let message =
                    "nothing tells where the columns of \(head.source.path) begin: no blanks run through all of its first lines"
                let hint =
                    "say how many characters each column has: 'widths: { name: 8, amount: 10 }'; "
                    + "or is the file delimited? import_csv reads it"
                throw DaybookError.data("no-columns", message, at: place(dataStart, head), hint: hint)
            }
            layout = found
        }
        if settings.header == .present {
            while let line = lines.next() {
                let text = Cell(rebasing: text[line.content])
                if settings.skips(text) { continue }
                headerLine = place(line.content.lowerBound, head).line
                headerStart = line.content.lowerBound
                dataStart = line.end
                if settings.layout == nil {
                    try checkHeader(text, before: lines, head)
                    try nameColumns(by: text, at: line.content.lowerBound, head)
                }
                break
            }
        }
        isRowless = head.isWhole
        while isRowless, let line = lines.next() { isRowless = settings.skips(Cell(rebasing: text[line.content])) }
        if settings.layout == nil { try nameOthers(head) }
    }

    private func refuseLongLine(_ lines: TextLines, _ head: SourceHead) throws(DaybookError) {
        var lines = lines
        guard let line = lines.next(), line.content.count >= 60 << 10 else { return }
        let message = "\(head.source.path) has no line end in its first \(line.content.count) bytes"
        let hint = "name its columns with 'widths', if it is a table of lines at all"
        throw DaybookError.data("header-too-long", message, at: place(line.content.lowerBound, head), hint: hint)
    }

    /// Refuses a first line that is an ordinary row, unless the job declares it as the header.
    private func checkHeader(_ line: Cell, before rows: TextLines, _ head: SourceHead) throws(DaybookError) {
        guard !settings.namesHeader, let layout else { return }
        let cutting = FixedWidthCutting(layout)
        func samples(_ line: Cell) -> [CSVCellSample] {
            var cells = [Range<Int>](repeating: 0..<0, count: layout.columns.count)
            _ = cutting.cut(line, into: &cells)
            return cells.map { cell in
                let cell = line[FixedWidthCutting.trimmed(cell, of: line)]
                return CSVCellSample(String(decoding: cell, as: UTF8.self), isQuoted: false)
            }
        }
        let found = CSVMissingHeader(samples(line), besides: settings.named) {
            var (rows, below) = (rows, [[CSVCellSample]]())
            while below.count < CSVMissingHeader.mostRows, let line = rows.next() {
                let text = Cell(rebasing: head.bytes.filled[line.content])
                if !settings.skips(text) { below.append(samples(text)) }
            }
            return below
        }
        if let found { throw found.error(at: place(headerStart, head)) }
    }

    /// Reads the names from the header.
    private mutating func nameColumns(by line: Cell, at start: Int, _ head: SourceHead) throws(DaybookError) {
        guard var layout, let base = line.baseAddress else { return }
        let valid = Int(scan_text_valid(base, line.count))
        guard valid == line.count else {
            let message = "the header has bytes that are not text in the encoding of the file"
            let hint = "name the encoding, such as 'encoding: cp949'"
            throw DaybookError.data("bad-header", message, at: place(start + valid, head), hint: hint)
        }
        var cells = [Range<Int>](repeating: 0..<0, count: layout.columns.count)
        _ = FixedWidthCutting(layout).cut(line, into: &cells)
        let written = cells.map { cell in
            let cell = FixedWidthCutting.trimmed(cell, of: line)
            return (text: String(decoding: line[cell], as: UTF8.self), place: start + cell.lowerBound)
        }
        let names = name(written, areExact: false, head.bytes.filled)
        for (index, name) in names.enumerated() { layout.columns[index].name = name }
        self.layout = layout
    }

    /// Names the guessed columns as the job does, or by their numbers.
    private mutating func nameOthers(_ head: SourceHead) throws(DaybookError) {
        guard var layout else { return }
        if case .names(let names) = settings.header {
            guard names.count == layout.columns.count else {
                let message =
                    "blanks separate \(layout.columns.count) columns in \(head.source.path), and 'header' names \(names.count)"
                let hint = "say how many characters each column has: 'widths: { name: 8, amount: 10 }'"
                throw DaybookError.data("columns-differ", message, at: place(dataStart, head), hint: hint)
            }
            for (index, name) in names.enumerated() { layout.columns[index].name = name }
        }
        for index in layout.columns.indices where layout.columns[index].name.isEmpty {
            layout.columns[index].name = "column_\(index + 1)"
        }
        self.layout = layout
    }
}

extension Finding.Kind {
    static func shortLine(before column: String) -> Finding.Kind {
        let message = "the line ends before the column '\(column)'"
        return Finding.Kind("ragged-line", message, mend: "'ragged: pad' makes what is not there missing")
    }
    static let returnInLine = Finding.Kind(
        "stray-return",
        "a carriage return stands inside the line, where lines end with line feeds"
    )
    static let shortByWideOnes = Finding.Kind("wide-characters", FixedWidthReader.shortByWideOnes, severity: .warning)
    static let longLine = Finding.Kind("ragged-line", "text stands behind the last column")
    static func crossing(_ column: String) -> Finding.Kind {
        let message = "a value goes on behind the end of the column '\(column)'"
        let mend = "say how many characters each column has: 'widths: { name: 8, amount: 10 }'"
        return Finding.Kind("value-across-columns", message, mend: mend)
    }
}

/// Parses morsels of fixed-width text into batches.
package final class FixedWidthReader: RecordReader {
    static let shortByWideOnes =
        "the line is shorter than its columns by just as many characters as it has wide ones; where widths count bytes or columns of "
        + "a terminal, write 'widths_in: bytes' or 'widths_in: columns'"

    private let made: ReadColumns
    package var schema: Schema { made.schema }
    private let columns: [String]
    private let settings: FixedWidthReadSettings
    private let cutting: FixedWidthCutting
    private let lineEnd: LineEnd
    private let emptyIsMissing: Bool
    private let otherMissing: [[UInt8]]

    /// - Parameter declared: the columns of a declared kind.
    init(_ format: FixedWidthFormat, schema: Schema, checking declared: Schema) {
        settings = format.settings
        lineEnd = format.lineEnd
        columns = format.columns ?? []
        cutting = FixedWidthCutting(format.layout ?? FixedWidthLayout([]))
        made = ReadColumns(schema, checking: declared, among: columns, settings.numbers)
        emptyIsMissing = settings.missing.contains("")
        otherMissing = settings.missing.filter { !$0.isEmpty }.map { Array($0.utf8) }
    }

    package func read(_ morsel: Morsel, reporting findings: inout Findings) -> Batch {
        let text = morsel.cell
        var invalid = InvalidText(morsel)
        var lines = TextLines(text, lineEnd: lineEnd)
        var cells = [Range<Int>](repeating: 0..<0, count: columns.count)
        var views = [[TextView]](repeating: [], count: made.cells.count)
        var missing = [[Int]](repeating: [], count: made.cells.count)
        var spans: [RecordSpan] = []
        var records: [UInt32] = []
        var (blank, comments, seen) = (0, 0, 0)
        while let line = lines.next() {
            let content = Cell(rebasing: text[line.content])
            let span = RecordSpan(start: line.content.lowerBound, end: line.end)
            let fault = invalid.first(in: span)
            if settings.skips(content) {
                if content.first == settings.comment, settings.comment != nil { comments += 1 } else { blank += 1 }
                continue
            }
            defer { seen += 1 }
            if let fault {
                findings.reject(record: seen, span, at: fault.at, findings.token(fault.kind), saying: fault.message)
                continue
            }
            if ByteOrderMark.begins(content) {
                findings.reject(record: seen, span, at: line.content.lowerBound, findings.token(.byteOrderMark))
                continue
            }
            if lineEnd != .carriageReturn, let at = content.place(of: 0x0D) {
                findings.reject(record: seen, span, at: line.content.lowerBound + at, findings.token(.returnInLine))
                continue
            }
            if let (fault, at) = cutting.cut(content, into: &cells), let kind = kind(of: fault) {
                let isShort = kind.code == "ragged-line" && cutting.isShortByWideOnes(content)
                let token = findings.token(kind)
                let message = isShort ? FixedWidthReader.shortByWideOnes : nil
                findings.reject(record: seen, span, at: line.content.lowerBound + at, token, saying: message)
                continue
            }
            for (index, place) in made.cells.enumerated() {
                guard place < columns.count else {
                    missing[index].append(spans.count)
                    views[index].append(TextView(offset: line.content.lowerBound, length: 0))
                    continue
                }
                let cell = trimmed(cells[place], of: content)
                if isMissing(cell, of: content) { missing[index].append(spans.count) }
                views[index].append(TextView(offset: line.content.lowerBound + cell.lowerBound, length: cell.count))
            }
            if cutting.isShortByWideOnes(content) { findings.warn(spans.count, findings.token(.shortByWideOnes)) }
            spans.append(span)
            records.append(UInt32(truncatingIfNeeded: seen))
        }
        findings.saw(records: seen)
        findings.skip(blank, as: "blank lines")
        findings.skip(comments, as: "comments")
        let texts = zip(views, missing).map { views, missing in
            var mask: Mask?
            for row in missing { mask.insert(row, of: spans.count) }
            return TextColumn(morsel.bytes, views: views, missing: mask)
        }
        return made.batch(texts, spans, records, morsel, &findings)
    }

    private func kind(of fault: FixedWidthCutting.Fault) -> Finding.Kind? {
        switch fault {
        case .short(let column): settings.ragged == .pad ? nil : .shortLine(before: columns[column])
        case .long: .longLine
        case .crossing(let column): .crossing(columns[column])
        }
    }

    private func isMissing(_ cell: Range<Int>, of line: Cell) -> Bool {
        if emptyIsMissing, FixedWidthCutting.trimmed(cell, of: line).isEmpty { return true }
        return otherMissing.contains { $0.count == cell.count && $0.elementsEqual(line[cell]) }
    }

    package func finder(of field: String) -> FieldFinder? {
        made.cell(of: field).map { FixedWidthFinder(self, cell: $0) }
    }

    /// The counted part of a cell.
    private func trimmed(_ cell: Range<Int>, of line: Cell) -> Range<Int> {
        settings.trims ? FixedWidthCutting.trimmed(cell, of: line) : cell
    }

    /// The range of a cell in a record.
    fileprivate func range(of cell: Int, in record: Cell) -> Range<Int> {
        let line = record.withoutLineEnd
        var cells = [Range<Int>](repeating: 0..<0, count: columns.count)
        _ = cutting.cut(line, into: &cells)
        return trimmed(cells[cell], of: line)
    }
}

private final class FixedWidthFinder: FieldFinder, @unchecked Sendable {
    private let reader: FixedWidthReader
    private let cell: Int

    init(_ reader: FixedWidthReader, cell: Int) { (self.reader, self.cell) = (reader, cell) }

    override func range(in record: Cell) -> Range<Int>? { reader.range(of: cell, in: record) }
}

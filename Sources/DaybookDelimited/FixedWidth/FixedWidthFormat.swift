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

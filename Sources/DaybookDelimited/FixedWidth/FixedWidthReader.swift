import CScan

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

    package let schema: Schema
    /// The columns of the batch, followed by columns that are only checked; each with its index among the columns of
    /// the file, or nil if only other files have it.
    private let wanted: [(field: Field, cell: Int?)]
    private let columns: [String]
    private let settings: FixedWidthReadSettings
    private let cutting: FixedWidthCutting
    private let lineEnd: LineEnd
    private let emptyIsMissing: Bool
    private let otherMissing: [[UInt8]]

    /// `declared` are the columns of a declared kind, which are checked even if no stage reads them: whether a row is
    /// rejected must not depend on later stages.
    init(_ format: FixedWidthFormat, schema: Schema, checking declared: Schema) {
        self.schema = schema
        settings = format.settings
        lineEnd = format.lineEnd
        columns = format.columns ?? []
        cutting = FixedWidthCutting(format.layout ?? FixedWidthLayout([]))
        let places = Dictionary(columns.enumerated().map { ($1, $0) }) { first, _ in first }
        let unwanted = declared.fields.filter { schema.index(of: $0.name) == nil }
        wanted = (schema.fields + unwanted).map { ($0, places[$0.source ?? $0.name]) }
        emptyIsMissing = settings.missing.contains("")
        otherMissing = settings.missing.filter { !$0.isEmpty }.map { Array($0.utf8) }
    }

    package func read(_ morsel: Morsel, reporting findings: inout Findings) -> Batch {
        let text = morsel.cell
        var invalid = InvalidText(morsel)
        var lines = TextLines(text, lineEnd: lineEnd)
        var cells = [Range<Int>](repeating: 0..<0, count: columns.count)
        var views = [[TextView]](repeating: [], count: wanted.count)
        var missing = [[Int]](repeating: [], count: wanted.count)
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
            for (index, one) in wanted.enumerated() {
                guard let place = one.cell else {
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
        return batch(zip(views, missing).map { (views: $0, missing: $1) }, spans, records, morsel, &findings)
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

    private func batch(
        _ cells: [(views: [TextView], missing: [Int])],
        _ spans: [RecordSpan],
        _ records: [UInt32],
        _ morsel: Morsel,
        _ findings: inout Findings
    ) -> Batch {
        let columns = zip(wanted, cells).map { one, cell -> Column in
            var mask: Mask?
            for row in cell.missing { mask.insert(row, of: spans.count) }
            let text = TextColumn(morsel.bytes, views: cell.views, missing: mask)
            let (name, kind) = (one.field.name, one.field.kind)
            if kind == .text { return Column.text(text) }
            return text.reading(
                kind,
                by: settings.numbers.format(of: name),
                named: ColumnName(name),
                reporting: &findings
            )
        }
        let batch = Batch(
            Schema(wanted.map(\.field)),
            columns,
            count: spans.count,
            provenance: .morsel(morsel, spans: spans, records: records)
        )
        return wanted.count == schema.fields.count
            ? batch : batch.replacing(schema, Array(columns.prefix(schema.fields.count)))
    }

    package func finder(of field: String) -> FieldFinder? {
        columns.firstIndex(of: field).map { FixedWidthFinder(self, cell: $0) }
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

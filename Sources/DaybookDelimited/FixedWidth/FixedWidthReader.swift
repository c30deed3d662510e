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
        var views = [[TextView]](repeating: [], count: made.wanted.count)
        var missing = [[Int]](repeating: [], count: made.wanted.count)
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
            for (index, one) in made.wanted.enumerated() {
                guard one.cell < columns.count else {
                    missing[index].append(spans.count)
                    views[index].append(TextView(offset: line.content.lowerBound, length: 0))
                    continue
                }
                let cell = trimmed(cells[one.cell], of: content)
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

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
        let bytes = UnsafeBufferPointer(start: morsel.bytes.base, count: footer?.start ?? morsel.length)
        let stray = findings.token(.strayQuote)
        let unclosed = findings.token(.unclosedQuote)
        let strayReturn = findings.token(.strayReturn)
        let repeatedHeader = findings.token(.repeatedHeader)
        let most = max(reader.likeness.mostFields, reader.width + 2)
        var scanner = CSVRecordScanner(dialect: reader.dialect, most: most)
        var views = [[TextView]](repeating: [], count: reader.made.wanted.count)
        var missing = [[Int]](repeating: [], count: reader.made.wanted.count)
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
            let visible = UnsafeBufferPointer(rebasing: position < swallowed ? bytes[..<swallowed] : bytes[...])
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

    private func isMarked(_ span: RecordSpan, _ bytes: UnsafeBufferPointer<UInt8>) -> Bool {
        reader.followsMark && ByteOrderMark.begins(Cell(rebasing: bytes[Int(span.start)..<Int(span.end)]))
    }

    /// Whether a line has only blanks that belong to no cell.
    private func isBlank(_ span: RecordSpan, _ bytes: UnsafeBufferPointer<UInt8>) -> Bool {
        reader.dialect.trims && reader.dialect.isBlankLine(bytes, Int(span.start)..<Int(span.end))
    }

    /// Whether a row of as many cells as there are columns holds nothing but its delimiters.
    private func isEmpty(_ fields: [CSVRecordScanner.Field]) -> Bool {
        reader.width > 1 && fields.count == reader.width && fields.allSatisfy { $0.whole.isEmpty }
    }

    /// The place of the fault in a row of too many or too few cells; nil if it cannot be determined.
    private func fault(_ fields: [CSVRecordScanner.Field], _ bytes: UnsafeBufferPointer<UInt8>) -> Int? {
        let ranges = fields.map(\.whole)
        if let fault = reader.likeness.fault(of: ranges, in: bytes) { return fault }
        return fields.count > reader.width ? ranges[reader.width].lowerBound : nil
    }

    private func append(_ fields: [CSVRecordScanner.Field], _ views: inout [[TextView]], _ missing: inout [[Int]]) {
        for (index, wanted) in reader.made.wanted.enumerated() {
            guard wanted.cell < min(fields.count, reader.width) else {
                if reader.emptyIsMissing { missing[index].append(views[index].count) }
                views[index].append(TextView(offset: 0, length: 0))
                continue
            }
            let field = fields[wanted.cell]
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

import CScan

/// Makes a batch from the structural index of a morsel whose quotes are all in place.
struct CSVIndexReading {
    let reader: CSVReader
    let morsel: Morsel
    /// Keeps the memory of `buffer` alive.
    private let owner: CSVIndex
    let index: csv_index
    let buffer: IndexBuffer

    init(reader: CSVReader, morsel: Morsel, index: CSVIndex) {
        (self.reader, self.morsel, owner) = (reader, morsel, index)
        (self.index, buffer) = (index.found, index.buffer)
    }

    /// Nil if the header is among the rows; the careful way removes it.
    func batch(_ findings: inout Findings) -> Batch? {
        var found = evenRows()
        if found.mayRepeatHeader, repeatsHeader { return nil }
        if found.mayHoldMark, reader.followsMark, holdsMark { return nil }
        let mayBeBlank = found.mayBeBlank
        addUnevenRows(to: &found, &findings)
        if mayBeBlank { judgeBlankRows(of: &found, &findings) }
        if index.has_doubled_quotes { _ = morsel.bytes.reserve(morsel.length) }
        let columns = reader.made.cells.map { cell in
            cell < reader.width ? column(cell, found.rows) : absent(found.rows.count)
        }
        withExtendedLifetime(owner) {}
        return reader.batch(columns, found.spans, found.records, morsel, &findings)
    }

    /// Whether a record of several lines is false: a stray quote opens in it and swallows rows.
    var hasStrayOpening: Bool {
        guard index.has_long_records, reader.likeness.tells else { return false }
        var scanner = CSVRecordScanner(dialect: reader.dialect)
        for record in 0..<index.records where buffer.records[record] & CSV_LONG_RECORD != 0 {
            let bytes = scan(record, with: &scanner)
            if reader.likeness.strayOpening(among: scanner.fields, bytes) != nil { return true }
        }
        return false
    }

    /// Whether a record repeats the header. Only records with the same beginning are compared.
    private var repeatsHeader: Bool {
        guard let header = reader.repeated else { return false }
        var scanner = CSVRecordScanner(dialect: reader.dialect, most: reader.likeness.mostFields)
        for beginning in header.beginnings where index.has_quotes || !beginning.isQuoted {
            var record = 0
            while true {
                record = csv_find_record(morsel.bytes.base, index, buffer.places, record, beginning.key, beginning.mask)
                guard record < index.records else { break }
                let bytes = scan(record, with: &scanner)
                if header.repeats(scanner.fields, bytes) { return true }
                record += 1
            }
        }
        return false
    }

    /// Finds the rows that hold nothing but delimiters. Of so many cells they are the shortest that there can be.
    private func judgeBlankRows(of found: inout EvenRows, _ findings: inout Findings) {
        let bytes = morsel.bytes.base
        let delimiters = (reader.width - 1) * (1 + Int(reader.dialect.delimiterTail.count))
        var blank: [Int] = []
        for row in found.spans.indices {
            let span = found.spans[row]
            var end = Int(span.end)
            guard end - Int(span.start) <= delimiters + 2, found.rows[row] & CSVIndexReading.shortRow == 0 else {
                continue
            }
            if end > Int(span.start), bytes[end - 1] == CSVDialect.lineFeed { end -= 1 }
            if end > Int(span.start), bytes[end - 1] == CSVDialect.carriageReturn { end -= 1 }
            if end - Int(span.start) == delimiters { blank.append(row) }
        }
        guard !blank.isEmpty, reader.width > 1 else { return }
        switch reader.settings.blankRows {
        case .keep: break
        case nil:
            let token = findings.token(.keptBlankRow)
            for row in blank { findings.warn(row, token) }
        case .skip:
            findings.drop(records: blank.count, as: CSVReader.blankRowsSkipped)
            found.remove(blank)
        case .reject:
            let token = findings.token(.blankRow)
            for row in blank {
                let span = found.spans[row]
                findings.reject(record: Int(found.records[row]), span, at: Int(span.start), token)
            }
            found.remove(blank)
        }
    }

    /// Whether a byte-order mark precedes a record.
    private var holdsMark: Bool {
        let mark = RepeatedHeader.Beginning(ByteOrderMark.bytes)
        return csv_find_record(morsel.bytes.base, index, buffer.places, 0, mark.key, mark.mask) < index.records
    }

    /// Rescans the fields of a record, and returns the bytes up to its end.
    private func scan(_ record: Int, with scanner: inout CSVRecordScanner) -> Cell {
        let start = Int(buffer.positions[record == 0 ? -1 : positions(through: record - 1) - 1] &+ 1)
        let end = min(Int(buffer.positions[positions(through: record) - 1]) + 1, morsel.length)
        let bytes = Cell(start: morsel.bytes.base, count: end)
        _ = scanner.scan(bytes, from: start, isLast: true)
        return bytes
    }

    /// The number of positions up to and including the end of a record.
    private func positions(through record: Int) -> Int { Int(buffer.records[record] & ~CSV_LONG_RECORD) }

    /// Adds later rows that have the right number of cells, and rejects the others.
    private func addUnevenRows(to even: inout EvenRows, _ findings: inout Findings) {
        let count = index.records
        let width = reader.width
        let bytes = morsel.bytes.base
        let length = morsel.length
        var blank = 0
        var emptyCells = 0
        var seen = UInt32(truncatingIfNeeded: even.rows.count)
        var first = even.rows.count * width
        for record in even.rows.count..<count {
            let next = positions(through: record)
            let start = Int(buffer.positions[first - 1] &+ 1)
            let last = Int(buffer.positions[next - 1])
            let span = RecordSpan(start: start, end: min(last + 1, length))
            if next - first == width, width > 1 || last > start {
                even.append(UInt32(truncatingIfNeeded: first), span, seen)
                seen &+= 1
            } else if next - first == 1, isBlank(start, last, bytes) {
                // In a file of one column an empty line is a row whose cell is empty.
                if width == 1 {
                    even.append(UInt32(truncatingIfNeeded: first), span, seen)
                    seen &+= 1
                } else {
                    blank += 1
                }
            } else {
                if reader.extends, next - first > width, areEmpty(first + width..<next, bytes) {
                    emptyCells += next - first - width
                    even.append(UInt32(truncatingIfNeeded: first), span, seen)
                } else if next - first < width, reader.pads {
                    even.append(UInt32(truncatingIfNeeded: first) | CSVIndexReading.shortRow, span, seen)
                } else {
                    let token = findings.token(.ragged(next - first, expected: width, extends: reader.extends))
                    findings.reject(record: Int(seen), span, at: fault(first..<next, start), token)
                }
                seen &+= 1
            }
            first = next
        }
        findings.saw(records: Int(seen))
        findings.skip(blank, as: "blank lines")
        findings.skip(emptyCells, as: CSVReader.emptyCells)
    }

    /// Whether there is nothing in the last cells of a record.
    private func areEmpty(_ cells: Range<Int>, _ bytes: UnsafePointer<UInt8>) -> Bool {
        cells.allSatisfy { isBlank(Int(buffer.positions[$0 - 1] &+ 1), Int(buffer.positions[$0]), bytes) }
    }

    /// A column of another file, which no row of this one has.
    private func absent(_ rows: Int) -> (views: [TextView], missing: Mask?) {
        let views = [TextView](repeating: TextView(offset: 0, length: 0), count: rows)
        return (views, reader.emptyIsMissing ? Mask(count: rows) { _ in true } : nil)
    }

    /// The rows from the first on that all have the right number of cells; mostly all rows.
    private func evenRows() -> EvenRows {
        let (count, width) = (index.records, reader.width)
        var even = 0
        // A row of one cell may be a blank line, which has a rule of its own.
        if width > 1 { while even < count, positions(through: even) == (even + 1) * width { even += 1 } }
        let (ends, length) = (buffer.positions, morsel.length)
        let rows = [UInt32](unsafeUninitializedCapacity: count) { rows, filled in
            for row in 0..<even { rows.initializeElement(at: row, to: UInt32(truncatingIfNeeded: row &* width)) }
            filled = even
        }
        var beginnings: UInt8 = even < count ? (reader.repeated != nil ? 7 : 6) : 0
        let bytes = morsel.bytes.base
        let spans = reader.firstBytes.withUnsafeBufferPointer { firstBytes in
            [RecordSpan](unsafeUninitializedCapacity: count) { spans, filled in
                var start: UInt32 = 0
                for row in 0..<even {
                    let end = ends[(row &+ 1) &* width &- 1] &+ 1
                    spans.initializeElement(at: row, to: RecordSpan(start: Int(start), end: min(Int(end), length)))
                    beginnings |= firstBytes[Int(bytes[Int(start)])]
                    start = end
                }
                filled = even
            }
        }
        let records = [UInt32](unsafeUninitializedCapacity: count) { records, filled in
            for row in 0..<even { records.initializeElement(at: row, to: UInt32(truncatingIfNeeded: row)) }
            filled = even
        }
        return EvenRows(rows: rows, spans: spans, records: records, beginnings: beginnings)
    }

    private struct EvenRows {
        var rows: [UInt32]
        var spans: [RecordSpan]
        var records: [UInt32]
        /// The possible kinds of the records, as in `CSVReader.firstBytes`.
        let beginnings: UInt8

        /// Whether one of the rows, or a record that is no row, may repeat the header.
        var mayRepeatHeader: Bool { beginnings & 1 != 0 }
        /// Whether a byte-order mark may precede one of them.
        var mayHoldMark: Bool { beginnings & 2 != 0 }
        /// Whether one of them may have only delimiters.
        var mayBeBlank: Bool { beginnings & 4 != 0 }

        mutating func remove(_ places: [Int]) {
            let gone = Set(places)
            let kept = rows.indices.filter { !gone.contains($0) }
            (rows, spans, records) = (kept.map { rows[$0] }, kept.map { spans[$0] }, kept.map { records[$0] })
        }

        mutating func append(_ row: UInt32, _ span: RecordSpan, _ record: UInt32) {
            rows.append(row)
            spans.append(span)
            records.append(record)
        }
    }

    /// The place of the fault in a row of too many or too few cells.
    private func fault(_ cells: Range<Int>, _ start: Int) -> Int {
        let bytes = Cell(start: morsel.bytes.base, count: morsel.length)
        let surplus = cells.count - reader.width
        if abs(surplus) == 1, reader.likeness.tells {
            var ranges = cells.map { Int(buffer.positions[$0 - 1] &+ 1)..<Int(buffer.positions[$0]) }
            // The return before a line feed is no part of the last cell.
            if let last = ranges.last, !last.isEmpty, bytes[last.upperBound - 1] == CSVDialect.carriageReturn {
                ranges[ranges.count - 1] = last.lowerBound..<last.upperBound - 1
            }
            if let fault = reader.likeness.fault(of: ranges, in: bytes) { return fault }
        }
        return surplus > 0 ? Int(buffer.positions[cells.lowerBound + reader.width - 1]) + 1 : start
    }

    /// The end of a short row's first cell is marked by the top bit, and its cells are checked one by one.
    private static let shortRow: UInt32 = 1 << 31

    private func isBlank(_ start: Int, _ end: Int, _ bytes: UnsafePointer<UInt8>) -> Bool {
        end == start || (end == start + 1 && bytes[start] == CSVDialect.carriageReturn)
            || (reader.dialect.trims
                && reader.dialect.isBlankLine(Cell(start: bytes, count: end), start..<end))
    }

    /// Whether cells must be checked one by one: they may end in carriage returns, be absent, or often be quoted.
    private var isUneven: Bool { index.has_carriage_returns || reader.pads || index.quoted > index.records }

    /// The cells of one column. The loop has no branch for rare cases; the few quoted cells are corrected after it.
    private func column(_ cell: Int, _ rows: [UInt32]) -> (views: [TextView], missing: Mask?) {
        let bytes = morsel.bytes.base
        let isUneven = isUneven
        var empty = 0
        var views = rows.withUnsafeBufferPointer { rows in
            [TextView](unsafeUninitializedCapacity: rows.count) { views, filled in
                if reader.dialect.trims {
                    for row in 0..<rows.count {
                        let view = trimmed(careful(cell, rows[row], bytes), bytes)
                        empty &+= view.length == 0 ? 1 : 0
                        views.initializeElement(at: row, to: view)
                    }
                } else if isUneven {
                    for row in 0..<rows.count {
                        let view = careful(cell, rows[row], bytes)
                        empty &+= view.length == 0 ? 1 : 0
                        views.initializeElement(at: row, to: view)
                    }
                } else {
                    let positions = buffer.positions + cell
                    for row in 0..<rows.count {
                        let end = positions + Int(rows[row])
                        let start = end[-1] &+ 1
                        let length = end[0] &- start
                        empty &+= length == 0 ? 1 : 0
                        views.initializeElement(at: row, to: TextView(offset: Int(start), length: Int(length)))
                    }
                }
                filled = rows.count
            }
        }
        let areQuoted = !isUneven && !reader.dialect.trims
        if areQuoted, reader.settings.missesQuoted { unquote(cell, rows, &views) }
        // A quoted cell is not empty as written, so missing values do not depend on its quotes if these count.
        let mayMiss = reader.emptyIsMissing && (empty > 0 || reader.settings.missesQuoted)
        let missing = mayMiss ? missing(views, bytes) : nil
        if areQuoted, !reader.settings.missesQuoted { unquote(cell, rows, &views) }
        return (views, missing)
    }

    /// A cell without the blanks around it, unless it is quoted.
    private func trimmed(_ view: TextView, _ bytes: UnsafePointer<UInt8>) -> TextView {
        let (start, end) = (Int(view.offset), Int(view.offset) + Int(view.length))
        guard end > start, start == 0 || bytes[start - 1] != reader.dialect.quote else { return view }
        let text = Cell(start: bytes, count: end)
        let first = reader.dialect.skippingBlanks(text, from: start)
        return TextView(offset: first, length: reader.dialect.trimmedEnd(text, first..<end) - first)
    }

    /// Removes the quotes from the quoted cells of one column.
    private func unquote(_ cell: Int, _ rows: [UInt32], _ views: inout [TextView]) {
        guard index.quoted > 0, !rows.isEmpty else { return }
        let bytes = morsel.bytes.base
        rows.withUnsafeBufferPointer { rows in
            for quoted in UnsafeBufferPointer(start: buffer.quoted, count: index.quoted) {
                let row = row(of: quoted, rows)
                guard row >= 0, quoted &- rows[row] == UInt32(truncatingIfNeeded: cell) else { continue }
                views[row] = careful(cell, rows[row], bytes)
            }
        }
    }

    /// The last row that begins at that position or before it, or -1.
    private func row(of position: UInt32, _ rows: UnsafeBufferPointer<UInt32>) -> Int {
        let guess = Int(position) / reader.width
        // If all rows up to it have the right number of cells, the place is computed.
        if guess < rows.count, Int(rows[guess]) == guess &* reader.width { return guess }
        return rows.partitioningIndex { $0 > position } - 1
    }

    /// A cell that may be quoted, may end in a carriage return, and may not be there at all.
    private func careful(_ cell: Int, _ row: UInt32, _ bytes: UnsafePointer<UInt8>) -> TextView {
        let first = Int(row & ~CSVIndexReading.shortRow)
        if row != UInt32(truncatingIfNeeded: first), isBehindRow(cell, first) { return TextView(offset: 0, length: 0) }
        let start = Int(buffer.positions[first + cell - 1] &+ 1)
        var end = Int(buffer.positions[first + cell])
        if index.has_carriage_returns, end > start, bytes[end - 1] == CSVDialect.carriageReturn, endsRecord(end, bytes)
        {
            end -= 1
        }
        guard index.has_quotes, end - start >= 2, bytes[start] == reader.dialect.quote else {
            return TextView(offset: start, length: end - start)
        }
        guard index.has_doubled_quotes else { return TextView(offset: start + 1, length: end - start - 2) }
        return CSVQuotes.view(start + 1, end - 1, morsel.bytes, quote: reader.dialect.quote)
    }

    private func endsRecord(_ end: Int, _ bytes: UnsafePointer<UInt8>) -> Bool {
        end == morsel.length || bytes[end] == CSVDialect.lineFeed
    }

    /// Whether the short row whose first cell ends at `first` has fewer cells than `cell` + 1.
    private func isBehindRow(_ cell: Int, _ first: Int) -> Bool {
        let bytes = morsel.bytes.base
        for position in first..<first + cell {
            let end = Int(buffer.positions[position])
            if end == morsel.length || CSVDialect.mayEndLine(bytes[end]) { return true }
        }
        return false
    }

    /// The empty cells. A quoted empty cell is an empty text, and is only empty once its quotes are removed.
    private func missing(_ views: [TextView], _ bytes: UnsafePointer<UInt8>) -> Mask? {
        let missing = views.withUnsafeBufferPointer { views in Mask(count: views.count) { views[$0].length == 0 } }
        guard isUneven || reader.dialect.trims, index.has_quotes, !reader.settings.missesQuoted else { return missing }
        var quoted = Mask(count: views.count)
        for row in missing.rows where views[row].offset > 0 {
            if bytes[Int(views[row].offset) - 1] == reader.dialect.quote { quoted.insert(row) }
        }
        return quoted.setCount == missing.setCount ? nil : missing.subtracting(quoted)
    }
}

/// Replaces doubled quotes by single ones.
enum CSVQuotes {
    /// The text between `start` and `end`: in place, or a copy behind the morsel's own bytes if it has quotes. The
    /// buffer must have capacity for the copy.
    static func view(_ start: Int, _ end: Int, _ bytes: Bytes, quote: UInt8) -> TextView {
        let source = bytes.base
        var position = start
        while position < end, source[position] != quote { position += 1 }
        guard position < end else { return TextView(offset: start, length: end - start) }
        // The byte before a copy is a quote too, since it marks an empty cell as quoted.
        bytes.append(quote)
        let offset = bytes.count
        let target = bytes.reserve(end - start)
        var length = position - start
        target.update(from: source + start, count: length)
        while position < end {
            target[length] = source[position]
            length += 1
            position += source[position] == quote ? 2 : 1
        }
        bytes.count += length
        return TextView(offset: offset, length: length)
    }

    /// The same for a field of any dialect.
    static func view(_ field: CSVRecordScanner.Field, _ bytes: Bytes, _ dialect: CSVDialect) -> TextView {
        if dialect.isPlain { return view(field.start, field.end, bytes, quote: dialect.quote) }
        let count = field.end - field.start
        // An escaped spelling of a missing value is that text, whether it is quoted or not.
        bytes.append(dialect.escape == nil ? dialect.quote : escapedMark)
        let offset = bytes.count
        let target = bytes.reserve(count)
        let cell = Cell(start: UnsafePointer(bytes.base) + field.start, count: count)
        let length = dialect.decode(cell, isQuoted: field.isQuoted, to: target)
        bytes.count += length
        return TextView(offset: offset, length: length)
    }

    /// Precedes a copy whose escapes are decoded: a byte that no UTF-8 text has.
    static let escapedMark: UInt8 = 0xFE
}

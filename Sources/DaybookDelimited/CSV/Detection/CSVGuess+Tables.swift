extension CSVGuess {
    /// More tables than that are left in one.
    private static let mostTables = 20

    /// The tables of a text, stacked: nearly always one.
    ///
    /// The next table is found by its header, as in an import, which refuses such a file unless it reads one alone.
    /// - Parameter file: the name of the file, for the error if neither all of it nor its first table can be read.
    package static func tables(
        of text: FoundText,
        in file: String,
        firstLine: Int = 1,
        most: Int = mostTables
    ) throws(DaybookError) -> [CSVGuess] {
        defer { withExtendedLifetime(text.bytes) {} }
        let bytes = text.bytes.filled
        let whole = of(text, firstLine: firstLine)
        guard most > 1, let (below, width) = tableBelow(whole, bytes, firstLine) else {
            return whole.map { [$0] } ?? []
        }
        if text.isWhole, var first = of(text.part(0..<below.start), firstLine: firstLine), first.reading.width > 1,
            let records = first.records(from: below.start, of: bytes)
        {
            first.below = (below, records)
            let rest = text.part(below.start..<bytes.count)
            return try [first] + tables(of: rest, in: file, firstLine: below.line, most: most - 1)
        }
        guard var whole, whole.reading.width > 1 else {
            let hint = "cut the file in two before this line, and guess each part"
            throw below.error(in: file, behind: width, hint: hint)
        }
        whole.below = (below, nil)
        return [whole]
    }

    /// The header of a second table, and how many columns the first has.
    private static func tableBelow(
        _ whole: CSVGuess?,
        _ bytes: UnsafeBufferPointer<UInt8>,
        _ firstLine: Int
    ) -> (table: StackedTables.Table, width: Int)? {
        if let whole, whole.reading.width > 1 {
            // A text that begins with its header is the first table.
            guard let header = whole.reading.records.first,
                let first = table(in: bytes, from: header.start, whole.importDialect, line: header.line),
                first.start == header.start
            else { return nil }
            return tableBelow(first, bytes, whole.importDialect)
        }
        for delimiter in CSVDialect.commonDelimiters where bytes.contains(delimiter) {
            let dialect = CSVDialect(delimiter: delimiter, lineEnd: LineEnd(of: bytes, quote: UInt8(ascii: "\"")))
            if let first = table(in: bytes, from: 0, dialect, line: firstLine),
                let found = tableBelow(first, bytes, dialect)
            {
                return found
            }
        }
        return nil
    }

    private static func tableBelow(
        _ first: StackedTables.Table,
        _ bytes: UnsafeBufferPointer<UInt8>,
        _ dialect: CSVDialect
    ) -> (table: StackedTables.Table, width: Int)? {
        let header = [first.names.map { Array($0.utf8) }]
        var tables = StackedTables("", dialect, header, width: first.width, line: first.line)
        tables.valueColumns = Array(first.values)
        // A wrong guess costs less than a refused run.
        tables.fewestValues = 1
        guard var second = tables.look(UnsafeBufferPointer(rebasing: bytes[first.start...])) else { return nil }
        second.start += first.start
        return (second, first.width)
    }

    /// The first header with rows behind `start`.
    private static func table(
        in bytes: UnsafeBufferPointer<UInt8>,
        from start: Int,
        _ dialect: CSVDialect,
        line: Int
    ) -> StackedTables.Table? {
        var tables = StackedTables(firstOf: dialect, line: line)
        var found = tables.look(UnsafeBufferPointer(rebasing: bytes[start...]))
        found?.start += start
        return found
    }

    /// The records above the table that look like a table too.
    func tableAbove(in bytes: UnsafeBufferPointer<UInt8>) -> StackedTables.Table? {
        guard let header = reading.records.first else { return nil }
        let above = UnsafeBufferPointer(rebasing: bytes[..<header.start])
        return CSVGuess.table(in: above, from: 0, importDialect, line: 1)
    }

    /// The number of records from a place on, up to the limit of what an import can leave out; nil beyond that.
    private func records(from start: Int, of bytes: UnsafeBufferPointer<UInt8>) -> Int? {
        let most = CSVFooter.most - structure.footer.count
        let rest = UnsafeBufferPointer(rebasing: bytes[start...])
        let count = CSVFooter(records: most + 1, dialect: importDialect).found(in: rest).records
        return count > most ? nil : count
    }

    /// The dialect of the import that the guess writes.
    private var importDialect: CSVDialect {
        var dialect = reading.dialect.plain
        dialect.trims = reading.trims
        dialect.comment = comment
        if reading.stray.count > 0, dialect.quote != CSVDialect.noQuote { dialect.quotes = .lenient }
        return dialect
    }
}

extension FoundText {
    /// A part of the text, as if nothing surrounded it.
    fileprivate func part(_ range: Range<Int>) -> FoundText {
        let part = Bytes(capacity: range.count)
        part.append(bytes, range)
        return FoundText(bytes: part, isWhole: true, encoding: encoding, displayText: displayText)
    }
}

import DaybookCore

extension CSVFormat {
    /// Refuses a file whose first row is one cell that another common delimiter would split, unless the job names its own.
    ///
    /// A row of values may hold such a character by chance, so where the first row is no header the rows behind it must agree.
    func checkDelimiter(_ head: SourceHead, from start: Int, _ options: ImportCSV) throws(DaybookError) {
        guard !options.namesDelimiter else { return }
        let bytes = head.bytes.filled
        guard fields(of: dialect.delimiter, bytes, start, head.isWhole) == 1 else { return }
        var best: (delimiter: UInt8, fields: Int)?
        for candidate in CSVDialect.commonDelimiters where candidate != dialect.delimiter {
            let fields = fields(of: candidate, bytes, start, head.isWhole)
            if fields > max(1, best?.fields ?? 0) { best = (candidate, fields) }
        }
        guard let delimiter = best?.delimiter else { return }
        if options.header != .present {
            let rows = UnsafeBufferPointer(rebasing: bytes[start...])
            guard CSVDialect.likelyDelimiter(of: rows, dialect: dialect) == delimiter else { return }
        }
        var scanner = CSVRecordScanner(dialect: dialect)
        _ = scanner.scan(bytes, from: start, isLast: head.isWhole)
        var text = scanner.fields.first.map { CSVFormat.text(of: $0, bytes, quote: dialect.quote) } ?? ""
        if text.count > 60 { text = text.prefix(60) + "…" }
        let own = CSVFormat.spoken(dialect.delimiter)
        let other = CSVFormat.spoken(delimiter)
        var cursor = LineCursor(bytes, firstLine: 1, lineEnd: dialect.lineEnd)
        let (line, column) = cursor.place(of: start)
        throw DaybookError(
            "wrong-delimiter",
            "the \(options.header == .present ? "header" : "first row") is one cell, '\(text)', "
                + "which \(other) would split and \(own) does not",
            at: SourcePlace(file: head.source.path, line: line, column: column),
            hint: "write 'delimiter: \(CSVFormat.written(delimiter))', "
                + "or 'delimiter: \(CSVFormat.written(dialect.delimiter))' if it is one column",
            blame: .data
        )
    }

    private func fields(
        of delimiter: UInt8,
        _ bytes: UnsafeBufferPointer<UInt8>,
        _ start: Int,
        _ isLast: Bool
    ) -> Int {
        var scanner = CSVRecordScanner(dialect: dialect)
        scanner.dialect.delimiter = delimiter
        return scanner.scan(bytes, from: start, isLast: isLast).kind == .fields ? scanner.fields.count : 0
    }

    private static func spoken(_ delimiter: UInt8) -> String {
        delimiter == 9 ? "a tab" : "'\(Character(UnicodeScalar(delimiter)))'"
    }

    /// A delimiter as a job names it.
    private static func written(_ delimiter: UInt8) -> String {
        delimiter == 9 ? "tab" : "\"\(Character(UnicodeScalar(delimiter)))\""
    }
}

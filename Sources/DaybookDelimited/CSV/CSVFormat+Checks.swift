extension CSVFormat {
    /// Refuses a first row that begins no table: the line that declares a delimiter to spreadsheets, a tag of a page,
    /// or a bracket of JSON.
    func checkContent(_ head: SourceHead, _ record: UnsafeBufferPointer<UInt8>, _ cells: Int) throws(DaybookError) {
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
    static func otherForm(_ bytes: UnsafeBufferPointer<UInt8>) -> String? {
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
            let rows = UnsafeBufferPointer(rebasing: bytes[start...])
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
            SourceWarning(
                Finding.Kind("one-column", message, severity: .warning),
                at: start,
                of: head.bytes.filled
            )
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
    private func quotesWholeRows(_ bytes: UnsafeBufferPointer<UInt8>, _ start: Int) -> Bool {
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

    private func fields(of delimiter: UInt8, _ bytes: UnsafeBufferPointer<UInt8>, _ start: Int, _ isLast: Bool) -> Int {
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
        case 0..<0x20: "\"\\x\(delimiter < 16 ? "0" : "")\(String(delimiter, radix: 16))\""
        case UInt8(ascii: "\\"): "'\\'"
        default: "\"\(Character(UnicodeScalar(delimiter)))\""
        }
    }
}

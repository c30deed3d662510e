import CScan

/// What the beginning of one delimited file says: its dialect, its columns, and where its rows begin.
public struct CSVFormat: SourceFormat {
    package var source: SourceName
    package var dialect: CSVDialect
    /// The names of the columns in the order of this file; nil when the file is empty and names none.
    package var columns: [String]?
    /// How many of them the header names, or the first row has where there is no header.
    package private(set) var headerWidth = 0
    public private(set) var dataStart = 0
    public internal(set) var warnings: [SourceWarning] = []
    public private(set) var headerLine = 1
    public var lineEnd: LineEnd { dialect.lineEnd }
    /// The cells of the header as they are written, or the names that the job gives; nil where neither names the columns.
    package private(set) var header: [[UInt8]]?
    /// Whether there is nothing in the file.
    package let isEmpty: Bool
    /// What the first rows look like.
    private(set) var likeness = CSVRowLikeness()

    public func makeCutter() -> any RecordCutter { CSVCutter(dialect: dialect, likeness: likeness) }
    public func makeCutter(of part: TextPart) -> (any RecordCutter)? { makeCutter() }

    static let duplicateColumn = "duplicate-column-name"
    static let emptyColumn = "empty-column-name"
    static let oneColumn = "one-column"
    static let unseenInName = "unseen-in-column-name"

    /// Reads the dialect and the header from the head of a file.
    package init(of head: SourceHead, _ options: CSVReadSettings) throws(DaybookError) {
        source = head.source
        dialect = options.dialect
        defer { withExtendedLifetime(head.bytes) {} }
        let bytes = head.bytes.filled
        isEmpty = head.isBlank
        dialect.lineEnd = LineEnd(of: bytes, quote: dialect.quote)
        var position = CSVFormat.skippingLines(options.skipLines, in: bytes, dialect)
        if options.delimiter == .auto {
            let rest = UnsafeBufferPointer(rebasing: bytes[position...])
            dialect.delimiter = CSVDialect.likelyDelimiter(of: rest, dialect: dialect) ?? dialect.delimiter
        }
        switch options.header {
        case .names(let names):
            columns = names
            header = names.map { Array($0.utf8) }
            if names.count > 1, position < bytes.count { try checkDelimiter(head, from: position, options) }
        case .absent, .present:
            var scanner = CSVRecordScanner(dialect: dialect)
            var record: CSVRecordScanner.Record?
            var start = position
            while position < bytes.count {
                start = position
                let next = scanner.scan(bytes, from: position, isLast: head.isWhole)
                if next.kind == .unfinished {
                    throw DaybookError(
                        "header-too-long",
                        "\(head.source.path) has no line end in its first \(bytes.count) bytes",
                        at: place(start, head),
                        hint: "is it a CSV file?",
                        blame: .data
                    )
                }
                position = next.end
                if next.kind != .blank, next.kind != .comment {
                    record = next
                    break
                }
            }
            if let record {
                headerLine = place(start, head).line
                let invalid = start + Int(scan_text_valid(head.bytes.base + start, record.end - start))
                guard invalid == record.end else {
                    let isNUL = bytes[invalid] == 0
                    throw DaybookError(
                        "bad-header",
                        isNUL
                            ? "the header has a NUL character (U+0000), which no text holds"
                            : "the header has bytes that are not text in the encoding of the file",
                        at: place(invalid, head),
                        hint: "name the encoding, such as "
                            + "'encoding: \(!isNUL ? "cp949" : (invalid - start) % 2 == 0 ? "utf-16be" : "utf-16le")'; "
                            + "is it a CSV file at all?",
                        blame: .data
                    )
                }
                guard record.kind == .fields else {
                    throw DaybookError(
                        "bad-header",
                        CSVFormat.fault(record.kind),
                        at: place(record.fault, head),
                        hint: CSVFormat.otherForm(bytes)
                            ?? (record.kind == .strayReturn
                                ? "let all lines end in LF, or all in CR LF"
                                : "give the names yourself with 'header: [...]' and pass over the line with 'skip_lines'"),
                        blame: .data
                    )
                }
                if options.header == .present {
                    let line = UnsafeBufferPointer(rebasing: bytes[start..<record.end])
                    try checkContent(head, line, scanner.fields.count)
                }
                try checkDelimiter(head, from: start, options)
                if options.header == .absent {
                    columns = (1...scanner.fields.count).map { "column_\($0)" }
                    position = start
                } else {
                    columns = name(scanner.fields, bytes)
                }
            }
        }
        dataStart = position
        if let columns {
            headerWidth = columns.count
            likeness = CSVRowLikeness(of: bytes, from: position, width: headerWidth, dialect: dialect)
            if options.ragged == .extend { extend(columns, head, options.width) }
        }
    }

    /// Adds the columns of rows that are wider than the header.
    private mutating func extend(_ header: [String], _ head: SourceHead, _ width: Int?) {
        let width =
            width
            ?? CSVExtension.width(
                of: head.bytes.filled,
                from: dataStart,
                header: header.count,
                isWhole: head.isWhole,
                dialect
            )
        columns = CSVExtension.names(header, width: width)
    }

    /// The names in the header. An empty one becomes `column_3`, a repeated one `name_2`; both are warnings.
    private mutating func name(_ fields: [CSVRecordScanner.Field], _ bytes: UnsafeBufferPointer<UInt8>) -> [String] {
        var names: [String] = []
        var taken: Set<String> = []
        var cursor = LineCursor(bytes, firstLine: 1, lineEnd: dialect.lineEnd)
        let texts = fields.map { CSVFormat.text(of: $0, bytes, dialect) }
        header = texts.map { Array($0.utf8) }
        let written = Set(texts)
        /// The last number that was put behind a name.
        var numbers: [String: Int] = [:]
        for (index, field) in fields.enumerated() {
            var name = texts[index]
            if name.isEmpty {
                name = "column_\(index + 1)"
                warn(
                    CSVFormat.emptyColumn,
                    "column \(index + 1) has no name; it is called '\(name)'",
                    at: field,
                    &cursor
                )
            }
            if taken.contains(name) {
                var number = numbers[name, default: 1] + 1
                while taken.contains("\(name)_\(number)") || written.contains("\(name)_\(number)") { number += 1 }
                numbers[name] = number
                warn(
                    CSVFormat.duplicateColumn,
                    "the name '\(name)' stands twice in the header; the second is called '\(name)_\(number)'",
                    at: field,
                    &cursor
                )
                name = "\(name)_\(number)"
            }
            if let unseen = CSVFormat.unseen(in: texts[index]) {
                warn(CSVFormat.unseenInName, "the name '\(texts[index])' \(unseen)", at: field, &cursor)
            }
            taken.insert(name)
            names.append(name)
        }
        return names
    }

    /// What of a name no reader sees, so that a job which names it as it looks does not find it.
    private static func unseen(in name: String) -> String? {
        let odd = name.unicodeScalars.first { scalar in
            switch scalar.properties.generalCategory {
            case .control: scalar != "\n"
            case .spaceSeparator: scalar != " "
            case .lineSeparator, .paragraphSeparator: true
            default: scalar == "\u{FEFF}" || scalar == "\u{200B}"
            }
        }
        if let odd { return "holds \(UnseenCharacter.spoken(odd)), which nobody sees" }
        switch (name.hasPrefix(" "), name.hasSuffix(" ")) {
        case (true, true): return "begins and ends with a space"
        case (true, false): return "begins with a space"
        case (false, true): return "ends with a space"
        case (false, false): return nil
        }
    }

    private mutating func warn(
        _ code: String,
        _ message: String,
        at field: CSVRecordScanner.Field,
        _ cursor: inout LineCursor
    ) {
        warnings.append(SourceWarning(Finding.Kind(code, message, severity: .warning), at: field.start, &cursor))
    }

    /// The text that a field stands for, without its doubled quotes and escapes.
    package static func text(
        of field: CSVRecordScanner.Field,
        _ bytes: UnsafeBufferPointer<UInt8>,
        _ dialect: CSVDialect
    ) -> String {
        let cell = UnsafeBufferPointer(rebasing: bytes[field.start..<field.end])
        guard field.isEncoded else { return String(decoding: cell, as: UTF8.self) }
        return String(unsafeUninitializedCapacity: cell.count) { text in
            text.baseAddress.map { dialect.decode(cell, isQuoted: field.isQuoted, to: $0) } ?? 0
        }
    }

    /// What is wrong with a header of that kind.
    private static func fault(_ kind: CSVRecordScanner.Kind) -> String {
        switch kind {
        case .strayQuote, .textBehindQuote: "the header has a quote inside a name"
        case .strayReturn: "the header has a carriage return inside a name, where lines end with line feeds"
        default: "the header has a quote that is never closed"
        }
    }

    package func place(_ at: Int, _ head: SourceHead) -> SourcePlace {
        var cursor = LineCursor(head.bytes.filled, firstLine: 1, lineEnd: dialect.lineEnd)
        let (line, column) = cursor.place(of: at)
        return SourcePlace(file: head.source.path, line: line, column: column)
    }

    private static func skippingLines(
        _ count: Int,
        in bytes: UnsafeBufferPointer<UInt8>,
        _ dialect: CSVDialect
    ) -> Int {
        var position = 0
        for _ in 0..<count {
            while position < bytes.count, !dialect.isLineEnd(bytes, position) { position += 1 }
            guard position < bytes.count else { break }
            let isReturn = bytes[position] == CSVDialect.carriageReturn
            position += 1
            if isReturn, position < bytes.count, bytes[position] == CSVDialect.lineFeed { position += 1 }
        }
        return position
    }
}

/// Reads delimited text files.
///
/// A cell is text until a stage, or `columns`, converts it: `007` stays `007`. A row with too many or too few cells, a
/// misplaced quote and bytes that are not text are rejected with their place; nothing is repaired silently. So is a
/// quote that opens a cell whose lines look like rows of the file: such rows are read, not swallowed.
public struct ImportCSV: TextSource, HeadedSource {
    public let paths: [PathText]
    public let encoding: TextEncoding
    private var settings = CSVReadSettings()
    let empty: EmptyFiles
    let columns: OptionMap<ColumnKind>
    private let normalForm: NormalForm?
    public let fileColumn: ColumnName?
    public let intake: FileIntake
    let columnsDiffer: ColumnsDiffer

    public init(reading options: inout OptionReader) {
        paths = options.read("path", help: "Files to read: a path, a pattern such as diary-*.csv, a list, or -.")
        let delimiter: CSVReadSettings.Delimiter = options.read(
            "delimiter",
            default: .text([UInt8(ascii: ",")]),
            help: "What separates cells: up to eight bytes of text, tab, or auto."
        )
        settings.delimiter = delimiter
        settings.namesDelimiter = options.isWritten("delimiter") && delimiter != .auto
        let quote: OneByte = options.read(
            "quote",
            default: OneByte(UInt8(ascii: "\"")),
            help: "What quotes cells, or none."
        )
        settings.header = options.read(
            "header",
            default: .present,
            help: "Whether the first row names the columns, or the names."
        )
        settings.namesHeader = options.isWritten("header")
        settings.skipLines = options.read("skip_lines", default: 0, help: "Lines to pass over before the header.")
        settings.dialect.quotes = options.read(
            "quotes",
            default: .strict,
            help: "Whether a quote out of place rejects its row, or is the character that it is."
        )
        let escape: OneByte? = options.optional(
            "escape",
            help: "The character behind which a quote, a delimiter, a line end or itself is a part of the cell."
        )
        settings.dialect.trims = options.read(
            "trim",
            default: false,
            help: "Whether spaces and tabs around a cell, and around its quotes, are no part of it."
        )
        settings.headerRows = options.read("header_rows", default: 1, help: "How many rows the header has.")
        settings.headerSeparator = options.read(
            "header_separator",
            default: " ",
            help: "What stands between the names of several header rows."
        )
        settings.skipFooter = options.read(
            "skip_footer",
            default: 0,
            help: "How many records at the end of each file are no rows."
        )
        let comment: OneByte? = options.optional("comment", help: "Pass over lines that begin with this character.")
        settings.missing = options.read(
            "missing",
            default: [""],
            help: "Unquoted cells that mean that there is no value."
        )
        settings.missesQuoted = options.read(
            "missing_quoted",
            default: false,
            help: "Whether quoted cells that are spelled so are missing too."
        )
        encoding = options.readEncoding()
        settings.ragged = options.read(
            "ragged",
            default: .reject,
            help: "Whether a row that is too short is rejected or padded, and one that is too wide gets columns."
        )
        settings.blankRows = options.optional(
            "blank_rows",
            help: "Whether rows of nothing but delimiters are kept, skipped or rejected; else kept with a warning."
        )
        settings.width = options.optional("width", help: "How many columns rows are extended to.")
        settings.repeated = options.read(
            "repeated_header",
            default: .reject,
            help: "Whether a row that is the header once more is rejected, skipped or kept."
        )
        settings.secondHeader = options.read(
            "second_header",
            default: .refuse,
            help:
                "Whether a file with a second table behind the first is refused, or its rows kept as those of the first."
        )
        empty = options.read("empty", default: .refuse, help: EmptyFiles.help)
        columns = options.readKinds(CellValueKind.self, help: "Columns to read as another kind.")
        settings.named = columns.entries.map(\.key)
        settings.numbers = options.readNumberFormats(in: columns)
        normalForm = options.readNormalForm()
        fileColumn = options.readFileColumn()
        columnsDiffer = options.read("columns_differ", default: .refuse, help: ColumnsDiffer.help)
        let names: Bool = if case .names = settings.header { true } else { false }
        intake = options.readIntake(declaresColumns: names || !columns.entries.isEmpty)
        let signs = if case .text(let bytes) = delimiter { bytes } else { [UInt8]() }
        if let first = signs.first {
            settings.dialect.delimiter = first
            settings.dialect.delimiterTail = DelimiterTail(signs.dropFirst())
        }
        settings.dialect.escape = escape?.byte
        settings.dialect.quote = quote.byte ?? CSVDialect.noQuote
        settings.dialect.comment = comment?.byte
        let dialect = settings.dialect
        if settings.skipLines < 0 { options.refuse("skip_lines", "'skip_lines' cannot be negative") }
        if !(0...CSVFooter.most).contains(settings.skipFooter) {
            options.refuse("skip_footer", "'skip_footer' is from 0 to \(CSVFooter.most)")
        }
        if !(1...10).contains(settings.headerRows) { options.refuse("header_rows", "'header_rows' is from 1 to 10") }
        if settings.headerRows > 1, settings.header != .present {
            let message = "without a header in the file it has no rows"
            options.refuse("header_rows", message, hint: "pass over its lines with 'skip_lines'")
        }
        if let width = settings.width {
            if settings.ragged != .extend {
                let message = "'width' says how far rows are extended"
                options.refuse("width", message, hint: "write 'ragged: extend' as well")
            }
            if width < 1 || width > 100_000 { options.refuse("width", "'width' is from 1 to 100000") }
        }
        if signs.contains(dialect.quote) {
            let isAll = signs.count == 1
            options.refuse("quote", isAll ? "'quote' and 'delimiter' are the same" : "'quote' is a part of 'delimiter'")
        }
        if let byte = dialect.escape, byte == dialect.quote {
            let message = "'escape' and 'quote' are the same"
            options.refuse("escape", message, hint: "leave 'escape' out: a quote in a quoted cell is written twice")
        }
        if let byte = dialect.escape, signs.contains(byte) {
            options.refuse("escape", "'escape' is a part of 'delimiter'")
        }
        // A byte that may begin a cell cannot begin a comment.
        if let byte = dialect.comment {
            if byte == dialect.quote { options.refuse("comment", "'comment' and 'quote' are the same") }
            if byte == dialect.escape { options.refuse("comment", "'comment' and 'escape' are the same") }
            if signs.first == byte {
                let isAll = signs.count == 1
                let message = isAll ? "'comment' and 'delimiter' are the same" : "'comment' begins 'delimiter'"
                options.refuse("comment", message)
            }
        }
        if dialect.quote == CSVDialect.noQuote, options.isWritten("quotes") || settings.missesQuoted {
            options.refuse(settings.missesQuoted ? "missing_quoted" : "quotes", "with 'quote: none' no cell is quoted")
        }
    }

    public var declaredSchema: Schema {
        if case .names(let names) = settings.header, settings.ragged != .extend { return fields(names) }
        return columns.declaredSchema.open(with: .text)
    }

    public func format(of head: SourceHead) throws(DaybookError) -> CSVFormat { try CSVFormat(of: head, settings) }

    public func schema(of formats: [CSVFormat]) throws(DaybookError) -> Schema {
        try schema(
            of: formats,
            nameless: ("no header and no rows", "name the columns with 'header: [...]' if that is fine"),
            differing:
                "put them together by name with 'columns_differ: union', or import the files in stages of their own"
        )
    }

    /// The columns of the first file, then further columns of others, or of the widest when extended.
    func union(of formats: [CSVFormat]) -> [String] {
        let files = formats.compactMap(\.columns)
        guard columnsDiffer == .refuse, let first = files.first else { return SameColumns.union(of: files) }
        return first + files.reduce([]) { $1.count > $0.count ? $1 : $0 }.dropFirst(first.count)
    }

    public func reader(of format: CSVFormat, schema: Schema) -> any RecordReader {
        CSVReader(format, schema: schema, checking: declared(in: format)).normalised(to: normalForm)
    }
}

extension ImportCSV: FormatDetecting {
    public static func detect(_ file: SniffedFile) throws(DaybookError) -> FormatDetection? {
        guard let text = file.text else { return nil }
        return CSVGuess.detection(of: try CSVGuess.tables(of: text, in: file.name), text)
    }
}

/// `delimiter` as a job writes it.
extension CSVReadSettings.Delimiter: OptionValue {
    package static var kind: OptionKind { .text }
    package static var placeholder: Self { .auto }

    package init(reading node: OptionNode) throws(DaybookError) {
        switch node.text {
        case "auto": self = .auto
        default:
            if let byte = OneByte.byte(of: node) {
                self = .text([byte])
                return
            }
            let bytes = Array((node.text ?? "").utf8)
            // A word is more likely the name of a delimiter than one.
            guard (2...DelimiterTail.most + 1).contains(bytes.count), !bytes.contains(0),
                !bytes.contains(where: CSVDialect.mayEndLine),
                !(node.text ?? "").unicodeScalars.contains(where: \.properties.isAlphabetic)
            else {
                let message = "one character, up to eight bytes of signs, tab or auto"
                throw node.expected(message, hint: #"write the sign itself, such as ";" or "||""#)
            }
            self = .text(bytes)
        }
    }

    package var written: String {
        guard case .text(let bytes) = self else { return "auto" }
        return bytes == [9] ? "tab" : String(decoding: bytes, as: UTF8.self)
    }
}

/// `header` as a job writes it: a flag, or the names.
extension CSVReadSettings.Header: OptionValue {
    package static var kind: OptionKind { .either([.flag, .list(of: .text)]) }
    package static var placeholder: Self { .present }

    package init(reading node: OptionNode) throws(DaybookError) {
        if node.list != nil {
            let names = try [String](reading: node)
            guard !names.isEmpty else { throw DaybookError("bad-option", "the list names no column", at: node.place) }
            var seen: Set<String> = []
            if let again = names.first(where: { !seen.insert($0).inserted }) {
                throw DaybookError("bad-option", "'\(again)' stands there twice", at: node.place)
            }
            self = .names(names)
        } else {
            self = try Bool(reading: node) ? .present : .absent
        }
    }

    package var written: String {
        switch self {
        case .present: "true"
        case .absent: "false"
        case .names(let names): names.written
        }
    }
}

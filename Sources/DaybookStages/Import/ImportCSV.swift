/// Reads delimited text files.
///
/// A cell is text until a stage, or `columns`, says otherwise: `007` stays `007`. A row with too many or too few cells, a
/// quote out of place and bytes that are no text are rejected with their place; nothing is repaired in silence. So is a
/// quote that opens a cell whose lines look like rows of the file: such rows are read, not swallowed.
public struct ImportCSV: SourceStage {
    typealias Header = CSVReadSettings.Header
    typealias Delimiter = CSVReadSettings.Delimiter
    typealias Repeated = CSVReadSettings.Repeated

    public let paths: [PathText]
    public let encoding: TextEncoding
    private var settings = CSVReadSettings()
    let missing: [String]
    let missingQuoted: Bool
    let repeated: Repeated
    let empty: EmptyFiles
    let columns: OptionMap<ColumnKind>
    let numbers: NumberFormats
    public let fileColumn: ColumnName?

    public init(reading options: inout OptionReader) {
        paths = options.read("path", help: "Files to read: a path, a pattern such as diary-*.csv, a list, or -.")
        let delimiter: Delimiter = options.read(
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
        missing = options.read("missing", default: [""], help: "Unquoted cells that mean that there is no value.")
        missingQuoted = options.read(
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
        settings.width = options.optional("width", help: "How many columns rows are extended to.")
        repeated = options.read(
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
        columns = options.readKinds(help: "Columns to read as another kind.")
        numbers = options.readNumberFormats(in: columns)
        fileColumn = options.readFileColumn()
        if case .text(let bytes) = delimiter, let first = bytes.first {
            settings.dialect.delimiter = first
            settings.dialect.delimiterTail = DelimiterTail(bytes.dropFirst())
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
            options.refuse(
                "header_rows",
                "without a header in the file it has no rows",
                hint: "pass over its lines with 'skip_lines'"
            )
        }
        if let width = settings.width {
            if settings.ragged != .extend {
                options.refuse(
                    "width",
                    "'width' says how far rows are extended",
                    hint: "write 'ragged: extend' as well"
                )
            }
            if width < 1 || width > 100_000 { options.refuse("width", "'width' is from 1 to 100000") }
        }
        if case .text(let bytes) = delimiter, bytes.contains(dialect.quote) {
            options.refuse(
                "quote",
                bytes.count == 1 ? "'quote' and 'delimiter' are the same" : "'quote' is a part of 'delimiter'"
            )
        }
        if let byte = dialect.escape, byte == dialect.quote {
            options.refuse(
                "escape",
                "'escape' and 'quote' are the same",
                hint: "leave 'escape' out: a quote in a quoted cell is written twice"
            )
        }
        if let byte = dialect.escape, case .text(let bytes) = delimiter, bytes.contains(byte) {
            options.refuse("escape", "'escape' is a part of 'delimiter'")
        }
        if dialect.quote == CSVDialect.noQuote, options.isWritten("quotes") || missingQuoted {
            options.refuse(missingQuoted ? "missing_quoted" : "quotes", "with 'quote: none' no cell is quoted")
        }
        options.refuse(.instant, in: columns, hint: "read it as text and put normalise_dates behind")
        options.refuse(.json, in: columns, hint: "read it as text; a cell of a CSV file is no JSON value")
    }

    public static let description = StageDescription(
        name: "import_csv",
        summary: "Read delimited text files, and reject what is not as it should be.",
        details: """
            Every cell is text, unless 'columns' names another kind for its column: 007 stays 007. A row with too many or too few \
            cells, a quote out of place, a NUL and other bytes that are no text are rejected with their place; where the lines of a \
            quoted cell look like rows of the file, its quote is taken for one out of place, and they are read as rows. Lines end \
            with LF or CR LF, and with CR alone in a file whose own lines do; elsewhere a CR that is not quoted rejects its row. A \
            header that stands once more among the rows is rejected. A file that holds nothing stops the run, and so does a header \
            of one column that another common delimiter would split, unless 'delimiter' names its own. Numbers are read as 1234.56 and \
            in no other way, unless 'number_format' tells how they are written: then each cell has one meaning or is rejected. Compressed files (gzip, \
            zstd) are read as they are.

            With 'ragged: extend', the widest row in the first MiB of a file says how many columns there are, or 'width' does; empty \
            cells beyond them are left out and counted. With 'quotes: lenient', a cell is quoted where it begins with a quote and a quote \
            stands before its delimiter or line end; where another quote stands inside, it has to end on that line and before the next \
            cell that begins with a quote. All other quotes are the characters that they are. 'escape' is taken out before a quote, a \
            delimiter, a line end and itself, within quotes and without, and is a character before anything else: \\N stays as it \
            is, for 'missing'. 'trim' takes spaces and tabs. With 'header_rows', the cells of a column are joined from the top, without \
            blanks and repetitions; a blank cell of an upper row carries on the one to its left where something stands below that. \
            'skip_footer' counts neither blank lines nor comments. A second table below the first, with a header of its own, \
            stops the run.
            """,
        examples: [
            StageExample(
                "cells stay as they are written; an empty one is missing, a quoted empty one is not",
                options: "path: input.csv",
                input: """
                    id,emotion,note
                    007,행복해,"said ""hello"", twice"
                    8,,""
                    """,
                output: """
                    id:text,emotion:text,note:text
                    007,행복해,"said ""hello"", twice"
                    8,,""
                    """
            ),
            StageExample(
                "each row can carry the name of its file, which may hold a date that the rows lack",
                options: "path: exports/2026-03-01.csv\nfile_column: file",
                input: "emotion,count\n행복해,3",
                output: "emotion:text,count:text,file:text\n행복해,3,2026-03-01.csv"
            ),
            StageExample(
                "a row with too many or too few cells is rejected",
                options: "path: input.csv",
                input: """
                    date,emotion
                    2026-03-01,행복해
                    2026-03-02
                    2026-03-03,우울해,3
                    """,
                output: """
                    date:text,emotion:text
                    2026-03-01,행복해
                    """,
                findings: ["2 - ragged-row", "3 - ragged-row"]
            ),
            StageExample(
                "a stray quote costs its own line and no more",
                options: "path: input.csv",
                input: """
                    id,note
                    1,"never closed
                    2,fine
                    3,6" tall
                    """,
                output: """
                    id:text,note:text
                    2,fine
                    """,
                findings: ["1 - unclosed-quote", "3 - stray-quote"]
            ),
            StageExample(
                "cells beyond the header get columns of their own, and empty ones at the end of a row are left out",
                options: "path: input.csv\nragged: extend",
                input: "id,note\n1,one, two\n2,three\n3,four,,\n4",
                output: "id:text,note:text,column_3:text\n1,one, two\n2,three,\n3,four,\n4,,"
            ),
            StageExample(
                "rows are extended to a width that the job names, and a wider one is rejected",
                options: "path: input.csv\nragged: extend\nwidth: 3",
                input: "id,note\n1,one,1\n2,two,2,2",
                output: "id:text,note:text,column_3:text\n1,one,1",
                findings: ["2 - ragged-row"]
            ),
            StageExample(
                "under lenient quotes, one that is out of place is the character that it is",
                options: "path: input.csv\nquotes: lenient",
                input: """
                    id,note
                    1,6" tall
                    2,"a ""quoted"" cell, as ever"
                    3,"so" she said
                    4,"he said "yes, no" to me"
                    5,"never closed
                    """,
                output: #"""
                    id:text,note:text
                    1,"6"" tall"
                    2,"a ""quoted"" cell, as ever"
                    3,"""so"" she said"
                    4,"he said ""yes, no"" to me"
                    5,"""never closed"
                    """#
            ),
            StageExample(
                "an export of MySQL escapes with backslashes, and writes \\N for what is missing",
                options: #"path: input.csv\#ndelimiter: tab\#nescape: "\\"\#nmissing: ["\\N"]"#,
                input: "id\tnote\n1\ttab\\\there\n2\t\\N\n3\tC:\\\\N",
                output: "id:text,note:text\n1,tab\there\n2,\n3,C:\\N"
            ),
            StageExample(
                "blanks about cells and about their quotes are left out, and quoted spellings are missing too",
                options: "path: input.csv\ntrim: true\nmissing: [\"\", NA]\nmissing_quoted: true",
                input: #"id, note , more\#n1, "x, y" , " z "\#n 2 ,"NA",""\#n3,  ,a b"#,
                output: "id:text,note:text,more:text\n1,\"x, y\", z \n2,,\n3,,a b"
            ),
            StageExample(
                "a delimiter may have several characters, and others than those of ASCII",
                options: "path: input.csv\ndelimiter: \"||\"",
                input: "id||note\n1||a|b\n2||\"c||d\"",
                output: "id:text,note:text\n1,a|b\n2,c||d"
            ),
            StageExample(
                "a header of several rows is joined, and a blank upper cell carries on the one to its left",
                options: "path: input.csv\nheader_rows: 2\nheader_separator: _\nskip_footer: 1",
                input: "id,2025,,2026,\n,jan,feb,jan,feb\n7,1,2,3,4\nsum,1,2,3,4",
                output: "id:text,2025_jan:text,2025_feb:text,2026_jan:text,2026_feb:text\n7,1,2,3,4"
            ),
            StageExample(
                "an escape that is the quote is refused",
                options: "path: input.csv\nescape: '\"'",
                input: "id\n1",
                refused: "'escape' and 'quote' are the same"
            ),
            StageExample(
                "the header of a second export that stands among the rows is no row",
                options: "path: input.csv\nrepeated_header: skip",
                input: "id,emotion\n1,행복해\nid,emotion\n2,우울해",
                output: "id:text,emotion:text\n1,행복해\n2,우울해"
            ),
            StageExample(
                "the rows of a second table are only read as those of the first where the job says so",
                options: "path: input.csv\nsecond_header: keep",
                input: "id,emotion\n1,행복해\n\nday,place,count\n2026-03-01,집,3\n2026-03-02,집,4",
                output: "id:text,emotion:text\n1,행복해",
                findings: ["2 - ragged-row", "3 - ragged-row", "4 - ragged-row"]
            ),
            StageExample(
                "a file that is empty is an error, for its rows are likely lost, unless 'empty: allow' says otherwise",
                options: "path: input.csv\nempty: refuse",
                input: "",
                refused: "'input.csv' is empty"
            ),
            StageExample(
                "a header that is one column by the wrong delimiter is an error",
                options: "path: input.csv",
                input: "day;emotion;count\n2026-03-01;행복해;3",
                refused: "the header is one cell, 'day;emotion;count', which ';' would split and ',' does not"
            ),
            StageExample(
                "columns can be read as another kind, and spellings of a missing value named",
                options: """
                    path: input.csv
                    delimiter: ";"
                    missing: ["", "-"]
                    columns: { count: integer, day: day }
                    """,
                input: """
                    day;count
                    2026-03-01;12
                    -;many
                    """,
                output: """
                    day:day,count:integer
                    2026-03-01,12
                    """,
                findings: ["2 count not-an-integer"]
            ),
            StageExample(
                "numbers are read as people write them where 'number_format' says how; a currency and a percent sign are named",
                options: """
                    path: input.csv
                    delimiter: ";"
                    columns: { amount: decimal, rate: decimal, pieces: integer }
                    number_format:
                      - { decimal: ",", thousands: ".", currency: [€] }
                      - { percent: divide, columns: rate }
                    """,
                input: """
                    amount;rate;pieces
                    1.234,56 €;19 %;1.000
                    (12,50);0.07;7
                    12.50;7%;1
                    $ 3;7%;1
                    """,
                output: """
                    amount:decimal,rate:decimal,pieces:integer
                    1234.56,0.19,1000
                    -12.5,0.07,7
                    """,
                findings: ["3 amount not-a-number", "4 amount not-a-number"]
            ),
            StageExample(
                "files without a header, with comments and with short rows are read when the job says so",
                options: """
                    path: input.csv
                    delimiter: auto
                    header: [date, emotion, count]
                    skip_lines: 1
                    comment: "#"
                    ragged: pad
                    quote: none
                    encoding: utf-8
                    """,
                input: """
                    exported by a phone
                    2026-03-01\t행복해\t3
                    # a remark
                    2026-03-02\t"우울해
                    """,
                output: """
                    date:text,emotion:text,count:text
                    2026-03-01,행복해,3
                    2026-03-02,\"\"\"우울해\",
                    """
            ),
        ]
    )

    public var declaredSchema: Schema {
        if case .names(let names) = settings.header, settings.ragged != .extend { return fields(names) }
        return columns.declaredSchema
    }

    public func format(of head: SourceHead) throws(DaybookError) -> CSVFormat { try CSVFormat(of: head, settings) }

    public func schema(of formats: [CSVFormat]) throws(DaybookError) -> Schema {
        try empty.check(
            formats.filter(\.isEmpty).map(\.source),
            of: formats.count,
            hint: "its rows are likely lost; write 'empty: allow' if a file may hold nothing"
        )
        guard let first = formats.first(where: { $0.columns != nil }), let names = first.columns else {
            throw DaybookError(
                "no-columns",
                "\(formats.first?.source.path ?? "the input") has no header and no rows, so its columns are not known",
                at: paths.first?.place,
                hint: "name the columns with 'header: [...]' if that is fine",
                blame: .data
            )
        }
        for format in formats {
            guard let others = format.columns?.prefix(format.headerWidth),
                Set(others) != Set(names.prefix(first.headerWidth))
            else { continue }
            let lost = names.prefix(first.headerWidth).filter { !others.contains($0) }.map { "'\($0)' is missing" }
            let new = others.filter { !names.contains($0) }.map { "'\($0)' is new" }
            throw DaybookError(
                "columns-differ",
                "the columns of \(format.source.path) are not those of \(first.source.path): "
                    + (lost + new).joined(separator: ", "),
                at: SourcePlace(file: format.source.path, line: format.headerLine, column: 1),
                hint: "import the files in stages of their own",
                blame: .data
            ).about(format.source.path)
        }
        return fields(ImportCSV.union(formats, names))
    }

    /// The columns of all files: those of the first, and behind them those to which the widest file is extended.
    private static func union(_ formats: [CSVFormat], _ names: [String]) -> [String] {
        names + formats.compactMap(\.columns).reduce([]) { $1.count > $0.count ? $1 : $0 }.dropFirst(names.count)
    }

    public func missing(from formats: [CSVFormat]) -> [DaybookError] {
        guard let first = formats.first(where: { $0.columns != nil }), let names = first.columns else { return [] }
        return columns.missing(among: ImportCSV.union(formats, names)) {
            "no column named '\($0)' in \(first.source.path)"
        }
    }

    public func reader(of format: CSVFormat, schema: Schema) -> any RecordReader {
        let there = columns.entries.filter { format.columns?.contains($0.key) == true }
        let declared = Schema(there.map { Field($0.key, $0.value, source: $0.key) })
        return CSVReader(
            format,
            schema: schema,
            checking: declared,
            missing: missing,
            missesQuoted: missingQuoted,
            ragged: settings.ragged,
            numbers: numbers,
            repeated: repeated
        )
    }

    private func fields(_ names: [String]) -> Schema {
        let kinds = Dictionary(columns.entries.map { ($0.key, $0.value) }) { first, _ in first }
        return Schema(names.map { Field($0, kinds[$0] ?? .text, source: $0) })
    }
}

extension ImportCSV.Delimiter: OptionValue {
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
                throw node.expected(
                    "one character, up to eight bytes of signs, tab or auto",
                    hint: #"write the sign itself, such as ";" or "||""#
                )
            }
            self = .text(bytes)
        }
    }

    package var written: String {
        guard case .text(let bytes) = self else { return "auto" }
        return bytes == [9] ? "tab" : String(decoding: bytes, as: UTF8.self)
    }
}

extension ImportCSV.Header: OptionValue {
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

extension ImportCSV {
    /// A cell is text until something says otherwise.
    public static let otherKind: ColumnKind? = .text
}

extension ImportCSV: FormatDetecting {
    public static func detect(_ file: SniffedFile) throws(DaybookError) -> FormatDetection? {
        guard let text = file.text else { return nil }
        return CSVGuess.detection(of: try CSVGuess.tables(of: text, in: file.name), text)
    }
}

extension ImportCSV.Repeated: OptionChoice {}

extension CSVReadSettings.Ragged: OptionChoice {}

extension CSVDialect.Quotes: OptionChoice {}

extension CSVReadSettings.SecondHeader: OptionChoice {}

/// Reads text in which every column has so many characters on each line, as old systems, banks and reports print it.
///
/// Characters are Unicode scalars, as everywhere; a line is cut between two of them and never inside one. Cells are
/// text, without their padding, until `columns` converts them.
public struct ImportFixedWidth: TextSource, HeadedSource {
    public let paths: [PathText]
    public let encoding: TextEncoding
    private var settings = FixedWidthReadSettings()
    let empty: EmptyFiles
    let columns: OptionMap<ColumnKind>
    let columnsDiffer: ColumnsDiffer
    private let normalForm: NormalForm?
    public let fileColumn: ColumnName?
    public let intake: FileIntake

    public init(reading options: inout OptionReader) {
        paths = options.read("path", help: "Files to read: a path, a pattern such as booking-*.txt, a list, or -.")
        let widths: OptionMap<Int>? = options.optional(
            "widths",
            help: "Each column in order, and how many characters it has; without it and 'positions', blanks tell."
        )
        let positions: OptionMap<CharacterRange>? = options.optional(
            "positions",
            help: "Each column, and from which character to which it stands, as 1-8; others are passed over."
        )
        let unit: CountedIn = options.read(
            "widths_in",
            default: .characters,
            help: "Whether 'widths' and 'positions' count characters, bytes of the file, or columns of a terminal."
        )
        let header: CSVReadSettings.Header? = options.optional(
            "header",
            help: "Whether the first line is a header, or the names; true where blanks tell the columns, else false."
        )
        settings.skipLines = options.read("skip_lines", default: 0, help: "Lines to pass over before the header.")
        let comment: OneByte? = options.optional("comment", help: "Pass over lines that begin with this character.")
        settings.comment = comment?.byte
        settings.trims = options.read("trim", default: true, help: "Whether blanks around a cell are left out.")
        settings.missing = options.read(
            "missing",
            default: [""],
            help:
                "Cells that mean that there is no value, with their blanks where 'trim' is false; \"\" is a cell of blanks only."
        )
        encoding = options.readEncoding()
        settings.ragged = options.read(
            "ragged",
            default: .reject,
            help: "Whether a line that ends before its last column is rejected or padded."
        )
        empty = options.read("empty", default: .refuse, help: EmptyFiles.help)
        columnsDiffer = options.read("columns_differ", default: .refuse, help: ColumnsDiffer.help)
        columns = options.readKinds(CellValueKind.self, help: "Columns to read as another kind.")
        settings.numbers = options.readNumberFormats(in: columns)
        normalForm = options.readNormalForm()
        fileColumn = options.readFileColumn()
        let names: Bool = if case .names? = header { true } else { widths != nil || positions != nil }
        intake = options.readIntake(declaresColumns: names || !columns.entries.isEmpty)
        if settings.skipLines < 0 { options.refuse("skip_lines", "'skip_lines' cannot be negative") }
        settings.layout = ImportFixedWidth.layout(widths, positions, &options)
        if unit != .characters {
            if settings.layout == nil {
                options.refuse("widths_in", "'widths_in' says what 'widths' or 'positions' count, and neither is there")
            }
            settings.layout?.unit = ImportFixedWidth.unit(unit, encoding, &options)
        }
        settings.header = header ?? (settings.layout == nil ? .present : .absent)
        settings.namesHeader = header != nil
        settings.named = columns.entries.map(\.key)
        if settings.layout != nil, case .names? = header {
            options.refuse("header", "'header' and '\(widths == nil ? "positions" : "widths")' both name the columns")
        }
    }

    /// The unit of 'widths_in'.
    enum CountedIn: String, OptionChoice { case characters, bytes, columns }

    /// The unit of the layout, if the options define the columns.
    private static func unit(_ unit: CountedIn, _ encoding: TextEncoding, _ options: inout OptionReader) -> WidthUnit {
        switch unit {
        case .characters: return .characters
        case .columns: return .columns
        case .bytes:
            guard let widths = WidthUnit.ByteWidths(encoding) else {
                let message = "in \(encoding.name), what a character is does not tell how many bytes it has"
                options.refuse("widths_in", message)
                return .characters
            }
            return .bytes(of: widths)
        }
    }

    /// The columns that the options name.
    private static func layout(
        _ widths: OptionMap<Int>?,
        _ positions: OptionMap<CharacterRange>?,
        _ options: inout OptionReader
    ) -> FixedWidthLayout? {
        guard widths != nil || positions != nil else { return nil }
        if widths != nil, positions != nil {
            options.refuse("positions", "'widths' and 'positions' both say where the columns stand")
        }
        var columns: [FixedWidthLayout.Column] = []
        var start = 0
        for entry in widths?.entries ?? [] {
            guard (1...CharacterRange.most).contains(entry.value) else {
                let message = "'\(entry.key)' has from 1 to \(CharacterRange.most) characters, found '\(entry.value)'"
                options.refuse("widths", message)
                return FixedWidthLayout([])
            }
            columns.append(FixedWidthLayout.Column(name: entry.key, start: start, end: start + entry.value))
            start += entry.value
        }
        for entry in positions?.entries ?? [] {
            let range = entry.value
            if let other = columns.first(where: { $0.start < range.last && range.first - 1 < $0.end }) {
                options.refuse("positions", "'\(entry.key)' and '\(other.name)' share characters")
            }
            columns.append(FixedWidthLayout.Column(name: entry.key, start: range.first - 1, end: range.last))
        }
        let option = widths == nil ? "positions" : "widths"
        if columns.isEmpty { options.refuse(option, "'\(option)' names no column") }
        return FixedWidthLayout(columns)
    }

    public static let description = StageDescription(
        name: "import_fixed_width",
        summary: "Read text whose columns have fixed widths, and reject what is not as it should be.",
        details: """
            Where each column stands is told by 'widths' or 'positions', in characters from 1, or else by the blanks that run through \
            the header and all of the first 100 lines; a single blank does not, where one side of it has no name or no values. Characters are Unicode scalars: a Hangul syllable is one, however wide it is \
            printed; 'widths_in' counts bytes of the file or columns of a terminal instead. A line that ends before its last column begins is rejected, unless 'ragged' is pad, for editors take blanks off the \
            ends of lines; one that ends within it is whole. Text behind the last column is rejected, and so is a line in which a value goes \
            on across two columns that only blanks told apart. Every cell is text without the blanks around it, unless 'columns' names another kind; \
            numbers are read as in import_csv. Lines end with LF or CR LF, and with CR alone in a file whose own lines do; elsewhere a CR within a line \
            rejects it. Blank lines are passed over. Compressed files (gzip, \
            zstd) are read as they are. Of several files, one with other columns than the first stops the run; with 'columns_differ: union' \
            they are put together by name, what a file lacks is missing, and a warning names the first file that differs.
            """,
        examples: [
            StageExample(
                "each column has so many characters; blanks that fill it up are left out",
                options: "path: input.txt\nwidths: { id: 4, emotion: 6, count: 3 }\ncolumns: { count: integer }",
                input: """
                    0007행복해     3
                    0008우울해    12
                    0009      n/a
                    """,
                output: """
                    id:text,emotion:text,count:integer
                    0007,행복해,3
                    0008,우울해,12
                    """,
                findings: ["3 count not-an-integer"]
            ),
            StageExample(
                "a terminal gives Hangul two columns, and so do those who count the bytes of cp949",
                options: "path: input.txt\nwidths: { emotion: 6, count: 3 }\nwidths_in: columns",
                input: "행복해  3\nsad    12",
                output: "emotion:text,count:text\n행복해,3\nsad,12"
            ),
            StageExample(
                "letters of full or half width become the common ones, after the line is cut",
                options: "path: input.txt\nwidths: { mood: 4, count: 3 }\nnormalise: nfkc",
                input: "ＯＫ   3\nｶﾞ   12",
                output: "mood:text,count:text\nOK,3\nガ,12"
            ),
            StageExample(
                "the day that a file belongs to, by its name: the rows of a day are read together",
                options:
                    "path: inbox/20260301.txt\nwidths: { id: 4, count: 3 }\nday: { from: name, pattern: \"{yyyyMMdd}*.txt\" }\nredelivery: { other_bytes: redo }\nlate: { after: 3 days, then: warn }",
                input: "0007 12",
                output: "id:text,count:text,day:day\n0007,12,2026-03-01"
            ),
            StageExample(
                "the files of a folder that need not hold any yet, each read by one run that holds",
                options: """
                    path: inbox/*.txt
                    widths: { id: 4, count: 3 }
                    optional: true
                    new_only: true
                    describe: { id: Its number }
                    """,
                input: "0007 12",
                output: "id:text,count:text\n0007,12"
            ),
            StageExample(
                "without widths, the blanks that run through all lines tell the columns, and the first line their names",
                options: """
                    path: input.txt
                    columns: { amount: decimal }
                    number_format: { decimal: ",", thousands: "." }
                    """,
                input: """
                    day         text            amount
                    2026-03-01  coffee            3,50
                    2026-03-02  rent, heated  1.234,00
                    2026-03-03                    9,00
                    """,
                output: """
                    day:text,text:text,amount:decimal
                    2026-03-01,coffee,3.5
                    2026-03-02,"rent, heated",1234
                    2026-03-03,,9
                    """
            ),
            StageExample(
                "positions pass over what nobody needs; a header, a title and comments are passed over when the job says so",
                options: """
                    path: input.txt
                    positions: { day: 1-8, amount: 12-16 }
                    header: true
                    skip_lines: 1
                    comment: "*"
                    missing: ["", "-----"]
                    encoding: utf-8
                    """,
                input: """
                    STATEMENT OF MARCH
                    DAY     CODAMOUNT
                    20260301EUR 3.50
                    * carried over
                    20260302EUR-----
                    """,
                output: """
                    day:text,amount:text
                    20260301,3.50
                    20260302,
                    """
            ),
            StageExample(
                "lines that are too short or too long are rejected",
                options: "path: input.txt\nwidths: { id: 2, day: 10, note: 4 }",
                input: """
                    012026-03-01fine
                    022026-03-01
                    032026-03-01a
                    042026-03-01too long
                    """,
                output: """
                    id:text,day:text,note:text
                    01,2026-03-01,fine
                    03,2026-03-01,a
                    """,
                findings: ["2 - ragged-line", "4 - ragged-line"]
            ),
            StageExample(
                "short lines can be padded, blanks kept, and the name of the file written beside each row",
                options: """
                    path: exports/march.txt
                    widths: { id: 2, note: 4 }
                    ragged: pad
                    columns_differ: union
                    trim: false
                    empty: allow
                    file_column: file
                    """,
                input: "01 a b\n02",
                output: "id:text,note:text,file:text\n01, a b,march.txt\n02,,march.txt"
            ),
            StageExample(
                "with their blanks, cells are missing where they are named with them",
                options: "path: input.txt\nwidths: { id: 3, note: 3 }\ntrim: false\nmissing: [\" NA\"]",
                input: "abc NA\nabcNA \nabc   ",
                output: "id:text,note:text\nabc,\nabc,NA \nabc,   "
            ),
            StageExample(
                "where no blanks run through the lines, nothing tells the columns",
                options: "path: input.txt",
                input: "day;amount\n2026-03-01;3",
                refused:
                    "nothing tells where the columns of input.txt begin: no blanks run through all of its first lines"
            ),
        ]
    )

    public var declaredSchema: Schema {
        if let layout = settings.layout { return fields(layout.columns.map(\.name)) }
        if case .names(let names) = settings.header { return fields(names) }
        return columns.declaredSchema.open(with: .text)
    }

    public func format(of head: SourceHead) throws(DaybookError) -> FixedWidthFormat {
        try FixedWidthFormat(of: head, settings)
    }

    public func schema(of formats: [FixedWidthFormat]) throws(DaybookError) -> Schema {
        try schema(
            of: formats,
            nameless: ("no lines", "name the columns with 'widths' if that is fine"),
            differing: "say how many characters each column has with 'widths', put them together by name with "
                + "'columns_differ: union', or import the files in stages of their own"
        )
    }

    public func reader(of format: FixedWidthFormat, schema: Schema) -> any RecordReader {
        FixedWidthReader(format, schema: schema, checking: declared(in: format)).normalised(to: normalForm)
    }
}

extension ImportFixedWidth: FormatDetecting {
    public static func detect(_ file: SniffedFile) -> FormatDetection? {
        file.text.flatMap { text in FixedWidthGuess.of(text)?.detection(text) }
    }
}

/// The first and the last character of a column, counted from 1: `1-8`, or `9` for one.
struct CharacterRange: OptionValue {
    let first: Int
    let last: Int

    /// A line of a table has no more characters.
    static let most = 1_000_000
    static var kind: OptionKind { .text }
    static var placeholder: CharacterRange { CharacterRange(first: 1, last: 1) }

    private init(first: Int, last: Int) { (self.first, self.last) = (first, last) }

    init(reading node: OptionNode) throws(DaybookError) {
        let parts = (node.text ?? "").split(separator: "-", omittingEmptySubsequences: false).map { Int($0) }
        guard (1...2).contains(parts.count), let first = parts[0], let last = parts[parts.count - 1], first >= 1,
            last >= first,
            last <= CharacterRange.most
        else {
            let message = "characters such as 1-8"
            throw node.expected(message, hint: "they count from 1, and the last one belongs to the column")
        }
        self.init(first: first, last: last)
    }

    var written: String { first == last ? "\(first)" : "\(first)-\(last)" }
}

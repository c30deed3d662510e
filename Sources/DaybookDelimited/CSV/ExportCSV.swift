/// Writes rows as delimited text, quoting only where needed.
///
/// A missing value is an empty cell and an empty text is `""`, so reading the file back gives the same rows. Line breaks
/// inside cells are kept. A character that the encoding does not have rejects its row; nothing is replaced in silence.
public struct ExportCSV: SinkStage, SinkOperator {
    public let output: PathText
    private(set) var settings = CSVWriteSettings()
    private let parts: OutputParts
    private let growth: TextGrowth

    /// Whether the first row names the columns.
    public var readBack: ReadBack? { .csv(hasHeader: settings.header, encoding: settings.encoding) }

    public init(reading options: inout OptionReader) {
        output = options.read("path", help: "File to write, or - for standard output.")
        let delimiter: CellDelimiter = options.read(
            "delimiter",
            default: CellDelimiter(UInt8(ascii: ",")),
            help: "What separates cells: one character, or tab."
        )
        settings.header = options.read("header", default: true, help: "Whether the first row names the columns.")
        settings.quoting = options.read(
            "quoting",
            default: .needed,
            help: "Whether all cells are quoted, or those that need it."
        )
        settings.lineEnds = options.read("line_ends", default: .lf, help: "How lines end.")
        settings.missing = options.read("missing", default: "", help: "What is written for a missing value.")
        settings.formulas = options.read(
            "formulas",
            default: .keep,
            help:
                "Whether text that a spreadsheet would run as a formula (OWASP, CSV Injection) gets an apostrophe before it."
        )
        settings.encoding = options.read(
            "encoding",
            default: .utf8,
            help: "The encoding; utf-8-bom suits spreadsheets."
        )
        parts = options.read("parts", default: .one, help: OutputParts.help)
        growth = options.readGrowth(of: output, parts)
        settings.dialect.delimiter = delimiter.byte
        let dialect = settings.dialect
        if settings.missing.utf8.contains(where: dialect.needsQuotes) {
            options.refuse("missing", "'missing' cannot hold the delimiter, a quote or a line break")
        }
        if !growth.columns.isEmpty, !settings.encoding.isUTF8 {
            options.refuse("replace_by", "rows are replaced in UTF-8 only", hint: "leave 'encoding' out")
        }
        if delimiter.byte == dialect.quote {
            options.refuse("delimiter", "'delimiter' must be one character other than the quote")
        }
    }

    public static let description = StageDescription(
        name: "export_csv",
        summary: "Write rows as delimited text.",
        details: """
            The first row names the columns. A missing value is an empty cell and an empty text is "", so that reading the file \
            back gives the same rows. A character that the encoding does not have rejects its row. With 'formulas: escape', text \
            that begins with =, +, -, @, one of their full-width forms, a tab, a carriage return, a line feed or NUL gets an \
            apostrophe before it, and so does text that begins with one of them behind blanks or a byte-order mark. With 'append', \
            rows come behind those that the file holds; its header must be the one that would be written. The file is copied and put \
            in place like any output, so a run that fails or is killed adds nothing, and the job may read it as it was.
            """,
        examples: [
            StageExample(
                "cells are quoted when they need it; a missing value is an empty cell, an empty text is quoted",
                options: "path: out.csv",
                input: """
                    day:day,note:text,count:integer
                    2026-03-01,"one, two",3
                    2026-03-02,"say ""hi"" twice",
                    2026-03-03,"",-1
                    ,,0
                    """,
                output: """
                    day,note,count
                    2026-03-01,"one, two",3
                    2026-03-02,"say ""hi"" twice",
                    2026-03-03,"",-1
                    ,,0

                    """
            ),
            StageExample(
                "a file for a spreadsheet: marked, quoted, with Windows line ends and no formulas",
                options: """
                    path: out.csv
                    delimiter: ";"
                    quoting: all
                    line_ends: crlf
                    missing: "-"
                    header: false
                    formulas: escape
                    encoding: utf-8-bom
                    """,
                input: """
                    note:text,count:integer
                    =1+1,-3
                    plain,
                    """,
                output: "\u{FEFF}\"'=1+1\";\"-3\"\r\n\"plain\";-\r\n"
            ),
            StageExample(
                "a part for each shard of a run; one behind the other they are this",
                options: "path: ../out/days.csv\nparts: shards",
                input: "day:day\n2026-03-01",
                output: "day\n2026-03-01\n"
            ),
            StageExample(
                "a file that grows: rows come behind those of the runs before",
                options: "path: all.csv\nappend: true",
                base: "day,count\n2026-03-01,3\n",
                input: "day:day,count:integer\n2026-03-02,5",
                output: "day,count\n2026-03-01,3\n2026-03-02,5\n"
            ),
            StageExample(
                "a file of days: the rows take the place of those of their days, and the others stay",
                options: "path: all.csv\nreplace_by: [day]",
                base: "day,count\n2026-03-01,3\n2026-03-02,4\n2026-03-02,5\n2026-03-04,6\n",
                input: "day:day,count:integer\n2026-03-03,7\n2026-03-02,8",
                output: "day,count\n2026-03-01,3\n2026-03-02,8\n2026-03-03,7\n2026-03-04,6\n"
            ),
            StageExample(
                "a row that the encoding cannot hold is rejected",
                options: "path: out.csv\nencoding: cp949",
                input: """
                    note:text
                    plain
                    😀
                    """,
                output: """
                    note
                    plain

                    """,
                findings: ["2 - not-in-encoding"]
            ),
        ]
    )

    public var target: SinkTarget {
        let head = settings.header ? 1 : 0
        return SinkTarget(output, parts, growth) { $0.hasLine(behind: head) }
    }

    public func bind(_ inputs: StageInputs) throws(DaybookError) -> Binding {
        if inputs.schema.fields.isEmpty, !inputs.schema.isOpen {
            let message = "there are no columns to write, and a CSV file needs at least one"
            throw DaybookError("no-columns", message, at: output.place)
        }
        for column in growth.columns { _ = try inputs.schema.requiring(column) }
        return Binding(inputs.schema, .sink(self))
    }

    public func piece(of batch: Batch, from _: Int, reporting findings: inout Findings) -> TextPiece {
        let (bytes, ends) = CSVRowWriter(settings).write(batch)
        return TextPiece(bytes: bytes, rows: batch.count).encoded(settings.encoding, ends, &findings)
    }

    public func writer(in context: SinkContext) throws(DaybookError) -> CSVWriter {
        if growth.columns.isEmpty { return CSVWriter(settings, context.schema, extending: context.base, of: output) }
        let columns = growth.columns.compactMap { context.schema.index(of: $0) }
        return try CSVWriter(settings, replacingBy: columns, in: context, of: output)
    }
}

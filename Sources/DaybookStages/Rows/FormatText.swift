import DaybookExpressions

/// Writes text columns from templates and the values of each row.
///
/// Decimals are rounded exactly, ties to even, as C's `printf` does, and a number that rounds to 0 has no minus. A
/// width counts characters (Unicode scalars): 가 and a are one each. All templates see the input columns, never
/// each other's results.
public struct FormatText: TransformStage {
    /// The new columns, in the order of `templates`.
    let columns: [ColumnName]
    let templates: [CompiledTemplate]
    let missing: String?
    private let language: TemplateLanguage

    public init(reading options: inout OptionReader) {
        let map: OptionMap<TextTemplate> = options.read(
            "templates",
            help: "Each new column and its text, in which {name} or {name:format} is the value of a column."
        )
        missing = options.optional(
            "missing",
            help: "Words for a missing value; without them the whole text is missing."
        )
        language = TemplateLanguage(reading: &options)
        columns = map.entries.map { ColumnName($0.key, at: $0.place) }
        let language = language
        templates = map.entries.map { language.compile($0.value) }
        if map.entries.isEmpty, options.isWritten("templates") {
            options.refuse("templates", "'templates' names no column")
        }
    }

    public static let description = StageDescription(
        name: "format_text",
        summary: "Write columns of text from templates and the values of each row.",
        details: """
            A template is text in which {name} stands for the value of a column and {name:format} for the same in a format; '{{' \
            and '}}' are braces. Numbers and text take [[fill]align][+][0][width][,][.decimals][type] as in Python, with the types \
            d, f, % and s; days and instants take date patterns such as yyyy년 MM월dd일, instants in the job's timezone. Decimals \
            are rounded exactly, ties to even, and a number that rounds to 0 has no minus. A missing value makes the whole text \
            missing, unless 'missing' gives words for it. A text of more than 1 MiB is rejected.
            """,
        examples: [
            StageExample(
                "the labels of the Weather app, with its one decimal",
                options: """
                    templates:
                      습도: "습도 | {main.humidity} %"
                      기온: "기온 | {main.temp:.1f} ℃"
                      풍속: "풍속 | {wind.speed:.1f} m/s"
                    """,
                input: """
                    main.humidity:integer,main.temp:decimal,wind.speed:decimal
                    60,21.25,2.06
                    5,-0.04,12
                    """,
                output: """
                    main.humidity:integer,main.temp:decimal,wind.speed:decimal,습도:text,기온:text,풍속:text
                    60,21.25,2.06,습도 | 60 %,기온 | 21.2 ℃,풍속 | 2.1 m/s
                    5,-0.04,12,습도 | 5 %,기온 | 0.0 ℃,풍속 | 12.0 m/s
                    """
            ),
            StageExample(
                "days and instants take date patterns, with names in a language",
                options: """
                    templates: { label: "{day:yyyy년 MM월dd일 EEEE}", at: "{saved:HH:mm}" }
                    locale: ko_KR
                    """,
                input: "day:day,saved:instant\n2026-11-21,2026-11-21T05:07:00Z",
                output: """
                    day:day,saved:instant,label:text,at:text
                    2026-11-21,2026-11-21T05:07:00Z,2026년 11월21일 토요일,14:07
                    """
            ),
            StageExample(
                "width, alignment, signs, thousands and percent are as in Python",
                options: """
                    templates:
                      line: "{{{name:<6}|{name:>6}|{name:*^7}}}"
                      numbers: "{n:,} {n:+d} {n:012d} {share:.0%} {share:8.3f}"
                    """,
                input: "name:text,n:integer,share:decimal\n서울,1234567,0.125\nBusan,-12,-2.5",
                output: """
                    name:text,n:integer,share:decimal,line:text,numbers:text
                    서울,1234567,0.125,{서울    |    서울|**서울***},"1,234,567 +1234567 000001234567 12%    0.125"
                    Busan,-12,-2.5,{Busan | Busan|*Busan*},-12 -12 -00000000012 -250%   -2.500
                    """
            ),
            StageExample(
                "a missing value makes the text missing, or gives way to words as wide as it would be",
                options: "templates: { label: \"{name}: {temp:6.1f} ℃\" }\nmissing: –",
                input: "name:text,temp:decimal\nSeoul,3\nBusan,",
                output: """
                    name:text,temp:decimal,label:text
                    Seoul,3,Seoul:    3.0 ℃
                    Busan,,Busan:      – ℃
                    """
            ),
            StageExample(
                "without words the whole text is missing",
                options: "templates: { label: \"{name}: {temp} ℃\" }",
                input: "name:text,temp:decimal\nBusan,",
                output: "name:text,temp:decimal,label:text\nBusan,,"
            ),
            StageExample(
                "a format of numbers is refused for text",
                options: "templates: { label: \"{temp:.1f} ℃\" }",
                input: "temp:text\n21.3",
                refused: "the format is one of numbers, and column 'temp' holds text"
            ),
        ]
    )

    public func schema(after input: Schema) throws(DaybookError) -> Schema {
        var result = input
        for (column, template) in zip(columns, templates) {
            try language.check(template, in: input)
            result = try result.adding(column, .text)
        }
        return result
    }

    public func columns(neededFor wanted: ColumnSet) -> ColumnSet {
        wanted.making(columns, from: templates.flatMap { $0.values.map(\.column) })
    }

    public func process(_ batch: Batch, reporting findings: inout Findings) -> Batch {
        let tooLong = findings.token(.textTooLong)
        let made = zip(columns, templates).map { column, template in
            let writer = TemplateWriter(template, of: batch, missing: missing)
            return Batch.NewColumn(column, .text(writer.text { findings.reject($0, tooLong) }))
        }
        var result = batch
        result.set(made)
        return result
    }
}

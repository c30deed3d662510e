/// Writes one self-contained page, with a section for each of its inputs and the ledger of the run.
///
/// The page needs nothing else: no script, font or image, and a policy inside it that forbids them. Everything that comes
/// from the job or its rows is escaped. Rows beyond `rows` are counted in the page and not shown; figures by month are
/// drawn from all rows. A decimal is rounded to four places for the eye, and its digits are there in full for a pointer
/// that rests on it.
public struct ExportHTML: SinkStage {
    /// Whether figures by month are drawn.
    enum Charts: String, OptionChoice { case auto, none }

    public static let takesSeveral = true

    public let output: PathText
    let title: String?
    let sections: OptionMap<String>
    let rows: Int
    let charts: Charts
    let language: String

    /// More rows than a browser shows at ease, and than should be held in memory.
    private static let mostRows = 100_000

    public init(reading options: inout OptionReader) {
        output = options.read("path", help: "File to write.")
        title = options.optional("title", help: "Title of the page; the name of the job by default.")
        sections = options.read(
            "sections",
            default: OptionMap(entries: []),
            help: "Headings of the inputs by their ids."
        )
        rows = options.read("rows", default: 500, help: "Rows of each input to show; the others are counted.")
        charts = options.read(
            "charts",
            default: .auto,
            help: """
                Whether to draw inputs with columns month, emotion and count, or month and nothing but numbers, and the days of \
                build_month_calendar as calendars.
                """
        )
        language = options.read(
            "language",
            default: "",
            help: "Language of titles and rows as a tag such as ko, for fonts and speech."
        )
        if !(0...ExportHTML.mostRows).contains(rows) {
            options.refuse("rows", "'rows' is to be between 0 and \(ExportHTML.mostRows)")
        }
        if !ExportHTML.isLanguageTag(language) {
            options.refuse("language", "'\(language)' is no language tag", hint: "write a tag such as ko or en-GB")
        }
    }

    public static let description = StageDescription(
        name: "export_html",
        summary: "Write a page for people, with tables, drawings, colour swatches and the ledger.",
        details: """
            The stage writes one page that needs no other file: a heading, a section for each of its inputs, and the ledger of the \
            run. A section has a table of up to 'rows' rows, with swatches for colours; the rows that are not shown are counted. \
            Inputs with columns month, emotion and count are also drawn, as figures, bars and a heat map, from all their rows. Where \
            nothing but numbers stands behind month, each column has bars of its own: what different columns hold is never added up, \
            nor are several rows of one month, for they may be means; summarise_rows adds up what is to be added. The days of \
            build_month_calendar are drawn as calendars, in Korean where the language is ko and in English otherwise.
            """,
        examples: [
            StageExample(
                "a section has the rows, swatches beside colours, and everything escaped",
                options: """
                    path: report.html
                    title: Colours & more
                    sections: { example: The palette }
                    language: en
                    """,
                input: """
                    name:text,colour:text,share:decimal
                    <b>pink</b>,#EC007F,0.5
                    none,,1
                    """,
                excerpts: [
                    "<h1 lang=\"en\">Colours &amp; more</h1>",
                    "<h2 id=\"s1-h\" lang=\"en\">The palette</h2>",
                    "<p class=\"soft\">2 rows.</p>",
                    "<td class=\"one\">&lt;b&gt;pink&lt;/b&gt;</td>",
                    "<i class=\"swatch\" style=\"--c:#EC007F\"></i>#EC007F</td><td class=\"num\">0.5</td>",
                    "<td class=\"gap\"><span>missing</span></td><td class=\"num\">1.0</td>",
                ]
            ),
            StageExample(
                "figures by month are drawn, from all rows, and rows that are not shown are counted",
                options: "path: report.html\nrows: 1",
                input: """
                    month:text,emotion:text,count:integer
                    2026-02,행복해,3
                    2026-03,행복해,5
                    """,
                excerpts: [
                    "Showing 1 of 2 rows.",
                    "Count by month, stacked by emotion</title>",
                    "Stacked bars for 2 months, 2026-02 to 2026-03. The total is 8. The highest month is 2026-03 with 5.",
                    "<th scope=\"row\">2026-03</th><td class=\"num\">5</td>",
                ]
            ),
            StageExample(
                "columns of numbers by month are drawn each by itself, for orders and euros have no sum",
                options: "path: report.html",
                input: """
                    month:text,orders:integer,revenue:decimal
                    2026-02,40,1180.5
                    2026-03,31,1320
                    """,
                excerpts: [
                    "<h3 id=\"s1-b1\" lang=\"\">Orders by month</h3>",
                    "Bars for 2 months, 2026-02 to 2026-03. Highest in 2026-02 with 40, lowest in 2026-03 with 31.",
                    "<h3 id=\"s1-b2\" lang=\"\">Revenue by month</h3>",
                    "<th scope=\"col\" class=\"num\">orders</th><th scope=\"col\" class=\"num\">revenue</th></tr>",
                ]
            ),
            StageExample(
                "the days of a month are drawn as a calendar, with a dot for each entry and a word under today",
                options: "path: report.html\nlanguage: ko",
                input: """
                    month:text,week:integer,weekday:text,date:day,entries:integer,today:flag
                    2026-11,3,Fri,2026-11-20,0,false
                    2026-11,3,Sat,2026-11-21,2,true
                    """,
                excerpts: [
                    "<caption>2026년 11월 <span class=\"soft\">2개</span></caption>",
                    "<th scope=\"col\" class=\"rest\" aria-label=\"일요일\">일</th>",
                    "<td><time datetime=\"2026-11-20\">20</time></td>",
                    "<td class=\"rest busy today\" aria-current=\"date\"><time datetime=\"2026-11-21\">21</time>",
                    "<i></i><i></i></span><span class=\"heard\"> 2개 </span><span class=\"now\">오늘</span></td>",
                ]
            ),
            StageExample(
                "drawings can be left away",
                options: "path: report.html\ncharts: none",
                input: "month:text,emotion:text,count:integer\n2026-02,행복해,3",
                excerpts: ["<p class=\"soft\">1 row.</p>\n<div class=\"scroll\""]
            ),
            StageExample(
                "no page holds more rows than a browser shows at ease",
                options: "path: report.html\nrows: 1000000",
                input: "name:text\nany",
                refused: "'rows' is to be between 0 and 100000"
            ),
        ]
    )

    public func piece(of batch: Batch, reporting findings: inout Findings) -> HTMLPiece {
        HTMLPiece(
            rowCount: batch.count,
            rows: HTMLRows(batch, limit: rows),
            sums: shape(of: batch.schema)?.sums(of: batch),
            days: calendar(of: batch.schema)?.days(of: batch)
        )
    }

    public func writer(for inputs: [SinkInput]) -> HTMLWriter {
        let headings = Dictionary(sections.entries.map { ($0.key, $0.value) }) { first, _ in first }
        return HTMLWriter(
            title: title,
            lang: language,
            rowLimit: rows,
            sections: inputs.map { input in
                HTMLSection(
                    heading: headings[input.id] ?? HTMLSection.heading(ofID: input.id),
                    schema: input.schema,
                    shape: shape(of: input.schema),
                    isCalendar: calendar(of: input.schema) != nil
                )
            },
            problem: unknownSection(among: inputs.map(\.id))
        )
    }

    private func shape(of schema: Schema) -> MonthShape? { charts == .auto ? MonthShape(schema) : nil }

    private func calendar(of schema: Schema) -> CalendarShape? { charts == .auto ? CalendarShape(schema) : nil }

    /// A heading for an input that the stage does not have is a slip of the pen.
    private func unknownSection(among ids: [String]) -> DaybookError? {
        guard let entry = sections.entries.first(where: { !ids.contains($0.key) }) else { return nil }
        let known = "the inputs here are \(ids.joined(separator: ", "))"
        return DaybookError(
            "unknown-section",
            "'sections' names '\(entry.key)', which is not an input of this stage",
            at: entry.place,
            hint: NearestName.hint(for: entry.key, among: ids) ?? known
        )
    }

    /// Letters and digits in groups of one to eight with hyphens between, as in BCP 47; empty where nobody says.
    private static func isLanguageTag(_ text: String) -> Bool {
        guard !text.isEmpty else { return true }
        return text.utf8.split(separator: UInt8(ascii: "-"), omittingEmptySubsequences: false).allSatisfy { part in
            (1...8).contains(part.count)
                && part.allSatisfy {
                    (48...57).contains($0) || (65...90).contains($0) || (97...122).contains($0)
                }
        }
    }
}

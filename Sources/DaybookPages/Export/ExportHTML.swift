/// Writes one self-contained page, with the sections that the job lists and the ledger of the run.
///
/// The page is self-contained: no script, font or image, and a policy inside it that forbids them. Everything from the
/// job or its rows is escaped. Rows that a table does not show are counted in the page; omissions of a drawing are
/// stated below it. Nothing depends on column names.
public struct ExportHTML: SinkStage, MeasuringSink {
    public static let takesSeveral = true

    public let output: PathText
    let title: String?
    private let sections: PageSections
    private let measures: [MeasureEntry]
    let language: String
    let ledger: HTMLLedger.Form
    let address: String?
    private let asOf: CalendarDay

    public init(reading options: inout OptionReader) {
        output = options.read("path", help: "File to write.")
        title = options.optional("title", help: "Title of the page; the name of the job by default.")
        let rows = options.read(
            "rows",
            default: 500,
            help: "Rows of a table to show where its section does not say; the others are counted."
        )
        sections = PageSections(reading: &options, rows: rows)
        measures = MeasureEntry.all(reading: &options)
        language = options.read(
            "language",
            default: "",
            help:
                "Language of titles, rows and numbers as a tag such as ko or de, for fonts, speech and separators; with ko the page speaks Korean."
        )
        ledger = options.read(
            "ledger",
            default: .line,
            help:
                "What the page shows of the ledger: a line with the way of the rows behind it, all of it, or none of it."
        )
        address = options.optional(
            "address",
            help: "Web address at which people find the page, for the link in mails about the run."
        )
        asOf = options.context.asOf
        if let address, address.wholeMatch(of: /https?:\/\/[^\s"<>]{1,1000}/) == nil {
            options.refuse(
                "address",
                "'\(address)' is no web address",
                hint: "write one such as https://reports.example.com/orders.html"
            )
        }
        if !(0...TableEntry.mostRows).contains(rows) {
            options.refuse("rows", "'rows' is to be between 0 and \(TableEntry.mostRows)")
        }
        if !ExportHTML.isLanguageTag(language) {
            options.refuse("language", "'\(language)' is no language tag", hint: "write a tag such as ko or en-GB")
        }
    }

    public static let description = StageDescription(
        name: "export_html",
        summary: "Write a page for people, with drawings, tables, colour swatches and the ledger.",
        details: """
            The stage writes one page that needs no other file: a heading, the measures and the sections that the job lists, and the way of the \
            rows through the run. A \
            section is a table with swatches for colours, or a drawing: lines, bars, stacked bars, a heat map, points or a calendar. Without \
            'sections', or with a map of headings, each input is a table. Nothing depends on what a column is called. What different columns hold is never added up, nor are several rows of one place, \
            unless the job says 'sum: true', for they may be means; such values are not drawn, and the page says how many there are. \
            Numbers \
            have the separators of the language; a column of whole numbers that may all be years, from 1000 to 2999, keeps its digits, and so does one \
            with the format 0. \
            A drawing has a description in words, the figures behind it as a table, and tells a value where a pointer rests, on touch \
            and with the keyboard. A drawing keeps 1,200 places and 200 series, points every second, fourth or further one beyond \
            1,500, and the page says what was left out. What a page says by itself is Korean where the language is ko, and English otherwise.
            """,
        examples: [
            StageExample(
                "a table has the rows, swatches beside colours, and everything escaped",
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
                "what tells series apart is stacked, the largest first, and the month that is not over is hatched",
                options: """
                    path: report.html
                    sections:
                      - { from: example, title: Felt, chart: stacked, x: month, y: count, by: emotion, to_date: hatch }
                    """,
                input: """
                    month:text,emotion:text,count:integer
                    2026-10,행복해,3
                    2026-10,심심해,9
                    2026-11,행복해,5
                    """,
                excerpts: [
                    "2 months, 2026-10 to 2026-11. Highest: 2026-10 with 12. In all 17. Hatched: not over yet, up to 2026-11-21.",
                    "aria-label=\"2026-10, 심심해 9, 행복해 3, Total 12\"",
                    "<th scope=\"row\">2026-11</th><td class=\"num gap\">",
                ]
            ),
            StageExample(
                "columns may have a drawing each, and a table titles, bars, shares and formats",
                options: """
                    path: report.html
                    sections:
                      - { from: example, chart: bars, x: month, y: [orders, revenue], layout: small_multiples }
                      - from: example
                        title: All months
                        table:
                          columns: { month: Month, revenue: Revenue, returned: Returned }
                          order: newest
                          bars: [revenue]
                          share: [returned]
                          formats: { revenue: "€#,##0.00" }
                    """,
                input: """
                    month:text,orders:integer,revenue:decimal,returned:decimal
                    2026-02,40,1180.5,0.05
                    2026-03,31,1320,0.1
                    """,
                excerpts: [
                    "<h2 id=\"s1-h\" lang=\"\">Orders, Revenue by month</h2>", "<h3 lang=\"\">Orders</h3>",
                    "<h3 lang=\"\">Revenue</h3>",
                    "<th scope=\"col\">Month</th><th scope=\"col\" class=\"num\">Revenue</th>",
                    "<td class=\"one\">2026-03</td><td class=\"num bar\" style=\"--v:1320.0;--m:var(--m1)\">€1,320.00</td>",
                    "10.0 %</td>",
                ]
            ),
            StageExample(
                "measures stand on top, as figures of a column or of the rows",
                options: """
                    path: report.html
                    language: de
                    measures:
                      - { title: Umsatz, value: sum(revenue), format: "#,##0.00 €", compare: last_run, good: up }
                      - { title: Letzter Monat, value: last(month) }
                      - { title: Monate, value: count() }
                    """,
                input: """
                    month:text,revenue:decimal
                    2026-02,1180.5
                    2026-03,1320
                    """,
                excerpts: [
                    "<dt>Umsatz</dt><dd>2.500,50\u{A0}€</dd></div>",
                    "<dt>Letzter Monat</dt><dd>2026-03</dd></div>",
                    "<dt>Monate</dt><dd>2</dd></div>",
                ]
            ),
            StageExample(
                "days are drawn as a calendar, with a dot for each entry and a word under the day of the run",
                options: """
                    path: report.html
                    language: ko
                    ledger: none
                    sections: [{ from: example, title: 이번 달, chart: calendar, x: date, value: entries }]
                    """,
                input: """
                    date:day,entries:integer
                    2026-11-20,0
                    2026-11-21,2
                    """,
                excerpts: [
                    "<caption>2026년 11월</caption>",
                    "<th scope=\"col\" class=\"rest\" aria-label=\"일요일\">일</th>",
                    "<td><time datetime=\"2026-11-20\">20</time></td>",
                    "<td class=\"rest busy today\" aria-current=\"date\"><time datetime=\"2026-11-21\">21</time>",
                    "<i></i><i></i></span><span class=\"heard\"> 2개 </span><span class=\"now\">오늘</span></td>",
                ]
            ),
            StageExample(
                "an axis and shades may have their ends and ratios, and mails show a section and link to the page",
                options: """
                    path: report.html
                    address: https://reports.example.com/orders.html
                    ledger: full
                    sections:
                      - { from: example, chart: line, x: month, y: revenue, scale: log, min: 1, max: 1000, mail: true }
                      - { from: example, chart: heat, x: month, y: region, value: revenue, max: 500 }
                    """,
                input: """
                    month:text,region:text,revenue:decimal
                    2026-02,North,20
                    2026-03,North,1320
                    """,
                excerpts: [
                    "Drawn at the end of the axis: 1 value beyond it.",
                    "<p class=\"ramp\">Revenue: 0 <span aria-hidden=\"true\">",
                    "≥ 500</p>",
                ]
            ),
            StageExample(
                "a column that is not there is refused before a row is read",
                options: "path: report.html\nsections: [{ from: example, chart: line, x: month, y: revenu }]",
                input: "month:text,revenue:decimal\n2026-02,3",
                refused: "no column named 'revenu'"
            ),
            StageExample(
                "no page holds more rows than a browser shows at ease",
                options: "path: report.html\nrows: 1000000",
                input: "name:text\nany",
                refused: "'rows' is to be between 0 and 100000"
            ),
        ]
    )

    public var target: SinkTarget { SinkTarget(output) }

    public func bind(_ inputs: StageInputs) throws(DaybookError) -> Binding {
        let ids = inputs.from.map(\.id)
        let sections = inputs.isCut ? sections.limited(to: ids) : sections
        let measures = inputs.isCut ? measures.filter { $0.from.map(ids.contains) ?? true } : measures
        var page = HTMLOutput(title: title, language: language, ledger: ledger, address: address)
        page.plans = try sections.plans(
            inputs.from,
            measured: measures.compactMap(\.from),
            asOf: asOf,
            signs: NumberSigns(language: language)
        )
        for measure in measures {
            let past = inputs.past[measure.title] ?? FigurePast()
            if let figure = try measure.spec(among: inputs.from, past) { page.figures.append(figure) }
        }
        return Binding(inputs.schema, .sink(page))
    }

    public var countedStages: [(id: String, place: SourcePlace?)] {
        measures.compactMap { if case .stage(let id, _) = $0.value.subject { (id, $0.value.place) } else { nil } }
    }

    public var pastRequests: [String: PastRequest] {
        Dictionary(measures.compactMap { measure in measure.request.map { (measure.title, $0) } }) { first, _ in first }
    }

    /// Letters and digits in groups of one to eight with hyphens between, as in BCP 47; empty if unknown.
    private static func isLanguageTag(_ text: String) -> Bool {
        guard !text.isEmpty else { return true }
        return text.utf8.split(separator: UInt8(ascii: "-"), omittingEmptySubsequences: false).allSatisfy { part in
            (1...8).contains(part.count)
                && part.allSatisfy { (48...57).contains($0) || (65...90).contains($0) || (97...122).contains($0) }
        }
    }
}

extension HTMLLedger.Form: OptionChoice {}

/// A page bound to its inputs, with their sections and measures.
struct HTMLOutput: SinkOperator {
    let title: String?
    let language: String
    let ledger: HTMLLedger.Form
    let address: String?
    var plans: [HTMLSectionPlan] = []
    var figures: [MeasureSpec] = []

    func piece(of batch: Batch, from input: Int, reporting findings: inout Findings) -> HTMLPiece {
        let figures = figures.filter { $0.input == input }
        let days = figures.lazy.compactMap(\.dayColumn).first.map(batch.byDay) ?? []
        return HTMLPiece(
            rowCount: batch.count,
            parts: plans.filter { $0.input == input }.map { $0.part(of: batch) },
            measures: figures.map { MeasureDays(batch, days: days, $0) }
        )
    }

    func writer(in context: SinkContext) -> HTMLWriter { HTMLWriter(self, days: context.days) }
}

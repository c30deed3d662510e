/// The page as a whole, once every row and the ledger are known.
struct HTMLPage {
    let output: HTMLOutput
    let sections: [HTMLSection]
    /// How many rows came in.
    let rowCount: Int
    let measures: [MeasureTile]
    let run: RunSummary

    private var title: String { output.title ?? run.job }
    /// The `lang` attribute of words from the job and its rows; empty if unknown.
    private var lang: String { output.language }
    private var words: PageWords { PageWords(language: lang) }

    func write(to out: any ByteOutput) throws(DaybookError) {
        let ledger = HTMLLedger(lines: run.ledger, links: run.links, words: words, form: output.ledger)
        try out.write(head)
        try out.write(masthead(ledger))
        try out.write("<main>\n\(tiles)" as HTML)
        var colours = ChartColours()
        for (index, section) in sections.enumerated() {
            try section.write(id: "s\(index + 1)", lang: lang, &colours, to: out)
        }
        try out.write(ledger.markup)
        try out.write("</main>\n\(foot)" as HTML)
    }

    private var head: HTML {
        PageHead.markup(
            title: "\(title) · \(run.asOf)",
            sheet: HTMLStyle.sheet(
                with: CalendarStyle.screen + "\n" + FlowStyle.parts.screen
                    + (asksForPast ? "\n" + MeasureStyle.screen : ""),
                narrow: CalendarStyle.narrow + "\n" + ChartStyle.narrow,
                print: CalendarStyle.print + "\n" + ChartStyle.print
            ),
            language: words.tag
        )
    }

    private func masthead(_ ledger: HTMLLedger) -> HTML {
        let links = sections.enumerated().map { index, section -> HTML in
            "<li lang=\"\(lang)\"><a href=\"#s\(index + 1)\">\(section.heading)</a></li>"
        }
        let last: [HTML] = ledger.form == .none ? [] : ["<li><a href=\"#ledger\">\(words("Ledger"))</a></li>"]
        let contents = links + last
        let day: HTML = "<time datetime=\"\(run.asOf)\">\(run.asOf)</time>"
        return """
            <header>
            <p class="kicker">\(words("Daybook report"))</p>
            <h1 lang="\(lang)">\(title)</h1>
            <p class="soft">\(words.markup("As of {0}, by the job {1}", day, "<bdi>\(run.job)</bdi>"))</p>
            \(ledger.status(rowCount: rowCount))</header>
            \(PageParts.contents(contents, words))
            """
    }

    /// Whether some measure compares with earlier runs, known or not: so the same past gives the same bytes.
    private var asksForPast: Bool { measures.contains { $0.spec.comparison != nil } }

    /// The measures of the job.
    private var tiles: HTML {
        guard !measures.isEmpty else { return "" }
        let items = measures.enumerated().map { number, measure in measure.markup(id: "m\(number + 1)") }
        return "<dl class=\"tiles\">\n\(items.joined(separator: "\n"))\n</dl>\n"
    }

    private var foot: HTML {
        let words =
            asksForPast
            ? words("Made by Daybook. The same input, job, date and earlier runs give the same page, byte for byte.")
            : words("Made by Daybook. The same input, job and date give the same page, byte for byte.")
        return """
            <footer>\(words)</footer>
            </body>
            </html>

            """
    }
}

/// Gathers the sections of a page, and writes it when the run is over, since its first lines need the ledger.
///
/// Keeps no more rows than its tables show, and of drawings what `ChartPoints`, `ScatterPoints` and `CalendarDays` keep.
public struct HTMLWriter: SinkWriter {
    private let output: HTMLOutput
    public private(set) var page: SinkPage?
    private var sections: [HTMLSection]
    private var figures: [(spec: MeasureSpec, values: MeasureDays)]
    /// The days that the run makes, in order.
    private let days: [CalendarDay]
    public private(set) var measures: [SinkMeasure] = []
    public private(set) var writtenRows = 0

    init(_ output: HTMLOutput, days: [CalendarDay]) {
        (self.output, self.days) = (output, days)
        sections = output.plans.map(HTMLSection.init)
        figures = output.figures.map { ($0, MeasureDays()) }
    }

    public mutating func begin(_ out: any ByteOutput) {}

    public mutating func append(_ piece: HTMLPiece, input: Int, to out: any ByteOutput) {
        let own = sections.indices.filter { sections[$0].plan.input == input }
        for (section, part) in zip(own, piece.parts) { sections[section].append(part, rowCount: piece.rowCount) }
        let shown = figures.indices.filter { figures[$0].spec.input == input }
        for (figure, value) in zip(shown, piece.measures) { figures[figure].values.merge(value) }
        writtenRows += piece.rowCount
    }

    public mutating func finish(_ run: RunSummary, _ out: any ByteOutput) throws(DaybookError) {
        let signs = NumberSigns(language: output.language)
        let tiles = figures.map { spec, values in
            MeasureTile(spec: spec, figures: values.figures(spec, made: days, run), run: run, signs: signs)
        }
        try HTMLPage(output: output, sections: sections, rowCount: writtenRows, measures: tiles, run: run).write(
            to: out
        )
        measures = tiles.map(\.measure)
        page = SinkPage(address: output.address, tables: sections.filter(\.plan.isMailed).compactMap(\.mailTable))
    }
}

/// The part of the style sheet for the status and the flow of rows.
package enum FlowStyle {
    static let screen = """
        .status{display:inline-block;margin:1rem 0 0;padding:.3rem .9rem;border-radius:999px;background:var(--card);\
        color:var(--soft);font-size:.875rem}
        .status b{color:var(--good);font-weight:650}
        .status.off b{color:var(--bad)}
        .status em{color:var(--bad);font-style:normal}
        svg.flow .band{fill:var(--h1)}
        svg.flow .arc{fill:none;stroke:var(--s0);stroke-width:1.5}
        svg.flow .lost,.ramp .lost{fill:var(--bad);background:var(--bad)}
        svg.flow .arc.lost{fill:none;stroke:var(--bad)}
        svg.flow .aside,.ramp .aside{fill:var(--s0);background:var(--s0)}
        .ramp .flow-key{align-items:center;gap:.4rem;margin-inline-end:1rem}
        .ramp .flow-key i{width:.8rem;border-radius:3px}
        .branch th{color:var(--soft);font-weight:600}
        """

    /// The parts of the style sheet of a page with the flow of a ledger.
    package static let parts = (
        screen: ChartStyle.screen + "\n" + screen, narrow: ChartStyle.narrow, print: ChartStyle.print
    )

    /// The style sheet of a page with a drawing of the flow.
    package static func page(with own: String = "") -> String {
        HTMLStyle.sheet(
            with: [parts.screen, planned, own].joined(separator: "\n"),
            narrow: parts.narrow,
            print: parts.print
        )
    }

    private static let planned = "svg.flow .planned{fill:var(--h2);stroke:var(--s1);stroke-width:1}"

    /// The style sheet of a drawing in a file of its own, light and dark.
    static let file = """
        :root{color-scheme:light dark;\(HTMLPalette.definitions(\.light))}
        @media (prefers-color-scheme:dark){:root{\(HTMLPalette.definitions(\.dark))}}
        svg{background:var(--page);font-family:system-ui,-apple-system,"Segoe UI",Roboto,"Noto Sans KR","Noto Sans CJK KR",sans-serif}
        text{font-size:12px;fill:var(--ink)}
        .end{text-anchor:end;fill:var(--soft)}
        .axis{stroke:var(--soft);fill:none}
        \(screen)
        \(planned)
        .s1{fill:var(--s1)}
        """
}

/// The page as a whole, once every row and the ledger are known.
struct HTMLPage {
    let title: String
    /// The `lang` attribute of words that come from the job and its rows; empty means that nobody said.
    let lang: String
    let sections: [HTMLSection]
    /// How many rows came in.
    let rowCount: Int
    let run: RunSummary

    func write(to out: any ByteOutput) throws(DaybookError) {
        let ledger = HTMLLedger(lines: run.ledger)
        try out.write(head)
        try out.write(masthead)
        try out.write("<main>\n\(tiles(ledger))" as HTML)
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
                with: CalendarStyle.screen + "\n" + ChartStyle.screen,
                narrow: CalendarStyle.narrow + "\n" + ChartStyle.narrow,
                print: CalendarStyle.print + "\n" + ChartStyle.print
            )
        )
    }

    private var masthead: HTML {
        let links = sections.enumerated().map { index, section -> HTML in
            "<li lang=\"\(lang)\"><a href=\"#s\(index + 1)\">\(section.heading)</a></li>"
        }
        let contents: [HTML] = links + ["<li><a href=\"#ledger\">Ledger</a></li>"]
        return """
            <header>
            <p class="kicker">Daybook report</p>
            <h1 lang="\(lang)">\(title)</h1>
            <p class="soft">As of <time datetime="\(run.asOf)">\(run.asOf)</time>, by the job \
            <bdi>\(run.job)</bdi></p>
            </header>
            \(PageParts.contents(contents))
            """
    }

    /// The run in four or five numbers.
    private func tiles(_ ledger: HTMLLedger) -> HTML {
        var tiles: [(label: String, value: String, style: String)] = []
        let sources = run.ledger.filter(\.isSource)
        if !sources.isEmpty { tiles.append(("Rows read", Figure.grouped(sources.reduce(0) { $0 + $1.rowsIn }), "")) }
        tiles.append(("Rows in this report", Figure.grouped(rowCount), ""))
        if !run.ledger.isEmpty {
            let rejected = run.ledger.reduce(0) { $0 + $1.rejected }
            let dropped = run.ledger.reduce(0) { $0 + $1.droppedCount }
            tiles.append(("Rows rejected", Figure.grouped(rejected), rejected > 0 ? "bad" : ""))
            if dropped > 0 { tiles.append(("Rows dropped", Figure.grouped(dropped), "")) }
            let isBalanced = ledger.isBalanced
            tiles.append(("The book", isBalanced ? "Balances" : "Off", isBalanced ? "good" : "bad"))
        }
        return PageParts.tiles(tiles) + ledger.rejections
    }

    private var foot: HTML {
        """
        <footer>Made by Daybook. The same input, job and date give the same page, byte for byte.</footer>
        </body>
        </html>

        """
    }
}

/// Gathers the sections of a page and writes it when the run is over, since its first lines already speak of the ledger.
///
/// It holds no more rows of an input than its tables show, and of drawings what `ChartPoints`, `ScatterPoints` and `CalendarDays` allow.
public struct HTMLWriter: SinkWriter {
    package let title: String?
    package let lang: String
    private var sections: [HTMLSection]
    public private(set) var writtenRows = 0

    package init(title: String?, lang: String, sections: [HTMLSectionPlan]) {
        self.title = title
        self.lang = lang
        self.sections = sections.map(HTMLSection.init)
    }

    public mutating func begin(_ out: any ByteOutput) {}

    public mutating func append(_ piece: HTMLPiece, input: Int, to out: any ByteOutput) {
        let own = sections.indices.filter { sections[$0].plan.input == input }
        for (section, part) in zip(own, piece.parts) { sections[section].append(part, rowCount: piece.rowCount) }
        writtenRows += piece.rowCount
    }

    public mutating func finish(_ run: RunSummary, _ out: any ByteOutput) throws(DaybookError) {
        try HTMLPage(title: title ?? run.job, lang: lang, sections: sections, rowCount: writtenRows, run: run).write(
            to: out
        )
    }
}

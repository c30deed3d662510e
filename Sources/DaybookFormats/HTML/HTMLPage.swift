/// The page as a whole, once every row and the ledger are known.
struct HTMLPage {
    let title: String
    /// The `lang` attribute of words that come from the job and its rows; empty means that nobody said.
    let lang: String
    let sections: [HTMLSection]
    let run: RunSummary

    func write(to out: any ByteOutput) throws(DaybookError) {
        let ledger = HTMLLedger(lines: run.ledger)
        try out.write(head)
        try out.write(masthead)
        try out.write("<main>\n\(tiles(ledger))" as HTML)
        for (index, section) in sections.enumerated() { try section.write(id: "s\(index + 1)", lang: lang, to: out) }
        try out.write(ledger.markup)
        try out.write("</main>\n\(foot)" as HTML)
    }

    private var head: HTML {
        PageHead.markup(
            title: "\(title) · \(run.asOf)",
            sheet: HTMLStyle.sheet(
                with: CalendarStyle.screen,
                narrow: CalendarStyle.narrow,
                print: CalendarStyle.print
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
        tiles.append(("Rows in this report", Figure.grouped(sections.reduce(0) { $0 + $1.rowCount }), ""))
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
/// It holds no more than `rowLimit` rows of each input, and of the figures by month what `MonthSums` allows.
public struct HTMLWriter: SinkWriter {
    package let title: String?
    package let lang: String
    package let rowLimit: Int
    /// Inputs that `sections` names and that are not there.
    package let problem: DaybookError?
    private var sections: [HTMLSection]
    public private(set) var writtenRows = 0

    package init(title: String?, lang: String, rowLimit: Int, sections: [HTMLSection], problem: DaybookError?) {
        self.title = title
        self.lang = lang
        self.rowLimit = rowLimit
        self.sections = sections
        self.problem = problem
    }

    public mutating func begin(_ out: any ByteOutput) throws(DaybookError) {
        if let problem { throw problem }
    }

    public mutating func append(_ piece: HTMLPiece, input: Int, to out: any ByteOutput) throws(DaybookError) {
        sections[input].append(piece, limit: rowLimit)
        writtenRows += piece.rowCount
    }

    public mutating func finish(_ run: RunSummary, _ out: any ByteOutput) throws(DaybookError) {
        try HTMLPage(title: title ?? run.job, lang: lang, sections: sections, run: run).write(to: out)
    }
}

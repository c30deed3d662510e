import DaybookBytes
import DaybookPages

/// The report for people who were not there: one page with the verdict, the rules and every finding in its line.
public struct HTMLReporter: Reporter {
    public static let name = "html"
    public static let summary = "One page with the verdict, the rules and the findings in their lines."
    public static let isOfOneRun = true
    public static let logForm = LogText.Form.markup

    public init(_ style: TerminalStyle) {}

    public func report(_ run: RunReport) -> String { RunPage(run).markup.text }
}

/// The page of a run as a whole, in the frame and the style of `export_html`.
package struct RunPage {
    let run: RunReport
    private let rules: ReportRules
    private let entries: [ReportEntry]
    private let verdict: RunVerdict

    package init(_ run: RunReport) {
        self.run = run
        rules = ReportRules(run)
        entries = ReportEntries.all(in: run, rules)
        verdict = RunVerdict(run)
    }

    package var markup: HTML {
        let sections = sections.filter { !$0.isEmpty }
        let day: HTML = run.asOf.map { "As of <time datetime=\"\($0)\">\($0)</time>, by" } ?? "By"
        return PageFrame.markup(
            title: "\(PrintableText.of(run.job)) \(verdict.words)",
            sheet: RunStyle.sheet,
            kicker: "Daybook run",
            heading: RunPage.text(run.job),
            below: "<p class=\"soft\">\(day) <bdi>\(PageParts.path(run.shownJobFile.printable))</bdi></p>\n",
            links: sections.map(\.link),
            main: tiles + sections.map(\.markup).joined(),
            foot: "Made by Daybook \(DaybookVersion.text)."
        )
    }

    /// The run in a few numbers, and what to do next.
    private var tiles: HTML {
        var tiles = [("Verdict", verdict.words.raisedFirst, verdict.isGood ? "good" : "bad")]
        if !run.outcome.ledger.isEmpty {
            tiles.append(("Rows read", DisplayText.count(run.rowsRead), ""))
            tiles.append(("Rows rejected", DisplayText.count(run.rowsRejected), run.rowsRejected > 0 ? "bad" : ""))
        }
        let asked = rules.all.filter { $0.type != nil }
        if !asked.isEmpty {
            let failed = asked.count { $0.verdict == .failed }
            let share = "\(DisplayText.count(failed)) of \(DisplayText.count(asked.count))"
            tiles.append(("Rules failed", share, failed > 0 ? "bad" : ""))
        }
        tiles.append(("Findings", DisplayText.count(rules.all.reduce(0) { $0 + $1.new }), ""))
        let next = RunPage.text(run.mask.masking(NextStep(run: run, style: .plain, side: "below").line))
        return PageParts.tiles(tiles) + "<p class=\"next\">\(next)</p>\n"
    }

    private var sections: [PageSection] {
        let findings = FindingTables(run: run, rules: rules, entries: entries)
        let table = RuleTable(run: run, rules: rules).markup(linked: findings.linked)
        return [
            PageSection(id: "errors", heading: "Errors", body: errors),
            PageSection(id: "changes", heading: "What would change", body: ChangesText(run: run, style: .plain).markup),
            PageSection(id: "gates", heading: "Gates", body: gates),
            PageSection(id: "rules", heading: "Rules and kinds of findings", body: table),
            PageSection(id: "findings", heading: "Findings", body: findings.markup),
            PageSection(id: "ledger", heading: "Ledger", body: ledger),
        ]
    }

    /// Text as the page may hold it: without control characters, not endless, and with no markup.
    package static func text(_ text: String) -> HTML { "\(text.printable)" }
}

/// Frames pages: the head, what the page is about, links to its sections, what it holds, and the foot.
package enum PageFrame {
    /// - Parameters:
    ///   - kicker: what kind of page it is, above its heading.
    ///   - isData: whether the heading is a name from the data, in no known language.
    ///   - below: what stands below the heading.
    ///   - links: items that lead to the sections; none for a page without contents.
    package static func markup(
        title: String,
        sheet: String,
        kicker: HTML,
        heading: HTML,
        isData: Bool = false,
        below: HTML = "",
        links: [HTML] = [],
        main: HTML,
        foot: HTML
    ) -> HTML {
        """
        \(PageHead.markup(title: title, sheet: sheet))<header>
        <p class="kicker">\(kicker)</p>
        <h1\(" lang=\"\"", if: isData)>\(heading)</h1>
        \(below)</header>
        \(PageParts.contents(links), if: !links.isEmpty)<main>
        \(main)</main>
        <footer>\(foot)</footer>
        </body>
        </html>

        """
    }
}

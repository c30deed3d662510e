import DaybookEngine
import DaybookPages
import DaybookReports

/// Static pages about the runs of a history: an index of the jobs, a page for each, and one for each of its runs.
///
/// They need no server, no network and no script, and are the same for the same history and the same outputs on the disk.
public enum Site {
    /// Jobs that have a page, the last active ones.
    static let mostJobs = 1_000
    /// Runs that the page of a job shows at most.
    public static let mostRuns = 400

    /// Writes the pages into a directory, which replaces the old one when all are written, and returns the number of jobs.
    ///
    /// - Parameters:
    ///   - path: the canonical path of a job file, to select its jobs; nil for all.
    ///   - last: how many runs of each job, and how many days of its data.
    ///   - directory: as the command line names it.
    ///   - columns: a table of the columns of a job's outputs, from its last run; empty where they are not known.
    package static func write(
        _ history: HistoryFile,
        of path: String?,
        last: Int,
        to directory: String,
        columns: (RunRecord) -> HTML,
        isCancelled: () -> Bool
    ) throws(DaybookError) -> Int {
        let pages = try PageDirectory(directory)
        let jobs = try history.jobs(RunChoice(path: path))
        var entries: [SiteIndex.Entry] = []
        for job in jobs.prefix(mostJobs) {
            let records = try history.records(of: job, last: last)
            let names = JobPages(job, records)
            let days = SiteDay.days(of: records, left: try history.figuresLeft(by: job), most: last)
            let shown = Set(days.map(\.day))
            let links = OutputLinks(records, from: pages.path)
            for (number, record) in records.enumerated() {
                if isCancelled() { throw .interrupted }
                let surroundings = RunRecordPage.Surroundings(
                    job: names.job,
                    earlier: records.dropFirst(number + 1).first.map(names.name),
                    later: records.prefix(number).last.map(names.name),
                    days: record.daysMade.filter(shown.contains).map { ($0, names.name(of: $0)) }
                ) { links.href(of: $0, record) }
                try pages.add(RunRecordPage(record, surroundings).markup, as: names.name(of: record))
            }
            for (number, day) in days.enumerated() {
                if isCancelled() { throw .interrupted }
                let (earlier, later) = (days.dropFirst(number + 1).first, days.prefix(number).last)
                let page = SiteDayPage(job: job.name, day: day, pages: names, earlier: earlier, later: later)
                try pages.add(page.markup, as: names.name(of: day.day))
            }
            let table = records.first.map(columns) ?? ""
            if !table.isEmpty {
                let page = SiteColumnsPage(job: job, pages: names, table: table)
                try pages.add(page.markup, as: names.columns)
            }
            let hasColumns = !table.isEmpty
            let page = SiteJobPage(
                job: job,
                records: records,
                days: days,
                pages: names,
                links: links,
                hasColumns: hasColumns
            )
            try pages.add(page.markup, as: names.job)
            if let entry = SiteIndex.Entry(job, records, names) { entries.append(entry) }
        }
        try pages.add(SiteIndex(entries, jobs: jobs.count).markup, as: "index.html")
        try pages.commit()
        return entries.count
    }

    private static var sheet: String {
        FlowStyle.page(with: [RunStrip.style, Sparkline.style, style].joined(separator: "\n"))
    }

    private static let style = """
        .kicker a{color:inherit}
        .path{overflow-wrap:break-word}
        .change{display:block}
        .told{margin:1.25rem 0 0;padding:.75rem 1.25rem;border-radius:12px;background:var(--card);white-space:pre-wrap;\
        overflow-wrap:anywhere;font:.86em/1.5 ui-monospace,"SF Mono",Consolas,"Liberation Mono",monospace}
        .row{margin-top:1rem}
        .runs{margin:.5rem 0 0;padding:0;list-style:none;columns:auto 20rem;column-gap:2rem;font-size:.875rem}
        .runs li{break-inside:avoid;padding:.1rem 0}
        .letters{word-spacing:.6rem}
        @media print{#all{display:none}}
        @media (max-width:40rem){.words.path{display:none}}
        .days{display:grid;grid-template-columns:auto 1fr;gap:.25rem 1rem;margin:.5rem 0 0;font-size:.875rem}
        .days dt{white-space:nowrap}
        .days dd{margin:0;word-spacing:.3rem}
        td{min-width:7rem}
        th.path{min-width:11rem}
        #findings tbody th{min-width:9rem}
        td.num,td.one{min-width:0}
        td .spark{min-width:8rem;max-width:12rem}
        .words.one{white-space:nowrap}
        td a{overflow-wrap:anywhere}
        td .bad,.words.bad,li .bad,dd .bad{color:var(--bad)}
        """

    /// A page of the site, or one that stands alone.
    static func page(
        _ title: String,
        kicker: HTML = "Daybook",
        heading: String,
        below: HTML = "",
        links: [HTML] = [],
        main: HTML
    ) -> HTML {
        PageFrame.markup(
            title: "\(title) · Daybook",
            sheet: sheet,
            kicker: kicker,
            heading: "\(heading)",
            below: below,
            links: links,
            main: main,
            foot: "Made by Daybook from the history of its runs."
        )
    }

    /// `2026-11-21 03:00`.
    static func minute(_ instant: Int64) -> String {
        String(Instant.text(instant).prefix(16)).replacing("T", with: " ")
    }

    static let meanings: [(RunStrip.Ending, String)] = [
        (.passed, "passed"), (.warned, "passed, with warnings"), (.failed, "gate failed"),
        (.broken, "did not come to its end"),
    ]
}

extension HTML {
    /// The page with symbols for everything that would steer a terminal or turn the direction of writing.
    var printable: String {
        String(String.UnicodeScalarView(text.unicodeScalars.lazy.map { $0 == "\n" ? $0 : PrintableText.of($0) }))
    }
}

/// The page of a list of runs.
struct RunListPage {
    /// The latest first.
    let runs: [ListedRun]
    /// How many more there are.
    let older: Int
    /// The paths of the jobs of a name.
    private let paths: [String: Set<String>]

    init(runs: [ListedRun], older: Int) {
        (self.runs, self.older) = (runs, older)
        paths = Dictionary(grouping: runs, by: \.job).mapValues { Set($0.map(\.path)) }
    }

    var markup: HTML {
        let list = PageSection(id: "runs", heading: Figure.counted(runs.count, "run").raisedFirst, body: body)
        return Site.page("Runs", heading: "Runs", main: tiles + list.markup)
    }

    private var tiles: HTML {
        guard !runs.isEmpty else { return "" }
        let failed = runs.count { $0.exitCode != 0 }
        return PageParts.tiles([
            ("Passed", Figure.grouped(runs.count - failed), failed == runs.count ? "" : "good"),
            ("Failed", Figure.grouped(failed), failed == 0 ? "" : "bad"),
        ])
    }

    /// Whether no other job of the list has its name.
    private func isAlone(_ run: ListedRun) -> Bool { (paths[run.job]?.count ?? 0) < 2 }

    private var body: HTML {
        guard !runs.isEmpty else { return "<p>No runs.</p>\n" }
        let rows = runs.map { run -> HTML in
            """
            <th scope="row" class="one">\(run.run)</th><td class="one" title="\(run.path)">\(run.job.shortened(to: 48))\
            \(isAlone(run) ? "" : " <span class=\"soft\">\(run.path.shortened(to: 48))</span>" as HTML)</td><td class="one">\(run.asOf ?? "–")</td><td class="one\(" bad", if: run.exitCode != 0)">\(HistoryPages.ending(run.exitCode))</td>\
            \(PageTable.number(run.rowsRead))\(PageTable.number(run.rejected))\
            <td class="num">\(HistoryPages.duration(run.seconds))</td>
            """
        }
        let heads = ["Run", "Job", "As of", "Ended", "#Rows read", "#Rejected", "#Took"]
        let rest: HTML = "<p class=\"note\">And \(Figure.grouped(older)) earlier; '--last N' shows more.</p>\n"
        return "\(PageTable.markup(heads, rows, label: "runs-h", isWhole: true))\(rest, if: older > 0)"
    }
}

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
    ///   - last: how many runs of each job.
    ///   - directory: as the command line names it.
    public static func write(
        _ history: HistoryFile,
        of path: String?,
        last: Int,
        to directory: String,
        isCancelled: () -> Bool
    ) throws(DaybookError) -> Int {
        let pages = try PageDirectory(directory)
        let jobs = try history.jobs(RunChoice(path: path))
        var entries: [SiteIndex.Entry] = []
        for job in jobs.prefix(mostJobs) {
            let records = try history.records(of: job, last: last)
            let names = JobPages(job, records)
            let links = OutputLinks(records, from: pages.path)
            for (number, record) in records.enumerated() {
                if isCancelled() { throw .interrupted }
                let surroundings = RunRecordPage.Surroundings(
                    job: names.job,
                    earlier: number + 1 < records.count ? names.name(of: records[number + 1]) : nil,
                    later: number > 0 ? names.name(of: records[number - 1]) : nil
                ) { links.href(of: $0, record) }
                try pages.add(RunRecordPage(record, surroundings).markup, as: names.name(of: record))
            }
            try pages.add(SiteJobPage(job, records, names, links).markup, as: names.job)
            if let entry = SiteIndex.Entry(job, records, names) { entries.append(entry) }
        }
        try pages.add(SiteIndex(entries, jobs: jobs.count, last: last).markup, as: "index.html")
        try pages.commit()
        return entries.count
    }

    private static var sheet: String {
        FlowStyle.page(with: [RunStrip.style, Sparkline.style, style].joined(separator: "\n"))
    }

    private static let style = """
        .kicker a{color:inherit}
        .path{overflow-wrap:anywhere}
        .told{margin:1.25rem 0 0;padding:.75rem 1.25rem;border-radius:12px;background:var(--card);white-space:pre-wrap;\
        overflow-wrap:anywhere;font:.86em/1.5 ui-monospace,"SF Mono",Consolas,"Liberation Mono",monospace}
        .row{margin-top:1rem}
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

    static let meanings: [(RunStrip.Ending, String)] = [
        (.passed, "passed"), (.warned, "passed, with warnings"), (.failed, "gate failed"),
        (.broken, "did not come to its end"),
    ]
}

extension HTML {
    /// The page with symbols for everything that would steer a terminal or turn the direction of writing.
    var printable: String {
        var result = String.UnicodeScalarView()
        for scalar in text.unicodeScalars { result.append(scalar == "\n" ? scalar : PrintableText.of(scalar)) }
        return String(result)
    }
}

/// The page of all jobs: how each ended last, and its last runs in a strip.
struct SiteIndex {
    /// What the index shows of a job.
    struct Entry {
        let name: String
        let path: String
        let page: String
        let last: RunRecord
        let strip: RunStrip

        /// Nil for a job of which no run was asked for.
        init?(_ job: ListedJob, _ records: [RunRecord], _ pages: JobPages) {
            guard let last = records.first else { return nil }
            (name, path, page, self.last) = (job.name, job.path, pages.job, last)
            strip = RunStrip(
                records.map { RunStrip.Cell(ending: $0.ending, label: $0.summary, href: pages.name(of: $0)) }
            )
        }
    }

    private let entries: [Entry]
    private let jobs: Int
    private let last: Int

    /// - Parameters:
    ///   - jobs: how many there are in the history.
    ///   - last: how many runs of each are shown.
    init(_ entries: [Entry], jobs: Int, last: Int) {
        // What needs somebody first; then by name, and by path where that is one.
        self.entries = entries.sorted {
            let (one, other) = ($0.last.exitCode == 0 ? 1 : 0, $1.last.exitCode == 0 ? 1 : 0)
            return (one, $0.name, $0.path) < (other, $1.name, $1.path)
        }
        (self.jobs, self.last) = (jobs, last)
    }

    var markup: HTML {
        let heading = "Their last \(Figure.counted(last, "run"))"
        let strips = PageSection(id: "jobs", heading: heading, body: RunStrip.legend(Site.meanings) + table + rest)
        let below: HTML = "<p class=\"soft\">\(sentence)</p>\n"
        return Site.page("Jobs", heading: "Jobs", below: below, main: tiles + strips.markup)
    }

    private var sentence: String {
        guard let latest = entries.map(\.last.started).max() else { return "The history has no runs." }
        return
            "Up to the run of \(Instant.text(latest).prefix(16).replacing("T", with: " ")) UTC. A cell is a run, the latest at the right, and leads to its page."
    }

    private var tiles: HTML {
        guard !entries.isEmpty else { return "" }
        let failed = entries.count { $0.last.exitCode != 0 }
        return PageParts.tiles([
            ("Jobs", Figure.grouped(jobs), ""),
            ("Passed last", Figure.grouped(entries.count - failed), failed == entries.count ? "" : "good"),
            ("Failed last", Figure.grouped(failed), failed == 0 ? "" : "bad"),
        ])
    }

    private var rest: HTML {
        jobs > entries.count
            ? "<p class=\"note\">And \(Figure.counted(jobs - entries.count, "job")) that ran before these.</p>\n" : ""
    }

    private var table: HTML {
        let rows = entries.map { entry -> HTML in
            let last = entry.last
            return """
                <th scope="row"><a href="\(entry.page)">\(entry.name)</a><span class="words path">\(entry.path)</span></th>\
                <td>\(entry.strip.markup(label: "Runs of \(entry.name)"))</td>\
                <td class="one\(" bad", if: last.exitCode != 0)">\(HistoryPages.ending(last.exitCode))\
                <span class="words one">\(last.asOf ?? "–")</span></td>\
                \(PageTable.number(last.rowsRead))\(PageTable.number(last.rejected))\
                <td class="num">\(HistoryPages.duration(last.seconds))</td>
                """
        }
        let heads = ["Job", "Runs", "Ended", "#Rows read", "#Rejected", "#Took"]
        return PageTable.markup(heads, rows, label: "jobs-h", isWhole: true)
    }
}

/// The page of a list of runs.
struct RunListPage {
    /// The latest first.
    let runs: [ListedRun]
    /// How many more there are.
    let older: Int

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

    private var body: HTML {
        guard !runs.isEmpty else { return "<p>No runs.</p>\n" }
        let rows = runs.map { run -> HTML in
            """
            <th scope="row" class="one">\(run.run)</th><td>\(run.job)<span class="words path">\(run.path)</span></td>\
            <td class="one">\(run.asOf ?? "–")</td><td class="one\(" bad", if: run.exitCode != 0)">\(HistoryPages.ending(run.exitCode))</td>\
            \(PageTable.number(run.rowsRead))\(PageTable.number(run.rejected))\
            <td class="num">\(HistoryPages.duration(run.seconds))</td>
            """
        }
        let heads = ["Run", "Job", "As of", "Ended", "#Rows read", "#Rejected", "#Took"]
        let rest: HTML = "<p class=\"note\">And \(Figure.grouped(older)) earlier; '--last N' shows more.</p>\n"
        return "\(PageTable.markup(heads, rows, label: "runs-h", isWhole: true))\(rest, if: older > 0)"
    }
}

import DaybookPages
import DaybookReports

/// Static pages about the runs of a history: an index of the jobs, a page for each, and one for each of its runs.
///
/// They need no server, no network and no script, and are the same for the same history and the same outputs on the disk.
public enum Site {
    /// Jobs that have a page, those that ran last.
    static let mostJobs = 1_000
    /// Runs of a job that its page shows at most.
    public static let mostRuns = 400

    /// Writes the pages into a directory, which is put in its place when all are written, and gives the number of jobs.
    ///
    /// - Parameters:
    ///   - path: the canonical path of a job file, whose jobs alone are meant; nil for all.
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

    /// The sheet of all pages.
    static var sheet: String { FlowStyle.page(with: [RunStrip.style, Sparkline.style, style].joined(separator: "\n")) }

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

    static let foot: HTML = """
        <footer>Made by Daybook from the history of its runs.</footer>
        </body>
        </html>

        """

    static let meanings: [(RunStrip.Ending, String)] = [
        (.passed, "passed"), (.warned, "passed, with warnings"), (.failed, "gate failed"),
        (.broken, "did not come to its end"),
    ]
}

extension HTML {
    /// The page as it may be shown: what would steer a terminal, or turn the direction of writing, by symbols.
    var printable: String {
        var result = String.UnicodeScalarView()
        for scalar in text.unicodeScalars { result.append(scalar == "\n" ? scalar : PrintableText.of(scalar)) }
        return String(result)
    }
}

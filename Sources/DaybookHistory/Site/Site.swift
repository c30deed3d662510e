/// Static pages about the runs of a history: an index of the jobs, and a page for each.
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
            if isCancelled() { throw .interrupted }
            let records = try history.records(of: job, last: last)
            let name = fileName(of: job)
            try pages.add(SiteJobPage(job, records, from: pages.path).markup.text, as: name)
            if let entry = SiteIndex.Entry(job, records, page: name) { entries.append(entry) }
        }
        try pages.add(SiteIndex(entries, jobs: jobs.count, last: last).markup.text, as: "index.html")
        try pages.commit()
        return entries.count
    }

    /// `orders-3f9a01bc.html`: the name as far as a file may be called so, and a digest that tells jobs of one name apart.
    static func fileName(of job: ListedJob) -> String {
        let digest = SHA256Digest.of(Array("\(job.name)\u{0}\(job.path)".utf8)).prefix(8)
        let words = job.name.lowercased().unicodeScalars.split {
            !("a"..."z").contains($0) && !("0"..."9").contains($0)
        }
        let name = words.map { String($0) }.joined(separator: "-").prefix(40)
        return "\(name.isEmpty ? "job" : String(name.drop { $0 == "-" }))-\(digest).html"
    }

    /// The sheet of all pages.
    static var sheet: String { FlowStyle.page(with: [RunStrip.style, Sparkline.style, style].joined(separator: "\n")) }

    private static let style = """
        .kicker a{color:inherit}
        .path{overflow-wrap:anywhere}
        .row{margin-top:1rem}
        td{min-width:7rem}
        td.num,td.one{min-width:0}
        td .spark{min-width:8rem;max-width:12rem}
        td a{overflow-wrap:anywhere}
        td .bad,.words.bad{color:var(--bad)}
        tr:target>*{background:var(--h1)}
        """

    static let foot: HTML = """
        <footer>Made by Daybook from the history of its runs.</footer>
        </body>
        </html>

        """

    static let meanings: [(RunStrip.Ending, String)] = [
        (.held, "held"), (.warned, "held, with warnings"), (.failed, "gate failed"),
        (.broken, "did not come to its end"),
    ]
}

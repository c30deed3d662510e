import DaybookEngine
import DaybookPages
import DaybookReports

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
            strip = RunStrip(records.map { RunStrip.Cell(ending: $0.ending, told: $0.told, href: pages.name(of: $0)) })
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
        """
        \(PageHead.markup(title: "Jobs · Daybook", sheet: Site.sheet))<header>
        <p class="kicker">Daybook</p>
        <h1>Jobs</h1>
        <p class="soft">\(sentence)</p>
        </header>
        <main>
        \(tiles)<section id="jobs" aria-labelledby="jobs-h">
        <h2 id="jobs-h">Their last \(Figure.counted(last, "run"))</h2>
        \(RunStrip.legend(Site.meanings))\(table)\(rest)</section>
        </main>
        \(Site.foot)
        """
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
        """
        \(PageHead.markup(title: "Runs · Daybook", sheet: Site.sheet))<header>
        <p class="kicker">Daybook</p>
        <h1>Runs</h1>
        </header>
        <main>
        \(tiles)\(PageSection(id: "runs", heading: Figure.counted(runs.count, "run").raisedFirst, body: body).markup)</main>
        \(Site.foot)
        """
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

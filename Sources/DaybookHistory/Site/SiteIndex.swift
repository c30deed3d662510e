import DaybookEngine
import DaybookPages
import DaybookReports

/// The page of all jobs: how each ended last, its last days in a strip, and a list of all runs.
struct SiteIndex {
    /// What the index shows of a job.
    struct Entry {
        let name: String
        let path: String
        let page: String
        let last: RunRecord
        /// The latest first.
        let runs: [Run]

        /// Nil for a job of which no run was asked for.
        init?(_ job: ListedJob, _ records: [RunRecord], _ pages: JobPages) {
            guard let last = records.first else { return nil }
            (name, path, page, self.last) = (job.name, job.path, pages.job, last)
            runs = records.map {
                Run(day: $0.day, name: $0.asOf ?? Site.minute($0.started), cell: pages.cell(of: $0), why: $0.why)
            }
        }
    }

    /// What it shows of a run: much less than the history has, for there may be very many.
    struct Run {
        let day: CalendarDay?
        let name: String
        let cell: RunStrip.Cell
        let why: String?
    }

    /// Runs that the page lists at most.
    private static let mostRuns = 5_000
    /// Jobs from which on the list has letters to go to.
    private static let fewJobs = 12

    private let entries: [Entry]
    private let jobs: Int

    /// - Parameter jobs: how many there are in the history.
    init(_ entries: [Entry], jobs: Int) {
        // What needs somebody first; then by name, and by path where that is one.
        self.entries = entries.sorted {
            let (one, other) = ($0.last.exitCode == 0 ? 1 : 0, $1.last.exitCode == 0 ? 1 : 0)
            return (one, $0.name, $0.path) < (other, $1.name, $1.path)
        }
        self.jobs = jobs
    }

    var markup: HTML {
        let heading = "Their last days"
        let strips = PageSection(id: "jobs", heading: heading, body: RunStrip.legend(Site.meanings) + table + rest)
        let list = PageSection(id: "all", heading: "All runs", body: runs)
        let below: HTML = "<p class=\"soft\">\(sentence)</p>\n"
        let parts = [strips, list].filter { !$0.isEmpty }
        return Site.page(
            "Jobs",
            heading: "Jobs",
            below: below,
            links: parts.map(\.link),
            main: tiles + parts.map(\.markup).joined()
        )
    }

    private var lastDay: CalendarDay? { entries.flatMap(\.runs).compactMap(\.day).max() }

    private var sentence: String {
        guard let latest = entries.map(\.last.started).max() else { return "The history has no runs." }
        return
            "Up to the run of \(Site.minute(latest)) UTC. A cell is a day, at the right \(lastDay.map { "\($0)" } ?? "the latest"), and leads to its last run; a day without a run has a dot."
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
        let last = lastDay
        let rows = entries.map { entry -> HTML in
            let days = RunDays(entry.runs.map(\.day), upTo: last)
            let strip = RunStrip(days.strip { entry.runs[$0].cell })
            let run = entry.last
            return """
                <th scope="row"><a href="\(entry.page)">\(entry.name)</a><span class="words path">\(PageParts.path(entry.path))</span></th>\
                <td class="one\(" bad", if: run.exitCode != 0)">\(HistoryPages.ending(run.exitCode))\
                <span class="words one">\(run.asOf ?? "–")</span></td>\
                <td>\(strip.markup(label: "Days of \(entry.name)"))</td>\
                \(PageTable.number(run.rowsRead))\(PageTable.number(run.rejected))\
                <td class="num">\(HistoryPages.duration(run.seconds))</td>
                """
        }
        let heads = ["Job", "Ended", "Days", "#Rows read", "#Rejected", "#Took"]
        return PageTable.markup(heads, rows, label: "jobs-h", isWhole: true)
    }

    // MARK: All runs

    /// A closed list of the runs of each job, by name: what a page without a script has for a search field.
    private var runs: HTML {
        guard !entries.isEmpty else { return "" }
        let sorted = entries.sorted {
            ($0.name.lowercased(), $0.name, $0.path) < ($1.name.lowercased(), $1.name, $1.path)
        }
        let most = max(5, SiteIndex.mostRuns / sorted.count)
        var letters: [(letter: String, id: String)] = []
        let lists = sorted.enumerated().map { number, entry -> HTML in
            let letter = entry.name.prefix(1).uppercased()
            let id: HTML = " id=\"letter-\(letters.count + 1)\""
            let isFirst = letter != letters.last?.letter
            if isFirst { letters.append((letter, "letter-\(letters.count + 1)")) }
            return "<details\(id, if: isFirst)>\(list(entry, most))</details>\n"
        }
        let links = letters.map { letter, id -> HTML in "<a href=\"#\(id)\">\(letter)</a>" }
        let index: HTML = "<p class=\"letters\">\(links.joined(separator: " "))</p>\n"
        return """
            <p class="soft">By job. The search of a browser (Ctrl F) finds a day, a name or a reason in closed lists too, where the \
            browser opens what it finds, as Chrome does.</p>
            \(index, if: sorted.count > SiteIndex.fewJobs)\(lists.joined())
            """
    }

    private func list(_ entry: Entry, _ most: Int) -> HTML {
        let items = entry.runs.prefix(most).map { run -> HTML in
            let ending = Site.meanings.first { $0.0 == run.cell.ending }?.1 ?? ""
            let isBad = run.cell.ending == .failed || run.cell.ending == .broken
            let reason: HTML = run.why.map { ": \($0)" } ?? ""
            return
                "<li><a href=\"\(run.cell.href ?? "")\">\(run.name)</a> <span\(" class=\"bad\"", if: isBad)>\(ending)</span>\(reason)</li>"
        }
        let rest = entry.runs.count - items.count
        let more: HTML =
            "<li>and \(Figure.grouped(rest)) more on <a href=\"\(entry.page)\">the page of the job</a></li>"
        return """
            <summary>\(entry.name), \(Figure.counted(entry.runs.count, "run"))</summary>
            <ul class="runs">\(items.joined(separator: "\n"))\(more, if: rest > 0)</ul>
            """
    }
}

extension RunRecord {
    /// The beginning of why the run failed: its first error, or its first rule that failed.
    fileprivate var why: String? {
        let reason = errors.first?.message ?? rules.first { $0.verdict == Verdict.failed.rawValue }?.rule
        return reason?.shortened(to: 60)
    }
}

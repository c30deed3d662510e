import DaybookPages

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

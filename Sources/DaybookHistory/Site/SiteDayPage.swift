import DaybookEngine
import DaybookPages
import DaybookReports

/// The page of a day of a job's data: what came, which runs made the day, and what it came to.
struct SiteDayPage {
    /// Files, runs and figures that a page shows at most.
    private static let mostRows = 200
    /// Earlier values that a figure has at most.
    private static let mostValues = 12

    private let job: String
    private let day: SiteDay
    private let pages: JobPages
    private let earlier: SiteDay?
    private let later: SiteDay?

    init(_ job: String, _ day: SiteDay, _ pages: JobPages, earlier: SiteDay?, later: SiteDay?) {
        (self.job, self.day, self.pages, self.earlier, self.later) = (job, day, pages, earlier, later)
    }

    var markup: HTML {
        let sections = [files, runs, figures].compactMap(\.self)
        return Site.page(
            "\(job) · \(day.day)",
            kicker: "<a href=\"\(pages.job)\">Daybook · all days of the job</a>",
            heading: job,
            below: "<p class=\"soft\">The day <time datetime=\"\(day.day)\">\(day.day)</time></p>\n",
            links: sections.map(\.link),
            main: tiles + neighbours + sections.map(\.markup).joined()
        )
    }

    private var neighbours: HTML {
        let days = [(earlier, "← ", ""), (later, "", " →")]
        let links = days.compactMap { other, before, after -> HTML? in
            other.map { "<a href=\"\(pages.name(of: $0.day))\">\(before)\($0.day)\(after)</a>" }
        }
        return links.isEmpty ? "" : "<p class=\"soft\">\(links.joined(separator: " · "))</p>\n"
    }

    private var tiles: HTML {
        let current = day.deliveries.filter { !$0.isReplaced }
        let late = current.count { $0.delay(to: day.day) != nil }
        var tiles: [(label: String, value: String, style: String)] = []
        if let last = day.last {
            tiles.append(("Made last", HistoryPages.ending(last.exitCode), last.exitCode == 0 ? "good" : "bad"))
        }
        tiles.append(("Files", Figure.grouped(current.count), ""))
        if late > 0 { tiles.append(("Came late", Figure.grouped(late), "")) }
        tiles.append(("Runs", Figure.grouped(day.runs.count), ""))
        return PageParts.tiles(tiles)
    }

    private func link(_ run: RunRecord) -> HTML {
        "<a href=\"\(pages.name(of: run))\" title=\"\(run.run)\">\(Site.minute(run.started))</a>"
    }

    // MARK: Sections

    private var files: PageSection? {
        let rows = day.deliveries.map { delivery -> HTML in
            """
            <th scope="row" class="path">\(PageParts.path(delivery.file.path))</th>\(PageTable.number(delivery.file.bytes))\
            <td class="one">\(delivery.taken.map(link) ?? "<span class=\"bad\">by no run</span>")</td><td>\(remarks(delivery))</td>
            """
        }
        return table("files", "What came", ["File", "#Bytes", "Taken by the run of", "How it came"], rows)
    }

    private func remarks(_ delivery: SiteDay.Delivery) -> String {
        var words = [delivery.delay(to: day.day).map { "\(DisplayText.count($0, "day")) after its day" } ?? "in time"]
        if delivery.isAgain { words.append("again, with other bytes") }
        if delivery.isReplaced { words.append("other bytes have come since") }
        return words.joined(separator: "; ")
    }

    private var runs: PageSection? {
        let first = day.runs.firstIndex { $0.exitCode == 0 }
        let rows = day.runs.enumerated().map { number, run -> HTML in
            let others = run.daysMade.count - 1
            let what = number == first ? "made" : "made anew"
            return """
                <th scope="row" class="one">\(link(run))</th><td class="one">\(run.asOf ?? "–")</td>\
                <td class="one\(" bad", if: run.exitCode != 0)">\(HistoryPages.ending(run.exitCode))</td>\
                <td>\(run.exitCode == 0 ? what : "left as it was")\(others > 0 ? ", with \(DisplayText.count(others, "other day"))" : "")</td>\
                \(PageTable.number(run.rowsRead))
                """
        }
        return table("made", "Runs that read the day", ["Run", "As of", "Ended", "The day was", "#Rows read"], rows)
    }

    private var figures: PageSection? {
        let rows = day.figures.map { figure -> HTML in
            let before = figure.values.dropLast().suffix(SiteDayPage.mostValues).reversed().map { run, text -> HTML in
                "\(text) <span class=\"soft\">by \(run.map(link) ?? "a run that is no longer kept")</span>"
            }
            return """
                <th scope="row">\(figure.name)<span class="words">\(figure.isRule ? "rule" : "measure") in \(figure.stage)</span></th>\
                <td class="num">\(figure.values.last?.text ?? "–")</td><td>\(before.joined(separator: "<br>"))</td>
                """
        }
        return table("figures", "What it came to", ["Figure", "#Value", "Before"], rows)
    }

    /// Nil without rows.
    private func table(_ id: String, _ title: String, _ heads: [String], _ rows: [HTML]) -> PageSection? {
        guard !rows.isEmpty else { return nil }
        let more = rows.count - SiteDayPage.mostRows
        let note: HTML = "<p class=\"note\">And \(Figure.grouped(more)) earlier.</p>\n"
        let table = PageTable.markup(heads, Array(rows.suffix(SiteDayPage.mostRows)), label: "\(id)-h")
        return PageSection(id: id, heading: title, body: "\(table)\(note, if: more > 0)")
    }
}

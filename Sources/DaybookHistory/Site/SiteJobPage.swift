import DaybookBytes
import DaybookEngine
import DaybookPages
import DaybookReports

/// The page of a job: how it ended last, its measures and rows over time, its rules, the way of the rows, and its last runs.
struct SiteJobPage {
    /// Rules that a page shows at most.
    private static let mostRules = 300

    let job: ListedJob
    /// The latest run first.
    let records: [RunRecord]
    /// The days of its data, the latest first; empty for a job whose rows belong to none.
    let days: [SiteDay]
    let pages: JobPages
    let links: OutputLinks
    /// Whether the columns of its outputs have a page.
    let hasColumns: Bool

    var markup: HTML {
        let parts = [madeDays, measures, rows, rules, way, runs].compactMap(\.self)
        return Site.page(
            job.name,
            kicker: "<a href=\"index.html\">Daybook · all jobs</a>",
            heading: job.name,
            below:
                "<p class=\"soft path\">\(job.path.isEmpty ? "from standard input" : PageParts.path(job.path))</p>\n",
            links: parts.map(\.link),
            main: tiles + columns + strip + parts.map(\.markup).joined()
        )
    }

    private var tiles: HTML {
        guard let last = records.first else { return "" }
        let passed = records.count { $0.exitCode == 0 }
        return PageParts.tiles([
            (
                last.asOf.map { "As of \($0)" } ?? "Last run", HistoryPages.ending(last.exitCode),
                last.exitCode == 0 ? "good" : "bad"
            ),
            ("Rows read", Figure.grouped(last.rowsRead), ""),
            ("Rejected", Figure.grouped(last.rejected), ""),
            ("Passed", "\(Figure.grouped(passed)) of \(Figure.grouped(records.count))", ""),
        ])
    }

    private var columns: HTML {
        let link: HTML =
            "<p class=\"soft\"><a href=\"\(pages.columns)\">Columns of the outputs, and where they come from</a></p>\n"
        return "\(link, if: hasColumns)"
    }

    private var strip: HTML {
        let days = RunDays(records.map(\.day))
        let cells = days.strip { pages.cell(of: records[$0]) }
        let row = RunStrip(cells).markup(label: "Days, the latest at the right")
        let last = days.days.first.map { "To \($0.day)." } ?? ""
        return PageSection(
            id: "strip",
            heading: "The last \(Figure.counted(days.days.count, "day"))",
            body: "<p class=\"soft\">\(last)</p>\n<div class=\"row\">\(row)</div>\n\(RunStrip.legend(Site.meanings))"
        ).markup
    }

    // MARK: Days of the data

    private var madeDays: PageSection? {
        guard let latest = days.first?.day, let earliest = days.last?.day else { return nil }
        let cells = RunDays(days.map(\.day)).strip(nothing: "no file") { cell(of: days[$0]) }
        let row = RunStrip(cells).markup(label: "Days of the data, the latest at the right")
        let months = Dictionary(grouping: days) { "\($0.day)".prefix(7) }
        let lists = months.sorted { $0.key > $1.key }.map { month, days -> HTML in
            "<dt>\(String(month))</dt><dd>\(days.reversed().map(item).joined(separator: " "))</dd>\n"
        }
        return PageSection(
            id: "days",
            heading: "Days of the data",
            body: """
                <p class="soft">\(Figure.counted(days.count, "day")), \(earliest) to \(latest). Each leads to what came and what it came to.</p>
                <div class="row">\(row)</div>
                <details><summary>All days</summary><dl class="days">\(lists.joined())</dl></details>

                """
        )
    }

    private func item(_ day: SiteDay) -> HTML {
        let cell = cell(of: day)
        let isBad = cell.ending == .failed || cell.ending == .broken
        let number = String("\(day.day)".suffix(2))
        return "<a href=\"\(cell.href ?? "")\" title=\"\(cell.label)\"\(" class=\"bad\"", if: isBad)>\(number)</a>"
    }

    /// How the last run that read the day ended.
    private func cell(of day: SiteDay) -> RunStrip.Cell {
        let files = day.deliveries.count { !$0.isReplaced }
        let ended = day.last.map { HistoryPages.ending($0.exitCode) } ?? ""
        return RunStrip.Cell(
            ending: day.last?.ending ?? .none,
            label:
                "\(day.day): \(ended), \(DisplayText.count(files, "file")), \(DisplayText.count(day.runs.count, "run"))",
            href: pages.name(of: day.day)
        )
    }

    // MARK: Over time

    /// The measures of successful runs.
    private var measures: PageSection? {
        var order: [String] = []
        var values: [String: [DayFigure]] = [:]
        for record in records where record.exitCode == 0 {
            let titles = (record.measures ?? []).map(\.title)
            for measure in record.measures ?? [] {
                guard measure.value != nil || measure.days != nil else { continue }
                // Two outputs may have measures of one title.
                let isAlone = titles.count { $0 == measure.title } == 1
                let name = isAlone ? measure.title : "\(measure.title) (\(measure.stage))"
                if values[name] == nil { order.append(name) }
                values[name, default: []] += measure.days ?? record.figure(measure.value)
            }
        }
        let names = Array(order.prefix(TrendFigure.limit))
        return trend("measures", "Measures", names.map { ($0, RuleStrips.byDay(values[$0] ?? [])) })
    }

    /// Rows read, rows rejected and seconds of the runs that passed.
    private var rows: PageSection? {
        let ended = records.filter { $0.exitCode == 0 }
        let columns: [(String, (RunRecord) -> Double)] = [
            ("Rows read", { Double($0.rowsRead) }), ("Rejected", { Double($0.rejected) }), ("Seconds", { $0.seconds }),
        ]
        let lines = columns.map { name, value in (name, RuleStrips.byDay(ended.flatMap { $0.figure(value($0)) })) }
        return trend("rows", "Rows over time", lines)
    }

    private typealias Line = (name: String, days: [(day: CalendarDay, value: Double)])

    private func trend(_ id: String, _ title: String, _ lines: [Line]) -> PageSection? {
        let byDay = lines.map { Dictionary($0.days.map { ($0.day, $0.value) }) { first, _ in first } }
        let days = Set(byDay.flatMap(\.keys)).sorted()
        guard !days.isEmpty else { return nil }
        let rows = days.map { day in (day: day, values: byDay.map { $0[day] }) }
        let figure = TrendFigure(id: id, heading: title, names: lines.map(\.name), rows: rows)
        return PageSection(id: id, heading: title, body: figure.markup)
    }

    // MARK: Rules

    private var rules: PageSection? {
        let strips = RuleStrips(records) { pages.name(of: $0) }
        guard !strips.rows.isEmpty else { return nil }
        let rows = strips.rows.prefix(SiteJobPage.mostRules).enumerated().map { number, row -> HTML in
            let ending = RuleStrips.ending(row.last.verdict)
            return """
                <th scope="row">\(row.name.rule)<span class="words">\(row.name.stage)</span></th>\
                <td>\(RunStrip(row.cells).markup(label: "Runs of \(row.name.rule)"))</td>\
                <td><b\(" class=\"bad\"", if: ending == .failed)>\(row.last.verdict)</b>\
                <span class="words">\(String(row.last.result.prefix(400)))</span></td><td>\(observed(row, number))</td>
                """
        }
        let table = PageTable.markup(["Rule", "Runs", "Last", "Observed"], rows, label: "rules-h", isWhole: true)
        let more = strips.rows.count - SiteJobPage.mostRules
        let note: HTML = "<p class=\"note\">And \(Figure.counted(more, "rule")), as 'daybook history show' tells.</p>\n"
        return PageSection(
            id: "rules",
            heading: "Rules",
            body: "\(RunStrip.legend(RunStrip.ofRules))\(table)\(note, if: more > 0)"
        )
    }

    /// The last measured value, and a line of the values before it.
    private func observed(_ row: RuleStrips.Row, _ number: Int) -> HTML {
        guard let last = row.last.observed else { return "" }
        let text: HTML = "\(last.displayText)<span class=\"words\">\(last.measure.displayText)</span>"
        guard row.observed.count > 1, let first = row.observed.first, let latest = row.observed.last else {
            return text
        }
        let told = """
            \(Figure.counted(row.observed.count, "day")) from \(first.day) to \(latest.day): \
            \(last.measure.displayText(first.value)) at first, \(last.measure.displayText(latest.value)) at last
            """
        return text + Sparkline(row.observed).markup(id: "rule-\(number + 1)", title: row.name.rule, description: told)
    }

    // MARK: The way of the rows

    /// The ledger of the last run that ended.
    private var way: PageSection? {
        guard let record = records.first(where: { $0.exitCode <= 1 && !$0.stages.isEmpty }) else { return nil }
        let ledger = record.ledger(about: "The run of \(record.asOf ?? Instant.text(record.started)). ")
        return PageSection(id: "ledger", heading: "Ledger", body: ledger.body)
    }

    // MARK: Runs

    private var runs: PageSection? {
        guard !records.isEmpty else { return nil }
        let tellsNotices = records.contains { $0.notices != nil }
        let heads =
            ["Run", "Begun", "Ended", "#Rows read", "#Rejected", "#Took"] + (tellsNotices ? ["Told"] : [])
            + ["Outputs", "Why"]
        let rows = records.map { row($0, tellsNotices) }
        let more = job.runs > records.count ? ", of \(Figure.grouped(job.runs)) that are kept" : ""
        let body: HTML = """
            <p class="soft">The latest \(Figure.counted(records.count, "run"))\(more).</p>
            \(PageTable.markup(heads, rows, label: "runs-h", isWhole: true))
            """
        return PageSection(id: "runs", heading: "Runs", body: body)
    }

    /// A run on one line; its page has the rest.
    private func row(_ record: RunRecord, _ tellsNotices: Bool) -> HTML {
        let told: HTML = "<td class=\"one\">\(notices(record))</td>"
        return """
            <th scope="row" class="one" title="\(record.run)"><a href="\(pages.name(of: record))">\(record.asOf ?? "–")</a></th>\
            <td class="one">\(Site.minute(record.started))</td>\
            <td class="one\(" bad", if: record.exitCode != 0)">\(HistoryPages.ending(record.exitCode)) (\(record.exitCode))</td>\
            \(PageTable.number(record.rowsRead))\(PageTable.number(record.rejected))\
            <td class="num">\(HistoryPages.duration(record.seconds))</td>\
            \(told, if: tellsNotices)<td class="one">\(outputs(record))</td><td class="one">\(reason(record))</td>
            """
    }

    /// The beginning of why a run failed: of its first error, or its first failed rule.
    private func reason(_ record: RunRecord) -> HTML {
        var said = record.errors.map(\.message)
        if said.isEmpty {
            said = record.rules.filter { $0.verdict == Verdict.failed.rawValue }.map { "\($0.rule): \($0.result)" }
        }
        guard let first = said.first else { return "" }
        let more = said.count > 1 ? ", and \(said.count - 1) more" : ""
        return "\(PrintableText.of(first).shortened(to: 72))\(more)"
    }

    private func notices(_ record: RunRecord) -> HTML {
        let notices = record.notices ?? []
        let failed = notices.count { $0.reason != nil }
        guard failed > 0 else { return notices.isEmpty ? "" : "\(Figure.grouped(notices.count)) told" }
        return "<span class=\"bad\">\(Figure.grouped(failed)) not told</span>"
    }

    /// Links to the first unchanged outputs, and the number of the others.
    private func outputs(_ record: RunRecord) -> HTML {
        let kept = record.outputs.compactMap { file in links.href(of: file, record).map { (file.path, $0) } }
        let shown = kept.prefix(3).map { path, href -> HTML in
            "<a href=\"\(href)\" title=\"\(path)\">\(FilePath.name(of: path).shortened(to: 32))</a>"
        }
        let more = kept.count - shown.count
        let gone = record.outputs.count - kept.count
        var parts = shown
        if more > 0 { parts.append("\(Figure.grouped(more)) more") }
        if gone > 0 { parts.append("<span class=\"soft\">\(Figure.grouped(gone)) no longer as written</span>") }
        return parts.joined(separator: ", ")
    }
}

/// The names of the pages of a job and its runs.
struct JobPages {
    /// The page of the job, such as `orders-3f9a01bc.html`.
    let job: String
    private let key: String
    private let runs: [String: String]

    init(_ job: ListedJob, _ records: [RunRecord]) {
        key = "\(job.name)\u{0}\(job.path)"
        self.job = JobPages.fileName(job.name, key: key)
        let names = records.map { ($0.run, JobPages.fileName("run \($0.run)", key: $0.run)) }
        runs = Dictionary(names) { first, _ in first }
    }

    /// The page of the columns of its outputs.
    var columns: String { JobPages.fileName("columns", key: "\(key)\u{0}") }

    /// The page of one of the runs.
    func name(of record: RunRecord) -> String { runs[record.run] ?? job }

    /// The page of a day of the job's data.
    func name(of day: CalendarDay) -> String { JobPages.fileName("day \(day)", key: "\(key)\u{0}\(day)") }

    /// The cell of a run in a strip.
    func cell(of record: RunRecord) -> RunStrip.Cell {
        RunStrip.Cell(ending: record.ending, label: record.summary, href: name(of: record))
    }

    /// The name in characters that a file name may have, and a digest of the key, which keeps names apart.
    private static func fileName(_ name: String, key: String) -> String {
        let digest = SHA256Digest.of(key).prefix(8)
        let words = name.lowercased().unicodeScalars.split { !("a"..."z").contains($0) && !("0"..."9").contains($0) }
        let plain = words.map { String($0) }.joined(separator: "-").prefix(40)
        return "\(plain.isEmpty ? "job" : String(plain))-\(digest).html"
    }
}

/// The page of what the columns of a job's outputs are, and where each comes from.
struct SiteColumnsPage {
    let job: ListedJob
    let pages: JobPages
    /// A table, whose label is `columns-h`.
    let table: HTML

    var markup: HTML {
        Site.page(
            "\(job.name) · Columns",
            kicker: "<a href=\"\(pages.job)\">Daybook · all runs of the job</a>",
            heading: job.name,
            below:
                "<p class=\"soft\">Of the job file as its last run had it. Of the steps that make a column, the last one first.</p>\n",
            main: PageSection(id: "columns", heading: "Columns of the outputs", body: table).markup
        )
    }
}

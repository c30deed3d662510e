import DaybookEngine
import DaybookPages
import DaybookReports

/// The page of a day of a job's data: what came, which runs made the day, and what it came to.
struct SiteDayPage {
    /// Files, runs and figures that a page shows at most.
    private static let mostRows = 200
    /// Earlier values that a figure has at most.
    private static let mostValues = 12

    let job: String
    let day: SiteDay
    let pages: JobPages
    let earlier: SiteDay?
    let later: SiteDay?

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

/// What the runs of a job tell of a day of its data: the files that came, the runs that made it, and its figures.
struct SiteDay {
    /// A file of the day, with the bytes that a run read.
    struct Delivery {
        let file: RunRecord.File
        /// The first run that read it.
        let first: RunRecord
        /// The first run that read it and passed; nil without one.
        var taken: RunRecord?
        /// Whether a file of this name came before with other bytes.
        let isAgain: Bool
        /// Whether a file of this name has come since with other bytes.
        var isReplaced = false

        /// How many days after its day it came; nil if it came in time, or if nobody knows.
        func delay(to day: CalendarDay) -> Int? {
            // Other bytes that a redo reads came by the day of its start: it calls the last of its days 'as_of'.
            let isRedone = isAgain && first.day.map(first.daysMade.contains) == true
            let came = isRedone ? CalendarDay(iso: String(Instant.text(first.started).prefix(10))) : first.day
            return came.map { Int($0.number) - Int(day.number) }.flatMap { $0 > 0 ? $0 : nil }
        }
    }

    /// A rule or a measure, and what it came to in the runs that made the day.
    struct Figure {
        let stage: String
        let name: String
        let isRule: Bool
        /// The earliest run first; a run is missing where it is no longer kept.
        var values: [(run: RunRecord?, text: String)] = []
    }

    let day: CalendarDay
    private(set) var deliveries: [Delivery] = []
    /// The runs that read the day, the earliest first.
    private(set) var runs: [RunRecord] = []
    private(set) var figures: [Figure] = []

    private init(_ day: CalendarDay) { self.day = day }

    /// The days that runs of one job made, the latest first.
    ///
    /// - Parameters:
    ///   - records: the latest run first.
    ///   - left: figures of runs that are no longer kept, the oldest first.
    ///   - most: how many days at most.
    static func days(of records: [RunRecord], left: [RunRecord.StoredFigure] = [], most: Int) -> [SiteDay] {
        let made = records.map(\.daysMade)
        let kept = Set(made.flatMap(\.self)).sorted(by: >).prefix(most)
        var days = Dictionary(uniqueKeysWithValues: kept.map { ($0, SiteDay($0)) })
        for figure in left { days[figure.day]?.add(figure) }
        for (record, made) in zip(records, made).reversed() {
            let files = record.inputs.map { (file: $0, days: $0.daysOfRows) }
            for day in made { days[day]?.add(record, files.lazy.filter { $0.days.contains(day) }.map(\.file)) }
        }
        return kept.compactMap { days[$0] }
    }

    /// The last run that made the day, whatever came of it.
    var last: RunRecord? { runs.last }

    private mutating func add(_ figure: RunRecord.StoredFigure) {
        let text = figure.measure.flatMap { measure in
            figure.value.flatMap { ObservedValue(measure, $0)?.displayText }
        }
        add(text ?? figure.value?.brief, figure.stage, figure.name, isRule: figure.measure != nil, of: nil)
    }

    private mutating func add(_ record: RunRecord, _ files: some Sequence<RunRecord.File>) {
        runs.append(record)
        for file in files { add(file, of: record) }
        // What failed is no figure of the day.
        guard record.exitCode == 0 else { return }
        for rule in record.rules {
            guard let figure = rule.days?.last(where: { $0.day == day }) else { continue }
            let text = figure.value.flatMap { value in
                rule.observed.flatMap { ObservedValue($0.measure, value) }?.displayText ?? value.brief
            }
            add(text, rule.stage, rule.rule, isRule: true, of: record)
        }
        for measure in record.measures ?? [] {
            guard let figure = measure.days?.last(where: { $0.day == day }) else { continue }
            // The output shows the last of its days.
            let text = measure.days?.last?.day == day ? measure.text : figure.value?.brief
            add(text, measure.stage, measure.title, isRule: false, of: record)
        }
    }

    private mutating func add(_ file: RunRecord.File, of record: RunRecord) {
        let passed = record.exitCode == 0 ? record : nil
        if let known = deliveries.lastIndex(where: { $0.file.isSame(as: file) && !$0.isReplaced }) {
            if deliveries[known].taken == nil { deliveries[known].taken = passed }
            return
        }
        var isAgain = false
        for earlier in deliveries.indices where deliveries[earlier].file.path == file.path {
            (deliveries[earlier].isReplaced, isAgain) = (true, true)
        }
        deliveries.append(Delivery(file: file, first: record, taken: passed, isAgain: isAgain))
    }

    private mutating func add(_ text: String?, _ stage: String, _ name: String, isRule: Bool, of run: RunRecord?) {
        let place = figures.firstIndex { $0.stage == stage && $0.name == name && $0.isRule == isRule }
        if place == nil { figures.append(Figure(stage: stage, name: name, isRule: isRule)) }
        figures[place ?? figures.count - 1].values.append((run, text ?? "–"))
    }
}

extension RunRecord {
    /// The days of its data, in order: those of its files, and those of which it has figures.
    var daysMade: [CalendarDay] {
        let files = inputs.lazy.flatMap(\.daysOfRows)
        let figures = rules.lazy.compactMap(\.days).joined().map(\.day)
        let measures = (measures ?? []).lazy.compactMap(\.days).joined().map(\.day)
        return Set(files).union(figures).union(measures).sorted()
    }
}

extension RunRecord.File {
    /// The days that its name or its rows say.
    fileprivate var daysOfRows: Set<CalendarDay> {
        if let day = day.flatMap({ CalendarDay(iso: $0) }) { return [day] }
        return days.flatMap { DaysOfFile(text: $0) }?.days ?? []
    }

    fileprivate func isSame(as other: Self) -> Bool {
        path == other.path && bytes == other.bytes && xxh128 == other.xxh128
    }
}

/// What a section of a page shows of an input, known before the first row.
package struct HTMLSectionPlan: Sendable {
    package enum Content: Sendable {
        case table(HTMLTableSpec)
        case chart(ChartSpec)
    }

    package let heading: String
    /// The number of the input whose rows it shows.
    package let input: Int
    package let content: Content
    /// Whether mails show its first rows.
    package var isMailed = false

    /// The partial of one batch.
    package func part(of batch: Batch) -> HTMLPart {
        switch content {
        case .table(let table): .rows(HTMLRows(batch, table))
        case .chart(let chart) where chart.kind == .calendar: .days(CalendarDays(batch, chart))
        case .chart(let chart) where chart.kind == .scatter: .cloud(ScatterPoints(batch, chart))
        case .chart(let chart): .points(ChartPoints(batch, chart))
        }
    }

    /// The empty partial.
    fileprivate var empty: HTMLPart {
        switch content {
        case .table: .rows(HTMLRows())
        case .chart(let chart) where chart.kind == .calendar: .days(CalendarDays())
        case .chart(let chart) where chart.kind == .scatter: .cloud(ScatterPoints())
        case .chart: .points(ChartPoints())
        }
    }
}

/// The partial of a section.
package enum HTMLPart: Sendable, Codable {
    case rows(HTMLRows)
    case points(ChartPoints)
    case cloud(ScatterPoints)
    case days(CalendarDays)
}

/// The partial of one batch for a page: a part for each section that shows its input.
public struct HTMLPiece: Sendable, Codable {
    package let rowCount: Int
    package let parts: [HTMLPart]
    /// The partial for each measure of its input.
    package let measures: [MeasureDays]
}

/// A section of a page, gathered while its rows come in.
package struct HTMLSection: Sendable {
    package let plan: HTMLSectionPlan
    package private(set) var rowCount = 0
    private(set) var part: HTMLPart

    package init(_ plan: HTMLSectionPlan) {
        self.plan = plan
        part = plan.empty
    }

    package var heading: String { plan.heading }

    package mutating func append(_ later: HTMLPart, rowCount: Int) {
        self.rowCount += rowCount
        switch (part, later, plan.content) {
        case (.rows(var rows), .rows(let later), .table(let table)):
            part = .rows(HTMLRows())
            rows.append(later, table)
            part = .rows(rows)
        case (.points(var points), .points(let later), _):
            part = .points(ChartPoints())
            points.merge(later)
            part = .points(points)
        case (.cloud(var points), .cloud(let later), _):
            part = .cloud(ScatterPoints())
            points.merge(later)
            part = .cloud(points)
        case (.days(var days), .days(let later), .chart(let chart)):
            part = .days(CalendarDays())
            days.merge(later, addsUp: chart.countsUp)
            part = .days(days)
        default: preconditionFailure("a section was handed the part of another")
        }
    }

    /// Columns that name a table at most.
    private static let namingColumns = 3

    /// The heading of a table: the name that the job gives the stage, or else its columns: `Month, region, revenue`.
    static func heading(of input: StageInput, columns: [String]) -> String {
        guard !input.isNamed, !columns.isEmpty else { return heading(ofID: input.id) }
        let more = columns.count > namingColumns ? ", …" : ""
        return columns.prefix(namingColumns).joined(separator: ", ").raisedFirst + more
    }

    /// "monthly_emotions" as "Monthly emotions".
    package static func heading(ofID id: String) -> String {
        id.split { $0 == "_" || $0 == "-" || $0 == "." }.joined(separator: " ").raisedFirst
    }

    func write(id: String, lang: String, _ colours: inout ChartColours, to out: any ByteOutput) throws(DaybookError) {
        let head: HTML = """
            <section id="\(id)" aria-labelledby="\(id)-h">
            <h2 id="\(id)-h" lang="\(lang)">\(heading)</h2>

            """
        try out.write(head)
        switch (part, plan.content) {
        case (.rows(let rows), .table(let table)):
            try out.write("<p class=\"soft\">\(countSentence(rows, table))</p>\n" as HTML)
            try rows.writeTable(table, rowCount: rowCount, label: "\(id)-h", lang: lang, to: out)
        case (.days(let days), .chart(let chart)):
            if let calendar = HTMLCalendar(days, chart, id: id, lang: lang) {
                try out.write(calendar.markup)
            } else {
                let text = PageWords(language: lang)("Nothing to draw: no row has a day.")
                try out.write("<p class=\"note\">\(text)</p>\n" as HTML)
            }
        case (.points(let points), .chart(let chart)):
            try out.write(figure(id, chart, lang).markup(of: points, &colours))
        case (.cloud(let points), .chart(let chart)):
            try out.write(figure(id, chart, lang).markup(of: points, &colours))
        default: preconditionFailure("a section was handed the part of another")
        }
        try out.write("</section>\n")
    }

    private func figure(_ id: String, _ chart: ChartSpec, _ lang: String) -> ChartFigure {
        ChartFigure(id: id, heading: heading, spec: chart, lang: lang, signs: NumberSigns(language: lang))
    }

    /// The number of rows, and how many of them the page does not show.
    private func countSentence(_ rows: HTMLRows, _ table: HTMLTableSpec) -> String {
        let words = table.signs.words
        if rowCount == 0 { return words("No rows.") }
        let shown = min(rows.count, table.rows)
        if shown == rowCount { return words("{0}.", words.count(rowCount, "row")) }
        let which = table.isNewestFirst ? "the last " : ""
        return words("Showing \(which){0} of {1}.", words.grouped(shown), words.count(rowCount, "row"))
    }
}

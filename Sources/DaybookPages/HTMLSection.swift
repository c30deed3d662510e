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
            try rows.writeTable(table, rowCount: rowCount, label: "\(id)-h", to: out)
        case (.days(let days), .chart(let chart)):
            let text = chart.words("Nothing to draw: no row has a day.")
            try out.write(HTMLCalendar(days, chart)?.markup ?? HTMLDrawing.note([text]))
        case (.points(let points), .chart(let chart)):
            try out.write(ChartFigure(id: id, heading: heading, spec: chart).markup(of: points, &colours))
        case (.cloud(let points), .chart(let chart)):
            try out.write(ChartFigure(id: id, heading: heading, spec: chart).markup(of: points, &colours))
        default: preconditionFailure("a section was handed the part of another")
        }
        try out.write("</section>\n")
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

/// The beginning of a section as a mail shows it: a few rows of a few columns, as text.
extension HTMLSection {
    /// Sections of a page that a mail shows at most.
    package static let mostMailed = 3
    private static let mailRows = 10
    private static let mailColumns = 4

    /// Nil for a section without anything to show, or one that is no table.
    var mailTable: SinkPage.Table? {
        switch (part, plan.content) {
        case (.rows(let rows), .table(let table)): mailTable(of: rows, table)
        case (.points(let points), .chart(let spec)): (try? ChartTable(points, spec)).map { mailTable(of: $0, spec) }
        default: nil
        }
    }

    private func mailTable(of rows: HTMLRows, _ table: HTMLTableSpec) -> SinkPage.Table? {
        let columns = table.columns.prefix(HTMLSection.mailColumns)
        let texts = rows.texts(table, most: HTMLSection.mailRows).map { Array($0.prefix(columns.count)) }
        guard !columns.isEmpty, !texts.isEmpty else { return nil }
        return SinkPage.Table(
            title: heading,
            headings: columns.map(\.title),
            numbers: columns.map(\.isNumber),
            rows: texts,
            of: (rowCount, table.columns.count)
        )
    }

    /// Of places in time the latest, and of names the first.
    private func mailTable(of table: ChartTable, _ spec: ChartSpec) -> SinkPage.Table {
        let series = table.series.prefix(HTMLSection.mailColumns - 1)
        let isLatest = table.axis.kind != .names
        let places = table.axis.count
        let shown =
            isLatest ? max(0, places - HTMLSection.mailRows)..<places : 0..<min(places, HTMLSection.mailRows)
        let rows = shown.map { place in
            [table.axis.text(place)] + series.map { $0.values[place].map { spec.text(of: $0) } ?? "–" }
        }
        return SinkPage.Table(
            title: heading,
            headings: [spec.x.title] + series.map(\.name),
            numbers: [false] + series.map { _ in true },
            rows: rows,
            of: (places, table.series.count + 1)
        )
    }
}

extension HTMLRows {
    /// The cells of the first rows that the table shows, as text.
    func texts(_ table: HTMLTableSpec, most: Int) -> [[String]] {
        let out = CellText()
        do throws(DaybookError) { try write(table, most: most, to: out) } catch {
            preconditionFailure("memory takes every text")
        }
        return out.text.split(separator: "<tr>").dropFirst().map { row in
            row.split(separator: "</td>", omittingEmptySubsequences: false).dropLast().map {
                HTMLText.plain(String($0))
            }
        }
    }
}

/// Markup in memory.
private final class CellText: ByteOutput {
    private(set) var text = ""

    func write(_ bytes: Bytes, _ part: Range<Int>) { text += bytes.text(part) }
}

extension HTMLText {
    /// The text of a cell's markup, on one line.
    fileprivate static func plain(_ markup: String) -> String {
        var (text, isTag) = ("", false)
        for character in markup {
            switch character {
            case "<":
                isTag = true
                if let last = text.last, last != " " { text += " " }
            case ">": isTag = false
            case "\n": text += " "
            default: if !isTag { text.append(character) }
            }
        }
        let signs = [("&lt;", "<"), ("&gt;", ">"), ("&quot;", "\""), ("&#39;", "'"), ("&amp;", "&")]
        let plain = signs.reduce(text) { $0.replacing($1.0, with: $1.1) }
        return plain.trimmingPrefix { $0 == " " } == "missing" ? "–" : String(plain.trimmingPrefix { $0 == " " })
    }
}

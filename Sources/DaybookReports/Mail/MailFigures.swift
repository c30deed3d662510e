import DaybookEngine
import DaybookPages

/// What a mail shows of the pages of a run: their addresses, their measures, and the first rows of the sections that the job chose.
extension MailPage {
    /// Links to pages that a mail has at most.
    private static let mostLinks = 3
    /// The width in pixels that a table has on a telephone, and the least of it for columns of text.
    private static let narrow = (table: 334.0, text: 70.0)

    var links: HTML {
        let addresses = run.outcome.pages.compactMap(\.address).prefix(MailPage.mostLinks)
        let remark: HTML = run.exitCode == 0 ? "" : "still that of an earlier run: "
        func line(_ remark: HTML, _ address: String) -> HTML {
            "<br>\(remark)\(MailMarkup.link(shown(address), to: run.mask.masking(address)))"
        }
        return (run.link.map { line("", $0) } ?? "") + addresses.map { line(remark, $0) }.joined()
    }

    var figures: HTML { measures + sections }

    // MARK: - Measures

    private var measures: HTML {
        let all = run.outcome.measures.map(\.measure)
        guard !all.isEmpty else { return "" }
        let rows = all.prefix(limits.measures).map { measure -> HTML in
            let change: HTML = measure.change.map { " \(changed($0))" } ?? ""
            let before: HTML = measure.change.map { "<br>\(MailMarkup.soft(shown($0.before)))" } ?? ""
            let text = measure.value == nil ? shown(measure.text) : number(measure.text)
            return MailMarkup.figure(
                "\(MailMarkup.soft(shown(measure.titleOfDay)))<br>\(MailMarkup.large(text))\(change)\(before)",
                MailSpark(measure.days).map { MailMarkup.spark($0.heights) } ?? ""
            )
        }
        return MailMarkup.heading("Measures") + MailMarkup.figures(rows) + more(rows.count, of: all.count, "measure")
    }

    private func changed(_ change: SinkMeasure.Change) -> HTML {
        guard let isGood = change.isGood else { return MailMarkup.soft(change.text) }
        return MailMarkup.strong(change.text, isGood ? .good : .bad)
    }

    // MARK: - Sections

    private var sections: HTML {
        run.outcome.pages.flatMap(\.tables).prefix(HTMLSection.mostMailed).map { table -> HTML in
            let columns = MailPage.fitting(table)
            let headings = columns.map { (table.numbers[$0] ? "#" : "") + shown(table.headings[$0]) }
            let rows = table.rows.prefix(limits.rows).map { row in
                columns.map { "\(table.numbers[$0] ? number(row[$0]) : shown(row[$0]))" as HTML }
            }
            let told = table.shown(rows: rows.count, columns: columns.count)
            let remark = told.isEmpty ? "" : MailMarkup.row(MailMarkup.soft(told), size: 12)
            return MailMarkup.heading(shown(table.title)) + MailMarkup.table(headings, rows) + remark
        }.joined()
    }

    /// A number on one line.
    private func number(_ text: String) -> String {
        run.printable(text).replacing(" ", with: "\u{A0}")
    }

    /// The columns whose numbers a telephone shows side by side, each on one line.
    private static func fitting(_ table: SinkPage.Table) -> [Int] {
        var space = narrow.table
        return table.headings.indices.filter { column in
            let widest = table.rows.map { Drawing.width(of: $0[column]) }.max() ?? 0
            let width = table.numbers[column] ? widest * 13 / Drawing.fontSize + 12 : narrow.text
            guard column == 0 || width <= space else { return false }
            space -= width
            return true
        }
    }
}

extension SinkMeasure {
    /// `Orders, 2026-11-20`, and where the run made several days `Orders, 2026-11-20, the last of 3 days`.
    fileprivate var titleOfDay: String {
        guard let last = made.last else { return title }
        return "\(title), \(last.day)" + (made.count > 1 ? ", the last of \(DisplayText.count(made.count, "day"))" : "")
    }
}

extension SinkPage.Table {
    /// `10 of 204 rows, 3 of 6 columns`; empty if all is shown.
    fileprivate func shown(rows: Int, columns: Int) -> String {
        var parts: [String] = []
        if rows < size.rows { parts.append("\(DisplayText.count(rows)) of \(DisplayText.count(size.rows, "row"))") }
        if columns < size.columns { parts.append("\(columns) of \(DisplayText.count(size.columns, "column"))") }
        return parts.joined(separator: ", ")
    }
}

/// The last values of a measure by calendar day, for a mail.
struct MailSpark {
    private static let days = 14
    private static let signs = Array("▁▂▃▄▅▆▇█")

    /// Between 0 and 1; nil for a day without a value.
    let heights: [Double?]

    /// Nil where there is no change to show.
    init?(_ days: [SinkMeasure.Day]) {
        guard let last = days.last?.day.number else { return nil }
        let shown = days.filter { last - $0.day.number < MailSpark.days }
        guard shown.count > 1 else { return nil }
        // Halves, since the distance of the largest numbers may be beyond them all.
        let (low, high) = (min(0, shown.map(\.value).min() ?? 0) / 2, max(0, shown.map(\.value).max() ?? 0) / 2)
        let first = shown[0].day.number
        let byDay = Dictionary(shown.map { ($0.day.number, $0.value) }) { _, last in last }
        heights = (first...last).map { day in byDay[day].map { high > low ? ($0 / 2 - low) / (high - low) : 0 } }
    }

    /// `▁▃ ▅█`.
    var text: String { String(heights.map { $0.map { MailSpark.signs[min(7, Int($0 * 8))] } ?? " " }) }
}

/// The same as text, for programs that show no pages.
extension RunMail {
    /// A run that failed begins with what failed, and any other with its figures.
    var text: String {
        let report = TextReporter(.plain).brief(run)
        let parts = run.exitCode == 0 ? links + figures + [report] : [report] + links + figures
        return parts.joined(separator: "\n")
    }

    private var links: [String] {
        let remark = run.exitCode == 0 ? "" : "still that of an earlier run: "
        let own = run.link.map { [run.printable($0) + "\n"] } ?? []
        return own + run.outcome.pages.compactMap(\.address).map { remark + run.printable($0) + "\n" }
    }

    private var figures: [String] {
        let rows = run.outcome.measures.map(\.measure).map { measure in
            [
                run.printable(measure.titleOfDay), run.printable(measure.text), measure.change?.text ?? "",
                run.printable(measure.change?.before ?? ""),
                MailSpark(measure.days)?.text ?? "",
            ]
        }
        var blocks: [[String]] = []
        if !rows.isEmpty { blocks.append(TextTable([.left, .right, .right, .left, .left], rows).lines()) }
        for table in run.outcome.pages.flatMap(\.tables).prefix(HTMLSection.mostMailed) {
            let sides = table.numbers.map { $0 ? TextTable.Side.right : .left }
            let lines = TextTable(sides, [table.headings.map(run.printable)] + table.rows.map { $0.map(run.printable) })
                .lines()
            let told = table.shown(rows: table.rows.count, columns: table.headings.count)
            blocks.append([run.printable(table.title)] + lines + (told.isEmpty ? [] : ["  " + told]))
        }
        return blocks.map { $0.joined(separator: "\n") + "\n" }
    }
}

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
            [table.axis.text(place)] + series.map { $0.values[place].map { spec.text(of: $0, spec.signs) } ?? "–" }
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

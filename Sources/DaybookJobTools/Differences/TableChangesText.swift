import DaybookPages
import DaybookReports

/// What changed in several tables, in words, as JSON, as Markdown and as a page.
public struct TableChangesText {
    private let tables: TablePairs
    private let texts: [RowChangesText]
    private let faults: [DaybookError]

    /// - Parameter faults: the limits that are exceeded.
    public init(_ tables: TablePairs, _ changes: [RowChanges], _ faults: [DaybookError]) {
        (self.tables, self.faults) = (tables, faults)
        texts = zip(tables.pairs, changes).map { RowChangesText($1, of: $0.name) }
    }

    /// What is to say of whole files.
    private var files: [String] {
        var lines = tables.went.map { "file \($0) is gone" } + tables.came.map { "file \($0) is new" }
        if tables.others > 0 {
            let files = DisplayText.count(tables.others, "other file is", "other files are")
            lines.append("\(files) not called like CSV or JSON, and not compared")
        }
        lines += tables.links.map { "link \($0) leads to no file of both that could be compared" }
        lines += tables.submodules.map {
            "submodule \($0) changed; its files are those of another repository, and not compared"
        }
        if lines.isEmpty, texts.isEmpty { lines.append("no table changed") }
        return lines
    }

    public var text: String {
        (files.map { PrintableText.of($0) } + texts.flatMap(\.lines)).joined(separator: "\n")
    }

    public var markdown: String {
        let verdict = faults.map { "- **\(MarkdownText.escaped($0.message))**\n" }.joined()
        let files = files.map { "- \(MarkdownText.escaped($0))\n" }.joined()
        return ([verdict, files] + texts.map(\.markdown)).filter { !$0.isEmpty }.joined(separator: "\n")
    }

    public var page: String { TableChangesPage.text(of: texts, files: files, faults: faults.map(\.message)) }

    public var json: JSONValue {
        [
            "files_gone": .texts(tables.went), "files_new": .texts(tables.came),
            "not_compared": .number(tables.others + tables.links.count + tables.submodules.count),
            "tables": .list(texts.map(\.json)),
            "exceeded": .texts(faults.map(\.message)),
        ]
    }
}

/// What changed in several tables, as one page for a browser.
enum TableChangesPage {
    /// - Parameters:
    ///   - files: what is to say of whole files.
    ///   - faults: limits that are exceeded.
    static func text(of tables: [RowChangesText], files: [String], faults: [String]) -> String {
        let titles = tables.map(\.output)
        let title = titles.count == 1 ? titles[0] : Figure.counted(titles.count, "table")
        var main = HTML("")
        main += list(faults, className: "odd bad") + list(files, className: "odd")
        for (number, table) in tables.enumerated() { main += section(table, id: "t\(number + 1)") }
        return PageFrame.markup(
            title: "\(title) · Changes",
            sheet: HTMLStyle.sheet(with: style, print: ""),
            kicker: "Daybook diff",
            heading: "What changed",
            below: "",
            links: titles.count > 1
                ? titles.enumerated().map { "<li lang=\"\"><a href=\"#t\($0 + 1)\">\($1)</a></li>" } : [],
            main: main,
            foot: "Made by Daybook. The same files give the same page, byte for byte."
        ).text
    }

    private static let style = """
        .change-came{color:var(--good)}.change-went{color:var(--bad)}
        td.cells{white-space:normal;overflow-wrap:anywhere;min-width:16rem}
        """

    private static func section(_ table: RowChangesText, id: String) -> HTML {
        let (by, counts) = table.summary
        var text: HTML = """
            <section id="\(id)" aria-labelledby="\(id)-h">
            <h2 id="\(id)-h" lang="">\(table.output)</h2>
            <p class="soft">\(counts)\(by.isEmpty ? "" : "; rows meet \(by)").</p>
            """
        text += PageParts.tiles(
            table.tiles.map { ($0.words, Figure.grouped($0.count), $0.isLoss && $0.count > 0 ? "bad" : "") }
        )
        text += list(table.columns.map(\.text), className: "odd")
        let rows = table.rows
        guard !rows.isEmpty else { return text + "</section>\n" }
        let box = HTMLTableBox(columns: 4, rows: nil, label: "\(id)-h")
        text += box.opening
        text += "<thead><tr><th scope=\"col\">Change</th><th scope=\"col\" class=\"num\">Line</th>"
        text += "<th scope=\"col\">Row</th><th scope=\"col\">Cells</th></tr></thead>\n<tbody>\n"
        for row in rows {
            text += """
                <tr><td class="change-\(row.sort)">\(row.sort)</td><td class="num">\(row.line)</td>\
                <td class="cells" lang="">\(row.named)</td><td class="cells" lang="">\(row.changed)</td></tr>

                """
        }
        text += "</tbody>\n" + box.closing
        if table.more > 0 { text += "<p class=\"soft\">and \(Figure.grouped(table.more)) more.</p>\n" }
        return text + "</section>\n"
    }

    private static func list(_ lines: [String], className: String) -> HTML {
        let items = lines.map { line -> HTML in "<li>\(line)</li>" }
        return items.isEmpty ? "" : "<ul class=\"\(className)\">\n\(items.joined(separator: "\n"))\n</ul>\n"
    }
}

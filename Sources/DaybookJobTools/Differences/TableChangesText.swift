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
            let files = tables.others == 1 ? "file is" : "files are"
            lines.append(
                "\(DisplayText.count(tables.others)) other \(files) not called like CSV or JSON and not compared"
            )
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
            "files_gone": .list(tables.went.map(JSONValue.text)), "files_new": .list(tables.came.map(JSONValue.text)),
            "not_compared": .number(tables.others), "tables": .list(texts.map(\.json)),
            "exceeded": .list(faults.map { .text($0.message) }),
        ]
    }
}

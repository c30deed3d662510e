import DaybookCore

/// The reference of the stages, made from their table: the list of all, and a page for each.
public struct StagePages: Sendable {
    /// A form in which the pages are printed.
    public enum Format: String, Sendable, CaseIterable {
        case text, json, markdown
    }

    private let table: StageTable
    private let style: TerminalStyle

    public init(_ table: StageTable, style: TerminalStyle = .plain) {
        self.table = table
        self.style = style
    }

    private var entries: [StageEntry] { table.stages.map(StageEntry.init).sorted { $0.name < $1.name } }

    /// All stages with their summaries; in JSON and Markdown, all their pages.
    public func list(_ format: Format) -> String {
        switch format {
        case .text: StageText(style).list(entries)
        case .markdown: entries.map(StageMarkdown().page).joined(separator: "\n")
        case .json: JSONDocument.text(of: JSONValue.list(entries.map(StageJSON().page)))
        }
    }

    /// The page of one stage, or an error with the name that was probably meant.
    public func page(_ name: String, _ format: Format) throws(DaybookError) -> String {
        guard let stage = table[name] else {
            throw DaybookError(
                "unknown-stage",
                "no stage named '\(name)'",
                hint: NearestName.hint(forWords: name, among: table.names) ?? "'stages' lists them all"
            )
        }
        let entry = StageEntry(stage)
        return switch format {
        case .text: StageText(style).page(entry)
        case .markdown: StageMarkdown().page(entry)
        case .json: JSONDocument.text(of: StageJSON().page(entry))
        }
    }
}

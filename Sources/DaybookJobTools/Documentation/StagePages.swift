import DaybookReports

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

/// The pages as JSON, for other programs.
struct StageJSON {
    func page(_ entry: StageEntry) -> JSONValue {
        var map: [String: JSONValue] = [
            "name": .text(entry.name), "role": .text(entry.role.rawValue), "summary": .text(entry.description.summary),
            "details": JSONValue(entry.description.details),
            "options": .list(entry.options.map(option)),
            "examples": .list(entry.description.examples.map { example($0, of: entry.name) }),
        ]
        if entry.takesExpressions { map["functions"] = ExpressionPages(.plain).json }
        if entry.takesDateFormats { map["date_letters"] = DateFormatPages(.plain).json }
        return .map(map)
    }

    private func option(_ spec: OptionSpec) -> JSONValue {
        var map: [String: JSONValue] = [
            "name": .text(spec.key), "kind": .text(spec.described), "help": .text(spec.help),
            "required": .flag(spec.isRequired), "default": JSONValue(spec.fallback == "\"\"" ? "" : spec.fallback),
        ]
        if spec.isBare { map["bare"] = true }
        if case .choice(let names) = spec.kind { map["choices"] = .list(names.map(JSONValue.text)) }
        let nested = spec.kind.nested
        if !nested.isEmpty { map["options"] = .list(nested.map(option)) }
        return .map(map)
    }

    private func example(_ example: StageExample, of stage: String) -> JSONValue {
        [
            "claim": .text(example.claim), "stage": .text(example.entry(of: stage).joined(separator: "\n")),
            "base": JSONValue(example.base), "input": .text(example.input), "beside": JSONValue(example.beside),
            "output": JSONValue(example.output),
            "excerpts": .list(example.excerpts.map(JSONValue.text)),
            "findings": .list(example.findings.map(JSONValue.text)), "refused": JSONValue(example.refused),
        ]
    }
}

import DaybookReports

/// The reference of the stages, made from their table: a list, and a page for each stage.
public struct StagePages: Sendable {
    public enum Format: String, Sendable, CaseIterable {
        case text, json, markdown
    }

    private let table: StageTable
    private let style: TerminalStyle

    public init(_ table: StageTable, style: TerminalStyle = .plain) { (self.table, self.style) = (table, style) }

    private var entries: [StageEntry] { table.stages.map(StageEntry.init).sorted { $0.name < $1.name } }

    /// All stages with their summaries; in JSON and Markdown, all their pages.
    public func list(_ format: Format) -> String {
        switch format {
        case .text: StageText(style).list(entries)
        case .markdown: entries.map(StageMarkdown().page).joined(separator: "\n")
        case .json: JSONDocument.text(of: JSONValue.list(entries.map(StageJSON().page)))
        }
    }

    /// The page of one stage, or an error with the likely name.
    public func page(_ name: String, _ format: Format) throws(DaybookError) -> String {
        guard let stage = table[name] else {
            let hint = NearestName.hint(forWords: name, among: table.names) ?? "'stages' lists them all"
            throw DaybookError("unknown-stage", "no stage named '\(name)'", hint: hint)
        }
        let entry = StageEntry(stage)
        return switch format {
        case .text: StageText(style).page(entry)
        case .markdown: StageMarkdown().page(entry)
        case .json: JSONDocument.text(of: StageJSON().page(entry))
        }
    }
}

/// The pages as JSON.
struct StageJSON {
    func page(_ entry: StageEntry) -> JSONValue {
        var map: [String: JSONValue] = [
            "name": .text(entry.name), "role": .text(entry.role.rawValue), "summary": .text(entry.description.summary),
            "details": JSONValue(entry.description.details),
            "options": .list(entry.options.map(option)),
            "examples": .list(entry.description.examples.map { example($0, of: entry.name) }),
        ]
        if entry.takesExpressions { map["functions"] = ExpressionPages.json }
        if entry.takesDateFormats { map["date_letters"] = DateFormatPages.json }
        return .map(map)
    }

    private func option(_ spec: OptionSpec) -> JSONValue {
        var map: [String: JSONValue] = [
            "name": .text(spec.key), "kind": .text(spec.described), "help": .text(spec.help),
            "required": .flag(spec.isRequired), "default": JSONValue(spec.fallback == "\"\"" ? "" : spec.fallback),
        ]
        if spec.isBare { map["bare"] = true }
        if case .choice(let names) = spec.kind { map["choices"] = .texts(names) }
        let nested = spec.kind.nested
        if !nested.isEmpty { map["options"] = .list(nested.map(option)) }
        return .map(map)
    }

    private func example(_ example: StageExample, of stage: String) -> JSONValue {
        [
            "claim": .text(example.claim), "stage": .text(example.entry(of: stage).joined(separator: "\n")),
            "base": JSONValue(example.base), "input": .text(example.input), "beside": JSONValue(example.beside),
            "output": JSONValue(example.output), "excerpts": .texts(example.excerpts),
            "findings": .texts(example.findings), "refused": JSONValue(example.refused),
        ]
    }
}

/// The pages as Markdown.
struct StageMarkdown {
    /// Whether the page is a file that links to other pages instead of including them.
    var isLinked = false

    func page(_ entry: StageEntry) -> String {
        var lines = ["\(isLinked ? "#" : "##") `\(entry.name)`", "", entry.description.summary, ""]
        if let details = entry.description.details { lines += [details, ""] }
        lines += options(entry.options)
        if isLinked, entry.options.contains(where: { $0.key == "rules" }) {
            lines += ["[Every rule](../rules.md) with its options and examples.", ""]
        }
        if entry.takesExpressions {
            lines += isLinked ? ["[How expressions are written](../expressions.md).", ""] : ExpressionPages.markdown
        }
        if entry.takesDateFormats {
            lines += isLinked ? ["[How date formats are written](../dates.md).", ""] : DateFormatPages.markdown
        }
        for shown in entry.description.examples {
            lines += example(shown, of: entry.name, under: isLinked ? "##" : nil)
        }
        return lines.joined(separator: "\n")
    }

    func options(_ specs: [OptionSpec]) -> [String] {
        guard !specs.isEmpty else { return [] }
        return ["| Option | What may be written | Default | |", "| --- | --- | --- | --- |"] + rows(specs, under: "")
            + [""]
    }

    /// An example, under a heading of a level or in bold.
    func example(_ example: StageExample, of stage: String, under heading: String?) -> [String] {
        let claim = example.claim.raisedFirst
        var lines = [heading.map { "\($0) \(claim)" } ?? "**\(claim).**", ""]
        lines += fence("yaml", example.entry(of: stage).joined(separator: "\n"))
        for block in example.blocks { lines += ["\(block.title.raisedFirst):", ""] + fence("text", block.text) }
        if !example.findings.isEmpty { lines += ["Findings:", ""] + example.displayFindings.map { "- \($0)" } + [""] }
        if let refused = example.refused { lines += ["Refused: \(refused).", ""] }
        return lines
    }

    private func rows(_ specs: [OptionSpec], under parent: String) -> [String] {
        specs.flatMap { spec in
            let fallback = spec.fallback.map { Self.code($0.asYAML) } ?? (spec.isRequired ? "required" : "")
            let cells = [Self.code(parent + spec.key), Self.cell(spec.described), fallback, Self.cell(spec.help)]
            let nested = rows(spec.kind.nested, under: "\(parent)\(spec.key).")
            return ["| \(cells.joined(separator: " | ")) |"] + nested
        }
    }

    private static func cell(_ text: String) -> String {
        text.replacingScalars("|", with: "\\|").replacingScalars("\n", with: " ")
    }

    static func code(_ text: String) -> String { text.contains("`") ? "`` \(cell(text)) ``" : "`\(cell(text))`" }

    /// A code block whose fence is longer than any in the text.
    private func fence(_ language: String, _ text: String) -> [String] {
        var mark = "```"
        while text.contains(mark) { mark += "`" }
        let body = text.hasSuffix("\n") ? String(text.dropLast()) : text
        return [mark + language, body, mark, ""]
    }
}

/// One stage in the reference: its description, and its options as its reader declares them.
package struct StageEntry {
    /// What a stage does with rows; the order in which the pages list them.
    package enum Role: String, CaseIterable {
        case source, transform, fold, sink

        package init(_ stage: any Stage.Type) {
            switch stage {
            case is any Source.Type: self = .source
            case is any Fold.Type: self = .fold
            case is any Sink.Type: self = .sink
            default: self = .transform
            }
        }

        var heading: String {
            switch self {
            case .source: "Read files"
            case .transform: "Change or check rows"
            case .fold: "Gather rows"
            case .sink: "Write files"
            }
        }
    }

    package let role: Role
    package let description: StageDescription
    package let options: [OptionSpec]

    package var name: String { description.name }

    /// Whether some option takes an expression.
    var takesExpressions: Bool { options.contains { $0.kind.holds(.expression) } }

    /// Whether some option takes a date format.
    var takesDateFormats: Bool { options.contains { $0.kind.holds(.dateFormat) } }
}

extension StageEntry {
    package init(_ stage: any Stage.Type) {
        self.init(role: Role(stage), description: stage.description, options: OptionReader.specs(of: stage))
    }
}

extension OptionSpec {
    var described: String { isBare ? "\(kind.described), under this key or without it" : kind.described }
}

extension StageExample {
    /// The example as an entry of a job's list of stages.
    func entry(of stage: String) -> [String] { ["- \(stage):"] + options.split(separator: "\n").map { "    \($0)" } }

    /// The titled texts of the example.
    var blocks: [(title: String, text: String)] {
        [
            ("the file it starts from", base), ("input", input), ("the other input", beside), ("output", output),
            ("in the output", excerpts.isEmpty ? nil : excerpts.joined(separator: "\n…\n")),
        ].compactMap { title, text in text.map { (title, $0) } }
    }

    /// The findings in words: `row 2, column date: not-a-date`.
    var displayFindings: [String] {
        findings.map { finding in
            let parts = finding.split(separator: " ", maxSplits: 2).map(String.init)
            guard parts.count == 3 else { return finding }
            return parts[1] == "-" ? "row \(parts[0]): \(parts[2])" : "row \(parts[0]), column \(parts[1]): \(parts[2])"
        }
    }
}

extension OptionKind {
    var described: String {
        switch self {
        case .choice(let names): DisplayText.list(names, "or")
        case .list(let kind): "\(kind.described), or a list"
        case .map(.list(let kind)): "a map of names to one or several: \(kind.described)"
        case .map(let kind): "a map of names to \(kind.described)"
        case .object: "a map with keys of its own"
        case .either(let kinds): kinds.map(\.described).joined(separator: ", or ")
        case .text, .integer, .decimal, .flag, .day, .path, .column, .expression, .dateFormat, .schema: displayText
        }
    }

    /// Whether the kind or a part of it is `wanted`.
    package func holds(_ wanted: OptionKind) -> Bool {
        switch self {
        case .list(let kind), .map(let kind): kind.holds(wanted)
        case .object(let specs): specs.contains { $0.kind.holds(wanted) }
        case .either(let kinds): kinds.contains { $0.holds(wanted) }
        default: self == wanted
        }
    }

    /// The options of a map in the place of a value, at any depth.
    var nested: [OptionSpec] {
        switch self {
        case .object(let specs): specs
        case .list(let kind), .map(let kind): kind.nested
        case .either(let kinds): kinds.flatMap(\.nested)
        default: []
        }
    }
}

/// The pages as text for a terminal.
struct StageText {
    private let style: TerminalStyle

    init(_ style: TerminalStyle) { self.style = style }

    func list(_ entries: [StageEntry]) -> String {
        let width = entries.map(\.name.count).max() ?? 0
        var lines: [String] = []
        for role in StageEntry.Role.allCases {
            let stages = entries.filter { $0.role == role }
            guard !stages.isEmpty else { continue }
            lines.append(style.bold(role.heading))
            for entry in stages {
                let gap = String(repeating: " ", count: width - entry.name.count + 2)
                lines.append(style.prose("  \(entry.name)\(gap)\(entry.description.summary)"))
            }
            lines.append("")
        }
        lines.append("'stages NAME' shows the options of a stage, and examples.")
        return lines.joined(separator: "\n") + "\n"
    }

    func page(_ entry: StageEntry) -> String {
        var lines = [style.prose("\(style.bold(entry.name))  \(entry.description.summary)"), ""]
        if let details = entry.description.details {
            lines += StageText.wrapped(details, first: "", rest: "", style) + [""]
        }
        lines += options(entry)
        if entry.takesExpressions { lines += ExpressionPages.text(style) }
        if entry.takesDateFormats { lines += DateFormatPages.text(style) }
        lines += examples(entry)
        while lines.last == "" { lines.removeLast() }
        return lines.joined(separator: "\n") + "\n"
    }

    private func options(_ entry: StageEntry) -> [String] {
        guard !entry.options.isEmpty else { return ["It takes no options.", ""] }
        return [style.bold("Options"), ""] + options(entry.options, indent: "  ") + [""]
    }

    private func options(_ specs: [OptionSpec], indent: String) -> [String] {
        let width = specs.map(\.key.count).max() ?? 0
        let blank = indent + String(repeating: " ", count: width + 2)
        return specs.flatMap { spec in
            let gap = String(repeating: " ", count: width - spec.key.count + 2)
            var kind = spec.described
            if spec.isRequired { kind += "; required" }
            if let fallback = spec.fallback { kind += "; default \(fallback.asYAML)" }
            var lines = StageText.wrapped(kind, first: indent + style.bold(spec.key) + gap, rest: blank, style)
            lines += StageText.wrapped(spec.help, first: blank, rest: blank, style).map(style.faint)
            let nested = spec.kind.nested
            return lines + (nested.isEmpty ? [] : options(nested, indent: blank + "  "))
        }
    }

    private func examples(_ entry: StageEntry) -> [String] {
        var lines = [style.bold("Examples")]
        if entry.role != .sink {
            let rows = entry.role == .source ? "What comes out is" : "Rows are"
            let text = "  \(rows) shown as CSV with the kind of each column; a cell with nothing in it is missing."
            lines.append(style.prose(text))
        }
        for example in entry.description.examples {
            let claim = StageText.wrapped(example.claim.raisedFirst, first: "  ", rest: "  ", style)
            lines += [""] + claim.map(style.bold) + [""]
            lines += example.entry(of: entry.name).map { "    \($0)" } + [""]
            for (title, text) in example.blocks { lines += block(title, text) }
            if !example.findings.isEmpty { lines += block("findings", example.displayFindings.joined(separator: "\n")) }
            if let refused = example.refused { lines += block("refused", refused) }
        }
        return lines
    }

    private func block(_ title: String, _ text: String) -> [String] {
        var lines = text.split(separator: "\n", omittingEmptySubsequences: false).map(String.init)
        // The line break at the end of a file begins no line.
        if lines.count > 1, lines.last == "" { lines.removeLast() }
        return ["    \(style.faint(title))"] + lines.map(PrintableText.of).map { $0.isEmpty ? "" : "      \($0)" }
    }

    /// What may be written, followed by its meaning; on its own line if it is wider than `width`.
    static func row(_ written: String, _ meaning: String, width: Int, _ style: TerminalStyle) -> [String] {
        let used = width + 4
        let gap = String(repeating: " ", count: max(2, used - 2 - Prose.width(of: written)))
        let blank = String(repeating: " ", count: used)
        let first = Prose.width(of: written) <= width ? "  " + style.bold(written) + gap : blank
        let lines = StageText.wrapped(meaning, first: first, rest: blank, style)
        return Prose.width(of: written) <= width ? lines : ["  " + style.bold(written)] + lines
    }

    /// The words of `text` on lines of at most 96 columns, or fewer on a narrow terminal.
    static func wrapped(_ text: String, first: String, rest: String, _ style: TerminalStyle) -> [String] {
        let words = text.split(separator: " ").joined(separator: " ")
        return Prose.lines(of: words, first: first, rest: rest, width: style.textWidth(96))
    }
}

extension String {
    /// A default as in a job: in quotes, unless it is a word, a list or a map.
    var asYAML: String {
        let isPlain = first.map { $0.isLetter || $0.isNumber || $0 == "[" || $0 == "{" } ?? false
        if isPlain || self == "\"\"" { return self }
        return
            "\"\(replacingScalars("\\", with: "\\\\").replacingScalars("\"", with: "\\\"").replacingScalars("\t", with: "\\t"))\""
    }
}

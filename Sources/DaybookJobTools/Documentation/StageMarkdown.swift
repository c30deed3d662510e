/// The pages as Markdown, for a wiki or a handbook.
struct StageMarkdown {
    /// Whether the page is a file of its own beside others, which it links to instead of repeating them.
    var isLinked = false

    func page(_ entry: StageEntry) -> String {
        var lines = ["\(isLinked ? "#" : "##") `\(entry.name)`", "", entry.description.summary, ""]
        if let details = entry.description.details { lines += [details, ""] }
        lines += options(entry.options)
        if entry.takesRules, isLinked { lines += ["[Every rule](../rules.md) with its options and examples.", ""] }
        if entry.takesExpressions {
            lines +=
                isLinked
                ? ["[How expressions are written](../expressions.md).", ""] : ExpressionPages(.plain).markdown
        }
        if entry.takesDateFormats {
            lines +=
                isLinked ? ["[How date formats are written](../dates.md).", ""] : DateFormatPages(.plain).markdown
        }
        for shown in entry.description.examples {
            lines += example(shown, of: entry.name, under: isLinked ? "##" : nil)
        }
        return lines.joined(separator: "\n")
    }

    func options(_ specs: [OptionSpec]) -> [String] {
        specs.isEmpty
            ? []
            : ["| Option | What may be written | Default | |", "| --- | --- | --- | --- |"] + rows(specs, under: "")
                + [""]
    }

    /// An example, under a heading of a level or in bold.
    func example(_ example: StageExample, of stage: String, under heading: String?) -> [String] {
        let claim = example.claim.raisedFirst
        var lines = [heading.map { "\($0) \(claim)" } ?? "**\(claim).**", ""]
        lines += fence("yaml", example.entry(of: stage).joined(separator: "\n"))
        if let base = example.base { lines += ["The file it starts from:", ""] + fence("text", base) }
        lines += ["Input:", ""] + fence("text", example.input)
        if let beside = example.beside { lines += ["The other input:", ""] + fence("text", beside) }
        if let output = example.output { lines += ["Output:", ""] + fence("text", output) }
        if !example.excerpts.isEmpty {
            lines += ["In the output:", ""] + fence("text", example.excerpts.joined(separator: "\n…\n"))
        }
        if !example.findings.isEmpty {
            lines += ["Findings:", ""] + example.spokenFindings.map { "- \($0)" } + [""]
        }
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

    static func code(_ text: String) -> String {
        text.contains("`") ? "`` \(cell(text)) ``" : "`\(cell(text))`"
    }

    /// A code block whose fence is longer than any in the text.
    private func fence(_ language: String, _ text: String) -> [String] {
        var mark = "```"
        while text.contains(mark) { mark += "`" }
        let body = text.hasSuffix("\n") ? String(text.dropLast()) : text
        return [mark + language, body, mark, ""]
    }
}

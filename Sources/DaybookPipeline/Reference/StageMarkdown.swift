import DaybookCore

/// The pages as Markdown, for a wiki or a handbook.
struct StageMarkdown {
    func page(_ entry: StageEntry) -> String {
        var lines = ["## `\(entry.name)`", "", entry.description.summary, ""]
        if let details = entry.description.details { lines += [details, ""] }
        if !entry.options.isEmpty {
            lines += ["| Option | What may be written | Default | |", "| --- | --- | --- | --- |"]
            lines += rows(entry.options, under: "")
            lines.append("")
        }
        if entry.takesExpressions { lines += ExpressionPages(.plain).markdown }
        if entry.takesDateFormats { lines += DateFormatPages(.plain).markdown }
        for example in entry.description.examples {
            lines += ["**\(example.claim.raisedFirst).**", ""]
            lines += fence("yaml", example.entry(of: entry.name).joined(separator: "\n"))
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
        }
        return lines.joined(separator: "\n")
    }

    private func rows(_ specs: [OptionSpec], under parent: String) -> [String] {
        specs.flatMap { spec in
            let fallback = spec.fallback.map { code($0.asYAML) } ?? (spec.isRequired ? "required" : "")
            let cells = [code(parent + spec.key), cell(spec.described), fallback, cell(spec.help)]
            let nested = rows(spec.kind.nested, under: "\(parent)\(spec.key).")
            return ["| \(cells.joined(separator: " | ")) |"] + nested
        }
    }

    private func cell(_ text: String) -> String {
        text.replacingScalars("|", with: "\\|").replacingScalars("\n", with: " ")
    }

    private func code(_ text: String) -> String {
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

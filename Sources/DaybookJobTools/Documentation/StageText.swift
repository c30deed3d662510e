import DaybookReports

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
        if entry.takesExpressions { lines += ExpressionPages(style).text }
        if entry.takesDateFormats { lines += DateFormatPages(style).text }
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
            lines.append("")
            lines += StageText.wrapped(example.claim.raisedFirst, first: "  ", rest: "  ", style).map(style.bold)
            lines.append("")
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
        return ["    \(style.faint(title))"]
            + lines.map { line in
                let shown = PrintableText.of(line)
                return shown.isEmpty ? "" : "      \(shown)"
            }
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

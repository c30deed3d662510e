import DaybookDates
import DaybookExpressions
import DaybookReports

/// The reference as Markdown files with links, made from the tables of a command: `docs/reference`.
public struct ReferencePages {
    /// One file.
    public struct Page: Sendable {
        /// Its path inside the reference.
        public let path: String
        public let text: String
    }

    private let entries: [StageEntry]
    private let reporters: ReporterTable

    public init(_ table: StageTable, _ reporters: ReporterTable = .builtIn) {
        entries = table.stages.map(StageEntry.init).sorted { $0.name < $1.name }
        self.reporters = reporters
    }

    /// All pages, in the order of their paths.
    public var pages: [Page] {
        var pages = [
            Page("stages/README.md", "Stages", stages),
            Page("expressions.md", "Expressions", ExpressionPages.markdown.dropFirst(2) + functions),
            Page("dates.md", "Date formats", Array(DateFormatPages.markdown.dropFirst(2))),
            Page("reports.md", "Report forms", reports), Page("exit-codes.md", "Exit codes", exitCodes),
        ]
        for entry in entries {
            let rules = entry.rules
            let text = StageMarkdown(isLinked: true).page(entry.leavingOut(rules))
            pages.append(Page(path: "stages/\(entry.name).md", text: text))
            if !rules.isEmpty { pages.append(Page("rules.md", "Rules", self.rules(rules, of: entry))) }
        }
        return pages.sorted { $0.path < $1.path }
    }

    private var stages: [String] {
        StageEntry.Role.allCases.flatMap { role in
            let rows = entries.filter { $0.role == role }
                .map { ["[`\($0.name)`](\($0.name).md)", $0.description.summary] }
            return ["## \(role.heading)", ""] + Self.table(["Stage", "What it does"], rows)
        }
    }

    private func rules(_ rules: [OptionSpec], of entry: StageEntry) -> [String] {
        let link = "[`\(entry.name)`](stages/\(entry.name).md)"
        var lines = ["What \(link) asks of rows. That page has the keys that every rule may have beside its own.", ""]
        lines += Self.table(["Rule", "What holds"], rules.map { ["[`\($0.key)`](#\($0.key))", $0.help] })
        for rule in rules {
            lines += ["## `\(rule.key)`", "", rule.help, "", "May be written: \(rule.described).", ""]
            lines += StageMarkdown(isLinked: true).options(rule.kind.nested)
            for example in entry.description.examples where entry.rule(shownBy: example) == rule.key {
                lines += StageMarkdown(isLinked: true).example(example, of: entry.name, under: "###")
            }
        }
        return lines
    }

    private var functions: [String] {
        let examples = ExpressionFunction.all.flatMap(\.examples).map { example in
            [StageMarkdown.code(example.expression), example.value.map(StageMarkdown.code) ?? "missing"]
        }
        return ["## Examples", ""] + Self.table(["Expression", "Value"], examples)
    }

    private var reports: [String] {
        let rows = reporters.reporters.map {
            ["`\($0.name)`", $0.summary, $0.leavesOutTolerated ? "only with `\($0.name):all`" : "always"]
        }
        let intro = "`--report FORM` prints a report to standard error, and `--report FORM=FILE` writes it to a file."
        return [intro, ""] + Self.table(["Form", "What it is", "Findings that a rule tolerates"], rows)
    }

    private var exitCodes: [String] {
        let rows = ExitMeaning.allCases.map { ["\($0.rawValue)", $0.meaning, $0.outputs] }
        return Self.table(["Code", "Meaning", "Outputs"], rows)
    }

    package static func table(_ heads: [String], _ rows: [[String]]) -> [String] {
        ([heads, heads.map { _ in "---" }] + rows).map { "| \($0.joined(separator: " | ")) |" } + [""]
    }
}

extension ReferencePages.Page {
    fileprivate init(_ path: String, _ title: String, _ lines: [String]) {
        self.init(path: path, text: (["# \(title)", ""] + lines).joined(separator: "\n"))
    }
}

extension StageEntry {
    /// The rules among the keys under `rules`: the keys with options of their own.
    fileprivate var rules: [OptionSpec] {
        options.first { $0.key == "rules" }?.kind.nested.filter { !$0.kind.nested.isEmpty } ?? []
    }

    /// The rule that an example shows; nil for several rules, or none.
    fileprivate func rule(shownBy example: StageExample) -> String? {
        let shown = rules.map(\.key).filter { rule in
            ["- \(rule):", "[{ \(rule):", "}, { \(rule):"].contains { example.options.contains($0) }
        }
        return shown.count == 1 ? shown[0] : nil
    }

    /// The entry without rules and their examples.
    fileprivate func leavingOut(_ rules: [OptionSpec]) -> StageEntry {
        let keys = Set(rules.map(\.key))
        var options = options
        for index in options.indices where options[index].key == "rules" {
            options[index].kind = options[index].kind.leavingOut(keys)
        }
        let description = StageDescription(
            name: name,
            summary: description.summary,
            details: description.details,
            examples: description.examples.filter { rule(shownBy: $0) == nil }
        )
        return StageEntry(role: role, description: description, options: options)
    }
}

extension OptionKind {
    /// The kind without keys of the map that it is, or is a list of.
    fileprivate func leavingOut(_ keys: Set<String>) -> OptionKind {
        switch self {
        case .object(let specs): .object(specs.filter { !keys.contains($0.key) })
        case .list(let kind): .list(of: kind.leavingOut(keys))
        default: self
        }
    }
}

/// The section on date formats in the pages of stages that take them; the letters come from the table of patterns.
enum DateFormatPages {
    private typealias Form = (written: String, meaning: String)

    private static let formats: [Form] = [
        (
            "iso",
            """
            ISO 8601: 2026-11-21 or, in the basic form, 20261121; with a time 2026-11-21T05, T05:00, T05:00:00 or \
            T05:00:00.123, and 20261121T050000; behind a time Z, +09, +0900 or +09:00. A space does for T
            """
        ),
        ("epoch_seconds", "seconds since 1970-01-01T00:00:00Z, perhaps with decimals"),
        ("epoch_millis", "milliseconds since then"),
        ("apple_seconds", "seconds since 2001-01-01T00:00:00Z, as Swift's JSONEncoder writes dates"),
        ("yyyy/MM/dd", "any other text is a pattern in these letters, those of DateFormatter"),
    ]

    private static let literals: [Form] = [
        ("- / . : 년 月", "stand for themselves, as does everything that is not a letter from A to Z"),
        ("a space", "stands for a no-break space too, U+00A0 or U+202F"),
        (
            "'T' 'de'",
            "letters in single quotes stand for themselves, and '' for a quote. So 'Z' is a letter and not UTC: write X"
        ),
    ]

    private static let letters: [Form] = DatePattern.letters.map {
        let spellings = $0.spellings
        let written = spellings.count > 4 ? [spellings[1], "to", spellings[spellings.count - 1]] : spellings
        return (written.joined(separator: " "), "\($0.meaning) (\($0.example))")
    }

    private static let parts: [(title: String, forms: [Form])] = [
        ("Date formats", formats), ("Letters", letters), ("Other characters", literals),
    ]

    static func text(_ style: TerminalStyle) -> [String] {
        var lines: [String] = []
        for (index, part) in parts.enumerated() {
            lines += index == 0 ? [style.bold(part.title), ""] : ["", "  " + style.bold(part.title)]
            for form in part.forms { lines += StageText.row(form.written, form.meaning, width: 16, style) }
        }
        return lines + [""]
    }

    static var markdown: [String] {
        parts.flatMap { part in
            let rows = part.forms.map { ["`\($0.written)`", $0.meaning] }
            return ["**\(part.title).**", ""] + ReferencePages.table(["Written", "Meaning"], rows)
        }
    }

    static var json: JSONValue {
        let letters = DatePattern.letters.map { letter -> JSONValue in
            let spellings = letter.spellings.map(JSONValue.text)
            return ["letters": .list(spellings), "help": .text(letter.meaning), "example": .text(letter.example)]
        }
        return .list(letters)
    }
}

/// The section on expressions in the pages of stages that take them; the functions come from their table.
enum ExpressionPages {
    private static let forms: [(written: String, meaning: String)] = [
        ("= <> < <= > >=", "compare values of one kind; != is <>"),
        ("and or not", "join conditions; what cannot be known for a missing value is missing"),
        ("is missing, is not missing", "ask whether there is a value"),
        ("in ('a', 'b'), not in", "ask whether a value is in a list"),
        ("between 0 and 9, not between", "ask whether a value lies within bounds, both included"),
        (
            "like '행복%', not like",
            "compare text with a pattern: % is any text, _ one character; escape '!' makes !% a %"
        ),
        ("+ - * / %", "compute; '/' gives a decimal"),
        (
            "||",
            "join texts; for a row, an expression makes at most 4,096 bytes and sixteen times what its columns hold, and never above 64 MiB"
        ),
        ("case when x > 1 then 'a' else 'b' end", "choose the value behind the first condition that is true"),
        ("'it''s', 12, 0.5, true, false, missing", "values"),
        ("date '2026-11-21', as_of", "days; beside a day, '2026-11-21' is one too"),
        ("emotion, 날짜, main.temp, \"my column\"", "columns; a name with other characters stands in double quotes"),
    ]

    static func text(_ style: TerminalStyle) -> [String] {
        var lines = [style.bold("Expressions"), ""]
        let width = forms.map { Prose.width(of: $0.written) }.max() ?? 0
        for form in forms { lines += StageText.row(form.written, form.meaning, width: min(width, 38), style) }
        for group in ExpressionFunction.Group.allCases {
            lines += ["", "  " + style.bold("\(group.rawValue) functions")]
            for function in ExpressionFunction.all where function.group == group {
                lines += StageText.row(function.signature, function.help, width: 38, style)
            }
        }
        return lines + [""]
    }

    static var markdown: [String] {
        let forms = Self.forms.map { [StageMarkdown.code($0.written), $0.meaning] }
        let functions = ExpressionFunction.all.map { "| `\($0.signature)` | \($0.help) |" }
        return ["**Expressions.**", ""] + ReferencePages.table(["Written", "Meaning"], forms)
            + ["| Function | |", "| --- | --- |"] + functions + [""]
    }

    static var json: JSONValue {
        .list(
            ExpressionFunction.all.map {
                let examples = $0.examples.map { example -> JSONValue in
                    ["expression": .text(example.expression), "value": JSONValue(example.value)]
                }
                return [
                    "name": .text($0.name), "signature": .text($0.signature), "help": .text($0.help),
                    "examples": .list(examples),
                ]
            }
        )
    }
}

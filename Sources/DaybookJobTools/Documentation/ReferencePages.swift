import DaybookExpressions
import DaybookReports

/// The reference as Markdown files with links between them, made from the tables of a command: `docs/reference`.
///
/// Every page is rendered by what renders help: `StageMarkdown`, `ExpressionPages`, `DateFormatPages`.
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
            Page("expressions.md", "Expressions", ExpressionPages(.plain).markdown.dropFirst(2) + functions),
            Page("dates.md", "Date formats", Array(DateFormatPages(.plain).markdown.dropFirst(2))),
            Page("reports.md", "Report forms", reports),
            Page("exit-codes.md", "Exit codes", exitCodes),
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
            ["## \(role.heading)", ""]
                + Self.table(
                    ["Stage", "What it does"],
                    entries.filter { $0.role == role }.map {
                        ["[`\($0.name)`](\($0.name).md)", $0.description.summary]
                    }
                )
        }
    }

    private func rules(_ rules: [OptionSpec], of entry: StageEntry) -> [String] {
        let link = "[`\(entry.name)`](stages/\(entry.name).md)"
        var lines = ["What \(link) asks of rows. That page has the keys that every rule may have beside its own.", ""]
        lines += Self.table(["Rule", "What holds"], rules.map { ["[`\($0.key)`](#\($0.key))", $0.help] })
        for rule in rules {
            lines += ["## `\(rule.key)`", "", rule.help, ""]
            lines += ["May be written: \(rule.described).", ""]
            lines += StageMarkdown(isLinked: true).options(rule.kind.nested)
            for example in entry.description.examples where entry.rule(shownBy: example) == rule.key {
                lines += StageMarkdown(isLinked: true).example(example, of: entry.name, under: "###")
            }
        }
        return lines
    }

    private var functions: [String] {
        ["## Examples", ""]
            + Self.table(
                ["Expression", "Value"],
                ExpressionFunction.all.flatMap(\.examples).map { example in
                    [StageMarkdown.code(example.expression), example.value.map(StageMarkdown.code) ?? "missing"]
                }
            )
    }

    private var reports: [String] {
        [
            "`--report FORM` prints a report to standard error, and `--report FORM=FILE` writes it to a file.",
            "",
        ]
            + Self.table(
                ["Form", "What it is", "Findings that a rule tolerates"],
                reporters.reporters.map {
                    ["`\($0.name)`", $0.summary, $0.leavesOutTolerated ? "only with `\($0.name):all`" : "always"]
                }
            )
    }

    private var exitCodes: [String] {
        Self.table(
            ["Code", "Meaning", "Outputs"],
            ExitMeaning.allCases.map { ["\($0.rawValue)", $0.meaning, $0.outputs] }
        )
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
    /// The rules among the keys under `rules`: those with options of their own.
    fileprivate var rules: [OptionSpec] {
        options.first { $0.key == "rules" }?.kind.nested.filter { !$0.kind.nested.isEmpty } ?? []
    }

    /// The rule that an example is about; nil where it is about several, or none.
    fileprivate func rule(shownBy example: StageExample) -> String? {
        let shown = rules.map(\.key).filter { rule in
            ["- \(rule):", "[{ \(rule):", "}, { \(rule):"].contains { example.options.contains($0) }
        }
        return shown.count == 1 ? shown[0] : nil
    }

    /// The same without rules and what is an example of one.
    fileprivate func leavingOut(_ rules: [OptionSpec]) -> StageEntry {
        let keys = Set(rules.map(\.key))
        return StageEntry(
            role: role,
            description: StageDescription(
                name: name,
                summary: description.summary,
                details: description.details,
                examples: description.examples.filter { rule(shownBy: $0) == nil }
            ),
            options: options.map { option in
                var option = option
                if option.key == "rules" { option.kind = option.kind.leavingOut(keys) }
                return option
            }
        )
    }
}

extension OptionKind {
    /// The same without keys of the map that it is, or is a list of.
    fileprivate func leavingOut(_ keys: Set<String>) -> OptionKind {
        switch self {
        case .object(let specs): .object(specs.filter { !keys.contains($0.key) })
        case .list(let kind): .list(of: kind.leavingOut(keys))
        default: self
        }
    }
}

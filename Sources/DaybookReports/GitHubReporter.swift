import DaybookEngine

/// The report for GitHub Actions: annotations on the lines of a pull request, and a summary of the step.
///
/// The runner reads workflow commands from standard error as it does from standard output, so this report goes where all
/// others go, and rows may have standard output to themselves.
public struct GitHubReporter: Reporter {
    public static let name = "github"
    public static let summary = "Annotations for GitHub Actions, and a summary of the step."
    public static let logForm = LogText.Form.commands
    public static let leavesOutTolerated = true

    public init(_ style: TerminalStyle) {}

    public func report(_ run: RunReport) -> String {
        let rules = ReportRules(run)
        let entries = ReportEntries.told(in: run, rules)
        let chosen = AnnotationChoice(entries)
        var lines = chosen.entries.map { GitHubReporter.command($0, in: run).line }
        if let rest = chosen.rest(run, rules) { lines.append(rest.line) }
        lines.append(LogText.harmless(NextStep(run: run, style: .plain).line))
        return lines.joined(separator: "\n") + "\n"
    }

    public func appendix(_ run: RunReport) -> ReportAppendix? {
        guard let file = run.surroundings?.stepSummary else { return nil }
        let summary = StepSummary(run)
        return ReportAppendix(file: file, text: summary.text, brief: summary.brief, limit: StepSummary.fileLimit)
    }

    private static func command(_ entry: ReportEntry, in run: RunReport) -> WorkflowCommand {
        var properties: [(String, String)] = []
        if let place = entry.place {
            // A file outside the repository is no file that GitHub could show, but the log tells of it.
            properties.append(("file", place.escapableFile))
            if let line = place.line { properties.append(("line", String(line))) }
            if let endLine = place.endLine { properties.append(("endLine", String(endLine))) }
            // GitHub takes no columns for an annotation over several lines.
            if let column = place.column, place.endLine == nil { properties.append(("col", String(column))) }
        }
        // The id of a rule may begin with its stage already.
        let stage = entry.stage.map { entry.rule.hasPrefix("\($0)/") ? "" : "\($0): " } ?? ""
        let title = stage + entry.rule
        properties.append(("title", PrintableText.of(title.shortened(to: 120))))
        var message = entry.placedMessage.printable
        if let hint = entry.hint { message += "\nhint: \(hint.printable)" }
        let name = entry.severity == .note ? "notice" : entry.severity.rawValue
        return WorkflowCommand(name: name, properties: properties, message: message)
    }
}

/// One line that the runner of GitHub Actions takes for a command: `::error file=a.csv,line=3::message`.
///
/// Escaped as `@actions/core` does it and the runner takes it back: `%`, CR and LF everywhere, in properties `:` and `,` too.
/// https://docs.github.com/en/actions/reference/workflows-and-actions/workflow-commands
struct WorkflowCommand {
    var name: String
    var properties: [(String, String)]
    var message: String

    var line: String {
        let properties = properties.map { "\($0)=\(WorkflowCommand.escaped(property: $1))" }.joined(separator: ",")
        return "::\(name) \(properties)::\(WorkflowCommand.escaped(message: message))"
    }

    static func escaped(message: String) -> String { escaped(message, ["%", "\r", "\n"]) }

    static func escaped(property: String) -> String { escaped(property, ["%", "\r", "\n", ":", ","]) }

    /// By scalars, since CRLF is one character and has to become two escapes.
    private static func escaped(_ text: String, _ special: Set<Unicode.Scalar>) -> String {
        var result = ""
        for scalar in text.unicodeScalars {
            if special.contains(scalar) {
                result += "%" + scalar.value.padded(to: 2, radix: 16, uppercase: true)
            } else {
                result.unicodeScalars.append(scalar)
            }
        }
        return result
    }
}

/// Chooses the entries that become annotations.
///
/// GitHub keeps 10 errors, 10 warnings and 10 notices of a step and drops the rest without a word ("Limitations" in
/// https://github.com/actions/toolkit/blob/main/docs/problem-matchers.md). What stopped the run comes first, then one
/// entry of each rule before a second of any, so that a rule which every row breaks hides no other.
struct AnnotationChoice {
    static let limit = 10

    /// Errors, then warnings, then notices.
    private(set) var entries: [ReportEntry] = []
    /// How many entries did not become annotations.
    private var left = 0

    init(_ all: [ReportEntry]) {
        for severity in [Finding.Severity.error, .warning, .note] {
            let candidates = all.filter { $0.severity == severity }
            // The last notice is kept for saying how many more there are.
            let limit = severity == .note ? AnnotationChoice.limit - 1 : AnnotationChoice.limit
            entries += candidates.mostTelling(limit)
            left += max(0, candidates.count - limit)
        }
    }

    /// Says how many findings are not among the annotations, and where all of them are; nil when none is missing.
    func rest(_ run: RunReport, _ rules: ReportRules) -> WorkflowCommand? {
        let missing = left + rules.untold(in: run)
        guard missing > 0 else { return nil }
        var files = run.fullReports
        let rejecting = run.outcome.ledger.filter { $0.rejected > 0 }.map(\.id)
        for file in run.rejectsFiles(of: rejecting) where !files.contains(file) { files.append(file) }
        let place =
            files.isEmpty
            ? "'--report json=FILE' writes them to a file" : "see \(PrintableText.of(DisplayText.list(files)))"
        return WorkflowCommand(
            name: "notice",
            properties: [("title", "Daybook: \(PrintableText.of(run.job))")],
            message:
                "\(DisplayText.count(missing, "more finding is", "more findings are")) not annotated, since GitHub "
                + "keeps \(AnnotationChoice.limit) of a kind for each step; \(place)"
        )
    }
}

/// The summary of a step that GitHub shows below its job: the verdict, the rules, and the first findings, in Markdown.
struct StepSummary {
    /// GitHub takes 1 MiB from a step, and nothing at all of more:
    /// https://docs.github.com/en/actions/reference/workflows-and-actions/workflow-commands#step-isolation-and-limits
    static let fileLimit = 1 << 20

    /// Together at most a fifth of what GitHub takes, whatever the cells hold: it is a page for reading.
    private static let ruleLimit = 50
    private static let entryLimit = 30
    private static let cellLength = 160

    private let run: RunReport
    private let rules: ReportRules
    private let entries: [ReportEntry]

    init(_ run: RunReport) {
        self.run = run
        rules = ReportRules(run)
        entries = ReportEntries.told(in: run, rules)
    }

    var text: String {
        let tables = [rules.all.isEmpty ? "" : ruleTable, entries.isEmpty ? "" : entryTable]
        return brief + tables.filter { !$0.isEmpty }.map { $0 + "\n\n" }.joined()
    }

    /// The verdict and what to do next.
    var brief: String {
        let heading = "## Daybook: \(cell(run.job)) \(RunVerdict(run).words)"
        return "\(heading)\n\n\(cell(NextStep(run: run, style: .plain, side: "below").line, length: 600))\n\n"
    }

    private var ruleTable: String {
        var lines = ["| | Rule | Stage | Rows | Failing |", "| --- | --- | --- | ---: | ---: |"]
        // What failed must not be the part that is left out.
        let sorted = [Verdict.failed, .unjudged, .warned, .passed].flatMap { verdict in
            rules.all.filter { $0.verdict == verdict }
        }
        for rule in sorted.prefix(StepSummary.ruleLimit) {
            let rows = rule.rows.map { DisplayText.count($0) } ?? ""
            let names = "\(cell(rule.name)) | \(cell(rule.stage))"
            lines.append(
                "| \(StepSummary.marks[rule.verdict] ?? "") | \(names) | \(rows) | \(DisplayText.count(rule.failing)) |"
            )
        }
        let rest = sorted.count - StepSummary.ruleLimit
        if rest > 0 { lines.append("\n… and \(DisplayText.count(rest, "more rule"))") }
        if let unseen = run.rowsUnseenByRules { lines.append("\n\(cell(unseen))") }
        return lines.joined(separator: "\n")
    }

    private var entryTable: String {
        var lines = ["| | Place | What is wrong |", "| --- | --- | --- |"]
        let sorted = [Finding.Severity.error, .warning, .note].flatMap { severity in
            entries.filter { $0.severity == severity }
        }
        for entry in sorted.prefix(StepSummary.entryLimit) {
            let verdict: Verdict = entry.severity == .error ? .failed : entry.severity == .warning ? .warned : .passed
            let message = entry.hint.map { "\(entry.message); \($0)" } ?? entry.message
            lines.append(
                "| \(StepSummary.marks[verdict] ?? "") | \(cell(entry.shown)) | \(cell(message)) \\[\(cell(entry.rule))\\] |"
            )
        }
        let counted = entries.count + rules.untold(in: run)
        let rest = counted - min(sorted.count, StepSummary.entryLimit)
        if rest > 0 { lines.append("\n… and \(DisplayText.count(rest)) more") }
        return lines.joined(separator: "\n")
    }

    private static let marks: [Verdict: String] = [.failed: "❌", .warned: "⚠️", .passed: "✅", .unjudged: "❔"]

    private func cell(_ text: String, length: Int = StepSummary.cellLength) -> String {
        MarkdownText.escaped(run.mask.masking(text).shortened(to: length))
    }
}

/// Makes text safe to stand in Markdown, also in a cell of a table: nothing in it becomes a tag, a link, a mention or a mark.
package enum MarkdownText {
    /// What GitHub's Markdown may take for its own; a reference to the character is never taken for it.
    private static let special = Set("&<>\\`*_{}[]()#+-!|~@$:\"'^=".unicodeScalars)

    package static func escaped(_ text: String) -> String {
        var result = ""
        for scalar in PrintableText.of(text).unicodeScalars {
            if special.contains(scalar) { result += "&#\(scalar.value);" } else { result.unicodeScalars.append(scalar) }
        }
        // The one link that begins without any of these.
        return result.replacing("www.", with: "www&#46;")
    }
}

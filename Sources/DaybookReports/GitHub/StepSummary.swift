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
            let rows = rule.rows.map { Spoken.count($0) } ?? ""
            let names = "\(cell(rule.name)) | \(cell(rule.stage))"
            lines.append("| \(mark(rule.verdict)) | \(names) | \(rows) | \(Spoken.count(rule.failing)) |")
        }
        let rest = sorted.count - StepSummary.ruleLimit
        if rest > 0 { lines.append("\n… and \(Spoken.count(rest, "more rule"))") }
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
            lines.append("| \(mark(verdict)) | \(cell(entry.shown)) | \(cell(message)) \\[\(cell(entry.rule))\\] |")
        }
        let counted = entries.count + rules.untold(in: run)
        let rest = counted - min(sorted.count, StepSummary.entryLimit)
        if rest > 0 { lines.append("\n… and \(Spoken.count(rest)) more") }
        return lines.joined(separator: "\n")
    }

    private func mark(_ verdict: Verdict) -> String {
        switch verdict {
        case .failed: "❌"
        case .warned: "⚠️"
        case .passed: "✅"
        case .unjudged: "❔"
        }
    }

    private func cell(_ text: String, length: Int = StepSummary.cellLength) -> String {
        MarkdownText.escaped(run.mask.masking(text).shortened(to: length))
    }
}

/// Makes text safe to stand in Markdown, also in a cell of a table: nothing in it becomes a tag, a link, a mention or a mark.
enum MarkdownText {
    /// What GitHub's Markdown may take for its own; a reference to the character is never taken for it.
    private static let special = Set("&<>\\`*_{}[]()#+-!|~@$:\"'^=".unicodeScalars)

    static func escaped(_ text: String) -> String {
        var result = ""
        for scalar in PrintableText.of(text).unicodeScalars {
            if special.contains(scalar) { result += "&#\(scalar.value);" } else { result.unicodeScalars.append(scalar) }
        }
        // The one link that begins without any of these.
        return result.replacing("www.", with: "www&#46;")
    }
}

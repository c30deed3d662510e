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
            properties.append(("file", PrintableText.of(place.file)))
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
                let digits = String(scalar.value, radix: 16, uppercase: true)
                result += "%" + (digits.utf8.count < 2 ? "0" : "") + digits
            } else {
                result.unicodeScalars.append(scalar)
            }
        }
        return result
    }
}

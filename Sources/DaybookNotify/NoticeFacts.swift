import DaybookBytes
import DaybookEngine
import DaybookReports

/// What a notice tells of a run, in each of the forms in which somebody is told.
public struct NoticeFacts: Sendable {
    /// How many findings a webhook is sent; all are counted.
    static let mostFindings = 20

    let report: RunReport
    let events: [Notice.Event]
    let run: String?

    /// - Parameters:
    ///   - events: What the run was; the first says it best.
    ///   - run: The name of the run in the history; nil where it is not there.
    public init(_ report: RunReport, events: [Notice.Event], run: RunID?) {
        self.report = report
        self.events = events
        self.run = run?.description
    }

    /// `try` where there was no run.
    var outcome: String { report.isTrial ? "try" : events.first?.rawValue ?? "" }

    var sentence: String { RunSentence(report).text }

    private var rowsRead: Int {
        report.outcome.ledger.filter { report.isSource($0.id) }.reduce(0) { $0 + $1.rowsIn }
    }

    private var rejected: Int { report.outcome.ledger.reduce(0) { $0 + $1.rejected } }

    private var rulesFailed: Int { report.outcome.rules.count { $0.verdict == .failed } }

    private var jobFile: String {
        report.jobFile == "-" ? "standard input" : report.mask.masking(FilePath.canonical(report.jobFile))
    }

    /// The facts as variables of the environment of a command; what is not known is empty.
    var environment: [String: String] {
        [
            "DAYBOOK_JOB": report.job,
            "DAYBOOK_JOB_FILE": jobFile,
            "DAYBOOK_RUN": run ?? "",
            "DAYBOOK_OUTCOME": outcome,
            "DAYBOOK_EVENTS": events.map(\.rawValue).joined(separator: ","),
            "DAYBOOK_EXIT_CODE": String(report.exitCode),
            "DAYBOOK_AS_OF": report.asOf?.description ?? "",
            "DAYBOOK_SUMMARY": sentence,
            "DAYBOOK_ROWS_READ": String(rowsRead),
            "DAYBOOK_REJECTED": String(rejected),
            "DAYBOOK_RULES_FAILED": String(rulesFailed),
        ]
    }

    /// The report that a command reads on its standard input: that of `--report json`.
    var commandInput: String { JSONReporter(.plain).report(report) }

    /// How many inputs, outputs, stages and rules a webhook is sent.
    static let mostEntries = 100

    /// A manifest without the ends of long lists, and with how long they are: `inputs` and, where there are more, `input_count`.
    private static func bounded(_ manifest: JSONValue) -> JSONValue {
        guard case .map(var values) = manifest else { return manifest }
        for (key, value) in values {
            guard case .list(let entries) = value, entries.count > mostEntries else { continue }
            values[key] = .list(Array(entries.prefix(mostEntries)))
            values["\(key.hasSuffix("s") ? String(key.dropLast()) : key)_count"] = .number(entries.count)
        }
        return .map(values)
    }

    /// The body of a request. `text` is what Slack, Mattermost and Google Chat show of it.
    var webhookBody: String {
        let findings = FindingText.sorted(report.outcome.findings).prefix(NoticeFacts.mostFindings)
        return JSONDocument.text(
            of: [
                "format_version": 1, "text": .text(sentence), "outcome": .text(outcome),
                "events": .list(events.map { .text($0.rawValue) }), "job": .text(report.job), "run": JSONValue(run),
                "as_of": JSONValue(report.asOf?.description), "exit_code": .number(Int(report.exitCode)),
                "rows_read": .number(rowsRead), "rejected": .number(rejected), "rules_failed": .number(rulesFailed),
                "manifest": NoticeFacts.bounded(Manifest(report).value),
                "findings": .list(findings.map { JSONReporter.value($0, report) }),
                "finding_count": .number(report.outcome.tallies.reduce(0) { $0 + $1.count }),
            ] as JSONValue
        )
    }
}

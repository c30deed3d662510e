import DaybookBytes
import DaybookEngine
import DaybookReports

/// The facts about a run in the forms that notices need.
public struct NoticeFacts: Sendable {
    /// How many findings a webhook gets; all are counted.
    static let mostFindings = 20

    let report: RunReport
    let events: [Notice.Event]
    let run: String?

    /// - Parameters:
    ///   - events: The events of the run; the first says it best.
    ///   - run: The name of the run in the history; nil if it is not kept there.
    public init(_ report: RunReport, events: [Notice.Event], run: RunID?) {
        self.report = report
        self.events = events
        self.run = run?.description
    }

    /// `try` where there was no run.
    var outcome: String { report.isTrial ? "try" : events.first?.rawValue ?? "" }

    var sentence: String { RunSentence(report).text }

    private var rulesFailed: Int { report.outcome.rules.count { $0.verdict == .failed } }

    private var jobFile: String {
        report.jobFile == "-" ? "standard input" : report.mask.masking(FilePath.canonical(report.jobFile))
    }

    /// The facts as environment variables of a command; unknown facts are empty.
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
            "DAYBOOK_ROWS_READ": String(report.rowsRead),
            "DAYBOOK_REJECTED": String(report.rowsRejected),
            "DAYBOOK_RULES_FAILED": String(rulesFailed),
        ]
    }

    /// How many inputs, outputs, stages and rules a webhook gets.
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

    /// The body of a request. Slack, Mattermost and Google Chat show its `text`.
    var webhookBody: String {
        let findings = FindingText.sorted(report.outcome.findings).prefix(NoticeFacts.mostFindings)
        return JSONDocument.text(
            of: [
                "format_version": 1, "text": .text(sentence), "outcome": .text(outcome),
                "events": .list(events.map { .text($0.rawValue) }), "job": .text(report.job), "run": JSONValue(run),
                "as_of": JSONValue(report.asOf?.description), "exit_code": .number(Int(report.exitCode)),
                "rows_read": .number(report.rowsRead), "rejected": .number(report.rowsRejected),
                "rules_failed": .number(rulesFailed),
                "manifest": NoticeFacts.bounded(Manifest(report).value),
                "findings": .list(findings.map { JSONReporter.value($0, report) }),
                "finding_count": .number(report.outcome.tallies.reduce(0) { $0 + $1.count }),
            ] as JSONValue
        )
    }
}

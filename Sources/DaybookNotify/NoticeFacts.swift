import DaybookBytes
import DaybookEngine
import DaybookReports
import Foundation

/// The facts about a run in the forms that notices need.
public struct NoticeFacts: Sendable {
    /// How many findings a webhook gets; all are counted.
    static let mostFindings = 20

    private(set) var report: RunReport
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

    /// The facts as one notice may tell them.
    func told(by notice: Notice) -> NoticeFacts {
        var report = notice.showsValues ? report : report.withoutValues()
        // Names of jobs may have characters that an address cannot have.
        report.link = notice.link?.text {
            value(of: $0).addingPercentEncoding(withAllowedCharacters: .alphanumerics.union(["-", "_", "."])) ?? ""
        }
        var facts = self
        facts.report = report
        return facts
    }

    /// The fact that a field of a text names; unknown facts are empty.
    func value(of field: NoticeField) -> String {
        switch field {
        case .job: report.job
        case .jobFile: jobFile
        case .run: run ?? ""
        case .outcome: outcome
        case .events: events.map(\.rawValue).joined(separator: ",")
        case .exitCode: String(report.exitCode)
        case .asOf: report.asOf?.description ?? ""
        case .summary: report.sentence
        case .rowsRead: String(report.rowsRead)
        case .rejected: String(report.rowsRejected)
        case .rulesFailed: String(rulesFailed)
        case .link: report.link.map(report.mask.masking) ?? ""
        }
    }

    /// `try` where there was no run.
    var outcome: String { report.isTrial ? "try" : events.first?.rawValue ?? "" }

    private var rulesFailed: Int { report.outcome.rules.count { $0.verdict == .failed } }

    private var jobFile: String {
        report.jobFile == "-" ? "standard input" : report.mask.masking(FilePath.canonical(report.jobFile))
    }

    /// The facts as environment variables of a command; unknown facts are empty.
    var environment: [String: String] {
        let facts = NoticeField.allCases.map { ("DAYBOOK_\($0.rawValue.uppercased())", value(of: $0)) }
        return Dictionary(facts) { first, _ in first }
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

    /// The body of a request in the form that its receiver needs.
    func webhookBody(_ body: NoticeBody) -> String { JSONDocument.text(of: json(body)) }

    private func json(_ body: NoticeBody) -> JSONValue {
        switch body {
        case .text(let text): .text(text.text(value))
        case .integer(let number): .number(number)
        case .decimal(let number): .decimal(number)
        case .flag(let flag): .flag(flag)
        case .nothing: .null
        case .list(let items): .list(items.map(json))
        case .map(let entries): .map(Dictionary(entries.map { ($0.key, json($0.value)) }) { first, _ in first })
        }
    }

    /// The body of a request. Slack, Mattermost and Google Chat show its `text`.
    var webhookBody: String {
        let findings = FindingText.sorted(report.outcome.findings).prefix(NoticeFacts.mostFindings)
        return JSONDocument.text(
            of: [
                "format_version": 1,
                "text": .text(report.sentence + (report.link == nil ? "" : "\n\(value(of: .link))")),
                "link": JSONValue(report.link == nil ? nil : value(of: .link)), "outcome": .text(outcome),
                "events": .texts(events.map(\.rawValue)), "job": .text(report.job), "run": JSONValue(run),
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

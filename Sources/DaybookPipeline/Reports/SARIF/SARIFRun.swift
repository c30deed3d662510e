import DaybookCore

/// The `run` object of a SARIF log: the tool with its rules, how it was invoked, and its results.
struct SARIFRun {
    private let run: RunReport
    private let results: [ReportEntry]
    private let notifications: [ReportEntry]
    private let rules: [SARIFRule]

    init(_ run: RunReport, _ rules: ReportRules, _ entries: [ReportEntry]) {
        self.run = run
        notifications = entries.filter(\.isError)
        results = entries.filter { !$0.isError }
        self.rules = SARIFRule.all(rules, results)
    }

    var value: JSONValue {
        let indices = Dictionary(uniqueKeysWithValues: rules.enumerated().map { ($1.id, $0) })
        return [
            "tool": ["driver": driver],
            "columnKind": "unicodeCodePoints",
            "originalUriBaseIds": .map([
                SARIFReporter.root: ["description": ["text": "The root of the repository."]]
            ]),
            "invocations": [invocation],
            "automationDetails": ["id": .text("daybook/\(SARIFText.of(run.job))/")],
            "results": .list(results.map { SARIFResult($0, ruleIndex: indices[$0.rule]).value }),
        ]
    }

    private var driver: JSONValue {
        var driver: [String: JSONValue] = [
            "name": "Daybook",
            "version": .text(DaybookVersion.text),
            "semanticVersion": .text(DaybookVersion.text),
            "rules": .list(rules.map(\.value)),
        ]
        let codes = Set(notifications.map(\.rule)).sorted()
        if !codes.isEmpty { driver["notifications"] = .list(codes.map { ["id": .text(SARIFText.of($0))] }) }
        return .map(driver)
    }

    private var invocation: JSONValue {
        var invocation: [String: JSONValue] = [
            // A gate that failed is what the run was for; only one that did not come to its end was no success.
            "executionSuccessful": .flag(run.exitCode <= 1),
            "exitCode": .number(Int(run.exitCode)),
            "exitCodeDescription": .text(RunVerdict(run).words),
            "startTimeUtc": .text(Manifest.instant(run.started)),
            "endTimeUtc": .text(Manifest.instant(run.started + Int64(run.nanoseconds / 1_000))),
        ]
        let (job, others) = (notifications.filter(\.isJobError), notifications.filter { !$0.isJobError })
        if !job.isEmpty { invocation["toolConfigurationNotifications"] = .list(job.map(notification)) }
        if !others.isEmpty { invocation["toolExecutionNotifications"] = .list(others.map(notification)) }
        return .map(invocation)
    }

    private func notification(_ entry: ReportEntry) -> JSONValue {
        let hint = entry.hint.map { "\nhint: \(SARIFText.of($0))" } ?? ""
        return [
            "descriptor": ["id": .text(SARIFText.of(entry.rule))],
            "level": "error",
            "message": ["text": .text(SARIFText.of(entry.message) + hint)],
            "locations": .list(SARIFLocation(entry).map { [$0.value] } ?? []),
        ]
    }
}

/// Texts of a SARIF log, which viewers show to people: without control characters, and not endless.
enum SARIFText {
    static func of(_ text: String) -> String { PrintableText.of(text.shortened(to: 600)) }
}

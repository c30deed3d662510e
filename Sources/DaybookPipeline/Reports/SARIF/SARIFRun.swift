import DaybookCore

/// The `run` object of a SARIF log: the tool with its rules, how it was invoked, and its results.
struct SARIFRun {
    private let run: RunReport
    private let results: [ReportEntry]
    private let notifications: [ReportEntry]
    private let rules: [SARIFRule]

    init(_ run: RunReport, _ rules: ReportRules, _ entries: [ReportEntry]) {
        self.run = run
        // What stopped the run is told of the tool, and as a result besides: without one, code scanning would close all
        // alerts of a file that could not be judged.
        notifications = entries.filter(\.isError)
        var excerpts = SourceExcerpts(directory: run.directory, mask: run.mask)
        results = entries.map { entry in
            guard case .finding(let finding) = entry.kind, let column = entry.place?.column,
                let extent = excerpts.extent(of: finding)
            else { return entry }
            var entry = entry
            entry.place?.endColumn = column + extent
            return entry
        }
        self.rules = SARIFRule.all(rules, results, run)
    }

    var value: JSONValue {
        let indices = Dictionary(uniqueKeysWithValues: rules.enumerated().map { ($1.id, $0) })
        return [
            "tool": ["driver": driver],
            "columnKind": "unicodeCodePoints",
            "newlineSequences": .list(newlineSequences.map(JSONValue.text)),
            "originalUriBaseIds": .map([
                SARIFReporter.root: ["description": ["text": "The root of the repository."]]
            ]),
            "invocations": [invocation],
            "automationDetails": ["id": .text("daybook/\(SARIFText.of(run.job))/")],
            "results": .list(results.map { SARIFResult($0, ruleIndex: indices[$0.rule]).value }),
        ]
    }

    /// What ends a line of the files that the results point into: CR by itself only where one of them has no other.
    private var newlineSequences: [String] {
        var files: Set<String> = []
        for case .finding(let finding) in results.map(\.kind) where finding.line != nil {
            if let source = finding.source, source != "-" { files.insert(FilePath.join(run.directory, source)) }
        }
        return ["\r\n", "\n"] + (files.contains(where: SourceExcerpts.endsLinesByCR) ? ["\r"] : [])
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
            // A gate that failed is what the run was for; one that could not judge all rows was no success.
            "executionSuccessful": .flag(run.exitCode <= 1 && run.outcome.errors.isEmpty),
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

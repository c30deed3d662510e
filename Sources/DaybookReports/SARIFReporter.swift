import DaybookBytes
import DaybookEngine
import Foundation

/// The report for code scanning and editors: SARIF 2.1.0, the OASIS format for the results of analyses.
///
/// Paths start from the root of the repository, `%SRCROOT%`, whose own place is not told: the file says the same on every machine.
public struct SARIFReporter: Reporter {
    public static let name = "sarif"
    public static let summary = "SARIF 2.1.0, for code scanning and editors."
    public static let logForm = LogText.Form.json
    public static let isComplete = true
    public static let leavesOutTolerated = true

    package static let schema =
        "https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/sarif-schema-2.1.0.json"
    package static let root = "%SRCROOT%"
    /// Of a file with more results in a run, code scanning on GitHub takes none.
    /// https://docs.github.com/en/code-security/code-scanning/troubleshooting-sarif-uploads/results-exceed-limit
    static let mostResults = 25_000
    /// What the fingerprints are made from; a new number when that changes.
    static let fingerprint = "daybook/v1"

    public init(_ style: TerminalStyle) {}

    public func report(_ run: RunReport) -> String { report([run]) }

    public func report(_ runs: [RunReport]) -> String {
        let log: JSONValue = [
            "$schema": .text(SARIFReporter.schema),
            "version": "2.1.0",
            "runs": .list(runs.map(value)),
        ]
        return JSONDocument.text(of: log)
    }

    private func value(_ run: RunReport) -> JSONValue {
        let rules = ReportRules(run)
        let all = ReportEntries.told(in: run, rules)
        let entries = all.mostTelling(SARIFReporter.mostResults)
        let left = all.count - entries.count + rules.untold(in: run)
        return SARIFRun(run, rules, entries, leftOut: left).value
    }
}

/// The `run` object of a SARIF log: the tool with its rules, how it was invoked, and its results.
struct SARIFRun {
    private let run: RunReport
    private let results: [ReportEntry]
    private let notifications: [ReportEntry]
    private let rules: [SARIFRule]
    /// How many findings are not among the results.
    private let leftOut: Int

    /// What tells of these.
    private static let leftOutCode = "findings-left-out"

    init(_ run: RunReport, _ rules: ReportRules, _ entries: [ReportEntry], leftOut: Int) {
        (self.run, self.leftOut) = (run, leftOut)
        // What stopped the run is told of the tool, and as a result besides: without one, code scanning would close all
        // alerts of a file that could not be judged.
        notifications = entries.filter(\.isError)
        var excerpts = SourceExcerpts(run)
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
            "automationDetails": ["id": .text("daybook/\(run.job.printable)/")],
            "results": .list(results.map { result($0, ruleIndex: indices[$0.rule]) }),
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
        let own = leftOut > 0 ? [SARIFRun.leftOutCode] : []
        let codes = Set(notifications.map(\.rule) + own).sorted().map { ["id": .text($0.printable)] as JSONValue }
        return JSONValue(withoutNulls: [
            "name": "Daybook", "version": .text(DaybookVersion.text), "semanticVersion": .text(DaybookVersion.text),
            "rules": .list(rules.map(\.value)), "notifications": codes.isEmpty ? .null : .list(codes),
        ])
    }

    private var invocation: JSONValue {
        let ofJob = notifications.filter(\.isJobError).map(notification)
        var ofRun = notifications.filter { !$0.isJobError }.map(notification)
        if leftOut > 0 { ofRun.append(notice) }
        return JSONValue(withoutNulls: [
            // A gate that failed is what the run was for; one that could not judge all rows was no success.
            "executionSuccessful": .flag(run.exitCode <= 1 && run.outcome.errors.isEmpty),
            "exitCode": .number(Int(run.exitCode)),
            "exitCodeDescription": .text(RunVerdict(run).words),
            "startTimeUtc": .text(Instant.text(run.started)),
            "endTimeUtc": .text(Instant.text(run.started + Int64(run.nanoseconds / 1_000))),
            "toolConfigurationNotifications": ofJob.isEmpty ? .null : .list(ofJob),
            "toolExecutionNotifications": ofRun.isEmpty ? .null : .list(ofRun),
        ])
    }

    private func notification(_ entry: ReportEntry) -> JSONValue {
        [
            "descriptor": ["id": .text(entry.rule.printable)],
            "level": "error",
            "message": message(entry.message, of: entry),
            "locations": locations(of: entry),
        ]
    }

    private var notice: JSONValue {
        let text =
            "\(Spoken.count(leftOut, "more finding")) \(leftOut == 1 ? "is" : "are") counted and not listed; --report json counts them by rule"
        return ["descriptor": ["id": .text(SARIFRun.leftOutCode)], "level": "note", "message": ["text": .text(text)]]
    }

    /// A finding, or a gate or rule that failed.
    private func result(_ entry: ReportEntry, ruleIndex: Int?) -> JSONValue {
        var properties: [String: JSONValue] = ["stage": JSONValue(entry.stage?.printable)]
        if case .finding(let finding) = entry.kind {
            properties["code"] = .text(finding.code)
            properties["record"] = JSONValue(finding.record)
            properties["field"] = JSONValue(entry.field?.printable)
            properties["value"] = JSONValue(entry.value?.printable)
        }
        let shown = JSONValue(withoutNulls: properties)
        return JSONValue(withoutNulls: [
            "ruleId": .text(entry.rule.printable),
            "level": .text(entry.severity.rawValue),
            "message": message(entry.placedMessage, of: entry),
            "locations": locations(of: entry),
            "partialFingerprints": .map([SARIFReporter.fingerprint: .text(entry.fingerprint)]),
            "ruleIndex": JSONValue(ruleIndex),
            "relatedLocations": entry.related.map {
                [SARIFLocation.value($0, "where the job asks for it", id: 0)]
            } ?? .null,
            "properties": shown == [:] ? .null : shown,
        ])
    }

    /// What to do about an error belongs to it; what to do about rows is told by their rule.
    private func message(_ text: String, of entry: ReportEntry) -> JSONValue {
        ["text": .text(text.printable + (entry.hint.map { "\nhint: \($0.printable)" } ?? ""))]
    }

    /// None where no file holds the place.
    private func locations(of entry: ReportEntry) -> JSONValue {
        .list(entry.place.map { [SARIFLocation.value($0, entry.shown)] } ?? [])
    }
}

/// A `location` of a SARIF log.
enum SARIFLocation {
    /// - Parameter id: What tells it from the others of a result, where there are several.
    static func value(_ place: ReportPlace, _ shown: String, id: Int? = nil) -> JSONValue {
        JSONValue(withoutNulls: [
            "physicalLocation": [
                "artifactLocation": JSONValue(withoutNulls: [
                    "uri": .text(uri(of: place.file)),
                    "uriBaseId": place.isInRepository ? .text(SARIFReporter.root) : .null,
                ]),
                "region": JSONValue(withoutNulls: [
                    // Code scanning on GitHub refuses a location without a line; what has none is shown at the first.
                    "startLine": .number(max(1, place.line ?? 1)), "startColumn": JSONValue(place.column),
                    "endLine": JSONValue(place.endLine), "endColumn": JSONValue(place.endColumn),
                ]),
            ],
            // What a pointer tells, no line does.
            "message": ["text": .text(shown.printable)],
            "id": JSONValue(id),
        ])
    }

    /// A path as a reference of RFC 3986: relative, or `file:` for a file outside the repository.
    static func uri(of path: String) -> String {
        let letters = "abcdefghijklmnopqrstuvwxyz"
        let unreserved = CharacterSet(charactersIn: letters + letters.uppercased() + "0123456789-._~/")
        let text = path.addingPercentEncoding(withAllowedCharacters: unreserved) ?? path
        return path.hasPrefix("/") ? "file://" + text : text
    }
}

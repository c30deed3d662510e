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
        let (schema, runs) = (JSONValue.text(SARIFReporter.schema), JSONValue.list(runs.map(value)))
        return JSONDocument.text(of: ["$schema": schema, "version": "2.1.0", "runs": runs] as JSONValue)
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
            "newlineSequences": .texts(newlineSequences),
            "originalUriBaseIds": .map([SARIFReporter.root: ["description": ["text": "The root of the repository."]]]),
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
            "rules": .list(rules.map(\.value)), "notifications": .list(unlessEmpty: codes),
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
            "toolConfigurationNotifications": .list(unlessEmpty: ofJob),
            "toolExecutionNotifications": .list(unlessEmpty: ofRun),
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
            "\(DisplayText.count(leftOut, "more finding")) \(leftOut == 1 ? "is" : "are") counted and not listed; --report json counts them by rule"
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

/// A `reportingDescriptor` of a SARIF log: what all results of one rule share.
///
/// Code scanning shows the descriptions and the help beside each alert, and filters by the tags:
/// https://docs.github.com/en/code-security/reference/code-scanning/sarif-files/sarif-support-for-code-scanning
struct SARIFRule {
    let id: String
    private var severity: Finding.Severity
    /// What kind of thing it is: `rule`, `finding`, `gate` or `error`.
    private let kind: String
    private let title: String
    private let description: String
    private let help: String
    private var stages: [String] = []
    /// The types of these stages.
    private var stageTypes: [String] = []
    private var type: String?
    private var columns: [String] = []

    /// Those that passed too, and those of gates and errors.
    static func all(_ rules: ReportRules, _ results: [ReportEntry], _ run: RunReport) -> [SARIFRule] {
        var all: [SARIFRule] = []
        var places: [String: Int] = [:]
        for rule in rules.all {
            if let place = places[rule.id] {
                all[place].join(rule)
            } else {
                places[rule.id] = all.count
                all.append(SARIFRule(rule, run))
            }
        }
        for result in results where places[result.rule] == nil {
            places[result.rule] = all.count
            all.append(SARIFRule(result))
        }
        return all
    }

    private init(_ rule: ReportRule, _ run: RunReport) {
        id = rule.id
        severity = rule.severity
        type = rule.type
        kind = rule.type == nil ? "finding" : "rule"
        stages = [rule.stage]
        stageTypes = rule.stageType.map { [$0.name] } ?? []
        columns = rule.columns
        let place = rule.place.map { " at \(run.mask.masking("\($0)"))" } ?? ""
        let page = rule.stageType.map { "; 'daybook stages \($0.name)' tells its options" } ?? ""
        if let type = rule.type {
            title = "\(type) in the stage '\(rule.stage)'"
            description = "The rule '\(rule.name)' of the stage '\(rule.stage)' is about \(rule.asks ?? "its rows")."
            help =
                "Mend the rows at the places that the results name. What the rule asks, and how many rows may break it, "
                + "stands in the job\(place)\(page)."
        } else {
            title = "rows with [\(rule.name)]"
            let does = rule.stageType.map { " (\($0.name): \($0.summary))" } ?? ""
            description = "The stage '\(rule.stage)'\(does) refused or changed rows with [\(rule.name)]."
            help =
                "Mend the values at the places that the results name. How the stage takes them stands in the job\(place)\(page)."
        }
    }

    private init(_ entry: ReportEntry) {
        id = entry.rule
        severity = entry.severity
        if entry.kind == .gate {
            kind = "gate"
            title = "more rows were rejected than the job allows"
            description =
                "A gate holds while no more rows are rejected than 'allow' says; where it fails, nothing is written."
            help =
                "Mend the rejected rows where they stand; the other results name their places. How many may be rejected "
                + "stands under 'rejects' in the job."
        } else {
            kind = "error"
            title = "an error of the run: [\(entry.rule)]"
            description = "The job, its inputs or the machine did not let the run do all of its work: [\(entry.rule)]."
            help = "Mend what the result tells, and run the job again."
        }
    }

    private mutating func join(_ rule: ReportRule) {
        if !stages.contains(rule.stage) { stages.append(rule.stage) }
        if let type = rule.stageType?.name, !stageTypes.contains(type) { stageTypes.append(type) }
        columns += rule.columns.filter { !columns.contains($0) }
        if rule.severity == .error { severity = .error }
    }

    /// GitHub takes no more than 20 of a rule.
    private var tags: [String] { Array((["data-quality", kind] + (type.map { [$0] } ?? []) + stageTypes).prefix(10)) }

    var value: JSONValue {
        func list(_ texts: [String]) -> JSONValue { .list(unlessEmpty: texts.map { .text($0.printable) }) }
        let (description, help) = (description.printable, help.printable)
        return [
            "id": .text(id.printable),
            "shortDescription": ["text": .text(title.printable)],
            "fullDescription": ["text": .text(description)],
            "help": [
                "text": .text("\(description) \(help)"),
                "markdown": .text("\(MarkdownText.escaped(description))\n\n\(MarkdownText.escaped(help))"),
            ],
            "defaultConfiguration": ["level": .text(severity.rawValue)],
            "properties": JSONValue(withoutNulls: [
                "tags": list(tags), "precision": "very-high",
                // How GitHub sorts alerts that are not about security.
                "problem.severity": .text(severity == .note ? "recommendation" : severity.rawValue),
                "stages": list(stages), "columns": list(columns), "type": JSONValue(type),
            ]),
        ]
    }
}

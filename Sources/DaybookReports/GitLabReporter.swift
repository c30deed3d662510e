/// The report for GitLab's code quality: a list of findings that a merge request shows beside its lines.
///
/// https://docs.gitlab.com/ci/testing/code_quality/#code-quality-report-format
public struct GitLabReporter: Reporter {
    public static let name = "gitlab"
    public static let summary = "A code quality report for GitLab."
    public static let logForm = LogText.Form.json
    public static let isComplete = true
    public static let leavesOutTolerated = true

    public init(_ style: TerminalStyle) {}

    public func report(_ run: RunReport) -> String { report([run]) }

    public func report(_ runs: [RunReport]) -> String {
        let entries = runs.flatMap { ReportEntries.told(in: $0, ReportRules($0)) }
        var seen: [String: Int] = [:]
        return JSONDocument.text(of: entries.map { issue($0, &seen) })
    }

    private func issue(_ entry: ReportEntry, _ seen: inout [String: Int]) -> JSONValue {
        let hint = entry.hint.map { "; \($0)" } ?? ""
        return [
            "description": .text((entry.placedMessage + hint).printable),
            "check_name": .text(PrintableText.of(entry.rule)),
            "fingerprint": .text(GitLabReporter.apart(entry.fingerprint, &seen)),
            "severity": .text(GitLabReporter.severity(of: entry)),
            "location": [
                // A report without a path or a line is refused as a whole.
                "path": .text(entry.place?.escapableFile ?? PrintableText.of(entry.shown)),
                "lines": ["begin": .number(max(1, entry.place?.line ?? 1))],
            ],
        ]
    }

    /// The same for equal records but for their number: of two with one fingerprint, GitLab shows the first.
    private static func apart(_ fingerprint: String, _ seen: inout [String: Int]) -> String {
        seen[fingerprint, default: 0] += 1
        let number = seen[fingerprint, default: 1]
        return number == 1 ? fingerprint : "\(fingerprint)-\(number)"
    }

    private static func severity(of entry: ReportEntry) -> String {
        switch (entry.kind, entry.severity) {
        case (.error, _): "blocker"
        case (.gate, _): "critical"
        case (_, .error): "major"
        case (_, .warning): "minor"
        case (_, .note): "info"
        }
    }
}

import DaybookCore

/// The report for code scanning and editors: SARIF 2.1.0, the OASIS format for the results of analyses.
///
/// Paths start from the root of the repository, `%SRCROOT%`, whose own place is not told: the file says the same on every machine.
public struct SARIFReporter: Reporter {
    public static let name = "sarif"
    public static let summary = "SARIF 2.1.0, for code scanning and editors."
    public static let logForm = LogText.Form.json
    public static let isComplete = true
    public static let leavesOutTolerated = true

    static let schema =
        "https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/sarif-schema-2.1.0.json"
    static let root = "%SRCROOT%"
    /// What the fingerprints are made from; a new number when that changes.
    static let fingerprint = "daybook/v1"

    public init(_ style: TerminalStyle) {}

    public func report(_ run: RunReport) -> String {
        let rules = ReportRules(run)
        let entries = ReportEntries.told(in: run, rules)
        let log: JSONValue = [
            "$schema": .text(SARIFReporter.schema),
            "version": "2.1.0",
            "runs": [SARIFRun(run, rules, entries).value],
        ]
        return JSONDocument.text(of: log)
    }
}

import DaybookCore

/// The report for programs: the manifest with every finding that was put into words.
public struct JSONReporter: Reporter {
    public static let name = "json"
    public static let summary = "Everything as one JSON document, for programs."
    public static let logForm = LogText.Form.json
    public static let isComplete = true

    public init(_ style: TerminalStyle) {}

    public func report(_ run: RunReport) -> String { JSONDocument.text(of: Document(run)) }

    private struct Document: Encodable {
        let run: Manifest
        let findings: [FindingPart]
        /// How many findings there were in all; `findings` holds as many of each rule as were asked for.
        let findingCount: Int

        init(_ run: RunReport) {
            self.run = Manifest(run)
            findings = FindingText.sorted(run.outcome.findings).map { FindingPart($0, run) }
            findingCount = run.outcome.tallies.reduce(0) { $0 + $1.count }
        }

        enum CodingKeys: String, CodingKey {
            case run, findings
            case findingCount = "finding_count"
        }
    }

    /// The keys are those of a line in the rejects file.
    private struct FindingPart: Encodable {
        let severity: String
        let code: String
        let message: String
        let stage: String
        let rule: String?
        let jobLine: Int?
        let source: String?
        /// The source as seen from where the command was started.
        let file: String?
        let line: Int?
        let endLine: Int?
        let column: Int?
        let byte: Int?
        let record: Int?
        let pointer: String?
        let field: String?
        let value: String?
        let fingerprint: String

        init(_ finding: RenderedFinding, _ run: RunReport) {
            let mask = run.mask
            severity = finding.severity.rawValue
            code = finding.code
            message = mask.masking(finding.message)
            stage = mask.masking(finding.stage)
            rule = finding.rule.map(mask.masking)
            jobLine = finding.jobPlace?.line
            source = finding.source.map(mask.masking)
            file = finding.source.map(run.shown)
            line = finding.line
            endLine = finding.endLine
            column = finding.column
            byte = finding.byte
            record = finding.record
            pointer = finding.pointer.map(mask.masking)
            field = finding.field.map(mask.masking)
            value = finding.value.map(mask.masking)
            fingerprint = finding.fingerprint.isEmpty ? Fingerprint(finding).text : finding.fingerprint
        }

        enum CodingKeys: String, CodingKey {
            case severity, code, message, stage, rule, source, file, line, column, byte, record, pointer, field, value
            case fingerprint
            case jobLine = "job_line"
            case endLine = "end_line"
        }
    }
}

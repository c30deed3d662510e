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
            description =
                "The rule '\(rule.name)' of the stage '\(rule.stage)' is about \(rule.asks ?? "its rows")."
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
        func list(_ texts: [String]) -> JSONValue { texts.isEmpty ? .null : .list(texts.map { .text($0.printable) }) }
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

import DaybookCore

/// A `reportingDescriptor` of a SARIF log: what all results of one rule share.
struct SARIFRule {
    let id: String
    private var severity: Finding.Severity
    private var description: String
    private var stages: [String] = []
    private var type: String?
    private var columns: [String] = []

    /// Those that passed too, and the one that stands for all gates.
    static func all(_ rules: ReportRules, _ results: [ReportEntry]) -> [SARIFRule] {
        var all: [SARIFRule] = []
        var places: [String: Int] = [:]
        for rule in rules.all {
            if let place = places[rule.id] {
                all[place].join(rule)
            } else {
                places[rule.id] = all.count
                all.append(SARIFRule(rule))
            }
        }
        for result in results where places[result.rule] == nil {
            places[result.rule] = all.count
            all.append(SARIFRule(result))
        }
        return all
    }

    private init(_ rule: ReportRule) {
        id = rule.id
        severity = rule.severity
        type = rule.type
        description = rule.type.map { "\($0) in the stage '\(rule.stage)'" } ?? "rows with [\(rule.name)]"
        stages = [rule.stage]
        columns = rule.columns
    }

    private init(_ entry: ReportEntry) {
        id = entry.rule
        severity = entry.severity
        description = entry.kind == .gate ? "more rows were rejected than the job allows" : entry.rule
    }

    private mutating func join(_ rule: ReportRule) {
        if !stages.contains(rule.stage) { stages.append(rule.stage) }
        columns += rule.columns.filter { !columns.contains($0) }
        if rule.severity == .error { severity = .error }
    }

    var value: JSONValue {
        var properties: [String: JSONValue] = [:]
        if !stages.isEmpty { properties["stages"] = .list(stages.map { .text(SARIFText.of($0)) }) }
        if !columns.isEmpty { properties["columns"] = .list(columns.map { .text(SARIFText.of($0)) }) }
        if let type { properties["type"] = .text(type) }
        return [
            "id": .text(SARIFText.of(id)),
            "shortDescription": ["text": .text(SARIFText.of(description))],
            "defaultConfiguration": ["level": .text(SARIFResult.level(of: severity))],
            "properties": .map(properties),
        ]
    }
}

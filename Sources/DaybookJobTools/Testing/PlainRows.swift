import DaybookEngine

/// Rows as texts, column by column as they are named, to be compared and drawn.
struct PlainRows: Sendable {
    var columns: [String]
    /// Whether each column holds numbers, which stand to the right.
    var isNumber: [Bool]
    /// Nil for a missing value.
    var rows: [[String?]]

    init(columns: [String], isNumber: [Bool]? = nil, rows: [[String?]]) {
        self.columns = columns
        self.isNumber = isNumber ?? columns.map { _ in false }
        self.rows = rows
    }

    /// What a stage gave, in the columns `names`.
    init(_ collected: RowCollection.Rows, columns names: [String]) {
        let fields = names.compactMap { collected.schema[ColumnName($0)] }
        columns = fields.map(\.name)
        isNumber = fields.map { $0.kind == .integer || $0.kind == .decimal }
        rows = []
        for batch in collected.batches {
            let columns = fields.map { field in batch.schema.index(of: field.name).map { batch.columns[$0] } }
            for row in 0..<batch.count { rows.append(columns.map { $0?.spoken(row) }) }
        }
    }

    /// What a run found, each as a row of texts.
    init(_ findings: [RenderedFinding], columns names: [String]) {
        self.init(
            columns: names,
            rows: findings.map { finding in names.map { FindingColumn(rawValue: $0)?.value(of: finding) } }
        )
    }
}

extension PlainRows {
    /// How the rules of a run ended, each as a row of texts.
    init(_ rules: [RuleOutcome], columns names: [String]) {
        self.init(
            columns: names,
            rows: rules.map { rule in names.map { RuleColumn(rawValue: $0)?.value(of: rule) } }
        )
    }
}

/// What a test can expect of a rule.
enum RuleColumn: String, CaseIterable {
    case rule, verdict, failing, rows, stage, type, message

    func value(of outcome: RuleOutcome) -> String {
        switch self {
        case .rule: outcome.rule.id
        case .verdict: outcome.verdict.rawValue
        case .failing: String(outcome.failing)
        case .rows: String(outcome.rows)
        case .stage: outcome.stage
        case .type: outcome.rule.type
        case .message: outcome.message
        }
    }

    /// Those that are written where a test names none.
    static let usual: [RuleColumn] = [.rule, .verdict, .failing]
}

/// What a test can expect of a finding.
enum FindingColumn: String, CaseIterable {
    case severity, code, message, stage, rule, source, line, column, pointer, field, value

    func value(of finding: RenderedFinding) -> String? {
        switch self {
        case .severity: finding.severity.rawValue
        case .code: finding.code
        case .message: finding.message
        case .stage: finding.stage
        case .rule: finding.rule
        case .source: finding.source
        case .line: finding.line.map(String.init)
        case .column: finding.column.map(String.init)
        case .pointer: finding.pointer
        case .field: finding.field
        case .value: finding.value
        }
    }

    /// Those that are written where a test names none.
    static let usual: [FindingColumn] = [.severity, .code, .stage, .field, .value]
}

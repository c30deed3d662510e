/// The table has to have the declared columns, whatever its rows. Judged once, also for a table without rows.
struct Columns: TableRule {
    /// The effect of a difference.
    enum Drift: String, OptionChoice {
        case fail, warn, allow

        static var otherWords: [String: String] { ["error": "fail", "ignore": "allow", "pass": "allow"] }
    }
    package enum Order: String, OptionChoice { case any, same }

    static let name = "columns"
    static let summary =
        "The table has the columns that it should have: none missing, none besides, or so many of them."
    static var shorthand: String? { "are" }

    let expected: [String]
    private let min: Int?
    private let max: Int?
    private let missing: Drift
    private let extra: Drift
    private let order: Order
    /// Which differences this rule reports: failures, or warnings.
    private var level = Drift.fail

    init(reading options: inout OptionReader) {
        let names: [ColumnName]? = options.optional("are", help: "The columns that should be there.")
        min = options.optional("min", help: "The fewest columns that there may be, whatever their names.")
        max = options.optional("max", help: "The most columns that there may be.")
        missing = options.read(
            "missing",
            default: .fail,
            help: "What is made of a column that is not there. A warning never fails the run."
        )
        extra = options.read("extra", default: .fail, help: "What is made of a column that is not named.")
        order = options.read(
            "order",
            default: .any,
            help: "Whether columns may stand in any order, or in the same only."
        )
        expected = names?.map(\.text) ?? []
        if names == nil {
            RuleBound.check(min, max, of: Self.name, &options, others: "'are', 'min' or 'max'", isMore: >)
            options.refuse("missing", "extra", "order", without: "are", hint: "name the columns that should be there")
        } else {
            if min != nil || max != nil { RuleBound.check(min, max, of: Self.name, &options, isMore: >) }
            if expected.isEmpty { options.refuse("are", "'are' names no column") }
        }
        if Set(expected).count < expected.count { options.refuse("are", "'are' names a column twice") }
    }

    var finding: Finding.Kind { Finding.Kind("other-columns", "the columns are not those that should be there") }
    // None: a missing column cannot be requested.
    var columns: [ColumnName] { [] }
    var complaint: String { "are under other columns" }
    private var displayCount: String { "\(RuleBound.displayText(min, max)) columns" }
    var expectation: String {
        if expected.isEmpty { return displayCount }
        let count = min == nil && max == nil ? "" : "\(displayCount), and "
        return "\(count)the columns \(DisplayText.first(20, of: expected.map { "'\($0)'" }, isGrouped: true))"
    }

    var companion: RuleCompanion? {
        guard missing == .warn || extra == .warn else { return nil }
        var rule = self
        rule.level = .warn
        return RuleCompanion(rule, suffix: "_warnings", limits: RuleLimits(warn: RuleLimit.none))
    }

    /// An empty partial.
    struct Memory: PartialResult {}

    func partial(of rows: CheckedRows, reporting breaches: inout [Breach]) -> Memory { Memory() }
    func merge(_ later: Memory, into earlier: inout Memory, scratch: any Scratch) {}

    func judgement(of memory: Memory?, in schema: Schema) -> String? {
        let found = schema.names
        let absent = expected.filter { !found.contains($0) }
        let surplus = found.filter { !expected.contains($0) }
        var parts: [String] = []
        if level == .fail, found.count < min ?? 0 || found.count > max ?? .max {
            parts.append("there are \(found.count.displayText) columns, not \(RuleBound.displayText(min, max))")
        }
        if expected.isEmpty { return parts.first }
        if missing == level {
            parts += absent.map { name in
                let likely = NearestName.of(name, among: surplus).map { ", but '\($0)'" } ?? ""
                return "there is no column '\(name)'\(likely)"
            }
        }
        if extra == level { parts += surplus.map { "there is a column '\($0)' besides" } }
        let here = found.filter(expected.contains)
        let there = expected.filter(found.contains)
        if order == .same, level == .fail, here != there {
            parts.append(
                "the columns stand as \(here.joined(separator: ", ")), not as \(there.joined(separator: ", "))"
            )
        }
        guard !parts.isEmpty else { return nil }
        let shown = parts.prefix(8).joined(separator: "; ")
        return parts.count > 8 ? "\(shown); and \(parts.count - 8) more" : shown
    }

    static let examples: [StageExample] = [
        .passing(
            "a column that is missing fails, one besides may only warn, and the order does not matter",
            options: """
                rules:
                  - columns: { are: [id, date, emotion, count], extra: warn, order: any }
                """,
            rows: "date:day,id:text,emotoin:text,note:text,count:integer",
            findings: ["0 - other-columns", "0 - other-columns"]
        ),
        .passing(
            "the order can be asked for, and what is missing or comes besides be let pass",
            options:
                "rules: [{ columns: { are: [id, date, count, mood], missing: allow, extra: allow, order: same } }]",
            rows: "date:day,count:integer,id:text\n2026-11-21,3,1",
            findings: ["0 - other-columns"]
        ),
        .passing(
            "so many columns, whatever their names",
            options: "rules: [{ columns: { min: 2, max: 3 } }, { columns: { max: 1 } }]",
            rows: "id:text,date:day\na,2026-11-21",
            findings: ["0 - other-columns"]
        ),
        .passing(
            "a list alone names the columns that should be there",
            options: "rules: [{ columns: [id, date] }]",
            rows: "date:day\n2026-11-21",
            findings: ["0 - other-columns"]
        ),
    ]
}

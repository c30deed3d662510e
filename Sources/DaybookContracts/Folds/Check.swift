/// A fold that checks rows against rules and passes them on unchanged.
///
/// Findings about single rows are reported at once, in `partial(of:reporting:)`, by `Findings.fail`: a row that breaks
/// several rules is reported for each. Findings about all rows together (a repeated key, a sum) wait in the partial
/// until `finish`, which emits findings about rows that have already passed.
public protocol Check: Fold {
    /// The rules in the order of the job; findings name them by their index.
    var rules: [Rule] { get }

    /// Whether `finish` may reject rows that passed long before. Such rows are buffered if another stage reads them.
    var rejectsLate: Bool { get }

    /// Errors of single rules for these inputs, by number: each rule can be left out without the others.
    func problems(of inputs: StageInputs) -> [Int: DaybookError]

    /// The rules about the table as a whole, by number, which part of its rows cannot be judged by.
    var tableRules: Set<Int> { get }

    /// The columns that rules require, whether the table has them or not.
    var expectedColumns: [String] { get }

    /// The figures of earlier runs that rules need, by number.
    var pastRequests: [Int: PastRequest] { get }
}

/// Findings reported after the last batch.
public struct LateFindings: Sendable {
    /// The findings about the rows.
    public var findings: Findings
    /// The number of each row, in the order of entering the stage, from 0.
    public var numbers: [Int]
    /// The rows of the findings.
    public let rows: @Sendable () throws(DaybookError) -> Batch

    /// - Parameters:
    ///   - numbers: the numbers of the rows; empty for stages that make their own rows.
    ///   - rows: makes the rows of the findings, with origins, on the reporting thread. They need no columns.
    public init(
        _ findings: Findings,
        numbers: [Int] = [],
        about rows: @escaping @Sendable () throws(DaybookError) -> Batch = { Batch(empty: Schema()) }
    ) {
        self.findings = findings
        self.numbers = numbers
        self.rows = rows
    }

    /// Rows no longer in memory, for findings about one of their fields.
    ///
    /// - Parameters:
    ///   - field: the column of the findings.
    ///   - values: its values; without them, they are read from the records, if these are still readable.
    public static func rows(_ provenance: Provenance, count: Int, field: Field?, values: Column?) -> Batch {
        guard var field else { return Batch(Schema(), [], count: count, provenance: provenance) }
        if let values {
            field.kind = values.kind
            return Batch(Schema([field]), [values], count: count, provenance: provenance)
        }
        let views = [TextView](repeating: TextView(offset: 0, length: 0), count: count)
        let nothing = TextColumn(Bytes(), views: views, missing: Mask(count: count) { _ in true })
        return Batch(
            Schema([Field(field.name, .text, source: field.source)]),
            [.text(nothing)],
            count: count,
            provenance: provenance
        )
    }
}

extension Check {
    public var asCheck: (any Check)? { self }
    public static var keepsRows: Bool { true }
    public static var passesRows: Bool { true }
    public var rejectsLate: Bool { false }
    public func problems(of inputs: StageInputs) -> [Int: DaybookError] { [:] }
    public var tableRules: Set<Int> { [] }
    public var pastRequests: [Int: PastRequest] { [:] }
}

/// One rule that rows are checked against: its name in the job, its place, and how many rows may break it.
public struct Rule: Sendable, Hashable {
    /// The name under `id`, or one derived from the condition of the rule.
    public var id: String
    /// The kind of the rule, such as `not_missing`.
    public var type: String
    /// The columns that it is about; none for a rule about all rows together.
    public var columns: [String]
    /// Where the job writes it.
    public var place: SourcePlace?
    public var limits: RuleLimits
    /// The fault of the rows that break it, after their number: `have no value in 'emotion'`.
    public var complaint: String
    /// The expectation of the rows: `a value in 'emotion' in every row`.
    public var expectation: String
    /// Whether it belongs to the rule before it, from one entry of the job.
    public var isCompanion: Bool
    /// Whether the job names it.
    public var isNamed: Bool
    /// The most days that the newest date may be old; nil for a rule about something else.
    public var newestWithin: Int? = nil

    public init(
        id: String,
        type: String,
        columns: [String] = [],
        at place: SourcePlace?,
        limits: RuleLimits = RuleLimits(),
        complaint: String,
        expectation: String? = nil,
        isCompanion: Bool = false,
        isNamed: Bool = false
    ) {
        self.id = id
        self.type = type
        self.columns = columns
        self.place = place
        self.limits = limits
        self.complaint = complaint
        self.expectation = expectation ?? "no rows that \(complaint)"
        self.isCompanion = isCompanion
        self.isNamed = isNamed
    }

    /// The complaint about so many rows: about a single one, its verb is in the singular.
    public func complaint(of rows: Int) -> String {
        guard rows == 1, let verb = complaint.split(separator: " ").first else { return complaint }
        let single = ["have": "has", "are": "is", "do": "does"][verb] ?? "\(verb)s"
        return single + complaint.dropFirst(verb.count)
    }
}

/// How a rule ended.
public enum Verdict: String, Sendable, Hashable {
    case passed, warned, failed
    /// The rule could not be judged, or was not.
    case unjudged
}

/// How many rows may break a rule before it warns, and before it fails.
public struct RuleLimits: Sendable, Hashable {
    public var warn: RuleLimit?
    public var fail: RuleLimit?
    /// If fewer rows than this break it, a rule passes whatever its limits are.
    public var atLeast: Int

    public init(warn: RuleLimit? = nil, fail: RuleLimit? = nil, atLeast: Int = 1) {
        self.warn = warn
        self.fail = fail
        self.atLeast = atLeast
    }

    /// A rule without limits fails with its first row; one with `warn` alone never fails.
    public func verdict(_ failing: Int, of rows: Int) -> Verdict {
        guard failing > 0, failing >= atLeast else { return .passed }
        let bound = fail ?? (warn == nil ? RuleLimit.none : nil)
        if let bound, bound.isPassed(by: failing, of: rows) { return .failed }
        if let warn, warn.isPassed(by: failing, of: rows) { return .warned }
        return .passed
    }
}

/// A bound that fires when it is passed: `> 0`, `> 1%`, `>= 5`.
public struct RuleLimit: Sendable, Hashable {
    public var allowance: Allowance
    /// Whether the bound itself fires already.
    public var firesAtBound: Bool

    public init(_ allowance: Allowance, firesAtBound: Bool = false) {
        self.allowance = allowance
        self.firesAtBound = firesAtBound
    }

    /// Fires with the first row.
    public static let none = RuleLimit(.count(0))

    public func isPassed(by failing: Int, of rows: Int) -> Bool {
        if !allowance.permits(failing, of: rows) { return true }
        return firesAtBound && allowance.isReached(by: failing, of: rows)
    }
}

extension RuleLimit: OptionValue {
    public static var kind: OptionKind { .text }
    public static var placeholder: RuleLimit { .none }

    public init(reading node: OptionNode) throws(DaybookError) {
        let text = (node.text ?? "").filter { $0 != " " }
        let isAtLeast = text.hasPrefix(">=")
        guard text.hasPrefix(">"), let allowance = Allowance(String(text.dropFirst(isAtLeast ? 2 : 1))) else {
            let bare =
                Allowance(text) == nil ? nil : "write '> \(text)': the rule fires when more rows than that break it"
            let share = Allowance.hint(forPlainShare: text.filter { $0 != ">" && $0 != "=" }, orCount: true)
            throw node.expected("a limit such as '> 0', '>= 5' or '> 1%'", hint: bare ?? share)
        }
        self.init(allowance, firesAtBound: isAtLeast)
    }

    public var written: String { "\(firesAtBound ? ">=" : ">") \(allowance.written)" }
}

/// One kind of rule, in a file of its own.
///
/// A new rule needs that file and a line in a `RuleTable`. A `RowRule` judges a row by itself; a `MemoryRule` has to
/// remember other rows.
public protocol CheckRule: Sendable {
    /// The key in a job, in snake case: the requirement on the rows.
    static var name: String { get }
    /// The requirement in one sentence.
    static var summary: String { get }
    /// The option that a bare value sets, such as `column` in `not_missing: emotion`; nil if there is none.
    static var shorthand: String? { get }
    /// Whether the rule judges the table as a whole, so that it cannot fail for only some of the rows.
    static var isAboutTable: Bool { get }
    /// Whether it compares rows with each other: two with a value of their own in each of its columns are never compared.
    static var comparesRows: Bool { get }
    /// Examples of `check_rows` with the rule, at least one of a broken rule.
    static var examples: [StageExample] { get }

    init(reading options: inout OptionReader)

    /// The finding; `{value}` in its message is replaced by the value.
    var finding: Finding.Kind { get }
    /// The columns that the rule reads.
    var columns: [ColumnName] { get }
    /// The column that findings point to; nil for the whole row.
    var target: ColumnName? { get }
    /// The fault of rows that break the rule, to follow their number: `have no value in 'emotion'`.
    var complaint: String { get }
    /// The requirement, for people: `every value in 'count' is at least 0`.
    var expectation: String { get }
    /// A second rule of the same entry, with limits and a name of its own, reported behind this one.
    var companion: RuleCompanion? { get }
    /// The most days that the newest date may be old; nil for a rule about something else.
    var newestWithin: Int? { get }

    func check(_ input: Schema) throws(DaybookError)
    /// The rule for an input with these columns; another than before where it is about all of them.
    func over(_ input: Schema) -> Self
}

extension CheckRule {
    public static var shorthand: String? { nil }
    public static var isAboutTable: Bool { false }
    public static var comparesRows: Bool { false }
    public var target: ColumnName? { columns.first }
    public var expectation: String { "no rows that \(complaint)" }
    public var companion: RuleCompanion? { nil }
    public var newestWithin: Int? { nil }
    public func check(_ input: Schema) throws(DaybookError) {}
    public func over(_ input: Schema) -> Self { self }
}

/// A rule about one column.
protocol ColumnRule: CheckRule {
    var column: ColumnName { get }
}

extension ColumnRule {
    var columns: [ColumnName] { [column] }
}

/// A rule about one column of text.
protocol TextRule: ColumnRule {}

extension TextRule {
    func check(_ input: Schema) throws(DaybookError) { try input.requiring(column, .text) }
}

/// A second rule of one entry.
public struct RuleCompanion: Sendable {
    public var rule: any CheckRule
    /// The suffix of its name after the name of the entry.
    public var suffix: String
    public var limits: RuleLimits

    public init(_ rule: any CheckRule, suffix: String, limits: RuleLimits) {
        (self.rule, self.suffix, self.limits) = (rule, suffix, limits)
    }
}

/// Rows that break a rule in one way.
public struct Breach: Sendable {
    public var kind: Finding.Kind
    /// The column that findings point to; nil for the whole row.
    public var column: ColumnName?
    public var rows: Mask

    public init(_ kind: Finding.Kind, in column: ColumnName?, _ rows: Mask) {
        (self.kind, self.column, self.rows) = (kind, column, rows)
    }
}

/// A rule that judges each row by itself.
public protocol RowRule: CheckRule {
    /// The rows that break the rule, each in one way. The caller excludes rows that the rule does not apply to.
    func breaches(in batch: Batch) -> [Breach]
}

/// A rule that judges each row by itself, with one kind of finding.
public protocol ValueRule: RowRule {
    func broken(in batch: Batch) -> Mask
}

extension ValueRule {
    public func breaches(in batch: Batch) -> [Breach] { [Breach(finding, in: target, broken(in: batch))] }
}

/// What is remembered of rows until all of them have come.
public protocol RuleMemory: Aggregator, ResultMerger
where Rows == CheckedRows, Report == [Breach], Partial: PartialResult {
    /// Judges all rows together, and reports through `conclusion`; `memory` is nil when there were none.
    func conclude(_ memory: Partial?, _ conclusion: inout RuleConclusion) throws(DaybookError)
}

/// A rule with incremental state.
public protocol MemoryRule: CheckRule, RuleMemory {
    /// Whether it finds the rows that break it only after the last row.
    static var findsLate: Bool { get }
}

/// A rule about the table as a whole, judged after the last row.
public protocol TableRule: MemoryRule {
    /// The fault of all rows together, in words; nil if there is none. `memory` is nil for no rows.
    func judgement(of memory: Partial?, in schema: Schema) -> String?
    /// The measured value; nil for a rule that measures nothing, and without a value.
    func figure(of memory: Partial?) -> ObservedValue?
}

extension MemoryRule {
    public static var comparesRows: Bool { !isAboutTable }
    public static var findsLate: Bool { !isAboutTable }
}

extension TableRule {
    public static var isAboutTable: Bool { true }
    public func figure(of memory: Partial?) -> ObservedValue? { nil }

    public func conclude(_ memory: Partial?, _ conclusion: inout RuleConclusion) {
        conclusion.observe(figure(of: memory))
        if let judgement = judgement(of: memory, in: conclusion.schema) { conclusion.judge(judgement) }
    }
}

/// The rows of a batch that a rule applies to.
public struct CheckedRows {
    public var batch: Batch
    /// Nil if the rule applies to all rows.
    public var asked: Mask?
    /// The rule's knowledge of the stage that it refers to; nil for a rule that refers to none.
    var known: (any Sendable)?

    public var count: Int { asked?.setCount ?? batch.count }

    /// The rows that the rule applies to and that have a value in each of some columns.
    func having(_ columns: [ColumnName]) -> Batch {
        let left = asked?.inverted
        guard let out = left.union(batch.gaps(in: columns)) else { return batch }
        return batch.keeping((0..<Int32(truncatingIfNeeded: batch.count)).filter { !out[Int($0)] })
    }

    /// Calls `body` with every value that is not missing, in rows that the rule applies to.
    @inline(__always)
    func forEachValue<Element>(of values: Values<Element>, _ body: (_ row: Int, _ value: Element) -> Void) {
        let elements = values.elements.span
        for row in elements.indices where !values.missing.isMissing(row) && asked?[row] != false {
            body(row, elements[row])
        }
    }
}

/// The output of a rule after the last row.
public struct RuleConclusion {
    let fate: Findings.Fate
    /// How many more findings are reported.
    let limit: Int
    /// Whether every reject needs its message, or only its count.
    let needsMessages: Bool
    /// The rows that other rules have rejected already.
    let rejected: RowSet
    /// The columns of the rows.
    public let schema: Schema
    public let context: OptionReader.Context
    /// Data of the stage that the rule refers to; nil without such a stage, or where it is not read again.
    let known: (any Sendable)?
    /// The figures of the rule in earlier runs.
    let past: FigurePast
    /// The days of the data that the run makes, in order.
    let days: [CalendarDay]
    /// Whether rows belong to days, so that the run reads those of some.
    let belongsToDays: Bool
    /// Spill space, and the memory limit.
    public let scratch: any Scratch
    /// Reports rows that break the rule and have passed already.
    public let report: (LateRows) throws(DaybookError) -> Void
    /// What is wrong with the table, in words.
    private(set) var judgement: String?
    /// The measured figure.
    private(set) var observed: ObservedValue?
    /// The observation, where a rule has compared it with earlier runs itself.
    private(set) var observation: RuleObservation?
    /// A remark beside the judgement, such as how many rows were not judged.
    private(set) var remark: String?
    /// How many rows break the rule and are only counted.
    private(set) var unreported = 0
    /// Rows rejected together that no other rule rejects.
    public private(set) var newRejects = RowSet()
    /// How many findings were reported.
    private(set) var reportCount = 0

    /// How many rows are reported: all rejects, others up to the limit.
    public var reportLimit: Int {
        switch fate {
        case .rejected: .max
        case .reported: limit
        case .counted: 0
        }
    }

    /// How many of these, from the first on, need their message.
    public var messageLimit: Int { needsMessages ? reportLimit : min(limit, reportLimit) }

    /// Sets the judgement of the table.
    public mutating func judge(_ message: String) { judgement = message }

    /// Sets a remark, whether the rule passes or not.
    public mutating func remark(_ text: String) { remark = text }

    /// Sets the measured figure; nil for none.
    public mutating func observe(_ value: ObservedValue?) { observed = value }

    /// Sets the figures of several days, compared with earlier days.
    mutating func observe(_ days: RuleObservation) { observation = days }

    /// Whether the next row that breaks the rule is reported. Other rows are counted: beyond the limit, nobody reads about a row
    /// that another rule has rejected.
    public mutating func reports(_ row: Int) -> Bool {
        if reportCount < limit {
            reportCount += 1
            return true
        }
        if fate == .rejected, !rejected.contains(row) { return true }
        unreported += 1
        return false
    }

    /// Rejects the rows from `first` on that no other rule rejects, without a message, and counts the others. Rows with
    /// a message lie before `first`.
    public mutating func reject(_ rows: RowSet, from first: Int) {
        newRejects = rows.subtracting(rejected, from: first)
        unreported += rows.subtracting(RowSet(), from: first).count - newRejects.count
    }

    /// Counts rows that break the rule without reporting them.
    public mutating func count(_ rows: Int) { unreported += rows }

    /// Reports rows by their numbers, which are their places too, some thousands at a time.
    func report(rows: some Collection<Int>, _ places: CompactProvenance, message: String? = nil) throws(DaybookError) {
        let rows = Array(rows)
        for part in rows.indices.pieces(of: 4_096) {
            let part = Array(rows[part])
            try report(LateRows(numbers: part, places: places, at: part, message: message))
        }
    }
}

/// Rows that have passed and break a rule, as is found after the last row.
public struct LateRows: Sendable {
    /// The row numbers, in the order in which the stage received the rows.
    public var numbers: [Int]
    /// The rows' places, as indices into `places`.
    public var places: CompactProvenance
    public var at: [Int]
    /// Whether all rows are rejected, by this rule only.
    public var areNewRejects = false
    /// The rows' values, if at hand; else they are taken from the records.
    public var values: @Sendable () throws(DaybookError) -> Column?
    /// The fault, if it differs from the rule's finding.
    public var message: String?
    /// The rows that replace `Findings.rowMark` in the message; nil for a row that a stage made.
    public var named: [RowOrigin?]?

    public init(
        numbers: [Int],
        places: CompactProvenance,
        at: [Int],
        values: @escaping @Sendable () throws(DaybookError) -> Column? = { nil },
        message: String? = nil
    ) {
        (self.numbers, self.places, self.at, self.message) = (numbers, places, at, message)
        self.values = values
    }

    /// Rows with known places and rows that stages made, in separate parts, since a batch has places for all of its
    /// rows or for none.
    var parts: [LateRows] {
        let stretches = places.stretches(of: at)
        return stretches.count < 2 ? [self] : stretches.map(part)
    }

    private func part(_ range: Range<Int>) -> LateRows {
        var part = self
        part.numbers = Array(numbers[range])
        part.at = Array(at[range])
        part.named = named.map { Array($0[range]) }
        part.values = { [values] () throws(DaybookError) in try values()?.keeping(range.map { Int32($0) }) }
        return part
    }
}

extension StageExample {
    /// An example of `check_rows` that passes rows unchanged.
    public static func passing(
        _ claim: String,
        options: String,
        rows: String,
        beside: String? = nil,
        findings: [String],
        file: String = #fileID,
        line: Int = #line
    ) -> StageExample {
        StageExample(
            claim,
            options: options,
            input: rows,
            beside: beside,
            output: rows,
            findings: findings,
            file: file,
            line: line
        )
    }
}

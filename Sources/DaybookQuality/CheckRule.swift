/// One kind of rule: what it asks of rows, in a file of its own.
///
/// Adding one takes that file and a line in a `RuleTable`. A rule that knows from a row alone whether it is broken is a
/// `RowRule`; one that has to remember other rows, a `MemoryRule`.
public protocol CheckRule: Sendable {
    /// The key in a job, in snake case: what is asked of the rows.
    static var name: String { get }
    /// What it asks, in one sentence.
    static var summary: String { get }
    /// The option that a bare value stands for, such as `column` in `not_missing: emotion`; nil where there is none.
    static var shorthand: String? { get }
    /// Whether it is about the table as a whole, so that some of its rows cannot be held against it.
    static var isAboutTable: Bool { get }
    /// Examples of `check_rows` with the rule, at least one of which shows how it is broken.
    static var examples: [StageExample] { get }

    init(reading options: inout OptionReader)

    /// What is found, in whose message `{value}` stands for the value.
    var finding: Finding.Kind { get }
    /// The columns that it reads.
    var columns: [ColumnName] { get }
    /// The column to point at; nil for the whole row.
    var target: ColumnName? { get }
    /// What is wrong with rows that break it, behind their number: `have no value in 'emotion'`.
    var complaint: String { get }
    /// What is expected of the rows, for people: `every value in 'count' is at least 0`.
    var expectation: String { get }
    /// A second rule that the same entry asks for, with limits and a name of its own, told behind this one.
    var companion: RuleCompanion? { get }

    func check(_ input: Schema) throws(DaybookError)
}

extension CheckRule {
    public static var shorthand: String? { nil }
    public static var isAboutTable: Bool { false }
    public var target: ColumnName? { columns.first }
    public var expectation: String { "no rows that \(complaint)" }
    public var companion: RuleCompanion? { nil }
    public func check(_ input: Schema) throws(DaybookError) {}
}

/// A rule that comes with another.
public struct RuleCompanion: Sendable {
    public var rule: any CheckRule
    /// What its name has behind that of the entry.
    public var suffix: String
    public var limits: RuleLimits

    public init(_ rule: any CheckRule, suffix: String, limits: RuleLimits) {
        (self.rule, self.suffix, self.limits) = (rule, suffix, limits)
    }
}

/// Rows that break a rule in one way.
public struct Breach: Sendable {
    public var kind: Finding.Kind
    /// The column to point at; nil for the whole row.
    public var column: ColumnName?
    public var rows: Mask

    public init(_ kind: Finding.Kind, in column: ColumnName?, _ rows: Mask) {
        (self.kind, self.column, self.rows) = (kind, column, rows)
    }
}

/// A rule that a row breaks by itself.
public protocol RowRule: CheckRule {
    /// The rows that break it, each in one way. Whether a row was asked about at all is not its business.
    func breaches(in batch: Batch) -> [Breach]
}

/// A rule that a row breaks by itself, and in one way only.
public protocol ValueRule: RowRule {
    func broken(in batch: Batch) -> Mask
}

extension ValueRule {
    public func breaches(in batch: Batch) -> [Breach] { [Breach(finding, in: target, broken(in: batch))] }
}

/// A rule that remembers what it saw.
public protocol MemoryRule: CheckRule, Aggregator, ResultMerger
where Rows == CheckedRows, Report == [Breach], Partial: PartialResult {
    /// Whether it finds rows that break it only when all have been seen.
    static var findsLate: Bool { get }

    /// Says what all rows together tell; `memory` is nil when there were none.
    func conclude(
        _ memory: Partial?,
        _ conclusion: inout RuleConclusion,
        scratch: any Scratch,
        tell: (LateRows) throws(DaybookError) -> Void
    ) throws(DaybookError)
}

/// A rule about the table as a whole, which is judged once all rows have been seen.
public protocol TableRule: MemoryRule {
    /// What is wrong with all rows together, in words; nil when nothing is. `memory` is nil when there were none.
    func judgement(of memory: Partial?, in schema: Schema) -> String?
    /// What it measured, for one that measures something; nil where there is nothing to measure.
    func figure(of memory: Partial?) -> ObservedValue?
}

extension TableRule {
    public static var findsLate: Bool { false }
    public static var isAboutTable: Bool { true }
    public func figure(of memory: Partial?) -> ObservedValue? { nil }

    public func conclude(
        _ memory: Partial?,
        _ conclusion: inout RuleConclusion,
        scratch: any Scratch,
        tell: (LateRows) throws(DaybookError) -> Void
    ) {
        conclusion.observe(figure(of: memory))
        if let judgement = judgement(of: memory, in: conclusion.schema) { conclusion.judge(judgement) }
    }
}

/// The rows of a batch that a rule is asked about.
public struct CheckedRows {
    public var batch: Batch
    /// Nil when it is asked about all of them.
    public var asked: Mask?
    /// What the rule knows of the stage that it refers to; nil where it refers to none.
    var known: (any Sendable)?

    public var count: Int { asked?.setCount ?? batch.count }

    /// The rows that are asked about and have a value in each of some columns.
    func having(_ columns: [ColumnName]) -> Batch {
        let left = asked?.inverted
        guard let out = Optional<Mask>.union(left, batch.gaps(in: columns)) else { return batch }
        return batch.keeping((0..<Int32(truncatingIfNeeded: batch.count)).filter { !out[Int($0)] })
    }

    /// Calls `body` with every value of a column of the batch that is there and asked about.
    @inline(__always)
    func forEachValue<Element>(of values: Values<Element>, _ body: (_ row: Int, _ value: Element) -> Void) {
        let elements = values.elements.span
        for row in elements.indices where !values.missing.isMissing(row) && asked?[row] != false {
            body(row, elements[row])
        }
    }
}

/// The end of a rule: what it may still say.
public struct RuleConclusion {
    let fate: Findings.Fate
    /// How many more findings will be told.
    let room: Int
    /// Whether the message of every reject is read.
    let wordsRejects: Bool
    /// The rows that are rejected already, by other rules.
    let rejected: RowSet
    /// All columns that come in.
    public let schema: Schema
    public let context: OptionReader.Context
    /// What the rule knows of the stage that it refers to; nil where it refers to none, or where that is not read again.
    let known: (any Sendable)?
    /// What is wrong with all rows together, in words.
    private(set) var judgement: String?
    /// What was measured of all rows.
    private(set) var observed: ObservedValue?
    /// What is to be said beside the judgement, such as how many rows could not be held against the rule.
    private(set) var remark: String?
    /// How many rows break the rule that are not told.
    private(set) var untold = 0
    /// The rows that are rejected all at once, which no other rule rejects.
    public private(set) var newRejects = RowSet()
    /// How many findings were told of rows that are rejected already, or stay.
    private var told = 0

    init(
        fate: Findings.Fate,
        room: Int,
        wordsRejects: Bool,
        rejected: RowSet,
        schema: Schema,
        context: OptionReader.Context,
        known: (any Sendable)?
    ) {
        (self.fate, self.room, self.wordsRejects, self.rejected) = (fate, room, wordsRejects, rejected)
        (self.schema, self.context, self.known) = (schema, context, known)
    }

    /// How many rows are worth telling: rejects always, others while there is room.
    public var tellable: Int {
        switch fate {
        case .rejected: .max
        case .reported: room
        case .counted: 0
        }
    }

    /// Of how many of these, the first ones, somebody reads the message.
    public var worded: Int { wordsRejects ? tellable : min(room, tellable) }

    /// Judges all rows together.
    public mutating func judge(_ message: String) { judgement = message }

    /// Notes what is to be said whether the rule holds or not.
    public mutating func remark(_ text: String) { remark = text }

    /// Notes what was measured of all rows; nil where there is nothing to measure.
    public mutating func observe(_ value: ObservedValue?) { observed = value }

    /// Whether the next row that breaks the rule is worth telling. One that is not is counted: nobody reads about a row that is
    /// rejected already when there is no more room.
    public mutating func tells(_ row: Int) -> Bool {
        if told < room {
            told += 1
            return true
        }
        if fate == .rejected, !rejected.contains(row) { return true }
        untold += 1
        return false
    }

    /// Rejects rows, all behind those with a message, that no other rule rejects, and counts the others.
    public mutating func reject(_ rows: RowSet, from first: Int) {
        newRejects = rows.subtracting(rejected, from: first)
        untold += rows.subtracting(RowSet(), from: first).count - newRejects.count
    }

    /// Counts rows that break the rule without telling them.
    public mutating func count(_ rows: Int) { untold += rows }
}

/// Rows that passed and were found to break a rule.
public struct LateRows: Sendable {
    /// Their numbers in the order in which rows entered the stage.
    public var numbers: [Int]
    /// Where they stand, by their places in `places`.
    public var places: CompactProvenance
    public var at: [Int]
    /// Whether all of them are rejected, and by no other rule.
    public var areNewRejects = false
    /// Their values, where these are at hand; else they are taken from the records.
    public var values: @Sendable () throws(DaybookError) -> Column?
    /// What is wrong with them, when not what the rule's finding says.
    public var message: String?
    /// The rows that they are told with, for which `Findings.rowMark` stands in the message; nil for one that a stage made.
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

    /// Those whose place is known and those that stages made by themselves, for a batch has places for all of its rows or for none.
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
    /// An example of `check_rows`, which lets rows pass as they are.
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

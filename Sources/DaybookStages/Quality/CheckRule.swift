import DaybookCore
import DaybookFormats
import DaybookTables

/// One kind of rule: what it asks of rows, in a file of its own.
///
/// Adding one takes that file and a line in `RuleTable.builtIn`. A rule that knows from a row alone whether it is broken is a
/// `RowRule`; one that has to remember other rows, a `MemoryRule`.
protocol CheckRule: Sendable {
    /// The key in a job, in snake case: what is asked of the rows.
    static var name: String { get }
    /// What it asks, in one sentence.
    static var summary: String { get }
    /// The option that a bare value stands for: `not_missing: emotion`.
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
    /// A second rule that the same entry asks for, with limits and a name of its own, told behind this one.
    var companion: RuleCompanion? { get }

    func check(_ input: Schema) throws(DaybookError)
}

/// A rule that comes with another.
struct RuleCompanion: Sendable {
    var rule: any CheckRule
    /// What its name has behind that of the entry.
    var suffix: String
    var limits: RuleLimits
}

extension CheckRule {
    static var shorthand: String? { "column" }
    static var isAboutTable: Bool { false }
    var target: ColumnName? { columns.first }
    var companion: RuleCompanion? { nil }
    func check(_ input: Schema) throws(DaybookError) {}
}

/// Rows that break a rule in one way.
struct Breach: Sendable {
    var kind: Finding.Kind
    /// The column to point at; nil for the whole row.
    var column: ColumnName?
    var rows: Mask

    init(_ kind: Finding.Kind, in column: ColumnName?, _ rows: Mask) {
        self.kind = kind
        self.column = column
        self.rows = rows
    }
}

/// A rule that a row breaks by itself.
protocol RowRule: CheckRule {
    /// The rows that break it, each in one way. Whether a row was asked about at all is not its business.
    func breaches(in batch: Batch) -> [Breach]
}

/// A rule that a row breaks by itself, and in one way only.
protocol ValueRule: RowRule {
    func broken(in batch: Batch) -> Mask
}

extension ValueRule {
    func breaches(in batch: Batch) -> [Breach] { [Breach(finding, in: target, broken(in: batch))] }
}

/// A rule that remembers what it saw.
protocol MemoryRule: CheckRule, Aggregator where Rows == AskedRows, Report == [Breach], Partial: PartialResult {
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

/// The rows of a batch that a rule is asked about.
struct AskedRows {
    var batch: Batch
    /// Nil when it is asked about all of them.
    var asked: Mask?

    var count: Int { asked?.setCount ?? batch.count }
}

/// The end of a rule: what it may still say.
struct RuleConclusion {
    let fate: Findings.Fate
    /// How many more findings will be told.
    let room: Int
    /// Whether the message of every reject is read.
    private let wordsRejects: Bool
    /// All columns that come in.
    let schema: Schema
    let context: OptionReader.Context
    /// What is wrong with all rows together, in words.
    private(set) var judgement: String?
    /// How many rows break the rule that are not told.
    private(set) var untold = 0
    /// The rows that are rejected already, by other rules.
    private let rejected: RowSet
    /// The rows that are rejected all at once, which no other rule rejects.
    private(set) var newRejects = RowSet()
    /// How many more findings are told of rows that are rejected already, or stay.
    private var left: Int

    init(
        fate: Findings.Fate,
        room: Int,
        wordsRejects: Bool,
        rejected: RowSet,
        schema: Schema,
        context: OptionReader.Context
    ) {
        self.fate = fate
        self.room = room
        self.wordsRejects = wordsRejects
        self.rejected = rejected
        left = room
        self.schema = schema
        self.context = context
    }

    /// How many rows are worth telling: rejects always, others while there is room.
    var tellable: Int {
        switch fate {
        case .rejected: .max
        case .reported: room
        case .counted: 0
        }
    }

    /// Of how many of these, the first ones, somebody reads the message.
    var worded: Int { wordsRejects ? tellable : min(room, tellable) }

    /// Judges all rows together.
    mutating func judge(_ message: String) { judgement = message }

    /// Whether the next row that breaks the rule is worth telling. One that is not is counted: nobody reads about a row that is
    /// rejected already when there is no more room.
    mutating func tells(_ row: Int) -> Bool {
        if left > 0 {
            left -= 1
            return true
        }
        if fate == .rejected, !rejected.contains(row) { return true }
        untold += 1
        return false
    }

    /// Rejects rows, all behind those with a message, that no other rule rejects, and counts the others.
    mutating func reject(_ rows: RowSet, from first: Int) {
        newRejects = rows.subtracting(rejected, from: first)
        untold += rows.subtracting(RowSet(), from: first).count - newRejects.count
    }

    /// Counts rows that break the rule without telling them.
    mutating func count(_ rows: Int) { untold += rows }
}

/// Rows that passed and were found to break a rule.
struct LateRows: Sendable {
    /// Their numbers in the order in which rows entered the stage.
    var numbers: [Int]
    /// Where they stand, by their places in `places`.
    var places: RowPlaces
    var at: [Int]
    /// Whether all of them are rejected, and by no other rule.
    var areNewRejects = false
    /// Their values, where these are at hand; else they are taken from the records.
    var values: @Sendable () throws(DaybookError) -> Column? = { nil }
    /// What is wrong with them, when not what the rule's finding says.
    var message: String?
    /// The rows that they are told with, for which `Findings.rowMark` stands in the message; nil for one that a stage made.
    var named: [RowOrigin?]?

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

extension String {
    /// The beginning of a text that somebody wrote, for a message.
    var shortened: String { unicodeScalars.count <= 60 ? self : "\(String(unicodeScalars.prefix(60)))…" }
}

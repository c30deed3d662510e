import DaybookCore

/// One kind of rule: what it asks of rows, in a file of its own.
///
/// Adding one takes that file, a line in `RuleTable.builtIn` and examples in `CheckRows+Examples`. A rule that knows from a row
/// alone whether it is broken is a `RowRule`; one that has to remember other rows, a `MemoryRule`.
protocol CheckRule: Sendable {
    /// The key in a job, in snake case: what is asked of the rows.
    static var name: String { get }
    /// What it asks, in one sentence.
    static var summary: String { get }
    /// The option that a bare value stands for: `not_missing: emotion`.
    static var shorthand: String? { get }

    init(reading options: inout OptionReader)

    /// What is found, in whose message `{value}` stands for the value.
    var finding: Finding.Kind { get }
    /// The columns that it is about, the one to point at first.
    var columns: [ColumnName] { get }
    /// What is wrong with rows that break it, behind their number: `have no value in 'emotion'`.
    var complaint: String { get }

    func check(_ input: Schema) throws(DaybookError)
}

extension CheckRule {
    static var shorthand: String? { "column" }
}

/// A rule that a row breaks by itself.
protocol RowRule: CheckRule {
    /// The rows that break it. Whether a row was asked about at all is not its business.
    func broken(in batch: Batch) -> Mask
}

/// A rule that remembers what it saw.
protocol MemoryRule: CheckRule {
    associatedtype Memory: RuleMemory

    /// Whether it finds rows that break it only when all have been seen.
    static var findsLate: Bool { get }

    /// What the rows that are asked about come to, all of them when `asked` is nil, and those that are known to break it.
    func memory(of batch: Batch, asked: Mask?, broken: inout Mask?) -> Memory
    /// Adds what later rows came to.
    func merge(_ later: Memory, into earlier: inout Memory)
    /// Says what all rows together tell; `memory` is nil when there were none.
    func conclude(_ memory: Memory?, _ conclusion: inout RuleConclusion) throws(DaybookError)
}

/// What a rule knows of some rows: a value that can be written to bytes and read back.
protocol RuleMemory: Sendable {
    func write(to bytes: Bytes) throws(DaybookError)
    init(reading reader: inout ByteReader) throws(DaybookError)
}

/// The end of a rule: what it may still say, and to whom.
struct RuleConclusion {
    /// The number of the rule.
    let number: Int
    let finding: Finding.Kind
    /// The field to point at.
    let field: Field?
    let fate: Findings.Fate
    /// How many more findings will be told.
    let room: Int
    let context: OptionReader.Context
    /// What there is to say about rows that passed.
    var said: [LateFindings] = []
    /// What there is to say about all rows.
    var findings = Findings()

    /// Whether rows that are told now are worth looking up: rejects always, others while there is room.
    func tells(_ told: Int) -> Bool { fate == .rejected || (fate == .reported && told < room) }

    /// Judges all rows together, in words.
    mutating func judge(_ message: String) {
        findings.judge(findings.token(finding, in: field.map { ColumnName($0.name) }, rule: number), saying: message)
    }

    /// Counts rows that break the rule without telling them.
    mutating func count(_ count: Int) {
        findings.count(count, findings.token(finding, in: field.map { ColumnName($0.name) }, rule: number))
    }

    /// Tells of rows that passed, each with its number, its place and what is wrong with it.
    mutating func tell(_ rows: [LateRow]) {
        guard !rows.isEmpty else { return }
        var late = Findings()
        let token = late.token(finding, in: field.map { ColumnName($0.name) }, rule: number)
        for (index, row) in rows.enumerated() {
            if fate == .rejected {
                late.reject(index, token, saying: row.message, naming: row.named)
            } else {
                late.warn(index, token, saying: row.message, naming: row.named)
            }
        }
        let batch = LateFindings.rows(rows.map(\.origin), field: field)
        said.append(LateFindings(late, about: batch, numbers: rows.map(\.number)))
    }
}

/// A row that passed and was found to break a rule.
struct LateRow {
    /// Its number in the order in which rows entered the stage.
    var number: Int
    /// Nil for a row that a stage made.
    var origin: RowOrigin?
    var message: String
    /// The rows that the message names, by `Findings.rowMark`.
    var named: [RowOrigin] = []
}

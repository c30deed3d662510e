/// A fold turns all rows into others, or reorders them: declared by a stage with options, or by a program.
public protocol Fold: Sendable {
    /// True if every row is emitted again, as in sorting; false if rows are folded into others.
    static var keepsRows: Bool { get }

    /// True if rows pass at once, unchanged, while the fold only remembers what it saw; see `Check`.
    static var passesRows: Bool { get }

    /// The keys it gathers, for other processes to take a partition each: `daybook exchange`. Nil without keys.
    var keys: (any PartialKeys.Type)? { get }

    /// The fold as a check of rules; nil if it is none.
    var asCheck: (any Check)? { get }

    /// The other stages that it reads; nil if it reads one stage.
    var asJoining: (any Joining)? { get }

    /// Whether rows with different values of a column never meet: what becomes of a day's rows is then the same with other
    /// days and without them.
    func separates(_ column: ColumnName) -> Bool

    /// The operator for rows with these columns, or an error at the option that asks for the impossible.
    func bind(_ inputs: StageInputs) throws(DaybookError) -> Binding
}

extension Fold {
    public static var keepsRows: Bool { false }
    public static var passesRows: Bool { false }
    public var keys: (any PartialKeys.Type)? { nil }
    public var asCheck: (any Check)? { nil }
    public var asJoining: (any Joining)? { nil }
    public func separates(_ column: ColumnName) -> Bool { false }
}

/// An operator that sees all rows before it emits any: an aggregator of batches that ends in other rows.
public protocol FoldOperator: FinishingOperator where Partial: FoldPartial {}

/// A fold of one stage that needs nothing but its options and the rows: its own operator.
///
/// Four methods make one: `schema(after:)`, `partial(of:reporting:)`, `merge(_:into:scratch:)` and `finish(_:_:)`.
public protocol FoldStage: Stage, Fold, FoldOperator {
    func schema(after input: Schema) throws(DaybookError) -> Schema
    func columns(neededFor wanted: ColumnSet) -> ColumnSet
}

extension FoldStage {
    public func columns(neededFor wanted: ColumnSet) -> ColumnSet { .all }
    public func bind(_ inputs: StageInputs) throws(DaybookError) -> Binding {
        Binding(try schema(after: inputs.schema), .fold(self)) { columns(neededFor: $0) }
    }
}

/// The partial result of a fold over some rows.
public protocol FoldPartial: PartialResult {
    /// How many rows went into it, counted where they were folded.
    var foldedRows: Int { get }
}

/// Receives the rows of a stage at its end, and carries the limits of its report.
public final class FoldOutput {
    /// The output columns.
    public let schema: Schema
    public let scratch: any Scratch
    /// For a check: how many more findings of each rule will be reported. Findings beyond that need only be counted, by
    /// `Findings.count`, unless they reject their row.
    public let room: [Int]?
    /// Whether every reject needs its message, or only those within `room`.
    public let wordsRejects: Bool
    /// The days that the imports of its rows read, in order, where they name days.
    public let days: [CalendarDay]
    /// For a stage that keeps its rows: the rows it does not emit, by the name under which they are dropped.
    public private(set) var droppedRows: [String: Int] = [:]
    /// The rows that do not come from input rows, by the name under which they are made.
    public private(set) var addedRows: [String: Int] = [:]
    private let take: (LateFindings) throws(DaybookError) -> Void

    public init(
        schema: Schema,
        scratch: any Scratch,
        room: [Int]? = nil,
        wordsRejects: Bool = true,
        days: [CalendarDay] = [],
        take: @escaping (LateFindings) throws(DaybookError) -> Void
    ) {
        (self.schema, self.scratch, self.room, self.wordsRejects) = (schema, scratch, room, wordsRejects)
        (self.days, self.take) = (days, take)
    }

    /// The same output, whose rows pass through `take` first.
    public func redirected(to take: @escaping (LateFindings) throws(DaybookError) -> Void) -> FoldOutput {
        FoldOutput(schema: schema, scratch: scratch, room: room, wordsRejects: wordsRejects, days: days, take: take)
    }

    /// Emits rows with their findings.
    public func emit(_ rows: Batch, _ findings: Findings = Findings()) throws(DaybookError) {
        try take(LateFindings(findings) { rows })
    }

    /// Emits rows that are made on demand, or findings about rows that have passed.
    public func emit(_ late: LateFindings) throws(DaybookError) { try take(late) }

    /// Counts dropped rows that are in no batch. Rows of a batch are dropped in its findings.
    public func drop(_ rows: Int, as name: String) { if rows > 0 { droppedRows[name, default: 0] += rows } }

    /// Counts rows that do not come from input rows, by name. They are emitted separately.
    public func add(_ rows: Int, as name: String) { if rows > 0 { addedRows[name, default: 0] += rows } }
}

/// Gathers a result from all rows: each batch yields a partial, and partials are merged in the order of the input.
///
/// Folds, checks, the rules of a check and observers are aggregators; they differ in what they map (`Rows`), in where
/// they report findings (`Report`), and in how they end. One partial serves threads, disk and other processes: it is a
/// value, and its byte form (`PartialCoding`) is the byte form of the containers in it.
public protocol Aggregator: Sendable {
    /// The input of one partial.
    associatedtype Rows = Batch
    /// Receives findings about single rows.
    associatedtype Report = Findings
    associatedtype Partial: Sendable

    /// Computes the partial of some rows. Called on any thread, in any order. A fold omits rows it rejects in `report`.
    func partial(of rows: Rows, reporting report: inout Report) throws(DaybookError) -> Partial

    /// Merges the partial of later rows into the partial of earlier ones. Called in the order of the input, on any
    /// number of threads, and in any grouping: (a + b) + c is a + (b + c).
    func merge(_ later: Partial, into earlier: inout Partial, scratch: any Scratch) throws(DaybookError)
}

/// Merges partials, wherever their rows are.
public protocol ResultMerger: Sendable {
    associatedtype Partial: PartialResult

    /// See `Aggregator`.
    func merge(_ later: Partial, into earlier: inout Partial, scratch: any Scratch) throws(DaybookError)
}

extension ResultMerger {
    /// Merges partials whose type is erased. Nil means no rows.
    public func merge(
        erased later: any PartialResult,
        into earlier: inout (any PartialResult)?,
        scratch: any Scratch
    ) throws(DaybookError) {
        guard earlier != nil else {
            earlier = later
            return
        }
        guard let new = later as? Partial, var old = earlier as? Partial else {
            preconditionFailure("\(Self.self) was handed the partial result of another")
        }
        // Released, so that it is not copied.
        earlier = nil
        try merge(new, into: &old, scratch: scratch)
        earlier = old
    }
}

extension FoldPartial {
    public var endedRows: Int { foldedRows }
}

/// Gathers from all rows and emits rows after the last: the operator of a fold, or of a transform that needs it.
///
/// The rows of a transform flow through it as through any other; `partial(of:reporting:)` sees them in addition to
/// `process`, and only `process` reports findings.
public protocol FinishingOperator: Aggregator, ResultMerger
where Rows == Batch, Report == Findings, Partial: PartialResult {
    /// Emits the resulting batches in order. `partial` is nil if there were no rows at all. The stage is its only
    /// owner, so that it can release what it has used.
    func finish(_ partial: consuming Partial?, _ output: FoldOutput) throws(DaybookError)
}

extension FinishingOperator {
    /// Ends with a partial result whose type is no longer named.
    public func finish(erased partial: consuming (any PartialResult)?, _ output: FoldOutput) throws(DaybookError) {
        // Moved out, for a copy would retain everything that the stage releases.
        var whole = partial.take() as? Partial
        try finish(whole.take(), output)
    }
}

/// All rows become others, or come out in another order: what a stage with options declares, or a program.
public protocol Fold: Sendable {
    /// True when every row comes out again, as in sorting; false when rows are folded into others.
    static var keepsRows: Bool { get }

    /// True when rows go on at once, as they are, while the fold only remembers what it saw of them; see `Check`.
    static var passesRows: Bool { get }

    /// The keys that it gathers, of which other processes can take a partition each: `daybook exchange`. Nil where there are none.
    var keys: (any PartialKeys.Type)? { get }

    /// The same as one that holds rows against rules; nil where it does not.
    var asCheck: (any Check)? { get }

    /// What it reads beside the stage above; nil where it reads one stage.
    var asJoining: (any Joining)? { get }

    /// What runs where rows have these columns, or an error at the option that asks for the impossible.
    func bind(_ inputs: StageInputs) throws(DaybookError) -> Binding
}

extension Fold {
    public static var keepsRows: Bool { false }
    public static var passesRows: Bool { false }
    public var keys: (any PartialKeys.Type)? { nil }
    public var asCheck: (any Check)? { nil }
    public var asJoining: (any Joining)? { nil }
}

/// What sees all rows before it gives any: an aggregator of batches that ends in other rows.
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

/// What a fold knows of some rows.
public protocol FoldPartial: PartialResult {
    /// How many rows went into it, counted where they were folded.
    var foldedRows: Int { get }
}

/// Where a stage puts its rows at the end, and what it may know then.
public final class FoldOutput {
    /// The columns that come out.
    public let schema: Schema
    public let scratch: any Scratch
    /// How many more findings of each rule will be told, for a check. The others need only be counted, by `Findings.count`,
    /// unless they reject their row.
    public let room: [Int]?
    /// Whether somebody reads the message of every reject, and not only of those for which there is room.
    public let wordsRejects: Bool
    /// The rows that a stage which keeps its rows does not give back, by the name under which they are dropped.
    public private(set) var droppedRows: [String: Int] = [:]
    /// The rows that come from elsewhere than the rows that went in, by the name under which they are made.
    public private(set) var addedRows: [String: Int] = [:]
    private let take: (LateFindings) throws(DaybookError) -> Void

    public init(
        schema: Schema,
        scratch: any Scratch,
        room: [Int]? = nil,
        wordsRejects: Bool = true,
        take: @escaping (LateFindings) throws(DaybookError) -> Void
    ) {
        (self.schema, self.scratch, self.room, self.wordsRejects) = (schema, scratch, room, wordsRejects)
        self.take = take
    }

    /// The same output, through which rows go to another first.
    public func redirected(to take: @escaping (LateFindings) throws(DaybookError) -> Void) -> FoldOutput {
        FoldOutput(schema: schema, scratch: scratch, room: room, wordsRejects: wordsRejects, take: take)
    }

    /// Gives rows with what there is to say about them.
    public func emit(_ rows: Batch, _ findings: Findings = Findings()) throws(DaybookError) {
        try take(LateFindings(findings) { rows })
    }

    /// Gives rows that are made where they are needed, or says something of rows that have passed.
    public func emit(_ late: LateFindings) throws(DaybookError) { try take(late) }

    /// Counts rows that were dropped and stand in no batch. Those of a batch are dropped in its findings.
    public func drop(_ rows: Int, as name: String) { if rows > 0 { droppedRows[name, default: 0] += rows } }

    /// Names rows that are made of none that went in. They are emitted beside.
    public func add(_ rows: Int, as name: String) { if rows > 0 { addedRows[name, default: 0] += rows } }
}

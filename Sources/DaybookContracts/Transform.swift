/// Rows become rows, batch by batch: what a stage with options declares, or a program.
public protocol Transform: Sendable {
    /// Whether rows become others, none or several for each that went in.
    var makesRows: Bool { get }

    /// Whether it gives rows when all have come, too; then its operator is a `FinishingOperator`.
    var finishes: Bool { get }

    /// What it reads beside the stage above; nil where it reads one stage.
    var asJoining: (any Joining)? { get }

    /// What runs where rows have these columns, or an error at the option that asks for the impossible.
    func bind(_ inputs: StageInputs) throws(DaybookError) -> Binding
}

extension Transform {
    public var makesRows: Bool { false }
    public var finishes: Bool { false }
    public var asJoining: (any Joining)? { nil }
}

/// What takes batches through a transform, each alone and on any thread.
public protocol TransformOperator: Sendable {
    /// The same rows with other columns. Every row comes back; those to reject or drop are named in `findings`. Throws what the machine
    /// fails in, such as a disk that cannot be read; what is wrong with a row is a finding.
    ///
    /// A transform that makes rows gives new ones instead, each with the origin of the row that it came from, and says of every row that it
    /// neither rejects nor drops how many it became: `Findings.unfold(into:)`.
    ///
    /// - Parameter input: which of the stages under `from` the batch comes from.
    func process(
        _ batch: Batch,
        of input: Int,
        reporting findings: inout Findings
    ) throws(DaybookError) -> Batch

    /// The same where nothing bounds how many rows each becomes: part by part, so that memory stays bounded. Nil where `process` gives them
    /// all at once.
    func parts(of batch: Batch) -> (any BatchParts)?

    /// The same as one that gives rows when all have come; nil where it does not.
    var asFinishing: (any FinishingOperator)? { get }
}

extension TransformOperator {
    public func parts(of batch: Batch) -> (any BatchParts)? { nil }
    public var asFinishing: (any FinishingOperator)? { nil }
}

/// A transform of one stage that needs nothing but its options and the batch: its own operator.
///
/// Three methods make one: `schema(after:)`, `columns(neededFor:)` and `process(_:reporting:)`.
public protocol TransformStage: Stage, Transform, TransformOperator {
    /// True when every row comes back; false when the rows that come out are others, none or several for each that
    /// went in.
    static var keepsRows: Bool { get }

    /// The columns that come out, or an error at the option that asks for the impossible.
    func schema(after input: Schema) throws(DaybookError) -> Schema

    /// The columns that must come in for `wanted` to come out. All of them, unless the stage knows better.
    func columns(neededFor wanted: ColumnSet) -> ColumnSet

    /// See `TransformOperator`.
    func process(_ batch: Batch, reporting findings: inout Findings) throws(DaybookError) -> Batch
}

extension TransformStage {
    public static var keepsRows: Bool { true }
    public var makesRows: Bool { !Self.keepsRows }
    public func columns(neededFor wanted: ColumnSet) -> ColumnSet { .all }
    public func bind(_ inputs: StageInputs) throws(DaybookError) -> Binding {
        Binding(try schema(after: inputs.schema), .transform(self)) { columns(neededFor: $0) }
    }
    public func process(
        _ batch: Batch,
        of input: Int,
        reporting findings: inout Findings
    ) throws(DaybookError) -> Batch {
        try process(batch, reporting: &findings)
    }
}

/// A stage that writes columns over which are there already, so that `explain` can tell which.
public protocol ColumnReplacing: Stage {
    /// The columns that it writes over, as the job names them; none when it only adds.
    var replacedColumns: [ColumnName] { get }
}

/// A declaration that reads more than one stage.
///
/// Rows of its main inputs flow through it as through any stage. Its sides are read to their end first, for it looks things
/// up in them. A stage whose main rows and sides come from one source is no special case: the engine holds rows back.
public protocol Joining: Sendable {
    /// What the stages under `from` are to it.
    static var inputs: JoinedInputs { get }

    /// Stages that the options name beside `from`, each read to its end before any row comes.
    var sides: [BuildSideReference] { get }
}

/// What the stages under `from` are to a stage that reads several.
public enum JoinedInputs: Sendable {
    /// One main input, as for any stage.
    case one
    /// A main input, and one that is looked things up in.
    case mainAndBuildSide
    /// Two or more main inputs, one after another.
    case several
}

extension Joining {
    public static var inputs: JoinedInputs { .one }
    public var sides: [BuildSideReference] { [] }
}

extension Transform where Self: Joining {
    public var asJoining: (any Joining)? { self }
}

extension Fold where Self: Joining {
    public var asJoining: (any Joining)? { self }
}

/// The rows that a batch becomes, given part by part: an iterator, so that a few rows which become millions take the memory of one part.
public protocol BatchParts: Sendable {
    /// The next part; the first may be the last. Not called behind the last.
    ///
    /// What it notes in `findings` is about rows of the whole batch, by their numbers there, and only about those that the part accounts
    /// for. Each row has to be rejected or dropped, or be told to `Findings.unfold`, in one of the parts.
    mutating func next(reporting findings: inout Findings) throws(DaybookError) -> BatchPart
}

/// Some of the rows that a batch becomes.
public struct BatchPart: Sendable {
    /// The new rows, each with the origin of the row that it came from.
    public var rows: Batch
    /// How many rows of the batch it accounts for. One whose rows go on in the next part is accounted for in the first.
    public var parents: Int
    public var isLast: Bool

    public init(_ rows: Batch, parents: Int, isLast: Bool) {
        (self.rows, self.parents, self.isLast) = (rows, parents, isLast)
    }
}

extension Findings {
    /// Rejects the rows that have no value in one of the columns, each once and for the first of them, and gives these rows.
    package mutating func rejectGaps(in columns: [ColumnName], of batch: Batch) -> Mask {
        var gaps = Mask(count: batch.count)
        for column in columns {
            guard let missing = batch[column].missing else { continue }
            let token = token(.missingValue, in: column)
            missing.subtracting(gaps).forEachRow { reject($0, token) }
            gaps.formUnion(missing)
        }
        return gaps
    }
}

extension Finding.Kind {
    package static let missingValue = Finding.Kind("missing-value", "the value is missing")
}

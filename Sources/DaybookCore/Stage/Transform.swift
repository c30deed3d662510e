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

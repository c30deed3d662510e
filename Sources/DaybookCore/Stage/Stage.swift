/// One step of a job. A stage is a value: its options, read once, and nothing that changes while it runs.
///
/// Four roles refine it, and a stage has exactly one: `SourceStage` turns bytes into batches, `TransformStage` a batch
/// into a batch, `FoldStage` all batches into others, `SinkStage` batches into bytes.
public protocol Stage: Sendable {
    static var description: StageDescription { get }

    /// Reads the options, and refuses values that are wrong whatever the columns are. What depends on the columns belongs in
    /// the schema check.
    init(reading options: inout OptionReader)
}

/// A stage that works on each batch alone and remembers nothing between two.
public protocol TransformStage: Stage {
    /// True when every row comes back; false when the rows that come out are others, none or several for each that
    /// went in.
    static var keepsRows: Bool { get }

    /// Whether rows become others, none or several for each that went in: as the type says, unless options decide it.
    var makesRows: Bool { get }

    /// The columns that come out, or an error at the option that asks for the impossible.
    func schema(after input: Schema) throws(DaybookError) -> Schema

    /// The columns that must come in for `wanted` to come out. All of them, unless the stage knows better.
    func columns(neededFor wanted: ColumnSet) -> ColumnSet

    /// The same rows with other columns. Every row comes back; those to reject or drop are named in `findings`. Throws what the machine
    /// fails in, such as a disk that cannot be read; what is wrong with a row is a finding.
    ///
    /// A stage that does not keep its rows gives new ones instead, each with the origin of the row that it came from, and
    /// says of every row that it neither rejects nor drops how many it became: `Findings.unfold(into:)`.
    func process(_ batch: Batch, reporting findings: inout Findings) throws(DaybookError) -> Batch

    /// The same where nothing bounds how many rows each becomes: part by part, so that memory stays bounded. Nil where `process` gives them
    /// all at once.
    func parts(of batch: Batch) -> (any BatchParts)?

    /// The same for a stage that reads several, told which of them under `from` the batch comes from.
    func process(
        _ batch: Batch,
        of input: Int,
        reporting findings: inout Findings
    ) throws(DaybookError) -> Batch
}

extension TransformStage {
    public static var keepsRows: Bool { true }
    public var makesRows: Bool { !Self.keepsRows }
    public func parts(of batch: Batch) -> (any BatchParts)? { nil }
    public func columns(neededFor wanted: ColumnSet) -> ColumnSet { .all }
    public func process(
        _ batch: Batch,
        of input: Int,
        reporting findings: inout Findings
    ) throws(DaybookError) -> Batch {
        try process(batch, reporting: &findings)
    }
}

/// One step of a job. A stage is a value: its options, read once, and nothing that changes while it runs.
///
/// Four roles refine it, and a stage has exactly one: `SourceStage` turns bytes into batches, `TransformStage` a batch
/// into a batch, `FoldStage` all batches into others, `SinkStage` batches into bytes.
public protocol Stage: Sendable {
    static var description: StageDescription { get }

    /// Reads the options, and refuses values that are wrong whatever the columns are. What depends on the columns belongs in
    /// the schema check.
    init(reading options: inout OptionReader)

    /// The stage in its role, as the protocol of the role says it.
    var inRole: StageInRole { get }

    /// The stage as one that reads several others; nil where it does not.
    var asJoining: (any JoiningStage)? { get }
}

extension Stage {
    public var asJoining: (any JoiningStage)? { nil }
}

/// A stage in one of the roles. To ask its type for a protocol at run time would look through all conformances of the program.
public enum StageInRole {
    /// A source of texts, and one that a library opens.
    case source(any SourceStage)
    case store(any StoreSource)
    case transform(any TransformStage)
    case fold(any FoldStage)
    case sink(any SinkStage)
}

extension SourceStage { public var inRole: StageInRole { .source(self) } }
extension StoreSource { public var inRole: StageInRole { .store(self) } }
extension TransformStage { public var inRole: StageInRole { .transform(self) } }
extension FoldStage { public var inRole: StageInRole { .fold(self) } }
extension SinkStage { public var inRole: StageInRole { .sink(self) } }
extension JoiningStage { public var asJoining: (any JoiningStage)? { self } }

/// A stage that works on each batch alone and remembers nothing between two.
public protocol TransformStage: Stage {
    /// True when every row comes back; false when the rows that come out are others, none or several for each that
    /// went in.
    static var keepsRows: Bool { get }

    /// Whether rows become others, none or several for each that went in: as the type says, unless options decide it.
    var makesRows: Bool { get }

    /// The stage as one that gathers something from all rows too; nil where it does not.
    var asFinishing: (any FinishingStage)? { get }

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
    public var asFinishing: (any FinishingStage)? { nil }
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

extension TransformStage where Self: FinishingStage {
    public var asFinishing: (any FinishingStage)? { finishes ? self : nil }
}

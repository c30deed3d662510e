/// One step of a job. A stage is a value: its options, read once, and nothing that changes while it runs.
///
/// Four roles refine it, and a stage has exactly one: `SourceStage` turns bytes into batches, `TransformStage` a batch
/// into a batch, `FoldStage` all batches into others, `SinkStage` batches into bytes.
public protocol Stage: Sendable {
    static var description: StageDescription { get }

    /// Reads the options, and only that: a check across options or columns belongs in the schema check.
    init(reading options: inout OptionReader)
}

/// A stage that works on each batch alone and remembers nothing between two.
public protocol TransformStage: Stage {
    /// True when every row comes back; false when the rows that come out are others, none or several for each that
    /// went in.
    static var keepsRows: Bool { get }

    /// The columns that come out, or an error at the option that asks for the impossible.
    func schema(after input: Schema) throws(DaybookError) -> Schema

    /// The columns that must come in for `wanted` to come out. All of them, unless the stage knows better.
    func columns(neededFor wanted: ColumnSet) -> ColumnSet

    /// The same rows with other columns. Every row comes back; those to reject or drop are named in `findings`.
    ///
    /// A stage that does not keep its rows gives new ones instead, each with the origin of the row that it came from, and
    /// says of every row that it neither rejects nor drops how many it became: `Findings.unfold(into:)`.
    func process(_ batch: Batch, reporting findings: inout Findings) -> Batch

    /// The same for a stage that reads several, told which of them under `from` the batch comes from.
    func process(_ batch: Batch, of input: Int, reporting findings: inout Findings) -> Batch
}

extension TransformStage {
    public static var keepsRows: Bool { true }
    public func columns(neededFor wanted: ColumnSet) -> ColumnSet { .all }
    public func process(_ batch: Batch, of input: Int, reporting findings: inout Findings) -> Batch {
        process(batch, reporting: &findings)
    }
}

/// What a fold knows of some rows: a value that can be merged, written to bytes and read back.
public protocol FoldPartial: Sendable {
    /// How many rows went into it, counted where they were folded.
    var foldedRows: Int { get }

    /// The rows among them that a stage which keeps its rows will not give back, by the name under which they were
    /// dropped. Rows of a batch that `finish` emits are dropped in its findings instead.
    var droppedRows: [String: Int] { get }

    func write(to bytes: Bytes) throws(DaybookError)
    init(reading reader: inout ByteReader) throws(DaybookError)
}

extension FoldPartial {
    public var droppedRows: [String: Int] { [:] }
}

/// A stage that has to see all rows before it gives any.
public protocol FoldStage: Stage {
    associatedtype Partial: FoldPartial

    /// True when every row comes out again, as in sorting; false when rows are folded into others.
    static var keepsRows: Bool { get }

    /// True when rows go on at once, as they are, while the fold only remembers what it saw of them; see `CheckStage`.
    static var passesRows: Bool { get }

    func schema(after input: Schema) throws(DaybookError) -> Schema
    func columns(neededFor wanted: ColumnSet) -> ColumnSet

    /// What one batch comes to, without the rows rejected in `findings`.
    func partial(of batch: Batch, reporting findings: inout Findings) throws(DaybookError) -> Partial

    /// Adds `later` to `earlier`. Called in the order of the input, whatever the number of threads.
    func merge(_ later: Partial, into earlier: inout Partial, scratch: any Scratch) throws(DaybookError)

    /// Does what can be done only when all rows have come, before it is asked how many of them were dropped.
    func settle(_ partial: inout Partial, scratch: any Scratch) throws(DaybookError)

    /// Gives the resulting batches in order, each with what there is to say about its rows. `partial` is nil when there
    /// were no rows at all.
    func finish(
        _ partial: Partial?,
        schema: Schema,
        scratch: any Scratch,
        emit: (Batch, Findings) throws(DaybookError) -> Void
    ) throws(DaybookError)
}

extension FoldStage {
    public static var keepsRows: Bool { false }
    public static var passesRows: Bool { false }
    public func columns(neededFor wanted: ColumnSet) -> ColumnSet { .all }
    public func settle(_ partial: inout Partial, scratch: any Scratch) throws(DaybookError) {}
}

/// Room on disk for a fold that outgrows its memory. Files vanish with the run.
public protocol Scratch: Sendable {
    /// About how many bytes a fold keeps in memory before it goes to disk, unless its options say otherwise.
    var memoryLimit: Int { get }
    /// How many threads a fold may work on at its end, when all rows have come.
    var threads: Int { get }

    func makeFile() throws(DaybookError) -> any ScratchFile
}

extension Scratch {
    public var threads: Int { 1 }
}

/// A file that is written from its start to its end and then read from anywhere.
public protocol ScratchFile: AnyObject, Sendable {
    func append(_ bytes: UnsafeBufferPointer<UInt8>) throws(DaybookError)
    /// Reads up to `length` bytes from `offset` on, behind what `bytes` holds.
    func read(_ length: Int, at offset: Int, into bytes: Bytes) throws(DaybookError)
    var length: Int { get }
}

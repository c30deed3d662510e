/// A transform turns rows into rows, batch by batch: declared by a stage with options, or by a program.
public protocol Transform: Sendable {
    /// Whether rows become others, none or several for each that went in.
    var makesRows: Bool { get }

    /// Whether it also emits rows after the last; then its operator is a `FinishingOperator`.
    var finishes: Bool { get }

    /// The other stages that it reads; nil if it reads one stage.
    var asJoining: (any Joining)? { get }

    /// The operator for rows with these columns, or an error at the option that asks for the impossible.
    func bind(_ inputs: StageInputs) throws(DaybookError) -> Binding
}

extension Transform {
    public var makesRows: Bool { false }
    public var finishes: Bool { false }
    public var asJoining: (any Joining)? { nil }
}

/// Takes batches through a transform, each alone and on any thread.
public protocol TransformOperator: Sendable {
    /// The same rows with other columns. Every row comes back; `findings` names those to reject or drop. Throws
    /// failures of the machine, such as an unreadable disk; a fault in a row is a finding.
    ///
    /// A transform that makes rows returns new ones instead, each with the origin of its input row. For every row that
    /// it neither rejects nor drops, it reports how many rows that became: `Findings.unfold(into:)`.
    ///
    /// - Parameter input: index under `from` of the stage that the batch comes from.
    func process(_ batch: Batch, of input: Int, reporting findings: inout Findings) throws(DaybookError) -> Batch

    /// The output rows part by part, if their number is unbounded, so that memory stays bounded. Nil if `process`
    /// returns them all at once.
    func parts(of batch: Batch) -> (any BatchParts)?

    /// The operator as one that emits rows after the last; nil if it does not.
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
    /// True if every row comes back; false if the output rows are others, none or several for each input row.
    static var keepsRows: Bool { get }

    /// The output columns, or an error at the option that asks for the impossible.
    func schema(after input: Schema) throws(DaybookError) -> Schema

    /// The input columns needed for `wanted`. All of them, unless the stage knows better.
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

/// A stage that overwrites existing columns, so that `explain` can name them.
public protocol ColumnReplacing: Stage {
    /// The columns that it writes over, as the job names them; none when it only adds.
    var replacedColumns: [ColumnName] { get }
}

/// A stage that says what columns are, for `explain`.
public protocol ColumnDescribing: Stage {
    /// The descriptions by column.
    var columnDescriptions: [String: String] { get }
}

/// A declaration that reads several stages.
///
/// Rows of its main inputs flow through it as through any stage. Its build sides are read completely first, for
/// look-ups. A stage whose main rows and build sides come from one source is no special case: the engine buffers rows.
public protocol Joining: Sendable {
    /// The roles of the stages under `from`.
    static var inputs: JoinedInputs { get }

    /// Stages that other options than `from` name, each read completely before the first row.
    var sides: [BuildSideReference] { get }
}

/// The roles of the stages under `from` for a stage that reads several.
public enum JoinedInputs: Sendable {
    /// One main input, as for any stage.
    case one
    /// A main input and a build side.
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

/// Iterates over the output rows of a batch, so that a few rows that become millions take the memory of one part.
public protocol BatchParts: Sendable {
    /// The next part; the first may be the last. Not called after the last.
    ///
    /// Findings are about rows of the whole batch, by their numbers there, and only about rows that this part covers.
    /// Each row has to be rejected, dropped or passed to `Findings.unfold` in one of the parts.
    mutating func next(reporting findings: inout Findings) throws(DaybookError) -> BatchPart
}

/// Some of the rows that a batch becomes.
public struct BatchPart: Sendable {
    /// The new rows, each with the origin of its input row.
    public var rows: Batch
    /// How many rows of the batch it covers. A row whose output continues in the next part counts in the first.
    public var parents: Int
    public var isLast: Bool

    public init(_ rows: Batch, parents: Int, isLast: Bool) {
        (self.rows, self.parents, self.isLast) = (rows, parents, isLast)
    }
}

extension Findings {
    /// Rejects each row with a gap in one of the columns, once, for the first such column. Returns these rows.
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

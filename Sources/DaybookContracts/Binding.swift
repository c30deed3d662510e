/// One stage that another reads.
public struct StageInput: Sendable {
    /// The id of the stage, with `.rejects` behind it for the rows that it rejects.
    public let id: String
    public let schema: Schema
    /// Whether the job has named the stage, rather than that the id is the stage's type and a number.
    public let isNamed: Bool
    /// The column with the day that each row belongs to, where all of its imports name days. A stage between may have left
    /// the column out.
    public var day: ColumnName?

    public init(id: String, schema: Schema, isNamed: Bool = true, day: ColumnName? = nil) {
        (self.id, self.schema, self.isNamed, self.day) = (id, schema, isNamed, day)
    }
}

extension DaybookError {
    /// Figures are compared with those of earlier days, and the rows do not tell their day.
    package static func withoutDay(_ column: ColumnName) -> DaybookError {
        DaybookError(
            "days-mixed",
            "figures of rows that belong to days are compared by day, and the column '\(column)' is not here any more",
            hint: "keep '\(column)' in the stages before, under its name"
        )
    }
}

/// The inputs that a declaration is bound to: the schemas of all stages it reads, and the figures of earlier runs.
public struct StageInputs: Sendable {
    /// The stages under `from`, or the one above.
    public var from: [StageInput]
    /// The schemas of the stages that other options name; nil for a stage that cannot be read.
    public var sides: [Schema?] = []
    /// Whether other stages under `from` were left out because they yield no rows.
    public var isCut = false
    /// The rules that are not judged, by number.
    public var leftOut: Set<Int> = []
    /// The earlier values of rules and measures, by name. A missing name has no past.
    public var past: [String: FigurePast] = [:]

    public init(_ from: [StageInput]) { self.from = from }

    /// The columns of the first stage, which is mostly the only one.
    public var schema: Schema { from.first?.schema ?? Schema() }
}

/// The operator that runs for a stage.
public enum StageOperator: Sendable {
    case transform(any TransformOperator)
    case fold(any FoldOperator)
    case sink(any SinkOperator)

    /// The operator as one that emits rows after the last; nil if it does not.
    package var finishing: (any FinishingOperator)? {
        switch self {
        case .transform(let transform): transform.asFinishing
        case .fold(let fold): fold
        case .sink: nil
        }
    }
}

/// A declaration bound to its inputs. Bound again whenever columns are known better.
public struct Binding: Sendable {
    /// A build side: a stage that is read completely before the first row.
    public struct Side: Sendable {
        /// The columns needed.
        public var columns: ColumnSet
        /// Whether the origins of its rows are needed, which take 32 bytes of memory each.
        public var needsOrigins: Bool
        /// About how many bytes stay in memory; a larger side is passed on disk.
        public var memory: Int

        public init(_ columns: ColumnSet, needsOrigins: Bool = true, memory: Int = 256 << 20) {
            (self.columns, self.needsOrigins, self.memory) = (columns, needsOrigins, memory)
        }
    }

    /// The output columns.
    public let schema: Schema
    /// Warnings about what is allowed but probably not intended.
    public var notes: [JobWarning] = []
    /// Whether the fields that no column holds go out with the records of the rows.
    package var keepsRecords = false
    /// Whether rows are written with a look at their records, which have to be beside them.
    package var readsRecords = false
    /// The build sides: stages under `from` first, then those that options name.
    public let sides: [Side]
    /// Nil if the rows of the build sides have to come first.
    package let ready: StageOperator?
    /// Merges the partials of its operator, if it has any.
    package let merger: (any ResultMerger)?
    private let needs: @Sendable (ColumnSet) -> ColumnSet
    /// Makes the operator from the rows of `sides`.
    public let makeOperator: @Sendable (_ rows: [BuildSide], any Scratch) throws(DaybookError) -> StageOperator

    /// - Parameters:
    ///   - schema: the output columns.
    ///   - needs: the input columns needed for some output columns.
    public init(
        _ schema: Schema,
        _ operation: StageOperator,
        needing needs: @escaping @Sendable (ColumnSet) -> ColumnSet = { _ in .all }
    ) {
        var schema = schema
        // What a fold emits is gathered, and no longer beside the text of its record.
        if case .fold = operation { schema.areRecords = false }
        (self.schema, self.needs, ready, sides) = (schema, needs, operation, [])
        makeOperator = { _, _ in operation }
        merger = operation.finishing
    }

    /// A binding whose operator is built from the rows of other stages.
    ///
    /// - Parameters:
    ///   - merger: merges what the operator gathers from rows; nil if it gathers nothing.
    ///   - build: makes the operator from the rows of `sides`.
    public init(
        _ schema: Schema,
        sides: [Side],
        merging merger: (any ResultMerger)? = nil,
        needing needs: @escaping @Sendable (ColumnSet) -> ColumnSet,
        _ build: @escaping @Sendable ([BuildSide], any Scratch) throws(DaybookError) -> StageOperator
    ) {
        var schema = schema
        // A row of several others is no record.
        schema.areRecords = false
        (self.schema, self.sides, self.merger, self.needs, makeOperator) = (schema, sides, merger, needs, build)
        ready = nil
    }

    /// The input columns needed for `wanted`.
    public func columns(neededFor wanted: ColumnSet) -> ColumnSet { needs(wanted) }
}

/// All rows of a build side, with the columns needed: in memory, or on disk beyond the memory limit of the stage.
public struct BuildSide: Sendable {
    public let schema: Schema
    /// In order; none of its batches is empty.
    public let rows: BatchBuffer
    /// The file of a source, as messages name it, by the place of the source among the inputs; nil where it is no file.
    public let fileName: @Sendable (_ source: Int) -> String?

    public init(
        _ schema: Schema,
        _ rows: BatchBuffer,
        fileName: @escaping @Sendable (_ source: Int) -> String? = { _ in nil }
    ) {
        (self.schema, self.rows, self.fileName) = (schema, rows, fileName)
    }
}

/// A stage that the options of another name, `vocabulary` or `vocabulary.rejects`, and where they do.
public struct BuildSideReference: Sendable, Hashable {
    public var stage: String
    public var readsRejects: Bool
    public var place: SourcePlace?

    public init(_ stage: String, readsRejects: Bool = false, at place: SourcePlace?) {
        self.stage = stage
        self.readsRejects = readsRejects
        self.place = place
    }
}

extension NearestNames {
    /// The limit of bytes of a column whose texts are searched.
    private static let mostBytes = 1 << 20

    /// The texts in a column of a side; nil where there are several columns, other values, or many rows or bytes.
    package convenience init?(of side: BuildSide, in columns: [ColumnName]) throws(DaybookError) {
        guard columns.count == 1, side.schema[columns[0]]?.kind == .text, side.rows.rowCount <= LookAlikes.most else {
            return nil
        }
        let bytes = Bytes()
        var views: [TextView] = []
        try side.rows.forEachBatch { (batch) throws(DaybookError) in
            batch.text(in: columns[0]).forEachValue { _, cell in
                guard bytes.count <= NearestNames.mostBytes else { return }
                views.append(TextView(offset: bytes.count, length: cell.count))
                bytes.append(cell)
            }
        }
        guard bytes.count <= NearestNames.mostBytes else { return nil }
        let (texts, rows) = (TextColumn(bytes, views: views), views.indices)
        @Sendable func isOdd() -> Bool { rows.contains { texts.withCell($0) { LookAlikes.oddity(in: $0) != nil } } }
        self.init(haveOddity: isOdd) {
            var seen: Set<[UInt8]> = []
            return rows.compactMap { row in
                texts.withCell(row) { seen.insert(Array($0)).inserted ? String(decoding: $0, as: UTF8.self) : nil }
            }
        }
    }
}

/// Something in a job that is allowed but probably not intended. `validate` reports it; the job still runs.
public struct JobWarning: Sendable {
    /// A stable name for a kind of warning, such as `quoted-zone`.
    public var code: DaybookError.Code
    /// The warning: lower case, no full stop, quoting what the user wrote.
    public var message: String
    public var place: SourcePlace?
    /// What to do.
    public var hint: String?

    public init(_ code: DaybookError.Code, _ message: String, at place: SourcePlace? = nil, hint: String? = nil) {
        self.code = code
        self.message = message
        self.place = place
        self.hint = hint
    }
}

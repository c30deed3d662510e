/// One stage that another reads.
public struct StageInput: Sendable {
    /// The id of the stage, with `.rejects` behind it for the rows that it rejects.
    public let id: String
    public let schema: Schema

    public init(id: String, schema: Schema) {
        self.id = id
        self.schema = schema
    }
}

/// What a declaration is bound to: the columns of all that it reads, and what is known of earlier runs.
public struct StageInputs: Sendable {
    /// The stages under `from`, or the one above.
    public var from: [StageInput]
    /// The columns of the stages that options name beside; nil for one that cannot be read.
    public var sides: [Schema?] = []
    /// Whether other stages under `from` were left out, since no row comes of them.
    public var isCut = false
    /// The rules that are not judged, by number.
    public var leftOut: Set<Int> = []
    /// What rules and measures came to in earlier runs, by their names. One that is not there has no past.
    public var past: [String: FigurePast] = [:]

    public init(_ from: [StageInput]) { self.from = from }

    /// The columns of the first stage, which is the only one of most.
    public var schema: Schema { from.first?.schema ?? Schema() }
}

/// What runs in the place of a stage.
public enum StageOperator: Sendable {
    case transform(any TransformOperator)
    case fold(any FoldOperator)
    case sink(any SinkOperator)

    /// The same as one that gives rows when all have come; nil where it does not.
    package var finishing: (any FinishingOperator)? {
        switch self {
        case .transform(let transform): transform.asFinishing
        case .fold(let fold): fold
        case .sink: nil
        }
    }
}

/// A declaration that knows what it reads. Bound anew whenever columns are known better.
public struct Binding: Sendable {
    /// A stage that is read to its end before any row comes.
    public struct Side: Sendable {
        /// The columns that are needed.
        public var columns: ColumnSet
        /// Whether it has to be known where its rows stand, which takes 32 bytes of memory each.
        public var needsOrigins: Bool
        /// About how many bytes stay in memory; more are handed over on disk.
        public var memory: Int

        public init(_ columns: ColumnSet, needsOrigins: Bool = true, memory: Int = 256 << 20) {
            (self.columns, self.needsOrigins, self.memory) = (columns, needsOrigins, memory)
        }
    }

    /// The columns that come out.
    public let schema: Schema
    /// What is allowed and likely not meant.
    public var notes: [JobWarning] = []
    /// The stages that are looked up in: those under `from` first, then those that options name.
    public let sides: [Side]
    /// Nil where the rows of sides have to come first.
    package let ready: StageOperator?
    /// What merges that which its operator gathers of rows, if it does.
    package let merger: (any ResultMerger)?
    private let needs: @Sendable (ColumnSet) -> ColumnSet
    private let build: @Sendable ([BuildSide], any Scratch) throws(DaybookError) -> StageOperator

    /// - Parameters:
    ///   - schema: the columns that come out.
    ///   - needs: the columns that must come in for some to come out.
    public init(
        _ schema: Schema,
        _ operation: StageOperator,
        needing needs: @escaping @Sendable (ColumnSet) -> ColumnSet = { _ in .all }
    ) {
        (self.schema, self.needs, ready, sides) = (schema, needs, operation, [])
        build = { _, _ in operation }
        merger = operation.finishing
    }

    /// One whose operator is made of the rows of other stages.
    ///
    /// - Parameters:
    ///   - merger: merges what the operator gathers of rows; nil where it gathers nothing.
    ///   - build: makes the operator, given the rows of `sides`.
    public init(
        _ schema: Schema,
        sides: [Side],
        merging merger: (any ResultMerger)? = nil,
        needing needs: @escaping @Sendable (ColumnSet) -> ColumnSet,
        _ build: @escaping @Sendable ([BuildSide], any Scratch) throws(DaybookError) -> StageOperator
    ) {
        (self.schema, self.sides, self.merger, self.needs, self.build) = (schema, sides, merger, needs, build)
        ready = nil
    }

    /// The columns that must come in for `wanted` to come out.
    public func columns(neededFor wanted: ColumnSet) -> ColumnSet { needs(wanted) }

    /// What runs, given the rows of `sides`.
    public func makeOperator(_ rows: [BuildSide], _ scratch: any Scratch) throws(DaybookError) -> StageOperator {
        try build(rows, scratch)
    }
}

/// All rows of a side, with the columns that are needed: in memory, or on disk where they take more than their stage wants to hold.
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
    /// The texts of a column may take so many bytes to be looked among.
    private static let mostBytes = 1 << 20

    /// The texts in a column of a side; nil where there are several columns, other values, or many rows or bytes.
    package convenience init?(of side: BuildSide, in columns: [ColumnName]) throws(DaybookError) {
        guard columns.count == 1, side.schema[columns[0]]?.kind == .text, side.rows.rowCount <= LookAlikes.most else {
            return nil
        }
        let bytes = Bytes()
        var ends: [Int] = []
        try side.rows.forEachBatch { (batch) throws(DaybookError) in
            batch.text(in: columns[0]).forEachValue { _, cell in
                guard bytes.count <= NearestNames.mostBytes else { return }
                bytes.append(cell)
                ends.append(bytes.count)
            }
        }
        guard bytes.count <= NearestNames.mostBytes else { return nil }
        let cells = (bytes: bytes.array, ends: ends)
        @Sendable func isOdd() -> Bool {
            var start = 0
            return cells.bytes.withUnsafeBufferPointer { bytes in
                cells.ends.contains { end in
                    defer { start = end }
                    return LookAlikes.oddity(in: Cell(rebasing: bytes[start..<end])) != nil
                }
            }
        }
        self.init(haveOddity: isOdd) {
            var (start, seen, texts): (Int, Set<[UInt8]>, [String]) = (0, [], [])
            for end in cells.ends {
                let cell = Array(cells.bytes[start..<end])
                if seen.insert(cell).inserted { texts.append(String(decoding: cell, as: UTF8.self)) }
                start = end
            }
            return texts
        }
    }
}

/// Something in a job that is allowed and likely not what its author means. `validate` tells it; the job runs all the same.
public struct JobWarning: Sendable {
    /// A stable name for a kind of warning, such as `quoted-zone`.
    public var code: DaybookError.Code
    /// What is odd: lower case, no full stop, quoting what the user wrote.
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

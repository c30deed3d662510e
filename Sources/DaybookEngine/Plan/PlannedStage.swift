/// Stage of a job in its place: its inputs, its outputs and its readers.
public struct PlannedStage: Sendable {
    /// Rows of a stage that another stage reads.
    public typealias Port = StageReference.Port

    /// Input from another stage.
    public struct Input: Sendable {
        public var stage: Int
        public var port: Port
        /// Number of the build side; nil for rows that pass through.
        package var side: Int?
        /// Whether the options name the input, and not `from`.
        package var isNamedByOptions = false
        /// Whether its rows are buffered until other rows have arrived.
        var isHeld = false

        package init(stage: Int, port: Port, isNamedByOptions: Bool = false) {
            (self.stage, self.port, self.isNamedByOptions) = (stage, port, isNamedByOptions)
        }

        package var isBuildSide: Bool { side != nil }
    }

    /// Reader of this stage, with the number of its input.
    public struct Consumer: Sendable {
        public var stage: Int
        public var input: Int
    }

    public var index: Int
    public var id: String
    public var typeName: String
    /// Summary of the stage type, in one sentence.
    public var summary: String
    /// Place of the stage in the job.
    public var place: SourcePlace
    package var role: StageRole
    /// Target of an output: from its stage, unless a program redirects it.
    package var target: SinkTarget?
    /// Stage bound to the columns of its inputs; nil for a source, and before they are known.
    package var binding: Binding?
    /// Operator; nil until the build sides are complete.
    var operation: StageOperator?
    /// Results of rules and measures in earlier runs, by name.
    var past: [String: FigurePast] = [:]
    /// Whether inputs were left out, since no row comes from them.
    package var isCut = false
    public var inputs: [Input]
    public var policy: RejectPolicy
    /// Output columns; for a source, only the needed ones.
    public var schema = Schema()
    /// Columns of the rows that later stages read.
    public var wanted = ColumnSet.none
    /// Columns of the rejects that later stages read.
    public var wantedOfRejects = ColumnSet.none
    /// Whether the stage does not run, since the data lack columns that it reads.
    var isIdle = false
    /// Why the run leaves an output as it is; nil where it writes it.
    var leftAlone: String?
    /// Reasons of rules that are not judged, by number.
    var unjudged: [Int: String] = [:]
    public var consumers: [Consumer] = []
    public var rejectConsumers: [Consumer] = []

    /// What the stage reads, if it reads files rather than other stages.
    var source: SourceKind? { if case .source(let source) = role { source } else { nil } }

    /// Whether the stage reads files rather than other stages.
    package var isSource: Bool { source != nil }

    /// How the files of an import belong to days; nil where they belong to none.
    var day: FileDay? { source?.intake.day }

    /// Rules that this stage checks.
    public var rules: [Rule] { check?.rules ?? [] }

    /// Columns of the rejects that later stages read.
    var readRejectSchema: Schema { rejectSchema.selecting(wantedOfRejects) }

    /// Columns of the rejects.
    package var rejectSchema: Schema { rules.isEmpty ? RejectColumns.schema : RejectColumns.schemaWithRule }

    /// The stage as one with several inputs; nil for other stages.
    package var joining: (any Joining)? {
        switch role {
        case .transform(let stage): stage.asJoining
        case .fold(let stage): stage.asJoining
        case .source, .sink: nil
        }
    }

    /// Whether its inputs are read one after another, in the order of `from`.
    package var readsInTurn: Bool { joining.map { type(of: $0).inputs == .several } ?? false }

    /// The stage as one with an output; nil for other stages.
    package var sink: (any Sink)? { if case .sink(let sink) = role { sink } else { nil } }

    /// Codes of findings after which a run starts again with columns from all records.
    var unlearntCodes: Set<String> {
        switch source {
        case .files(let source): type(of: source).unlearntCodes
        case .given(let source): source.unlearntCodes
        default: []
        }
    }

    package var check: (any Check)? { if case .fold(let stage) = role { stage.asCheck } else { nil } }

    /// Whether it makes other rows, none or several per input row.
    var makesRows: Bool { if case .transform(let transform) = role { transform.makesRows } else { false } }

    /// Whether a fold passes rows on at once and unchanged.
    var passesRows: Bool { if case .fold(let fold) = role { type(of: fold).passesRows } else { false } }

    /// Whether rows are buffered because this stage may reject them after the last row.
    var holdsRows: Bool { check?.rejectsLate == true && !consumers.isEmpty }
}

/// The four roles of a stage.
package enum StageRole: Sendable {
    case source(SourceKind)
    case transform(any Transform)
    case fold(any Fold)
    case sink(any Sink)

    package init(_ stage: any Stage) {
        switch stage.inRole {
        case .source(let stage): self = .source(.files(stage))
        case .store(let stage): self = .source(.stores(stage))
        case .service(let stage): self = .source(.service(stage))
        case .transform(let stage): self = .transform(stage)
        case .fold(let stage): self = .fold(stage)
        case .sink(let stage): self = .sink(stage)
        }
    }

    /// Target of a sink.
    var target: SinkTarget? { if case .sink(let sink) = self { sink.target } else { nil } }

    /// Whether the stage emits rows after the last input row.
    var finishes: Bool {
        switch self {
        case .fold: true
        case .transform(let transform): transform.finishes
        case .source, .sink: false
        }
    }
}

/// Input of a source stage, which determines how it is opened.
package enum SourceKind: Sendable {
    /// Files of bytes, which the run reads and splits into records.
    case files(any TextSource)
    /// Files that a library opens.
    case stores(any StoreSource)
    /// A service.
    case service(any ServiceSource)
    /// Records from elsewhere.
    case given(any SuppliedSource)

    /// Paths of its files; empty for a service.
    package var paths: [PathText] {
        switch self {
        case .files(let stage): stage.paths
        case .stores(let stage): stage.paths
        case .service: []
        case .given(let source): source.paths
        }
    }

    /// Columns that are known before any file is opened.
    package var declaredSchema: Schema {
        switch self {
        case .files(let stage): stage.declaredSchemaWithFile
        case .stores(let stage): stage.declaredSchemaWithFile
        case .service(let stage): stage.declaredSchema
        case .given(let source): source.declaredSchema
        }
    }

    /// Options for the selection of files.
    package var intake: FileIntake {
        switch self {
        case .files(let stage): stage.intake
        case .stores(let stage): stage.intake
        case .service(let stage): stage.intake
        case .given: FileIntake()
        }
    }

    /// Suffixes of a file's companion files.
    package var companions: [String] { if case .stores(let stage) = self { type(of: stage).companions } else { [] } }

    /// Address of the service; nil for files.
    package var address: PathText? { if case .service(let stage) = self { stage.address } else { nil } }

    /// The stage, if it reads files of bytes.
    package var fileStage: (any TextSource)? { if case .files(let stage) = self { stage } else { nil } }

    /// Paths to resolve before the source is opened.
    var patterns: [PathText] { if case .given = self { [] } else { paths } }
}

/// Source whose records are not in the files of a job: from a test, or replayed.
package protocol SuppliedSource: Sendable {
    /// Files that the source still reads, which no output may replace.
    var paths: [PathText] { get }
    var declaredSchema: Schema { get }
    /// The codes of its format; see `SourceFormat`.
    var unlearntCodes: Set<String> { get }
    /// Opens the source and determines the columns. Sources that findings may name are added to `registry`.
    func open(_ registry: SourceRegistry, _ settings: RunSettings) throws(DaybookError) -> any OpenedInputs
}

extension SuppliedSource {
    package var paths: [PathText] { [] }
    package var unlearntCodes: Set<String> { [] }
}

extension [PlannedStage] {
    /// Name of an input, as the job writes it: `orders`, `orders.rejects`.
    func named(_ input: PlannedStage.Input, _ schema: Schema, day: ColumnName? = nil) -> StageInput {
        let (id, type) = (self[input.stage].id, self[input.stage].typeName)
        let isNamed = id != type && !id.hasPrefix(type + "_")
        let port = input.port == .rejects ? ".rejects" : ""
        return StageInput(id: id + port, schema: schema, isNamed: isNamed, day: day)
    }
}

/// Finds the inputs of a stage: the stage above, the stages under `from`, and the stages in its options.
struct InputLinker {
    private let stages: [PlannedStage]
    private(set) var problems: [DaybookError] = []

    init(_ stages: [PlannedStage]) { self.stages = stages }

    mutating func inputs(of index: Int, _ entry: JobStage) -> [PlannedStage.Input] {
        let stage = stages[index]
        let from = entry.from.isEmpty ? entry.above : entry.from
        guard index > 0 else {
            problems.add(
                "no-input",
                "\(stage.typeName) needs rows, and no stage stands before it",
                at: stage.place,
                hint: "begin with a stage that imports, such as import_csv"
            )
            return []
        }
        checkCount(of: stage, from, isOnce: entry.isOnce)
        var inputs = from.compactMap { reference in
            stages.prefix(index).firstIndex { $0.id == reference.id }.map {
                PlannedStage.Input(stage: $0, port: reference.port)
            }
        }
        if from.isEmpty { inputs = [PlannedStage.Input(stage: index - 1, port: .rows)] }
        guard let joining = stage.joining else { return inputs }
        if type(of: joining).inputs == .mainAndBuildSide, inputs.count == 2 { inputs[1].side = 0 }
        var sides = inputs.count { $0.isBuildSide }
        for side in joining.sides {
            guard var input = input(side, of: index, scope: entry.scope) else { continue }
            input.side = sides
            inputs.append(input)
            sides += 1
        }
        return inputs
    }

    /// - Parameter isOnce: whether `from` may stand for any number of copies.
    private mutating func checkCount(of stage: PlannedStage, _ from: [StageReference], isOnce: Bool) {
        let place = from.first?.place ?? stage.place
        switch stage.joining.map({ type(of: $0).inputs }) {
        case .mainAndBuildSide:
            guard from.count != 2 else { return }
            let message = "\(stage.typeName) reads two stages, not \(max(1, from.count))"
            problems.add("bad-from", message, at: place, hint: "write 'from: [ROWS, LOOKUP]' with the ids of both")
        case .several:
            guard from.count < 2, !isOnce else { return }
            let message = "\(stage.typeName) reads two or more stages, not 1"
            problems.add("bad-from", message, at: place, hint: "write 'from: [FIRST, SECOND]' with their ids")
        case .one, nil:
            let takesSeveral = stage.sink.map { type(of: $0).takesSeveral } ?? false
            guard from.count > 1, !takesSeveral else { return }
            problems.add(
                "bad-from",
                "\(stage.typeName) reads one stage, not \(from.count)",
                at: from[1].place,
                hint: isOnce ? "put '- union_rows:' with 'once: true' before it, which takes them together" : nil
            )
        }
    }

    /// Input that the options name; its stage must be above.
    private mutating func input(_ side: BuildSideReference, of index: Int, scope: String) -> PlannedStage.Input? {
        let own = stages.prefix(index).firstIndex { $0.id == side.stage + scope }
        if let found = own ?? stages.prefix(index).firstIndex(where: { $0.id == side.stage }) {
            return PlannedStage.Input(stage: found, port: side.readsRejects ? .rejects : .rows, isNamedByOptions: true)
        }
        let above = stages.prefix(index).map(\.id)
        let isBelow = stages.dropFirst(index).contains { $0.id == side.stage }
        problems.add(
            "unknown-stage-id",
            isBelow ? "the stage '\(side.stage)' does not stand above" : "no stage above has the id '\(side.stage)'",
            at: side.place ?? stages[index].place,
            hint: NearestName.hint(for: side.stage, among: above)
                ?? "the ids above are \(above.joined(separator: ", "))"
        )
        return nil
    }
}

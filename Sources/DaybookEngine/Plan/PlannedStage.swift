/// One stage of a job in its place: what it reads, what it makes, and who reads that.
public struct PlannedStage: Sendable {
    /// Which rows of a stage another one reads.
    public enum Port: Sendable, Hashable {
        case rows
        case rejects
    }

    /// A stage that this one reads.
    public struct Input: Sendable {
        public var stage: Int
        public var port: Port
        /// The number of the side that it is; nil for rows that flow through.
        package var side: Int?
        /// Whether the options name it, and not `from`.
        package var isNamedByOptions = false
        /// Whether its rows wait until others have come.
        var isHeld = false

        package init(stage: Int, port: Port, side: Int? = nil, isNamedByOptions: Bool = false, isHeld: Bool = false) {
            self.stage = stage
            self.port = port
            self.side = side
            self.isNamedByOptions = isNamedByOptions
            self.isHeld = isHeld
        }

        package var isBuildSide: Bool { side != nil }
    }

    /// A stage that reads this one, and which of its inputs this is.
    public struct Consumer: Sendable {
        public var stage: Int
        public var input: Int
    }

    public var index: Int
    public var id: String
    public var typeName: String
    /// What stages of its type do, in one sentence.
    public var summary: String
    /// Where the job names the stage.
    public var place: SourcePlace
    package var role: StageRole
    /// Where an output goes: as its stage says, unless a program sends it elsewhere.
    package var target: SinkTarget?
    /// The stage with the columns of what it reads; nil for a source, and before they are known.
    package var binding: Binding?
    /// What runs; nil while the rows of sides have not come.
    var operation: StageOperator?
    /// What rules and measures came to in earlier runs, by their names.
    var past: [String: FigurePast] = [:]
    /// Whether stages that it reads were left out, since no row comes of them.
    package var isCut = false
    public var inputs: [Input]
    public var policy: RejectPolicy
    /// The columns that come out; for a source, those that somebody needs.
    public var schema = Schema()
    /// The columns that somebody reads from it.
    public var wanted = ColumnSet.none
    /// The columns that somebody reads of the rows that it rejects.
    public var wantedOfRejects = ColumnSet.none
    /// Whether it does not run, since the data lack what it reads.
    var isIdle = false
    /// Why rules are not judged, by number.
    var unjudged: [Int: String] = [:]
    public var consumers: [Consumer] = []
    public var rejectConsumers: [Consumer] = []

    /// Whether it reads files and not other stages.
    package var isSource: Bool { if case .source = role { true } else { false } }

    /// The rules that rows are held against here.
    public var rules: [Rule] { check?.rules ?? [] }

    /// The columns of the rows that it rejects, as far as somebody reads them.
    var readRejectSchema: Schema { rejectSchema.selecting(wantedOfRejects) }

    /// The columns of the rows that it rejects.
    package var rejectSchema: Schema { rules.isEmpty ? RejectColumns.schema : RejectColumns.schemaWithRule }

    /// The stage as one that reads several others, if it is.
    package var joining: (any Joining)? {
        switch role {
        case .transform(let stage): stage.asJoining
        case .fold(let stage): stage.asJoining
        case .source, .sink: nil
        }
    }

    /// Whether its inputs are read one after another, in the order of `from`.
    package var readsInTurn: Bool { joining.map { type(of: $0).inputs == .several } ?? false }

    /// The stage as one that writes an output, if it is.
    package var sink: (any Sink)? { if case .sink(let sink) = role { sink } else { nil } }

    package var check: (any Check)? { if case .fold(let stage) = role { stage.asCheck } else { nil } }

    /// Whether it makes other rows, none or several for each that comes.
    var makesRows: Bool { if case .transform(let transform) = role { transform.makesRows } else { false } }

    /// Whether rows go on at once, as they are, though it gathers something of all.
    var passesRows: Bool { if case .fold(let fold) = role { type(of: fold).passesRows } else { false } }

    /// Whether rows are held back because this stage may yet reject them when it has seen all.
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

    /// Where the output of a sink goes.
    var target: SinkTarget? { if case .sink(let sink) = self { sink.target } else { nil } }

    /// Whether rows come of it when all have come.
    var finishes: Bool {
        switch self {
        case .fold: true
        case .transform(let transform): transform.finishes
        case .source, .sink: false
        }
    }
}

/// What a source stage reads, which decides how it is opened.
package enum SourceKind: Sendable {
    /// Files of bytes, which the run reads and cuts into records.
    case files(any TextSource)
    /// Files that a library opens.
    case stores(any StoreSource)
    /// A service.
    case service(any ServiceSource)
    /// Records from elsewhere.
    case given(any SuppliedSource)

    /// The paths of its files; none of a service.
    package var paths: [PathText] {
        switch self {
        case .files(let stage): stage.paths
        case .stores(let stage): stage.paths
        case .service: []
        case .given(let source): source.paths
        }
    }

    /// The columns that are known before any file is opened.
    package var declaredSchema: Schema {
        switch self {
        case .files(let stage): stage.declaredSchemaWithFile
        case .stores(let stage): stage.declaredSchemaWithFile
        case .service(let stage): stage.declaredSchema
        case .given(let source): source.declaredSchema
        }
    }

    /// Which of its files it reads.
    package var intake: FileIntake {
        switch self {
        case .files(let stage): stage.intake
        case .stores(let stage): stage.intake
        case .service(let stage): stage.intake
        case .given: FileIntake()
        }
    }

    /// What is put behind the path of a file to name those that belong to it.
    var companions: [String] { if case .stores(let stage) = self { type(of: stage).companions } else { [] } }

    /// Where the service is; nil for files.
    package var address: PathText? { if case .service(let stage) = self { stage.address } else { nil } }

    /// The stage, where it reads files of bytes.
    package var fileStage: (any TextSource)? { if case .files(let stage) = self { stage } else { nil } }

    /// The paths whose files are looked for before the source is opened.
    var patterns: [PathText] { if case .given = self { [] } else { paths } }
}

/// A source whose records are not in the files of a job: given by a test, or replayed.
package protocol SuppliedSource: Sendable {
    /// The files that are read all the same, which no output may replace.
    var paths: [PathText] { get }
    var declaredSchema: Schema { get }
    /// Gets ready, and learns the columns. Sources that findings may name are added to `registry`.
    func open(_ registry: SourceRegistry, _ settings: RunSettings) throws(DaybookError) -> any OpenedInputs
}

extension SuppliedSource {
    package var paths: [PathText] { [] }
}

extension [PlannedStage] {
    /// The name of what a stage reads, as the job writes it: `orders`, `orders.rejects`.
    func name(of input: PlannedStage.Input) -> String {
        self[input.stage].id + (input.port == .rejects ? ".rejects" : "")
    }
}

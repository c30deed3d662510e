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
    /// An output that knows its columns.
    var binding: SinkBinding?
    /// What its measures came to in earlier runs, by their titles.
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
    package var joining: (any JoiningStage)? {
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

    package var check: (any CheckStage)? { if case .fold(let stage) = role { stage.asCheck } else { nil } }

    /// Whether rows are held back because this stage may yet reject them when it has seen all.
    var holdsRows: Bool { check?.rejectsLate == true && !consumers.isEmpty }
}

/// The four roles of a stage.
package enum StageRole: Sendable {
    case source(SourceKind)
    case transform(any TransformStage)
    case fold(any FoldStage)
    case sink(any Sink)

    package init(_ stage: any Stage) {
        switch stage.inRole {
        case .source(let stage): self = .source(.files(stage))
        case .store(let stage): self = .source(.stores(stage))
        case .transform(let stage): self = .transform(stage)
        case .fold(let stage): self = .fold(stage)
        case .sink(let stage): self = .sink(stage)
        }
    }

    /// Where the output of a sink goes.
    var target: SinkTarget? { if case .sink(let sink) = self { sink.target } else { nil } }

    /// The stage as one that gathers something from all rows and gives rows at the end, if it does.
    package var finishing: (any FinishingStage)? {
        switch self {
        case .fold(let stage): stage
        case .transform(let stage): stage.asFinishing
        case .source, .sink: nil
        }
    }
}

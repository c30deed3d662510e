import DaybookBytes

/// Job with known stages, parsed options and linked inputs.
///
/// Its columns are known only after `resolve`, since they may depend on the data.
public struct Plan: Sendable {
    public let job: Job
    public let context: OptionReader.Context
    /// Stages that jobs can name.
    let table: StageTable
    public internal(set) var stages: [PlannedStage] = []
    /// Warnings of the stages about their options, and about the columns that they read.
    public var warnings: [JobWarning] { optionWarnings + notes }
    private var optionWarnings: [JobWarning] = []
    /// Warnings about columns, once these are known.
    private(set) var notes: [JobWarning] = []
    /// Whether the plan reads all rows; a replay reads only previous rejects.
    private(set) var readsAllRows = true
    /// Order in which sources are read and folds finished.
    package private(set) var steps: [Schedule.Step] = []
    /// Steps in which each stage receives rows.
    private(set) var arrivals: [Set<Schedule.Step>] = []

    /// Links between the stages: readers and their inputs.
    package var links: [RunSummary.Link] {
        stages.flatMap { stage in
            stage.inputs.map { RunSummary.Link(from: $0.stage, to: stage.index, isOfRejects: $0.port == .rejects) }
        }
    }

    /// Parses all options and links the stages, or throws all problems.
    public init(_ job: Job, table: StageTable, asOf: CalendarDay) throws(DaybookErrors) {
        try self.init(job, table: table, asOf: asOf, nodes: [:])
    }

    /// - Parameter nodes: by id, what a program puts in the place of stages of the job, whose types and options are then not read.
    package init(_ job: Job, table: StageTable, asOf: CalendarDay, nodes: [String: StageRole]) throws(DaybookErrors) {
        (self.job, self.table) = (job, table)
        context = OptionReader.Context(asOf: asOf, timezone: job.timezone)
        var problems: [DaybookError] = []
        for (index, entry) in job.stages.enumerated() {
            var (node, summary) = (nodes[entry.id], "")
            if node == nil, let stage = read(entry, &problems) {
                (node, summary) = (StageRole(stage), type(of: stage).description.summary)
            }
            guard let node else { continue }
            stages.append(
                PlannedStage(
                    index: index,
                    id: entry.id,
                    typeName: entry.type,
                    summary: summary,
                    place: entry.typePlace,
                    role: node,
                    target: node.target,
                    inputs: [],
                    policy: entry.rejects ?? RejectPolicy(path: nil, allow: nil, place: entry.typePlace)
                )
            )
        }
        // Linking needs every stage in its place. With an unknown stage, further problems would be guesses.
        if stages.count == job.stages.count {
            join(&problems)
            problems += DayChecks(self).problems
            if !job.isRedirected {
                problems += PublishingChecks.problems(ofPartsIn: self)
                problems += unknownCounted
                let outputs = OutputChecks(plan: self, key: FilePath.tidied)
                problems += outputs.duplicates + outputs.bases + outputs.inputs
                optionWarnings += namelessPasts + uselessCatchUp
            }
            if let publish = job.publish { problems += PublishingChecks.problems(of: publish, in: self) }
        }
        if !problems.isEmpty { throw DaybookErrors(problems) }
        let schedule = Schedule(stages)
        (steps, arrivals) = (schedule.steps, schedule.arrivals)
        for (stage, input) in schedule.held { stages[stage].inputs[input].isHeld = true }
    }

    private mutating func read(_ entry: JobStage, _ problems: inout [DaybookError]) -> (any Stage)? {
        guard let type = table[entry.type] else {
            problems.add(
                "unknown-stage",
                "no stage named '\(entry.type)'",
                at: entry.typePlace,
                hint: NearestName.hint(forWords: entry.type, among: table.names) ?? "'daybook stages' lists them all"
            )
            return nil
        }
        var context = context
        context.given = entry.given
        var reader = OptionReader(entry.options, at: entry.typePlace, context: context)
        let stage = type.init(reading: &reader)
        if let value = entry.misplacedValue {
            problems.append(MisplacedValue(value, of: entry.type, OptionReader.specs(of: type)).error)
            return stage
        }
        reader.finish(stage: entry.type)
        problems += reader.problems
        // Rejected options allow no further checks.
        guard reader.problems.isEmpty else { return stage }
        switch stage.inRole {
        case .source(let source):
            do throws(DaybookError) { try source.checkFileColumns() } catch {
                problems.append(error.located(at: entry.typePlace))
            }
            if source.intake.isNewOnly, let stream = source.paths.first(where: \.isStandardStream) {
                problems.add(
                    "bad-option",
                    "'new_only' knows files by their paths, and standard input has none",
                    at: stream.place,
                    hint: "write it to a file first, or leave 'new_only' out"
                )
            }
        case .store(let store):
            do throws(DaybookError) { try store.checkFileColumns() } catch {
                problems.append(error.located(at: entry.typePlace))
            }
            if store.since != nil, entry.idPlace == nil {
                problems.add(
                    "missing-id",
                    "'since' needs an 'id' of its stage, by which the next run knows how far this one has read",
                    at: entry.typePlace,
                    hint: "write 'id: orders' or another name beside the stage, and keep it"
                )
            }
        case .service: break
        case .sink(let sink):
            if let path = sink.target.path, let problem = OutputName.problem(path.text, "an output", at: path.place) {
                problems.append(problem)
            }
        case .transform, .fold: break
        }
        optionWarnings += reader.warnings
        return stage
    }

    // MARK: - Joining

    private mutating func join(_ problems: inout [DaybookError]) {
        for index in stages.indices {
            if case .source = stages[index].role {
                if let first = job.stages[index].from.first {
                    let message = "\(stages[index].typeName) reads files, so it takes no 'from'"
                    problems.add("bad-from", message, at: first.place)
                }
                continue
            }
            var linker = InputLinker(stages)
            stages[index].inputs = linker.inputs(of: index, job.stages[index])
            problems += linker.problems
            for (input, one) in stages[index].inputs.enumerated() {
                let consumer = PlannedStage.Consumer(stage: index, input: input)
                switch one.port {
                case .rows: stages[one.stage].consumers.append(consumer)
                case .rejects: stages[one.stage].rejectConsumers.append(consumer)
                }
            }
        }
    }

    // MARK: - Columns

    /// Columns of each source that the options declare. The data may have further ones, of any kind.
    public var declaredSchemas: [Int: Schema] { unreadSchemas.mapValues(\.withoutUnnamedKind) }

    /// The same, for a command that reads no data: further columns of a CSV file hold text, as long as nobody knows better.
    public var unreadSchemas: [Int: Schema] {
        stages.reduce(into: [:]) { schemas, stage in schemas[stage.index] = stage.source?.declaredSchema }
    }

    /// Derives the columns of every stage from the columns of the sources, and then the columns that later stages need.
    /// Throws all problems, including columns missing in the data.
    public mutating func resolve(_ sources: [Int: Schema]) throws(DaybookErrors) {
        let resolution = Resolution(self, sources)
        // Problems in the order of the job, regardless of their cause.
        let problems = resolution.problems + resolution.missingColumns
        if !problems.isEmpty { throw DaybookErrors(problems.sorted { $0.stage < $1.stage }.map(\.error)) }
        try adopt(resolution)
    }

    /// Resolves columns that come from data: missing columns are then no mistake of the job. The plan leaves out stages
    /// that need them, readers of these stages, and rules that cannot be judged. The other stages run.
    ///
    /// - Parameters:
    ///   - sources: the columns of each source; none for a source that could not be opened.
    ///   - mixed: columns among these that hold values of several kinds.
    package mutating func resolve(
        from sources: [Int: Schema],
        mixed: [Int: Set<String>]
    ) throws(DaybookErrors) -> [StageError] {
        let resolution = Resolution(self, sources, mixed: mixed)
        if !resolution.problems.isEmpty { throw DaybookErrors(resolution.problems.map(\.error)) }
        try adopt(resolution)
        return resolution.missingColumns
    }

    private mutating func adopt(_ resolution: Resolution) throws(DaybookErrors) {
        notes = []
        stages = resolution.stages
        for index in stages.indices {
            stages[index].schema = resolution.known[index] ?? Schema()
            stages[index].operation = stages[index].binding?.ready
        }
        let idle = Set(stages.filter(\.isIdle).map(\.index))
        if !idle.isEmpty {
            for index in stages.indices {
                stages[index].consumers.removeAll { idle.contains($0.stage) }
                stages[index].rejectConsumers.removeAll { idle.contains($0.stage) }
            }
            steps.removeAll { idle.contains($0.stage) }
        }
        for index in stages.indices where !stages[index].isIdle {
            for var note in stages[index].binding?.notes ?? [] {
                note.place = note.place ?? stages[index].place
                notes.append(note)
            }
        }
        project()
        // Which column has the day of the files is known only now.
        let mixed = namesDays ? DayChecks(self).problems : []
        if !mixed.isEmpty { throw DaybookErrors(mixed) }
    }

    /// Columns of an input's rows.
    func schema(of input: PlannedStage.Input) -> Schema {
        input.port == .rejects ? stages[input.stage].rejectSchema : stages[input.stage].schema
    }

    /// Inputs of a stage, without the inputs that its options name.
    func namedInputs(of index: Int) -> [StageInput] {
        stages[index].inputs.filter { !$0.isNamedByOptions }.map { stages.named($0, schema(of: $0)) }
    }

    /// Leaves out checks of whole tables, for a run on some of their rows.
    package mutating func readSomeRows(because reason: String) {
        readsAllRows = false
        for index in stages.indices {
            for rule in stages[index].check?.tableRules ?? [] { stages[index].unjudged[rule] = reason }
        }
    }

    /// Whether any rule is still judged.
    var judgesRules: Bool { stages.contains { !$0.isIdle && $0.unjudged.count < $0.rules.count } }

    /// Sources whose rows reach a stage, in the order of the job.
    ///
    /// - Parameter withBuildSides: whether to include sources of build sides.
    package func sources(of index: Int, withBuildSides: Bool = false) -> [Int] {
        var found: Set<Int> = []
        var open = [index]
        while let next = open.popLast() {
            guard found.insert(next).inserted else { continue }
            open += stages[next].inputs.filter { withBuildSides || !$0.isBuildSide }.map(\.stage)
        }
        return found.filter { stages[$0].isSource }.sorted()
    }

    /// Goes from the last stage to the first, and collects the columns of each that later stages need.
    private mutating func project() {
        for index in stages.indices.reversed() where !stages[index].isIdle {
            let wanted = stages[index].wanted
            guard let binding = stages[index].binding else {
                stages[index].schema = stages[index].schema.selecting(wanted)
                continue
            }
            let needed = binding.columns(neededFor: wanted)
            for input in stages[index].inputs {
                let side = input.side.map { binding.sides[$0].columns }
                let port = input.port == .rows ? \PlannedStage.wanted : \.wantedOfRejects
                stages[input.stage][keyPath: port] = stages[input.stage][keyPath: port].union(side ?? needed)
            }
        }
    }

    /// Whether a stage makes rows from rows, any number of each.
    public var makesRows: Bool { stages.contains(where: \.makesRows) }

    /// Redirects an output to another path, where it starts from its base or empty.
    package mutating func redirect(_ index: Int, to path: PathText, from base: SinkBase?) {
        stages[index].target = stages[index].target?.redirected(to: path, from: base)
        stages[index].isCut = true
    }

    /// Columns of stage `index`'s first input.
    public func inputSchema(of index: Int) -> Schema { stages[index].inputs.first.map(schema) ?? Schema() }
}

/// Results of one rule or measure in earlier runs, identified by the names of its stage and itself.
public struct PlannedPast: Sendable, Codable, Hashable {
    public var stage: String
    /// Id of the rule, or title of the measure.
    public var name: String
    public var past: FigurePast

    public init(stage: String, name: String, past: FigurePast) {
        (self.stage, self.name, self.past) = (stage, name, past)
    }
}

/// The runs with which the rules and measures of a run are compared.
public struct EarlierRuns: Sendable, Hashable {
    public var count: Int
    public var oldest: CalendarDay

    init?(_ past: [FigurePast]) {
        let entries = past.flatMap { $0.entries + $0.ofData + $0.ofGroups.values.joined() }
        guard let oldest = entries.map(\.day).min() else { return nil }
        (count, self.oldest) = (Set(entries.map(\.run)).count, oldest)
    }
}

extension [DaybookError] {
    mutating func add(_ code: DaybookError.Code, _ message: String, at place: SourcePlace?, hint: String? = nil) {
        append(DaybookError(code, message, at: place, hint: hint))
    }
}

extension Plan {
    /// Requests of rules and measures for earlier runs.
    public var pastRequests: [(stage: String, name: String, request: PastRequest)] {
        // A run on some of the rows is not comparable.
        guard readsAllRows else { return [] }
        return stages.flatMap { stage -> [(stage: String, name: String, request: PastRequest)] in
            if let sink = stage.sink?.asMeasuring {
                return sink.pastRequests.sorted { $0.key < $1.key }.map { (stage.id, $0.key, $0.value) }
            }
            let asked = (stage.check?.pastRequests ?? [:]).filter { $0.value.isByDay || namesDays }
            return asked.sorted { $0.key < $1.key }.map { (stage.id, stage.rules[$0].id, $1) }
        }
    }

    /// Rules and measures that are compared with earlier runs under a generated name. Another stage or rule above
    /// changes that name, and the comparison starts again.
    var namelessPasts: [JobWarning] {
        stages.flatMap { stage -> [JobWarning] in
            let asking = stage.check?.pastRequests.filter(\.value.isByDay).keys.sorted().map { stage.rules[$0] } ?? []
            var isAsking = !asking.isEmpty
            if let sink = stage.sink?.asMeasuring { isAsking = !sink.pastRequests.isEmpty }
            guard isAsking else { return [] }
            let ofRules = asking.filter { !$0.isNamed }.map { rule in
                JobWarning(
                    "past-without-name",
                    "earlier runs know this rule as '\(rule.id)', a name made of what it asks, and a change of it begins anew",
                    at: rule.place,
                    hint: "write 'id: \(rule.id)' or another name in its entry, and keep it"
                )
            }
            guard job.stages[stage.index].idPlace == nil else { return ofRules }
            let ofStage = JobWarning(
                "past-without-name",
                "earlier runs know what is compared here under '\(stage.id)', a name that another \(stage.typeName) above would change",
                at: stage.place,
                hint: "write 'id: \(stage.id)' or another name beside the stage, and keep it"
            )
            return [ofStage] + ofRules
        }
    }

    /// Passes the results of earlier runs to rules and measures. Without it they have none.
    public mutating func know(_ past: [PlannedPast]) {
        guard !past.isEmpty else { return }
        for stage in stages {
            let own = past.filter { $0.stage == stage.id }
            guard !own.isEmpty else { continue }
            stages[stage.index].past = Dictionary(own.map { ($0.name, $0.past) }) { first, _ in first }
        }
    }

    /// The runs with which rules and measures are compared; nil if there are none.
    var earlierRuns: EarlierRuns? { EarlierRuns(stages.flatMap(\.past.values)) }

    /// Errors for stages whose rows an output counts, and that do not exist.
    var unknownCounted: [DaybookError] {
        let ids = stages.map(\.id)
        return stages.flatMap { stage -> [DaybookError] in
            guard let sink = stage.sink?.asMeasuring else { return [] }
            return sink.countedStages.filter { !ids.contains($0.id) }.map { counted in
                DaybookError(
                    "unknown-stage-id",
                    "no stage has the id \(counted.id.quotedForMessage)",
                    at: counted.place ?? stage.place,
                    hint: NearestName.hint(for: counted.id, among: ids, listing: "the ids are")
                )
            }
        }
    }
}

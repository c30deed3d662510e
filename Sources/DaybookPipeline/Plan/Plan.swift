import DaybookCore

/// A job whose stages are known, whose options are read, and whose stages are joined.
///
/// Its columns are known only after `resolve`, since the data may decide them.
public struct Plan: Sendable {
    public let job: Job
    public let context: OptionReader.Context
    public private(set) var stages: [PlannedStage] = []
    /// The order in which sources are read and folds finished.
    private(set) var steps: [Schedule.Step] = []

    /// Reads all options and joins the stages, or throws every problem there is.
    public init(_ job: Job, table: StageTable, asOf: CalendarDay) throws(DaybookErrors) {
        self.job = job
        context = OptionReader.Context(asOf: asOf, timezone: job.timezone)
        var problems: [DaybookError] = []
        for (index, entry) in job.stages.enumerated() {
            guard let stage = Plan.read(entry, table, context, &problems) else { continue }
            stages.append(
                PlannedStage(
                    index: index,
                    id: entry.id,
                    typeName: entry.type,
                    place: entry.typePlace,
                    role: StageRole(stage),
                    inputs: [],
                    policy: entry.rejects ?? RejectPolicy(path: nil, allow: nil, place: entry.typePlace)
                )
            )
        }
        // Joining needs every stage in its place; with one unknown, each further complaint would be a guess.
        if stages.count == job.stages.count { join(&problems) }
        if !problems.isEmpty { throw DaybookErrors(problems) }
        let schedule = Schedule(stages)
        steps = schedule.steps
        for (stage, input) in schedule.held { stages[stage].inputs[input].isHeld = true }
    }

    private static func read(
        _ entry: JobStage,
        _ table: StageTable,
        _ context: OptionReader.Context,
        _ problems: inout [DaybookError]
    ) -> (any Stage)? {
        guard let type = table[entry.type] else {
            problems.append(
                DaybookError(
                    "unknown-stage",
                    "no stage named '\(entry.type)'",
                    at: entry.typePlace,
                    hint: NearestName.hint(for: entry.type, among: table.names)
                        ?? "'daybook stages' lists them all"
                )
            )
            return nil
        }
        var reader = OptionReader(entry.options, at: entry.typePlace, context: context)
        let stage = type.init(reading: &reader)
        reader.finish(stage: entry.type)
        problems += reader.problems
        return stage
    }

    // MARK: - Joining

    private mutating func join(_ problems: inout [DaybookError]) {
        for index in stages.indices {
            let from = job.stages[index].from
            if case .source = stages[index].role {
                if let first = from.first {
                    problems.append(
                        DaybookError(
                            "bad-from",
                            "\(stages[index].typeName) reads files, so it takes no 'from'",
                            at: first.place
                        )
                    )
                }
                continue
            }
            stages[index].inputs = InputLinker(stages).inputs(of: index, from, &problems)
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

    /// The columns of each source that the options make certain; what `validate` knows without reading data.
    public var declaredSchemas: [Int: Schema] {
        var schemas: [Int: Schema] = [:]
        for stage in stages {
            if case .source(let source) = stage.role { schemas[stage.index] = source.declaredSchema }
        }
        return schemas
    }

    /// Works out the columns of every stage from those of the sources, then which of them somebody needs.
    public mutating func resolve(_ sources: [Int: Schema]) throws(DaybookErrors) {
        var problems: [DaybookError] = []
        var known = [Schema?](repeating: nil, count: stages.count)
        for index in stages.indices {
            let inputs = stages[index].inputs.map {
                $0.port == .rejects ? stages[$0.stage].rejectSchema : known[$0.stage]
            }
            do throws(DaybookError) {
                if let joining = stages[index].joining {
                    // Without all columns nothing can be said of those that come out.
                    guard inputs.allSatisfy({ $0 != nil }) else { continue }
                    stages[index].role = StageRole(
                        try joined(joining, stages[index].inputs, inputs.compactMap { $0 })
                    )
                }
                switch stages[index].role {
                case .source: known[index] = sources[index]
                case .transform(let stage):
                    if let input = inputs.first ?? nil { known[index] = try stage.schema(after: input) }
                case .fold(let node):
                    if let input = inputs.first ?? nil { known[index] = try node.stage.schema(after: input) }
                case .sink(let stage):
                    for case let input? in inputs { try stage.check(input) }
                    known[index] = inputs.first ?? nil
                }
            } catch {
                problems.append(error.located(at: stages[index].place))
            }
        }
        if !problems.isEmpty { throw DaybookErrors(problems) }
        for index in stages.indices { stages[index].schema = known[index] ?? Schema() }
        project()
    }

    private func joined(
        _ stage: any JoiningStage,
        _ inputs: [PlannedStage.Input],
        _ schemas: [Schema]
    ) throws(DaybookError) -> any JoiningStage {
        let all = zip(inputs, schemas)
        let names = inputs.filter { !$0.isNamedByOptions }.map { input in
            stages[input.stage].id + (input.port == .rejects ? ".rejects" : "")
        }
        return try stage.reading(names).joined(
            to: all.filter { !$0.0.isNamedByOptions }.map(\.1),
            sides: all.filter { $0.0.isNamedByOptions }.map(\.1)
        )
    }

    /// Gives a stage the rows of its sides.
    mutating func prepare(_ index: Int, _ sides: [SideRows]) throws(DaybookError) {
        guard let joining = stages[index].joining else { preconditionFailure("only a joining stage has sides") }
        do {
            stages[index].role = StageRole(try joining.knowing(sides))
        } catch {
            throw error.located(at: stages[index].place)
        }
    }

    /// From the last stage to the first: what somebody needs of each.
    private mutating func project() {
        for index in stages.indices.reversed() {
            let wanted = stages[index].wanted
            let needed: ColumnSet
            switch stages[index].role {
            case .source:
                stages[index].schema = stages[index].schema.selecting(wanted)
                continue
            case .transform(let stage): needed = stage.columns(neededFor: wanted)
            case .fold(let node): needed = node.stage.columns(neededFor: wanted)
            case .sink: needed = .all
            }
            for input in stages[index].inputs {
                let side = input.side.map { stages[index].joining?.columns(neededOfSide: $0) ?? .all }
                let port = input.port == .rows ? \PlannedStage.wanted : \.wantedOfRejects
                stages[input.stage][keyPath: port] = stages[input.stage][keyPath: port].union(side ?? needed)
            }
        }
    }

    /// Whether a stage makes rows of rows, any number of each.
    public var makesRows: Bool {
        stages.contains { if case .transform(let stage) = $0.role { !type(of: stage).keepsRows } else { false } }
    }

    /// Puts something in the place of a stage that is joined in the same way, such as rows at hand for a source.
    mutating func replaceRole(of index: Int, by role: StageRole) { stages[index].role = role }

    /// The columns that stage `index` is handed on its first input.
    public func inputSchema(of index: Int) -> Schema {
        guard let input = stages[index].inputs.first else { return Schema() }
        return input.port == .rejects ? stages[input.stage].rejectSchema : stages[input.stage].schema
    }
}

import DaybookEngine

/// Where the columns of a plan come from, stage by stage back to the imports, and what they are in the job's words.
struct ColumnOrigins {
    /// A step that makes a column: `amount: rename_columns_1 of Betrag`.
    struct Step: Hashable {
        let column: String
        let stage: String
        /// The columns that it is made of; none for an import.
        let sources: [String]
    }

    /// Steps of a column that are told.
    private static let mostSteps = 12

    private let plan: Plan
    private var described: [Int: [String: String]] = [:]

    init(_ plan: Plan) {
        self.plan = plan
        for stage in plan.stages {
            let own: [String: String] =
                switch stage.role {
                case .source(let source): source.intake.descriptions
                case .transform(let transform): (transform as? any ColumnDescribing)?.columnDescriptions ?? [:]
                default: [:]
                }
            if !own.isEmpty { described[stage.index] = own }
        }
    }

    /// The descriptions that a stage gives columns which it does not have.
    func unknown(in stage: PlannedStage, _ full: Schema?) -> [String] {
        guard let own = described[stage.index], let schema = full ?? (stage.schema.isOpen ? nil : stage.schema)
        else { return [] }
        return own.keys.filter { schema.index(of: $0) == nil }.sorted()
    }

    /// What a column is, where it is passed on or renamed; what is computed of it is something else.
    func description(of column: String, in stage: Int) -> String? {
        if let own = described[stage]?[column] { return own }
        if let input = passing(column, stage) { return description(of: column, in: input) }
        guard case .transform(let transform) = plan.stages[stage].role, !(transform is any ColumnReplacing) else {
            return nil
        }
        let made = sources(of: column, stage)
        guard made.count == 1, let only = made.first else { return nil }
        return described[only.stage]?[only.column] ?? description(of: only.column, in: only.stage)
    }

    /// The steps that make a column, the last one first.
    func steps(of column: String, in stage: Int) -> [Step] {
        var steps: [Step] = []
        var waiting = [(column, stage)]
        while !waiting.isEmpty, steps.count < ColumnOrigins.mostSteps {
            let (column, stage) = waiting.removeFirst()
            if let input = passing(column, stage) {
                waiting.insert((column, input), at: 0)
                continue
            }
            let made = sources(of: column, stage)
            let names = made.map(\.column)
            let step = Step(column: column, stage: plan.stages[stage].id, sources: names)
            guard !steps.contains(step) else { continue }
            steps.append(step)
            waiting += made.map { ($0.column, $0.stage) }
        }
        return steps
    }

    /// The input that has the column as it leaves the stage; nil for a column that the stage makes or changes.
    private func passing(_ column: String, _ stage: Int) -> Int? {
        let planned = plan.stages[stage]
        if case .transform(let transform) = planned.role, let replacing = transform as? any ColumnReplacing,
            replacing.replacedColumns.contains(where: { $0.text == column })
        {
            return nil
        }
        let kind = planned.schema.index(of: column).map { planned.schema.fields[$0].kind }
        return planned.inputs.first { input in
            let schema = plan.stages[input.stage].schema
            guard let index = schema.index(of: column) else { return false }
            // A sink has no columns of its own.
            return kind == nil || schema.fields[index].kind == kind
        }?.stage
    }

    /// The columns of inputs that a column is made of, without those that the stage needs whatever comes out.
    private func sources(of column: String, _ stage: Int) -> [(column: String, stage: Int)] {
        let planned = plan.stages[stage]
        guard let binding = planned.binding, case .some(let needed) = binding.columns(neededFor: .some([column]))
        else { return [] }
        var own = Set(needed)
        if case .some(let always) = binding.columns(neededFor: .some([])), !own.isSubset(of: always) {
            own.subtract(always)
        }
        if case .fold = planned.role {
            // The columns that tell groups apart come out as they are.
            let others = own.filter { passing($0, stage) == nil || planned.schema.index(of: $0) == nil }
            if !others.isEmpty { own = others }
        }
        return own.sorted().compactMap { name in
            planned.inputs.first { plan.stages[$0.stage].schema.index(of: name) != nil }.map { (name, $0.stage) }
        }
    }
}

extension PlanExplanation.Stage {
    /// Adds what columns are, and for a sink where its columns come from.
    mutating func describe(
        by origins: ColumnOrigins,
        _ stage: PlannedStage,
        _ full: Schema?,
        _ plan: Plan,
        _ mask: SecretMask
    ) {
        func shown(_ step: ColumnOrigins.Step) -> ColumnOrigins.Step {
            let sources = step.sources.map(mask.masking)
            return ColumnOrigins.Step(
                column: mask.masking(step.column),
                stage: mask.masking(step.stage),
                sources: sources
            )
        }
        wronglyDescribed = origins.unknown(in: stage, full).map(mask.masking)
        let fields = stage.schema.selecting(stage.wanted).fields
        for (index, field) in fields.enumerated() where index < columns.count {
            columns[index].description = origins.description(of: field.name, in: stage.index).map(mask.masking)
        }
        guard role == "sink" else { return }
        var names: Set<String> = []
        for input in stage.inputs {
            let from = plan.stages[input.stage]
            for field in from.schema.selecting(from.wanted).fields where names.insert(field.name).inserted {
                var column = PlanExplanation.Column(name: mask.masking(field.name), kind: field.kind)
                column.description = origins.description(of: field.name, in: input.stage).map(mask.masking)
                column.steps = origins.steps(of: field.name, in: input.stage).map(shown)
                written.append(column)
            }
        }
    }
}

extension ColumnOrigins.Step {
    /// `amount: rename_columns_1 of Betrag`.
    var displayText: String {
        sources.isEmpty ? "\(column): \(stage)" : "\(column): \(stage) of \(sources.joined(separator: ", "))"
    }
}

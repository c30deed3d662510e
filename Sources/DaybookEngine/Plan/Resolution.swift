/// Error about a stage, such as a column that it needs and the data lack.
package struct StageError {
    package var stage: Int
    package var error: DaybookError
}

/// Columns of every stage, derived twice: from the actual data, and from data with all columns that the job names, of
/// the kind that it needs.
///
/// A problem in both results is a mistake of the job. A problem in only one is missing data: then neither the stage nor
/// its readers run, except for checks, whose rules fail one by one.
struct Resolution {
    private(set) var stages: [PlannedStage]
    private(set) var problems: [StageError] = []
    /// Columns that the job names and the data lack, or have with several kinds where one is required.
    private(set) var missingColumns: [StageError] = []
    /// Columns of each stage; nil for a stage that cannot run.
    private(set) var known: [Schema?]
    /// Columns with complete data; nil if the job is wrong.
    private var imagined: [Schema?]
    /// Column with the day of each row, for each stage; nil if an import names no days.
    private var days: [ColumnName?] = []

    /// Whether some column holds values of several kinds, so that a wrong kind may be the data's fault.
    private let hasMixed: Bool

    init(_ plan: Plan, _ sources: [Int: Schema], mixed: [Int: Set<String>] = [:]) {
        stages = plan.stages
        hasMixed = !mixed.isEmpty
        known = [Schema?](repeating: nil, count: stages.count)
        imagined = known
        for index in stages.indices {
            days.append(day(of: stages[index]))
            if case .source(let source) = stages[index].role {
                known[index] = sources[index]
                imagined[index] = sources[index].map { schema in
                    let odd = mixed[index] ?? []
                    return Schema(
                        schema.fields.filter { !odd.contains($0.name) },
                        isOpen: schema.isOpen || source.declaredSchema.isOpen || !odd.isEmpty
                    )
                }
                if sources[index] == nil { imagined[index] = source.declaredSchema.withoutUnnamedKind }
            } else if let check = stages[index].check {
                resolve(check, index)
            } else {
                resolve(index)
            }
            if known[index] == nil || (stages[index].leftAlone != nil && stages[index].target != nil) { idle(index) }
        }
    }

    private func day(of stage: PlannedStage) -> ColumnName? {
        if stage.isSource { return stage.day?.column }
        let found = Set(stage.inputs.filter { !$0.isBuildSide }.map { days[$0.stage] })
        return found.count == 1 ? found.first ?? nil : nil
    }

    private func inputs(of index: Int, in schemas: [Schema?]) -> [Schema?] {
        stages[index].inputs.map { input in
            guard input.port == .rejects else { return schemas[input.stage] }
            return schemas[input.stage] == nil ? nil : stages[input.stage].rejectSchema
        }
    }

    /// Marks a stage that does not run.
    private mutating func idle(_ index: Int) {
        stages[index].isIdle = true
        for rule in stages[index].rules.indices where stages[index].unjudged[rule] == nil {
            stages[index].unjudged[rule] = "the stage did not run"
        }
    }

    /// Whether a problem that occurs only with the actual data may be a fault of the data.
    private func mayBeData(_ error: DaybookError) -> Bool { error.column != nil || hasMixed }

    private mutating func note(_ error: DaybookError, at index: Int, isMissing: Bool = false) {
        let error = StageError(stage: index, error: error.located(at: stages[index].place))
        if isMissing { missingColumns.append(error) } else { problems.append(error) }
    }

    // MARK: - Stages

    private mutating func resolve(_ index: Int) {
        let (here, there) = (inputs(of: index, in: known), inputs(of: index, in: imagined))
        let wished: Result<Binding, DaybookError>? = there.contains { $0 == nil } ? nil : binding(of: index, there)
        if let wished, case .success(let binding) = wished { imagined[index] = binding.schema }
        guard !here.contains(where: { $0 == nil }) else {
            if let wished, case .failure(let error) = wished { note(error, at: index) }
            return
        }
        switch binding(of: index, here) {
        case .success(let binding):
            known[index] = binding.schema
            stages[index].binding = binding
            imagined[index] = imagined[index] ?? binding.schema
        case .failure(let error): note(error, at: index, isMissing: imagined[index] != nil && mayBeData(error))
        }
    }

    private func binding(of index: Int, _ schemas: [Schema?]) -> Result<Binding, DaybookError> {
        let inputs = inputs(of: index, schemas)
        return Result { () throws(DaybookError) in
            switch stages[index].role {
            case .source: preconditionFailure("a source reads no other stage")
            case .transform(let transform): try transform.bind(inputs)
            case .fold(let fold): try fold.bind(inputs)
            case .sink(let sink): try sink.bind(inputs)
            }
        }
    }

    /// Inputs for the binding of a stage, with these columns of its input stages.
    private func inputs(of index: Int, _ schemas: [Schema?]) -> StageInputs {
        let stage = stages[index]
        let all = zip(stage.inputs, schemas)
        var inputs = StageInputs(
            all.filter { !$0.0.isNamedByOptions }.map { input, schema in
                stages.named(input, schema ?? Schema(), day: days[input.stage])
            }
        )
        inputs.sides = all.filter { $0.0.isNamedByOptions }.map(\.1)
        inputs.isCut = stage.isCut
        inputs.leftOut = Set(stage.unjudged.keys)
        inputs.past = stage.past
        return inputs
    }

    // MARK: - Checks

    /// A check runs without the rules that cannot be judged, since its rows pass unchanged.
    private mutating func resolve(_ check: any Check, _ index: Int) {
        let (here, there) = (inputs(of: index, in: known), inputs(of: index, in: imagined))
        guard let wished = there.first ?? nil else { return }
        let wrong = check.problems(of: inputs(of: index, there))
        guard here.first ?? nil != nil else {
            for (_, error) in wrong.sorted(by: { $0.key < $1.key }) { note(error, at: index) }
            imagined[index] = wished
            return
        }
        let found = check.problems(of: inputs(of: index, here))
        for (rule, error) in found.sorted(by: { $0.key < $1.key }) {
            let isRead = error.code != DaybookError.unreadStage
            if let wrong = wrong[rule] {
                // A wrong stage has its own error already.
                if wrong.code != DaybookError.unreadStage { note(isRead ? error : wrong, at: index) }
            } else if isRead {
                note(error, at: index, isMissing: mayBeData(error))
            }
            stages[index].unjudged[rule] = error.message
        }
        do throws(DaybookError) {
            let binding = try check.bind(inputs(of: index, here))
            stages[index].binding = binding
            known[index] = binding.schema
            imagined[index] = try check.bind(inputs(of: index, there)).schema
        } catch { note(error, at: index) }
    }
}

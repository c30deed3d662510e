/// What is wrong with the data as a whole: files that could not be opened for their headers, and columns that are not there.
///
/// Each is told once, at the line of the data that names the columns, with the place in the job that asks for it.
struct DataFaults {
    private(set) var errors: [DaybookError]
    private let plan: Plan
    private let inputs: RunInputs?
    /// The columns that were told of, by the source that lacks them.
    private var told: Set<Column> = []

    private struct Column: Hashable {
        var source: Int?
        var name: String
    }

    init(_ plan: Plan, _ inputs: RunInputs?, _ lacks: [Lack]) {
        (self.plan, self.inputs) = (plan, inputs)
        errors = inputs?.faults ?? []
        for stage in plan.stages {
            for error in inputs?.missing(from: stage.index) ?? [] { tell(error, of: stage.index) }
        }
        for lack in lacks { tell(lack.error, of: source(of: lack)) }
    }

    private mutating func tell(_ error: DaybookError, of source: Int?) {
        if let name = error.column, !told.insert(Column(source: source, name: name)).inserted { return }
        var fault = error
        fault.code = "missing-column"
        fault.blame = .data
        if let header = source.flatMap({ inputs?.header(of: $0) }) {
            fault.place = header
            if let place = error.place { fault.message += " (\(place))" }
        } else if let source, inputs?.isAbsent(source) == true {
            fault.hint =
                "'\(plan.stages[source].id)' found no file, and has only the columns that its 'columns' declares: "
                + "declare '\(error.column ?? "")' too"
        }
        errors.append(fault)
    }

    /// The source that most likely lacks a column: among those whose rows come to the stage, one without the column, and with a
    /// name like it if there is one.
    private func source(of lack: Lack) -> Int? {
        let all = plan.sources(of: lack.stage, withBuildSides: true)
        guard all.count > 1, let name = lack.error.column else { return all.first }
        let lacking = all.filter { !columns(of: $0).contains(name) }
        return lacking.first { NearestName.of(name, among: columns(of: $0)) != nil } ?? lacking.first ?? all.first
    }

    private func columns(of source: Int) -> [String] { inputs?.schemas[source]?.names ?? [] }
}

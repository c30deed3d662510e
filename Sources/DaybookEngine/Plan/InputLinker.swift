/// Finds the inputs of a stage: the stage above, the stages under `from`, and the stages in its options.
struct InputLinker {
    private let stages: [PlannedStage]

    init(_ stages: [PlannedStage]) { self.stages = stages }

    func inputs(of index: Int, _ entry: JobStage, _ problems: inout [DaybookError]) -> [PlannedStage.Input] {
        let stage = stages[index]
        let from = entry.from.isEmpty ? entry.above : entry.from
        guard index > 0 else {
            problems.append(
                DaybookError(
                    "no-input",
                    "\(stage.typeName) needs rows, and no stage stands before it",
                    at: stage.place,
                    hint: "begin with a stage that imports, such as import_csv"
                )
            )
            return []
        }
        checkCount(of: stage, from, isOnce: entry.isOnce, &problems)
        var inputs: [PlannedStage.Input] = []
        if from.isEmpty {
            inputs = [PlannedStage.Input(stage: index - 1, port: .rows)]
        } else {
            inputs = from.compactMap { reference in
                stages.prefix(index).firstIndex { $0.id == reference.id }.map {
                    PlannedStage.Input(stage: $0, port: reference.port == .rows ? .rows : .rejects)
                }
            }
        }
        guard let joining = stage.joining else { return inputs }
        if type(of: joining).inputs == .mainAndBuildSide, inputs.count == 2 { inputs[1].side = 0 }
        var sides = inputs.count { $0.isBuildSide }
        for side in joining.sides {
            guard let input = input(side, of: index, scope: entry.scope, &problems) else { continue }
            inputs.append(input)
            inputs[inputs.count - 1].side = sides
            sides += 1
        }
        return inputs
    }

    /// - Parameter isOnce: whether `from` may stand for any number of copies.
    private func checkCount(
        of stage: PlannedStage,
        _ from: [StageReference],
        isOnce: Bool,
        _ problems: inout [DaybookError]
    ) {
        var most = 1
        if let sink = stage.sink, type(of: sink).takesSeveral { most = .max }
        switch stage.joining.map({ type(of: $0).inputs }) {
        case .mainAndBuildSide:
            if from.count != 2 {
                problems.append(
                    DaybookError(
                        "bad-from",
                        "\(stage.typeName) reads two stages, not \(max(1, from.count))",
                        at: from.first?.place ?? stage.place,
                        hint: "write 'from: [ROWS, LOOKUP]' with the ids of both"
                    )
                )
            }
            return
        case .several:
            if from.count < 2, !isOnce {
                problems.append(
                    DaybookError(
                        "bad-from",
                        "\(stage.typeName) reads two or more stages, not 1",
                        at: from.first?.place ?? stage.place,
                        hint: "write 'from: [FIRST, SECOND]' with their ids"
                    )
                )
            }
            return
        case .one, nil: break
        }
        if from.count > most {
            problems.append(
                DaybookError(
                    "bad-from",
                    "\(stage.typeName) reads one stage, not \(from.count)",
                    at: from[1].place,
                    hint: isOnce ? "put '- union_rows:' with 'once: true' before it, which takes them together" : nil
                )
            )
        }
    }

    /// Input that the options name; its stage must be above.
    private func input(
        _ side: BuildSideReference,
        of index: Int,
        scope: String,
        _ problems: inout [DaybookError]
    ) -> PlannedStage.Input? {
        let own = stages.prefix(index).firstIndex { $0.id == side.stage + scope }
        if let found = own ?? stages.prefix(index).firstIndex(where: { $0.id == side.stage }) {
            return PlannedStage.Input(stage: found, port: side.readsRejects ? .rejects : .rows, isNamedByOptions: true)
        }
        let above = stages.prefix(index).map(\.id)
        let isBelow = stages.dropFirst(index).contains { $0.id == side.stage }
        problems.append(
            DaybookError(
                "unknown-stage-id",
                isBelow
                    ? "the stage '\(side.stage)' does not stand above" : "no stage above has the id '\(side.stage)'",
                at: side.place ?? stages[index].place,
                hint: NearestName.hint(for: side.stage, among: above)
                    ?? "the ids above are \(above.joined(separator: ", "))"
            )
        )
        return nil
    }
}

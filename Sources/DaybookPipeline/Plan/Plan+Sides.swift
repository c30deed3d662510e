import DaybookCore

extension Plan {
    /// The stages that the options of stage `index` name beside its `from`; those that are not there are left out.
    func sides(of index: Int) -> [PlannedStage.Input] {
        let stage: (any Stage)? =
            switch stages[index].role {
            case .transform(let transform): transform
            case .fold(let fold): fold.stage
            case .source, .sink: nil
            }
        return ((stage as? any JoiningStage)?.sides ?? []).compactMap { side in
            stages.first { $0.id == side.stage }.map {
                PlannedStage.Input(stage: $0.index, port: side.readsRejects ? .rejects : .rows)
            }
        }
    }
}

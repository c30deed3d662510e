/// What became of records on the way to each stage of a plan.
package struct RowOrigins {
    /// By stage, the last stage above it that makes rows.
    package private(set) var makers: [Int?] = []
    /// By stage, whether one record may reach it as several rows: a stage above makes rows, or they come by two ways.
    package private(set) var shareRecords: [Bool] = []

    package init(_ plan: Plan) {
        var imports: [Set<Int>] = []
        for stage in plan.stages {
            var own: Set<Int> = stage.isSource ? [stage.index] : []
            var maker: Int?
            var isShared = false
            for input in stage.inputs where input.carriesRows && input.stage < stage.index {
                let above = plan.stages[input.stage].makesRows ? input.stage : makers[input.stage]
                maker = [maker, above].compactMap(\.self).max()
                isShared = isShared || shareRecords[input.stage] || !own.isDisjoint(with: imports[input.stage])
                own.formUnion(imports[input.stage])
            }
            imports.append(own)
            makers.append(maker)
            shareRecords.append(isShared || maker != nil)
        }
    }
}

extension PlannedStage.Input {
    /// Whether its rows go on from here: they are no rejects, and not what other rows are looked up in.
    package var carriesRows: Bool { port == .rows && !isBuildSide }
}

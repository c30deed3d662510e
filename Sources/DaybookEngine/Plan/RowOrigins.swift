/// What became of records on the way to each stage of a plan.
package struct RowOrigins {
    /// By stage, for each import whose rows come there, the last stage on their way that makes rows; nil for none, also if
    /// one of several ways has none.
    private(set) var makers: [[Int: Int?]] = []
    /// By stage, whether one record may reach it as several rows: a stage above makes rows, or they come by two ways.
    package private(set) var shareRecords: [Bool] = []

    package init(_ plan: Plan) {
        for stage in plan.stages {
            var own: [Int: Int?] = [:]
            if stage.isSource { own.updateValue(nil, forKey: stage.index) }
            var isShared = false
            for input in stage.inputs where !input.isBuildSide && input.stage < stage.index {
                let makesRows = plan.stages[input.stage].makesRows
                // Rejected rows are in no source any more.
                if input.port == .rows {
                    isShared = isShared || makesRows || shareRecords[input.stage]
                    isShared = isShared || makers[input.stage].keys.contains { own[$0] != nil }
                }
                let above = makers[input.stage].mapValues { makesRows ? input.stage : $0 }
                own.merge(above) { first, second in first.flatMap { first in second.map { max(first, $0) } } }
            }
            makers.append(own)
            shareRecords.append(isShared)
        }
    }
}

/// Which steps of a plan are shared among processes: reading, up to the first step that needs the rows of all of them.
struct ShardSteps {
    /// The steps that every process takes part in, in order.
    let shared: ArraySlice<Schedule.Step>
    /// The sources of which rows are looked up while others are read. Every process reads them whole, and one of them counts
    /// their rows.
    let lookedUp: Set<Int>
    /// The stages whose keys can be exchanged: those to which no rows come but in shared steps. What an exchange has settled is compared with
    /// no row that the merge makes, such as those at the end of a full join.
    let keyed: Set<Int>

    init(_ plan: Plan) {
        let first = plan.steps.firstIndex { step in
            switch step {
            case .finish, .release: true
            case .read, .build: false
            }
        }
        // What is built behind the last read is built by the merge alone.
        let reads = plan.steps[..<(first ?? plan.steps.count)]
        let end = reads.lastIndex { if case .read = $0 { true } else { false } }.map { $0 + 1 } ?? 0
        shared = plan.steps[..<end]
        var lookedUp: Set<Int> = []
        for case .build(let index) in shared {
            for input in plan.stages[index].inputs where input.isBuildSide {
                lookedUp.formUnion(plan.sources(of: input.stage, withBuildSides: true))
            }
        }
        self.lookedUp = lookedUp
        let steps = Set(shared)
        keyed = Set(plan.stages.indices.filter { plan.stages[$0].keys != nil && plan.arrivals[$0].isSubset(of: steps) })
    }
}

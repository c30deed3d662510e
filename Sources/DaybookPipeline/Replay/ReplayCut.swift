import DaybookCore

/// The stages that a replay runs, and what it has to leave out.
///
/// A record goes again through the stages from its import to the one that rejected it, and from there on to all that lies
/// behind. What branches off before had it the first time, and must not get it twice.
struct ReplayCut {
    /// The stages through which replayed rows go.
    private(set) var kept: Set<Int> = []
    /// The stages that are read to their ends because others look things up in them.
    private(set) var sides: Set<Int> = []
    private let plan: Plan
    private let groups: [RejectScan.Group]

    init(_ groups: Set<RejectScan.Group>, of plan: Plan) throws(DaybookError) {
        self.plan = plan
        self.groups = groups.sorted { ($0.stage, $0.source) < ($1.stage, $1.source) }
        let below = self.groups.reduce(into: Set<Int>()) { $0.formUnion(plan.below($1.stage)) }
        for group in self.groups {
            // An output before the stage that rejected a record has written the record already.
            kept.formUnion(allowed(group).filter { !isOutput($0) || below.contains($0) })
        }
        for group in self.groups { try check(group) }
        try keepSides()
    }

    private func isOutput(_ index: Int) -> Bool { if case .sink = plan.stages[index].role { true } else { false } }

    /// From the import to the stage that rejected.
    private func way(_ group: RejectScan.Group) -> Set<Int> {
        plan.above(group.stage).intersection(plan.below(group.source)).union([group.source, group.stage])
    }

    /// Where the rows of a group may go: along their way, behind the stage that rejected them, and where a stage that now
    /// rejects them on the way sends what it rejects.
    private func allowed(_ group: RejectScan.Group) -> Set<Int> {
        let way = way(group)
        var allowed = way.union(plan.below(group.stage))
        for stage in plan.stages where stage.inputs.contains(where: { $0.port == .rejects && way.contains($0.stage) }) {
            allowed.formUnion(plan.below(stage.index))
        }
        return allowed
    }

    /// Refuses a mixture in which rows of one stage would go where they have been.
    private func check(_ group: RejectScan.Group) throws(DaybookError) {
        let behind = plan.below(group.stage)
        let allowed = allowed(group).filter { !isOutput($0) || behind.contains($0) || !way(group).contains($0) }
        guard let again = reached(from: group.source).subtracting(allowed).min() else { return }
        let other = groups.first { plan.below($0.stage).contains(again) && $0.stage != group.stage }?.stage ?? again
        let names = [group.stage, other, again].map { plan.stages[$0].id }
        throw DaybookError(
            "mixed-rejects",
            "rows that '\(names[1])' rejected go on to '\(names[2])', where those that '\(names[0])' rejected have been already",
            hint: "replay them one stage after the other: '--stage \(names[1])', then '--stage \(names[0])'"
        )
    }

    /// The kept stages to which the rows of a source come.
    private func reached(from source: Int) -> Set<Int> {
        var found: Set<Int> = [source]
        for stage in plan.stages where kept.contains(stage.index) {
            if inputs(of: stage.index).contains(where: { found.contains($0.stage) }) { found.insert(stage.index) }
        }
        return found
    }

    private mutating func keepSides() throws(DaybookError) {
        let replayed = Set(groups.map(\.source))
        var waiting = kept.flatMap { stage in plan.sides(of: stage).map { ($0.stage, stage) } }
        while let (side, reader) = waiting.popLast() {
            let above = plan.above(side)
            guard replayed.isDisjoint(with: above) else {
                throw DaybookError(
                    "cannot-replay",
                    "'\(plan.stages[reader].id)' looks things up in '\(plan.stages[side].id)', whose rows come from what is replayed",
                    at: plan.stages[reader].place,
                    hint: "mend the records where they stand, and run the job again"
                )
            }
            for stage in above where sides.insert(stage).inserted {
                waiting += plan.sides(of: stage).map { ($0.stage, stage) }
            }
        }
    }

    /// What a kept stage reads, where outputs that are left out are passed by.
    private func inputs(of index: Int) -> [PlannedStage.Input] {
        plan.stages[index].inputs.compactMap { input in
            var input = input
            while !kept.contains(input.stage), !sides.contains(input.stage) {
                guard isOutput(input.stage), input.port == .rows, let next = plan.stages[input.stage].inputs.first
                else {
                    return nil
                }
                input = next
            }
            // A stage through which replayed rows go takes no others beside them.
            return kept.contains(index) && !kept.contains(input.stage) ? nil : input
        }
    }

    /// The job of the kept stages.
    var job: Job {
        var job = plan.job
        job.tests = []
        job.stages = kept.union(sides).sorted().map { index in
            var stage = plan.job.stages[index]
            stage.id = plan.stages[index].id
            stage.from = inputs(of: index).map { input in
                StageReference(
                    id: plan.stages[input.stage].id,
                    port: input.port == .rows ? .rows : .rejects,
                    place: plan.stages[index].place
                )
            }
            return stage
        }
        return job
    }
}

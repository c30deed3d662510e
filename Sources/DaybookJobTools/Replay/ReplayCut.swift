import DaybookEngine

/// The stages that a replay runs, and what it has to leave out.
///
/// A record goes again through the stages from its import to the one that rejected it, and from there on to all that lies
/// behind. What branches off before had it the first time, and must not get it twice.
struct ReplayCut {
    /// The stages through which replayed rows go.
    private(set) var kept: Set<Int> = []
    /// The stages that are read to their ends because others look things up in them.
    private(set) var sides: Set<Int> = []
    /// The stages that give columns and no rows, to a stage that reads several one after another.
    private(set) var silent: Set<Int> = []
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
        keepSilent()
        try keepBuildSides()
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

    private mutating func keepSilent() {
        for index in kept where plan.stages[index].readsInTurn {
            for input in plan.stages[index].inputs where !input.isBuildSide {
                silent.formUnion(all(above: input.stage).subtracting(kept))
            }
        }
    }

    private mutating func keepBuildSides() throws(DaybookError) {
        let replayed = Set(groups.map(\.source)).union(silent)
        for reader in kept.union(silent).sorted() {
            for side in plan.stages[reader].inputs where side.isBuildSide { sides.formUnion(all(above: side.stage)) }
            guard replayed.isDisjoint(with: sides) else {
                throw DaybookError(
                    "cannot-replay",
                    "'\(plan.stages[reader].id)' looks things up in rows that come from the files that are replayed",
                    at: plan.stages[reader].place,
                    hint: "mend the records where they stand, and run the job again"
                )
            }
        }
        if let store = silent.sorted().first(where: plan.isStore) {
            throw DaybookError(
                "cannot-replay",
                "the rows of '\(plan.stages[store].id)', which come beside those that are replayed, stand in a database",
                at: plan.stages[store].place,
                hint: "mend the records where they stand, and run the job again"
            )
        }
    }

    /// A stage and all that it needs in any way.
    private func all(above index: Int) -> Set<Int> {
        var found: Set<Int> = [index]
        for stage in plan.stages[...index].reversed() where found.contains(stage.index) {
            found.formUnion(stage.inputs.map(\.stage))
        }
        return found
    }

    /// What a kept stage reads, where outputs that are left out are passed by.
    private func inputs(of index: Int) -> [PlannedStage.Input] {
        plan.stages[index].inputs.compactMap { input in
            if input.isNamedByOptions { return nil }
            var input = input
            while !isRun(input.stage) {
                guard isOutput(input.stage), input.port == .rows, let next = plan.stages[input.stage].inputs.first
                else {
                    return nil
                }
                input.stage = next.stage
                input.port = next.port
            }
            // A stage through which replayed rows go takes no others beside them.
            let isForeign = sides.contains(input.stage) && !kept.contains(input.stage) && !input.isBuildSide
            return kept.contains(index) && isForeign ? nil : input
        }
    }

    private func isRun(_ index: Int) -> Bool {
        kept.contains(index) || sides.contains(index) || silent.contains(index)
    }

    /// The job of the kept stages.
    var job: Job {
        var job = plan.job
        job.tests = []
        job.stages = kept.union(sides).union(silent).sorted().map { index in
            var stage = plan.job.stages[index]
            stage.id = plan.stages[index].id
            stage.from = inputs(of: index).map { plan.reference(to: $0, at: plan.stages[index].place) }
            return stage
        }
        return job
    }
}

/// Results of one rule or measure in earlier runs, identified by the names of its stage and itself.
public struct PlannedPast: Sendable, Codable, Hashable {
    public var stage: String
    /// Id of the rule, or title of the measure.
    public var name: String
    public var past: FigurePast

    public init(stage: String, name: String, past: FigurePast) {
        (self.stage, self.name, self.past) = (stage, name, past)
    }
}

extension Plan {
    /// Requests of rules and measures for earlier runs.
    public var pastRequests: [(stage: String, name: String, request: PastRequest)] {
        // A run on some of the rows is not comparable.
        guard readsAllRows else { return [] }
        return stages.flatMap { stage -> [(stage: String, name: String, request: PastRequest)] in
            if let sink = stage.sink?.asMeasuring {
                return sink.pastRequests.sorted { $0.key < $1.key }.map { (stage.id, $0.key, $0.value) }
            }
            let asked = (stage.check?.pastRequests ?? [:]).filter { $0.value.isByDay || namesDays }
            return asked.sorted { $0.key < $1.key }.map { (stage.id, stage.rules[$0].id, $1) }
        }
    }

    /// Rules and measures that are compared with earlier runs under a generated name. Another stage or rule above
    /// changes that name, and the comparison starts again.
    var namelessPasts: [JobWarning] {
        stages.flatMap { stage -> [JobWarning] in
            let asking = stage.check?.pastRequests.filter(\.value.isByDay).keys.sorted().map { stage.rules[$0] } ?? []
            var isAsking = !asking.isEmpty
            if let sink = stage.sink?.asMeasuring { isAsking = !sink.pastRequests.isEmpty }
            guard isAsking else { return [] }
            let ofRules = asking.filter { !$0.isNamed }.map { rule in
                JobWarning(
                    "past-without-name",
                    "earlier runs know this rule as '\(rule.id)', a name made of what it asks, and a change of it begins anew",
                    at: rule.place,
                    hint: "write 'id: \(rule.id)' or another name in its entry, and keep it"
                )
            }
            guard job.stages[stage.index].idPlace == nil else { return ofRules }
            let ofStage = JobWarning(
                "past-without-name",
                "earlier runs know what is compared here under '\(stage.id)', a name that another \(stage.typeName) above would change",
                at: stage.place,
                hint: "write 'id: \(stage.id)' or another name beside the stage, and keep it"
            )
            return [ofStage] + ofRules
        }
    }

    /// Passes the results of earlier runs to rules and measures. Without it they have none.
    public mutating func know(_ past: [PlannedPast]) {
        guard !past.isEmpty else { return }
        for stage in stages {
            let own = past.filter { $0.stage == stage.id }
            guard !own.isEmpty else { continue }
            stages[stage.index].past = Dictionary(own.map { ($0.name, $0.past) }) { first, _ in first }
        }
    }

    /// Errors for stages whose rows an output counts, and that do not exist.
    var unknownCounted: [DaybookError] {
        let ids = stages.map(\.id)
        return stages.flatMap { stage -> [DaybookError] in
            guard let sink = stage.sink?.asMeasuring else { return [] }
            return sink.countedStages.filter { !ids.contains($0.id) }.map { counted in
                DaybookError(
                    "unknown-stage-id",
                    "no stage has the id \(counted.id.quotedForMessage)",
                    at: counted.place ?? stage.place,
                    hint: NearestName.hint(for: counted.id, among: ids, listing: "the ids are")
                )
            }
        }
    }
}

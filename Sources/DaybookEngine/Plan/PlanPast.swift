/// What one rule of a plan measured in earlier runs, known by the names of its stage and its own.
public struct PlannedPast: Sendable, Codable, Hashable {
    public var stage: String
    public var rule: String
    public var past: RulePast

    public init(stage: String, rule: String, past: RulePast) {
        (self.stage, self.rule, self.past) = (stage, rule, past)
    }
}

extension Plan {
    /// The rules that want to know of earlier runs.
    public var pastRequests: [(stage: String, rule: String, request: PastRequest)] {
        stages.flatMap { stage in
            (stage.check?.pastRequests ?? [:]).sorted { $0.key < $1.key }.map { number, request in
                (stage.id, stage.rules[number].id, request)
            }
        }
    }

    /// Tells rules of earlier runs; without it they know of none.
    public mutating func know(_ past: [PlannedPast]) {
        for stage in stages {
            guard let check = stage.check else { continue }
            let known = Dictionary(past.filter { $0.stage == stage.id }.map { ($0.rule, $0.past) }) { first, _ in first
            }
            var numbered: [Int: RulePast] = [:]
            for (number, rule) in check.rules.enumerated() { numbered[number] = known[rule.id] }
            if !numbered.isEmpty { replaceRole(of: stage.index, by: StageRole(check.knowing(numbered))) }
        }
    }
}

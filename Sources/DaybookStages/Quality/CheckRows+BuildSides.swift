/// Rules may refer to other stages, which are then read first.
extension CheckRows: JoiningStage {
    public var sides: [BuildSideReference] {
        var sides: [BuildSideReference] = []
        for case let side? in referring.map(\.side) where number(of: side, in: sides) == nil { sides.append(side) }
        return sides
    }

    public func columns(neededOfBuildSide side: Int) -> ColumnSet {
        let sides = sides
        return ColumnSet(referring.filter { number(of: $0.side, in: sides) == side }.flatMap(\.sideColumns))
    }

    public func joined(to inputs: [Schema], sides schemas: [Schema]) throws(DaybookError) -> CheckRows {
        let sides = sides
        for rule in referring {
            guard let side = number(of: rule.side, in: sides) else { continue }
            try rule.check(inputs.first, against: schemas[side])
        }
        return self
    }

    /// Refuses a rule whose columns in another stage are not there; of a stage that cannot be read nothing is known.
    func check(_ rule: any ReferringRule, of input: Schema, against schemas: [Schema?]) throws(DaybookError) {
        guard let reference = rule.side, let side = number(of: reference, in: sides) else { return }
        guard let schema = schemas[side] else {
            throw DaybookError(
                DaybookError.unreadStage,
                "the stage '\(reference.stage)' did not run",
                at: reference.place
            )
        }
        try rule.check(input, against: schema)
    }

    public func knowing(_ rows: [BuildSide], scratch: any Scratch) throws(DaybookError) -> CheckRows {
        let sides = sides
        return try mappingRules { (rule) throws(DaybookError) in
            guard let rule = rule as? any ReferringRule, let side = number(of: rule.side, in: sides) else {
                return rule
            }
            return try rule.knowing(rows[side])
        }
    }

    private var referring: [any ReferringRule] {
        rulesAsked.compactMap { $0 as? any ReferringRule }
            // One that could not be read has no place, and was complained about.
            .filter { $0.side?.place != nil }
    }

    private func number(of side: BuildSideReference?, in sides: [BuildSideReference]) -> Int? {
        sides.firstIndex { $0.stage == side?.stage && $0.readsRejects == side?.readsRejects }
    }
}

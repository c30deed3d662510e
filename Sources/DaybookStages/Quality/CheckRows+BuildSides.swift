/// Rules may refer to other stages, which are then read first.
extension CheckRows: JoiningStage {
    public var sides: [BuildSideReference] {
        var sides: [BuildSideReference] = []
        for reference in references where side(of: reference, in: sides) == nil { sides.append(reference.stage) }
        return sides
    }

    public func columns(neededOfBuildSide side: Int) -> ColumnSet {
        let sides = sides
        return ColumnSet(references.filter { self.side(of: $0, in: sides) == side }.map(\.column))
    }

    public func joined(to inputs: [Schema], sides schemas: [Schema]) throws(DaybookError) -> CheckRows {
        let sides = sides
        for case let rule as RefersTo in rulesAsked {
            guard let side = side(of: rule.reference, in: sides) else { continue }
            try rule.check(inputs.first, against: schemas[side])
        }
        return self
    }

    /// Refuses a rule whose column in another stage is not there; of a stage that cannot be read nothing is known.
    func check(_ rule: RefersTo, of input: Schema, against schemas: [Schema?]) throws(DaybookError) {
        guard let side = side(of: rule.reference, in: sides) else { return }
        guard let schema = schemas[side] else {
            throw DaybookError(
                DaybookError.unreadStage,
                "the stage '\(rule.reference.stage.stage)' did not run",
                at: rule.reference.stage.place
            )
        }
        try rule.check(input, against: schema)
    }

    public func knowing(_ rows: [BuildSide]) throws(DaybookError) -> CheckRows {
        let sides = sides
        return mappingRules { rule in
            guard let rule = rule as? RefersTo, let side = side(of: rule.reference, in: sides) else { return rule }
            return rule.knowing(rows[side])
        }
    }

    private var references: [ColumnReference] {
        rulesAsked.compactMap { ($0 as? RefersTo)?.reference }
            // One that could not be read has no place, and was complained about.
            .filter { $0.stage.place != nil }
    }

    private func side(of reference: ColumnReference, in sides: [BuildSideReference]) -> Int? {
        sides.firstIndex { $0.stage == reference.stage.stage && $0.readsRejects == reference.stage.readsRejects }
    }
}

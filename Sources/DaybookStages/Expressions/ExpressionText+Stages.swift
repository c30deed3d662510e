extension ExpressionText {
    /// The rules of the job's time zone, where the expression needs one; a job without one is then refused.
    func zone(reading options: inout OptionReader) -> ZoneRules? {
        guard needsZone else { return nil }
        return ZoneRules(named: options.timezone(because: "an expression asks for the day of an instant"))
    }

    /// The expression over the columns of a batch, which the schema check has found to be right.
    func promised(in schema: Schema, _ context: OptionReader.Context, _ zone: ZoneRules?) -> Expression {
        do {
            return try checked(against: schema, context: context, zone: zone)
        } catch {
            preconditionFailure("an expression is wrong that its schema check let pass: \(error.message)")
        }
    }

    /// The same, for a condition.
    func promisedCondition(in schema: Schema, _ context: OptionReader.Context, _ zone: ZoneRules?) -> Condition {
        do {
            return try condition(against: schema, context: context, zone: zone)
        } catch {
            preconditionFailure("a condition is wrong that its schema check let pass: \(error.message)")
        }
    }
}

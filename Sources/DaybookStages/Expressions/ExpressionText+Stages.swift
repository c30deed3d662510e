extension ExpressionText {
    /// The rules of the job's time zone, where the expression needs one; a job without one is then refused.
    func zone(reading options: inout OptionReader) -> ZoneRules? {
        guard needsZone else { return nil }
        return ZoneRules(named: options.timezone(because: "an expression asks for the day of an instant"))
    }

    /// An expression or a condition over the columns of a batch, which the schema check has found to be right.
    static func promised<Checked>(_ check: () throws(DaybookError) -> Checked) -> Checked {
        do throws(DaybookError) { return try check() } catch {
            preconditionFailure("an expression is wrong that its schema check let pass: \(error.message)")
        }
    }
}

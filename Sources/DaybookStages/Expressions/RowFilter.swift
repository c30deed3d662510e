/// Which rows a stage keeps or a rule is asked about: those for which a condition is true.
struct RowFilter: Sendable {
    /// The rows of a batch that a rule is asked about.
    struct Look {
        var asked: Mask
        /// Rows of which nobody can say whether they are among them, because the condition has no value.
        var unknown: Mask?

        var count: Int { asked.setCount + (unknown?.setCount ?? 0) }
    }

    let condition: ExpressionText
    private let context: OptionReader.Context
    private let zone: ZoneRules?

    init(_ condition: ExpressionText, reading options: inout OptionReader) {
        self.condition = condition
        context = options.context
        zone = condition.zone(reading: &options)
    }

    var columns: ColumnSet { condition.columns }

    func check(_ input: Schema) throws(DaybookError) {
        _ = try condition.condition(against: input, context: context, zone: zone)
    }

    func truth(in batch: Batch) -> TernaryMask {
        ExpressionText.promised { () throws(DaybookError) in
            try condition.condition(against: batch.schema, context: context, zone: zone)
        }.evaluate(batch)
    }

    func look(at batch: Batch) -> Look {
        let truth = truth(in: batch)
        return Look(asked: truth.trueRows, unknown: truth.uncomputableRows)
    }
}

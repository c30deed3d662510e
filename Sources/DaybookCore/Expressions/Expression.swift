/// An expression whose kind is known, ready to be evaluated over batches that have the columns it was checked against.
public struct Expression: Sendable {
    /// What its values are. Nil when nobody knows: in a schema that is open, and for the bare word `missing`.
    public let kind: ColumnKind?
    /// In a schema that is open: it reads a column that nobody has seen, and cannot be evaluated.
    public let isUnknown: Bool
    /// The columns that it reads, in the order of its text.
    public let columnNames: [ColumnName]
    let computation: Computation
    private let zone: ZoneRules?

    init(kind: ColumnKind?, isUnknown: Bool, names: [ColumnName], computation: Computation, zone: ZoneRules?) {
        self.kind = kind
        self.isUnknown = isUnknown
        columnNames = names
        self.computation = computation
        self.zone = zone
    }

    public var columns: ColumnSet { ColumnSet(columnNames) }

    /// What an expression comes to over a batch.
    public struct Outcome: Sendable {
        public let column: Column
        /// Rows whose value could not be computed, which are missing: a division by 0, a number or text too large.
        public let uncomputableRows: Mask?
    }

    /// One value a row. Where it could not be computed it is missing; `outcome` tells these rows apart.
    public func evaluate(_ batch: Batch) -> Column { outcome(batch).column }

    public func outcome(_ batch: Batch) -> Outcome { outcome(evaluation(of: batch), batch.count) }

    /// The same, with texts that are bounded by columns of other rows: by what a stage was given, where its expressions read
    /// what it made itself.
    public func outcome(_ batch: Batch, boundedBy columns: [ColumnName], of rows: Batch) -> Outcome {
        outcome(Evaluation(batch, columns: columns, of: rows, zone: zone), batch.count)
    }

    private func outcome(_ evaluation: Evaluation, _ count: Int) -> Outcome {
        let result = evaluation.operand(computation).spread(count)
        return Outcome(column: result.column, uncomputableRows: result.faults)
    }

    func truth(_ batch: Batch) -> TernaryMask { evaluation(of: batch).truth(computation) }

    private func evaluation(of batch: Batch) -> Evaluation { Evaluation(batch, columns: columnNames, zone: zone) }
}

/// An expression that is true or false.
public struct Condition: Sendable {
    let expression: Expression

    public func evaluate(_ batch: Batch) -> TernaryMask { expression.truth(batch) }
}

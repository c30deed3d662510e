import DaybookDates

/// An expression of a known kind, ready to be evaluated over batches with the columns it was checked against.
public struct Expression: Sendable {
    /// The kind of its values. Nil if unknown: in an open schema, and for the bare word `missing`.
    public let kind: ColumnKind?
    /// In an open schema: it reads an unknown column, and cannot be evaluated.
    public let isUnknown: Bool
    /// The columns that it reads, in the order of its text.
    public let columnNames: [ColumnName]
    let computation: Computation
    let zone: ZoneRules?

    public var columns: ColumnSet { ColumnSet(columnNames) }

    /// The result of an expression over a batch.
    public struct Outcome: Sendable {
        public let column: Column
        /// Rows whose value could not be computed, which are missing: a division by 0, a number or text too large.
        public let uncomputableRows: Mask?
    }

    /// One value per row. Failed computations are missing.
    ///
    /// - Parameters:
    ///   - columns: the columns that bound the texts; nil for those that the expression reads.
    ///   - rows: the rows of these columns, if not the batch: the input of a stage whose expressions read columns that it
    ///     made itself.
    public func outcome(_ batch: Batch, boundedBy columns: [ColumnName]? = nil, of rows: Batch? = nil) -> Outcome {
        let evaluation = Evaluation(batch, columns: columns ?? columnNames, of: rows, zone: zone)
        let result = evaluation.operand(computation).spread(batch.count)
        return Outcome(column: result.column, uncomputableRows: result.faults)
    }

    /// The truth of a Boolean expression.
    func truth(_ batch: Batch) -> TernaryMask {
        Evaluation(batch, columns: columnNames, zone: zone).truth(computation)
    }
}

/// The rows that a stage keeps or a rule judges: those for which a condition is true.
package struct RowFilter: Sendable {
    /// The rows of a batch that a rule judges.
    package struct Look {
        package var asked: Mask
        /// Rows for which the condition has no value, so that it is unknown whether the rule judges them.
        package var unknown: Mask?

        package var count: Int { asked.setCount + (unknown?.setCount ?? 0) }
    }

    package let condition: ExpressionText
    private let context: OptionReader.Context
    private let zone: ZoneRules?

    package init(_ condition: ExpressionText, reading options: inout OptionReader) {
        self.condition = condition
        context = options.context
        zone = condition.zone(reading: &options)
    }

    package var columns: ColumnSet { condition.columns }

    package func check(_ input: Schema) throws(DaybookError) {
        _ = try condition.condition(against: input, context: context, zone: zone)
    }

    package func truth(in batch: Batch) -> TernaryMask {
        ExpressionText.promised { () throws(DaybookError) in
            try condition.condition(against: batch.schema, context: context, zone: zone)
        }.truth(batch)
    }

    package func look(at batch: Batch) -> Look {
        let truth = truth(in: batch)
        return Look(asked: truth.trueRows, unknown: truth.uncomputableRows)
    }
}

extension Finding.Kind {
    /// - Parameter what: The computation, as the message names it.
    package static func notComputable(_ what: String) -> Finding.Kind {
        Finding.Kind(
            "not-computable",
            "\(what) has no value here: it divides by 0, a number or text becomes too large, a day leaves the years 1 to 9999, or a text would hold a NUL"
        )
    }
}

/// For each row of a batch, whether a condition is true, false or missing.
public struct TernaryMask: Sendable, Hashable {
    public let trueRows: Mask
    /// Rows whose truth is unknown, because a value is missing; nil when there are none. None of them is true.
    public let missingRows: Mask?
    /// The missing rows whose value could not be computed: a division by 0, a number too large.
    public let uncomputableRows: Mask?

    /// - Parameter isTrue: Its bits for missing rows do not count.
    init(_ isTrue: Mask, missing: Mask?, uncomputable: Mask? = nil) {
        trueRows = isTrue.subtracting(missing)
        missingRows = missing
        uncomputableRows = uncomputable
    }

    public var count: Int { trueRows.count }
    public func isTrue(_ row: Int) -> Bool { trueRows[row] }
    public func isMissing(_ row: Int) -> Bool { missingRows.isMissing(row) }
    public func isFalse(_ row: Int) -> Bool { !trueRows[row] && !missingRows.isMissing(row) }
    public var trueCount: Int { trueRows.setCount }

    /// True for false and false for true; missing stays.
    var negated: TernaryMask { TernaryMask(trueRows.inverted, missing: missingRows, uncomputable: uncomputableRows) }

    /// False if one of the two is false, true if both are true, else missing.
    func and(_ other: TernaryMask) -> TernaryMask {
        let both = trueRows.intersection(other.trueRows)
        guard missingRows != nil || other.missingRows != nil else { return TernaryMask(both, missing: nil) }
        let unknown = possible.intersection(other.possible).subtracting(both)
        let uncomputable = uncomputableRows.union(other.uncomputableRows)?.intersection(unknown).orNil
        return TernaryMask(both, missing: unknown.orNil, uncomputable: uncomputable)
    }

    /// True if one of the two is true, false if both are false, else missing.
    func or(_ other: TernaryMask) -> TernaryMask { negated.and(other.negated).negated }

    /// The rows that are true or missing.
    private var possible: Mask { missingRows.map(trueRows.union) ?? trueRows }
}

extension TernaryMask {
    /// A column of flags as truth.
    init(_ flags: Values<Bool>, uncomputable: Mask?) {
        let elements = flags.elements.span
        self.init(Mask(count: elements.count) { elements[$0] }, missing: flags.missing, uncomputable: uncomputable)
    }

    var flags: Values<Bool> {
        let words = trueRows.words
        let elements = [Bool](unsafeUninitializedCapacity: count) { new, filled in
            for row in 0..<count { new.initializeElement(at: row, to: words[row >> 6] >> UInt64(row & 63) & 1 == 1) }
            filled = count
        }
        return Values(elements, missing: missingRows)
    }
}

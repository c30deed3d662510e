/// A fold that holds rows against rules and lets them pass as they are.
///
/// What one batch tells by itself is said at once, in `partial(of:reporting:)`, by `Findings.fail`, so that a row that breaks
/// several rules is told for each. What only all rows together tell (a key that comes twice, a sum) waits in the partial
/// until `conclude`.
public protocol CheckStage: FoldStage {
    /// The rules in the order of the job; findings name them by their place in it.
    var rules: [Rule] { get }

    /// Whether `conclude` may reject rows that passed long before. They are held back then, where another stage reads them.
    var rejectsLate: Bool { get }

    /// Says what is wrong with the rows as a whole, and with rows that had passed.
    ///
    /// - Parameters:
    ///   - partial: what all rows came to; nil when there were none.
    ///   - room: how many more findings of each rule will be told. The others need only be counted, by `Findings.count`, unless
    ///     they reject their row.
    func conclude(
        _ partial: Partial?,
        schema: Schema,
        room: [Int],
        scratch: any Scratch,
        emit: (LateFindings) throws(DaybookError) -> Void
    ) throws(DaybookError)
}

/// What is found out about rows once all have been seen.
public struct LateFindings: Sendable {
    /// The rows that are spoken of, with their origins; they need no columns.
    public var rows: Batch
    /// What there is to say about them.
    public var findings: Findings
    /// The number of each row, in the order in which rows entered the stage, from 0.
    public var numbers: [Int]

    public init(
        _ findings: Findings,
        about rows: Batch = Batch(Schema(), [], count: 0, origins: .made),
        numbers: [Int] = []
    ) {
        self.rows = rows
        self.findings = findings
        self.numbers = numbers
    }
}

extension CheckStage {
    public static var keepsRows: Bool { true }
    public static var passesRows: Bool { true }
    public var rejectsLate: Bool { false }

    public func finish(
        _ partial: Partial?,
        schema: Schema,
        scratch: any Scratch,
        emit: (Batch, Findings) throws(DaybookError) -> Void
    ) throws(DaybookError) {
        let room = [Int](repeating: .max, count: rules.count)
        try conclude(partial, schema: schema, room: room, scratch: scratch) { (late) throws(DaybookError) in
            try emit(late.rows, late.findings)
        }
    }
}

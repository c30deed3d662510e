/// A fold that holds rows against rules and lets them pass as they are.
///
/// What one batch tells by itself is said at once, in `partial(of:reporting:)`, by `Findings.fail`, so that a row that breaks
/// several rules is told for each. What only all rows together tell (a key that comes twice, a sum) waits in the partial
/// until `finish`, which emits what there is to say of rows that have passed.
public protocol Check: Fold {
    /// The rules in the order of the job; findings name them by their place in it.
    var rules: [Rule] { get }

    /// Whether `finish` may reject rows that passed long before. They are held back then, where another stage reads them.
    var rejectsLate: Bool { get }

    /// What is wrong with single rules, by number, where rows have these columns: each can be left out without the others.
    func problems(of inputs: StageInputs) -> [Int: DaybookError]

    /// The rules about the table as a whole, by number, which a part of its rows cannot be held against.
    var tableRules: Set<Int> { get }

    /// The columns that rules ask the table to have, whether it has them or not.
    var expectedColumns: [String] { get }

    /// What rules want to know of earlier runs, by number.
    var pastRequests: [Int: PastRequest] { get }
}

/// What is found out about rows once all have been seen.
public struct LateFindings: Sendable {
    /// What there is to say about them.
    public var findings: Findings
    /// The number of each row, in the order in which rows entered the stage, from 0.
    public var numbers: [Int]
    private let makeRows: @Sendable () throws(DaybookError) -> Batch

    /// - Parameters:
    ///   - numbers: of the rows; left out by what makes rows of its own.
    ///   - rows: makes the rows that are spoken of, with their origins, on the thread that tells them. They need no columns.
    public init(
        _ findings: Findings,
        numbers: [Int] = [],
        about rows: @escaping @Sendable () throws(DaybookError) -> Batch = { Batch(empty: Schema()) }
    ) {
        self.findings = findings
        self.numbers = numbers
        makeRows = rows
    }

    /// The rows that are spoken of.
    public func rows() throws(DaybookError) -> Batch { try makeRows() }

    /// Rows that are long gone, to say something about one field of them.
    ///
    /// - Parameters:
    ///   - field: the column that is spoken of.
    ///   - values: its values; where they are not at hand they are taken from the records, if these can still be read.
    public static func rows(_ provenance: Provenance, count: Int, field: Field?, values: Column?) -> Batch {
        guard var field else { return Batch(Schema(), [], count: count, provenance: provenance) }
        if let values {
            field.kind = values.kind
            return Batch(Schema([field]), [values], count: count, provenance: provenance)
        }
        let views = [TextView](repeating: TextView(offset: 0, length: 0), count: count)
        let nothing = TextColumn(Bytes(), views: views, missing: Mask(count: count) { _ in true })
        return Batch(
            Schema([Field(field.name, .text, source: field.source)]),
            [.text(nothing)],
            count: count,
            provenance: provenance
        )
    }
}

extension Check {
    public var asCheck: (any Check)? { self }
    public static var keepsRows: Bool { true }
    public static var passesRows: Bool { true }
    public var rejectsLate: Bool { false }
    public func problems(of inputs: StageInputs) -> [Int: DaybookError] { [:] }
    public var tableRules: Set<Int> { [] }
    public var pastRequests: [Int: PastRequest] { [:] }
}

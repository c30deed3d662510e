/// The account of the rows that entered one stage.
///
/// Both sides are counted separately: `rowsIn` and `rowsOut` by the engine when it passes batches on, the rest when the
/// stage names it. That reveals lost rows.
public struct LedgerLine: Sendable, Hashable, Codable {
    public var id: String
    public var stage: String
    /// Whether the stage reads files, so that its rows are the input rows of the run.
    public var isSource: Bool
    /// Rows that entered; for a source, the records it saw.
    public var rowsIn = 0
    public var rowsOut = 0
    public var rejected = 0
    /// Rows dropped without an error, by name.
    public var dropped: [String: Int] = [:]
    /// Rows that were folded into others.
    public var folded = 0
    /// Rows that a stage made.
    public var made = 0
    /// Which of these do not come from input rows, by name.
    public var added: [String: Int] = [:]
    /// What a source skipped that is not a row, by name.
    public var skipped: [String: Int] = [:]
    /// Missing values that a stage filled, by column.
    public var filled: [String: Int] = [:]
    /// Texts that a stage mended, by column.
    public var mended: [String: Int] = [:]
    /// Time spent in the stage, summed over all threads.
    public var nanoseconds: UInt64 = 0

    public init(id: String, stage: String, isSource: Bool = false) {
        self.id = id
        self.stage = stage
        self.isSource = isSource
    }

    public var droppedCount: Int { dropped.values.reduce(0, +) }

    /// Rows that entered and are accounted for nowhere; 0 when the line balances, below 0 when rows came from nowhere.
    public var unaccounted: Int { rowsIn + made - rowsOut - rejected - droppedCount - folded }

    public mutating func add(_ other: LedgerLine) {
        rowsIn += other.rowsIn
        rowsOut += other.rowsOut
        rejected += other.rejected
        dropped.merge(other.dropped, uniquingKeysWith: +)
        folded += other.folded
        made += other.made
        added.merge(other.added, uniquingKeysWith: +)
        skipped.merge(other.skipped, uniquingKeysWith: +)
        filled.merge(other.filled, uniquingKeysWith: +)
        mended.merge(other.mended, uniquingKeysWith: +)
        nanoseconds += other.nanoseconds
    }
}

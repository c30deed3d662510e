/// The rows that a batch becomes, given part by part: an iterator, so that a few rows which become millions take the memory of one part.
public protocol BatchParts: Sendable {
    /// The next part; the first may be the last. Not called behind the last.
    ///
    /// What it notes in `findings` is about rows of the whole batch, by their numbers there, and only about those that the part accounts
    /// for. Each row has to be rejected or dropped, or be told to `Findings.unfold`, in one of the parts.
    mutating func next(reporting findings: inout Findings) throws(DaybookError) -> BatchPart
}

/// Some of the rows that a batch becomes.
public struct BatchPart: Sendable {
    /// The new rows, each with the origin of the row that it came from.
    public var rows: Batch
    /// How many rows of the batch it accounts for. One whose rows go on in the next part is accounted for in the first.
    public var parents: Int
    public var isLast: Bool

    public init(_ rows: Batch, parents: Int, isLast: Bool) {
        (self.rows, self.parents, self.isLast) = (rows, parents, isLast)
    }
}

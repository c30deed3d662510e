/// Gathers a result from all rows: each batch yields a partial, and partials are merged in the order of the input.
///
/// Folds, checks, the rules of a check and observers are aggregators; they differ in what they map (`Rows`), in where
/// they report findings (`Report`), and in how they end. One partial serves threads, disk and other processes: it is a
/// value, and its byte form (`PartialCoding`) is the byte form of the containers in it.
public protocol Aggregator: Sendable {
    /// The input of one partial.
    associatedtype Rows = Batch
    /// Receives findings about single rows.
    associatedtype Report = Findings
    associatedtype Partial: Sendable

    /// Computes the partial of some rows. Called on any thread, in any order. A fold omits rows it rejects in `report`.
    func partial(of rows: Rows, reporting report: inout Report) throws(DaybookError) -> Partial

    /// Merges the partial of later rows into the partial of earlier ones. Called in the order of the input, on any
    /// number of threads, and in any grouping: (a + b) + c is a + (b + c).
    func merge(_ later: Partial, into earlier: inout Partial, scratch: any Scratch) throws(DaybookError)
}

/// Merges partials, wherever their rows are.
public protocol ResultMerger: Sendable {
    associatedtype Partial: PartialResult

    /// See `Aggregator`.
    func merge(_ later: Partial, into earlier: inout Partial, scratch: any Scratch) throws(DaybookError)
}

extension ResultMerger {
    /// Merges partials whose type is erased. Nil means no rows.
    public func merge(
        erased later: any PartialResult,
        into earlier: inout (any PartialResult)?,
        scratch: any Scratch
    ) throws(DaybookError) {
        guard earlier != nil else {
            earlier = later
            return
        }
        guard let new = later as? Partial, var old = earlier as? Partial else {
            preconditionFailure("\(Self.self) was handed the partial result of another")
        }
        // Released, so that it is not copied.
        earlier = nil
        try merge(new, into: &old, scratch: scratch)
        earlier = old
    }
}

extension FoldPartial {
    public var endedRows: Int { foldedRows }
}

/// Gathers from all rows and emits rows after the last: the operator of a fold, or of a transform that needs it.
///
/// The rows of a transform flow through it as through any other; `partial(of:reporting:)` sees them in addition to
/// `process`, and only `process` reports findings.
public protocol FinishingOperator: Aggregator, ResultMerger
where Rows == Batch, Report == Findings, Partial: PartialResult {
    /// Emits the resulting batches in order. `partial` is nil if there were no rows at all. The stage is its only
    /// owner, so that it can release what it has used.
    func finish(_ partial: consuming Partial?, _ output: FoldOutput) throws(DaybookError)
}

extension FinishingOperator {
    /// Ends with a partial result whose type is no longer named.
    public func finish(erased partial: consuming (any PartialResult)?, _ output: FoldOutput) throws(DaybookError) {
        // Moved out, for a copy would retain everything that the stage releases.
        var whole = partial.take() as? Partial
        try finish(whole.take(), output)
    }
}

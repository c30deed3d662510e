/// Something that is gathered from all rows: each batch gives a partial result, and partial results are merged in the order of the input.
///
/// Folds, checks, the rules of a check and observers are aggregators; they differ in what they map (`Rows`), in where they report
/// what they find (`Report`), and in how they end. One partial result serves threads, disk and other processes: it is a value,
/// and its byte form (`PartialCoding`) is that of the containers that it is made of.
public protocol Aggregator: Sendable {
    /// What one partial result is made of.
    associatedtype Rows = Batch
    /// Where it is noted what is wrong with single rows.
    associatedtype Report = Findings
    associatedtype Partial: Sendable

    /// The partial result of some rows; made by any thread, in any order. A fold leaves out the rows that it rejects in `report`.
    func partial(of rows: Rows, reporting report: inout Report) throws(DaybookError) -> Partial

    /// Adds the partial result of later rows to that of earlier ones. Called in the order of the input, at any number of threads,
    /// and in any grouping: (a + b) + c is a + (b + c).
    func merge(_ later: Partial, into earlier: inout Partial, scratch: any Scratch) throws(DaybookError)
}

/// What merges partial results, wherever their rows are.
public protocol ResultMerger: Sendable {
    associatedtype Partial: PartialResult

    /// See `Aggregator`.
    func merge(_ later: Partial, into earlier: inout Partial, scratch: any Scratch) throws(DaybookError)
}

extension ResultMerger {
    /// The same for partial results whose type is no longer named. Nil stands for no rows.
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
        // Let go of, so that it is not copied.
        earlier = nil
        try merge(new, into: &old, scratch: scratch)
        earlier = old
    }
}

extension FoldPartial {
    public var endedRows: Int { foldedRows }
}

/// What gathers something from all rows, and gives rows when all have come: the operator of a fold, or of a transform whose options ask for it.
///
/// The rows of a transform flow through it as through any other; `partial(of:reporting:)` looks at them beside `process`, which alone notes
/// findings.
public protocol FinishingOperator: Aggregator, ResultMerger
where Rows == Batch, Report == Findings, Partial: PartialResult {
    /// Gives the resulting batches in order. `partial` is nil when there were no rows at all; nobody else holds it, so that a stage can let
    /// go of what it has used.
    func finish(_ partial: consuming Partial?, _ output: FoldOutput) throws(DaybookError)
}

extension FinishingOperator {
    /// Ends with a partial result whose type is no longer named.
    public func finish(erased partial: consuming (any PartialResult)?, _ output: FoldOutput) throws(DaybookError) {
        // Taken out, for a copy of it would hold all that the stage lets go of.
        var whole = partial.take() as? Partial
        try finish(whole.take(), output)
    }
}

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

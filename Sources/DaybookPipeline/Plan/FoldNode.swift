import DaybookCore

/// A fold stage whose type is no longer named.
public protocol FoldNode: Sendable {
    var keepsRows: Bool { get }
    func schema(after input: Schema) throws(DaybookError) -> Schema
    func columns(neededFor wanted: ColumnSet) -> ColumnSet
    func partial(of batch: Batch, reporting findings: inout Findings) throws(DaybookError) -> any FoldPartial
    /// What gathers the partials of a run, in the order of the input.
    func makeGatherer() -> any FoldGatherer
}

/// Gathers partials, one thread at a time.
public protocol FoldGatherer: AnyObject, Sendable {
    var foldedRows: Int { get }
    var droppedRows: [String: Int] { get }
    func merge(_ partial: any FoldPartial, scratch: any Scratch) throws(DaybookError)
    func finish(
        schema: Schema,
        scratch: any Scratch,
        emit: (Batch, Findings) throws(DaybookError) -> Void
    ) throws(DaybookError)
}

struct FoldBox<Wrapped: FoldStage>: FoldNode {
    let stage: Wrapped

    init(_ stage: Wrapped) { self.stage = stage }

    var keepsRows: Bool { Wrapped.keepsRows }

    func schema(after input: Schema) throws(DaybookError) -> Schema { try stage.schema(after: input) }

    func columns(neededFor wanted: ColumnSet) -> ColumnSet { stage.columns(neededFor: wanted) }

    func partial(of batch: Batch, reporting findings: inout Findings) throws(DaybookError) -> any FoldPartial {
        try stage.partial(of: batch, reporting: &findings)
    }

    func makeGatherer() -> any FoldGatherer { Gatherer(stage) }

    /// Sendable because the run's commit order lets only one thread at a time touch it.
    final class Gatherer: FoldGatherer, @unchecked Sendable {
        let stage: Wrapped
        var gathered: Wrapped.Partial?

        init(_ stage: Wrapped) { self.stage = stage }

        var foldedRows: Int { gathered?.foldedRows ?? 0 }
        var droppedRows: [String: Int] { gathered?.droppedRows ?? [:] }

        func merge(_ partial: any FoldPartial, scratch: any Scratch) throws(DaybookError) {
            guard let partial = partial as? Wrapped.Partial else {
                preconditionFailure("a fold was handed the partial of another")
            }
            guard var earlier = gathered.take() else {
                gathered = partial
                return
            }
            try stage.merge(partial, into: &earlier, scratch: scratch)
            gathered = earlier
        }

        func finish(
            schema: Schema,
            scratch: any Scratch,
            emit: (Batch, Findings) throws(DaybookError) -> Void
        ) throws(DaybookError) {
            try stage.finish(gathered.take(), schema: schema, scratch: scratch, emit: emit)
        }
    }
}

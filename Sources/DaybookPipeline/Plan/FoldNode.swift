import DaybookCore

/// A fold stage whose type is no longer named.
public protocol FoldNode: Sendable {
    /// The stage itself, for what only some folds are: a check, or one that reads several stages.
    var stage: any FoldStage { get }
    func partial(of batch: Batch, reporting findings: inout Findings) throws(DaybookError) -> any FoldPartial
    /// What gathers the partials of a run, in the order of the input.
    func makeGatherer() -> any FoldGatherer
}

extension FoldNode {
    var keepsRows: Bool { type(of: stage).keepsRows }
    var passesRows: Bool { type(of: stage).passesRows }
    var check: (any CheckStage)? { stage as? any CheckStage }
}

/// Gathers partials, one thread at a time.
public protocol FoldGatherer: AnyObject, Sendable {
    var foldedRows: Int { get }
    var droppedRows: [String: Int] { get }
    func merge(_ partial: any FoldPartial, scratch: any Scratch) throws(DaybookError)
    /// Called once all partials are merged, before the dropped rows are asked for.
    func settle(scratch: any Scratch) throws(DaybookError)
    /// - Parameters:
    ///   - room: how many more findings of each rule will be told.
    ///   - wordsRejects: whether the message of every reject is read.
    func finish(
        schema: Schema,
        room: [Int],
        wordsRejects: Bool,
        scratch: any Scratch,
        emit: (LateFindings) throws(DaybookError) -> Void
    ) throws(DaybookError)
}

struct FoldBox<Wrapped: FoldStage>: FoldNode {
    let wrapped: Wrapped

    init(_ stage: Wrapped) { wrapped = stage }

    var stage: any FoldStage { wrapped }

    func partial(of batch: Batch, reporting findings: inout Findings) throws(DaybookError) -> any FoldPartial {
        try wrapped.partial(of: batch, reporting: &findings)
    }

    func makeGatherer() -> any FoldGatherer { Gatherer(wrapped) }
}

/// A check stage whose type is no longer named.
struct CheckBox<Wrapped: CheckStage>: FoldNode {
    let wrapped: Wrapped

    init(_ stage: Wrapped) { wrapped = stage }

    var stage: any FoldStage { wrapped }

    func partial(of batch: Batch, reporting findings: inout Findings) throws(DaybookError) -> any FoldPartial {
        try wrapped.partial(of: batch, reporting: &findings)
    }

    func makeGatherer() -> any FoldGatherer { CheckGatherer(wrapped) }
}

/// Sendable because the run's commit order lets only one thread at a time touch it.
private class Gatherer<Wrapped: FoldStage>: FoldGatherer, @unchecked Sendable {
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

    func settle(scratch: any Scratch) throws(DaybookError) {
        guard var whole = gathered.take() else { return }
        try stage.settle(&whole, scratch: scratch)
        gathered = whole
    }

    func finish(
        schema: Schema,
        room: [Int],
        wordsRejects: Bool,
        scratch: any Scratch,
        emit: (LateFindings) throws(DaybookError) -> Void
    ) throws(DaybookError) {
        try stage.finish(gathered.take(), schema: schema, scratch: scratch) { (batch, findings) throws(DaybookError) in
            try emit(LateFindings(findings) { batch })
        }
    }
}

private final class CheckGatherer<Wrapped: CheckStage>: Gatherer<Wrapped>, @unchecked Sendable {
    override func finish(
        schema: Schema,
        room: [Int],
        wordsRejects: Bool,
        scratch: any Scratch,
        emit: (LateFindings) throws(DaybookError) -> Void
    ) throws(DaybookError) {
        try stage.conclude(
            gathered.take(),
            schema: schema,
            room: room,
            wordsRejects: wordsRejects,
            scratch: scratch,
            emit: emit
        )
    }
}

/// Learns what the rows of a run look like, until it has seen enough.
struct InferenceObserver: RowObserver {
    /// For sources that have no bytes to count.
    private static let mostRows = 5_000_000

    /// Nil when the rows are only counted.
    let candidates: DateCandidates?
    /// How many bytes of a file are looked at.
    let limit: Int

    /// What some rows look like.
    struct Partial: Sendable {
        var look: TableInference?
        var rows = 0
        /// Where the morsel of the last batch ends in its file.
        var end = 0
    }

    func nothing(_ schema: Schema) -> Partial { Partial(look: candidates.map { TableInference(schema, $0) }) }

    func partial(of batch: Batch, reporting findings: inout Findings) -> Partial {
        var partial = nothing(batch.schema)
        partial.rows = batch.count
        if case .morsel(let morsel, _, _) = batch.provenance { partial.end = morsel.offset + morsel.length }
        partial.look?.add(batch)
        return partial
    }

    func merge(_ later: Partial, into earlier: inout Partial, scratch: any Scratch) {
        earlier.rows += later.rows
        earlier.end = later.end
        if let found = later.look { earlier.look?.merge(found) }
    }

    func isEnough(_ seen: Partial) -> Bool { seen.end >= limit || seen.rows >= InferenceObserver.mostRows }
}

import DaybookEngine

/// Looks at the rows that a job gives which is not written yet.
package struct InferenceRun {
    package var table: StageTable
    /// The directory that the job's paths start from.
    package var directory: String
    /// How many bytes of each file are looked at.
    package var limit: Int
    package var isCancelled: @Sendable () -> Bool

    /// What a run of a look came to.
    package struct Result {
        package var outcome: RunOutcome
        package var look: TableInference?
        package var rows: Int
        /// Whether there was more than was looked at.
        var isPartial: Bool

        var rejected: Int { outcome.ledger.reduce(0) { $0 + $1.rejected } }
    }

    /// Runs the job in `text`, whose stages are a chain, and looks at what its last stage gives.
    package func run(_ text: String, _ candidates: DateCandidates?) throws(DaybookErrors) -> Result {
        let observed = ObservedJob(table: table, directory: directory, isCancelled: isCancelled)
        let result = try observed.run(
            try InferenceRun.job(text, table),
            asOf: CalendarDay(number: 0),
            by: InferenceObserver(candidates: candidates, limit: limit)
        )
        guard result.outcome.errors.isEmpty else { throw DaybookErrors(result.outcome.errors) }
        return Result(
            outcome: result.outcome,
            look: result.seen.look,
            rows: result.seen.rows,
            isPartial: !result.isWhole
        )
    }

    /// Checks the job in `text` as `validate` does.
    package func check(_ text: String) throws(DaybookErrors) {
        var plan = try Plan(try InferenceRun.job(text, table), table: table, asOf: CalendarDay(number: 0))
        try plan.resolve(plan.declaredSchemas)
    }

    package static func job(_ text: String, _ table: StageTable) throws(DaybookErrors) -> Job {
        try JobParser(stageNames: table.names) { _ in nil }.job(Array(text.utf8), file: InferenceRun.file)
    }

    /// What messages would call the job; it is in no file yet.
    private static let file = "the guessed job"
}

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

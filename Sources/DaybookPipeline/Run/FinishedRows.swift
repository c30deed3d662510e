import DaybookCore

/// Takes what a fold tells at its end through the stages behind it: a few blocks at a time on several threads, committed in
/// the order in which they were told.
final class FinishedRows {
    private let threads: Int
    private let work: @Sendable (LateFindings) throws(DaybookError) -> WorkResult
    private let commit: (WorkResult) throws(DaybookError) -> Void
    private var waiting: [LateFindings] = []

    /// `commit` is called by one thread at a time.
    init(
        threads: Int,
        work: @escaping @Sendable (LateFindings) throws(DaybookError) -> WorkResult,
        commit: @escaping (WorkResult) throws(DaybookError) -> Void
    ) {
        (self.threads, self.work, self.commit) = (threads, work, commit)
    }

    /// Takes one more block, and works off those that wait when there are enough of them.
    func append(_ block: LateFindings) throws(DaybookError) {
        waiting.append(block)
        // Twice as many as threads, so that none waits long for the last; what waits is held in memory.
        if threads == 1 || waiting.count >= 2 * threads { try flush() }
    }

    /// Works off what waits.
    func flush() throws(DaybookError) {
        var blocks = waiting[...]
        waiting = []
        let ordered = OrderedWork<LateFindings, WorkResult>(
            threads: min(threads, blocks.count),
            next: { () throws(DaybookError) in blocks.popFirst() },
            work: work,
            commit: commit
        )
        try ordered.run()
    }
}

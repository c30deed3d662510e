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
        // More than threads, so that none waits long for the last. Rows that a fold made wait in memory; those that a check speaks of
        // are only numbers as yet.
        let most = block.numbers.isEmpty ? 2 : 8
        if threads == 1 || waiting.count >= most * threads { try flush() }
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

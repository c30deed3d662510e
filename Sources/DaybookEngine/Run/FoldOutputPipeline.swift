import Foundation

/// Takes the final rows of a fold through the later stages, on several threads while the fold emits more, and commits
/// them in their order.
final class FoldOutputPipeline {
    private let threads: Int
    private let waiting: WaitingBlocks
    private let ordered: OrderedParallelMap<LateFindings, WorkResult>
    private var told = 0

    /// One thread at a time calls `commit`; it may differ from the thread of the fold.
    init(
        threads: Int,
        work: @escaping @Sendable (LateFindings) throws(DaybookError) -> WorkResult,
        commit: @escaping (WorkResult) throws(DaybookError) -> Void
    ) {
        let waiting = WaitingBlocks()
        (self.threads, self.waiting) = (threads, waiting)
        // After a failure no thread takes further blocks, so `append` must not wait.
        ordered = OrderedParallelMap(
            threads: threads,
            next: { waiting.next() },
            work: { block throws(DaybookError) in
                do throws(DaybookError) { return try work(block) } catch {
                    waiting.close()
                    throw error
                }
            },
            commit: { result throws(DaybookError) in
                do throws(DaybookError) { try commit(result) } catch {
                    waiting.close()
                    throw error
                }
            }
        )
    }

    /// Appends one more block; waits while the queue is full.
    func append(_ block: LateFindings) throws(DaybookError) {
        told += 1
        if threads > 1 {
            // A single block does not justify a thread. The calling thread would otherwise only wait.
            if told == 2 { ordered.begin(helpers: threads) }
            // Final rows of a fold occupy memory; blocks of a check are only row numbers.
            waiting.append(block, most: (block.numbers.isEmpty ? 1 : 8) * threads)
        } else {
            waiting.append(block, most: 1)
            _ = ordered.workOne()
        }
        try ordered.check()
    }

    /// Processes the queue; nothing is appended afterwards.
    func end() throws(DaybookError) {
        waiting.close()
        try ordered.end()
    }

    /// Drops the queue, since the fold has failed.
    func abandon() {
        waiting.removeAll()
        try? end()
    }
}

/// Queue of blocks that no thread processes yet.
private final class WaitingBlocks: @unchecked Sendable {
    private let condition = NSCondition()
    private var blocks: [LateFindings] = []
    private var isClosed = false

    /// Appends a block once fewer than `most` are queued; drops it after the queue is closed.
    func append(_ block: LateFindings, most: Int) {
        condition.withLock {
            while blocks.count >= most, !isClosed { condition.wait() }
            if !isClosed { blocks.append(block) }
            condition.broadcast()
        }
    }

    func removeAll() { condition.withLock { blocks.removeAll() } }

    func close() {
        condition.withLock {
            isClosed = true
            condition.broadcast()
        }
    }

    /// Next block, after a wait; nil at the end.
    func next() -> LateFindings? {
        condition.withLock {
            while blocks.isEmpty, !isClosed { condition.wait() }
            guard !blocks.isEmpty else { return nil }
            condition.broadcast()
            return blocks.removeFirst()
        }
    }
}

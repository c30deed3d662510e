import Foundation

/// Takes what a fold tells at its end through the stages behind it, on several threads while the fold tells more, committed in the
/// order in which it was told.
final class FoldOutputPipeline {
    private let threads: Int
    private let waiting: WaitingBlocks
    private let ordered: OrderedParallelMap<LateFindings, WorkResult>
    private var told = 0

    /// `commit` is called by one thread at a time, which may be another than that which tells.
    init(
        threads: Int,
        work: @escaping @Sendable (LateFindings) throws(DaybookError) -> WorkResult,
        commit: @escaping (WorkResult) throws(DaybookError) -> Void
    ) {
        let waiting = WaitingBlocks()
        (self.threads, self.waiting) = (threads, waiting)
        // Where one fails nobody takes any more blocks, so none must wait to be let in.
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

    /// Takes one more block; waits while too many do.
    func append(_ block: LateFindings) throws(DaybookError) {
        told += 1
        if threads > 1 {
            // A single block is not worth a thread. The caller's own has little to do but to wait.
            if told == 2 { ordered.begin(helpers: threads) }
            // Rows that a fold made wait in memory; those that a check speaks of are only numbers as yet.
            waiting.append(block, most: (block.numbers.isEmpty ? 1 : 8) * threads)
        } else {
            waiting.append(block, most: 1)
            _ = ordered.workOne()
        }
        try ordered.check()
    }

    /// Works off what waits; nothing is appended afterwards.
    func end() throws(DaybookError) {
        waiting.close()
        try ordered.end()
    }

    /// Lets go of what waits, for the fold has failed.
    func abandon() {
        waiting.removeAll()
        try? end()
    }
}

/// Blocks that were told and that nobody works on yet.
private final class WaitingBlocks: @unchecked Sendable {
    private let condition = NSCondition()
    private var blocks: [LateFindings] = []
    private var isClosed = false

    /// Adds a block as soon as fewer than `most` wait; none once it is closed.
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

    /// The next block, for which it waits; nil when none will come.
    func next() -> LateFindings? {
        condition.withLock {
            while blocks.isEmpty, !isClosed { condition.wait() }
            guard !blocks.isEmpty else { return nil }
            condition.broadcast()
            return blocks.removeFirst()
        }
    }
}

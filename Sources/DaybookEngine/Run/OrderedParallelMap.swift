import Foundation

/// Runs work on several threads and commits the results in the order of the items, with a limit of items in flight.
///
/// Items are drawn one at a time, processed concurrently, and committed one at a time in their order by the thread that
/// completes the next item. An error keeps its position like a result, so the run always reports the first error in the
/// order of the input, regardless of the number of threads.
final class OrderedParallelMap<Item: Sendable, Result: Sendable>: @unchecked Sendable {
    private let threads: Int
    private let next: () throws(DaybookError) -> Item?
    private let work: @Sendable (Item) throws(DaybookError) -> Result
    private let commit: (Result) throws(DaybookError) -> Void

    /// Guards `drawn` and `isExhausted`, and is locked while drawing.
    private let drawing = NSLock()
    private var drawn = 0
    private var isExhausted = false

    /// Guards all properties below.
    private let condition = NSCondition()
    private var waiting: [Int: Swift.Result<Result, DaybookError>] = [:]
    private var committed = 0
    private var started = 0
    private var isCommitting = false
    private var failure: DaybookError?
    private var running = 0

    /// One thread at a time calls `next` and `commit`; many threads call `work`. `next` may wait for items.
    init(
        threads: Int,
        next: @escaping () throws(DaybookError) -> Item?,
        work: @escaping @Sendable (Item) throws(DaybookError) -> Result,
        commit: @escaping (Result) throws(DaybookError) -> Void
    ) {
        self.threads = max(1, threads)
        (self.next, self.work, self.commit) = (next, work, commit)
    }

    /// Returns after all items are committed, or throws the first error.
    func run() throws(DaybookError) {
        begin(helpers: threads - 1)
        try end()
    }

    /// Starts helper threads that work until the items end. The caller continues and later calls `end`.
    func begin(helpers: Int) {
        running = helpers
        for _ in 0..<helpers {
            let thread = Thread { [self] in
                while workOne() {}
                condition.withLock {
                    running -= 1
                    condition.broadcast()
                }
            }
            thread.stackSize = 8 << 20
            thread.start()
        }
    }

    /// Works until the items end, and returns after all are committed, or throws the first error.
    func end() throws(DaybookError) {
        while workOne() {}
        condition.withLock { while running > 0 { condition.wait() } }
        try check()
    }

    /// Throws the first error so far.
    func check() throws(DaybookError) {
        if let failure = condition.withLock({ failure }) { throw failure }
    }

    /// Processes one item; false at the end of the items, or after a failure.
    func workOne() -> Bool {
        guard awaitTurn(), let (sequence, item) = draw() else { return false }
        deposit(Swift.Result { () throws(DaybookError) in try work(try item.get()) }, as: sequence)
        return true
    }

    /// Waits until fewer items are in flight than the limit; false after a failure.
    private func awaitTurn() -> Bool {
        condition.withLock {
            while failure == nil, started - committed >= threads + 2 { condition.wait() }
            started += 1
            return failure == nil
        }
    }

    private func draw() -> (Int, Swift.Result<Item, DaybookError>)? {
        drawing.lock()
        defer { drawing.unlock() }
        guard !isExhausted else { return nil }
        var item: Swift.Result<Item, DaybookError>?
        do throws(DaybookError) {
            item = try next().map { .success($0) }
            isExhausted = item == nil
        } catch {
            (item, isExhausted) = (.failure(error), true)
        }
        guard let item else { return nil }
        drawn += 1
        return (drawn - 1, item)
    }

    private func deposit(_ result: Swift.Result<Result, DaybookError>, as sequence: Int) {
        condition.lock()
        waiting[sequence] = result
        if isCommitting {
            condition.unlock()
            return
        }
        isCommitting = true
        while failure == nil, let result = waiting.removeValue(forKey: committed) {
            condition.unlock()
            var error: DaybookError?
            do throws(DaybookError) { try commit(try result.get()) } catch let caught { error = caught }
            condition.lock()
            failure = error
            committed += 1
            condition.broadcast()
        }
        isCommitting = false
        condition.unlock()
    }
}

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
            work: { block throws(DaybookError) in try waiting.closing { () throws(DaybookError) in try work(block) } },
            commit: { result throws(DaybookError) in
                try waiting.closing { () throws(DaybookError) in try commit(result) }
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

    /// Does some work, whose failure closes the queue.
    func closing<Value>(_ work: () throws(DaybookError) -> Value) throws(DaybookError) -> Value {
        do throws(DaybookError) { return try work() } catch {
            close()
            throw error
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

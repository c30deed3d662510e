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
        self.next = next
        self.work = work
        self.commit = commit
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
                condition.lock()
                running -= 1
                condition.broadcast()
                condition.unlock()
            }
            thread.stackSize = 8 << 20
            thread.start()
        }
    }

    /// Works until the items end, and returns after all are committed, or throws the first error.
    func end() throws(DaybookError) {
        while workOne() {}
        condition.lock()
        while running > 0 { condition.wait() }
        condition.unlock()
        try check()
    }

    /// Throws the first error so far.
    func check() throws(DaybookError) {
        condition.lock()
        let failure = failure
        condition.unlock()
        if let failure { throw failure }
    }

    /// Processes one item; false at the end of the items, or after a failure.
    func workOne() -> Bool {
        guard awaitTurn(), let (sequence, item) = draw() else { return false }
        let result: Swift.Result<Result, DaybookError>
        switch item {
        case .success(let item):
            do throws(DaybookError) { result = .success(try work(item)) } catch { result = .failure(error) }
        case .failure(let error): result = .failure(error)
        }
        deposit(result, as: sequence)
        return true
    }

    /// Waits until fewer items are in flight than the limit; false after a failure.
    private func awaitTurn() -> Bool {
        condition.lock()
        defer { condition.unlock() }
        while failure == nil, started - committed >= threads + 2 { condition.wait() }
        started += 1
        return failure == nil
    }

    private func draw() -> (Int, Swift.Result<Item, DaybookError>)? {
        drawing.lock()
        defer { drawing.unlock() }
        guard !isExhausted else { return nil }
        do throws(DaybookError) {
            guard let item = try next() else {
                isExhausted = true
                return nil
            }
            drawn += 1
            return (drawn - 1, .success(item))
        } catch {
            isExhausted = true
            drawn += 1
            return (drawn - 1, .failure(error))
        }
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
            do throws(DaybookError) {
                switch result {
                case .success(let result): try commit(result)
                case .failure(let failure): throw failure
                }
            } catch let caught {
                error = caught
            }
            condition.lock()
            failure = error
            committed += 1
            condition.broadcast()
        }
        isCommitting = false
        condition.unlock()
    }
}

import Foundation

/// Runs work on several threads and takes the results in the order of the items, with a bound on what is in flight.
///
/// Items are drawn one at a time, worked on side by side, and committed one at a time in their order by whichever thread
/// completes the next one. An error takes its turn like a result, so the first in the order of the input is the one
/// reported, whatever the number of threads.
final class OrderedParallelMap<Item: Sendable, Result: Sendable>: @unchecked Sendable {
    private let threads: Int
    private let next: () throws(DaybookError) -> Item?
    private let work: @Sendable (Item) throws(DaybookError) -> Result
    private let commit: (Result) throws(DaybookError) -> Void

    /// Guards `drawn` and `isExhausted`, and is held while drawing.
    private let drawing = NSLock()
    private var drawn = 0
    private var isExhausted = false

    /// Guards everything below.
    private let condition = NSCondition()
    private var waiting: [Int: Swift.Result<Result, DaybookError>] = [:]
    private var committed = 0
    private var started = 0
    private var isCommitting = false
    private var failure: DaybookError?
    private var running = 0

    /// `next` and `commit` are called by one thread at a time, `work` by many. `next` may wait for items.
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

    /// Returns when all items are committed, or throws the first error.
    func run() throws(DaybookError) {
        begin(helpers: threads - 1)
        try end()
    }

    /// Starts threads that work until there are no more items, while the caller goes on and comes to `end` some time.
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

    /// Works until there are no more items, and returns when all are committed, or throws the first error.
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

    /// Takes one item through the work; false when there are no more, or the work has failed.
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

    /// Waits until fewer items are in flight than memory allows; false when the work has failed.
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

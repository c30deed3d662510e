import Synchronization
import Testing

@testable import DaybookContracts
@testable import DaybookEngine

/// Blocks that a fold tells at its end, worked on by several threads.
@Suite struct FoldOutputPipelineTests {
    /// What was committed, in that order.
    private final class Committed: Sendable {
        let numbers = Mutex<[Int]>([])
    }

    /// Work that gives each block back by its number, and fails at one of them.
    private func finished(
        threads: Int,
        failsAt: Int? = nil,
        _ committed: Committed
    ) -> FoldOutputPipeline {
        FoldOutputPipeline(
            threads: threads,
            work: { late throws(DaybookError) in
                guard late.numbers[0] != failsAt else { throw DaybookError("broken", "block \(late.numbers[0])") }
                var result = WorkResult()
                result.rejectLines = [(file: late.numbers[0], lines: RejectLines(Bytes()))]
                return result
            },
            commit: { result in committed.numbers.withLock { $0.append(result.rejectLines[0].file) } }
        )
    }

    @Test("blocks are committed in the order in which they were told", arguments: [1, 2, 3, 7], [0, 1, 2, 300])
    func order(_ threads: Int, _ count: Int) throws {
        let committed = Committed()
        let rows = finished(threads: threads, committed)
        for number in 0..<count { try rows.append(LateFindings(Findings(), numbers: [number])) }
        try rows.end()
        #expect(committed.numbers.withLock { $0 } == Array(0..<count))
    }

    @Test("the first block that fails is told, and what stands before it is committed", arguments: [1, 2, 3, 7])
    func failure(_ threads: Int) {
        let committed = Committed()
        let rows = finished(threads: threads, failsAt: 40, committed)
        let error = #expect(throws: DaybookError.self) {
            for number in 0..<300 { try rows.append(LateFindings(Findings(), numbers: [number])) }
            try rows.end()
        }
        #expect(error?.message == "block 40")
        rows.abandon()
        #expect(committed.numbers.withLock { $0 } == Array(0..<40))
    }

    @Test("a fold that fails leaves no thread behind", arguments: [1, 2, 7])
    func abandoned(_ threads: Int) throws {
        let committed = Committed()
        let rows = finished(threads: threads, committed)
        for number in 0..<5 { try rows.append(LateFindings(Findings(), numbers: [number])) }
        rows.abandon()
        // Whatever was begun is finished, in order.
        let numbers = committed.numbers.withLock { $0 }
        #expect(numbers == Array(0..<numbers.count))
    }
}

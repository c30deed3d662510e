import Synchronization
import Testing

@testable import DaybookContracts
@testable import DaybookEngine

@Suite struct ScratchThreadsTests {
    @Test("every number is taken once, and results stand in their order", arguments: [1, 2, 7])
    func everyNumber(_ threads: Int) throws {
        let scratch = ScratchDirectory(memoryLimit: 0, threads: threads)
        let seen = Mutex<[Int]>([])
        let squares = try scratch.map(100) { number in
            seen.withLock { $0.append(number) }
            return number * number
        }
        #expect(squares == (0..<100).map { $0 * $0 })
        #expect(seen.withLock { $0.sorted() } == Array(0..<100))
        #expect(try scratch.map(0) { $0 }.isEmpty)
    }

    @Test("of several errors the one of the lowest number is thrown", arguments: [1, 2, 7])
    func lowestError(_ threads: Int) {
        let scratch = ScratchDirectory(memoryLimit: 0, threads: threads)
        var thrown: DaybookError?
        do throws(DaybookError) {
            try scratch.concurrently(50) { (number) throws(DaybookError) in
                if number % 10 == 7 { throw .machine("failed", "\(number)") }
            }
        } catch { thrown = error }
        #expect(thrown?.message == "7")
    }
}

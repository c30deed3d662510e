import DaybookContracts
import DaybookTestSupport
import Testing

/// Bytes that are only added to, against an array of them.
@Suite struct SpillLogTests {
    @Test("any stretch is read back, from memory, from disk and across both", arguments: 1...30 as ClosedRange<UInt64>)
    func stretches(_ seed: UInt64) throws {
        var random = SeededGenerator(seed: seed)
        let scratch = MemoryScratch()
        var trail = SpillLog()
        var expected: [UInt8] = []
        for _ in 0..<Int.random(in: 1...30, using: &random) {
            let size = Int.random(in: 0...[10, 5_000, 40_000].randomElement(using: &random)!, using: &random)
            let block = (0..<size).map { UInt8(truncatingIfNeeded: $0 &* 7 &+ expected.count) }
            trail.append(block)
            expected += block
            if Int.random(in: 0..<8, using: &random) == 0 { try trail.spill(to: scratch) }
        }
        #expect(trail.count == expected.count)
        for _ in 0..<200 {
            let ends = [
                Int.random(in: 0...expected.count, using: &random), Int.random(in: 0...expected.count, using: &random),
            ]
            let range = ends.min()!..<ends.max()!
            #expect(try trail.withBytes(range) { Array($0) } == Array(expected[range]), "\(range)")
        }
    }
}

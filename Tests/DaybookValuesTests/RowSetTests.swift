import DaybookContracts
import DaybookTestSupport
import Testing

/// Sets of row numbers against those of the standard library.
@Suite struct RowSetTests {
    /// Rows in a few pages: strewn, in runs, and whole pages.
    private static func rows(_ random: inout SeededGenerator) -> Set<Int> {
        var rows: Set<Int> = []
        for _ in 0..<Int.random(in: 0...4, using: &random) {
            let first = Int.random(in: 0..<200_000, using: &random)
            switch Int.random(in: 0..<3, using: &random) {
            case 0: for _ in 0..<50 { rows.insert(Int.random(in: 0..<300_000, using: &random)) }
            case 1: rows.formUnion(first..<first + Int.random(in: 1...5_000, using: &random))
            default: rows.formUnion((first >> 16) << 16..<(first >> 16 + 1) << 16)
            }
        }
        return rows
    }

    private static func all(_ set: RowSet, _ size: Int) -> [Int] {
        var rows: [Int] = []
        set.forEachPiece(of: size) { rows += $0 }
        return rows
    }

    private static func set(_ rows: Set<Int>, _ random: inout SeededGenerator) -> RowSet {
        var set = RowSet()
        guard Bool.random(using: &random) else {
            for row in rows { set.insert(row) }
            return set
        }
        let first = Int.random(in: 0...3, using: &random) * 64
        var words = [UInt64](repeating: 0, count: 300_000 / 64)
        for row in rows {
            if row >= first { words[(row - first) >> 6] |= 1 << UInt64(row & 63) } else { set.insert(row) }
        }
        set.insert(words: words, from: first)
        return set
    }

    @Test("rows are added, taken out and handed over in order", arguments: TestSize.seeds(10, of: 60))
    func sets(_ seed: UInt64) throws {
        var random = SeededGenerator(seed: seed)
        let (some, others) = (Self.rows(&random), Self.rows(&random))
        let (set, other) = (Self.set(some, &random), Self.set(others, &random))
        #expect(set.count == some.count)
        #expect(Self.all(set, 1_000) == some.sorted())
        let first = Int.random(in: 0..<150_000, using: &random)
        let rest = set.subtracting(other, from: first)
        let expected = some.subtracting(others).filter { $0 >= first }
        #expect(Self.all(rest, 64) == expected.sorted())
        #expect(rest.count == expected.count)
        let shift = Int.random(in: 0..<100_000, using: &random)
        var sum = set
        sum.insert(other, raisedBy: shift)
        let both = some.union(others.map { $0 + shift })
        #expect(Self.all(sum, 5_000) == both.sorted())
        #expect(sum.count == both.count)
        for row in 0..<500 { #expect(sum.contains(row * 700) == both.contains(row * 700)) }
        let bytes = Bytes()
        sum.write(to: bytes)
        var reader = ByteReader(bytes.filled)
        #expect(Self.all(try RowSet(reading: &reader), 900) == both.sorted())
        withExtendedLifetime(bytes) {}
    }
}

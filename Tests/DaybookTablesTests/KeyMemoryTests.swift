import DaybookTestSupport
import Testing

@testable import DaybookContracts
@testable import DaybookTables

/// Keys that repeat, against a dictionary, however the rows come, whatever goes to disk and however memories are merged.
@Suite struct KeyMemoryTests {
    /// Columns of keys of many shapes, nil where a row has none.
    private static let shapes: [(String, @Sendable (Int, inout SeededGenerator) -> Int64?)] = [
        ("counted up", { row, _ in Int64(row) - 50 }),
        ("counted down", { row, _ in 1_000 - Int64(row) }),
        ("rising by steps", { row, _ in Int64(row * row) }),
        ("falling far", { row, _ in .max - Int64(row) * 0x1_0000_0001_0000 }),
        (
            "rising, with some again",
            { row, random in Int64(Int.random(in: 0..<30, using: &random) == 0 ? row / 2 : row) }
        ),
        (
            "rising, with some far off",
            { row, random in Int.random(in: 0..<40, using: &random) == 0 ? [.min, .max, 7][row % 3] : Int64(row * 3) }
        ),
        (
            "counted up, a fifth again",
            { row, random in
                Int.random(in: 0..<5, using: &random) == 0
                    ? Int64.random(in: 0...Int64(row), using: &random) : Int64(row)
            }
        ),
        (
            "counted up, and some as near before or after",
            { row, random in
                Int64(row) + (Int.random(in: 0..<9, using: &random) == 0 ? Int64.random(in: -9...9, using: &random) : 0)
            }
        ),
        (
            "counted up, some left out and some far off",
            { row, random in
                [Int64(row + row / 40), Int64(row + row / 40), .random(in: 0...300, using: &random) << 8][
                    row % 17 == 0 ? 2 : 0
                ]
            }
        ),
        (
            "counted up again, with gaps",
            { row, random in
                Int.random(in: 0..<9, using: &random) == 0 ? nil : Int64(row % 130 + (row % 50 == 0 ? 70_000 : 0))
            }
        ),
        ("rising, with gaps", { row, random in Int.random(in: 0..<20, using: &random) == 0 ? nil : Int64(row) }),
        ("each twice", { row, _ in Int64(row / 2) }),
        ("rising twice over", { row, _ in Int64(row % 150) }),
        ("in no order", { _, random in Int64.random(in: -90...90, using: &random) }),
        ("all alike", { _, _ in 0 }),
        ("one more apart than a byte can tell", { row, _ in Int64(row % 2) << 8 }),
        ("at the upper end", { row, random in .max - Int64.random(in: 0...Int64(row), using: &random) }),
        ("at the lower end", { row, random in .min + Int64.random(in: 0...Int64(row), using: &random) }),
        ("at both ends", { row, _ in row % 3 == 0 ? .max - Int64(row / 6) : .min + Int64(row / 4) }),
        ("none", { _, _ in nil }),
    ]

    private static func batch(_ keys: [Int64?], as kind: ColumnKind) -> Batch {
        let missing = keys.contains(nil) ? Mask(count: keys.count) { keys[$0] == nil } : nil
        let values = Values(keys.map { $0 ?? 1 }, missing: missing)
        guard kind == .text else {
            return Batch(Schema([Field("k", kind)]), [.integers(values)], count: keys.count, provenance: .made)
        }
        var builder = TextColumnBuilder(rows: keys.count, capacity: 64)
        for key in keys {
            guard let key else {
                builder.appendMissing()
                continue
            }
            let text = Bytes("the key \(key)")
            builder.append(text.filled)
            withExtendedLifetime(text) {}
        }
        return Batch(Schema([Field("k", .text)]), [.text(builder.build())], count: keys.count, provenance: .made)
    }

    private static func slowly(_ keys: [Int64?]) -> [[Int]] {
        var firsts: [Int64: Int] = [:]
        var repeats: [[Int]] = []
        for (row, key) in keys.enumerated() {
            guard let key else { continue }
            if let first = firsts[key] { repeats.append([row, first]) } else { firsts[key] = row }
        }
        return repeats
    }

    private static func found(
        _ keys: [Int64?],
        _ kind: ColumnKind,
        sizes: (inout SeededGenerator) -> Int,
        limit: Int,
        wanted: Int,
        _ random: inout SeededGenerator
    ) throws -> (rows: [[Int]], count: Int) {
        let scratch = MemoryScratch(memoryLimit: limit)
        var whole: KeyMemory?
        var start = 0
        while start < keys.count {
            let end = min(keys.count, start + sizes(&random))
            var part = KeyMemory(batch(Array(keys[start..<end]), as: kind), by: [ColumnName("k")], asked: nil)
            if limit == 0, Int.random(in: 0..<3, using: &random) == 0 { try part.spill(to: scratch) }
            start = end
            guard var earlier = whole.take() else {
                whole = part
                continue
            }
            try earlier.append(part)
            if earlier.footprint > limit { try earlier.spill(to: scratch) }
            if limit == 0, Int.random(in: 0..<9, using: &random) == 0 { earlier = try copied(earlier) }
            whole = earlier
        }
        guard let whole else { return ([], 0) }
        var repeats = try whole.repeats(first: wanted, keepsOthers: true, scratch: scratch)
        var rows: [[Int]] = []
        try repeats.forEachPiece { rows += $0.map { [$0.row, $0.first] } }
        try expectNoted(repeats.rows, keys, kind, whole)
        return (rows, repeats.count)
    }

    /// All rows that repeat others are noted, and numbers can be had again.
    private static func expectNoted(
        _ noted: RowSet,
        _ keys: [Int64?],
        _ kind: ColumnKind,
        _ memory: KeyMemory
    ) throws {
        var rows: [Int] = []
        noted.forEachPiece(of: 70) { rows += $0 }
        #expect(rows == slowly(keys).map { $0[0] })
        guard case .integers(let values) = try memory.values(of: rows, .integer) else {
            #expect(kind == .text || rows.isEmpty)
            return
        }
        #expect(values.elements == rows.map { keys[$0] })
    }

    private static func copied(_ memory: KeyMemory) throws -> KeyMemory {
        let bytes = Bytes()
        try memory.write(to: bytes)
        var reader = ByteReader(bytes.filled)
        defer { withExtendedLifetime(bytes) {} }
        return try KeyMemory(reading: &reader)
    }

    @Test("every repeat is found, with the first row of its key", arguments: shapes.indices)
    func everyWay(_ shape: Int) throws {
        let (name, key) = Self.shapes[shape]
        var random = SeededGenerator(seed: UInt64(shape) + 1)
        for count in [1, 2, 9, 200] {
            var keys: [Int64?] = []
            for row in 0..<count { keys.append(key(row, &random)) }
            let expected = Self.slowly(keys)
            for kind in [ColumnKind.integer, .text] {
                for limit in [0, 900, 1 << 20] {
                    for size in count > 9 ? [13, 1_000] : [1, 2] {
                        for wanted in [Int.max, Int.random(in: 0...3, using: &random)] {
                            let (rows, total) = try Self.found(
                                keys,
                                kind,
                                sizes: { size == 13 ? Int.random(in: 1...25, using: &$0) : size },
                                limit: limit,
                                wanted: wanted,
                                &random
                            )
                            let way: Comment = "\(count) keys \(name) as \(kind), limit \(limit), batches of \(size)"
                            #expect(rows == Array(expected.prefix(wanted)), way)
                            #expect(total == expected.count, way)
                        }
                    }
                }
            }
        }
    }

    @Test("more repeats than fit in memory come in order", arguments: [0, 5])
    func manyRepeats(_ share: Int) throws {
        var random = SeededGenerator(seed: 3)
        var keys: [Int64?] = []
        for row in 0..<40_000 {
            keys.append(share == 0 ? 0 : Int64.random(in: 0..<Int64(row / share + 1), using: &random))
        }
        let expected = Self.slowly(keys)
        for (limit, wanted) in [(0, Int.max), (40_000, .max), (40_000, 25_000), (40_000, 20), (1 << 24, .max)] {
            let (rows, total) = try Self.found(
                keys,
                .integer,
                sizes: { _ in 9_000 },
                limit: limit,
                wanted: wanted,
                &random
            )
            #expect(rows == Array(expected.prefix(wanted)), "limit \(limit), \(wanted) wanted")
            #expect(total == expected.count)
        }
    }

    @Test("keys that are counted up need no memory, others as many bytes as they lie apart")
    func bytesOfKeys() {
        for (step, bytes): (Int64, Int) in [(1, 0), (-1, 2), (200, 4), (1 << 40, 8)] {
            let keys = (0..<20_000).map { Int64($0) * step }
            let memory = KeyMemory(Self.batch(keys, as: .integer), by: [ColumnName("k")], asked: nil)
            #expect((0..<200).contains(memory.footprint - 20_000 * bytes), "step \(step)")
        }
    }

    @Test("windows lie over keys that are dense, and not where every pack would be gone through for each of many")
    func windows() {
        func packs(_ key: (Int) -> Int64) -> [KeyPack] {
            (0..<200).compactMap { batch in
                KeyPack.make((0..<50).map { key(batch * 50 + $0) }, gaps: nil)?.0
            }
        }
        let rising = packs { Int64($0) * 3 }
        let over = KeyWindow.over(rising, size: 1_000)
        #expect(over.count > 20)
        #expect(zip(over, over.dropFirst()).allSatisfy { $0.last < $1.first })
        // Between two windows a part of a pack may be left to be hashed.
        #expect((0..<10_000).count { row in over.contains { $0.holds(Int64(row) * 3) } } > 9_000)
        var random = SeededGenerator(seed: 8)
        let mixed = packs { _ in Int64.random(in: 0..<30_000, using: &random) }
        #expect(KeyWindow.over(mixed, size: 1_000).isEmpty)
        #expect(KeyWindow.over(mixed, size: 100_000).count == 1)
        let sparse = packs { Int64($0) << 40 }
        #expect(KeyWindow.over(sparse, size: 100_000).isEmpty)
    }
}

import DaybookTestSupport
import Testing

@testable import DaybookContracts
@testable import DaybookStages
@testable import DaybookTables

/// Sorting against the plainest possible sort, at every limit of memory and size of batch.
@Suite struct SortRowsTests {
    static let header = "k:integer,t:text,d:decimal,f:flag,day:day,at:instant"

    /// How a test names a key, in the job and for the slow sort.
    struct Key {
        var column: String
        var isDescending: Bool
        var missingFirst: Bool

        init(_ random: inout SeededGenerator, _ column: String) {
            self.column = column
            isDescending = Bool.random(using: &random)
            missingFirst = Bool.random(using: &random)
        }

        var option: String {
            let order = isDescending ? "descending" : "ascending"
            return "{ column: \(column), order: \(order), missing: \(missingFirst ? "first" : "last") }"
        }
    }

    @Test("any memory limit and any batch size give the stable sort", arguments: 1...24 as ClosedRange<UInt64>)
    func everyWay(_ seed: UInt64) throws {
        var random = SeededGenerator(seed: seed)
        let columns = ["k", "t", "d", "f", "day", "at"].shuffled(using: &random).prefix(
            Int.random(in: 1...3, using: &random)
        )
        let keys = columns.map { Key(&random, $0) }
        var stage = try ExampleRunner.make(SortRows.self, "by: [\(keys.map(\.option).joined(separator: ", "))]")
        let rows = try Self.rows(count: Int.random(in: 0...160, using: &random), &random)
        let expected = BatchText.write(rows.keeping(Self.slowOrder(rows, keys)))
        for limit in [0, 200, 3_000, 1 << 20] {
            stage.memoryLimit = limit
            stage.rangeBytes = [1, 700, 1 << 20].randomElement(using: &random) ?? 1
            for size in [1, 2, 7, 40, 1_000] {
                let threads = Int.random(in: 1...3, using: &random)
                let sorted = try Self.sort(rows.cut(into: size), stage, threads: threads)
                #expect(
                    BatchText.write(sorted, schema: rows.schema) == expected,
                    "limit \(limit), size \(size), \(random)"
                )
            }
        }
    }

    @Test("keys that are alike for long are sorted by what follows", arguments: ["ascending", "descending"])
    func sharedBeginnings(_ order: String) throws {
        var random = SeededGenerator(seed: 11)
        // Zeros in the middle and at the end, where the key of a text ends too.
        let ends = ["", "a", "b", "\u{0}", "\u{0}\u{0}", "a\u{0}", "aaaaaaa", "aaaaaaaa", "aaaaaaaab"]
        var text = "t:text,k:integer"
        for _ in 0..<1_500 {
            let start = String(repeating: "a", count: Int.random(in: 0...40, using: &random))
            text += "\n\"\(start)\(ends.randomElement(using: &random)!)\",\(Int.random(in: -2...300, using: &random))"
        }
        let rows = try BatchText.read(text)
        var stage = try ExampleRunner.make(SortRows.self, "by: [{ column: t, order: \(order) }, k]")
        var keys = [Key(&random, "t"), Key(&random, "k")]
        (keys[0].isDescending, keys[1].isDescending) = (order == "descending", false)
        let expected = BatchText.write(rows.keeping(Self.slowOrder(rows, keys)))
        for (limit, bytes) in [(1 << 20, 1 << 20), (1 << 20, 9_000), (20_000, 5_000)] {
            (stage.memoryLimit, stage.rangeBytes) = (limit, bytes)
            for size in [100, 600, 1_500] {
                let sorted = try Self.sort(rows.cut(into: size), stage, threads: 2)
                #expect(BatchText.write(sorted, schema: rows.schema) == expected, "limit \(limit), size \(size)")
            }
        }
    }

    @Test("what the workers make at the end does not depend on when they make it")
    func anyOrderAtTheEnd() throws {
        var random = SeededGenerator(seed: 3)
        var stage = try ExampleRunner.make(SortRows.self, "by: [f, t]")
        (stage.memoryLimit, stage.rangeBytes) = (4_000, 1_500)
        let rows = try Self.rows(count: 300, &random)
        let scratch = Disk(threads: 2)
        let whole = try Self.folded(rows.cut(into: 20), stage, scratch)
        var late: [LateFindings] = []
        try stage.finish(whole, FoldOutput(schema: rows.schema, scratch: scratch) { late.append($0) })
        #expect(late.count > 1)
        var made: [Batch] = []
        for one in late.reversed() { made.append(try one.rows()) }
        let expected = try Self.sort([rows], stage)
        #expect(BatchText.write(made.reversed(), schema: rows.schema) == BatchText.write(expected, schema: rows.schema))
    }

    @Test("a partial whose bytes were damaged is refused")
    func damaged() throws {
        let stage = try ExampleRunner.make(SortRows.self, "by: k")
        var findings = Findings()
        let partial = try stage.partial(of: try BatchText.read("k:integer\n2\n1\n3"), reporting: &findings)
        let bytes = Bytes()
        try partial.write(to: bytes)
        // The last row is at the end; its lengths then reach beyond it.
        var refused = 0
        for place in bytes.count - 12..<bytes.count {
            var array = bytes.array
            array[place] = 0xFF
            array.withUnsafeBufferPointer { array in
                var reader = ByteReader(array)
                if (try? SortedRuns(reading: &reader)) == nil { refused += 1 }
            }
        }
        #expect(refused > 0)
    }

    @Test("every row keeps its line, also on its way over the disk")
    func places() throws {
        var random = SeededGenerator(seed: 5)
        var stage = try ExampleRunner.make(SortRows.self, "by: k")
        stage.memoryLimit = 0
        let rows = try Self.rows(count: 50, &random)
        let lines = try Self.lines(rows)
        for sorted in try Self.sort(rows.cut(into: 3), stage) {
            let provenance = try Self.lines(sorted)
            for row in 0..<sorted.count {
                let before = try #require(lines.firstIndex(of: provenance[row]))
                #expect(sorted.columns.map { $0.displayText(row) } == rows.columns.map { $0.displayText(before) })
            }
        }
    }

    @Test("whole numbers of every length sort, on both sides of 0")
    func wholeNumbers() throws {
        var numbers: Set<Int64> = [0, .min, .max]
        for shift in 0..<63 {
            for step in -2...2 as ClosedRange<Int64> {
                numbers.formUnion([1 << shift &+ step, 0 &- (1 << shift &+ step)])
            }
        }
        let sorted = numbers.sorted()
        var random = SeededGenerator(seed: 1)
        let shuffled = sorted.shuffled(using: &random)
        let batch = Batch(
            Schema([Field("k", .integer)]),
            [.integers(Values(shuffled))],
            count: sorted.count,
            provenance: .made
        )
        for (order, expected) in [("ascending", sorted), ("descending", sorted.reversed())] {
            let stage = try ExampleRunner.make(SortRows.self, "by: { column: k, order: \(order) }")
            let result = try Self.sort([batch], stage).flatMap { $0.integers(in: ColumnName("k")).elements }
            #expect(result == expected)
        }
    }

    @Test("a full disk is an error, not a crash")
    func fullDisk() throws {
        struct Full: Scratch {
            let memoryLimit = 0
            func makeFile() throws(DaybookError) -> any ScratchFile { throw .machine("disk-full", "no room is left") }
        }
        var stage = try ExampleRunner.make(SortRows.self, "by: k")
        stage.memoryLimit = 0
        var findings = Findings()
        let rows = try BatchText.read("k:integer\n2\n1")
        var first = try stage.partial(of: rows, reporting: &findings)
        let second = try stage.partial(of: rows, reporting: &findings)
        #expect(throws: DaybookError.self) { try stage.merge(second, into: &first, scratch: Full()) }
    }

    // MARK: - The ground to stand on

    /// Scratch files in memory, for a fold that may work on several threads.
    private struct Disk: Scratch {
        private let files = MemoryScratch()
        let threads: Int
        var memoryLimit: Int { files.memoryLimit }

        init(threads: Int) { self.threads = threads }
        func makeFile() throws(DaybookError) -> any ScratchFile { try files.makeFile() }
    }

    private static func sort(_ batches: [Batch], _ stage: SortRows, threads: Int = 1) throws -> [Batch] {
        let scratch = Disk(threads: threads)
        let whole = try folded(batches, stage, scratch)
        var result: [Batch] = []
        try stage.finish(whole, schema: batches[0].schema, scratch: scratch) { batch, _ in result.append(batch) }
        return result
    }

    private static func folded(_ batches: [Batch], _ stage: SortRows, _ scratch: Disk) throws -> SortedRuns? {
        var whole: SortedRuns?
        for batch in batches {
            var findings = Findings()
            let partial = try stage.partial(of: batch, reporting: &findings)
            guard var earlier = whole.take() else {
                whole = partial
                continue
            }
            try stage.merge(partial, into: &earlier, scratch: scratch)
            whole = earlier
        }
        return whole
    }

    /// Few different values, so that ties are common.
    private static func rows(count: Int, _ random: inout SeededGenerator) throws -> Batch {
        let pool = [
            ["", "0", "-1", "1", "255", "256", "-256", "9223372036854775807", "-9223372036854775808"],
            [
                "", "\"\"", "a", "ab", "aa", "abcdefgh", "abcdefghi", "abcdefg", "\"a\u{0}\"", "\"a\u{0}b\"", "행복해",
                "😀", "$null", "NaN", "null",
            ],
            ["", "nan", "inf", "-inf", "0.0", "-0.0", "1.5", "-1.5", "1e300"],
            ["", "true", "false"],
            ["", "2026-03-01", "1969-12-31", "0001-01-01", "9999-12-31"],
            ["", "2026-03-01T00:00:00Z", "1969-12-31T23:59:59.999999Z"],
        ]
        var text = header
        for _ in 0..<count { text += "\n" + pool.map { $0.randomElement(using: &random)! }.joined(separator: ",") }
        return try BatchText.read(text)
    }

    private static func slowOrder(_ rows: Batch, _ keys: [Key]) -> [Int32] {
        let order = (0..<rows.count).sorted { first, second in
            for key in keys {
                let difference = compare(rows.column(ColumnName(key.column)), first, second, key)
                if difference != 0 { return difference < 0 }
            }
            return first < second
        }
        return order.map(Int32.init)
    }

    private static func compare(_ column: Column, _ first: Int, _ second: Int, _ key: Key) -> Int {
        switch (column.missing.isMissing(first), column.missing.isMissing(second)) {
        case (true, true): return 0
        case (true, false): return key.missingFirst ? -1 : 1
        case (false, true): return key.missingFirst ? 1 : -1
        case (false, false): break
        }
        func compare<Value: Comparable>(_ first: Value, _ second: Value) -> Int {
            if first == second { return 0 }
            return (first < second) == key.isDescending ? 1 : -1
        }
        switch column {
        case .text(let texts), .json(let texts):
            let (mine, theirs) = (Array(texts[first]!.utf8), Array(texts[second]!.utf8))
            if mine == theirs { return 0 }
            return mine.lexicographicallyPrecedes(theirs) == key.isDescending ? 1 : -1
        case .integers(let values), .instants(let values):
            return compare(values.elements[first], values.elements[second])
        case .days(let values): return compare(values.elements[first], values.elements[second])
        case .flags(let values): return compare(values.elements[first] ? 1 : 0, values.elements[second] ? 1 : 0)
        case .decimals(let values):
            let (mine, theirs) = (values.elements[first], values.elements[second])
            if mine.isNaN || theirs.isNaN { return (mine.isNaN ? 1 : 0) - (theirs.isNaN ? 1 : 0) }
            return compare(mine, theirs)
        }
    }

    private static func lines(_ rows: Batch) throws -> [Int64] {
        guard case .gathered(let provenance) = rows.provenance.gathered() else {
            throw DaybookError("no-origins", "no origins")
        }
        return provenance.map(\.line)
    }
}

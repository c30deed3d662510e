import DaybookTestSupport
import Dispatch
import Synchronization
import Testing

@testable import DaybookContracts
@testable import DaybookStages
@testable import DaybookTables

/// Groups that were on disk, and what is said of them.
@Suite struct GroupsOnDiskTests {
    @Test("a sum that is too large is told in the order of the groups, also from disk")
    func largeSumsFromDisk() throws {
        var stage = try ExampleRunner.make(SummariseRows.self, "by: k\nvalues: { n: sum(n), x: sum(x) }")
        let large: [String] = (0..<300).map { (number: Int) -> String in
            "\(number),\(number % 3 == 0 ? Int64.max : 1),\(number % 5 == 0 ? "1.7e308" : "2")"
        }
        let lines: [String] = ["k:integer,n:integer,x:decimal"] + large + large
        let rows = try BatchText.read(lines.joined(separator: "\n"))
        for limit in [1 << 20, 4_000] {
            stage.memoryLimit = limit
            let scratch = MemoryScratch()
            var whole: GroupSummary?
            for batch in rows.cut(into: 40) {
                var findings = Findings()
                let partial = try stage.partial(of: batch, reporting: &findings)
                guard var earlier = whole.take() else {
                    whole = partial
                    continue
                }
                try stage.merge(partial, into: &earlier, scratch: scratch)
                whole = earlier
            }
            var rejected: [Int64] = []
            var messages = 0
            var kept = 0
            try stage.finish(whole, schema: try stage.schema(after: rows.schema), scratch: scratch) { batch, findings in
                let keys = batch.integers(in: ColumnName("k")).elements
                var own: [Int64] = []
                for (index, row) in findings.rejectedRows.enumerated() {
                    if !own.contains(keys[Int(row.row)]) { own.append(keys[Int(row.row)]) }
                    if findings.message(ofRejectedRow: index)?.contains("18446744073709551614") == true {
                        messages += 1
                    }
                }
                rejected += own.sorted()
                kept += findings.keptRows(of: batch.count)?.count ?? batch.count
            }
            let wrong: [Int64] = (0..<300).filter { (key: Int64) -> Bool in key % 3 == 0 || key % 5 == 0 }
            #expect(rejected == wrong)
            #expect(messages == 100 && kept == 160)
        }
    }

    @Test("groups with long texts do not wait in memory for others")
    func longTexts() throws {
        var stage = try ExampleRunner.make(SummariseRows.self, "by: k\nvalues: { last: last(t) }")
        stage.memoryLimit = 1 << 20
        let scratch = MemoryScratch()
        var whole: GroupSummary?
        var largest = 0
        for number in 0..<64 {
            let text = String(repeating: "x", count: 1 << 16)
            let rows = try BatchText.read("k:integer,t:text\n\(number),\(text)\n\(number + 1000),\(text)")
            var findings = Findings()
            let partial = try stage.partial(of: rows, reporting: &findings)
            guard var earlier = whole.take() else {
                whole = partial
                continue
            }
            try stage.merge(partial, into: &earlier, scratch: scratch)
            largest = max(largest, earlier.footprint)
            whole = earlier
        }
        #expect(largest > 1 << 17 && largest < 2 << 20)
        var keys: [Int64] = []
        let schema = Schema([Field("k", .integer), Field("last", .text)])
        try stage.finish(whole, schema: schema, scratch: scratch) { batch, _ in
            keys += batch.integers(in: ColumnName("k")).elements
            #expect(batch.text(in: ColumnName("last")).views.allSatisfy { $0.length == 1 << 16 })
        }
        let pairs: [Int64] = (0..<64).flatMap { (key: Int64) -> [Int64] in [key, key + 1000] }
        #expect(keys == pairs)
    }

    @Test(
        "groups are the same in memory and on disk, on one thread and on several",
        arguments: TestSize.most(of: [2_500, 3, 7_001]),
        TestSize.most(of: ["sorted", "first_seen"])
    )
    func sameGroups(_ keys: Int, _ order: String) throws {
        var stage = try ExampleRunner.make(
            SummariseRows.self,
            """
            by: [k, f]
            values:
              rows: count
              sum: sum(n)
              mean: mean(x)
              most: max(t)
              opening: first(t)
              closing: last(t)
              middle: median(n)
              kinds: distinct(t)
              newest: max(d)
            order: \(order)
            """
        )
        let lines = (0..<12_000).map { row in
            let key = row &* 2_654_435_761 % keys
            let text = row % 7 == 0 ? "" : "t\(row % 13)"
            let large = row % 11 == 0 ? Int64.max / 3 : Int64(row)
            let number = large % 3 == 0 ? -large : 1
            return "k\(key),\(key % 2 == 0),\(number),0.\(row % 10),\(text),2026-03-\(10 + row % 20)"
        }
        let rows = try BatchText.read(
            (["k:text,f:flag,n:integer,x:decimal,t:text,d:day"] + lines).joined(separator: "\n")
        )
        var results: Set<String> = []
        // With the second, blocks are kept once groups are many, and of 2,500 keys added to tables when these have come again.
        for (limit, threads) in [(1 << 26, 1), (3 << 19, 1), (3 << 19, 4), (4_000, 4)] {
            stage.memoryLimit = limit
            results.insert(try result(of: stage, rows, SideBySide(threads: threads)))
        }
        #expect(results.count == 1)
        #expect(results.first?.split(separator: "\n").count == keys + 1)
    }

    private func result(of stage: SummariseRows, _ rows: Batch, _ scratch: some Scratch) throws -> String {
        var whole: GroupSummary?
        for batch in rows.cut(into: 100) {
            var findings = Findings()
            let partial = try stage.partial(of: batch, reporting: &findings)
            guard var earlier = whole.take() else {
                whole = partial
                continue
            }
            try stage.merge(partial, into: &earlier, scratch: scratch)
            whole = earlier
        }
        let schema = try stage.schema(after: rows.schema)
        var batches: [Batch] = []
        try stage.finish(whole, schema: schema, scratch: scratch) { batch, _ in batches.append(batch) }
        return BatchText.write(batches, schema: schema)
    }
}

/// Scratch files in memory, and threads of its own.
private struct SideBySide: Scratch {
    let memoryLimit = 1 << 24
    let threads: Int

    func makeFile() throws(DaybookError) -> any ScratchFile { MemoryScratchFile() }

    func concurrently(
        _ count: Int,
        _ body: @escaping @Sendable (Int) throws(DaybookError) -> Void
    ) throws(DaybookError) {
        let failures = Mutex<[DaybookError]>([])
        DispatchQueue.concurrentPerform(iterations: threads) { thread in
            for number in stride(from: thread, to: count, by: threads) {
                do throws(DaybookError) { try body(number) } catch { failures.withLock { $0.append(error) } }
            }
        }
        if let failure = failures.withLock({ $0.first }) { throw failure }
    }
}

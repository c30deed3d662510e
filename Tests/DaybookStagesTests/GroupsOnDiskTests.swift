import DaybookCore
import DaybookStages
import DaybookTestSupport
import Testing

/// What is said of groups that were on disk.
@Suite struct GroupsOnDiskTests {
    @Test("a sum that is too large is told in the order of the groups, also from disk")
    func largeSumsFromDisk() throws {
        var stage = try ExampleRunner.make(SummariseRows.self, "by: k\nvalues: { n: sum(n), x: sum(x) }")
        let large = (0..<300).map { number in
            "\(number),\(number % 3 == 0 ? Int64.max : 1),\(number % 5 == 0 ? "1.7e308" : "2")"
        }
        let rows = try BatchText.read((["k:integer,n:integer,x:decimal"] + large + large).joined(separator: "\n"))
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
            #expect(rejected == (0..<300).filter { $0 % 3 == 0 || $0 % 5 == 0 })
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
        #expect(keys == (0..<64).flatMap { [$0, $0 + 1000] })
    }
}

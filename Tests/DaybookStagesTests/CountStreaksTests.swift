import DaybookTestSupport
import Testing

@testable import DaybookContracts
@testable import DaybookStages
@testable import DaybookTables

/// Streaks against the plainest possible count over a set of days.
@Suite struct CountStreaksTests {
    @Test(
        "any days in any order and any batches give what a set of days gives",
        arguments: TestSize.seeds(8, of: 24)
    )
    func everyWay(_ seed: UInt64) throws {
        var random = SeededGenerator(seed: seed)
        let groups = Int.random(in: 1...40, using: &random)
        let span = Int32.random(in: 1...60, using: &random)
        let asOf: Int32 = 20_000
        let rows = (0..<Int.random(in: 1...300, using: &random)).map { _ in
            (Int.random(in: 0..<groups, using: &random), asOf + 3 - Int32.random(in: 0...span, using: &random))
        }
        let header = "g:text,h:integer,date:day"
        let lines = rows.map { "g\($0.0 % 7),\($0.0),\(CalendarDay(number: $0.1))" }
        let batch = try BatchText.read(([header] + lines).joined(separator: "\n"))
        var stage = try ExampleRunner.make(
            CountStreaks.self,
            "by: [g, h]\nas_of: \(CalendarDay(number: asOf))"
        )
        let expected = Self.slowStreaks(rows.filter { $0.1 <= asOf }, asOf: asOf)
        for size in [1, 2, 7, 50, 1_000] {
            for limit in [1 << 20, size * 300] {
                stage.memoryLimit = limit
                let found = try Self.fold(batch.cut(into: size), stage)
                #expect(found == expected, "batches of \(size), limit \(limit), \(random)")
            }
        }
    }

    /// Each group in the order in which it is met.
    private static func slowStreaks(_ rows: [(group: Int, day: Int32)], asOf: Int32) -> [String] {
        var order: [Int] = []
        for row in rows where !order.contains(row.group) { order.append(row.group) }
        return order.map { group in
            let entries = rows.filter { $0.group == group }.map(\.day)
            let days = Set(entries)
            func length(from day: Int32) -> Int32 {
                var end = day
                while days.contains(end) { end += 1 }
                return end - day
            }
            let starts = days.filter { !days.contains($0 - 1) }.sorted()
            let longest = starts.map(length(from:)).max() ?? 0
            let first = starts.first { length(from: $0) == longest } ?? 0
            let current = starts.last.map { $0 + length(from: $0) >= asOf ? length(from: $0) : 0 } ?? 0
            let cells: [String] = [
                "g\(group % 7)", "\(group)", "\(current)", "\(longest)", "\(CalendarDay(number: first))",
                "\(CalendarDay(number: first + longest - 1))", "\(days.count)", "\(entries.count)",
                "\(starts.count - 1)",
            ]
            return cells.joined(separator: ",")
        }
    }

    private static func fold(_ batches: [Batch], _ stage: CountStreaks) throws -> [String] {
        let scratch = MemoryScratch()
        var whole: GroupSummary?
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
        var lines: [String] = []
        let schema = try stage.schema(after: batches[0].schema)
        try stage.finish(whole, schema: schema, scratch: scratch) { batch, _ in
            lines += BatchText.write([batch], schema: schema).split(separator: "\n").dropFirst().map(String.init)
        }
        return lines
    }

    @Test("a run across the turn of a leap February is one run")
    func leapDay() throws {
        let stage = try ExampleRunner.make(CountStreaks.self, "as_of: 2028-03-02")
        let days = "date:day\n2028-02-28\n2028-03-01\n2028-02-29\n2027-03-01\n2027-02-28"
        let found = try Self.fold([try BatchText.read(days)], stage)
        #expect(found == ["3,3,2028-02-28,2028-03-01,5,5,1"])
    }

    @Test("a column of the count cannot also tell groups apart")
    func takenName() throws {
        let stage = try ExampleRunner.make(CountStreaks.self, "by: entries")
        let schema = Schema([Field("date", .day), Field("entries", .integer)])
        let error = #expect(throws: DaybookError.self) { try stage.schema(after: schema) }
        #expect(error?.message == "there is a column named 'entries' already")
        let other = try ExampleRunner.make(CountStreaks.self, "by: habit")
        let open = try other.schema(after: Schema([], isOpen: true))
        #expect(open.isOpen && open.names.first == "current")
    }
}

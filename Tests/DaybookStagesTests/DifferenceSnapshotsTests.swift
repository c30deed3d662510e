import DaybookTestSupport
import Testing

@testable import DaybookContracts
@testable import DaybookStages

/// Gains between snapshots against the plainest possible subtraction.
@Suite struct DifferenceSnapshotsTests {
    struct Row {
        var place: Int
        var day: Int32
        var name: Int
        var count: Int64
    }

    /// What there is to say about a row of the input, or what it gives.
    struct Told: Hashable {
        var place: Int
        var what: String
    }

    @Test("any order and any batches give what a plain subtraction gives", arguments: 1...32 as ClosedRange<UInt64>)
    func everyWay(_ seed: UInt64) throws {
        var random = SeededGenerator(seed: seed)
        let span = Int32.random(in: 1...120, using: &random)
        let names = Int.random(in: 1...6, using: &random)
        let rows = (0..<Int.random(in: 1...80, using: &random)).map { place in
            Row(
                place: place,
                day: 20_000 + Int32.random(in: 0...span, using: &random),
                name: Int.random(in: 0..<names, using: &random),
                count: Int64.random(in: 0...9, using: &random)
            )
        }
        let starts = Bool.random(using: &random)
        let restarts = Bool.random(using: &random)
        let options = """
            by: name
            taken: \(starts ? "start_of_day" : "end_of_day")
            resets: \(restarts ? "restart" : "reject")
            """
        let stage = try ExampleRunner.make(DifferenceSnapshots.self, options)
        let expected = Self.slowly(rows, starts: starts, restarts: restarts)
        let lines = rows.map { "\(CalendarDay(number: $0.day)),n\($0.name),\($0.count)" }
        let batch = try BatchText.read((["date:day,name:text,count:integer"] + lines).joined(separator: "\n"))
        for size in [1, 2, 7, 1_000] {
            let found = try Self.fold(batch.cut(into: size), stage)
            #expect(Set(found) == Set(expected), "size \(size), \(options), \(random)")
            #expect(found.count == expected.count)
        }
    }

    private static func slowly(_ rows: [Row], starts: Bool, restarts: Bool) -> [Told] {
        let allDays = Set(rows.map(\.day)).sorted()
        var told: [Told] = []
        for name in Set(rows.map(\.name)) {
            var firsts: [Row] = []
            for row in rows.filter({ $0.name == name }).sorted(by: { ($0.day, $0.place) < ($1.day, $1.place) }) {
                guard let same = firsts.last, same.day == row.day else {
                    firsts.append(row)
                    continue
                }
                told.append(Told(place: row.place, what: same.count == row.count ? "repeated values" : "second-value"))
            }
            if firsts.count == 1 {
                told.append(Told(place: firsts[0].place, what: "lone-snapshot"))
                told.append(Told(place: firsts[0].place, what: "lone snapshots"))
                continue
            }
            for (index, pair) in zip(firsts, firsts.dropFirst()).enumerated() {
                let (earlier, later) = pair
                func tellLacking(_ days: [Int32]) {
                    if !days.isEmpty { told.append(Told(place: later.place, what: "counter-missing")) }
                }
                if index == 0 { tellLacking(allDays.filter { $0 < earlier.day }) }
                tellLacking(allDays.filter { $0 > earlier.day && $0 < later.day })
                if index == firsts.count - 2 { tellLacking(allDays.filter { $0 > later.day }) }
                var gain = later.count - earlier.count
                if gain < 0 {
                    told.append(Told(place: later.place, what: restarts ? "counter-restarted" : "counter-went-down"))
                    guard restarts else { continue }
                    gain = later.count
                }
                let from = CalendarDay(number: earlier.day + (starts ? 0 : 1))
                let to = CalendarDay(number: later.day - (starts ? 1 : 0))
                let month = from.description.prefix(7) == to.description.prefix(7) ? to.description.prefix(7) : ""
                told.append(Told(place: later.place, what: "n\(name),\(from),\(to),\(month),\(gain)"))
            }
        }
        return told
    }

    /// Each row that comes out and each finding, with the place of the snapshot row that it came from.
    private static func fold(_ batches: [Batch], _ stage: DifferenceSnapshots) throws -> [Told] {
        let scratch = MemoryScratch()
        var whole: CounterSnapshots?
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
        var told: [Told] = []
        let schema = try stage.schema(after: batches[0].schema)
        var days: [Int32] = []
        try stage.finish(whole, schema: schema, scratch: scratch) { batch, findings in
            guard case .gathered(let provenance) = batch.provenance.gathered() else {
                Issue.record("gains come from rows of the source")
                return
            }
            // Behind the header, each row has a line of its own.
            func place(_ row: Int) -> Int { Int(provenance[row].line) - 2 }
            for finding in findings.rejectedRows + findings.warnedRows {
                told.append(Told(place: place(Int(finding.row)), what: findings.code(of: finding.token)))
            }
            for (row, name) in findings.droppedRows {
                told.append(Told(place: place(Int(row)), what: findings.dropNames[Int(name)]))
            }
            let kept = findings.keptRows(of: batch.count) ?? (0..<Int32(batch.count)).map { $0 }
            let lines = BatchText.write([batch.keeping(kept)], schema: schema).split(separator: "\n").dropFirst()
            for (line, row) in zip(lines, kept) { told.append(Told(place: place(Int(row)), what: String(line))) }
            days += kept.map { batch.days(in: ColumnName("to")).elements[Int($0)] }
        }
        #expect(days == days.sorted(), "gains come in the order of days")
        return told
    }

    @Test("the parts of a gain lie in one month each, meet, and add up to it", arguments: 1...16 as ClosedRange<UInt64>)
    func splitting(_ seed: UInt64) throws {
        var random = SeededGenerator(seed: seed)
        let stage = try ExampleRunner.make(DifferenceSnapshots.self, "by: name\nsplit_months: true")
        let first = Int32.random(in: -300_000...300_000, using: &random)
        let last = first + Int32.random(in: 1...30_000, using: &random)
        let total = [0, 1, 12, Int64.random(in: 0...100_000, using: &random), .max].randomElement(using: &random)!
        let batch = Batch(
            Schema([Field("date", .day), Field("name", .text), Field("count", .integer)]),
            [
                .days(Values([first, last])),
                .text(TextColumn(Bytes("ab"), views: Array(repeating: TextView(offset: 0, length: 2), count: 2))),
                .integers(Values([0, total])),
            ],
            count: 2,
            provenance: .made
        )
        var findings = Findings()
        let partial = try stage.partial(of: batch, reporting: &findings)
        let schema = try stage.schema(after: batch.schema)
        var next = first + 1
        var sum: Int64 = 0
        try stage.finish(partial, schema: schema, scratch: MemoryScratch()) { parts, findings in
            #expect(findings.isEmpty)
            let (from, to) = (parts.days(in: ColumnName("from")), parts.days(in: ColumnName("to")))
            for row in 0..<parts.count {
                #expect(from.elements[row] == next)
                next = to.elements[row] + 1
                let months = [from, to].map { CalendarDay(number: $0.elements[row]).description.dropLast(3) }
                #expect(months[0] == months[1])
                #expect(parts.text(in: ColumnName("month"))[row] == String(months[0]))
                let gain = parts.integers(in: ColumnName("gain")).elements[row]
                #expect(gain >= 0)
                sum += gain
            }
        }
        #expect(next == last + 1 && sum == total, "\(random)")
    }

    @Test("a gain over more than a hundred years is not split")
    func tooManyMonths() throws {
        let stage = try ExampleRunner.make(DifferenceSnapshots.self, "by: name\nsplit_months: true")
        let batch = try BatchText.read("date:day,name:text,count:integer\n1900-01-31,a,1\n2026-01-31,a,5")
        var rejected: [String] = []
        var findings = Findings()
        let partial = try stage.partial(of: batch, reporting: &findings)
        let schema = try stage.schema(after: batch.schema)
        try stage.finish(partial, schema: schema, scratch: MemoryScratch()) { _, findings in
            rejected += findings.rejectedRows.map { findings.code(of: $0.token) }
        }
        #expect(rejected == ["too-many-months"])
    }
}

extension Findings {
    fileprivate func code(of token: Finding.Token) -> String { subjects[index(of: token)].kind.code }
}

import DaybookTestSupport
import Testing

@testable import DaybookContracts
@testable import DaybookStages
@testable import DaybookTables

/// Groups and their values against the plainest possible ones, cut and merged in every way.
@Suite struct SummariseRowsTests {
    struct Row {
        var key: String?
        var half: Int64?
        var whole: Int64?
        var share: Double?
        var note: String?
    }

    private static let options = """
        by: [k, h]
        values:
          rows: count
          wholes: count(w)
          total: sum(w)
          mean: mean(w)
          least: min(w)
          most: max(w)
          middle: median(w)
          different: distinct(w)
          first: first(w)
          last: last(w)
          exact: sum(s)
          share: mean(s)
          half: median(s)
          low: min(n)
          high: max(n)
          opening: first(n)
          closing: last(n)
          notes: distinct(n)
        """

    @Test("any cut and any way of merging give what a plain loop gives", arguments: TestSize.seeds(10, of: 40))
    func everyWay(_ seed: UInt64) throws {
        var random = SeededGenerator(seed: seed)
        let rows = (0..<Int.random(in: 0...90, using: &random)).map { _ in Self.row(&random) }
        let batch = try Self.batch(rows)
        let isSorted = Bool.random(using: &random)
        var stage = try ExampleRunner.make(SummariseRows.self, Self.options + (isSorted ? "\norder: sorted" : ""))
        var expected = Self.slowly(rows)
        if isSorted { expected = expected.sorted { Self.comesBefore($0[0], $1[0]) } }
        let wanted = ([Self.header] + expected.map(Self.line)).joined(separator: "\n")
        for limit in [1 << 20, 6_000, 0] {
            stage.memoryLimit = limit
            for size in limit == 0 ? [7, 1_000] : [1, 2, 7, 1_000] {
                for throughBytes in [false, true] {
                    let found = try Self.summarise(batch.cut(into: size), stage, throughBytes: throughBytes)
                    #expect(
                        found == wanted,
                        "limit \(limit), batches of \(size), through bytes: \(throughBytes), \(random)"
                    )
                }
            }
        }
    }

    @Test(
        "sums of decimals are those of exact arithmetic, whatever the order",
        arguments: TestSize.seeds(8, of: 30)
    )
    func exactSums(_ seed: UInt64) throws {
        var random = SeededGenerator(seed: seed)
        var numbers = (0..<Int.random(in: 1...60, using: &random)).map { _ in Self.decimal(&random) }
        // Half of them have an opposite, so that what is left is small beside what was there.
        numbers += numbers.prefix(numbers.count / 2).map { -$0 }
        var sum = ExactSum()
        for number in numbers { sum.add(number) }
        let stage = try ExampleRunner.make(SummariseRows.self, "values: { total: sum(x), share: mean(x) }")
        for _ in 0..<4 {
            numbers.shuffle(using: &random)
            let column = Column.decimals(Values(numbers))
            let batch = Batch(Schema([Field("x", .decimal)]), [column], count: numbers.count, provenance: .made)
            for size in [1, 5, 1_000] {
                let found = try Self.batches(batch.cut(into: size), stage, throughBytes: true)
                try #require(found.count == 1)
                #expect(found[0].decimals(in: ColumnName("total")).elements == [sum.value], "\(random)")
                #expect(
                    found[0].decimals(in: ColumnName("share")).elements == [sum.mean(of: numbers.count)],
                    "\(random)"
                )
            }
        }
    }

    @Test("a hundred thousand groups of one batch come back, each with its own row")
    func manyGroups() throws {
        let count = 100_000
        let bytes = Bytes()
        let views = (0..<count).map { number in
            let start = bytes.count
            bytes.append("\(number * 7_919 % count). group")
            return TextView(offset: start, length: bytes.count - start)
        }
        let batch = Batch(
            Schema([Field("k", .text), Field("n", .integer)]),
            [.text(TextColumn(bytes, views: views)), .integers(Values((0..<count).map { Int64($0) }))],
            count: count,
            provenance: .made
        )
        let stage = try ExampleRunner.make(SummariseRows.self, "by: k\nvalues: { n: sum(n), rows: count }")
        let once = try Self.batches(batch.cut(into: 20_000), stage)
        let twice = try Self.batches(batch.cut(into: 20_000) + [batch], stage)
        #expect(once.reduce(0) { $0 + $1.count } == count)
        #expect(twice.reduce(0) { $0 + $1.count } == count)
        let sums = { (batches: [Batch]) -> [Int64] in batches.flatMap { $0.integers(in: ColumnName("n")).elements } }
        let numbers = [Int64](0..<Int64(count))
        #expect(sums(once) == numbers)
        #expect(sums(twice) == numbers.map { $0 * 2 })
        #expect(twice.allSatisfy { $0.integers(in: ColumnName("rows")).elements.allSatisfy { $0 == 2 } })
        // In the order of their keys, of which each part has hundreds. Most differ in their first bytes.
        let sorting = try ExampleRunner.make(SummariseRows.self, "by: k\norder: sorted\nvalues: { n: sum(n) }")
        let sorted = try Self.batches(batch.cut(into: 20_000), sorting)
        let names = (0..<count).map { "\($0 * 7_919 % count). group" }
        let order = (0..<count).sorted { names[$0] < names[$1] }
        #expect(sums(sorted) == order.map { Int64($0) })
        #expect(sorted.allSatisfy { $0.count < 32_768 }, "a batch is bounded")
    }

    @Test("a mean is rounded once: equal numbers have it, and whole numbers beyond 2^53 too")
    func meansOfEquals() throws {
        let stage = try ExampleRunner.make(SummariseRows.self, "by: k\nvalues: { d: mean(d), n: mean(n) }")
        let rows = try BatchText.read(
            """
            k:text,d:decimal,n:integer
            a,1.6,9007199254740993
            b,0.1,-3
            a,1.6,9007199254740995
            b,0.7,-3
            a,1.6,9007199254740998
            b,,1
            """
        )
        for size in [1, 2, 6] {
            #expect(
                try Self.summarise(rows.cut(into: size), stage)
                    == "k:text,d:decimal,n:decimal\na,1.6,9.007199254740996e+15\nb,0.39999999999999997,-1.6666666666666667"
            )
        }
    }

    @Test("the sum of whole numbers is only too large when its end is, not on the way")
    func wideSums() throws {
        let stage = try ExampleRunner.make(SummariseRows.self, "values: { n: sum(n), m: mean(n) }")
        let rows = try BatchText.read("n:integer\n9223372036854775807\n1\n-9223372036854775808\n5")
        #expect(try Self.summarise(rows.cut(into: 1), stage) == "n:integer,m:decimal\n5,1.25")
    }

    @Test(
        "a mistake in a function is told at its place in the text",
        arguments: [
            ("summ(count)", 14, 4, "there is no function 'summ'", "did you mean 'sum'?"),
            ("\"avg(count)\"", 15, 3, "there is no function 'avg'", "did you mean 'mean'?"),
            ("sum", 14, 3, "'sum' needs a column", "write sum(column)"),
            ("count(*)", 20, 1, "'*' is no column", "to count rows, write count without brackets"),
            ("count(distinct who)", 20, 12, "expected a column, found 'distinct who'", "write distinct(who)"),
            ("sum()", 17, 2, "no column stands in the brackets", nil),
            ("sum(count", 17, 1, "the bracket is not closed at the end", nil),
        ]
    )
    func places(_ call: String, _ column: Int, _ length: Int, _ message: String, _ hint: String?) throws {
        let error = #expect(throws: DaybookErrors.self) {
            try ExampleRunner.make(SummariseRows.self, "values: { n: \(call) }")
        }
        let problem = try #require(error?.errors.first)
        #expect(error?.errors.count == 1)
        #expect(problem.message == "'values': \(message)")
        #expect(problem.place?.column == column)
        #expect(problem.place?.length == length)
        if let hint { #expect(problem.hint == hint) }
    }

    @Test("a column that is not there is told where the function names it")
    func unknownColumn() throws {
        let stage = try ExampleRunner.make(SummariseRows.self, "values: { n: sum(cuont) }")
        let error = #expect(throws: DaybookError.self) {
            try stage.schema(after: Schema([Field("count", .integer)]))
        }
        #expect(error?.message == "no column named 'cuont'")
        #expect(error?.place?.column == 18)
        #expect(error?.place?.length == 5)
    }

    // MARK: - The ground to stand on

    private static func row(_ random: inout SeededGenerator) -> Row {
        func maybe<Value>(_ value: Value, _ random: inout SeededGenerator) -> Value? {
            Int.random(in: 0...4, using: &random) == 0 ? nil : value
        }
        let texts =
            ["a", "b", "서울", "", "a longer key than sixteen bytes", "a longer key than sixteen bytes!"]
            + RandomRows.reservedWords.prefix(7)
        return Row(
            key: maybe(texts.randomElement(using: &random)!, &random),
            half: maybe(Int64.random(in: 0...1, using: &random), &random),
            whole: maybe(
                [Int64.random(in: -3...3, using: &random), .max, .min].randomElement(using: &random)!,
                &random
            ),
            share: maybe(Double(Int.random(in: -8...8, using: &random)) / 4, &random),
            note: maybe(texts.randomElement(using: &random)!, &random)
        )
    }

    private static func decimal(_ random: inout SeededGenerator) -> Double {
        let exponent = [0, 1, 60, 200, 900, -40, -1_060].randomElement(using: &random)!
        return Double(
            sign: Bool.random(using: &random) ? .plus : .minus,
            exponent: exponent,
            significand: Double.random(in: 1..<2, using: &random)
        )
    }

    private static func cell(_ text: String?) -> String { text.map { $0.isEmpty ? "\"\"" : $0 } ?? "" }

    private static func batch(_ rows: [Row]) throws -> Batch {
        let lines = rows.map { row in
            [
                cell(row.key), row.half.map { "\($0)" } ?? "", row.whole.map { "\($0)" } ?? "",
                row.share.map { "\($0)" } ?? "", cell(row.note),
            ].joined(separator: ",")
        }
        return try BatchText.read((["k:text,h:integer,w:integer,s:decimal,n:text"] + lines).joined(separator: "\n"))
    }

    private static func slowly(_ rows: [Row]) -> [[Row]] {
        var groups: [[Row]] = []
        for row in rows {
            if let place = groups.firstIndex(where: { $0[0].key == row.key && $0[0].half == row.half }) {
                groups[place].append(row)
            } else {
                groups.append([row])
            }
        }
        // A sum of many of the largest numbers does not fit, nor a median of many digits, and its group is rejected.
        return groups.filter { group in
            let sorted = group.compactMap(\.whole).sorted()
            guard !sorted.isEmpty else { return true }
            let middle = Int128(sorted[(sorted.count - 1) / 2]) + Int128(sorted[sorted.count / 2])
            return Int64(exactly: sorted.reduce(Int128(0)) { $0 + Int128($1) }) != nil
                && Int128(exactly: Double(middle)) == middle
        }
    }

    private static func comesBefore(_ first: Row, _ second: Row) -> Bool {
        if first.key != second.key {
            guard let one = first.key else { return false }
            guard let other = second.key else { return true }
            return Array(one.utf8).lexicographicallyPrecedes(Array(other.utf8))
        }
        guard let one = first.half else { return false }
        guard let other = second.half else { return true }
        return one < other
    }

    private static let header = """
        k:text,h:integer,rows:integer,wholes:integer,total:integer,mean:decimal,least:integer,most:integer,middle:decimal,\
        different:integer,first:integer,last:integer,exact:decimal,share:decimal,half:decimal,low:text,high:text,opening:text,\
        closing:text,notes:integer
        """

    private static func line(_ group: [Row]) -> String {
        let wholes = group.compactMap(\.whole)
        let shares = group.compactMap(\.share)
        let notes = group.compactMap(\.note)
        let byBytes: (String, String) -> Bool = { Array($0.utf8).lexicographicallyPrecedes(Array($1.utf8)) }
        let total = wholes.reduce(Int128(0)) { $0 + Int128($1) }
        func middle(_ values: [Double]) -> Double? {
            let sorted = values.sorted()
            return sorted.isEmpty ? nil : (sorted[(sorted.count - 1) / 2] + sorted[sorted.count / 2]) / 2
        }
        func wholeMiddle() -> Double? {
            let sorted = wholes.sorted()
            guard !sorted.isEmpty else { return nil }
            return Double(Int128(sorted[(sorted.count - 1) / 2]) + Int128(sorted[sorted.count / 2])) / 2
        }
        func written(_ number: Double?) -> String { number.map { decimalText($0) } ?? "" }
        func written(_ number: Int64?) -> String { number.map { "\($0)" } ?? "" }
        let first = group[0]
        return [
            cell(first.key), written(first.half), "\(group.count)", "\(wholes.count)",
            wholes.isEmpty ? "" : "\(total)", written(wholes.isEmpty ? nil : Double(total) / Double(wholes.count)),
            written(wholes.min()), written(wholes.max()), written(wholeMiddle()), "\(Set(wholes).count)",
            written(wholes.first), written(wholes.last), written(shares.isEmpty ? nil : shares.reduce(0, +)),
            written(shares.isEmpty ? nil : shares.reduce(0, +) / Double(shares.count)), written(middle(shares)),
            cell(notes.min(by: byBytes)), cell(notes.max(by: byBytes)), cell(notes.first), cell(notes.last),
            "\(Set(notes).count)",
        ].joined(separator: ",")
    }

    private static func decimalText(_ value: Double) -> String {
        Column.decimals(Values([value])).displayText(0) ?? ""
    }

    private static func summarise(
        _ batches: [Batch],
        _ stage: SummariseRows,
        throughBytes: Bool = false
    ) throws -> String {
        guard let first = batches.first else { return "" }
        let schema = try stage.schema(after: first.schema)
        return BatchText.write(try self.batches(batches, stage, throughBytes: throughBytes), schema: schema)
    }

    private static func copied(_ partial: GroupSummary) throws -> GroupSummary {
        let bytes = Bytes()
        try partial.write(to: bytes)
        var reader = ByteReader(bytes.filled)
        defer { withExtendedLifetime(bytes) {} }
        let copy = try GroupSummary(reading: &reader)
        #expect(reader.isAtEnd)
        return copy
    }

    private static func batches(
        _ batches: [Batch],
        _ stage: SummariseRows,
        throughBytes: Bool = false
    ) throws -> [Batch] {
        let scratch = MemoryScratch()
        var whole: GroupSummary?
        for batch in batches {
            var findings = Findings()
            var partial = try stage.partial(of: batch, reporting: &findings)
            if throughBytes { partial = try copied(partial) }
            guard var earlier = whole.take() else {
                whole = partial
                continue
            }
            try stage.merge(partial, into: &earlier, scratch: scratch)
            whole = throughBytes ? try copied(earlier) : earlier
        }
        var results: [Batch] = []
        let schema = try stage.schema(after: batches[0].schema)
        try stage.finish(whole, schema: schema, scratch: scratch) { batch, findings in
            results.append(findings.keptRows(of: batch.count).map(batch.keeping) ?? batch)
        }
        return results
    }
}

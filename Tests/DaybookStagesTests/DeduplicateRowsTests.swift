import DaybookTestSupport
import Testing

@testable import DaybookContracts
@testable import DaybookStages
@testable import DaybookTables

/// Deduplication against the plainest possible one, at every limit of memory and size of batch.
@Suite struct DeduplicateRowsTests {
    struct Row: Hashable {
        var key: String?
        var half: Int?
        var day: Int32?
        var place: Int
    }

    @Test("any memory limit and any batch size keep the same rows", arguments: TestSize.seeds(12, of: 36))
    func everyWay(_ seed: UInt64) throws {
        var random = SeededGenerator(seed: seed)
        let rows = (0..<Int.random(in: 0...120, using: &random)).map { place in
            Row(
                key: ["a", "b", "서울", "a longer key than eight bytes", "$null", "NaN", "", nil].randomElement(
                    using: &random
                )!,
                half: Int.random(in: 0...5, using: &random) == 0 ? nil : Int.random(in: 0...1, using: &random),
                day: Int.random(in: 0...5, using: &random) == 0
                    ? nil : Int32.random(in: 20_000...20_009, using: &random),
                place: place
            )
        }
        let keep = ["first", "last", "newest"].randomElement(using: &random)!
        let newestFirst = Bool.random(using: &random)
        let warn = Bool.random(using: &random)
        var options = "by: [k, h]\nkeep: \(keep)\nwarn: \(warn)\nnewest_first: \(newestFirst)"
        if keep == "newest" || newestFirst { options += "\nnewest_by: d" }
        var stage = try ExampleRunner.make(DeduplicateRows.self, options)
        var kept = Self.slowly(rows, keep: keep)
        let dropped = rows.map(\.place).filter { place in !kept.contains { $0.place == place } }
        if newestFirst { kept = Self.newestFirst(kept) }
        let batch = try Self.batch(rows)
        for limit in [0, 100, 2_000, 1 << 20] {
            stage.memoryLimit = limit
            for size in [1, 2, 7, 40, 1_000] {
                let found = try Self.fold(batch.cut(into: size), stage)
                let way: Comment = "limit \(limit), size \(size), \(options), \(random)"
                #expect(found.places == kept.map(\.place), way)
                #expect(found.warned.sorted() == (warn ? dropped : []), way)
                #expect(found.dropped == dropped.count, way)
            }
        }
    }

    private static func slowly(_ rows: [Row], keep: String) -> [Row] {
        rows.filter { row in
            guard row.key != nil, row.half != nil else { return true }
            let same = rows.filter { $0.key == row.key && $0.half == row.half }
            switch keep {
            case "first": return same.first == row
            case "last": return same.last == row
            default:
                let newest = same.map { $0.day ?? -1 }.max()
                return same.last { ($0.day ?? -1) == newest } == row
            }
        }
    }

    private static func newestFirst(_ rows: [Row]) -> [Row] {
        let order = rows.indices.sorted { first, second in
            let (mine, theirs) = (rows[first].day ?? -1, rows[second].day ?? -1)
            return mine == theirs ? first < second : mine > theirs
        }
        return order.map { rows[$0] }
    }

    @Test(
        "repeated numbers become the next free ones in the order of the rows",
        arguments: 1...24 as ClosedRange<UInt64>
    )
    func renumbering(_ seed: UInt64) throws {
        var random = SeededGenerator(seed: seed)
        let ids = (0..<Int.random(in: 1...90, using: &random)).map { _ in
            Int.random(in: 0...9, using: &random) == 0 ? nil : Int64.random(in: -5...40, using: &random)
        }
        let keep = ["first", "last"].randomElement(using: &random)!
        var stage = try ExampleRunner.make(DeduplicateRows.self, "by: id\nrepeats: renumber\nkeep: \(keep)")
        var expected = ids
        var next = (ids.compactMap { $0 }.max() ?? 0) + 1
        for (place, id) in ids.enumerated() {
            guard let id, (keep == "first" ? ids.firstIndex(of: id) : ids.lastIndex(of: id)) != place else { continue }
            expected[place] = next
            next += 1
        }
        let batch = try BatchText.read(
            "n:integer,id:integer\n"
                + ids.enumerated().map { "\($0),\($1.map(String.init) ?? "")" }.joined(separator: "\n")
        )
        for limit in [0, 500, 1 << 20] {
            stage.memoryLimit = limit
            for size in [1, 3, 1_000] {
                let found = try Self.fold(batch.cut(into: size), stage, column: "id")
                #expect(found.values == expected, "limit \(limit), size \(size), \(random)")
                #expect(found.dropped == 0)
                let present = found.values.compactMap { $0 }
                #expect(Set(present).count == present.count)
            }
        }
    }

    @Test("a warning tells where the row stands that is kept")
    func messages() throws {
        let text = "id:integer,note:text\n7,a\n7,b\n8,c\n7,d"
        let rows = try BatchText.read(text)
        for (keep, expected) in [("first", ["line 2", "line 2"]), ("last", ["line 5", "line 5"])] {
            let stage = try ExampleRunner.make(DeduplicateRows.self, "by: id\nwarn: true\nkeep: \(keep)")
            let found = try Self.fold(rows.cut(into: 1), stage)
            #expect(found.messages == expected.map { "the key stands in \($0) too, and that row is kept" })
        }
        let stage = try ExampleRunner.make(DeduplicateRows.self, "by: id\nrepeats: renumber")
        #expect(
            try Self.fold([rows], stage).messages == [
                "'7' is the number of line 2 too, and became 9", "'7' is the number of line 2 too, and became 10",
            ]
        )
    }

    @Test("records of one line are left to the engine to name, and rows of another file by its path")
    func places() throws {
        let stage = try ExampleRunner.make(DeduplicateRows.self, "by: id\nwarn: true")
        func batch(_ source: Int, _ path: String, _ lines: Int) throws -> Batch {
            let bytes = Bytes(lines > 1 ? "{}\n{}\n" : "{},{}")
            let morsel = Morsel(
                source: SourceName(index: source, path: path),
                bytes: bytes,
                offset: 0,
                firstLine: 1,
                firstRecord: 0
            )
            return Batch(
                Schema([Field("id", .integer)]),
                [.integers(Values([1, 1]))],
                count: 2,
                provenance: .morsel(
                    morsel,
                    spans: [RecordSpan(start: 0, end: 3), RecordSpan(start: 3, end: 5)],
                    records: [0, 1]
                )
            )
        }
        let one = try Self.fold([try batch(0, "a.json", 1), try batch(1, "b.json", 2)], stage)
        #expect(
            one.messages == [
                "the key of {row} stands in {row} too, and that row is kept",
                "the key stands in line 1 of a.json too, and that row is kept",
                "the key stands in line 1 of a.json too, and that row is kept",
            ]
        )
    }

    @Test("keys that are alike as values are one key, and others are not")
    func keys() throws {
        let stage = try ExampleRunner.make(DeduplicateRows.self, "by: [a, b]")
        let rows = try BatchText.read(
            """
            a:decimal,b:text
            0,x
            -0.0,x
            nan,x
            nan,x
            1,xy
            1,"x\u{0}y"
            1,XY
            """
        )
        let found = try Self.fold([rows], stage)
        #expect(found.count == 5)
    }

    @Test("contradictory options are refused")
    func contradictions() throws {
        for (options, message) in [
            ("by: id\nkeep: newest", "'keep' is newest, and no column says which row is newer"),
            ("by: id\nnewest_first: true", "'newest_first' needs 'newest_by', the column to sort by"),
            ("by: [id, id]", "'by' names 'id' twice"),
            (
                "by: [id, x]\nrepeats: renumber",
                "'repeats: renumber' takes one column of whole numbers, and 'by' names 2"
            ),
            ("by: id\nrepeats: renumber\nwarn: true", "'warn' is about dropped rows; a new number is always a warning"),
            (
                "by: id\nnewest_by: day",
                "'newest_by' has no meaning without 'keep: newest' or 'newest_first: true'"
            ),
        ] {
            let error = #expect(throws: DaybookErrors.self) { try ExampleRunner.make(DeduplicateRows.self, options) }
            #expect(error?.errors.map(\.message) == [message])
        }
    }

    // MARK: - The ground to stand on

    private static func batch(_ rows: [Row]) throws -> Batch {
        let lines = rows.map { row in
            let key = row.key.map { $0.isEmpty ? "\"\"" : $0 } ?? ""
            let day = row.day.map { CalendarDay(number: $0).description } ?? ""
            return "\(row.place),\(key),\(row.half.map(String.init) ?? ""),\(day)"
        }
        return try BatchText.read((["n:integer,k:text,h:integer,d:day"] + lines).joined(separator: "\n"))
    }

    private struct Found {
        var values: [Int64?] = []
        var warned: [Int] = []
        var messages: [String] = []
        var dropped = 0
        var count: Int { values.count }
        var places: [Int] { values.map { Int($0 ?? -1) } }
    }

    /// What comes out, with the values of the first column unless another is named.
    private static func fold(_ batches: [Batch], _ stage: DeduplicateRows, column: String? = nil) throws -> Found {
        let scratch = MemoryScratch(memoryLimit: stage.memoryLimit)
        var whole: DistinctRows?
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
        var found = Found()
        guard let schema = batches.first?.schema else { return found }
        let dropped = try stage.finish(whole, schema: schema, scratch: scratch) { batch, findings in
            #expect(batch.schema == schema)
            let name = ColumnName(column ?? schema.names[0])
            let values: [Int64?] =
                if case .integers(let numbers) = batch[name] {
                    (0..<batch.count).map { numbers[$0] }
                } else {
                    Array(repeating: nil, count: batch.count)
                }
            found.warned += findings.warnedRows.compactMap { values[Int($0.row)].map(Int.init) }
            found.messages += findings.warnedRows.indices.compactMap(findings.message(ofWarnedRow:))
            found.dropped += findings.droppedRows.count
            found.values += findings.keptRows(of: batch.count).map { $0.map { values[Int($0)] } } ?? values
        }
        found.dropped += dropped["duplicates"] ?? 0
        return found
    }
}

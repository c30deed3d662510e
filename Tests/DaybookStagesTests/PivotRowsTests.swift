import DaybookTestSupport
import Testing

@testable import DaybookContracts
@testable import DaybookStages
@testable import DaybookTables

/// Pivots against the plainest possible one, and back again.
@Suite struct PivotRowsTests {
    struct Row {
        var id: Int64
        var key: String
        var value: Int64?
    }

    @Test("any size of batch puts every value in its place", arguments: 1...36 as ClosedRange<UInt64>)
    func everyWay(_ seed: UInt64) throws {
        var random = SeededGenerator(seed: seed)
        let rows = (0..<Int.random(in: 0...80, using: &random)).map { _ in
            Row(
                id: Int64.random(in: 0...Int64(seed), using: &random),
                key: ["a", "b", "다"].randomElement(using: &random)!,
                value: Int.random(in: 0...4, using: &random) == 0 ? nil : Int64.random(in: 0...9, using: &random)
            )
        }
        let text =
            (["id:integer,k:text,v:integer"]
            + rows.map { "\($0.id),\($0.key),\($0.value.map { "\($0)" } ?? "")" }).joined(separator: "\n")
        let batch = try BatchText.read(text)
        for duplicate in ["reject", "first", "last", "sum"] {
            let stage = try ExampleRunner.make(
                PivotRows.self,
                "rows: id\ncolumns: k\nvalues: v\nare: { 다: c, a: a, b: b }\non_duplicate: \(duplicate)"
            )
            let expected = Self.slowly(rows, duplicate)
            for size in [1, 2, 7, 1_000] {
                let found = try Self.fold(batch.cut(into: size), stage)
                let way: Comment = "batches of \(size), \(duplicate), \(random)"
                #expect(found.text == expected.text, way)
                #expect(found.rejected == expected.rejected, way)
            }
        }
    }

    private static func slowly(_ rows: [Row], _ duplicate: String) -> (text: String, rejected: Int) {
        var cells: [Int64: [String: Int64]] = [:]
        var rejected = 0
        for row in rows {
            cells[row.id, default: [:]].merge([:]) { first, _ in first }
            guard let value = row.value else { continue }
            guard let earlier = cells[row.id]?[row.key] else {
                cells[row.id]?[row.key] = value
                continue
            }
            switch duplicate {
            case "reject": rejected += 1
            case "last": cells[row.id]?[row.key] = value
            case "sum": cells[row.id]?[row.key] = earlier + value
            default: break
            }
        }
        let lines = cells.sorted { $0.key < $1.key }.map { id, cells in
            (["\(id)"] + ["다", "a", "b"].map { cells[$0].map { "\($0)" } ?? "" }).joined(separator: ",")
        }
        return ((["id:integer,c:integer,a:integer,b:integer"] + lines).joined(separator: "\n"), rejected)
    }

    @Test("a group that reaches over many batches is one row, and says which value stands")
    func longGroup() throws {
        let lines = (0..<9_000).map { "1,a,\($0)" } + ["1,b,7"]
        let batch = try BatchText.read((["id:integer,k:text,v:integer"] + lines).joined(separator: "\n"))
        let first = try ExampleRunner.make(
            PivotRows.self,
            "rows: id\ncolumns: k\nvalues: v\nare: [a, b]\non_duplicate: first"
        )
        #expect(try Self.fold(batch.cut(into: 500), first).text == "id:integer,a:integer,b:integer\n1,0,7")
        let sum = try ExampleRunner.make(
            PivotRows.self,
            "rows: id\ncolumns: k\nvalues: v\nare: [a, b]\non_duplicate: sum"
        )
        #expect(try Self.fold(batch.cut(into: 500), sum).text == "id:integer,a:integer,b:integer\n1,40495500,7")
        let refusing = try ExampleRunner.make(PivotRows.self, "rows: id\ncolumns: k\nvalues: v\nare: [a, b]")
        let found = try Self.fold(batch.cut(into: 500), refusing)
        #expect(found.text == "id:integer,a:integer,b:integer\n1,0,7")
        #expect(found.rejected == 8_999)
        #expect(found.messages.last == "'8999' is a second value for its row and 'a', which has '0' already")
        // The row says where in the source the second value stands.
        #expect(found.records.last == 8_999)
        #expect(found.sources == ["v"])
    }

    @Test("a sum that leaves 64 bits rejects the row that it leaves them with")
    func largeSum() throws {
        let stage = try ExampleRunner.make(
            PivotRows.self,
            "rows: id\ncolumns: k\nvalues: v\nare: a\non_duplicate: sum"
        )
        let rows = try BatchText.read("id:integer,k:text,v:integer\n1,a,9223372036854775807\n1,a,1\n1,a,-7")
        let found = try Self.fold([rows], stage)
        #expect(found.text == "id:integer,a:integer\n1,9223372036854775800")
        #expect(found.records == [1])
    }

    @Test("what was unpivoted is pivoted back", arguments: 1...12 as ClosedRange<UInt64>)
    func thereAndBack(_ seed: UInt64) throws {
        var random = SeededGenerator(seed: seed)
        let like = try BatchText.read("a:text,b:text,c:text\nx,y,z")
        let wide = try RandomRows.batch(like: like, count: 12, &random)
        let ids = Column.integers(Values((0..<12).map { Int64($0) }))
        let rows = wide.replacing(Schema([Field("id", .integer)] + wide.schema.fields), [ids] + wide.columns)
        let unpivot = try ExampleRunner.make(UnpivotRows.self, "columns: [a, b, c]")
        var findings = Findings()
        let long = unpivot.process(rows, reporting: &findings)
        #expect(long.count == 36)
        let pivot = try ExampleRunner.make(PivotRows.self, "rows: id\ncolumns: name\nvalues: value\nare: [a, b, c]")
        #expect(try Self.fold(long.cut(into: 5), pivot).text == BatchText.write(rows), "\(random)")
    }

    private struct Found {
        var text = ""
        var rejected = 0
        var messages: [String] = []
        var records: [Int] = []
        var sources: Set<String> = []
    }

    private static func fold(_ batches: [Batch], _ stage: PivotRows) throws -> Found {
        let scratch = MemoryScratch()
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
        var found = Found()
        var results: [Batch] = []
        let schema = try stage.schema(after: batches[0].schema)
        try stage.finish(whole, schema: schema, scratch: scratch) { batch, findings in
            found.rejected += findings.rejectedRows.count
            for (index, finding) in findings.rejectedRows.enumerated() {
                if let message = findings.message(ofRejectedRow: index) { found.messages.append(message) }
                if case .gathered(let provenance) = batch.provenance.gathered() {
                    found.records.append(Int(provenance[Int(finding.row)].record))
                }
                let subject = findings.subjects[findings.index(of: finding.token)]
                if let column = subject.column, let source = batch.schema[ColumnName(column)]?.source {
                    found.sources.insert(source)
                }
            }
            results.append(findings.keptRows(of: batch.count).map(batch.keeping) ?? batch)
        }
        found.text = BatchText.write(results, schema: schema)
        return found
    }
}

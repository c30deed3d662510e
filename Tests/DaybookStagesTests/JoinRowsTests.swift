import DaybookCore
import DaybookStages
import DaybookTables
import DaybookTestSupport
import Testing

@testable import DaybookFormats

/// Joins against the plainest possible one.
@Suite struct JoinRowsTests {
    struct Row {
        var key: String?
        var half: Int?
        var value: Int
    }

    @Test("every kind of join finds what a plain loop finds", arguments: 1...40 as ClosedRange<UInt64>)
    func everyWay(_ seed: UInt64) throws {
        var random = SeededGenerator(seed: seed)
        let rows = (0..<Int.random(in: 0...60, using: &random)).map { Self.row($0, &random) }
        let lookup = (0..<Int.random(in: 0...30, using: &random)).map { Self.row($0 + 1_000, &random) }
        let kind = ["inner", "left", "anti"].randomElement(using: &random)!
        let duplicates = ["first", "last"].randomElement(using: &random)!
        var options = "by: { k: key, h: half }\nkind: \(kind)"
        if kind != "anti" { options += "\ntake: { v: w }\nduplicates: \(duplicates)" }
        if kind == "inner" { options += "\nunmatched: drop" }
        let left = try Self.batch(rows, "k:text,h:integer,v:integer")
        let right = try Self.batch(lookup, "key:text,half:integer,v:integer")
        let stage = try Self.ready(try ExampleRunner.make(JoinRows.self, options), left.schema, right, cutInto: 3)
        var expected: [String] = []
        for row in rows {
            let partners = lookup.filter {
                row.key != nil && row.half != nil && $0.key == row.key && $0.half == row.half
            }
            let partner = duplicates == "first" ? partners.first : partners.last
            switch kind {
            case "anti" where partner == nil: expected.append("\(row.value)")
            case "inner" where partner != nil: expected.append("\(row.value),\(partner!.value)")
            case "left": expected.append("\(row.value),\(partner.map { "\($0.value)" } ?? "")")
            default: break
            }
        }
        for size in [1, 4, 1_000] {
            var found: [String] = []
            for part in left.cut(into: size) {
                var findings = Findings()
                let joined = stage.process(part, reporting: &findings)
                let kept = findings.keptRows(of: joined.count).map(joined.keeping) ?? joined
                for row in 0..<kept.count {
                    var cells = [kept[ColumnName("v")].spoken(row) ?? ""]
                    if kind != "anti" { cells.append(kept[ColumnName("w")].spoken(row) ?? "") }
                    found.append(cells.joined(separator: ","))
                }
            }
            #expect(found == expected, "batches of \(size), \(options), \(random)")
        }
    }

    @Test("a key that stands in the lookup twice is told with its lines")
    func duplicates() throws {
        let left = try BatchText.read("k:text")
        let right = try BatchText.read("k:text,v:integer\na,1\n,2\nb,3\n,4\na,5")
        let stage = try ExampleRunner.make(JoinRows.self, "by: k")
        let error = #expect(throws: DaybookError.self) { try Self.ready(stage, left.schema, right, cutInto: 2) }
        #expect(error?.message == "two rows of 'words' have the key 'a', in lines 2 and 6")
        #expect(error?.blame == .data)
    }

    @Test("text of the lookup is pointed at and not copied for every row")
    func sharedText() throws {
        let left = try BatchText.read("k:integer\n1\n1\n2")
        let right = try BatchText.read("k:integer,t:text\n1,one")
        let stage = try Self.ready(
            try ExampleRunner.make(JoinRows.self, "by: k\nkind: left"),
            left.schema,
            right,
            cutInto: 9
        )
        var findings = Findings()
        let first = stage.process(left, reporting: &findings).text(in: ColumnName("t"))
        let second = stage.process(left, reporting: &findings).text(in: ColumnName("t"))
        #expect(first.bytes === second.bytes)
        #expect((0..<3).map { first[$0] } == ["one", "one", nil])
    }

    private static func row(_ value: Int, _ random: inout SeededGenerator) -> Row {
        Row(
            key: ["a", "b", "서울", "", "a longer key than sixteen bytes", nil].randomElement(using: &random)!,
            half: Int.random(in: 0...5, using: &random) == 0 ? nil : Int.random(in: 0...2, using: &random),
            value: value
        )
    }

    private static func batch(_ rows: [Row], _ header: String) throws -> Batch {
        let lines = rows.map { row in
            "\(row.key.map { $0.isEmpty ? "\"\"" : $0 } ?? ""),\(row.half.map(String.init) ?? ""),\(row.value)"
        }
        return try BatchText.read(([header] + lines).joined(separator: "\n"))
    }

    private static func ready(
        _ stage: JoinRows,
        _ schema: Schema,
        _ lookup: Batch,
        cutInto size: Int
    ) throws -> JoinRows {
        let joined = try stage.reading(["rows", "words"]).joined(to: [schema, lookup.schema], sides: [])
        let side = lookup.selecting(joined.columns(neededOfBuildSide: 0))
        let batches = side.cut(into: size).filter { $0.count > 0 }.map { batch in
            Batch.take((0..<batch.count).map { RowPick(batch: 0, row: $0) }, from: [batch])
        }
        return try joined.knowing([BuildSide(side.schema, batches)])
    }
}

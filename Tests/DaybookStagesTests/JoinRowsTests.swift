import DaybookTestSupport
import Testing

@testable import DaybookContracts
@testable import DaybookStages

/// Joins against the plainest possible one.
@Suite struct JoinRowsTests {
    struct Row {
        var text: String?
        var number: Int?
        var day: Int?
        var value: Int

        /// The values of the key; nil where one is missing.
        func key(_ columns: [Character]) -> [String]? {
            var key: [String] = []
            for column in columns {
                let value = column == "t" ? text : column == "n" ? number.map(String.init) : day.map(String.init)
                guard let value else { return nil }
                key.append(value)
            }
            return key
        }
    }

    /// A join as a job could ask for it.
    struct Asked {
        var kind: String
        var duplicates: String
        var keys: [Character]

        init(_ random: inout SeededGenerator) {
            kind = ["inner", "left", "right", "full", "semi", "anti"].randomElement(using: &random)!
            duplicates = ["all", "all", "first", "last"].randomElement(using: &random)!
            keys = [["t"], ["n"], ["d"], ["t", "n"], ["d", "t", "n"]].randomElement(using: &random)!
        }

        var takes: Bool { kind != "semi" && kind != "anti" }

        var options: String {
            var lines = ["by: { \(keys.map { "\($0): r\($0)" }.joined(separator: ", ")) }", "kind: \(kind)"]
            if takes { lines += ["take: { v: w }", "duplicates: \(duplicates)"] }
            if kind == "inner" || kind == "right" { lines.append("unmatched: drop") }
            return lines.joined(separator: "\n")
        }

        /// What a nested loop over the rows of both sides gives.
        func rows(_ left: [Row], _ right: [Row]) -> [String] {
            var result: [String] = []
            // Rows that are left out are as though they were not there.
            let lookup = right.indices.filter { place in
                guard let key = right[place].key(keys), takes else { return true }
                let others = right.indices.filter { right[$0].key(keys) == key }
                return duplicates == "all" || place == (duplicates == "first" ? others.first : others.last)
            }.map { right[$0] }
            for row in left {
                let partners = lookup.filter { row.key(keys) != nil && $0.key(keys) == row.key(keys) }
                switch kind {
                case "semi": if !partners.isEmpty { result.append(line(row)) }
                case "anti": if partners.isEmpty { result.append(line(row)) }
                default:
                    for partner in partners { result.append(line(row) + ",\(partner.value)") }
                    if partners.isEmpty, kind == "left" || kind == "full" { result.append(line(row) + ",") }
                }
            }
            guard kind == "right" || kind == "full" else { return result }
            for row in lookup where !left.contains(where: { row.key(keys) != nil && $0.key(keys) == row.key(keys) }) {
                var alone = Row(value: 0)
                if keys.contains("t") { alone.text = row.text }
                if keys.contains("n") { alone.number = row.number }
                if keys.contains("d") { alone.day = row.day }
                result.append(cells(alone).joined(separator: ",") + ",,\(row.value)")
            }
            return result
        }

        func cells(_ row: Row) -> [String] {
            [row.text ?? "-", row.number.map(String.init) ?? "-", row.day.map(JoinRowsTests.day) ?? "-"]
        }

        func line(_ row: Row) -> String { (cells(row) + [String(row.value)]).joined(separator: ",") }

        /// The same of rows that came out.
        func lines(_ batch: Batch) -> [String] {
            (0..<batch.count).map { row in
                var cells = ["t", "n", "d"].map { batch[ColumnName($0)].displayText(row) ?? "-" }
                cells.append(batch[ColumnName("v")].displayText(row) ?? "")
                if takes { cells.append(batch[ColumnName("w")].displayText(row) ?? "") }
                return cells.joined(separator: ",")
            }
        }
    }

    @Test("every kind of join gives what a nested loop gives", arguments: TestSize.seeds(150, of: 1_500))
    func everyWay(_ seed: UInt64) throws {
        var random = SeededGenerator(seed: seed)
        let asked = Asked(&random)
        let rows = (0..<Int.random(in: 0...40, using: &random)).map { Self.row($0, &random) }
        let lookup = (0..<Int.random(in: 0...30, using: &random)).map { Self.row($0 + 1_000, &random) }
        let left = try Self.batch(rows, "t:text,n:integer,d:day,v:integer")
        let right = try Self.batch(lookup, "rt:text,rn:integer,rd:day,v:integer")
        var stage = try ExampleRunner.make(JoinRows.self, asked.options)
        stage.partBytes = [1, 100, 1 << 20].randomElement(using: &random)!
        let expected = asked.rows(rows, lookup)
        for memory in [Int.max, 400, 0] {
            let schema = try Self.bind(stage, left.schema, right.schema).schema
            let join = try Self.ready(stage, left.schema, right, cutInto: 3, memory: memory)
            for size in [1, 4, 1_000] {
                let found = try Self.joined(left.cut(into: size), by: join, schema).flatMap(asked.lines)
                #expect(found == expected, "batches of \(size), \(memory) bytes of memory, \(asked.options), \(random)")
            }
        }
    }

    @Test("a row with more partners than a part has rows goes on in the next")
    func manyPartners() throws {
        let left = try BatchText.read("k:integer,v:integer\n1,1\n2,2\n1,3\n3,4")
        let count = 20_000
        let right = try BatchText.read("k:integer,w:integer\n" + (0..<count).map { "1,\($0)\n" }.joined() + "3,7")
        for (kind, memory) in [("inner", Int.max), ("left", .max), ("full", .max), ("inner", 0), ("left", 0)] {
            var stage = try ExampleRunner.make(JoinRows.self, "by: k\nduplicates: all\nkind: \(kind)")
            stage.partBytes = 1_000
            let join = try Self.ready(stage, left.schema, right, cutInto: 1_000, memory: memory)
            var parts = try #require(join.parts(of: left))
            var pairs: [(Int64?, Int64?)] = []
            var (parents, rejected, unfolded) = (0, 0, 0)
            var isLast = false
            while !isLast {
                var findings = Findings()
                let part = try parts.next(reporting: &findings)
                #expect(part.rows.count <= 1 << 14)
                #expect(findings.unfolded.into == part.rows.count)
                #expect(findings.unfolded.rows + findings.rejectedRows.count == part.parents)
                let (v, w) = (part.rows.integers(in: ColumnName("v")), part.rows.integers(in: ColumnName("w")))
                for row in 0..<part.rows.count { pairs.append((v[row], w[row])) }
                parents += part.parents
                rejected += findings.rejectedRows.count
                unfolded += findings.unfolded.rows
                isLast = part.isLast
            }
            let many = (0..<Int64(count)).map { Optional($0) }
            let alone: [(Int64?, Int64?)] = kind == "inner" ? [] : [(2, nil)]
            let expected = many.map { (1, $0) } + alone + many.map { (3, $0) } + [(4, 7)]
            #expect(pairs.count == expected.count)
            #expect(zip(pairs, expected).allSatisfy { $0 == $1 }, "\(kind)")
            #expect((parents, rejected, unfolded) == (4, kind == "inner" ? 1 : 0, kind == "inner" ? 3 : 4))
        }
    }

    @Test("a key that stands in the lookup twice is told with its lines")
    func duplicates() throws {
        let left = try BatchText.read("k:text")
        let right = try BatchText.read("k:text,v:integer\na,1\n,2\nb,3\n,4\na,5")
        let stage = try ExampleRunner.make(JoinRows.self, "by: k")
        for memory in [Int.max, 0] {
            let error = #expect(throws: DaybookError.self) {
                try Self.ready(stage, left.schema, right, cutInto: 2, memory: memory)
            }
            #expect(error?.message == "two rows of 'words' have the key 'a', in lines 2 and 6")
            #expect(error?.blame == .data)
        }
    }

    @Test("a key that stands in two files of the lookup is told with both")
    func duplicatesInFiles() throws {
        let left = try BatchText.read("k:text")
        let right = try BatchText.read("k:text,v:integer\na,1\na,2")
        let stage = try ExampleRunner.make(JoinRows.self, "by: k")
        let binding = try Self.bind(stage, left.schema, right.schema)
        let message = { (sources: [Int], name: String?) throws -> String? in
            var batch = right.selecting(binding.sides[0].columns)
            batch.provenance = .gathered(
                zip(sources, [2, 5]).map { RowOrigin(source: $0, offset: 0, length: 3, line: $1, record: 0) }
            )
            var rows = BatchBuffer(memoryLimit: .max)
            try rows.append(batch, MemoryScratch())
            let side = BuildSide(batch.schema, rows) { source in name.map { "\($0)-\(source).csv" } }
            return #expect(throws: DaybookError.self) { try binding.makeOperator([side], MemoryScratch()) }?.message
        }
        let told = "two rows of 'words' have the key 'a', in"
        #expect(try message([1, 2], "in") == "\(told) in-1.csv:2 and in-2.csv:5")
        #expect(try message([1, 1], "in") == "\(told) lines 2 and 5 of in-1.csv")
        #expect(try message([1, 2], nil) == "\(told) lines 2 and 5")
    }

    @Test("text of the lookup is pointed at and not copied for every row")
    func sharedText() throws {
        let left = try BatchText.read("k:integer\n1\n1\n2")
        let right = try BatchText.read("k:integer,t:text\n1,one")
        let join = try Self.ready(
            try ExampleRunner.make(JoinRows.self, "by: k\nkind: left"),
            left.schema,
            right,
            cutInto: 9
        )
        var findings = Findings()
        let first = try join.process(left, of: 0, reporting: &findings).text(in: ColumnName("t"))
        let second = try join.process(left, of: 0, reporting: &findings).text(in: ColumnName("t"))
        #expect(first.bytes === second.bytes)
        #expect((0..<3).map { first[$0] } == ["one", "one", nil])
    }

    private static func row(_ value: Int, _ random: inout SeededGenerator) -> Row {
        Row(
            text: ["a", "b", "서울", "$null", "NaN", "", "a longer key than sixteen bytes", nil].randomElement(
                using: &random
            )!,
            number: Int.random(in: 0...5, using: &random) == 0 ? nil : Int.random(in: -1...2, using: &random),
            day: Int.random(in: 0...5, using: &random) == 0 ? nil : Int.random(in: 1...4, using: &random),
            value: value
        )
    }

    static func day(_ number: Int) -> String { "2026-03-0\(number)" }

    private static func batch(_ rows: [Row], _ header: String) throws -> Batch {
        let lines = rows.map { row in
            let text = row.text.map { $0.isEmpty ? "\"\"" : $0 } ?? ""
            return "\(text),\(row.number.map(String.init) ?? ""),\(row.day.map(day) ?? ""),\(row.value)"
        }
        return try BatchText.read(([header] + lines).joined(separator: "\n"))
    }

    /// All that comes out, in order.
    private static func joined(_ parts: [Batch], by join: RowJoin, _ schema: Schema) throws -> [Batch] {
        var result: [Batch] = []
        var met: RowSet?
        for part in parts {
            var findings = Findings()
            let own = join.asFinishing != nil ? try join.partial(of: part, reporting: &findings) : RowSet()
            if met == nil { met = own } else { join.merge(own, into: &met!, scratch: MemoryScratch()) }
            guard var pieces = join.parts(of: part) else {
                let rows = try join.process(part, of: 0, reporting: &findings)
                result.append(findings.keptRows(of: rows.count).map(rows.keeping) ?? rows)
                continue
            }
            var isLast = false
            while !isLast {
                let piece = try pieces.next(reporting: &findings)
                result.append(piece.rows)
                isLast = piece.isLast
            }
        }
        guard join.asFinishing != nil else { return result }
        let ended = Ended()
        let output = FoldOutput(schema: schema, scratch: MemoryScratch()) {
            late throws(DaybookError) in
            ended.rows.append(try late.rows())
        }
        try join.finish(met, output)
        return result + ended.rows
    }

    private final class Ended { var rows: [Batch] = [] }

    private static func ready(
        _ stage: JoinRows,
        _ schema: Schema,
        _ lookup: Batch,
        cutInto size: Int,
        memory: Int = .max
    ) throws -> RowJoin {
        let binding = try bind(stage, schema, lookup.schema)
        let side = lookup.selecting(binding.sides[0].columns)
        var rows = BatchBuffer(memoryLimit: memory)
        for batch in side.cut(into: size) where batch.count > 0 {
            let alone = Batch.take((0..<batch.count).map { RowPick(batch: 0, row: $0) }, from: [batch])
            try rows.append(alone, MemoryScratch())
        }
        let operation = try binding.makeOperator([BuildSide(side.schema, rows)], MemoryScratch())
        guard case .transform(let transform) = operation, let join = transform as? RowJoin else {
            preconditionFailure("a join runs as one")
        }
        return join
    }

    static func bind(_ stage: JoinRows, _ rows: Schema, _ lookup: Schema) throws(DaybookError) -> Binding {
        try stage.bind(StageInputs([StageInput(id: "rows", schema: rows), StageInput(id: "words", schema: lookup)]))
    }
}

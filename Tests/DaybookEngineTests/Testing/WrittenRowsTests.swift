import Testing

@testable import DaybookBytes
@testable import DaybookContracts
@testable import DaybookJobTools

/// The rows of tests as people write them.
@Suite struct WrittenRowsTests {
    private func read(_ yaml: String) throws -> WrittenRows {
        let source = SourceText(Array("rows: \(yaml)".utf8), file: "job.yaml")
        let root = try #require(YAMLReader().read(source.bytes, file: "job.yaml").root)
        return try WrittenRows(reading: try #require(root.map?.first?.value), in: source)
    }

    private func problems(_ yaml: String) -> [String] {
        do {
            _ = try read(yaml)
            return []
        } catch {
            return ((error as? DaybookErrors)?.errors ?? []).map { error in
                "\(error.place.map { "\($0.line):\($0.column)" } ?? "-") \(error.message) [\(error.code.rawValue)]"
            }
        }
    }

    @Test func aTextAndAListSayTheSame() throws {
        let text = try read("|\n  id,note,count:integer\n  1,,3\n  007,\"\",\n  x,\"a, \"\"b\"\"\n  c\",5\n")
        #expect(text.columns.map(\.name) == ["id", "note", "count"])
        #expect(text.columns.map(\.kind) == [nil, nil, .integer])
        let rows: [[String?]] = [["1", nil, "3"], ["007", "", nil], ["x", "a, \"b\"\nc", "5"]]
        #expect(text.rows.map { $0.cells.map(\.text) } == rows)
        let list = try read(
            "[{ id: 1, count: 3 }, { note: '', id: 007 }, { id: x, note: \"a, \\\"b\\\"\\nc\", count: 5 }]"
        )
        #expect(list.columns.map(\.name) == ["id", "count", "note"])
        #expect(list.rows.map { row in [0, 2, 1].map { row.cells[$0].text } } == rows)
    }

    @Test func aColonBelongsToANameUnlessAKindFollows() throws {
        #expect(try read("'a:b,:integer,c:day'").columns.map(\.name) == ["a:b", ":integer", "c"])
    }

    @Test func rowsOfOneColumnMayMiss() throws {
        let rows = try read("|\n  note\n\n  a\n  \"\"\n").rows
        #expect(rows.map(\.cells[0].text) == [nil, "a", ""])
    }

    @Test func mistakesHaveTheirPlaces() {
        #expect(
            problems("|\n  a,b\n  1,2\n\n  1,2,3\n    4\n") == [
                "5:3 this row has 3 cells, and the header has 2 [ragged-row]",
                "6:3 this row has 1 cell, and the header has 2 [ragged-row]",
            ]
        )
        #expect(problems("|\n  a,a\n") == ["2:5 two columns are named 'a' [duplicate-column]"])
        #expect(
            problems("|\n  a,b\n  \"1\"2,3\n") == [
                "3:3 a comma or the end of the line belongs behind this quoted cell [stray-quote]"
            ]
        )
        #expect(problems("''") == ["1:7 expected CSV with a header, found an empty text [no-columns]"])
        #expect(problems("\n  a: b") == ["2:3 expected rows, found a map [wrong-type]"])
        #expect(
            problems("[1, { a: { b: 1 } }]") == [
                "1:8 expected a row such as { id: 1, date: 2026-11-21 }, found '1' [wrong-type]",
                "1:16 expected a value, found a map [wrong-type]",
            ]
        )
    }

    @Test func anyTextIsReadOrRefused() throws {
        var random = SeededRandom(seed: 6)
        let letters = Array("a,\"\n :é행|-{}[]'")
        var read = 0
        for _ in 0..<3_000 {
            let text = String(
                (0..<Int.random(in: 0..<20, using: &random)).map { _ in letters.randomElement(using: &random)! }
            )
            let node = OptionNode(.text(text, quoted: true), at: SourcePlace(file: "job.yaml", line: 1, column: 1))
            guard let rows = try? WrittenRows(reading: node, in: SourceText([], file: "job.yaml")) else { continue }
            read += 1
            #expect(rows.rows.allSatisfy { $0.cells.count == rows.columns.count }, "\(text)")
        }
        #expect(read > 300 && read < 2_700, "\(read) were read")
    }
}

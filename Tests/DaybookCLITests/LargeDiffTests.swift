import DaybookTestSupport
import Foundation
import Testing

/// What `daybook diff` says of files that are large enough to be read in parts.
@Suite struct LargeDiffTests {
    private let place: TemporaryDirectory
    private let command: CommandTrial

    init() throws {
        place = try TemporaryDirectory()
        command = CommandTrial(in: place.url)
    }

    private func write(_ rows: [String], to name: String) throws {
        try place.write("id,city,amount,note\n" + rows.joined(separator: "\n") + "\n", to: name)
    }

    private func diff(_ arguments: String...) throws -> [String] {
        let outcome = try command.run(["diff", "a.csv", "b.csv"] + arguments)
        #expect(outcome.status == 0, "\(outcome.errors)")
        return outcome.output.split(separator: "\n").map(String.init)
    }

    /// Makes few rows a large file.
    private static let words = String(repeating: "words-that-fill-the-row-", count: 6)

    /// Rows of two lines; the second looks like a row.
    private let rows = (1...5_000).map {
        "\($0),seoul,\($0 % 90).5,\"\(LargeDiffTests.words)\n\($0),seoul,1.5,x\""
    }

    @Test func `changed rows are told by their lines, in the order of the key and in another one`() throws {
        var later = rows
        later[2_499] = "2500,busan,3.25,x"
        later.insert("3750.5,daegu,1.0,new", at: 3_750)
        later.remove(at: 1_249)
        try write(rows, to: "a.csv")
        try write(later, to: "b.csv")
        let expected = [
            "rows of a.csv and b.csv by id: 1 came, 1 went, 1 changed, 4,998 as before",
            "  ~ column id held integer and holds decimal",
        ]
        let found = try diff("--key", "id")
        #expect(found.prefix(2) == expected[...], "\(found)")
        #expect(found.contains("  + id=3750.5 city=daegu amount=1.0 note=new  (line 7499)"), "\(found)")
        let gone = "  - id=1250 city=seoul amount=80.5 note=\"\(LargeDiffTests.words)␊1250,seoul,1.5,x\""
        #expect(found.contains("\(gone)  (line 2500 before)"), "\(found)")
        #expect(
            found.contains {
                $0.hasPrefix("  ~ id=2500  city: seoul → busan") && $0.hasSuffix("(line 4998, before 5000)")
            },
            "\(found)"
        )
        try write(rows.reversed(), to: "a.csv")
        try write(later.reversed(), to: "b.csv")
        let turned = try diff("--key", "id")
        #expect(turned.prefix(2) == expected[...], "\(turned)")
    }

    @Test func `a key that repeats, a bad row and a moved row are told as in small files`() throws {
        var later = rows
        later.insert(rows[100], at: 3_750)
        later[200] = "201,seoul,1.5"
        try write(rows, to: "a.csv")
        try write(later, to: "b.csv")
        let found = try diff()
        #expect(found.first == "rows of a.csv and b.csv by id: 1 came, 1 went, 0 changed, 4,999 as before", "\(found)")
        #expect(
            found.contains("  + 1 row has the id of a row above, and counts as come"),
            "\(found)"
        )
        later = rows
        later.append(later.remove(at: 3))
        try write(later, to: "b.csv")
        let moved = try diff("--key", "id")
        #expect(moved.contains { $0.contains("in another order") }, "\(moved)")
    }

    @Test func `columns in another order, and a repeated row beside a blank line, are told as in small files`() throws {
        let rows = (1...8_000).map { "\($0),\($0 % 50),\(LargeDiffTests.words)\($0 % 77)" }
        let text = { (head: String, rows: [String]) in head + "\n" + rows.joined(separator: "\n") + "\n" }
        try place.write(text("# of a shop\nid,x,y", rows), to: "a.csv")
        try place.write(text("# of a shop\nid,y,x", rows), to: "b.csv")
        let turned = try diff("--key", "id")
        #expect(
            turned.first == "rows of a.csv and b.csv by id: 0 came, 0 went, 8,000 changed, 0 as before",
            "\(turned)"
        )
        var (before, after) = (rows, rows)
        before.insert("", at: 4_000)
        after.insert(contentsOf: ["4015,1,n", ""], at: 4_000)
        try place.write(text("id,x,y", before), to: "a.csv")
        try place.write(text("id,x,y", after), to: "b.csv")
        let repeated = try diff("--key", "id")
        #expect(repeated.contains("  + 1 row has the id of a row above, and counts as come"), "\(repeated)")
    }

    @Test func `panels are known by two columns`() throws {
        let panel = (1...80).flatMap { country in
            (1...100).map { year in "C\(1_000 + country),\(1_900 + year),\(country * year),\(LargeDiffTests.words)" }
        }
        var later = panel
        later[7_000] = later[7_000].replacingOccurrences(of: "words", with: "other words")
        try write(panel, to: "a.csv")
        try write(later, to: "b.csv")
        let found = try diff()
        #expect(
            found.first == "rows of a.csv and b.csv by id, city: 0 came, 0 went, 1 changed, 7,999 as before",
            "\(found)"
        )
        #expect(found.contains { $0.hasSuffix("(line 7002)") }, "\(found)")
    }
}

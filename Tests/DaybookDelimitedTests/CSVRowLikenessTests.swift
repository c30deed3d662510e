import DaybookTestSupport
import Testing

@testable import DaybookContracts
@testable import DaybookDelimited

/// What is taken for a row, and where a row goes wrong.
@Suite struct CSVRowLikenessTests {
    private static let head = (1...20).map { "\($0),2026-03-\($0 + 10),행복해,note,\($0 * 3)\n" }.joined()

    private func likeness(
        _ head: String = head,
        width: Int = 5,
        dialect: CSVDialect = CSVDialect()
    ) -> CSVRowLikeness {
        let bytes = Bytes(head)
        defer { withExtendedLifetime(bytes) {} }
        return CSVRowLikeness(of: bytes.filled, from: 0, width: width, dialect: dialect)
    }

    /// The column at which the quote of a record is given up, or nil.
    private func strayOpening(
        _ record: String,
        _ likeness: CSVRowLikeness,
        dialect: CSVDialect = CSVDialect()
    ) -> Int? {
        let bytes = Bytes(record)
        defer { withExtendedLifetime(bytes) {} }
        var scanner = CSVRecordScanner(dialect: dialect)
        let found = scanner.scan(bytes.filled, from: 0, isLast: true)
        #expect(found.kind == .fields)
        return likeness.strayOpening(among: scanner.fields, bytes.filled).map { $0 + 1 }
    }

    @Test func `rows inside a quoted cell are rows`() {
        let likeness = likeness()
        #expect(strayOpening("7,2026-03-01,\"bad,x,1\n8,2026-03-02,good\",x,2\n", likeness) == 14)
        #expect(strayOpening("7,2026-03-01,a,\"x,1\r\n8,2026-03-02,b,,\r\n9,2026-03-02,b,y\",2\r\n", likeness) == 16)
        // One that has a fault of its own does not make the others a note.
        #expect(strayOpening("7,2026-03-01,\"a,x,1\n8,soon,b,x,3\n9,2026-03-02,b\",x,2\n", likeness) == 14)
        #expect(strayOpening("\"7,2026-03-01,a,x,1\n8\",2026-03-02,b,x,2\n", likeness) == 1)
        // Of a line that lacks cells, one row is no proof.
        #expect(strayOpening("7,2026-03-01,\"bad\n8,2026-03-02,good\",x,2\n", likeness) == nil)
        #expect(strayOpening("7,2026-03-01,\"bad\n8,2026-03-02,b,x,3\n9,2026-03-02,good\",x,2\n", likeness) == 14)
    }

    @Test(arguments: ["||", "--", "|-|"]) func `delimiters of several characters may overlap`(_ delimiter: String) {
        var random = SeededGenerator(seed: 5)
        var dialect = CSVDialect()
        dialect.delimiter = Array(delimiter.utf8)[0]
        dialect.delimiterTail = DelimiterTail(delimiter.utf8.dropFirst())
        func row(_ cells: [String]) -> String { cells.joined(separator: delimiter) + "\n" }
        let likeness = likeness((1...20).map { row(["\($0)", "x\($0)", "y"]) }.joined(), width: 3, dialect: dialect)
        let bad = row(["7", "\"a", "y"]) + row(["8", "x8", "y"]) + row(["9", "b\"", "y"])
        #expect(strayOpening(bad, likeness, dialect: dialect) == 2 + delimiter.utf8.count)
        #expect(strayOpening(row(["7", "\"a\n\(delimiter)|\"", "y"]), likeness, dialect: dialect) == nil)
        let pieces = Array(delimiter).map(String.init) + ["a", "7", "\n", delimiter]
        for _ in 0..<2_000 {
            let note = (0..<Int.random(in: 1...12, using: &random)).map { _ in pieces.randomElement(using: &random)! }
                .joined()
            _ = strayOpening(row(["7", "\"\(note)\"", "y"]), likeness, dialect: dialect)
        }
    }

    @Test func `notes are not rows`() {
        let likeness = likeness()
        #expect(strayOpening("7,2026-03-01,a,\"one\ntwo\",1\n", likeness) == nil)
        #expect(strayOpening("7,2026-03-01,a,\"one, two, three, four\nfive, six, seven, eight\",1\n", likeness) == nil)
        #expect(strayOpening("7,2026-03-01,a,\"3, 2, 1\n3, 2, 1, 0\n1, 2, 3, 4, 5, 6\",1\n", likeness) == nil)
        #expect(strayOpening("7,2026-03-01,a,\"\n\n\n\",1\n", likeness) == nil)
        #expect(strayOpening("7,2026-03-01,a,\"one, 8, 2026-03-02, x, 1\nend\",1\n", likeness) == nil)
    }

    @Test func `long notes with many commas and numbers are not rows`() {
        var random = SeededGenerator(seed: 3)
        let likeness = likeness()
        let words = ["비가", "rain", "3", "2026", "7:30", "50%", "a", ",", ",", ",", "1,", "(2)"]
        for _ in 0..<4_000 {
            let lines = (0..<Int.random(in: 2...5, using: &random)).map { _ in
                (0..<Int.random(in: 0...9, using: &random)).map { _ in words.randomElement(using: &random)! }
                    .joined(separator: " ")
            }
            let note = lines.joined(separator: "\n")
            #expect(strayOpening("7,2026-03-01,a,\"\(note)\",1\n", likeness) == nil, "\(note), \(random)")
        }
    }

    @Test func `a few rows, words and two columns tell nothing`() {
        let swallowed = "7,2026-03-01,\"bad,x,1\n8,2026-03-02,good\",x,2\n"
        #expect(strayOpening(swallowed, likeness("1,2026-03-01,a,b,2\n")) == nil)
        let words = String(repeating: "a,b,c,d,e\n", count: 20)
        #expect(strayOpening("a,b,\"c,d,e\na,b,c\",d,e\n", likeness(words)) == nil)
        let pairs = (1...20).map { "\($0),x\n" }.joined()
        #expect(strayOpening("7,\"x\n8,y\"\n", likeness(pairs, width: 2)) == nil)
    }

    @Test(arguments: [
        // A number with a comma in it, an empty cell too many, a comma behind the last cell.
        ("7,2026-03-01,a,note,1,000", 22), ("7,,2026-03-01,a,note,1", 3),
        ("7,2026-03-01,a,note,1,", 22),
        // Two cells without a comma between them, and one that is not there at all.
        ("72026-03-01,a,note,1", 1), ("7,2026-03-01a,note,1", 3), ("7,a,note,1", 3),
        // A note of two lines before the fault.
        ("7,2026-03-01,a,\"one\ntwo\",1,", 27), ("7,2026-03-01,a,\"one\ntwo\"", 24),
    ]) func `a row of one cell too many or too few goes wrong at its fault`(row: String, place: Int) {
        let bytes = Bytes(row)
        defer { withExtendedLifetime(bytes) {} }
        var scanner = CSVRecordScanner(dialect: CSVDialect())
        _ = scanner.scan(bytes.filled, from: 0, isLast: true)
        let cells = scanner.fields.map { $0.isQuoted ? $0.start - 1..<$0.end + 1 : $0.start..<$0.end }
        #expect(likeness().fault(of: cells, in: bytes.filled).map { $0 + 1 } == place)
    }
}

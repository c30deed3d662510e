import Testing

@testable import DaybookCore
@testable import DaybookPipeline

struct RejectColumnsTests {
    private static let subjects = [
        Finding.Subject(kind: Finding.Kind("odd-value", "{value} is odd"), column: "count"),
        Finding.Subject(kind: Finding.Kind("odd-row", "the row is odd"), column: nil),
    ]

    /// The rows that come of facts, as lists of their cells.
    private func rows(_ names: [String], _ facts: [FindingFacts]) throws -> [[String?]] {
        let schema = RejectColumns.schemaWithRule.selecting(.some(Set(names)))
        let subjects = Self.subjects.map { (phrase: FindingPhrase($0), rule: $0.column.map { "\($0)-rule" }) }
        var columns = RejectColumns(schema, subjects, stage: "check", jobLine: 7, count: facts.count)
        for fact in facts { columns.append(fact) }
        let batch = columns.batch()
        let places = try names.map { try #require(schema.index(of: $0)) }
        return (0..<batch.count).map { row in
            places.map { place in
                switch batch.columns[place] {
                case .text(let column): column[row]
                case .integers(let values): values.missing.isMissing(row) ? nil : "\(values.elements[row])"
                default: "of another kind"
                }
            }
        }
    }

    /// Facts whose texts stand in `room`, which outlives them.
    private func facts(
        _ subject: Int,
        in room: Bytes,
        source: String? = nil,
        value: [UInt8]? = nil,
        line: Int? = nil
    ) -> FindingFacts {
        var facts = FindingFacts(about: subject)
        func cell(_ bytes: [UInt8]) -> Cell {
            let start = room.count
            bytes.withUnsafeBufferPointer { room.append($0) }
            return Cell(start: room.base + start, count: bytes.count)
        }
        facts.source = source.map { cell(Array($0.utf8)) }
        facts.value = value.map(cell)
        facts.line = line
        return facts
    }

    @Test func eachRowHasItsFactsAndItsGaps() throws {
        let room = Bytes(capacity: 1 << 10)
        let found = [
            facts(0, in: room, source: "a.csv", value: Array("3".utf8), line: 2),
            facts(1, in: room, source: "a.csv", line: 3),
            facts(0, in: room, source: "b.csv"),
        ]
        let names = ["code", "message", "rule", "stage", "job_line", "source", "line", "field", "value"]
        let expected: [[String?]] = [
            ["odd-value", "'3' is odd", "count-rule", "check", "7", "a.csv", "2", "count", "3"],
            ["odd-row", "the row is odd", nil, "check", "7", "a.csv", "3", nil, nil],
            ["odd-value", "a missing value is odd", "count-rule", "check", "7", "b.csv", nil, "count", nil],
        ]
        #expect(try rows(names, found) == expected)
        withExtendedLifetime(room) {}
    }

    @Test func onlyTheColumnsThatAreReadAreMade() throws {
        let room = Bytes(capacity: 1 << 10)
        #expect(try rows(["value", "line"], [facts(0, in: room, value: Array("3".utf8), line: 2)]) == [["3", "2"]])
        #expect(try rows([], [facts(1, in: room), facts(1, in: room)]) == [[], []])
        withExtendedLifetime(room) {}
    }

    @Test func whatIsNoTextIsReplacedAndWhatIsLongIsCutInMessages() throws {
        let room = Bytes(capacity: 1 << 10)
        let long = String(repeating: "행", count: 40)
        let found = [facts(0, in: room, value: [0x61, 0xFF]), facts(0, in: room, value: Array(long.utf8))]
        let expected: [[String?]] = [
            ["a\u{FFFD}", "'a\u{FFFD}' is odd"],
            [long, "'\(String(repeating: "행", count: 26))…' is odd"],
        ]
        #expect(try rows(["value", "message"], found) == expected)
        withExtendedLifetime(room) {}
    }
}

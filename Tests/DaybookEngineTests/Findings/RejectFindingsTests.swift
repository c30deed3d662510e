import Testing

@testable import DaybookContracts
@testable import DaybookEngine
@testable import DaybookValues

struct RejectFindingsTests {
    private static let subjects = [
        Finding.Subject(kind: Finding.Kind("odd-value", "{value} is odd"), column: "count"),
        Finding.Subject(kind: Finding.Kind("odd-row", "the row is odd"), column: nil),
    ]

    /// The rows that come of facts, as lists of their cells.
    private func rows(_ names: [String], _ facts: [ResolvedFinding]) throws -> [[String?]] {
        let schema = RejectColumns.schema.selecting(.some(Set(names)))
        let phrases = Self.subjects.map { MessageTemplate($0) }
        var rows = RejectFindings(schema, phrases, count: facts.count, in: Bytes())
        for fact in facts { rows.append(fact) }
        let columns = rows.columns()
        let places = try names.map { try #require(schema.index(of: $0)) }
        return facts.indices.map { row in
            places.map { place in
                switch columns[place] {
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
    ) -> ResolvedFinding {
        var facts = ResolvedFinding(about: subject)
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
        let expected: [[String?]] = [
            ["'3' is odd", "a.csv", "2", "3"],
            ["the row is odd", "a.csv", "3", nil],
            ["a missing value is odd", "b.csv", nil, nil],
        ]
        #expect(try rows(["message", "source", "line", "value"], found) == expected)
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

import DaybookTestSupport
import Foundation
import Testing

@testable import DaybookContracts
@testable import DaybookQuality

/// Rules that are judged for each group, when groups are many or spread over processes.
@Suite struct GroupFigureTests {
    private typealias Figures = GroupFigures<RowCount>

    private static func figures() -> Figures {
        var reader = OptionReader.listening()
        return Figures(rule: RowCount(reading: &reader), by: [ColumnName("n")])
    }

    private static func partial(_ numbers: ClosedRange<Int64>, _ figures: Figures) throws -> GroupMemories<
        RowCount.Memory
    > {
        let elements = Array(numbers)
        let column = Column.integers(Values(elements))
        let batch = Batch(Schema([Field("n", .integer)]), [column], count: elements.count, provenance: .made)
        var breaches: [Breach] = []
        return try figures.partial(of: CheckedRows(batch: batch), reporting: &breaches)
    }

    @Test("groups of two parts meet by their keys, also through bytes")
    func merge() throws {
        let figures = Self.figures()
        var all = try Self.partial(1...3, figures)
        let later = try Self.partial(3...4, figures)
        let bytes = try JSONEncoder().encode(later)
        let copy = try JSONDecoder().decode(GroupMemories<RowCount.Memory>.self, from: bytes)
        try figures.merge(copy, into: &all, scratch: MemoryScratch(memoryLimit: 1 << 20))
        let groups = all.groups.values.sorted { $0.met < $1.met }
        #expect(groups.map(\.values) == [["1"], ["2"], ["3"], ["4"]])
        #expect(groups.map(\.memory.rows) == [1, 1, 2, 1])
        #expect(groups.map(\.met) == [0, 1, 2, 4])
    }

    @Test("too many groups are refused")
    func tooMany() throws {
        let figures = Self.figures()
        var all = try Self.partial(1...60_000, figures)
        #expect(throws: DaybookError.self) {
            try figures.merge(
                try Self.partial(60_001...120_000, figures),
                into: &all,
                scratch: MemoryScratch(memoryLimit: 1 << 30)
            )
        }
    }
}

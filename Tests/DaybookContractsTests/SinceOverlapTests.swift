import DaybookContracts
import Testing

@Suite struct SinceOverlapTests {
    @Test(
        "a time that lies so far before has the form of the mark",
        arguments: [
            ("2026-03-01", 86_400, "2026-02-28"), ("2026-03-01", 3_600, "2026-02-28"),
            ("2026-03-01T01:00:00Z", 7_200, "2026-02-28T23:00:00Z"),
            ("2026-03-01 01:00", 90 * 60, "2026-02-28 23:30"),
            ("2026-03-01 00:00:00.250+09:00", 1, "2026-02-28 23:59:59.250+09:00"),
            ("2024-03-01T00:00:00", 86_400, "2024-02-29T00:00:00"), ("0001-01-02", 86_400 * 30, "0001-01-01"),
            ("yesterday", 60, nil), ("2026-13-01", 60, nil), ("2026-03-01T25:00", 60, nil), ("2026-03-01T", 60, nil),
            ("", 60, nil),
        ] as [(String, Int64, String?)]
    )
    func times(_ mark: String, _ seconds: Int64, _ start: String?) {
        #expect(SinceOverlap(.seconds(seconds), key: "id").start(before: .text(mark)) == start.map(StoreValue.text))
    }

    @Test func numbersStayNumbers() {
        #expect(SinceOverlap(.whole(10), key: "id").start(before: .integer(15)) == .integer(5))
        #expect(SinceOverlap(.whole(10), key: "id").start(before: .integer(.min + 5)) == .integer(.min))
        #expect(SinceOverlap(.decimal(0.5), key: "id").start(before: .decimal(2)) == .decimal(1.5))
        #expect(SinceOverlap(.seconds(10), key: "id").start(before: .integer(15)) == nil)
        #expect(SinceOverlap(.whole(10), key: "id").start(before: .text("2026-03-01")) == nil)
    }
}

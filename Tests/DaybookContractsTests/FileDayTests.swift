import DaybookTestSupport
import Testing

@testable import DaybookContracts

/// Days that stand in the names of files.
@Suite struct FileDayTests {
    private func pattern(_ text: String) throws -> DayPattern {
        try DayPattern(text, at: SourcePlace(file: "job.yaml", line: 1, column: 1))
    }

    @Test(arguments: [
        ("orders-{yyyy-MM-dd}.csv", "orders-2026-10-01.csv", "2026-10-01"),
        ("orders-{yyyy-MM-dd}.csv", "orders-2026-10-01.csv.gz", nil),
        ("orders-{yyyy-MM-dd}.csv", "orders-2026-13-01.csv", nil),
        ("orders-{yyyy-MM-dd}.csv", "orders-2026-02-30.csv", nil),
        ("*{yyyyMMdd}*", "shop-20261001-late.csv", "2026-10-01"),
        // The first eight digits are no day; those behind them are one.
        ("*{yyyyMMdd}*", "99999999-20261001.csv", "2026-10-01"),
        ("*{yyyyMMdd}*", "7720261001.csv", "2026-10-01"),
        ("{dd.MM.yyyy} 매출.csv", "01.10.2026 매출.csv", "2026-10-01"),
        ("{yyyy}_*_{MM}{dd}", "2026_b_x_1001", "2026-10-01"),
        ("{yyyy-MM-dd}", "", nil),
    ])
    func days(_ text: String, _ name: String, _ day: String?) throws {
        #expect(try pattern(text).day(of: Array(name.utf8))?.description == day)
    }

    @Test(arguments: [
        "orders.csv", "{yyyy-MM}.csv", "{yyyy-MM-dd}{dd}", "{yyyy-MM-dd", "yyyy-MM-dd}", "{{yyyy-MM-dd}}", "{yy-MM-dd}",
        "in/{yyyy-MM-dd}.csv", "",
    ])
    func whatIsNoPatternIsRefused(_ text: String) {
        #expect(throws: DaybookError.self) { try pattern(text) }
    }

    /// Every star may stand for every rest of the name; the time must not be the product of all of them.
    @Test func manyStarsEndSoon() throws {
        let stars = try pattern("{yyyyMMdd}" + String(repeating: "*a", count: 60) + "b")
        #expect(stars.day(of: Array(("20261001" + String(repeating: "a", count: 240)).utf8)) == nil)
        #expect(stars.day(of: Array(("20261001" + String(repeating: "a", count: 240) + "b").utf8)) != nil)
    }

    @Test func theDirectoryOfAPathIsNoPartOfItsName() throws {
        let day = FileDay(column: ColumnName("day"), pattern: try pattern("{yyyyMMdd}"))
        #expect(day.day(ofPath: "in/20261001")?.description == "2026-10-01")
        #expect(day.day(ofPath: "20261001/in") == nil)
    }
}

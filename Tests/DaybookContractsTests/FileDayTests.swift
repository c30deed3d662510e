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
        // Digits of the pattern stand beside no day, and a time may.
        ("77{yyyyMMdd}*", "7720261001.csv", "2026-10-01"),
        ("*{yyyyMMddHHmmss}*", "a-20261001123000.csv", "2026-10-01"),
        ("{yyyy-MM-dd}_{HH}*", "2026-10-01_23.csv", "2026-10-01"),
        // Twice the same day is that day.
        ("*{yyyyMMdd}*", "20261001/20261001_20261001.csv", "2026-10-01"),
        ("{dd.MM.yyyy} 매출.csv", "01.10.2026 매출.csv", "2026-10-01"),
        ("{yyyy}_*_{MM}{dd}", "2026_b_x_1001", "2026-10-01"),
        ("{yyyy-MM-dd}", "", nil),
    ])
    func days(_ text: String, _ name: String, _ day: String?) throws {
        #expect(try pattern(text).reading(ofPath: name).day?.description == day)
    }

    @Test(arguments: [
        ("*{yyyyMMdd}*.csv", "export_20261010_20261011.csv", DayPattern.Reading.several("2026-10-10", "2026-10-11")),
        ("*{yyyy-MM-dd}*.csv", "r-2026-02-30-2026-03-01.csv", .several("2026-02-30", "2026-03-01")),
        ("*{yyyy}*{MM}*{dd}", "2026_10_11_12", .several("2026-10-12", "2026-11-12")),
        ("*{yyyyMMdd}*.csv", "1999123120261010.csv", .beside("1999-12-31")),
        ("*{yyyyMMdd}*", "7720261001.csv", .beside("2026-10-01")),
        ("o-{yyyy-MM-dd}*.csv", "o-2026-10-122.csv", .beside("2026-10-12")),
        ("o*{yyyy-MM-dd}.csv", "o12026-10-12.csv", .beside("2026-10-12")),
        ("r-{yyyy-MM-dd}.csv", "r-2026-02-29.csv", .impossible("2026-02-29")),
        ("r-{yyyy-MM-dd}.csv", "r-2026-13-01.csv", .impossible("2026-13-01")),
        ("r-{yyyy-MM-dd}.csv", "r-2026-2-29.csv", .otherForm),
    ])
    func whatSaysNoDayOrSeveralSaysWhy(_ text: String, _ name: String, _ reading: DayPattern.Reading) throws {
        #expect(try pattern(text).reading(ofPath: name) == reading)
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
        #expect(stars.reading(ofPath: "20261001" + String(repeating: "a", count: 240)) == .otherForm)
        #expect(stars.reading(ofPath: "20261001" + String(repeating: "a", count: 240) + "b").day != nil)
    }

    @Test func theDirectoryOfAPathIsNoPartOfItsName() throws {
        let day = FileDay(column: ColumnName("day"), pattern: try pattern("{yyyyMMdd}"))
        #expect(day.day(ofPath: "in/20261001")?.description == "2026-10-01")
        #expect(day.day(ofPath: "20261001/in") == nil)
    }
}

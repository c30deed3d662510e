import DaybookContracts
import Testing

@Suite struct CalendarDayTests {
    @Test func `every day of the years 1 to 9999 goes there and back, both ways`() {
        var expected: Int32 = -719_162
        var weekday = 1
        for year in 1...9_999 {
            for month in 1...12 {
                for day in 1...CalendarDay.length(ofMonth: month, year: year) {
                    let civil = CivilDate(day: expected)
                    let components = CalendarDay(number: expected).components
                    guard CalendarDay.number(year: year, month: month, day: day) == expected,
                        CivilDate.number(year: Int32(year), month: Int32(month), day: Int32(day)) == expected,
                        civil == CivilDate(year: Int32(year), month: Int32(month), day: Int32(day)),
                        components == (year, month, day), CalendarDay(number: expected).weekday == weekday
                    else {
                        Issue.record("day \(expected) is not \(year)-\(month)-\(day): \(civil), \(components)")
                        return
                    }
                    expected += 1
                    weekday = weekday % 7 + 1
                }
            }
        }
        #expect(expected == 2_932_897)
    }

    @Test func `only days of the calendar exist`() {
        #expect(CivilDate.exists(year: 2024, month: 2, day: 29))
        #expect(!CivilDate.exists(year: 2026, month: 2, day: 29))
        #expect(!CivilDate.exists(year: 1900, month: 2, day: 29))
        #expect(CivilDate.exists(year: 2000, month: 2, day: 29))
        for (year, month, day) in [(0, 1, 1), (10_000, 1, 1), (2026, 0, 1), (2026, 13, 1), (2026, 4, 31), (2026, 1, 0)]
        {
            #expect(!CivilDate.exists(year: Int32(year), month: Int32(month), day: Int32(day)))
        }
    }

    @Test(arguments: [Int32.min, -719_163, -719_529, 0, 2_932_896, 2_932_897, .max])
    func `the narrow civil date agrees with the wide one for any day`(_ number: Int32) {
        let (year, month, day) = CalendarDay(number: number).components
        #expect(CivilDate(day: number) == CivilDate(year: Int32(year), month: Int32(month), day: Int32(day)))
    }
}

import Foundation
import Testing

@testable import DaybookContracts
@testable import DaybookDates
@testable import DaybookValues

@Suite struct KoreanLunarCalendarTests {
    private func lunar(_ year: Int32, _ month: Int32, _ day: Int32, leap: Bool = false) -> LunarDate {
        LunarDate(year: year, month: month, day: day, isLeapMonth: leap)
    }

    private func day(_ year: Int32, _ month: Int32, _ day: Int32, leap: Bool = false) -> String? {
        KoreanLunarCalendar.day(of: lunar(year, month, day, leap: leap)).map { CalendarDay(number: $0).description }
    }

    private func kept(_ date: LunarDate, in year: Int32) -> String? {
        KoreanLunarCalendar.day(keeping: date, in: year).map { CalendarDay(number: $0).description }
    }

    /// Seollal (1st of the 1st month), the Buddha's birthday (8th of the 4th) and Chuseok (15th of the 8th).
    ///
    /// Public holidays of South Korea as its government fixed them, from the tests of the Python package `holidays`
    /// (github.com/vacanza/holidays, tests/countries/test_south_korea.py, commit 02a7a97e14df08dd7a2f5df075c8b291b10d9d0f);
    /// the dates that it leaves out (Chuseok 2006 to 2009 and from 2024, Seollal 2006, 2007 and from 2024) from the tables of
    /// the Korea Astronomy and Space Science Institute (KASI) in the Python package `korean_lunar_calendar` 0.4.0.
    static let published = [
        "2006-01-29 2006-05-05 2006-10-06", "2007-02-18 2007-05-24 2007-09-25", "2008-02-07 2008-05-12 2008-09-14",
        "2009-01-26 2009-05-02 2009-10-03", "2010-02-14 2010-05-21 2010-09-22", "2011-02-03 2011-05-10 2011-09-12",
        "2012-01-23 2012-05-28 2012-09-30", "2013-02-10 2013-05-17 2013-09-19", "2014-01-31 2014-05-06 2014-09-08",
        "2015-02-19 2015-05-25 2015-09-27", "2016-02-08 2016-05-14 2016-09-15", "2017-01-28 2017-05-03 2017-10-04",
        "2018-02-16 2018-05-22 2018-09-24", "2019-02-05 2019-05-12 2019-09-13", "2020-01-25 2020-04-30 2020-10-01",
        "2021-02-12 2021-05-19 2021-09-21", "2022-02-01 2022-05-08 2022-09-10", "2023-01-22 2023-05-27 2023-09-29",
        "2024-02-10 2024-05-15 2024-09-17", "2025-01-29 2025-05-05 2025-10-06", "2026-02-17 2026-05-24 2026-09-25",
        "2027-02-07 2027-05-13 2027-09-15", "2028-01-27 2028-05-02 2028-10-03", "2029-02-13 2029-05-20 2029-09-22",
    ]

    @Test("Seollal, the Buddha's birthday and Chuseok fall on their published days", arguments: published)
    func holidays(_ dates: String) throws {
        let days = dates.split(separator: " ").map(String.init)
        let year = try #require(Int32(dates.prefix(4)))
        #expect([day(year, 1, 1), day(year, 4, 8), day(year, 8, 15)] == days)
    }

    /// The traditional days that KASI gave to the press with its almanac of each year (월력요항), as reported by Hankyoreh
    /// (2017), Chungcheong Today (2018), Aju Business Daily (2019), Edaily (2020) and Gyeongnam News (2025).
    @Test(arguments: [
        ("2017-02-11", 1, 15), ("2017-05-30", 5, 5), ("2017-08-28", 7, 7), ("2018-02-16", 1, 1), ("2018-03-02", 1, 15),
        ("2018-06-18", 5, 5), ("2018-08-17", 7, 7), ("2018-09-24", 8, 15), ("2019-02-05", 1, 1), ("2019-02-19", 1, 15),
        ("2019-06-07", 5, 5), ("2019-08-07", 7, 7), ("2019-09-13", 8, 15), ("2020-01-25", 1, 1), ("2020-02-08", 1, 15),
        ("2020-06-25", 5, 5), ("2020-08-25", 7, 7), ("2020-10-01", 8, 15), ("2025-01-29", 1, 1), ("2025-02-12", 1, 15),
        ("2025-05-31", 5, 5), ("2025-08-29", 7, 7), ("2025-10-06", 8, 15),
    ])
    func `the traditional days of KASI's almanacs fall on their dates`(_ date: String, _ month: Int32, _ day: Int32)
        throws
    {
        let number = try #require(CalendarDay(iso: date)).number
        #expect(KoreanLunarCalendar.date(ofDay: number) == lunar(Int32(date.prefix(4))!, month, day))
    }

    /// From KASI's page of calendar data, astro.kasi.re.kr/life/post/calendarData, made on 1 July 2025.
    @Test func `the months of 2027 begin and last as KASI publishes them`() {
        let starts = [
            "2027-02-07", "2027-03-08", "2027-04-07", "2027-05-06", "2027-06-05", "2027-07-04", "2027-08-02",
            "2027-09-01", "2027-09-30", "2027-10-29", "2027-11-28", "2027-12-28",
        ]
        let long: Set<Int32> = [2, 4, 7, 10, 11, 12]
        for month in 1...12 as ClosedRange<Int32> {
            #expect(day(2027, month, 1) == starts[Int(month) - 1])
            #expect((day(2027, month, 30) != nil) == long.contains(month))
        }
        #expect(KoreanLunarCalendar.leapMonth(of: 2027) == nil)
    }

    /// Each leap month with its first day. KASI's tables in `korean_lunar_calendar` 0.4.0; those of 2009, 2017, 2023, 2025
    /// and 2028 also stood in the press. China had other ones in 2012 and 2017, as its midnight is an hour later.
    @Test(arguments: [
        (1987, 6, "1987-07-26"), (1990, 5, "1990-06-23"), (1993, 3, "1993-04-22"), (1995, 8, "1995-09-25"),
        (1998, 5, "1998-06-24"), (2001, 4, "2001-05-23"), (2004, 2, "2004-03-21"), (2006, 7, "2006-08-24"),
        (2009, 5, "2009-06-23"), (2012, 3, "2012-04-21"), (2014, 9, "2014-10-24"), (2017, 5, "2017-06-24"),
        (2020, 4, "2020-05-23"), (2023, 2, "2023-03-22"), (2025, 6, "2025-07-25"), (2028, 5, "2028-06-23"),
        (2031, 3, "2031-04-22"), (2033, 11, "2033-12-22"),
    ])
    func `leap months stand where they were published`(_ year: Int32, _ month: Int32, _ first: String) throws {
        #expect(KoreanLunarCalendar.leapMonth(of: year) == month)
        #expect(day(year, month, 1, leap: true) == first)
        let number = try #require(CalendarDay(iso: first)).number
        #expect(KoreanLunarCalendar.date(ofDay: number) == lunar(year, month, 1, leap: true))
        #expect(KoreanLunarCalendar.date(ofDay: number - 1)?.month == month)
        #expect(KoreanLunarCalendar.date(ofDay: number - 1)?.isLeapMonth == false)
    }

    @Test func `between the leap months of these years there are no others`() {
        let leapYears = (1987...2033 as ClosedRange<Int32>).filter { KoreanLunarCalendar.leapMonth(of: $0) != nil }
        #expect(leapYears.count == 18)
    }

    @Test func `every day of the table goes there and back, one after another`() {
        var before: LunarDate?
        for number in KoreanLunarCalendar.days {
            guard let date = KoreanLunarCalendar.date(ofDay: number), KoreanLunarCalendar.day(of: date) == number else {
                Issue.record("day \(number) does not come back")
                return
            }
            if let before, date.day != 1 ? date.day != before.day + 1 || date.month != before.month : before.day < 29 {
                Issue.record("\(before) is followed by \(date)")
                return
            }
            before = date
        }
        #expect(before == lunar(2100, 12, 29))
    }

    @Test func `every new year from 1901 to 2099 goes there and back, and falls between 20 January and 21 February`() {
        for year in 1901...2099 as ClosedRange<Int32> {
            guard let number = KoreanLunarCalendar.day(of: lunar(year, 1, 1)) else {
                Issue.record("\(year) has no new year")
                continue
            }
            let civil = CivilDate(day: number)
            #expect(KoreanLunarCalendar.date(ofDay: number) == lunar(year, 1, 1))
            #expect(civil.year == year)
            #expect(civil.month == 1 ? civil.day >= 20 : civil.month == 2 && civil.day <= 21, "\(civil)")
            let eve = KoreanLunarCalendar.date(ofDay: number - 1)
            #expect(eve?.year == year - 1 && eve?.month == 12)
        }
    }

    @Test func `outside of the table nothing is known`() {
        for number in [Int32.min, -25_538, 47_875, .max] { #expect(KoreanLunarCalendar.date(ofDay: number) == nil) }
        for year in [Int32.min, 0, 1899, 2101, .max] {
            #expect(day(year, 1, 1) == nil && kept(lunar(2000, 1, 1), in: year) == nil)
            #expect(KoreanLunarCalendar.leapMonth(of: year) == nil)
        }
        let bad: [(Int32, Int32)] = [(0, 1), (13, 1), (1, 0), (1, 31), (.min, 1), (.max, 1), (1, .min), (1, .max)]
        for (month, day) in bad {
            #expect(KoreanLunarCalendar.day(of: lunar(2020, month, day)) == nil)
            #expect(KoreanLunarCalendar.day(keeping: lunar(2020, month, day), in: 2021) == nil)
        }
        #expect(day(2020, 5, 1, leap: true) == nil)
        #expect(day(2020, 12, 30) == "2021-02-11" && day(2021, 12, 30) == nil)
    }

    @Test func `a date that comes back is kept where people keep it`() {
        // The thirtieth of a month that has 29 days this year.
        #expect(kept(lunar(2020, 12, 30), in: 2021) == "2022-01-31")
        // A leap month: the ordinary month of that number, and the leap month itself when there is one.
        #expect(kept(lunar(2020, 4, 10, leap: true), in: 2020) == "2020-06-01")
        #expect(kept(lunar(2020, 4, 10, leap: true), in: 2021) == day(2021, 4, 10))
        #expect(kept(lunar(1982, 4, 10, leap: true), in: 2001) == day(2001, 4, 10, leap: true))
        // An ordinary month stays one in a year that has it twice.
        #expect(kept(lunar(2019, 4, 10), in: 2020) == "2020-05-02")
    }

    /// Who mends the table draws it with this; the message of a failure says the right word.
    @Test func `the table is Foundation's, but for the one month in which Foundation has a day 0`() {
        var calendar = Calendar(identifier: .dangi)
        calendar.timeZone = .gmt
        func date(_ number: Int32) -> (month: Int, isLeap: Bool, day: Int) {
            let parts = calendar.dateComponents(
                [.month, .day],
                from: Date(timeIntervalSince1970: Double(number) * 86_400 + 43_200)
            )
            return (parts.month ?? 0, parts.isLeapMonth ?? false, parts.day ?? 0)
        }
        let dayZero: Int32 = 46_399
        #expect(date(dayZero) == (12, false, 0) && CalendarDay(number: dayZero).description == "2097-01-13")
        var number = KoreanLunarCalendar.days.lowerBound
        var word: UInt32 = 0
        var place: UInt32 = 0
        var drawn: [UInt32] = []
        // One look into the middle of each month tells where it begins.
        while number <= KoreanLunarCalendar.days.upperBound + 1 {
            let middle = date(number + 14)
            let isMended = number == dayZero
            #expect(middle.day == (isMended ? 14 : 15), "no month begins on day \(number)")
            if middle.month == 1, !middle.isLeap {
                if place > 0 { drawn.append(word) }
                let civil = CivilDate(day: number)
                word = UInt32(number - CivilDate.number(year: civil.year, month: 1, day: 1)) << 17
                place = 0
            }
            let last = date(number + 29).day
            let isLong = isMended ? last == 29 : last == 30
            word |= (middle.isLeap ? UInt32(middle.month) << 13 : 0) | (isLong ? 1 << place : 0)
            place += 1
            number += isLong ? 30 : 29
        }
        #expect(drawn.count == KoreanLunarCalendar.years.count)
        for (year, word) in zip(KoreanLunarCalendar.years, drawn) {
            let stored = KoreanLunarCalendar.table[Int(year - KoreanLunarCalendar.years.lowerBound)]
            #expect(stored == word, "\(year): 0x\(String(word, radix: 16, uppercase: true))")
        }
    }
}

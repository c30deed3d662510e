/// Finds the occurrences of a day that comes back every year, by the Gregorian or the Korean lunar calendar.
struct YearlyDay: BitwiseCopyable {
    /// Where 29 February falls in years that have none.
    enum LeapDay: String, OptionChoice, BitwiseCopyable { case feb28, mar1 }

    let leapDay: LeapDay

    /// The first occurrence of `day` on or after `anchor`; the first of all is the day itself.
    @inline(__always)
    func occurrence(of day: Int32, onOrAfter anchor: Int32) -> Int32 {
        guard day < anchor else { return day }
        let year = CivilDate(day: anchor).year
        let date = CivilDate(day: day)
        let occurrence = number(of: date, in: year)
        return occurrence >= anchor ? occurrence : number(of: date, in: year &+ 1)
    }

    /// The same by the Korean lunar calendar; nil when its table does not reach as far.
    static func lunarOccurrence(of day: Int32, onOrAfter anchor: Int32) -> Int32? {
        guard day < anchor else { return day }
        guard let date = KoreanLunarCalendar.date(ofDay: day),
            let year = KoreanLunarCalendar.date(ofDay: anchor)?.year,
            let occurrence = KoreanLunarCalendar.day(keeping: date, in: year)
        else { return nil }
        return occurrence >= anchor ? occurrence : KoreanLunarCalendar.day(keeping: date, in: year + 1)
    }

    /// Where a date falls in a year.
    @inline(__always)
    func number(of date: CivilDate, in year: Int32) -> Int32 {
        if date.month == 2, date.day == 29, !CalendarDay.isLeap(Int(year)) {
            return leapDay == .feb28
                ? CalendarDay.number(year: Int(year), month: 2, day: 28)
                : CalendarDay.number(year: Int(year), month: 3, day: 1)
        }
        return CalendarDay.number(year: Int(year), month: Int(date.month), day: Int(date.day))
    }
}

/// By which calendar a day comes back every year.
enum DayCalendar: String, OptionChoice, BitwiseCopyable {
    case gregorian
    case koreanLunar = "korean_lunar"

    static var otherWords: [String: String] {
        ["lunar": "korean_lunar", "dangi": "korean_lunar", "korean": "korean_lunar", "solar": "gregorian"]
    }

    /// What is said of a day that the lunar calendar's table does not reach.
    static let outside = Finding.Kind(
        "outside-the-lunar-calendar",
        "{value} cannot be counted by the Korean lunar calendar, which is known for its years 1900 to 2100"
    )
}

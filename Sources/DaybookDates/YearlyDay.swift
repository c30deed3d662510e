/// Finds the occurrences of a yearly day, by the Gregorian or the Korean lunar calendar.
public struct YearlyDay: Sendable, BitwiseCopyable {
    /// Where 29 February falls in years that have none.
    public enum LeapDay: String, OptionChoice, BitwiseCopyable { case feb28, mar1 }

    public let leapDay: LeapDay

    @inlinable
    public init(leapDay: LeapDay) { self.leapDay = leapDay }

    /// The first occurrence of `day` on or after `anchor`; the first of all is the day itself.
    @inlinable
    @inline(__always)
    public func occurrence(of day: Int32, onOrAfter anchor: Int32) -> Int32 {
        guard day < anchor else { return day }
        let year = CivilDate(day: anchor).year
        let date = CivilDate(day: day)
        let occurrence = number(of: date, in: year)
        return occurrence >= anchor ? occurrence : number(of: date, in: year &+ 1)
    }

    /// The same by the Korean lunar calendar; nil outside its table.
    public static func lunarOccurrence(of day: Int32, onOrAfter anchor: Int32) -> Int32? {
        guard day < anchor else { return day }
        guard let date = KoreanLunarCalendar.date(ofDay: day),
            let year = KoreanLunarCalendar.date(ofDay: anchor)?.year,
            let occurrence = KoreanLunarCalendar.day(keeping: date, in: year)
        else { return nil }
        return occurrence >= anchor ? occurrence : KoreanLunarCalendar.day(keeping: date, in: year + 1)
    }

    /// Where a date falls in a year.
    @inlinable
    @inline(__always)
    public func number(of date: CivilDate, in year: Int32) -> Int32 {
        if date.month == 2, date.day == 29, !CalendarDay.isLeap(Int(year)) {
            return leapDay == .feb28
                ? CivilDate.number(year: year, month: 2, day: 28) : CivilDate.number(year: year, month: 3, day: 1)
        }
        return CivilDate.number(year: year, month: date.month, day: date.day)
    }
}

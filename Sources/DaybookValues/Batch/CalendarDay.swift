/// A day of the proleptic Gregorian calendar, counted from 1970-01-01, which is day 0.
public struct CalendarDay: Sendable, Hashable, Comparable, BitwiseCopyable {
    /// Days since 1970-01-01.
    public let number: Int32

    /// The days of the years 1 to 9999.
    @inlinable
    public static var range: ClosedRange<Int32> { -719_162...2_932_896 }

    @inlinable
    public init(number: Int32) { self.number = number }

    /// The day of that date, or nil when there is no such day, such as 30 February. Years are 1 to 9999.
    @inlinable
    public init?(year: Int, month: Int, day: Int) {
        guard year >= 1, year <= 9999, month >= 1, month <= 12, day >= 1,
            day <= CalendarDay.length(ofMonth: month, year: year)
        else { return nil }
        number = CalendarDay.number(year: year, month: month, day: day)
    }

    /// Reads `2026-11-21`, exactly so; anything else is nil.
    public init?(iso text: String) {
        var text = text
        guard let number = text.withUTF8({ CellReading.day($0) }) else { return nil }
        self.init(number: number)
    }

    @inlinable
    public static func < (first: CalendarDay, second: CalendarDay) -> Bool { first.number < second.number }

    @inlinable
    public static func isLeap(_ year: Int) -> Bool {
        year % 4 == 0 && (year % 100 != 0 || year % 400 == 0)
    }

    /// How many days the month has: 28 to 31.
    @inlinable
    public static func length(ofMonth month: Int, year: Int) -> Int {
        // 31 for odd months up to July and even ones from August on, without a table to load.
        month == 2 ? (isLeap(year) ? 29 : 28) : 30 + ((month + (month >> 3)) & 1)
    }

    /// The number of a date that is known to exist, in years 0 to 9999.
    @inlinable
    public static func number(year: Int, month: Int, day: Int) -> Int32 {
        CivilDate.number(
            year: Int32(truncatingIfNeeded: year),
            month: Int32(truncatingIfNeeded: month),
            day: Int32(truncatingIfNeeded: day)
        )
    }

    /// Year, month (1 to 12) and day (1 to 31).
    @inlinable
    public var components: (year: Int, month: Int, day: Int) {
        let date = CivilDate(day: number)
        return (Int(date.year), Int(date.month), Int(date.day))
    }

    /// Monday is 1 and Sunday is 7, as in ISO 8601.
    @inlinable
    public var weekday: Int {
        let shifted = (Int(number) &+ 3) % 7
        return (shifted < 0 ? shifted &+ 7 : shifted) &+ 1
    }
}

extension CalendarDay: CustomStringConvertible {
    /// `2026-11-21`.
    public var description: String {
        let (year, month, day) = components
        func padded(_ value: Int, _ width: Int) -> String {
            let digits = String(value)
            return String(repeating: "0", count: max(0, width - digits.count)) + digits
        }
        return "\(padded(year, 4))-\(padded(month, 2))-\(padded(day, 2))"
    }
}

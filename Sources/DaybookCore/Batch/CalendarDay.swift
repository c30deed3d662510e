/// A day of the proleptic Gregorian calendar, counted from 1970-01-01, which is day 0.
public struct CalendarDay: Sendable, Hashable, Comparable, BitwiseCopyable {
    /// Days since 1970-01-01.
    public let number: Int32

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

    /// The number of a date that is known to exist.
    ///
    /// Source: Howard Hinnant, "chrono-Compatible Low-Level Date Algorithms", `days_from_civil`.
    @inlinable
    public static func number(year: Int, month: Int, day: Int) -> Int32 {
        let shifted = month <= 2 ? year &- 1 : year
        let era = shifted / 400
        let yearOfEra = shifted &- era &* 400
        let dayOfYear = (153 &* (month &+ (month > 2 ? -3 : 9)) &+ 2) / 5 &+ day &- 1
        let dayOfEra = yearOfEra &* 365 &+ yearOfEra / 4 &- yearOfEra / 100 &+ dayOfYear
        return Int32(truncatingIfNeeded: era &* 146_097 &+ dayOfEra &- 719_468)
    }

    /// Year, month (1 to 12) and day (1 to 31).
    ///
    /// Source: Howard Hinnant, "chrono-Compatible Low-Level Date Algorithms", `civil_from_days`.
    @inlinable
    public var components: (year: Int, month: Int, day: Int) {
        let shifted = Int(number) &+ 719_468
        let era = (shifted >= 0 ? shifted : shifted &- 146_096) / 146_097
        let dayOfEra = shifted &- era &* 146_097
        let yearOfEra = (dayOfEra &- dayOfEra / 1_460 &+ dayOfEra / 36_524 &- dayOfEra / 146_096) / 365
        let dayOfYear = dayOfEra &- (365 &* yearOfEra &+ yearOfEra / 4 &- yearOfEra / 100)
        let shiftedMonth = (5 &* dayOfYear &+ 2) / 153
        let day = dayOfYear &- (153 &* shiftedMonth &+ 2) / 5 &+ 1
        let month = shiftedMonth < 10 ? shiftedMonth &+ 3 : shiftedMonth &- 9
        return (yearOfEra &+ era &* 400 &+ (month <= 2 ? 1 : 0), month, day)
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

/// What one part of a date's text stands for; the raw value is its place among the read fields.
public enum DateField: UInt8, Sendable, Hashable, CaseIterable, BitwiseCopyable {
    case year, month, day, weekday, dayPeriod, hour, minute, second, micros, offset, era

    /// How messages name it.
    public var spoken: String {
        switch self {
        case .year: "the year"
        case .month: "the month"
        case .day: "the day"
        case .weekday: "the weekday"
        case .dayPeriod: "the half of the day"
        case .hour: "the hour"
        case .minute: "the minute"
        case .second: "the second"
        case .micros: "the fraction of a second"
        case .offset: "the offset from UTC"
        case .era: "the era"
        }
    }
}

/// How a pattern counts the hours of a day.
public enum HourClock: UInt8, Sendable, Hashable, BitwiseCopyable {
    /// The letter `H`.
    case zeroTo23
    /// The letter `h`.
    case oneTo12
    /// The letter `k`.
    case oneTo24
    /// The letter `K`.
    case zeroTo11
}

/// The fields that were read from one text, before anything is known of their worth.
///
/// All are 32 bits wide and stand in the order of `DateField`, so that a program can store into them by number.
struct DateFields: BitwiseCopyable {
    /// Negative until a century is added to a year of fewer than four digits; see `ShortYear`.
    var year: Int32 = 0
    var month: Int32 = 0
    var day: Int32 = 0
    /// Monday is 1 and Sunday is 7; 0 when the text names none.
    var weekday: Int32 = 0
    /// 1 before noon, 2 after; 0 when the text names none.
    var dayPeriod: Int32 = 0
    /// 0 to 23 in a valid time; -1 when the text has no time at all.
    var hour: Int32 = -1
    var minute: Int32 = 0
    var second: Int32 = 0
    /// The fraction of a second in nanoseconds; what is finer still leaves at least a trace in the last digit.
    var nanos: Int32 = 0
    /// Seconds ahead of UTC, or `noOffset`.
    var offset: Int32 = DateFields.noOffset
    /// The number of a `CalendarEra`; 0 when the text names none.
    var era: Int32 = 0
    /// Where literals store what nobody reads.
    var nothing: Int32 = 0

    mutating func set(_ date: CivilDate) { (year, month, day) = (date.year, date.month, date.day) }

    static let nothingIndex: UInt8 = 11

    static let noOffset = Int32.min
}

/// A year of fewer than four digits, as a program stores it: a negative number that no other year has.
enum ShortYear {
    /// A year of one or three digits, which no century completes.
    static let other = Int32.min

    /// Years 0 to 99 of a century as −1 to −100.
    @inline(__always)
    static func ofCentury(_ year: Int32) -> Int32 { -1 &- year }

    /// The year of the hundred from `pivot` on that ends in the two digits; nil without a pivot and for `other`.
    static func full(_ short: Int32, _ pivot: Int32?) -> Int32? {
        guard let pivot, short != other else { return nil }
        let inCentury = pivot &- pivot % 100 &- short &- 1
        return inCentury < pivot ? inCentury &+ 100 : inCentury
    }
}

/// What became of reading one text as a date.
public enum DateOutcome: UInt8, Sendable, Hashable {
    case read
    /// The text has another shape than the format.
    case unreadable
    /// The shape is right, and there is no such day or time: 30 February, 25 o'clock.
    case impossible
    /// The text names another weekday than its date has.
    case contradictingWeekday
    /// Clocks in the zone never showed this time.
    case skippedLocalTime
    /// Clocks in the zone showed this time twice.
    case doubledLocalTime
    /// A number that lands outside the years 1 to 9999.
    case outOfRange
    /// The text is an instant, and no zone says which day that is.
    case zoneNeeded
    /// Two formats read the text as different dates.
    case ambiguous
    /// The year has fewer than four digits, and nothing says which century is meant.
    case shortYear
    /// The year is not likely one of the calendar that the locale counts by: 2026 in Thailand would be long ago.
    case unlikelyYear
}

/// Year, month and day of the proleptic Gregorian calendar, in the narrow form that row loops compute with.
///
/// Source: Cassio Neri and Lorenz Schneider, "Euclidean affine functions and their application to calendar
/// algorithms", Software: Practice and Experience 53 (2023). Every Int32 day has a civil date here; years may be
/// negative or longer than four digits, and nothing traps.
public struct CivilDate: Sendable, Hashable, BitwiseCopyable {
    public var year: Int32
    /// 1 to 12.
    public var month: Int32
    /// 1 to 31.
    public var day: Int32

    @inlinable
    public init(year: Int32, month: Int32, day: Int32) {
        self.year = year
        self.month = month
        self.day = day
    }

    /// The civil date of a day counted from 1970-01-01.
    @inlinable
    public init(day number: Int32) {
        // 14,700 eras of 400 years lift every Int32 above zero, so that all divisions are unsigned.
        let shifted = UInt64(bitPattern: Int64(number) &+ 719_468 &+ 146_097 &* 14_700)
        let quadrupled = 4 &* shifted &+ 3
        let century = quadrupled / 146_097
        let dayOfCentury = UInt32(truncatingIfNeeded: (quadrupled &- century &* 146_097) >> 2)
        let product = 2_939_745 &* UInt64(4 &* dayOfCentury &+ 3)
        let yearOfCentury = product >> 32
        let dayOfYear = UInt32(truncatingIfNeeded: product) / 2_939_745 / 4
        let scaled = 2_141 &* dayOfYear &+ 197_913
        // The computed year starts on 1 March; January and February belong to the next.
        let isNextYear: UInt32 = dayOfYear >= 306 ? 1 : 0
        let years = Int64(bitPattern: 100 &* century &+ yearOfCentury) &- 5_880_000
        year = Int32(truncatingIfNeeded: years) &+ Int32(bitPattern: isNextYear)
        month = Int32(bitPattern: (scaled >> 16) &- 12 &* isNextYear)
        day = Int32(bitPattern: (scaled & 0xFFFF) / 2_141 &+ 1)
    }

    /// The number of a date that is known to exist, in years 0 to 9999, counted from 1970-01-01.
    @inlinable
    public static func number(year: Int32, month: Int32, day: Int32) -> Int32 {
        let isEarly: Int32 = month <= 2 ? 1 : 0
        // One era of 400 years keeps year 0 above zero after the shift to years that start in March.
        let shiftedYear = UInt32(bitPattern: year &- isEarly &+ 400)
        let shiftedMonth = UInt32(bitPattern: month &+ 12 &* isEarly)
        let century = shiftedYear / 100
        let yearDays = 1_461 &* shiftedYear / 4 &- century &+ century / 4
        let monthDays = (979 &* shiftedMonth &- 2_919) / 32
        return Int32(bitPattern: yearDays &+ monthDays &+ UInt32(bitPattern: day)) &- 719_469 &- 146_097
    }

    /// Whether there is such a date in years 1 to 9999.
    @inlinable
    public static func exists(year: Int32, month: Int32, day: Int32) -> Bool {
        guard UInt32(bitPattern: year &- 1) < 9_999, UInt32(bitPattern: month &- 1) < 12, day >= 1 else { return false }
        return day <= 28 || day <= Int32(truncatingIfNeeded: CalendarDay.length(ofMonth: Int(month), year: Int(year)))
    }
}

extension CalendarDay {
    /// Months since January of the year 0.
    @inlinable public static func month(of day: Int32) -> Int32 {
        let date = CivilDate(day: day)
        return date.year &* 12 &+ date.month &- 1
    }

    /// `2026-03`.
    public static func monthText(_ month: Int32) -> String {
        String(
            CalendarDay(number: CalendarDay.number(year: Int(month) / 12, month: Int(month) % 12 + 1, day: 1))
                .description.prefix(7)
        )
    }
}

extension CalendarDay: Codable {
    /// As `2026-11-21`.
    public func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        try container.encode(description)
    }

    public init(from decoder: any Decoder) throws {
        let container = try decoder.singleValueContainer()
        guard let day = CalendarDay(iso: try container.decode(String.self)) else {
            throw DecodingError.dataCorruptedError(in: container, debugDescription: "expected a day such as 2026-11-21")
        }
        self = day
    }
}

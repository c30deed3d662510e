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
        guard CivilDate.exists(year: Int32(clamping: year), month: Int32(clamping: month), day: Int32(clamping: day))
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

    /// Months since January of the year 0.
    @inlinable public static func month(of day: Int32) -> Int32 {
        let date = CivilDate(day: day)
        return date.year &* 12 &+ date.month &- 1
    }

    /// `2026-03`.
    public static func monthText(_ month: Int32) -> String {
        let first = CalendarDay.number(year: Int(month) / 12, month: Int(month) % 12 + 1, day: 1)
        return String(CalendarDay(number: first).description.prefix(7))
    }
}

extension CalendarDay: CustomStringConvertible {
    /// `2026-11-21`.
    public var description: String {
        let (year, month, day) = components
        return "\(year.padded(to: 4))-\(month.padded(to: 2))-\(day.padded(to: 2))"
    }
}

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

/// The rows of a batch that belong to one day.
package struct RowsOfDay {
    /// Nil for rows without a day.
    package let day: CalendarDay?
    package let batch: Batch
    /// Their numbers in the whole batch; nil for all of them.
    package let rows: [Int32]?
}

extension Batch {
    /// The rows of each day that a column of days holds, those without a day first.
    package func byDay(_ column: Int) -> [RowsOfDay] {
        guard case .days(let values) = columns[column], count > 0 else { return [] }
        let numbers = values.elements.span
        let first = numbers[0]
        // As in most batches, whose rows come from one file.
        if values.missing == nil, !numbers.indices.contains(where: { numbers[$0] != first }) {
            return [RowsOfDay(day: CalendarDay(number: first), batch: self, rows: nil)]
        }
        var kept: [(day: Int32?, rows: [Int32])] = []
        var places: [Int32?: Int] = [:]
        var last = -1
        for row in numbers.indices {
            let day = values.missing.isMissing(row) ? nil : numbers[row]
            // A row mostly belongs to the day of the one before.
            if last < 0 || kept[last].day != day {
                last = places[day] ?? kept.count
                if last == kept.count {
                    kept.append((day, []))
                    places[day] = last
                }
            }
            kept[last].rows.append(Int32(truncatingIfNeeded: row))
        }
        return kept.sorted { ($0.day ?? .min) < ($1.day ?? .min) }
            .map { day, rows in
                let batch = rows.count == count ? self : keeping(rows)
                return RowsOfDay(day: day.map(CalendarDay.init), batch: batch, rows: rows.count == count ? nil : rows)
            }
    }
}

/// The reading of one text: a day, a local time, or an instant.
struct DateReading: BitwiseCopyable {
    enum Form: UInt8 { case day, local, instant }

    var form = Form.day
    /// The day of a day or a local time.
    var day: Int32 = 0
    /// Microseconds since midnight of a local time, or since 1970-01-01T00:00:00Z of an instant; finer digits are cut
    /// off, towards the past, so that the day is the day of the exact time.
    var micros: Int64 = 0
    /// Whether the text names a time more finely than in microseconds.
    var isFiner = false
}

/// The target of reading a column of dates.
public enum DateTarget: String, OptionChoice { case day, instant }

extension CivilDate {
    /// Checks a date without a time: `read` if the day exists.
    @inline(__always)
    func resolve(into reading: inout DateReading) -> DateOutcome {
        guard CivilDate.exists(year: year, month: month, day: day) else { return .impossible }
        reading.day = CivilDate.number(year: year, month: month, day: day)
        reading.form = .day
        return .read
    }
}

extension DateFields {
    /// Weighs the fields: `read` when they name a day that exists, the right weekday and a time that exists.
    func resolve(_ clock: HourClock, into reading: inout DateReading) -> DateOutcome {
        let outcome = CivilDate(year: year, month: month, day: day).resolve(into: &reading)
        guard outcome == .read else { return outcome }
        if weekday != 0, Int(weekday) != CalendarDay(number: reading.day).weekday { return .contradictingWeekday }
        return hour < 0 ? .read : resolveTime(clock, into: &reading)
    }

    /// Clamps a day that the month does not have to its last day. False if the date is wrong in another way.
    mutating func clampDay() -> Bool {
        guard day >= 29, day <= 31, CivilDate.exists(year: year, month: month, day: 28) else { return false }
        let last = Int32(truncatingIfNeeded: CalendarDay.length(ofMonth: Int(month), year: Int(year)))
        guard day > last else { return false }
        day = last
        return true
    }

    @inline(never)
    private func resolveTime(_ clock: HourClock, into reading: inout DateReading) -> DateOutcome {
        guard let hour = hourOfDay(clock), minute <= 59, second <= 59 else { return .impossible }
        let seconds = Int64(hour &* 3_600 &+ minute &* 60 &+ second)
        reading.form = .local
        reading.micros = seconds &* 1_000_000 &+ Int64(nanos / 1_000)
        reading.isFiner = nanos % 1_000 != 0
        guard offset != DateFields.noOffset else { return .read }
        reading.form = .instant
        reading.micros &+= Int64(reading.day) &* InstantParts.microsPerDay &- Int64(offset) &* 1_000_000
        return EpochUnit.range.contains(reading.micros) ? .read : .outOfRange
    }

    /// The hour from 0 to 23, or nil if the clock has no such hour or the half of the day contradicts it.
    private func hourOfDay(_ clock: HourClock) -> Int32? {
        switch clock {
        case .zeroTo23, .oneTo24:
            // k counts midnight as 24 and has no 0.
            guard clock == .zeroTo23 ? hour <= 23 : hour >= 1 && hour <= 24 else { return nil }
            let result = hour == 24 ? 0 : hour
            guard dayPeriod == 0 || (dayPeriod == 2) == (result >= 12) else { return nil }
            return result
        case .oneTo12, .zeroTo11:
            guard clock == .zeroTo11 ? hour <= 11 : hour >= 1 && hour <= 12 else { return nil }
            return hour % 12 + (dayPeriod == 2 ? 12 : 0)
        }
    }
}

extension DateReading {
    /// Converts the reading to a day or to an instant of the zone. Without a zone only days and local times have a day.
    @inline(__always)
    func converted(
        to target: DateTarget,
        _ zone: inout ZoneCursor,
        hasZone: Bool,
        into value: inout Int64
    ) -> DateOutcome {
        if target == .day, form != .instant {
            value = Int64(day)
            return .read
        }
        if target == .instant, form == .instant {
            value = micros
            return .read
        }
        guard hasZone else { return .zoneNeeded }
        return convertedInZone(to: target, &zone, into: &value)
    }

    @inline(never)
    private func convertedInZone(
        to target: DateTarget,
        _ zone: inout ZoneCursor,
        into value: inout Int64
    ) -> DateOutcome {
        if target == .day {
            let local = zone.day(ofInstant: micros)
            value = Int64(local)
            return CalendarDay.range.contains(local) ? .read : .outOfRange
        }
        if form == .day {
            guard let start = zone.start(ofDay: day) else { return .skippedLocalTime }
            value = start &* 1_000_000
            return EpochUnit.range.contains(value) ? .read : .outOfRange
        }
        let wall = Int64(day) &* 86_400 &+ micros / 1_000_000
        let offset: Int32
        switch zone.meaning(ofLocal: wall) {
        case .skipped(let jump, let after):
            guard let chosen = zone.offset(ofSkipped: jump, after) else { return .skippedLocalTime }
            offset = chosen
        case .doubled(let first, let second):
            guard let chosen = zone.offset(ofDoubled: first, second) else { return .doubledLocalTime }
            offset = chosen
        case .offset(let known): offset = known
        }
        value = Int64(day) &* InstantParts.microsPerDay &+ micros &- Int64(offset) &* 1_000_000
        return EpochUnit.range.contains(value) ? .read : .outOfRange
    }
}

/// One instant that was read, for importers whose values carry their encoding with them.
public struct ReadInstant: Sendable, Hashable, BitwiseCopyable {
    /// Microseconds since 1970-01-01T00:00:00Z.
    public let micros: Int64
    /// The value was finer than a microsecond, and the rest was cut off, towards the past.
    public let isCut: Bool

    /// Reads `-?digits` and optionally `.digits`; nil for anything else and for dates outside years 1 to 9999.
    public init?(_ number: Cell, _ unit: EpochUnit) {
        var reading = DateReading()
        guard unit.read(number, into: &reading) == .read else { return nil }
        micros = reading.micros
        isCut = reading.isFiner
    }

    /// Reads `2026-11-21T05:00:00.123Z`; nil for anything else, also for a local time, which names no instant.
    public init?(iso text: Cell) {
        if text.count == 20, text[0] == UInt8(ascii: "0"), CellReading.equals(text, "0000-12-30T00:00:00Z") {
            (micros, isCut) = (EpochUnit.distantPast, false)
            return
        }
        var fields = DateFields()
        var reading = DateReading()
        guard ISOReading.read(text, TenByteDay.iso, into: &fields),
            fields.resolve(.zeroTo23, into: &reading) == .read, reading.form == .instant
        else { return nil }
        micros = reading.micros
        isCut = reading.isFiner
    }
}

/// The meaning of one part of a date's text; the raw value is its index among the read fields.
public enum DateField: UInt8, Sendable, Hashable, CaseIterable, BitwiseCopyable {
    case year, month, day, weekday, dayPeriod, hour, minute, second, micros, offset, era

    /// How messages name it.
    public var displayText: String {
        switch self {
        case .dayPeriod: "the half of the day"
        case .micros: "the fraction of a second"
        case .offset: "the offset from UTC"
        default: "the \(self)"
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

/// The fields that were read from one text, before their values are checked.
///
/// All are 32 bits wide, in the order of `DateField`, so that a program can store into them by number.
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
    /// The fraction of a second in nanoseconds; finer digits leave at least a trace in the last digit.
    var nanos: Int32 = 0
    /// Seconds ahead of UTC, or `noOffset`.
    var offset: Int32 = DateFields.noOffset
    /// The number of a `CalendarEra`; 0 when the text names none.
    var era: Int32 = 0
    /// Where literals store values that are never read.
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

/// The outcome of reading one text as a date.
public enum DateOutcome: UInt8, Sendable, Hashable {
    case read
    /// The text has another shape than the format.
    case unreadable
    /// The shape is right, but the day or time does not exist: 30 February, 25 o'clock.
    case impossible
    /// The text names another weekday than its date has.
    case contradictingWeekday
    /// Clocks in the zone never showed this time.
    case skippedLocalTime
    /// Clocks in the zone showed this time twice.
    case doubledLocalTime
    /// A number that lands outside the years 1 to 9999.
    case outOfRange
    /// The text is an instant, and without a zone its day is unknown.
    case zoneNeeded
    /// Two formats read the text as different dates.
    case ambiguous
    /// The year has fewer than four digits, and its century is unknown.
    case shortYear
    /// The year is unlikely in the calendar of the locale: 2026 in Thailand would be long ago.
    case unlikelyYear
}

/// Reads dates and times of ISO 8601 in the extended form, `2026-11-21`, `2026-11-21T05`, `2026-11-21 05:00:00.123Z`,
/// `2026-11-21T14:00:00+09:00`, and in the basic form, `20261121`, `20261121T05`, `20261121T050000Z`, as iCalendar has it.
///
/// Between date and time is `T`, `t` or one space; the parts behind the hour may be left out, from the end; seconds may
/// have a fraction behind `.` or `,`, cut to microseconds; the offset is `Z`, `z`, `+09`, `+0900` or `+09:00`. A time
/// has the form of its date, as the standard requires. Week dates and ordinal dates are not read.
enum ISOReading {
    static func read(_ cell: Cell, _ day: TenByteDay, into fields: inout DateFields) -> Bool {
        var date = CivilDate(year: 0, month: 0, day: 0)
        guard cell.count >= 10, day.read(cell.baseAddress.unsafelyUnwrapped, into: &date) else { return false }
        fields.set(date)
        return cell.count == 10 || readTime(cell, into: &fields)
    }

    /// Reads the basic form.
    static func readBasic(_ cell: Cell, into fields: inout DateFields) -> Bool {
        guard cell.count >= 8, var text = TextScanner(cell), let year = text.digits(4, 4),
            let month = text.twoDigits(), let day = text.twoDigits()
        else { return false }
        fields.set(CivilDate(year: year, month: month, day: day))
        return text.isAtEnd || readTime(&text, isBasic: true, into: &fields)
    }

    @inline(never)
    private static func readTime(_ cell: Cell, into fields: inout DateFields) -> Bool {
        guard var text = TextScanner(cell) else { return false }
        text.position += 10
        return readTime(&text, isBasic: false, into: &fields)
    }

    @inline(__always)
    private static func readTime(_ text: inout TextScanner, isBasic: Bool, into fields: inout DateFields) -> Bool {
        guard text.skip(UInt8(ascii: "T")) || text.skip(UInt8(ascii: " ")) || text.skip(UInt8(ascii: "t")),
            let hour = text.twoDigits()
        else { return false }
        fields.hour = hour
        if startsPart(&text, isBasic) {
            guard let minute = text.twoDigits() else { return false }
            fields.minute = minute
            if startsPart(&text, isBasic) {
                guard let second = text.twoDigits() else { return false }
                fields.second = second
                if text.skip(UInt8(ascii: ".")) || text.skip(UInt8(ascii: ",")) {
                    var isFiner = false
                    guard let nanos = text.fraction(decimals: 9, &isFiner) else { return false }
                    fields.nanos = Int32(truncatingIfNeeded: nanos &+ (isFiner && nanos % 1_000 == 0 ? 1 : 0))
                }
            }
        }
        if text.isAtEnd { return true }
        guard let offset = text.offset(mayBeNamed: false) else { return false }
        fields.offset = offset
        return text.isAtEnd
    }

    /// Whether minutes or seconds follow: after a colon in the extended form, at once in the basic one.
    @inline(__always)
    private static func startsPart(_ text: inout TextScanner, _ isBasic: Bool) -> Bool {
        isBasic ? text.digit(0) <= 9 : text.skip(UInt8(ascii: ":"))
    }
}

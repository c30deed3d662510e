/// What one text says: a day, a local time, or an instant.
struct DateReading: BitwiseCopyable {
    enum Form: UInt8 { case day, local, instant }

    var form = Form.day
    /// The day of a day or a local time.
    var day: Int32 = 0
    /// Microseconds since midnight of a local time, or since 1970-01-01T00:00:00Z of an instant; what is finer is cut off,
    /// towards the past, so that the day is that of the exact time.
    var micros: Int64 = 0
    /// Whether the text names a time more finely than in microseconds.
    var isFiner = false
}

/// What a column of dates is read as.
public enum DateTarget: UInt8, Sendable, Hashable { case day, instant }

extension CivilDate {
    /// Weighs a date without a time: `read` when there is such a day.
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
        guard CivilDate.exists(year: year, month: month, day: day) else { return .impossible }
        let number = CivilDate.number(year: year, month: month, day: day)
        reading.day = number
        reading.form = .day
        if weekday != 0, Int(weekday) != CalendarDay(number: number).weekday { return .contradictingWeekday }
        return hour < 0 ? .read : resolveTime(clock, into: &reading)
    }

    /// Puts a day that the month does not have on its last day. False when the date is wrong in another way.
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

    /// The hour from 0 to 23, or nil when the clock has no such hour or the half of the day contradicts it.
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
    /// Turns what was read into a day or into an instant of the zone. Without a zone only days and local times have a
    /// day.
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

    /// Reads `-?digits` and perhaps `.digits`; nil for anything else and for what lies outside of years 1 to 9999.
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
        guard ISOReading.read(text, ISOReading.day, into: &fields),
            fields.resolve(.zeroTo23, into: &reading) == .read, reading.form == .instant
        else { return nil }
        micros = reading.micros
        isCut = reading.isFiner
    }
}

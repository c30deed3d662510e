/// The place at which a date is written.
private typealias Output = UnsafeMutablePointer<UInt8>

/// Writes days and instants by a pattern, compiled once.
public struct DateWriter: Sendable {
    private let steps: [Step]
    /// Literals and names, one after another.
    private let bytes: [UInt8]
    /// The most bytes that one date may take.
    public let maximumLength: Int
    /// Whether the pattern writes more than a day.
    public let writesTime: Bool
    private let calendar: YearCalendar
    /// Whether years are counted differently, or written with an era.
    private let countsOtherYears: Bool

    /// One step: what to write, and the place of its bytes.
    private struct Step: BitwiseCopyable {
        enum Action: UInt8 {
            case literal, year, fourDigitYear, shortYear, number, paddedNumber, hour, paddedHour, fraction, name, offset
        }

        var action: Action
        var field = DateField.year
        var clock = HourClock.zeroTo23
        var style = PatternPiece.OffsetStyle.basic
        var count: Int32 = 0
        /// Of the literal, or of the first entry of a list of names.
        var offset: Int32 = 0
    }

    /// The parts of a date, as its zone shows it.
    private struct Parts: BitwiseCopyable {
        var date: CivilDate
        var weekday: Int32
        var second: Int32
        var micros: UInt32
        var offset: Int32
        var era: Int32 = 0
    }

    /// `names` is called if the pattern writes any names.
    public init(_ pattern: DatePattern, names: LocaleNames?) {
        var steps: [Step] = []
        var bytes: [UInt8] = []
        var length = 0
        for piece in pattern.pieces {
            var step = DateWriter.step(for: piece)
            step.offset = Int32(bytes.count)
            if case .literal(let literal) = piece {
                bytes += literal
                step.count = Int32(literal.count)
                length += literal.count
            } else if piece.isName {
                guard let names else { preconditionFailure("a pattern that writes names is given them") }
                let list = DateWriter.names(for: piece, in: names).map { Array($0.utf8) }
                // A list of names: for each its end, as two bytes, and then all of them.
                var end = 0
                for name in list {
                    end += name.count
                    bytes += [UInt8(end & 0xFF), UInt8(end >> 8)]
                }
                bytes += list.joined()
                step.count = Int32(list.count)
                length += list.map(\.count).max() ?? 0
            } else {
                length += 11
            }
            steps.append(step)
        }
        self.steps = steps
        self.bytes = bytes
        maximumLength = length
        writesTime = pattern.hasTime
        calendar = names?.calendar ?? .gregorian
        countsOtherYears = calendar != .gregorian || pattern.contains(.era)
    }

    private static func step(for piece: PatternPiece) -> Step {
        switch piece {
        case .literal: Step(action: .literal)
        case .number(.year, let minimum, _): Step(action: minimum == 4 ? .fourDigitYear : .year)
        case .shortYear: Step(action: .shortYear)
        case .number(let field, let minimum, _): Step(action: minimum == 2 ? .paddedNumber : .number, field: field)
        case .hour(let clock, let minimum): Step(action: minimum == 2 ? .paddedHour : .hour, clock: clock)
        case .fraction(let digits): Step(action: .fraction, count: Int32(digits))
        case .monthName: Step(action: .name, field: .month)
        case .weekdayName: Step(action: .name, field: .weekday)
        case .dayPeriodName: Step(action: .name, field: .dayPeriod)
        case .eraName: Step(action: .name, field: .era)
        case .offset(let style): Step(action: .offset, style: style)
        }
    }

    private static func names(for piece: PatternPiece, in names: LocaleNames) -> [String] {
        switch piece {
        case .monthName(let isWide): isWide ? names.wideMonths : names.shortMonths
        case .weekdayName(let isWide): isWide ? names.wideWeekdays : names.shortWeekdays
        case .eraName(let isWide):
            names.eras.isEmpty ? CalendarEra.allCases.map { _ in "" } : names.eras[isWide ? 1 : 0]
        default: names.dayPeriods
        }
    }

    /// Writes a day, with midnight as its time, and returns the number of bytes.
    public func write(day: Int32, to start: UnsafeMutablePointer<UInt8>) -> Int {
        let date = CivilDate(day: day)
        let weekday = Int32(CalendarDay(number: day).weekday)
        return write(Parts(date: date, weekday: weekday, second: 0, micros: 0, offset: 0), to: start)
    }

    /// Writes an instant as shown by clocks `offset` seconds ahead of UTC.
    public func write(instant: Int64, offset: Int32, to start: UnsafeMutablePointer<UInt8>) -> Int {
        let (day, micros) = InstantParts.split(instant &+ Int64(offset) &* 1_000_000)
        let parts = Parts(
            date: CivilDate(day: day),
            weekday: Int32(CalendarDay(number: day).weekday),
            second: Int32(truncatingIfNeeded: micros / 1_000_000),
            micros: UInt32(truncatingIfNeeded: micros % 1_000_000),
            offset: offset
        )
        return write(parts, to: start)
    }

    private func write(_ parts: Parts, to start: UnsafeMutablePointer<UInt8>) -> Int {
        var parts = parts
        if countsOtherYears {
            let (era, year) = CalendarEra.of(parts.date, in: calendar)
            (parts.era, parts.date.year) = (era.rawValue, year)
        }
        return bytes.withUnsafeBufferPointer { bytes in
            steps.withUnsafeBufferPointer { steps in
                var end = start
                for step in steps { end = DateWriter.write(step, of: parts, bytes, to: end) }
                return end - start
            }
        }
    }

    @inline(__always)
    private static func write(_ step: Step, of parts: Parts, _ bytes: Cell, to end: Output) -> Output {
        switch step.action {
        case .literal:
            for place in 0..<Int(step.count) { end[place] = bytes[Int(step.offset) + place] }
            return end + Int(step.count)
        case .fourDigitYear, .year: return writeYear(parts.date.year, isPadded: step.action == .fourDigitYear, to: end)
        case .shortYear:
            Digits.writePair(parts.date.year.magnitude % 100, to: end)
            return end + 2
        case .number: return writeShort(number(step.field, of: parts), to: end)
        case .paddedNumber:
            Digits.writePair(number(step.field, of: parts), to: end)
            return end + 2
        case .hour: return writeShort(hour(step.clock, of: parts), to: end)
        case .paddedHour:
            Digits.writePair(hour(step.clock, of: parts), to: end)
            return end + 2
        case .fraction: return writeFraction(parts.micros, digits: Int(step.count), to: end)
        case .name: return writeName(step, Int(number(step.field, of: parts)) - 1, bytes, to: end)
        case .offset: return OffsetText.write(parts.offset, step.style, to: end)
        }
    }

    /// The first digits of a fraction of a second; digits beyond a microsecond are 0.
    private static func writeFraction(_ micros: UInt32, digits: Int, to end: Output) -> Output {
        var rest = micros
        for place in (0..<max(6, digits)).reversed() {
            let digit = place < 6 ? UInt8(truncatingIfNeeded: rest % 10) : 0
            if place < 6 { rest /= 10 }
            if place < digits { end[place] = 0x30 + digit }
        }
        return end + digits
    }

    private static func number(_ field: DateField, of parts: Parts) -> UInt32 {
        switch field {
        case .month: UInt32(bitPattern: parts.date.month)
        case .day: UInt32(bitPattern: parts.date.day)
        case .weekday: UInt32(bitPattern: parts.weekday)
        case .dayPeriod: parts.second < 43_200 ? 1 : 2
        case .minute: UInt32(bitPattern: parts.second / 60 % 60)
        case .second: UInt32(bitPattern: parts.second % 60)
        case .era: UInt32(bitPattern: parts.era)
        case .year, .hour, .micros, .offset: preconditionFailure("this field has a step of its own")
        }
    }

    private static func hour(_ clock: HourClock, of parts: Parts) -> UInt32 {
        let hour = UInt32(bitPattern: parts.second / 3_600)
        switch clock {
        case .zeroTo23: return hour
        case .oneTo12: return hour % 12 == 0 ? 12 : hour % 12
        case .oneTo24: return hour == 0 ? 24 : hour
        case .zeroTo11: return hour % 12
        }
    }

    private static func writeShort(_ value: UInt32, to end: Output) -> Output {
        guard value >= 10 else {
            end[0] = 0x30 + UInt8(truncatingIfNeeded: value)
            return end + 1
        }
        Digits.writePair(value, to: end)
        return end + 2
    }

    private static func writeYear(_ year: Int32, isPadded: Bool, to end: Output) -> Output {
        if year >= 0, year <= 9_999, isPadded { return Digits.writeYear(UInt32(bitPattern: year), to: end) }
        return end + NumberText.write(Int64(year), to: end)
    }

    private static func writeName(_ step: Step, _ index: Int, _ bytes: Cell, to end: Output) -> Output {
        let ends = Int(step.offset)
        func boundary(_ index: Int) -> Int {
            index < 0 ? 0 : Int(bytes[ends + 2 * index]) | Int(bytes[ends + 2 * index + 1]) << 8
        }
        let first = boundary(index - 1)
        let count = boundary(index) - first
        let names = ends + 2 * Int(step.count)
        for place in 0..<count { end[place] = bytes[names + first + place] }
        return end + count
    }
}

/// Writes offsets from UTC as patterns require.
private enum OffsetText {
    /// Writes an offset in whole minutes; seconds of local mean times are cut off.
    static func write(_ offset: Int32, _ style: PatternPiece.OffsetStyle, to start: Output) -> Output {
        var end = start
        let minutes = offset.magnitude / 60
        switch style {
        case .short, .basicOrZ, .extendedOrZ:
            if minutes == 0 {
                end[0] = UInt8(ascii: "Z")
                return end + 1
            }
        case .named:
            for (place, byte) in "GMT".utf8.enumerated() { end[place] = byte }
            end += 3
            if minutes == 0 { return end }
        case .basic, .extended: break
        }
        end[0] = offset < 0 && minutes > 0 ? UInt8(ascii: "-") : UInt8(ascii: "+")
        Digits.writePair(minutes / 60 % 100, to: end + 1)
        end += 3
        if style == .short, minutes % 60 == 0 { return end }
        if style == .extendedOrZ || style == .extended || style == .named {
            end[0] = UInt8(ascii: ":")
            end += 1
        }
        Digits.writePair(minutes % 60, to: end)
        return end + 2
    }
}

extension TextColumn {
    /// The texts without the quotes that JSON puts around them. Escapes stay unchanged.
    var withoutQuotes: TextColumn {
        var result = self
        let quote = UInt8(ascii: "\"")
        for (row, view) in views.enumerated() where view.length >= 2 {
            let start = bytes.base + Int(view.offset)
            guard start[0] == quote, start[Int(view.length) - 1] == quote else { continue }
            result.views[row] = TextView(offset: Int(view.offset) + 1, length: Int(view.length) - 2)
        }
        return result
    }
}

/// Writes a column of days or instants as text, in a pattern or as ISO 8601.
public struct DateTextWriter: Sendable {
    /// Nil for ISO 8601.
    public let writer: DateWriter?
    /// Whose clocks show the instants.
    public let zone: ZoneRules

    public init(_ writer: DateWriter?, zone: ZoneRules) { (self.writer, self.zone) = (writer, zone) }

    private var longest: Int { writer?.maximumLength ?? ISOText.maximumLength }

    /// The same rows as text; gaps stay gaps.
    public func text(of dates: Column) -> Column {
        switch dates {
        case .days(let days):
            return
                .text(
                    days.text(longest: longest) { day, start in
                        writer?.write(day: day, to: start) ?? ISOText.write(day: day, to: start)
                    }
                )
        case .instants(let instants):
            var cursor = ZoneCursor(zone)
            return .text(
                instants.text(longest: longest) { instant, start in
                    let (day, micros) = InstantParts.split(instant)
                    let offset = cursor.offset(atUTC: Int64(day) &* 86_400 &+ micros / 1_000_000)
                    return writer?.write(instant: instant, offset: offset, to: start)
                        ?? ISOText.write(instant: instant, offset: offset, to: start)
                }
            )
        default: preconditionFailure("only days and instants are written as dates")
        }
    }
}

/// Writes counts of days as people write them on the anchor's date: `D-12`, `D-Day`, `D+3`.
public enum DDayText {
    /// The most bytes that one count may take.
    public static let maximumLength = 2 + NumberText.maximumLength

    /// Writes a count, which is *day − anchor*, at `bytes` and returns the number of bytes.
    ///
    /// With `firstDay` 1 the day itself reads `D+1` and the day 99 days later `D+100`; days ahead stay `D-12`.
    @inlinable
    public static func write(count: Int64, firstDay: Int64, to bytes: UnsafeMutablePointer<UInt8>) -> Int {
        bytes[0] = UInt8(ascii: "D")
        if count == 0, firstDay == 0 {
            bytes[1] = UInt8(ascii: "-")
            bytes[2] = UInt8(ascii: "D")
            bytes[3] = UInt8(ascii: "a")
            bytes[4] = UInt8(ascii: "y")
            return 5
        }
        bytes[1] = count > 0 ? UInt8(ascii: "-") : UInt8(ascii: "+")
        return 2 + NumberText.write(count > 0 ? count : 0 &- count &+ firstDay, to: bytes + 2)
    }

    /// The same rows as text; gaps stay gaps.
    public static func text(of counts: Values<Int64>, firstDay: Int64) -> TextColumn {
        counts.text(longest: maximumLength) { write(count: $0, firstDay: firstDay, to: $1) }
    }
}

extension Values {
    /// One element for each pair of rows. Where the first has a gap the result has one; the caller adds the others.
    @inlinable
    public func combined<Other, Result>(
        with other: Values<Other>,
        _ transform: (Element, Other) -> Result
    ) -> Values<Result> {
        precondition(count == other.count, "two columns of one batch have one length")
        return elements.withUnsafeBufferPointer { first in
            other.elements.withUnsafeBufferPointer { second in
                Values<Result>(
                    [Result](unsafeUninitializedCapacity: first.count) { new, filled in
                        for row in 0..<first.count {
                            new.initializeElement(at: row, to: transform(first[row], second[row]))
                        }
                        filled = first.count
                    },
                    missing: missing
                )
            }
        }
    }
}

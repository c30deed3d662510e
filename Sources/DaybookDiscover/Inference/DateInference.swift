import DaybookDates

/// Formats of dates, one bit each.
typealias FormatMask = UInt128
package typealias DateReading = FormatProbe.Reading

/// Counts which date formats read the texts of a column.
///
/// Texts are counted by the set of formats that read them, of which a column has a handful, so memory does not grow
/// with the rows.
public struct DateInference: Sendable, Equatable {
    /// Texts that the same formats read.
    struct Tally: Sendable, Hashable {
        var count = 0
        var sample: InferenceSample
        /// The first and the last day that each of the formats reads, in their order.
        var ranges: [ClosedRange<Int32>]
        /// Texts with a time of day, or that name an instant.
        var timed = 0
        var instants = 0
        /// Texts that the formats read as different dates, and the first of them.
        var contradictory = 0
    }

    /// By the formats, one bit each.
    var tallies: [FormatMask: Tally] = [:]
    package private(set) var read = 0
    /// Texts that no format reads.
    package internal(set) var unread = SampledCount()
    /// Unread texts with the shape of a date, for a day that does not exist.
    var impossible = SampledCount()
    /// Dates before 1900 or after 2100, as in the years of another calendar.
    var odd = SampledCount()

    /// The formats possible for a shape; not merged.
    private var shapes: [UInt64: FormatMask] = [:]

    private static let mostTallies = 64
    private static let mostShapes = 1024

    /// Adds a text that occurs `times` times, first in `row`, and returns its reading; nil for no date.
    @discardableResult
    package mutating func add(_ cell: Cell, row: Int, times: Int = 1, _ candidates: DateCandidates) -> DateReading? {
        FormatProbe.withPlainSpaces(cell) { add(cell, readAs: $0, row: row, times: times, candidates) }
    }

    private mutating func add(
        _ cell: Cell,
        readAs text: Cell,
        row: Int,
        times: Int,
        _ candidates: DateCandidates
    ) -> DateReading? {
        guard let shape = DateInference.shape(of: text) else { return miss(cell, row, times) }
        let possible = shapes[shape] ?? learn(shape, text, candidates)
        guard possible != 0 else { return miss(cell, row, times) }
        var mask: FormatMask = 0
        var first = FormatProbe.Reading()
        var days: [Int32] = []
        var contradicts = false
        var rest = possible
        while rest != 0 {
            let format = rest.trailingZeroBitCount
            rest &= rest &- 1
            var reading = FormatProbe.Reading()
            guard candidates.probe.read(text, by: format, into: &reading) == .read,
                DateInference.isPlausible(reading, text)
            else { continue }
            if mask == 0 { first = reading } else if reading != first { contradicts = true }
            days.append(reading.day)
            mask |= 1 << FormatMask(format)
        }
        guard mask != 0 else {
            impossible.add(cell, row: row, times: times)
            return miss(cell, row, times)
        }
        if tallies[mask]?.add(first, days, contradicts, times) == nil {
            guard tallies.count < DateInference.mostTallies else { return miss(cell, row, times) }
            var tally = Tally(sample: InferenceSample(cell, row: row), ranges: days.map { $0...$0 })
            tally.add(first, days, contradicts, times)
            tallies[mask] = tally
        }
        read &+= times
        if DateInference.isOdd(first.day) { odd.add(cell, row: row, times: times) }
        return first
    }

    /// The days from 1900 to 2100.
    static func isOdd(_ day: Int32) -> Bool { day < -25_567 || day >= 47_847 }

    private mutating func miss(_ cell: Cell, _ row: Int, _ times: Int) -> DateReading? {
        unread.add(cell, row: row, times: times)
        return nil
    }

    /// Asks every format once whether it could read texts of a shape.
    private mutating func learn(_ shape: UInt64, _ cell: Cell, _ candidates: DateCandidates) -> FormatMask {
        var mask: FormatMask = 0
        var reading = FormatProbe.Reading()
        for format in candidates.all.indices
        where candidates.probe.read(cell, by: format, into: &reading) != .unreadable { mask |= 1 << FormatMask(format) }
        if shapes.count < DateInference.mostShapes { shapes[shape] = mask }
        return mask
    }

    package mutating func merge(_ later: DateInference) {
        for (mask, tally) in later.tallies {
            if tallies[mask] == nil, tallies.count >= DateInference.mostTallies {
                unread.count += tally.count
                read -= tally.count
            } else {
                tallies[mask] = tallies[mask]?.merged(tally) ?? tally
            }
        }
        read += later.read
        unread.merge(later.unread)
        impossible.merge(later.impossible)
        odd.merge(later.odd)
    }

    /// Digits alone count as a date only in the years 1900 to 2100.
    private static func isPlausible(_ reading: FormatProbe.Reading, _ cell: Cell) -> Bool {
        guard cell[cell.count - 1] &- 48 <= 9, cell[4] &- 48 <= 9, cell[2] &- 48 <= 9 else { return true }
        return !isOdd(reading.day)
    }

    /// The hash of the text with equal digits; nil for a text that cannot be a date.
    private static func shape(of cell: Cell) -> UInt64? {
        guard cell.count >= 6, cell.count <= 64 else { return nil }
        var digits = 0
        // FNV-1a. A collision only makes a guess worse.
        var hash: UInt64 = 0xCBF2_9CE4_8422_2325
        for byte in cell {
            let isDigit = byte &- 48 <= 9
            digits &+= isDigit ? 1 : 0
            hash = (hash ^ UInt64(isDigit ? 48 : byte)) &* 0x100_0000_01B3
        }
        return digits >= 4 ? hash : nil
    }

    /// `shapes` is a cache, and does not count.
    public static func == (first: DateInference, second: DateInference) -> Bool {
        first.tallies == second.tallies && first.unread == second.unread && first.impossible == second.impossible
            && first.odd == second.odd
    }
}

extension DateInference.Tally {
    mutating func add(_ reading: FormatProbe.Reading, _ days: [Int32], _ contradicts: Bool, _ times: Int) {
        count &+= times
        for (place, day) in days.enumerated() where !ranges[place].contains(day) { ranges[place].extend(by: day...day) }
        if reading.micros != 0 || reading.isInstant { timed &+= times }
        if reading.isInstant { instants &+= times }
        if contradicts { contradictory &+= times }
    }

    func merged(_ later: DateInference.Tally) -> DateInference.Tally {
        var result = self
        result.count += later.count
        for place in ranges.indices { result.ranges[place].extend(by: later.ranges[place]) }
        result.timed += later.timed
        result.instants += later.instants
        result.contradictory += later.contradictory
        return result
    }
}

extension DateInference {
    /// A note about dates outside 1900 to 2100; nil without such dates.
    package var oddYears: String? {
        guard let sample = odd.sample else { return nil }
        return
            "\(DisplayText.count(odd.count, "date lies", "dates lie")) before 1900 or after 2100, such as \(sample.quoted), as years of another calendar do"
    }
}

extension ClosedRange {
    fileprivate mutating func extend(by other: Self) {
        self = Swift.min(lowerBound, other.lowerBound)...Swift.max(upperBound, other.upperBound)
    }
}

/// The numbers of a column as dates, with the evidence for it.
///
/// A unit is plausible if every number is in the years 1920 to 2060: birthdays are in the past, plans in the future. Of two
/// plausible units, the likelier one puts most numbers between 2005 and 2034, the time of phones with apps, while the other
/// puts none there; if that does not decide, a person must.
public struct EpochEvidence: Sendable, Hashable {
    /// The range of the numbers in one unit.
    public struct Reading: Sendable, Hashable {
        public var unit: EpochUnit
        /// The first and the last day in UTC.
        public var first: CalendarDay
        public var last: CalendarDay

        /// `2019-03-02 to 2026-11-20`, or one day.
        public var days: String { first == last ? "\(first)" : "\(first) to \(last)" }
        /// `1992 to 1995`.
        public var years: String {
            let (one, other) = (first.components.year, last.components.year)
            return one == other ? "\(one)" : "\(one) to \(other)"
        }
    }

    /// How many numbers were seen.
    public var count: Int
    /// The plausible readings, the likeliest first; never empty.
    public var readings: [Reading]
    /// Readings in implausible units, for comparison.
    public var others: [Reading]
    /// Whether the first reading stands out.
    public var isClear: Bool
    /// Further evidence: fractions of a second, whole hours, the name of the column.
    public var signs: [String]

    public static let years = 1920...2060

    /// Nil if the numbers are dates in no unit.
    public init?(_ numbers: NumberInference, column: String) {
        // A few small numbers may be dates near an epoch; many are counts.
        guard numbers.count > 0, numbers.small * 10 <= numbers.count else { return nil }
        let all = EpochUnit.allCases.compactMap { EpochEvidence.reading($0, numbers) }
        // The sort is stable: equals keep the order of the units.
        let plausible = all.filter { EpochEvidence.lies($0, in: EpochEvidence.years) }
            .sorted { numbers.recent(in: $0.unit) > numbers.recent(in: $1.unit) }
        guard !plausible.isEmpty else { return nil }
        let recent = plausible.map { numbers.recent(in: $0.unit) }
        isClear = plausible.count == 1 || (recent[0] * 2 >= numbers.count && recent.dropFirst().allSatisfy { $0 == 0 })
        readings = plausible
        others = all.filter { !plausible.contains($0) && (1970...2100).contains($0.first.components.year) }
        count = numbers.count
        signs = EpochEvidence.signs(numbers, plausible[0].unit, column)
    }

    private static func reading(_ unit: EpochUnit, _ numbers: NumberInference) -> Reading? {
        if unit == .epochMillis {
            // Small numbers would all be days of one year, 1970, as would most of those that are seconds beside a few milliseconds.
            let large = [numbers.least, numbers.most].count { $0.magnitude > 3e10 }
            guard large == 2 || large == 1 && numbers.recentMillis * 2 >= numbers.count else { return nil }
        }
        let days = [numbers.least, numbers.most].map { (unit.secondsSince1970($0) / 86_400).rounded(.down) }
        let known = days.compactMap { Int32(exactly: $0) }.filter(CalendarDay.range.contains)
        guard known.count == 2 else { return nil }
        return Reading(unit: unit, first: CalendarDay(number: known[0]), last: CalendarDay(number: known[1]))
    }

    private static func lies(_ reading: Reading, in years: ClosedRange<Int>) -> Bool {
        years.contains(reading.first.components.year) && years.contains(reading.last.components.year)
    }

    private static func signs(_ numbers: NumberInference, _ unit: EpochUnit, _ column: String) -> [String] {
        var signs: [String] = []
        if numbers.fractions * 2 >= numbers.count { signs.append("fractions of a second") }
        let hours = unit == .epochMillis ? numbers.wholeMilliHours : numbers.wholeHours
        if hours == numbers.count { signs.append("all at full hours") }
        if unit == .epochMillis { signs.append("as many digits as milliseconds have") }
        if DateWords.are(in: column) { signs.append("the name of the column") }
        return signs
    }

    /// Whether the first unit is certain enough without a person.
    public var isConvincing: Bool { isClear && !signs.isEmpty }

    /// `1,204 values from 2019-03-02 to 2026-11-20 as apple_seconds; as epoch_seconds they would be 1988 to 1995`.
    public var displayText: String {
        let best = readings[0]
        let range = best.first == best.last ? "on \(best.first)" : "from \(best.first) to \(best.last)"
        var text = "\(DisplayText.count(count, "value")) \(range) as \(best.unit.rawValue)"
        for other in (readings.dropFirst() + others) {
            text += "; as \(other.unit.rawValue) \(count == 1 ? "it" : "they") would be \(other.years)"
        }
        return text
    }
}

/// Numbers that are likely days of a spreadsheet, counted from 1899-12-30.
struct SpreadsheetDays {
    let displayText: String

    /// Nil if a number is outside the years 1982 to 2064, or the name of the column names no date.
    init?(_ numbers: NumberInference, column: String) {
        guard numbers.count > 0, numbers.least >= 30_000, numbers.most < 60_200, DateWords.are(in: column)
        else { return nil }
        // 25,569 is 1970-01-01.
        let days = [numbers.least, numbers.most].map { CalendarDay(number: Int32($0.rounded(.down)) - 25_569) }
        let range = days[0] == days[1] ? "\(days[0])" : "\(days[0]) to \(days[1])"
        displayText =
            "may hold days as spreadsheets count them: \(range); "
            + "'derive_columns' makes days of them by add_days(date '1899-12-30', to_integer(floor(…)))"
    }
}

/// Words in the names of date columns.
enum DateWords {
    private static let words: Set<String> = [
        "date", "dates", "day", "time", "timestamp", "ts", "at", "on", "created", "updated", "modified", "saved",
        "start", "started", "end", "ended", "since", "birthday", "birth", "born", "due", "deadline", "expires",
        "expiry", "when", "datetime", "dt",
    ]
    private static let parts = ["날짜", "일시", "일자", "시각", "생일", "기념일", "마감"]

    /// Whether the name of a column has such a word: `savedDate`, `created_at`, `시작 날짜`.
    static func are(in name: String) -> Bool {
        parts.contains(where: name.contains) || !words.isDisjoint(with: NameWords.of(name))
    }
}

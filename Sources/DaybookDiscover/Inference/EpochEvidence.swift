import DaybookDates

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
        var plausible = all.filter { EpochEvidence.lies($0, in: EpochEvidence.years) }
        guard !plausible.isEmpty else { return nil }
        // Stable: equals keep the order of the units.
        plausible = plausible.enumerated().sorted { first, second in
            let (one, other) = (numbers.recent(in: first.element.unit), numbers.recent(in: second.element.unit))
            return one == other ? first.offset < second.offset : one > other
        }.map(\.element)
        let recent = plausible.map { numbers.recent(in: $0.unit) }
        isClear = plausible.count == 1 || (recent[0] * 2 >= numbers.count && recent.dropFirst().allSatisfy { $0 == 0 })
        readings = plausible
        others = all.filter { !plausible.contains($0) && (1970...2100).contains($0.first.components.year) }
        count = numbers.count
        signs = EpochEvidence.signs(numbers, plausible[0].unit, column)
    }

    private static func reading(_ unit: EpochUnit, _ numbers: NumberInference) -> Reading? {
        // Such small numbers would all be days of one month in 1970.
        guard unit != .epochMillis || max(numbers.least.magnitude, numbers.most.magnitude) > 3e10 else { return nil }
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
    private let numbers: NumberInference

    /// Nil if a number is outside the years 1982 to 2064, or the name of the column names no date.
    init?(_ numbers: NumberInference, column: String) {
        guard numbers.count > 0, numbers.least >= 30_000, numbers.most < 60_200, DateWords.are(in: column) else {
            return nil
        }
        self.numbers = numbers
    }

    var displayText: String {
        // 25,569 is 1970-01-01.
        let (first, last) = (numbers.least, numbers.most)
        let days = [first, last].map { CalendarDay(number: Int32($0.rounded(.down)) - 25_569) }
        let range = days[0] == days[1] ? "\(days[0])" : "\(days[0]) to \(days[1])"
        return "may hold days as spreadsheets count them: \(range); "
            + "'derive_columns' makes days of them by add_days(date '1899-12-30', to_integer(floor(…)))"
    }
}

/// Words in the names of date columns.
enum DateWords {
    private static let words: Set<String> = [
        "date", "dates", "day", "time", "timestamp", "ts", "at", "on", "created", "updated", "modified", "saved",
        "start", "started", "end", "ended", "since", "birthday", "birth", "born", "due", "deadline", "expires",
        "expiry",
        "when", "datetime", "dt",
    ]
    private static let parts = ["날짜", "일시", "일자", "시각", "생일", "기념일", "마감"]

    /// Whether the name of a column has such a word: `savedDate`, `created_at`, `시작 날짜`.
    static func are(in name: String) -> Bool {
        parts.contains(where: name.contains) || !words.isDisjoint(with: NameWords.of(name))
    }
}

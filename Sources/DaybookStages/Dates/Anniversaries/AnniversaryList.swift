import DaybookDates
import DaybookPages

/// An anniversary of a start.
struct Anniversary {
    /// The row of the start.
    var parent: Int32
    var date: Int32
    /// Days from the start.
    var count: Int64
    /// The years that it completes, or 0.
    var years: Int64
}

/// The anniversaries in a batch, in row order.
struct AnniversaryList {
    /// Result of listing one start.
    enum Outcome {
        /// The number of anniversaries added.
        case listed(Int)
        /// More anniversaries than the limit; none was added.
        case tooMany
        /// The start lies outside the table of the lunar calendar; none was added.
        case outsideLunarCalendar
    }

    private(set) var found: [Anniversary] = []
    /// Whether the end of the lunar table cut the last list short.
    private(set) var isCutShort = false

    private let terms: AnniversaryTerms
    /// The next date of each element of `terms.every`.
    private var upcoming: [Int64]

    init(_ terms: AnniversaryTerms) {
        self.terms = terms
        upcoming = terms.every
    }

    /// Adds the anniversaries of a start in order of time; `extra` is listed wherever it falls.
    mutating func add(row: Int, start: Int32, extra: Int32?) -> Outcome {
        isCutShort = false
        var yearly = YearCursor(start, terms)
        if let yearly, yearly.isUnknown { return .outsideLunarCalendar }
        let end = self.end(of: start, &yearly)
        let begin = terms.since.map(Int64.init) ?? Int64(start)
        for index in upcoming.indices { upcoming[index] = firstDate(of: terms.every[index], after: start, from: begin) }
        yearly?.skip(to: begin)
        var rest = extra.map(Int64.init) ?? .max
        let before = found.count
        while true {
            var date = rest
            for index in upcoming.indices where upcoming[index] <= end { date = min(date, upcoming[index]) }
            if let next = yearly?.date, next <= end { date = min(date, next) }
            guard date != .max else { break }
            guard found.count - before < AnniversaryTerms.limit else {
                found.removeLast(found.count - before)
                return .tooMany
            }
            var completed: Int64 = 0
            if let next = yearly?.date, next == date {
                completed = yearly?.years ?? 0
                yearly?.advance()
            }
            for index in upcoming.indices where upcoming[index] == date { upcoming[index] += terms.every[index] }
            if date == rest { rest = .max }
            let (parent, day) = (Int32(truncatingIfNeeded: row), Int32(truncatingIfNeeded: date))
            found.append(Anniversary(parent: parent, date: day, count: date - Int64(start), years: completed))
        }
        return .listed(found.count - before)
    }

    /// The last day to list, within the calendars' range.
    private mutating func end(of start: Int32, _ yearly: inout YearCursor?) -> Int64 {
        var end: Int64
        switch terms.end {
        case .day(let day): end = Int64(day)
        case .years(let years):
            let cursor = yearly ?? YearCursor(start, YearlyDay(leapDay: .feb28))
            end = cursor.date(after: Int64(years)) ?? .max
        }
        end = min(end, Int64(CalendarDay.range.upperBound))
        if terms.yearly != nil, terms.calendar == .koreanLunar, end > Int64(KoreanLunarCalendar.days.upperBound) {
            isCutShort = true
            end = Int64(KoreanLunarCalendar.days.upperBound)
        }
        return end
    }

    /// The first multiple of `step` days on or after `begin`.
    private func firstDate(of step: Int64, after start: Int32, from begin: Int64) -> Int64 {
        let origin = Int64(start) - terms.firstDay
        let distance = begin - origin
        let multiple = max(1, distance > 0 ? (distance + step - 1) / step : 1)
        return origin + multiple * step
    }
}

/// Iterates over the yearly days after a start.
private struct YearCursor {
    /// Completed years at `date`.
    private(set) var years: Int64 = 1
    /// The next yearly day; nil beyond the end of the calendar.
    private(set) var date: Int64?
    /// Whether the start lies outside the lunar table.
    let isUnknown: Bool

    private let yearly: YearlyDay
    private let civil: CivilDate
    private let lunar: LunarDate?
    private let isLunar: Bool

    /// Nil if the job lists no yearly days.
    init?(_ start: Int32, _ terms: AnniversaryTerms) {
        guard let yearly = terms.yearly else { return nil }
        self.init(start, yearly, isLunar: terms.calendar == .koreanLunar)
    }

    init(_ start: Int32, _ yearly: YearlyDay, isLunar: Bool = false) {
        self.yearly = yearly
        self.isLunar = isLunar
        civil = CivilDate(day: start)
        lunar = isLunar ? KoreanLunarCalendar.date(ofDay: start) : nil
        isUnknown = isLunar && lunar == nil
        date = nil
        date = date(after: 1)
    }

    /// The yearly day `years` years after the start, or nil beyond the end of the calendar.
    func date(after years: Int64) -> Int64? {
        let first = Int64(lunar?.year ?? civil.year)
        guard let year = Int32(exactly: first + years), year <= 9_999 else { return nil }
        guard isLunar else { return Int64(yearly.number(of: civil, in: year)) }
        guard let lunar else { return nil }
        return KoreanLunarCalendar.day(keeping: lunar, in: year).map(Int64.init)
    }

    mutating func advance() {
        years += 1
        date = date(after: years)
    }

    /// Advances to the first yearly day on or after `begin`.
    mutating func skip(to begin: Int64) {
        let first = Int64(lunar?.year ?? civil.year)
        let year = Int64(CivilDate(day: Int32(clamping: begin)).year)
        // A lunar year begins up to two months into the Gregorian year, so the search starts a year early.
        years = max(1, year - first - 1)
        date = date(after: years)
        while let next = date, next < begin { advance() }
    }
}

/// A date that 24 hours a day miss, the day that they reach instead, and how many dates of a start they miss.
typealias StrayedDate = (date: Int32, reached: Int32, count: Int)

/// The start days of a batch, or start instants with their days in a time zone.
struct AnniversaryStarts {
    let days: Values<Int32>
    /// Nil if the column holds days.
    private let moments: Values<Int64>?
    private var clocks: ZoneCursor

    /// - Parameter zone: required if the column holds instants.
    init(_ column: Column, in zone: ZoneRules?) {
        switch column {
        case .days(let days):
            self.days = days
            moments = nil
            clocks = ZoneCursor(.utc)
        case .instants(let instants):
            guard let zone else {
                preconditionFailure("the schema check asks for a time zone where starts are moments")
            }
            var cursor = ZoneCursor(zone)
            days = instants.mapValues { cursor.day(ofInstant: $0) }
            moments = instants
            clocks = cursor
        default: preconditionFailure("the schema check takes starts that are days or moments")
        }
    }

    /// Compares dates with the start instant plus 24 hours a day. Returns the first date that differs because clocks
    /// changed in between, or nil if none differs.
    mutating func strayed(_ row: Int, among found: ArraySlice<Anniversary>) -> StrayedDate? {
        guard let moments else { return nil }
        var first: StrayedDate?
        for one in found {
            // Starts and dates lie in the years 1 to 9999, and the sum exceeds them by a few hours at most.
            let reached = clocks.day(ofInstant: moments.elements[row] &+ one.count &* InstantParts.microsPerDay)
            guard reached != one.date else { continue }
            first = (first?.date ?? one.date, first?.reached ?? reached, (first?.count ?? 0) + 1)
        }
        return first
    }
}

extension ListAnniversaries {
    static let tooMany = Finding.Kind(
        "too-many-anniversaries",
        "{value} has more than \(AnniversaryTerms.limit) anniversaries up to the end of the list"
    )
    static let cutShort = Finding.Kind(
        "lunar-calendar-ends",
        "the anniversaries of {value} are listed up to lunar year 2100, the last that is known",
        severity: .warning
    )
    static let noDayZero = Finding.Kind(
        "no-day-zero",
        "{value} names no day: where the start counts as day 1, there is no day 0"
    )
    static let misprint = Finding.Kind(
        "misprinted-count",
        "the count is written 'D-Day' or 'D-5', not 'D-0' or 'D--5'",
        severity: .warning
    )
    static let daylightSaving = Finding.Kind(
        "daylight-saving",
        "24 hours a day from {value} lead to another day than the calendar, because clocks were changed in between",
        severity: .warning
    )

    func warnOfMisprint(_ count: Int64, _ row: Int, _ findings: inout Findings) {
        let right = count == 0 ? "D-Day" : "D-\(count.magnitude)"
        findings.warn(
            row,
            findings.token(ListAnniversaries.misprint, in: at),
            saying: "the count is written '\(right)'; counters that put 'D-' before any number show it as 'D-\(count)'"
        )
    }

    /// Warns of the first date that adding 24 hours a day would miss.
    func warnOfClocks(_ row: Int, from start: Int32, to first: StrayedDate, _ findings: inout Findings) {
        let days = Int64(first.date) - Int64(start)
        let side = days < 0 ? "before" : "after"
        let hours = days.magnitude == 1 ? "24 hours" : "\(days.magnitude) times 24 hours"
        let more = first.count > 1 ? "; \(first.count - 1) more of its anniversaries differ likewise" : ""
        findings.warn(
            row,
            findings.token(ListAnniversaries.daylightSaving, in: self.start),
            saying: """
                \(days.magnitude) day\(days.magnitude == 1 ? "" : "s") \(side) \(CalendarDay(number: start)) is \
                \(CalendarDay(number: first.date)), the day that people mean; adding up \(hours) gives \
                \(CalendarDay(number: first.reached)), because clocks in \(zone?.name ?? "UTC") were changed in between\(more)
                """
        )
    }
}

extension Finding.Kind {
    static let dateOutOfRange = Finding.Kind("date-out-of-range", "{value} days lead outside of the years 1 to 9999")
}

/// Which anniversaries of a start to list, and up to which day.
struct AnniversaryTerms {
    /// The most anniversaries of one start. More are a mistake in the job or in the start and are refused: a row of a
    /// few bytes must not become a table that fills the memory.
    static let limit = 1_000

    /// Steps in days, each once; every multiple is listed.
    let every: [Int64]
    let yearly: YearlyDay?
    let calendar: DayCalendar
    /// 1 if the start itself counts as `D+1`, else 0. `every` and `at` follow this numbering; the count columns follow
    /// the calendar.
    let firstDay: Int64
    /// The first day to list, or nil to list from the start on.
    let since: Int32?
    let end: End

    enum End: Equatable {
        /// The last day to list.
        case day(Int32)
        /// The number of years after each start.
        case years(Int32)
    }

    /// Reads the options; `hasCounts` says whether a column holds the counts.
    init(reading options: inout OptionReader, hasCounts: Bool) {
        let every: [Int] = options.read(
            "every",
            default: [],
            help: "Days after which an anniversary comes round, such as 100; or several numbers."
        )
        let isYearly: Bool = options.read("yearly", default: false, help: "Whether to list the day in each later year.")
        let firstDay: Int = options.read(
            "first_day",
            default: 0,
            help: "What the start itself is called: 0, or 1 as couples count, so that D+100 is 99 days later."
        )
        let since: RelativeDay? = options.optional(
            "since",
            help: "The first day to list, such as as_of; else all from the start on."
        )
        let until: RelativeDay? = options.optional(
            "until",
            help: "The last day to list: a date, as_of, or as_of + 2 years; as_of + 1 year unless the job says more."
        )
        let years: Int? = options.optional(
            "years",
            help: "How many years after each start to list, in place of 'until'."
        )
        calendar = options.read(
            "calendar",
            default: .gregorian,
            help: "The calendar by which the day comes back each year: gregorian or korean_lunar."
        )
        let leapDay: YearlyDay.LeapDay = options.read(
            "leap_day",
            default: .feb28,
            help: "Where 29 February is kept in years that have none."
        )
        self.every = Set(every).sorted().map(Int64.init)
        yearly = isYearly ? YearlyDay(leapDay: leapDay) : nil
        self.firstDay = Int64(firstDay)
        let asOf = options.context.asOf
        self.since = since?.day(asOf: asOf)?.number
        let last = (until ?? .asOf(plus: 1, .year)).day(asOf: asOf)
        end = years.map { .years(Int32(clamping: $0)) } ?? .day(last?.number ?? asOf.number)

        if !isYearly { options.refuse("calendar", "leap_day", without: "yearly", hint: "add 'yearly: true'") }
        if calendar == .koreanLunar, options.isWritten("leap_day") {
            options.refuse("leap_day", "'leap_day' has no meaning in the lunar calendar", hint: "leave it out")
        }
        if firstDay != 0, firstDay != 1 {
            options.refuse("first_day", "'first_day': expected 0 or 1, found '\(firstDay)'")
        }
        if every.isEmpty, !isYearly { refuseNothing(&options, hasCounts) }
        if let wrong = every.first(where: { !(1...1_000_000).contains($0) }) {
            options.refuse("every", "'every': expected days from 1 to 1000000, found '\(wrong)'")
        } else if every.count > 50 {
            options.refuse("every", "'every' names \(every.count) numbers of days, and takes 50 at most")
        }
        refuseEnd(&options, since, until, years)
    }

    private func refuseNothing(_ options: inout OptionReader, _ hasCounts: Bool) {
        guard hasCounts else {
            let hint = "add 'every: 100' for each hundredth day, or 'yearly: true'"
            options.refuse("every", "none of 'every', 'yearly' and 'at' says which anniversaries to list", hint: hint)
            return
        }
        for key in ["since", "until", "years"] where options.isWritten(key) {
            let message = "'\(key)' bounds 'every' and 'yearly', and the counts of 'at' are listed wherever they fall"
            options.refuse(key, message, hint: "leave it out")
        }
    }

    private func refuseEnd(_ options: inout OptionReader, _ since: RelativeDay?, _ until: RelativeDay?, _ years: Int?) {
        let asOf = options.context.asOf
        for (key, day) in [("since", since), ("until", until)] {
            guard let day, day.day(asOf: asOf) == nil else { continue }
            options.refuse(key, "'\(key)': '\(day.written)' lies outside of the years 1 to 9999")
        }
        if let since, let until, let first = since.day(asOf: asOf), let last = until.day(asOf: asOf), first > last {
            options.refuse("since", "'since' is \(first), and 'until' is \(last), which comes before it")
        }
        guard let years else { return }
        if until != nil {
            options.refuse("years", "'years' and 'until' both say where the list ends", hint: "leave one of them out")
        }
        if !(1...200).contains(years) {
            options.refuse("years", "'years': expected 1 to 200, found '\(years)'")
        } else if since == nil, let shortest = every.first, shortest > 0,
            Int64(years) * 365 / shortest > Int64(AnniversaryTerms.limit)
        {
            options.refuse(
                "years",
                "every \(shortest) days for \(years) years are more than \(AnniversaryTerms.limit) anniversaries of each start",
                hint: "list fewer years, or begin with 'since: as_of'"
            )
        }
    }
}

/// A day in an option: a date, `as_of`, or an offset from either, as in `as_of + 2 years`.
struct RelativeDay: OptionValue, Hashable {
    enum Unit: String, CaseIterable { case day, week, month, year }

    /// The date that is written; nil for a day counted from `as_of`.
    private let date: CalendarDay?
    private let amount: Int
    private let unit: Unit

    private init(_ date: CalendarDay?, plus amount: Int = 0, _ unit: Unit = .day) {
        (self.date, self.amount, self.unit) = (date, amount, unit)
    }

    static let asOf = RelativeDay(nil)

    static func asOf(plus amount: Int, _ unit: Unit) -> RelativeDay { RelativeDay(nil, plus: amount, unit) }
    static var kind: OptionKind { .either([.day, .text]) }
    static var placeholder: RelativeDay { asOf }

    init(reading node: OptionNode) throws(DaybookError) {
        let text = node.text ?? ""
        if let date = CalendarDay(iso: text) {
            self.init(date)
        } else if let match = text.wholeMatch(of: /as_of(?: *([+-]) *([0-9]{1,5}) +(day|week|month|year)s?)?/) {
            let size = match.output.2.flatMap { Int($0) } ?? 0
            let unit = match.output.3.flatMap { Unit(rawValue: String($0)) }
            self.init(nil, plus: match.output.1 == "-" ? -size : size, unit ?? .day)
        } else {
            throw node.expected("a day", hint: "write a date such as 2026-11-21, as_of, or as_of + 2 years")
        }
    }

    var written: String {
        if let date { return date.written }
        guard amount != 0 else { return "as_of" }
        return
            "as_of \(amount < 0 ? "-" : "+") \(amount.magnitude) \(unit.rawValue)\(amount.magnitude == 1 ? "" : "s")"
    }

    /// The day in a run with that `as_of`; nil outside the years 1 to 9999.
    func day(asOf: CalendarDay) -> CalendarDay? {
        if let date { return date }
        switch unit {
        case .day: return RelativeDay.checked(Int(asOf.number) + amount)
        case .week: return RelativeDay.checked(Int(asOf.number) + 7 * amount)
        case .month: return RelativeDay.day(asOf, plusMonths: amount)
        case .year: return RelativeDay.day(asOf, plusMonths: 12 * amount)
        }
    }

    private static func checked(_ number: Int) -> CalendarDay? {
        Int32(exactly: number).flatMap { CalendarDay.range.contains($0) ? CalendarDay(number: $0) : nil }
    }

    /// The same day of another month, or the last day of a shorter month.
    private static func day(_ day: CalendarDay, plusMonths months: Int) -> CalendarDay? {
        let number = Int(CalendarMonth(of: day).number) + months
        // January of year 1 to December of year 9999.
        guard (12..<120_000).contains(number) else { return nil }
        return CalendarMonth(number: Int32(number)).day(day.components.day)
    }
}

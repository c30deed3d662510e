import DaybookDates

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
    /// changed in between, the day reached instead, and the number of such dates. Nil if none differs.
    mutating func strayed(_ row: Int, among found: ArraySlice<Anniversary>) -> (date: Int32, day: Int32, count: Int)? {
        guard let moments else { return nil }
        var first: (date: Int32, day: Int32, count: Int)?
        for one in found {
            // Starts and dates lie in the years 1 to 9999, and the sum exceeds them by a few hours at most.
            let reached = clocks.day(ofInstant: moments.elements[row] &+ one.count &* InstantParts.microsPerDay)
            guard reached != one.date else { continue }
            first = (first?.date ?? one.date, first?.day ?? reached, (first?.count ?? 0) + 1)
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

    /// Warns of the first date that adding 24 hours a day would miss: its day, the day reached instead, and the number
    /// of further such dates of this start.
    func warnOfClocks(
        _ row: Int,
        from start: Int32,
        to date: Int32,
        not reached: Int32,
        _ count: Int,
        _ findings: inout Findings
    ) {
        let days = Int64(date) - Int64(start)
        let side = days < 0 ? "before" : "after"
        let hours = days.magnitude == 1 ? "24 hours" : "\(days.magnitude) times 24 hours"
        let more = count > 1 ? "; \(count - 1) more of its anniversaries differ likewise" : ""
        findings.warn(
            row,
            findings.token(ListAnniversaries.daylightSaving, in: self.start),
            saying: """
                \(days.magnitude) day\(days.magnitude == 1 ? "" : "s") \(side) \(CalendarDay(number: start)) is \
                \(CalendarDay(number: date)), the day that people mean; adding up \(hours) gives \
                \(CalendarDay(number: reached)), because clocks in \(zone?.name ?? "UTC") were changed in between\(more)
                """
        )
    }
}

extension Finding.Kind {
    static let dateOutOfRange = Finding.Kind("date-out-of-range", "{value} days lead outside of the years 1 to 9999")
}

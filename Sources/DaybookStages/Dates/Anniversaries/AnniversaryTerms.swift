import DaybookDates
import DaybookPages

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

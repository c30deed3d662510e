import DaybookTables

/// A column has to have a day in every period between its first and last day, in any order; with `by`, each group between its
/// own first and last day. Rows without a day, or with a missing value in `by`, are skipped.
struct NoGaps: MemoryRule, Grouping {
    static let name = "no_gaps"
    static let summary =
        "Every day, week or month between the first and the last day of a column is there, for each group of rows."
    static let isAboutTable = true
    static let comparesRows = true
    static var shorthand: String? { "column" }

    let column: ColumnName
    let by: [ColumnName]
    let period: Period

    init(reading options: inout OptionReader) {
        column = options.read("column", help: "Column of days.")
        by = options.read("by", default: [], help: "Columns that tell groups apart, each with days of its own.")
        let weekdays = options.read(
            "weekdays",
            default: false,
            help: "Whether Saturdays and Sundays may be left out. Holidays are days like others."
        )
        let every: Period? = options.optional(
            "every",
            help:
                "What has to be there: every day, every weekday, a day of every week from Monday on, or of every month; else day."
        )
        if weekdays, every != nil { options.refuse("every", "'weekdays' says already that it is every weekday") }
        period = every ?? (weekdays ? .weekday : .day)
        if by.contains(column) { options.refuse("by", "'by' names the days themselves") }
        options.refuseRepeats(of: by, in: "by")
    }

    var finding: Finding.Kind { Finding.Kind("missing-days", "some days are not there") }
    var columns: [ColumnName] { [column] + by }
    var complaint: String { "leave out \(period.plural) in '\(column)'" }
    var expectation: String { "every \(period.each) between the first and the last day in '\(column)'" }

    func check(_ input: Schema) throws(DaybookError) {
        let hint = "put normalise_dates before this stage, or derive the day of an instant"
        try input.requiring(column, .day, hint: hint)
        for column in by { try input.requiringComparable(column) }
    }

    func values(of schema: Schema) -> [(values: any GroupValues, column: ColumnName?)] { [(DaySets(), column)] }

    func partial(of rows: CheckedRows, reporting breaches: inout [Breach]) -> GroupSummary {
        GroupSummary(rows.having(columns), self)
    }

    func conclude(_ memory: GroupSummary?, _ conclusion: inout RuleConclusion) throws(DaybookError) {
        guard let memory else { return }
        let fields = by.compactMap { conclusion.schema[$0] }
        var (groups, broken) = (0, 0)
        // The first groups that leave periods out, in input order.
        var shown: [(met: Int, text: String)] = []
        try memory.forEachDays(of: fields) { met, days, name in
            groups += 1
            guard let gaps = Gaps(in: days, period) else { return }
            broken += 1
            guard shown.count < 3 || met < shown[2].met else { return }
            shown.append((met, "\(by.isEmpty ? "'\(column)'" : name()) \(gaps.displayText)"))
            shown.sort { $0.met < $1.met }
            shown.removeSubrange(min(shown.count, 3)...)
        }
        guard broken > 0 else { return }
        let texts = shown.map(\.text).joined(separator: "; ")
        guard !by.isEmpty else { return conclusion.judge(texts) }
        let rest = broken > shown.count ? "; and \((broken - shown.count).displayText) more" : ""
        conclusion.judge(
            "\(broken.displayText) of \(groups.displayText) groups \(broken == 1 ? "leaves" : "leave") out \(period.plural): \(texts)\(rest)"
        )
    }

    /// What has to be there between the first and the last day. Periods are numbered without gaps, weekends left out.
    enum Period: String, Sendable, Hashable, BitwiseCopyable, OptionChoice {
        case day, weekday, week, month

        var plural: String { "\(rawValue)s" }
        var each: String { self == .weekday ? "day from Monday to Friday" : rawValue }

        /// The number of the period of a day; of a weekend, that of the Monday after it or of the Friday before it.
        fileprivate func number(of day: Int32, orBefore: Bool = false) -> Int {
            // Day 0 is a Thursday.
            let (week, weekday) = (Int(day) + 3).quotientAndModulo(by: 7)
            switch self {
            case .day: return Int(day)
            case .weekday: return week * 5 + (weekday < 5 ? weekday : orBefore ? 4 : 5)
            case .week: return week
            case .month: return Int(CalendarDay.month(of: day))
            }
        }

        /// `2026-11-21`, `the week of 2026-11-16`, `2026-11`.
        fileprivate func name(of number: Int) -> String {
            switch self {
            case .day: return "\(CalendarDay(number: Int32(number)))"
            case .weekday:
                let (week, weekday) = number.quotientAndModulo(by: 5)
                return "\(CalendarDay(number: Int32(week * 7 + weekday - 3)))"
            case .week: return "the week of \(CalendarDay(number: Int32(number * 7 - 3)))"
            case .month:
                let (year, month) = number.quotientAndModulo(by: 12)
                let day = CalendarDay(number: CalendarDay.number(year: year, month: month + 1, day: 1))
                return String("\(day)".dropLast(3))
            }
        }
    }

    /// The periods that are missing between the first and the last day.
    private struct Gaps {
        private let period: Period
        private var gaps: [ClosedRange<Int>] = []
        private var all = 0
        private let first: Int32
        private let last: Int32

        /// Nil if none is missing.
        init?(in days: DayRuns, _ period: Period) {
            guard let first = days.runs.first?.first, let last = days.runs.last?.last else { return nil }
            (self.period, self.first, self.last) = (period, first, last)
            var (begin, end): (Int?, Int?) = (nil, nil)
            for run in days.runs {
                let (from, to) = (period.number(of: run.first), period.number(of: run.last, orBefore: true))
                // Of a weekend, the period after it and the one before it.
                if let end, from > end + 1 { gaps.append((end + 1)...(from - 1)) }
                (begin, end) = (begin ?? from, to)
            }
            guard let begin, let end, !gaps.isEmpty else { return nil }
            all = end - begin + 1
        }

        /// `leaves out 3 of 31 days from 2026-01-01 to 2026-01-31: 2026-01-05, 2026-01-10 to 2026-01-11`.
        var displayText: String {
            let out = gaps.reduce(0) { $0 + $1.count }
            let shown = gaps.prefix(3).map { gap in
                let name = period.name(of: gap.lowerBound)
                return gap.count == 1 ? name : "\(name) to \(period.name(of: gap.upperBound))"
            }
            let rest = gaps.count > 3 ? " and more" : ""
            return
                "leaves out \(out.displayText) of \(all.displayText) \(period.plural) from \(CalendarDay(number: first)) "
                + "to \(CalendarDay(number: last)): \(shown.joined(separator: ", "))\(rest)"
        }
    }

    static let examples: [StageExample] = [
        .passing(
            "a day that is left out is told, in whatever order the days come",
            options: "rules: [{ no_gaps: date }]",
            rows: """
                date:day
                2026-11-04
                2026-11-01

                2026-11-02
                2026-11-02
                """,
            findings: ["0 date missing-days"]
        ),
        .passing(
            "each shop has days of its own, and with 'weekdays' the weekend may be left out",
            options: """
                rules:
                  - no_gaps: { column: date, by: shop, weekdays: true }
                  - no_gaps: { column: date, by: [shop] }
                    where: shop = '서울'
                """,
            rows: """
                shop:text,date:day
                서울,2026-11-20
                부산,2026-11-09
                부산,2026-11-10
                서울,2026-11-23
                ,2026-11-30
                """,
            findings: ["0 date missing-days"]
        ),
        .passing(
            "a table of weeks has a day in each week from Monday on, and one of months in each month",
            options: """
                rules:
                  - no_gaps: { column: date, by: shop, every: week }
                    where: shop = '서울'
                  - no_gaps: { column: date, every: month }
                """,
            rows: """
                shop:text,date:day
                서울,2026-11-01
                서울,2026-11-15
                서울,2026-11-22
                부산,2027-01-31
                """,
            findings: ["0 date missing-days", "0 date missing-days"]
        ),
        StageExample(
            "text is not a day",
            options: "rules: [{ no_gaps: date }]",
            input: "date:text",
            refused: "column 'date' holds text, not day"
        ),
    ]
}

extension MemoryRule where Partial == GroupSummary {
    public func merge(_ later: GroupSummary, into earlier: inout GroupSummary, scratch: any Scratch)
        throws(DaybookError)
    { try earlier.merge(later, limit: scratch.memoryLimit, scratch) }
}

extension Int {
    /// The quotient rounded down, and the non-negative remainder.
    fileprivate func quotientAndModulo(by divisor: Int) -> (quotient: Int, remainder: Int) {
        let (quotient, remainder) = quotientAndRemainder(dividingBy: divisor)
        return remainder < 0 ? (quotient - 1, remainder + divisor) : (quotient, remainder)
    }
}

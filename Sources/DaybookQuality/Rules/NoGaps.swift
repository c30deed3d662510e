import DaybookTables

/// A column has to contain every calendar day between its first and last day, in any order; with `by`, each group
/// between its own first and last day. Rows without a day, or with a missing value in `by`, are skipped.
struct NoGaps: MemoryRule, Grouping {
    static let name = "no_gaps"
    static let summary = "Every day between the first and the last one of a column is there, for each group of rows."
    static let findsLate = false
    static let isAboutTable = true
    static let comparesRows = true
    static var shorthand: String? { "column" }

    let column: ColumnName
    let by: [ColumnName]
    let weekdays: Bool

    init(reading options: inout OptionReader) {
        column = options.read("column", help: "Column of days.")
        by = options.read("by", default: [], help: "Columns that tell groups apart, each with days of its own.")
        weekdays = options.read(
            "weekdays",
            default: false,
            help: "Whether Saturdays and Sundays may be left out. Holidays are days like others."
        )
        if by.contains(column) { options.refuse("by", "'by' names the days themselves") }
        options.refuseRepeats(of: by, in: "by")
    }

    var finding: Finding.Kind { Finding.Kind("missing-days", "some days are not there") }
    var columns: [ColumnName] { [column] + by }
    var complaint: String { "leave out days in '\(column)'" }
    var expectation: String {
        "every day\(weekdays ? " from Monday to Friday" : "") between the first and the last one in '\(column)'"
    }

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
        // The first groups that leave days out, in input order.
        var shown: [(met: Int, text: String)] = []
        try memory.forEachDays(of: fields) { met, days, name in
            groups += 1
            let gaps = gaps(in: days)
            guard !gaps.isEmpty else { return }
            broken += 1
            guard shown.count < 3 || met < shown[2].met else { return }
            shown.append((met, "\(by.isEmpty ? "'\(column)'" : name()) \(displayText(gaps, in: days))"))
            shown.sort { $0.met < $1.met }
            shown.removeSubrange(min(shown.count, 3)...)
        }
        guard broken > 0 else { return }
        let texts = shown.map(\.text).joined(separator: "; ")
        guard !by.isEmpty else { return conclusion.judge(texts) }
        let rest = broken > shown.count ? "; and \((broken - shown.count).displayText) more" : ""
        conclusion.judge("\(broken.displayText) of \(groups.displayText) groups leave out days: \(texts)\(rest)")
    }

    /// The missing days between the present ones.
    private func gaps(in days: DayRuns) -> [DayRun] {
        let gaps = zip(days.runs, days.runs.dropFirst()).map { DayRun(first: $0.last + 1, last: $1.first - 1) }
        return weekdays ? gaps.compactMap(NoGaps.weekdays) : gaps
    }

    /// A run without the Saturdays and Sundays at its ends; nil if it has no other days.
    private static func weekdays(_ run: DayRun) -> DayRun? {
        var run = run
        while run.first <= run.last, isWeekend(run.first) { run.first += 1 }
        while run.first <= run.last, isWeekend(run.last) { run.last -= 1 }
        return run.first <= run.last ? run : nil
    }

    /// Day 0 is a Thursday.
    private static func isWeekend(_ day: Int32) -> Bool { (Int(day) + 3).modulo(7) > 4 }

    /// The number of required days of a run.
    private func length(_ run: DayRun) -> Int {
        let all = Int(run.last) - Int(run.first) + 1
        guard weekdays else { return all }
        // Whole weeks, and the remaining days.
        let rest = (Int(run.last) - all % 7 + 1)..<(Int(run.last) + 1)
        return all / 7 * 5 + rest.count { ($0 + 3).modulo(7) <= 4 }
    }

    /// `leaves out 3 of 31 days from 2026-01-01 to 2026-01-31: 2026-01-05, 2026-01-10 to 2026-01-11`.
    private func displayText(_ gaps: [DayRun], in days: DayRuns) -> String {
        guard let first = days.runs.first?.first, let last = days.runs.last?.last else { return "" }
        let out = gaps.reduce(0) { $0 + length($1) }
        let all = length(DayRun(first: first, last: last))
        let shown = gaps.prefix(3).map { gap in
            let day = "\(CalendarDay(number: gap.first))"
            return gap.first == gap.last ? day : "\(day) to \(CalendarDay(number: gap.last))"
        }
        let rest = gaps.count > 3 ? " and more" : ""
        return
            "leaves out \(out.displayText) of \(all.displayText) \(weekdays ? "weekdays" : "days") from \(CalendarDay(number: first)) "
            + "to \(CalendarDay(number: last)): \(shown.joined(separator: ", "))\(rest)"
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
    /// The non-negative remainder.
    fileprivate func modulo(_ divisor: Int) -> Int { (self % divisor + divisor) % divisor }
}

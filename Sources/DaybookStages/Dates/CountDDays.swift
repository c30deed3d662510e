import DaybookDates

/// Counts the days from an anchor to every day in a column.
///
/// The count is always *day − anchor*: 12 for a day twelve days ahead, 0 on the anchor, −3 three days after the day. A
/// missing day has a missing count. Text is refused: `normalise_dates` reads dates, and two date readers would in time
/// disagree.
///
/// `recurs: yearly` counts to the next occurrence on or after the anchor. The day itself is the first occurrence, so a
/// day ahead of the anchor is its own next occurrence. Lunar occurrences end with the lunar table; rows beyond it are
/// rejected.
public struct CountDDays: TransformStage {
    enum Recurrence: String, OptionChoice { case yearly }

    let days: ColumnName
    let anchor: DayAnchor
    let counts: ColumnName
    let text: ColumnName?
    let firstDay: Int
    let recurs: Recurrence?
    let calendar: DayCalendar
    let leapDay: YearlyDay.LeapDay
    private let asOf: CalendarDay

    public init(reading options: inout OptionReader) {
        days = options.read("days", default: ColumnName("date"), help: "Column of days to count.")
        anchor = options.read(
            "anchor",
            default: .asOf,
            help: "The day that counts as 0: as_of, a date, or a column of days."
        )
        counts = options.read("counts", default: ColumnName("d_day"), help: "Column to write the counts to.")
        text = options.optional("text", help: "Column to write them to as people say them: D-12, D-Day, D+3.")
        firstDay = options.read(
            "first_day",
            default: 0,
            help: "What the text calls the day itself: 0 for D-Day, or 1 for D+1, as couples count."
        )
        recurs = options.optional("recurs", help: "Count to the next occurrence of days that come back: yearly.")
        calendar = options.read(
            "calendar",
            default: .gregorian,
            help: "The calendar by which days come back: gregorian or korean_lunar."
        )
        leapDay = options.read(
            "leap_day",
            default: .feb28,
            help: "Where 29 February falls in other years when it comes back."
        )
        asOf = options.context.asOf
        if firstDay != 0, firstDay != 1 {
            options.refuse("first_day", "'first_day': expected 0 or 1, found '\(firstDay)'")
        }
        if firstDay == 1, recurs != nil {
            let message = "'first_day' counts on from the day itself, and 'recurs' down to its next occurrence"
            options.refuse("first_day", message, hint: "leave one of them out")
        }
        if recurs == nil { options.refuse("calendar", "leap_day", without: "recurs", hint: "add 'recurs: yearly'") }
        if options.isWritten("leap_day"), calendar == .koreanLunar {
            options.refuse("leap_day", "'leap_day' has no meaning in the lunar calendar", hint: "leave it out")
        }
        if let text, text == counts {
            options.refuse("text", "'text' and 'counts' name the same column '\(text)'")
        }
    }

    public func schema(after input: Schema) throws(DaybookError) -> Schema {
        let hint = "put normalise_dates before this stage"
        try input.requiring(days, .day, hint: hint)
        if case .column(let column) = anchor { try input.requiring(column, .day, hint: hint) }
        let counted = try input.adding(counts, .integer)
        guard let text else { return counted }
        return try counted.adding(text, .text)
    }

    public func columns(neededFor wanted: ColumnSet) -> ColumnSet {
        var read = [days]
        if case .column(let column) = anchor { read.append(column) }
        return wanted.making([counts] + (text.map { [$0] } ?? []), from: read)
    }

    public func process(_ batch: Batch, reporting findings: inout Findings) -> Batch {
        let days = batch.days(in: days)
        var (fixed, anchors) = (asOf.number, Values<Int32>?.none)
        switch anchor {
        case .asOf: break
        case .day(let day): fixed = day.number
        case .column(let column): anchors = batch.days(in: column)
        }
        let counted =
            calendar == .koreanLunar
            ? countLunar(days, from: anchors, or: fixed, &findings)
            : anchors.map { count(days, from: $0) } ?? count(days, from: fixed)
        let result = batch.setting(counts, to: .integers(counted))
        guard let text else { return result }
        return result.setting(text, to: .text(DDayText.text(of: counted, firstDay: Int64(firstDay))))
    }

    private func count(_ days: Values<Int32>, from anchor: Int32) -> Values<Int64> {
        // Widened before subtracting, so no pair of days can overflow and the loop needs no check. The missing mask is
        // copied unchanged, so the loop has no branch.
        let zero = Int64(anchor)
        guard recurs != nil else { return days.mapValues { Int64($0) - zero } }
        let next = YearlyDay(leapDay: leapDay)
        return days.mapValues { Int64(next.occurrence(of: $0, onOrAfter: anchor)) - zero }
    }

    private func count(_ days: Values<Int32>, from anchors: Values<Int32>) -> Values<Int64> {
        let next = recurs.map { _ in YearlyDay(leapDay: leapDay) }
        var counted = days.combined(with: anchors) { day, anchor in
            Int64(next?.occurrence(of: day, onOrAfter: anchor) ?? day) - Int64(anchor)
        }
        for row in 0..<counted.count where anchors.missing.isMissing(row) {
            counted.missing.insert(row, of: counted.count)
        }
        return counted
    }

    private func countLunar(
        _ days: Values<Int32>,
        from anchors: Values<Int32>?,
        or fixed: Int32,
        _ findings: inout Findings
    ) -> Values<Int64> {
        let outside = findings.token(DayCalendar.outside, in: self.days)
        var counted = Values([Int64](repeating: 0, count: days.count), missing: days.missing)
        for row in 0..<days.count {
            if anchors?.missing.isMissing(row) ?? false { counted.missing.insert(row, of: days.count) }
            guard !counted.missing.isMissing(row) else { continue }
            let anchor = anchors?.elements[row] ?? fixed
            if let next = YearlyDay.lunarOccurrence(of: days.elements[row], onOrAfter: anchor) {
                counted.elements[row] = Int64(next) - Int64(anchor)
            } else {
                findings.reject(row, outside)
            }
        }
        return counted
    }

    public static let description = StageDescription(
        name: "count_d_days",
        summary: "Count the days from an anchor to each day in a column.",
        details: """
            The stage adds the column 'counts', a whole number: the day less the anchor, so 12 for a day twelve days ahead, 0 on \
            the anchor and -3 three days after the day. With 'text' it also adds the same as people say it: D-12, D-Day, D+3. With \
            'recurs: yearly' the count is that of the next occurrence on or after the anchor. A missing day has a missing count.
            """,
        examples: [
            StageExample(
                "days ahead are positive, days past negative, and a missing day stays missing",
                options: "anchor: 2026-03-01\ntext: said",
                input: """
                    date:day
                    2026-03-13
                    2026-03-01
                    2026-02-26

                    """,
                output: """
                    date:day,d_day:integer,said:text
                    2026-03-13,12,D-12
                    2026-03-01,0,D-Day
                    2026-02-26,-3,D+3
                    ,,
                    """
            ),
            StageExample(
                "couples call the first day day 1, so day 100 is 99 days later; the counts stay plain",
                options: "anchor: today\ntext: said\nfirst_day: 1",
                input: """
                    date:day,today:day
                    2026-01-01,2026-01-01
                    2026-01-01,2026-04-10
                    2026-01-13,2026-01-01
                    2026-01-13,
                    """,
                output: """
                    date:day,today:day,d_day:integer,said:text
                    2026-01-01,2026-01-01,0,D+1
                    2026-01-01,2026-04-10,-99,D+100
                    2026-01-13,2026-01-01,12,D-12
                    2026-01-13,,,
                    """
            ),
            StageExample(
                "a birthday comes back every year, and one on 29 February falls on the day that leap_day says",
                options: "days: born\nanchor: 2026-03-01\ncounts: sleeps\nrecurs: yearly\nleap_day: mar1",
                input: "born:day\n1998-03-02\n2000-02-29\n1990-02-28",
                output: """
                    born:day,sleeps:integer
                    1998-03-02,1
                    2000-02-29,0
                    1990-02-28,364
                    """
            ),
            StageExample(
                "a birthday that is kept by the lunar calendar: the new year, and one in a leap month that is seldom there",
                options: "days: born\nanchor: 2026-02-10\nrecurs: yearly\ncalendar: korean_lunar",
                input: "born:day\n1988-02-18\n2020-05-23\n1899-12-31",
                output: "born:day,d_day:integer\n1988-02-18,7\n2020-05-23,96",
                findings: ["3 born outside-the-lunar-calendar"]
            ),
            StageExample(
                "text is refused before a row is read",
                options: "days: born\nanchor: 2026-03-01\ncounts: age",
                input: "born:text\n1 March",
                refused: "column 'born' holds text, not day"
            ),
        ]
    )
}

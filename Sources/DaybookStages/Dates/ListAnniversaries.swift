import DaybookDates

/// Lists the anniversaries of start days, one row each.
///
/// Lists every hundredth day, every year, or the counts in a column. Anniversaries come in order of time for each
/// start, and two on one day make one row. Days are counted on the calendar, not in seconds, so clock changes move
/// nothing. An instant starts on its day in the job's time zone. Some apps add 24 hours a day instead, so the stage
/// warns where that gives another day. A missing start has no anniversaries, and neither has a list that ends before
/// its first one; such rows are dropped by name.
public struct ListAnniversaries: TransformStage {
    public static var keepsRows: Bool { false }

    let start: ColumnName
    let at: ColumnName?
    let terms: AnniversaryTerms
    let date: ColumnName
    let count: ColumnName
    let text: ColumnName
    let wholeYears: ColumnName
    let dateText: ColumnName
    /// Writes the dates as text; nil if the job wants days.
    let writer: DateTextWriter?
    /// The time zone for instants; nil if the job names none.
    let zone: ZoneRules?

    public init(reading options: inout OptionReader) {
        start = options.read(
            "start",
            help: "Column of start days, or of moments, whose days are those in the job's time zone."
        )
        at = options.optional("at", help: "Column of counts, each of which is listed wherever it falls.")
        terms = AnniversaryTerms(reading: &options, hasCounts: at != nil)
        date = options.read("date", default: ColumnName("date"), help: "Column to write the day to.")
        count = options.read(
            "count",
            default: ColumnName("count"),
            help: "Column to write the days from the start to, the plain difference whatever 'first_day' says."
        )
        text = options.read("text", default: ColumnName("text"), help: "Column to write the count to as D+100.")
        wholeYears = options.read(
            "whole_years",
            default: ColumnName("years"),
            help: "Column to write the years to that a yearly day completes; only with 'yearly'."
        )
        let form: DateFormatOption? = options.optional("as", help: "Write the day as text too, as iso or in a pattern.")
        dateText = options.read("date_text", default: ColumnName("date_text"), help: "Column to write that text to.")
        let locale: String? = options.optional("locale", help: "Whose names of months and weekdays 'as' writes.")
        if let pattern = form?.pattern, pattern.hasTime {
            options.refuse("as", "'as' writes a time, and a day has none", hint: "leave hours and minutes out")
            (zone, writer) = (nil, nil)
        } else {
            var dates = DateOptions()
            (dates.form, dates.locales) = (form, locale.map { [$0] })
            let (reader, writer) = dates.compile(&options)
            (zone, self.writer) = (reader?.zone, writer)
        }
        if terms.yearly == nil { options.refuse("whole_years", without: "yearly", hint: "add 'yearly: true'") }
        if form == nil {
            options.refuse("date_text", "locale", without: "as", hint: "add a pattern, such as 'as: yyyy/MM/dd'")
        }
    }

    public func schema(after input: Schema) throws(DaybookError) -> Schema {
        try input.requiring(start, .day, .instant, hint: "put normalise_dates before this stage")
        if input[start]?.kind == .instant, zone == nil { throw .missingTimezone(forInstantsIn: start) }
        if let at { try input.requiring(at, .integer, hint: "declare it as integer where it is imported") }
        var result = try input.adding(date, .day).adding(count, .integer).adding(text, .text)
        // One record makes several rows.
        result.areRecords = false
        if terms.yearly != nil { result = try result.adding(wholeYears, .integer) }
        return writer == nil ? result : try result.adding(dateText, .text)
    }

    public func columns(neededFor wanted: ColumnSet) -> ColumnSet {
        wanted.making([date, count, text, wholeYears, dateText], from: [start] + (at.map { [$0] } ?? []))
    }

    public func process(_ batch: Batch, reporting findings: inout Findings) -> Batch {
        var list = AnniversaryList(terms)
        fill(&list, from: batch, &findings)
        let days = Column.days(Values(list.found.map(\.date)))
        let counts = Values(list.found.map(\.count))
        // The display text is that on the anniversaries, which lie as far behind the start.
        let said = DDayText.text(of: counts.mapValues { 0 &- $0 }, firstDay: terms.firstDay)
        var result = batch.keeping(list.found.map(\.parent))
            .setting(date, to: days)
            .setting(count, to: .integers(counts))
            .setting(text, to: .text(said))
        if terms.yearly != nil {
            let years = Values(list.found.map { $0.years == 0 ? nil : $0.years }, filler: 0)
            result = result.setting(wholeYears, to: .integers(years))
        }
        guard let writer else { return result }
        return result.setting(dateText, to: writer.text(of: days))
    }

    /// Adds the anniversaries of every row and reports rows that have none.
    private func fill(_ list: inout AnniversaryList, from batch: Batch, _ findings: inout Findings) {
        var starts = AnniversaryStarts(batch.column(start), in: zone)
        let counts = at.map(batch.integers)
        let tooMany = findings.token(ListAnniversaries.tooMany, in: start)
        let outside = findings.token(DayCalendar.outside, in: start)
        let cutShort = findings.token(ListAnniversaries.cutShort, in: start)
        let refusals = at.map {
            (
                noDayZero: findings.token(ListAnniversaries.noDayZero, in: $0),
                far: findings.token(.dateOutOfRange, in: $0)
            )
        }
        for row in 0..<batch.count {
            if starts.days.missing.isMissing(row) {
                findings.drop(row, as: "without a start")
                continue
            }
            let start = starts.days.elements[row]
            var extra: Int32?
            if let counts, let refusals, !counts.missing.isMissing(row) {
                let count = counts.elements[row]
                if count == 0, terms.firstDay == 1 {
                    findings.reject(row, refusals.noDayZero)
                    continue
                }
                guard let day = dayCounted(count, from: start) else {
                    findings.reject(row, refusals.far)
                    continue
                }
                extra = day
                if count <= 0 { warnOfMisprint(count, row, &findings) }
            }
            let before = list.found.count
            switch list.add(row: row, start: start, extra: extra) {
            case .listed(0): findings.drop(row, as: "without an anniversary")
            case .listed(let number): findings.unfold(into: number)
            case .tooMany: findings.reject(row, tooMany)
            case .outsideLunarCalendar: findings.reject(row, outside)
            }
            if list.isCutShort { findings.warn(row, cutShort) }
            if let first = starts.strayed(row, among: list.found[before...]) {
                warnOfClocks(row, from: start, to: first, &findings)
            }
        }
    }

    /// The day `count` days from the start, or nil outside the years 1 to 9999.
    private func dayCounted(_ count: Int64, from start: Int32) -> Int32? {
        let (sum, overflows) = Int64(start).addingReportingOverflow(count)
        let day = count > 0 ? sum &- terms.firstDay : sum
        guard !overflows, let number = Int32(exactly: day), CalendarDay.range.contains(number) else { return nil }
        return number
    }
}

extension ListAnniversaries {
    public static let description = StageDescription(
        name: "list_anniversaries",
        summary: "List the anniversaries of start days, each as a row of its own.",
        details: """
            Each row becomes one row for each anniversary, in order of time, with the columns that it has and the day, the \
            days from the start, and the count as people say it: D+100. With 'first_day: 1' the day that is said as D+100 lies \
            99 days behind the start, and its count is 99. With 'yearly' there is also the number of \
            years, and with 'as' the day as text. Anniversaries that fall on one day are one row. A row without a start, or \
            without an anniversary in the time that is listed, is dropped by name.
            """,
        examples: [
            StageExample(
                "every hundredth day and every year up to a day, with the day as text in two lines",
                options: """
                    start: met
                    every: 100
                    yearly: true
                    until: 2021-03-01
                    as: "yyyy년\\nMM월dd일"
                    """,
                input: "who:text,met:day\n민아,2020-02-29\n준호,",
                output: """
                    who:text,met:day,date:day,count:integer,text:text,years:integer,date_text:text
                    민아,2020-02-29,2020-06-08,100,D+100,,"2020년
                    06월08일"
                    민아,2020-02-29,2020-09-16,200,D+200,,"2020년
                    09월16일"
                    민아,2020-02-29,2020-12-25,300,D+300,,"2020년
                    12월25일"
                    민아,2020-02-29,2021-02-28,365,D+365,1,"2021년
                    02월28일"
                    """,
                findings: ["2 - dropped as without a start"]
            ),
            StageExample(
                "the counts of a column, as an anniversary counter keeps them; 0 and less are often misprinted",
                options: "start: targetDate\nat: dday",
                input: """
                    targetDate:day,dday:integer
                    2026-01-01,100
                    2026-01-01,0
                    2026-01-01,-5
                    2026-01-01,
                    """,
                output: """
                    targetDate:day,dday:integer,date:day,count:integer,text:text
                    2026-01-01,100,2026-04-11,100,D+100
                    2026-01-01,0,2026-01-01,0,D-Day
                    2026-01-01,-5,2025-12-27,-5,D-5
                    """,
                findings: [
                    "2 dday misprinted-count", "3 dday misprinted-count", "4 - dropped as without an anniversary",
                ]
            ),
            StageExample(
                "couples call the first day day 1, so day 100 is 99 days later, and there is no day 0",
                options: "start: met\nat: day\nfirst_day: 1\ndate: falls_on\ncount: days\ntext: said",
                input: "met:day,day:integer\n2026-01-01,100\n2026-01-01,0",
                output: """
                    met:day,day:integer,falls_on:day,days:integer,said:text
                    2026-01-01,100,2026-04-10,99,D+100
                    """,
                findings: ["2 day no-day-zero"]
            ),
            StageExample(
                "birthdays by the lunar calendar: one in a leap month, and one on a thirtieth",
                options: """
                    start: born
                    yearly: true
                    calendar: korean_lunar
                    whole_years: age
                    years: 2
                    """,
                input: """
                    who:text,born:day
                    윤4월 10일,2020-06-01
                    섣달 30일,2021-02-11
                    long ago,1899-12-31
                    """,
                output: """
                    who:text,born:day,date:day,count:integer,text:text,age:integer
                    윤4월 10일,2020-06-01,2021-05-21,354,D+354,1
                    윤4월 10일,2020-06-01,2022-05-10,708,D+708,2
                    섣달 30일,2021-02-11,2022-01-31,354,D+354,1
                    섣달 30일,2021-02-11,2023-01-21,709,D+709,2
                    """,
                findings: ["3 born outside-the-lunar-calendar"]
            ),
            StageExample(
                "only what is still to come, in English",
                options: """
                    start: born
                    yearly: true
                    leap_day: mar1
                    since: as_of
                    until: as_of + 2 years
                    as: EEEE d MMMM yyyy
                    date_text: written
                    locale: en_GB
                    """,
                input: "born:day\n2000-02-29",
                output: """
                    born:day,date:day,count:integer,text:text,years:integer,written:text
                    2000-02-29,2027-03-01,9862,D+9862,27,Monday 1 March 2027
                    2000-02-29,2028-02-29,10227,D+10227,28,Tuesday 29 February 2028
                    """
            ),
            StageExample(
                "a moment starts on its day in the time zone; 24 hours a day lead elsewhere once clocks were changed",
                options: "start: saved\nat: dday",
                input: """
                    saved:instant,dday:integer
                    1988-09-30T14:00:00Z,100
                    1988-09-30T14:00:00Z,5
                    2025-10-09T14:59:59.999999Z,300
                    """,
                output: """
                    saved:instant,dday:integer,date:day,count:integer,text:text
                    1988-09-30T14:00:00Z,100,1989-01-09,100,D+100
                    1988-09-30T14:00:00Z,5,1988-10-06,5,D+5
                    2025-10-09T14:59:59.999999Z,300,2026-08-05,300,D+300
                    """,
                findings: ["1 saved daylight-saving"]
            ),
            StageExample(
                "a list without an end is refused",
                options: "start: met\nevery: 1\nyears: 100",
                input: "met:day\n2026-01-01",
                refused: "every 1 days for 100 years are more than 1000 anniversaries of each start"
            ),
        ]
    )
}

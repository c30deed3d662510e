import DaybookContracts
import DaybookTestSupport
import Testing

@testable import DaybookDates
@testable import DaybookStages

/// What no example can say: lists against a search day by day, bounds, the words of findings, and what is refused.
@Suite struct ListAnniversariesTests {
    private struct Listed {
        var dates: [Int32] = []
        var counts: [Int64] = []
        var findings: [String] = []
    }

    private func list(_ options: String, _ starts: [Int32], at counts: [Int64]? = nil) throws -> Listed {
        let stage = try ExampleRunner.make(ListAnniversaries.self, "start: from\n" + options)
        var fields = [Field("from", .day)]
        var columns = [Column.days(Values(starts))]
        if let counts {
            fields.append(Field("n", .integer))
            columns.append(.integers(Values(counts)))
        }
        let batch = Batch(Schema(fields), columns, count: starts.count, provenance: .made)
        var findings = Findings()
        let result = stage.process(batch, reporting: &findings)
        #expect(findings.unfolded.into == result.count)
        var listed = Listed()
        listed.dates = result.days(in: ColumnName("date")).elements
        listed.counts = result.integers(in: ColumnName("count")).elements
        listed.findings = findings.rejectedRows.map { findings.subjects[findings.index(of: $0.token)].kind.code }
        listed.findings += findings.warnedRows.indices.map { index in
            let kind = findings.subjects[findings.index(of: findings.warnedRows[index].token)].kind
            return findings.message(ofWarnedRow: index) ?? kind.code
        }
        listed.findings += findings.droppedRows.map { findings.dropNames[Int($0.name)] }
        return listed
    }

    private func refusals(_ options: String) -> [String] {
        do {
            _ = try ExampleRunner.make(ListAnniversaries.self, "start: from\n" + options)
            return []
        } catch let errors as DaybookErrors {
            return errors.errors.map(\.message)
        } catch {
            return ["\(error)"]
        }
    }

    private func day(_ text: String) throws -> Int32 { try #require(CalendarDay(iso: text)).number }

    @Test(arguments: 1...6 as ClosedRange<UInt64>, [DayCalendar.gregorian, .koreanLunar])
    func `a list is what a search day by day finds, and strictly ascending`(_ seed: UInt64, _ calendar: DayCalendar)
        throws
    {
        var random = SeededGenerator(seed: seed)
        for _ in 0..<12 {
            let start = Int32.random(in: 9_000...12_000, using: &random)
            let since = start + Int32.random(in: -500...900, using: &random)
            let until = since + Int32.random(in: 0...2_500, using: &random)
            let every = [Int.random(in: 20...400, using: &random), Int.random(in: 20...400, using: &random)]
            let firstDay = Int.random(in: 0...1, using: &random)
            let found = try list(
                """
                every: \(every)
                yearly: true
                calendar: \(calendar.rawValue)
                first_day: \(firstDay)
                since: \(CalendarDay(number: since))
                until: \(CalendarDay(number: until))
                """,
                [start]
            )
            var expected: [Int32] = []
            for day in since...until where day > start {
                let count = Int(day - start) + firstDay
                if every.contains(where: { count % $0 == 0 }) || isYearly(day, of: start, calendar) {
                    expected.append(day)
                }
            }
            #expect(found.dates == expected, "\(random): \(start) from \(since) to \(until), every \(every)")
            #expect(found.counts == expected.map { Int64($0 - start) })
            #expect(zip(found.dates, found.dates.dropFirst()).allSatisfy { $0 < $1 })
        }
    }

    /// By the words of the rule, and slowly: which day of its own year the day is kept on.
    private func isYearly(_ day: Int32, of start: Int32, _ calendar: DayCalendar) -> Bool {
        guard calendar == .koreanLunar else {
            let (born, date) = (CalendarDay(number: start).components, CalendarDay(number: day).components)
            if (born.month, born.day) == (date.month, date.day) { return true }
            return (born.month, born.day) == (2, 29) && !CalendarDay.isLeap(date.year)
                && (date.month, date.day) == (2, 28)
        }
        guard let born = KoreanLunarCalendar.date(ofDay: start), let date = KoreanLunarCalendar.date(ofDay: day) else {
            return false
        }
        guard born.month == date.month else { return false }
        let inLeapMonth = born.isLeapMonth && KoreanLunarCalendar.leapMonth(of: date.year) == born.month
        guard date.isLeapMonth == inLeapMonth else { return false }
        if born.day == date.day { return true }
        let tomorrow = KoreanLunarCalendar.date(ofDay: day + 1)
        return born.day == 30 && date.day == 29 && tomorrow?.day == 1
    }

    @Test func `every lunar birthday of two centuries comes round once in each year`() throws {
        let options = "yearly: true\ncalendar: korean_lunar\nsince: 1900-01-31\nuntil: 2101-01-28"
        for start in stride(from: KoreanLunarCalendar.days.lowerBound, to: 47_000, by: 997) {
            let found = try list(options, [start])
            let first = try #require(KoreanLunarCalendar.date(ofDay: start)).year
            let years = found.dates.compactMap { KoreanLunarCalendar.date(ofDay: $0)?.year }
            #expect(years == Array((first + 1)..<2101), "day \(start)")
        }
    }

    @Test func `unless the job says more, lists end a year after the day of the run`() throws {
        #expect(
            try list("yearly: true", [try day("2024-11-21")]).dates.map { CalendarDay(number: $0).description } == [
                "2025-11-21", "2026-11-21", "2027-11-21",
            ]
        )
        #expect(try list("yearly: true", [try day("2026-11-22")]).findings == ["without an anniversary"])
    }

    @Test func `no start makes more rows than are allowed`() throws {
        let crowded = try list("every: 1", [try day("2020-01-01"), try day("0001-01-01"), try day("2026-11-20")])
        #expect(crowded.findings == ["too-many-anniversaries", "too-many-anniversaries"])
        #expect(try crowded.dates.count == 366 && crowded.dates.first == day("2026-11-21"))
        let most = try list("every: 1\nuntil: 2000-09-26", [try day("2000-01-01") - 731])
        #expect(most.dates.count == AnniversaryTerms.limit)
        let extremes = try list("every: [1, 7]\nyearly: true", [.min, .max, -719_162, 2_932_896])
        #expect(extremes.dates.isEmpty && extremes.findings.count == 4)
    }

    @Test func `whatever the first day is called, counts are the plain difference and agree with count_d_days`() throws
    {
        let start = try day("2026-01-01")
        let starts = Batch(
            Schema([Field("from", .day), Field("n", .integer)]),
            [.days(Values([start, start])), .integers(Values([100, -5]))],
            count: 2,
            provenance: .made
        )
        var findings = Findings()
        for (firstDay, said) in [(0, ["D+100", "D-5"]), (1, ["D+100", "D-5"])] {
            let stage = try ExampleRunner.make(ListAnniversaries.self, "start: from\nat: n\nfirst_day: \(firstDay)")
            let listed = stage.process(starts, reporting: &findings)
            let counts = listed.integers(in: ColumnName("count")).elements
            #expect(counts == (firstDay == 0 ? [100, -5] : [99, -5]))
            // On the day of the anniversary, the start is counted by the other stage.
            let other = try ExampleRunner.make(
                CountDDays.self,
                "days: from\nanchor: date\ncounts: plain\ntext: said\nfirst_day: \(firstDay)"
            )
            let counted = other.process(listed, reporting: &findings)
            #expect(counted.integers(in: ColumnName("plain")).elements == counts.map { -$0 })
            for row in 0..<2 {
                let text = listed.columns[listed.schema.index(of: "text")!].displayText(row)
                #expect(
                    text == said[row] && counted.columns[counted.schema.index(of: "said")!].displayText(row) == text
                )
            }
        }
        #expect(findings.rejectedRows.isEmpty)
    }

    @Test func `counts that lead nowhere are refused`() throws {
        let start = try day("2026-01-01")
        let counts: [Int64] = [.min, .max, 10_000_000, -10_000_000, 1]
        let found = try list("at: n\nfirst_day: 1", [start, start, start, start, start], at: counts)
        #expect(found.findings == Array(repeating: "date-out-of-range", count: 4))
        #expect(found.dates == [start] && found.counts == [0])
    }

    @Test func `a count that falls on another anniversary is one row, and one before the start comes first`() throws {
        let start = try day("2026-01-01")
        let found = try list("at: n\nevery: 100\nyears: 1", [start, start, start], at: [200, -5, 500])
        #expect(found.counts == [100, 200, 300, -5, 100, 200, 300, 100, 200, 300, 500])
        #expect(
            found.findings == ["the count is written 'D-5'; counters that put 'D-' before any number show it as 'D--5'"]
        )
        #expect(
            try list("at: n", [start], at: [0]).findings == [
                "the count is written 'D-Day'; counters that put 'D-' before any number show it as 'D-0'"
            ]
        )
    }

    @Test func `where the lunar calendar ends, the list says so`() throws {
        let found = try list("yearly: true\ncalendar: korean_lunar\nyears: 5", [try day("2098-06-01")])
        #expect(found.findings == ["lunar-calendar-ends"])
        #expect(found.dates.count == 2)
        #expect(try list("yearly: true\ncalendar: korean_lunar", [47_875]).findings == ["outside-the-lunar-calendar"])
    }

    @Test func `options without meaning are refused`() {
        #expect(refusals("") == ["none of 'every', 'yearly' and 'at' says which anniversaries to list"])
        #expect(refusals("every: [100, 0]") == ["'every': expected days from 1 to 1000000, found '0'"])
        #expect(refusals("every: \(Array(1...51))") == ["'every' names 51 numbers of days, and takes 50 at most"])
        #expect(refusals("every: 100\nfirst_day: 2") == ["'first_day': expected 0 or 1, found '2'"])
        #expect(refusals("yearly: true\nyears: 201") == ["'years': expected 1 to 200, found '201'"])
        #expect(
            refusals("yearly: true\nyears: 1\nuntil: as_of") == ["'years' and 'until' both say where the list ends"]
        )
        #expect(
            refusals("every: 100\ncalendar: korean_lunar\nleap_day: mar1\nwhole_years: n") == [
                "'calendar' has no meaning without 'yearly'", "'leap_day' has no meaning without 'yearly'",
                "'leap_day' has no meaning in the lunar calendar", "'whole_years' has no meaning without 'yearly'",
            ]
        )
        #expect(
            refusals("at: n\nyears: 3\nsince: as_of") == [
                "'since' bounds 'every' and 'yearly', and the counts of 'at' are listed wherever they fall",
                "'years' bounds 'every' and 'yearly', and the counts of 'at' are listed wherever they fall",
            ]
        )
        #expect(
            refusals("every: 100\nsince: as_of\nuntil: 2026-11-20") == [
                "'since' is 2026-11-21, and 'until' is 2026-11-20, which comes before it"
            ]
        )
        #expect(refusals("every: 100\nas: HH:mm") == ["'as' writes a time, and a day has none"])
        #expect(refusals("every: 100\nlocale: ko_KR") == ["'locale' has no meaning without 'as'"])
        #expect(refusals("every: 100\nas: d MMMM") == ["'as' writes names, and no 'locale' says in which language"])
        #expect(
            refusals("every: 100\nuntil: as_of + 9999 years") == [
                "'until': 'as_of + 9999 years' lies outside of the years 1 to 9999"
            ]
        )
    }

    @Test(arguments: [
        ("as_of", "2026-11-21"), ("as_of + 1 day", "2026-11-22"), ("as_of - 3 weeks", "2026-10-31"),
        ("as_of +  2 years", "2028-11-21"), ("as_of - 9 months", "2026-02-21"), ("as_of + 99999 days", "2300-09-05"),
        ("2024-02-29", "2024-02-29"), ("as_of - 2026 years", nil), ("as_of + 99999 years", nil),
    ])
    func `days that move with the run`(_ text: String, _ expected: String?) throws {
        let place = SourcePlace(file: "job.yaml", line: 1, column: 1)
        let read = try RelativeDay(reading: OptionNode(.text(text, quoted: false), at: place))
        #expect(read.day(asOf: ExampleRunner.context.asOf)?.description == expected)
        let again = try RelativeDay(reading: OptionNode(.text(read.written, quoted: false), at: place))
        #expect(again == read)
    }

    @Test func `months later is the last day where the month is shorter, and other words are no day`() throws {
        let place = SourcePlace(file: "job.yaml", line: 1, column: 1)
        let month = RelativeDay.asOf(plus: 1, .month)
        #expect(month.day(asOf: try #require(CalendarDay(iso: "2026-01-31")))?.description == "2026-02-28")
        for text in ["", "today", "as_of + 1", "as_of 1 day", "as_of + 1000000 days", "as_of + 1 decade", "2026-02-30"]
        {
            #expect(throws: DaybookError.self) {
                try RelativeDay(reading: OptionNode(.text(text, quoted: false), at: place))
            }
        }
    }

    @Test func `only the starts and the counts are needed`() throws {
        let stage = try ExampleRunner.make(ListAnniversaries.self, "start: a\nat: b\nyearly: true")
        #expect(stage.columns(neededFor: ColumnSet(ColumnName("text"), ColumnName("x"))) == .some(["a", "b", "x"]))
        #expect(throws: DaybookError.self) { try stage.schema(after: Schema([Field("a", .day), Field("b", .text)])) }
    }
}

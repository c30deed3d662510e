import DaybookContracts
import DaybookTestSupport
import Foundation
import Testing

@testable import DaybookPages
@testable import DaybookStages

@Suite struct BuildMonthCalendarTests {
    /// What the stage makes of rows, and what it has to say at the end.
    static func calendar(_ rows: String, _ options: String) throws -> (text: String, warnings: [String]) {
        let stage = try ExampleRunner.make(BuildMonthCalendar.self, options)
        let batch = try BatchText.read(rows)
        var findings = Findings()
        let partial = try stage.partial(of: batch, reporting: &findings)
        let schema = try stage.schema(after: batch.schema)
        var (made, warnings): ([Batch], [String]) = ([], [])
        try stage.finish(partial, schema: schema, scratch: MemoryScratch()) { batch, findings in
            made.append(batch)
            warnings += findings.warnedRows.indices.compactMap { findings.message(ofWarnedRow: $0) }
        }
        return (BatchText.write(made, schema: schema), warnings)
    }

    @Test("turning the page agrees with Foundation for every day of eight years")
    func turning() throws {
        var calendar = Calendar(identifier: .gregorian)
        calendar.timeZone = try #require(TimeZone(identifier: "UTC"))
        for number in CalendarDay(iso: "2020-01-01")!.number...CalendarDay(iso: "2027-12-31")!.number {
            let day = CalendarDay(number: number)
            let date = Date(timeIntervalSince1970: Double(number) * 86_400)
            for (step, month) in [(-1, CalendarMonth(of: day).previous), (1, CalendarMonth(of: day).next)] {
                let expected = try #require(calendar.date(byAdding: .month, value: step, to: date))
                let turned = month.day(day.components.day)
                #expect(Double(turned.number) * 86_400 == expected.timeIntervalSince1970, "\(day) by \(step)")
            }
        }
    }

    @Test(
        "every day of 60 years stands once, under its weekday, in a week of its month",
        arguments: FirstWeekday.allCases
    )
    func grid(_ first: FirstWeekday) throws {
        for number in Int32(1_970 * 12)..<Int32(2_030 * 12) {
            let month = CalendarMonth(number: number)
            let stage = try ExampleRunner.make(
                BuildMonthCalendar.self,
                "{ month: \(month.text), first_weekday: \(first) }"
            )
            let counts = DayCounts(of: month, labelLimit: 0)
            let schema = try stage.schema(after: Schema([Field("date", .day)]))
            let batch = MonthCalendarTable(counts, stage).batch(schema)
            #expect(batch.count % 7 == 0)
            let dates = batch.days(in: ColumnName("date"))
            #expect((0..<batch.count).compactMap { dates[$0] } == (0..<Int32(month.length)).map { month.firstDay + $0 })
            let weekdays = batch.text(in: ColumnName("weekday"))
            let weeks = batch.integers(in: ColumnName("week"))
            let names = ["Mon", "Tue", "Wed", "Thu", "Fri", "Sat", "Sun"]
            for row in 0..<batch.count {
                // An expectation each would take longer than all the rest.
                let weekday = dates[row].map { names[CalendarDay(number: $0).weekday - 1] }
                if weeks[row] == Int64(row / 7 + 1), weekday == nil || weekday == weekdays[row] { continue }
                Issue.record("row \(row) of \(month.text)")
            }
            #expect(weekdays[0] == names[first.number - 1])
            // Neither the first nor the last week may be empty.
            #expect(
                (0..<7).contains { dates[$0] != nil } && (batch.count - 7..<batch.count).contains { dates[$0] != nil }
            )
        }
    }

    @Test("in every month, its own entries and those before and after it are all that were folded")
    func sums() throws {
        var random = SeededGenerator(seed: 7)
        let days = (0..<500).map { _ in CalendarDay(number: Int32.random(in: 20_000...20_400, using: &random)) }
        let rows = "date:day\n" + days.map(\.description).joined(separator: "\n")
        let weeks = try BatchText.read(try Self.calendar(rows, "{ month: all, layout: weeks, cells: entries }").text)
        let months = weeks.text(in: ColumnName("month"))
        var sums: [String: Int64] = [:]
        for row in 0..<weeks.count {
            sums[months[row] ?? "", default: 0] += weeks.integers(in: ColumnName("entries")).elements[row]
        }
        for row in 0..<weeks.count {
            let own = try #require(sums[months[row] ?? ""])
            let before = weeks.integers(in: ColumnName("earlier_entries")).elements[row]
            let after = weeks.integers(in: ColumnName("later_entries")).elements[row]
            #expect(own + before + after == 500)
        }
        #expect(sums.values.reduce(0, +) == 500)
    }

    @Test("a month without entries has its rows, and no entries at all give no month")
    func nothing() throws {
        #expect(try Self.calendar("date:day", "layout: weeks").text.split(separator: "\n").count == 6)
        #expect(try Self.calendar("date:day", "{ layout: weeks, month: all }").text.split(separator: "\n").count == 1)
    }

    @Test(
        "a shorter month is warned of once, in words, and only for the month that is looked at",
        arguments: [
            ("selected: 2026-01-31", ["2026-02 has no day 31, so its last day 2026-02-28 stands in 'next_month'"]),
            ("selected: 2024-01-30", ["2024-02 has no day 30, so its last day 2024-02-29 stands in 'next_month'"]),
            (
                "{ selected: 2026-12-31, month: 2026-10 }",
                [
                    "2026-09 has no day 31, so its last day 2026-09-30 stands in 'previous_month'",
                    "2026-11 has no day 31, so its last day 2026-11-30 stands in 'next_month'",
                ]
            ),
            ("{ selected: 2026-01-31, month: all }", []),
            ("selected: 2026-01-28", []),
        ]
    )
    func warnings(_ options: String, _ expected: [String]) throws {
        #expect(try Self.calendar("date:day\n2026-05-05", options).warnings == expected)
    }

    @Test("days that no month is named for are rejected, and the calendar is that of the others")
    func outOfRange() throws {
        let days: [Int32] = [
            .min, .max, CalendarDay.range.lowerBound - 1, CalendarDay.range.upperBound + 1, 20_778,
        ]
        let batch = Batch(Schema([Field("date", .day)]), [.days(Values(days))], count: days.count, provenance: .made)
        for options in ["month: all", "{}"] {
            var findings = Findings()
            let stage = try ExampleRunner.make(BuildMonthCalendar.self, options)
            let counts = try stage.partial(of: batch, reporting: &findings)
            #expect(findings.rejectedRows.map(\.row) == [0, 1, 2, 3])
            #expect(counts.foldedRows == 1 && counts.months.count == 1)
        }
    }

    @Test("the first and the last month that can be named have days to turn to")
    func edges() throws {
        #expect(
            try Self.calendar("date:day\n0001-01-01", "{ month: 0001-01, layout: weeks }").text.contains("0000-12-21")
        )
        #expect(
            try Self.calendar("date:day\n9999-12-31", "{ month: 9999-12, layout: weeks }").text.contains("+10000-01-21")
        )
    }

    @Test("more months than a hundred years have end the run, and one of them can be asked for")
    func tooManyMonths() throws {
        let months = (0..<DayCounts.monthLimit + 1).map { CalendarMonth(number: Int32(1_900 * 12 + $0)).text + "-01" }
        let rows = "date:day\n" + months.joined(separator: "\n")
        let error = try #require(throws: DaybookError.self) { try Self.calendar(rows, "month: all") }
        #expect(error.message == "the entries lie in more than 1200 months")
        #expect(error.blame == .data)
        #expect(try Self.calendar(rows, "{ month: 1950-01, layout: weeks }").text.contains(",600,600"))
    }

    @Test("labels are bounded in number and length, and those that are not shown are counted")
    func labels() throws {
        let long = String(repeating: "가", count: 1_000)
        let rows = "date:day,word:text\n2026-11-21,\(long)" + String(repeating: "\n2026-11-21,b", count: 99)
        let text = try Self.calendar(rows, "{ labels: word, most_labels: 2 }").text
        #expect(text.contains("\"\(String(repeating: "가", count: 79))…, b, +98\""))
    }

    @Test(
        "options that contradict each other are refused",
        arguments: [
            ("cells: day", "'cells' has no meaning without 'layout: weeks'"),
            ("today: 오늘", "'today' has no meaning without 'layout: weeks'"),
            ("{ layout: weeks, cells: day, today: 오늘 }", "'today' is a word, and 'cells' asks for numbers"),
            ("{ layout: weeks, labels: word }", "there is no room for 'labels' in weeks"),
            ("most_labels: 3", "'most_labels' has no meaning without 'labels'"),
            ("{ labels: word, most_labels: 0 }", "'most_labels' has to be from 1 to 20"),
            ("month: 2026-13", "'month': expected selected, all, or a month such as 2026-11, found '2026-13'"),
            ("selected: 2026-02-30", "'selected': '2026-02-30' is not a day of the calendar"),
        ]
    )
    func refusals(_ options: String, _ message: String) throws {
        let errors = try #require(throws: DaybookErrors.self) {
            try ExampleRunner.make(BuildMonthCalendar.self, options)
        }
        #expect(errors.errors.map(\.message) == [message])
    }
}

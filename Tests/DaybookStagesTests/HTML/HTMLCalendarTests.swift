import DaybookCore
import DaybookTestSupport
import Testing

@testable import DaybookFormats
@testable import DaybookStages
@testable import DaybookTables

/// Calendars on a page, also from rows that no calendar stage made.
@Suite struct HTMLCalendarTests {
    static let header = "month:text,week:integer,weekday:text,date:day,entries:integer,today:flag"

    /// The page of the days that the stage makes of `days`.
    static func page(of days: [String], options: String, html: String = "", size: Int = .max) throws -> String {
        let stage = try ExampleRunner.make(BuildMonthCalendar.self, options)
        let rows = try BatchText.read((["date:day,word:text"] + days).joined(separator: "\n"))
        var findings = Findings()
        let partial = try stage.partial(of: rows, reporting: &findings)
        var made: [Batch] = []
        try stage.finish(partial, schema: try stage.schema(after: rows.schema), scratch: MemoryScratch()) { batch, _ in
            made.append(batch)
        }
        let batch = try #require(made.first)
        return try HTMLPages.write([("days", batch)], options: html, size: size).text
    }

    @Test("the same days give the same bytes, however they are cut into batches", arguments: [1, 7, 10, 41])
    func batches(_ size: Int) throws {
        let days = ["2026-01-31,a", "2026-11-21,b", "2026-11-21,c", "2027-02-28,"]
        for options in ["{ month: all, labels: word }", "{ month: all, first_weekday: wednesday }"] {
            #expect(try Self.page(of: days, options: options, size: size) == Self.page(of: days, options: options))
        }
    }

    @Test("a month is as many cells as its weeks have, with every day once and on its weekday")
    func grid() throws {
        for first in FirstWeekday.allCases {
            let page = try Self.page(of: ["2024-02-29,"], options: "{ month: 2024-02, first_weekday: \(first) }")
            #expect(Markup.problems(in: page) == [])
            let body = try #require(page.firstRange(of: "<table class=\"cal\""))
            let end = try #require(page[body.lowerBound...].firstRange(of: "</table>"))
            let grid = page[body.lowerBound..<end.lowerBound]
            let cells = grid.matches(of: /<td[^>]*>(?:<time datetime="2024-02-\d\d">(\d+))?/)
            #expect(cells.compactMap { $0.output.1.flatMap { Int($0) } } == Array(1...29), "\(first)")
            let heads = grid.matches(of: /<th scope="col"[^>]*>(\w+)</).map { String($0.output.1) }
            #expect(heads == first.names)
            // 1 February 2024 was a Thursday.
            let lead = cells.firstIndex { $0.output.1 == "1" }
            #expect(lead == heads.firstIndex(of: "Thu"), "\(first)")
            #expect(cells.count % 7 == 0)
        }
    }

    @Test("one entry has one dot, three have three, more have a number; and each is said in words")
    func marks() throws {
        let rows = [1, 2, 3, 4, 12_345, -2].enumerated().map { "\n2026-11,1,Sun,2026-11-0\($0 + 1),\($1),false" }
        let page = try HTMLPages.page(of: Self.header + rows.joined())
        for (dots, words) in [
            ("<i></i>", "1 entry"), ("<i></i><i></i>", "2 entries"), ("<i></i><i></i><i></i>", "3 entries"),
            ("<i></i>4", "4 entries"), ("<i></i>12,345", "12,345 entries"), ("<i></i>−2", "−2 entries"),
        ] {
            let cell = "<span class=\"dots\" aria-hidden=\"true\">\(dots)</span><span class=\"heard\"> \(words) </span>"
            #expect(page.contains(cell), "\(words)")
        }
    }

    @Test("what lies outside the months is said in numbers, and where turning the page leads")
    func outside() throws {
        let days = ["2026-10-31,", "2026-11-21,", "2027-01-01,", "2027-01-02,"]
        let page = try Self.page(of: days, options: "{}")
        #expect(
            page.contains(
                """
                1 entry before 2026-11. 2 entries after 2026-11. Previous month: <span class="one">2026-10-21</span>. \
                Next month: <span class="one">2026-12-21</span>.
                """
            )
        )
        #expect(page.contains("<dt>Entries</dt><dd>1</dd>"))
    }

    @Test("weekends are marked, and today by its word in the language of the page", arguments: ["ko-KR", "fr", ""])
    func words(_ language: String) throws {
        let html = language.isEmpty ? "" : "language: \(language)"
        let page = try Self.page(of: ["2026-11-21,"], options: "{}", html: html)
        let isKorean = language == "ko-KR"
        #expect(page.contains("<span class=\"now\">\(isKorean ? "오늘" : "today")</span>"))
        #expect(page.contains("<table class=\"cal\" lang=\"\(isKorean ? "ko" : "en")\">"))
        #expect(page.contains(isKorean ? "2026년 11월" : "November 2026"))
        #expect(page.matches(of: /<td class="rest/).count == 9)
        #expect(page.matches(of: /<th scope="col" class="rest"/).count == 2)
    }

    @Test(
        "words of a day are escaped and cut short, and stand in full among the rows",
        arguments: HTMLSafetyTests.attacks
    )
    func labels(_ text: String) throws {
        let long = text + String(repeating: "가", count: 100)
        let page = try Self.page(
            of: ["2026-11-21,\(HTMLPages.cell(long))"],
            options: "{ labels: word }"
        )
        #expect(Markup.problems(in: page) == [])
        #expect(page.contains("<span class=\"list\" lang=\"\">\(HTMLText.escaped(String(long.prefix(60))))…</span>"))
        #expect(!page.contains("<script"))
    }

    @Test("a text is never cut inside a character", arguments: ["a", "é", "가", "😀", "👨‍👩‍👧‍👦"])
    func cutting(_ letter: String) throws {
        for lead in ["", "x", "xy", "xyz"] {
            let word = lead + String(repeating: letter, count: 500)
            let page = try Self.page(of: ["2026-11-21,\(word)"], options: "{ labels: word }")
            #expect(page.contains("…</span>") && !page.contains("\u{FFFD}"))
        }
    }

    @Test("numbers and days at the edges of what a column can hold do not end the run")
    func edges() throws {
        let page = try HTMLPages.page(
            of: Self.header + """

                x,2,Sun,0001-01-01,9223372036854775807,true
                x,-1,Sun,0001-01-01,9223372036854775807,true
                x,9223372036854775807,Sun,9999-12-31,-9223372036854775808,
                x,,Sun,9999-12-31,-9223372036854775808,
                ,,,,,
                """,
            size: 2
        )
        #expect(Markup.problems(in: page) == [])
        #expect(page.contains("9,223,372,036,854,775,807 entries"))
        #expect(page.contains("<time datetime=\"0001-01-01\">1</time>"))
        var strange = CalendarDays()
        strange.leaveOut()
        #expect(HTMLCalendar(strange, id: "s1", lang: "") == nil)
    }

    @Test("only the latest months are drawn, and the rows of the others are counted")
    func manyMonths() throws {
        let months = CalendarDays.monthLimit + 3
        let rows = (0..<months).map {
            "\nx,1,Sun,\(1_990 + $0 / 12)-\($0 % 12 < 9 ? "0" : "")\($0 % 12 + 1)-15,1,false"
        }
        let page = try HTMLPages.page(of: Self.header + rows.joined(), size: 5)
        #expect(page.matches(of: /<table class="cal"/).count == CalendarDays.monthLimit)
        #expect(page.contains("Only the latest 120 months are drawn; 3 rows before them are not."))
        #expect(!page.contains("March 1990"))
        #expect(page.contains("April 1990"))
    }

    @Test("drawings can be left away, and a table of another shape is none")
    func otherShapes() throws {
        let row = "\n2026-11,3,Sat,2026-11-21,2,true"
        #expect(!(try HTMLPages.page(of: Self.header + row, options: "charts: none")).contains("<table class=\"cal\""))
        #expect(
            !(try HTMLPages.page(of: "month:text,week:integer,date:day,entries:text,today:flag")).contains(
                "<table class=\"cal\""
            )
        )
        #expect((try HTMLPages.page(of: Self.header + row, options: "rows: 0")).contains("<table class=\"cal\""))
    }
}

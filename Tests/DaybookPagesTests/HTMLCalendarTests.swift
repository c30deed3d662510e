import DaybookContracts
import DaybookTestSupport
import Testing

@testable import DaybookPages

/// Calendars on a page.
@Suite struct HTMLCalendarTests {
    /// The columns of the days of build_month_calendar.
    static let stageHeader = "month:text,week:integer,weekday:text,date:day,entries:integer,today:flag"

    private func page(_ rows: String, options: String = "", size: Int = .max, language: String = "") throws -> String {
        try HTMLPages.page(
            of: "date:day,entries:integer,word:text\n" + rows,
            options: "sections: [{ from: rows, chart: calendar, x: date\(options) }]"
                + (language.isEmpty ? "" : "\nlanguage: \(language)"),
            size: size
        )
    }

    @Test("the same days give the same bytes, however they are cut into batches", arguments: [1, 2, 3])
    func batches(_ size: Int) throws {
        let days = "2026-01-31,1,a\n2026-11-21,2,b\n2026-11-21,3,c\n2027-02-28,,\n,5,x\n2026-01-31,4,d"
        for options in ["", ", value: entries", ", value: entries, sum: true, text: word, first_weekday: wednesday"] {
            #expect(try page(days, options: options, size: size) == page(days, options: options))
        }
    }

    @Test("a month is as many cells as its weeks have, with every day once and on its weekday")
    func grid() throws {
        for first in FirstWeekday.allCases {
            let page = try page("2024-02-29,1,", options: ", first_weekday: \(first)")
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
        let rows = [1, 2, 3, 4, 12_345, -2].enumerated().map { "2026-11-0\($0 + 1),\($1)," }.joined(separator: "\n")
        let page = try page(rows, options: ", value: entries")
        for (dots, words) in [
            ("<i></i>", "1 entry"), ("<i></i><i></i>", "2 entries"), ("<i></i><i></i><i></i>", "3 entries"),
            ("<i></i>4", "4 entries"), ("<i></i>12,345", "12,345 entries"), ("<i></i>−2", "−2 entries"),
        ] {
            let cell = "<span class=\"dots\" aria-hidden=\"true\">\(dots)</span><span class=\"heard\"> \(words) </span>"
            #expect(page.contains(cell), "\(words)")
        }
    }

    @Test("rows are counted where no column says what is on a day, and a column is added up only where the job says so")
    func sums() throws {
        let rows = "2026-11-20,2,\n2026-11-20,3,\n2026-11-21,4,"
        #expect(try page(rows).contains("<dt>Entries</dt><dd>3</dd>"))
        #expect(try page(rows, options: ", value: entries, sum: true").contains("<dt>Entries</dt><dd>9</dd>"))
        let page = try page(rows, options: ", value: entries")
        #expect(!page.contains("<dt>Entries</dt>"))
        #expect(page.contains("Not drawn: 1 day of several rows each, which may be no sums and so are not added."))
        // Something is on a day also where nobody knows how much; which day is the fullest is not known then.
        let full = "2026-11-20,2,\n2026-11-20,3,\n2026-11-21,4,\n2026-11-22,1,\n2026-11-23,0,\n2026-11-23,,"
        for size in [1, 2, 9] {
            let page = try self.page(full, options: ", value: entries", size: size)
            #expect(page.contains("<dt>Days with entries</dt><dd>3</dd>"))
            #expect(page.contains("Not drawn: 2 days of several rows each") && !page.contains("Fullest day"))
        }
    }

    @Test(
        "weekends are marked, and the day of the run by its word in the language of the page",
        arguments: ["ko-KR", "fr", ""]
    )
    func words(_ language: String) throws {
        let page = try page("2026-11-20,1,", language: language)
        let isKorean = language == "ko-KR"
        #expect(page.contains("<span class=\"now\">\(isKorean ? "오늘" : "today")</span>"))
        #expect(page.contains("<table class=\"cal\" lang=\"\(isKorean ? "ko" : "en")\">"))
        #expect(page.contains(isKorean ? "2026년 11월" : "November 2026"))
        #expect(page.matches(of: /<td class="rest/).count == 9)
        #expect(page.matches(of: /<th scope="col" class="rest"/).count == 2)
    }

    @Test("words of a day are escaped and cut short", arguments: HTMLSafetyTests.attacks)
    func labels(_ text: String) throws {
        let long = text + String(repeating: "가", count: 100)
        let page = try page("2026-11-21,1,\(HTMLPages.cell(long))", options: ", text: word")
        #expect(Markup.problems(in: page) == [])
        #expect(page.contains("<span class=\"list\" lang=\"\">\(HTMLText.escaped(String(long.prefix(60))))…</span>"))
        #expect(!page.contains("<script"))
    }

    @Test("a text is never cut inside a character", arguments: ["a", "é", "가", "😀", "👨‍👩‍👧‍👦"])
    func cutting(_ letter: String) throws {
        for lead in ["", "x", "xy", "xyz"] {
            let word = lead + String(repeating: letter, count: 500)
            let page = try page("2026-11-21,1,\(word)", options: ", text: word")
            #expect(page.contains("…</span>") && !page.contains("\u{FFFD}"))
        }
    }

    @Test("numbers and days at the edges of what a column can hold do not end the run")
    func edges() throws {
        let rows = """
            0001-01-01,9223372036854775807,
            0001-01-01,9223372036854775807,
            9999-12-31,-9223372036854775808,
            9999-12-31,-9223372036854775808,
            ,,
            """
        let page = try page(rows, options: ", value: entries, sum: true", size: 2)
        #expect(Markup.problems(in: page) == [])
        #expect(page.contains("9,223,372,036,854,775,807 entries"))
        #expect(page.contains("<time datetime=\"0001-01-01\">1</time>"))
        #expect(page.contains("Not drawn: 1 row without a day."))
        #expect(try self.page(",,").contains("Nothing to draw: no row has a day."))
    }

    @Test("only the latest months are drawn, and the rows of the others are counted")
    func manyMonths() throws {
        let months = CalendarDays.monthLimit + 3
        let rows = (0..<months).map { "\(1_990 + $0 / 12)-\($0 % 12 < 9 ? "0" : "")\($0 % 12 + 1)-15,1," }
        let page = try page(rows.joined(separator: "\n"), size: 5)
        #expect(page.matches(of: /<table class="cal"/).count == CalendarDays.monthLimit)
        #expect(page.contains("Only the latest 120 months are drawn; 3 rows before them are not."))
        #expect(!page.contains("March 1990"))
        #expect(page.contains("April 1990"))
    }
}

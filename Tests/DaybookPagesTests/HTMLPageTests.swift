import DaybookContracts
import DaybookTestSupport
import Testing

@testable import DaybookPages

@Suite struct HTMLPageTests {
    @Test("the same rows give the same bytes, however they are cut into batches", arguments: [1, 2, 3, 7, 64])
    func batches(_ size: Int) throws {
        let decimals =
            "month:text,emotion:text,count:decimal"
            + (0..<90).map { "\n2026-0\($0 % 9 + 1),e\($0 % 4),\(Double($0 * $0) / 7)" }.joined()
        let inputs = [("long", HTMLPages.long(months: 30, names: 30)), ("sums", decimals)]
        let sections = """
            sections:
              - { from: long, chart: stacked, x: month, y: count, by: emotion, top: 3 }
              - { from: long, table: { rows: 7, order: newest, bars: [count] } }
              - { from: sums, chart: line, x: month, y: count, by: emotion, sum: true }
              - { from: sums, chart: scatter, x: count, y: count, by: emotion }
              - { from: sums, table: { rows: 3 } }
            """
        for options in ["", sections] {
            #expect(
                try HTMLPages.page(inputs, options: options, size: size) == HTMLPages.page(inputs, options: options)
            )
        }
    }

    @Test("a page without rows says so, and has its columns and no drawing")
    func empty() throws {
        let page = try HTMLPages.page([("none", "month:text,emotion:text,count:integer"), ("bare", "")])
        #expect(page.contains("<p class=\"soft\">No rows.</p>"))
        #expect(page.contains("<th scope=\"col\">emotion</th>"))
        #expect(!page.contains("<svg"))
        #expect(Markup.problems(in: page) == [])
    }

    @Test("rows beyond the limit are counted, in the page and in what the writer says")
    func limit() throws {
        let rows = "id:integer" + (0..<12_345).map { "\n\($0)" }.joined()
        let page = try HTMLPages.write([("many", try BatchText.read(rows))], size: 1_000)
        #expect(page.text.contains("Showing 500 of 12,345 rows."))
        #expect(page.rows == 12_345)
        #expect(page.text.contains("<td class=\"num\">499</td>"))
        #expect(!page.text.contains("<td class=\"num\">500</td>"))
        let none = try HTMLPages.page([("many", rows)], options: "rows: 0")
        #expect(none.contains("Showing 0 of 12,345 rows."))
        #expect(!none.contains("<table"))
    }

    @Test("one huge cell cannot fill the page, and says how large it is")
    func hugeCell() throws {
        let page = try HTMLPages.page(of: "note:text\n" + String(repeating: "가", count: 100_000))
        #expect(page.utf8.count < 40_000)
        #expect(page.contains("가<small class=\"cut\">… 300,000 bytes in all</small>"))
    }

    @Test("decimals of a column have one number of places, and rounding keeps all digits at hand")
    func decimals() throws {
        let page = try HTMLPages.page(
            of: "x:decimal,y:decimal\n1,2\n-0.25,3\n0.123456,\n1e300,1e15\n0.00002,5",
            size: 2
        )
        for cell in [
            "<td class=\"num\">1.0000</td><td class=\"num\">2</td>",
            "<td class=\"num\">-0.2500</td><td class=\"num\">3</td>",
            "<td class=\"num\" title=\"0.123456\">0.1235</td><td class=\"num gap\"><span>missing</span></td>",
            "<td class=\"num\">1e+300</td><td class=\"num\">1,000,000,000,000,000</td>",
            "<td class=\"num\">2e-05</td><td class=\"num\">5</td>",
        ] {
            #expect(page.contains(cell), "\(cell)")
        }
    }

    @Test("cells keep the digits of their rows, so that a year is no 2,026")
    func integers() throws {
        let page = try HTMLPages.page(of: "year:integer,n:integer,id:text\n2026,2026,007\n,-9223372036854775808,1")
        #expect(page.contains("<td class=\"num\">2026</td><td class=\"num\">2,026</td><td class=\"one\">007</td>"))
        #expect(page.contains("<td class=\"num\">-9,223,372,036,854,775,808</td>"))
    }

    @Test("missing is not empty")
    func gaps() throws {
        let page = try HTMLPages.page(of: "a:text,b:text\n,\"\"")
        #expect(page.contains("<td class=\"gap\"><span>missing</span></td><td class=\"one\"></td>"))
    }

    @Test("headings are the ids made readable, or what the job says")
    func headings() throws {
        let inputs = [("monthly_emotions", "a:text"), ("clean.rejects", "a:text"), ("기념일", "a:text")]
        let page = try HTMLPages.page(inputs, options: "sections: { 기념일: 기념일과 D-day }\nlanguage: ko")
        for (index, heading) in ["Monthly emotions", "Clean rejects", "기념일과 D-day"].enumerated() {
            #expect(page.contains("<h2 id=\"s\(index + 1)-h\" lang=\"ko\">\(heading)</h2>"))
        }
    }

    @Test("a heading for an input that is not there is refused before a row is read")
    func unknownSection() throws {
        let error = try #require(throws: DaybookError.self) {
            try HTMLPages.page([("monthly", "a:text")], options: "sections: { montly: Months }")
        }
        #expect(error.message == "'sections' names 'montly', which is not an input of this stage")
        #expect(error.hint == "did you mean 'monthly'?")
        #expect(error.place != nil)
    }

    @Test("every input is shown by a section that is listed")
    func unseenInput() throws {
        let error = try #require(throws: DaybookError.self) {
            try HTMLPages.page([("a", "x:text"), ("b", "x:text")], options: "sections: [a]")
        }
        #expect(error.message == "no section shows 'b', which this stage reads")
        // One of which a measure is needs none.
        let page = try HTMLPages.page(
            [("a", "x:text"), ("b", "x:integer\n2\n3")],
            options: "sections: [a]\nmeasures: [{ title: All, value: sum(x), from: b }]"
        )
        #expect(page.contains("<dt>All</dt><dd>5"))
    }

    @Test(
        "a table shows the columns that are named under their titles, the last rows first, with bars, shares and formats"
    )
    func table() throws {
        let rows =
            "day:text,amount:decimal,share:decimal,note:text" + (1...9).map { "\nd\($0),\($0)000.5,0.\($0),x" }.joined()
        let options = """
            language: de
            sections:
              - from: rows
                table:
                  columns: { amount: Betrag, day: "", share: Anteil }
                  rows: 2
                  order: newest
                  bars: [amount]
                  share: [share]
                  formats: { amount: "#,##0.00 €" }
            """
        for size in [1, 4, 100] {
            let page = try HTMLPages.page(of: rows, options: options, size: size)
            let body = try #require(page.firstMatch(of: /(?s)<tbody>(.*?)<\/tbody>/)).output.1
            let cells = body.matches(of: />([^<]+)<\/td>/).map { String($0.output.1) }
            #expect(cells == ["9.000,50 €", "d9", "90,0 %", "8.000,50 €", "d8", "80,0 %"])
            #expect(page.contains("Showing the last 2 of 9 rows."))
            #expect(page.contains("--m0:9000.5;--m2:0.9"))
            #expect(page.contains("class=\"num\">Betrag</th><td></td><th"))
            #expect(Markup.problems(in: page) == [])
        }
    }

    @Test(
        "what a section asks for and cannot have is refused before a row is read",
        arguments: [
            ("{ from: rows, chart: line, x: mnth, y: n }", "no column named 'mnth'"),
            ("{ from: rows, chart: line, x: month, y: name }", "column 'name' holds text, not integer or decimal"),
            ("{ from: rows, chart: line, x: month }", "the option 'y' is missing"),
            (
                "{ from: rows, chart: stacked, x: month, y: [n, m], by: name }",
                "'chart: stacked' takes one column as 'y'"
            ),
            ("{ from: rows, chart: line, x: month, y: n, value: n }", "'value' has no meaning with 'chart: line'"),
            ("{ from: rows, table: { bars: [name] } }", "column 'name' holds text, not integer or decimal"),
            (
                "{ from: rows, table: { columns: { n: N }, bars: [m] } }",
                "column 'm' is not among the 'columns' that the table shows"
            ),
            (
                "{ from: rows, chart: line, x: month, y: n, format: '0.0.0' }",
                "'format': '0.0.0' is no number pattern: a pattern has one '.' at most"
            ),
            (
                "{ from: rows, chart: lin, x: month, y: n }",
                "'chart': expected one of table, line, bars, stacked, heat, scatter, calendar, found 'lin'"
            ),
            ("{ from: rows, chart: line, x: month, y: n, tpo: 3 }", "a section has no option 'tpo'"),
        ]
    )
    func refusals(_ section: String, _ message: String) throws {
        do {
            _ = try HTMLPages.page(
                of: "month:text,name:text,n:integer,m:integer\n2026-01,a,1,2",
                options: "sections: [\(section)]"
            )
            Issue.record("it was taken")
        } catch let error as DaybookErrors {
            #expect(error.errors.map(\.message) == [message])
        } catch let error as DaybookError {
            #expect(error.message == message)
            #expect(error.place != nil)
        }
    }

    @Test("measures are the same however the rows are cut, and missing where no row has a value", arguments: [1, 2, 9])
    func measures(_ size: Int) throws {
        let rows = "n:decimal,day:day,none:integer\n0.1,2026-01-02,\n0.2,2026-03-04,\n0.3,2026-02-01,\n,2026-01-05,"
        let values = ["sum(n)", "mean(n)", "min(n)", "max(day)", "last(n)", "last(day)", "count()", "sum(none)"]
        let entries = values.map { "{ title: t, value: \($0) }" }.joined(separator: ", ")
        let page = try HTMLPages.page(of: rows, options: "measures: [\(entries)]", size: size)
        let shown = page.matches(of: /<dt>t<\/dt><dd>([^<]*)<\/dd>/).map { String($0.output.1) }
        #expect(shown == ["0.6", "0.2", "0.1", "2026-03-04", "–", "2026-01-05", "4", "–"])
    }

    @Test(
        "a measure that cannot be is refused",
        arguments: [
            ("{ title: t, value: sum(m) }", "no column named 'm'"),
            ("{ title: t, value: total(n) }", "'value': expected an aggregate such as sum(revenue), found 'total(n)'"),
            ("{ title: t, value: count(n) }", "'value': expected count() without a column, found 'count(n)'"),
            (
                "{ title: t, value: sum(n), from: row }",
                "the measure 't' is of 'row', which is not an input of this stage"
            ),
            (
                "{ title: t, value: rejected() }",
                "'value': expected the id of a stage in rejected(), found 'rejected()'"
            ),
            (
                "{ title: t, value: rows(clean), from: rows }",
                "'from' names an input, and rows(clean) is a count of the ledger"
            ),
            (
                "{ title: t, value: last(n), compare: yesterday }",
                "'compare': expected 'last', 'same weekday', or a median of 2 to 366 runs such as 'median of 7', found 'yesterday'"
            ),
            ("{ title: t, value: last(day), compare: last_run }", "column 'day' holds text, not integer or decimal"),
            (
                "{ title: t, value: sum(n), compare: last_run }, { title: t, value: count() }",
                "two measures are called 't', so nobody can tell which is compared"
            ),
        ]
    )
    func badMeasures(_ measure: String, _ message: String) throws {
        do {
            _ = try HTMLPages.page(of: "n:integer,day:text\n1,x", options: "measures: [\(measure)]")
            Issue.record("it was taken")
        } catch let error as DaybookErrors {
            #expect(error.errors.map(\.message) == [message])
        } catch let error as DaybookError {
            #expect(error.message == message)
        }
    }

    @Test(
        "a change is a share of what was, has its sign, and is never a rounded 0",
        arguments: [
            (100, 103.24, "+3.2 %"), (100, 88, "−12 %"), (1_000, 1_000.001, "+<0.1 %"), (5, 5, "±0 %"), (0, 5, "+5"),
            (0, -5_000_000, "−5M"), (-10, -5, "+50 %"), (2, 25, "+1,150 %"), (1e-300, 1e300, "+∞ %"),
            (-1e300, 1e300, "+200 %"),
        ]
    )
    func changes(_ before: Double, _ now: Double, _ text: String) {
        #expect(NumberSigns(language: "en").change(from: before, to: now) == text)
    }

    @Test(
        "a line is drawn of any values",
        arguments: [[1], [2, 2], [0, .leastNonzeroMagnitude], [-1e300, 1e300, 0]]
    )
    func sparkline(_ values: [Double]) {
        let points = values.enumerated().map { (day: CalendarDay(number: Int32($0)), value: $1) }
        let drawing = Sparkline(points).markup(id: "m", title: "<t>", description: "d").text
        #expect(drawing.contains("<title id=\"m-t\">&lt;t&gt;</title>") && drawing.contains("class=\"ln\""))
        #expect(drawing.matches(of: /-?[0-9.]+/).allSatisfy { Double($0.output).map { $0 <= 200 } ?? false })
    }

    @Test("the way of the rows has a bar for each stage, bands and arcs between them, and says what left")
    func flow() throws {
        var source = LedgerLine(id: "a<b", stage: "import_csv", isSource: true)
        (source.rowsIn, source.rowsOut, source.rejected, source.dropped) = (100, 90, 6, ["blanks": 4])
        var fold = LedgerLine(id: "months", stage: "summarise_rows")
        (fold.rowsIn, fold.folded, fold.made, fold.rowsOut) = (90, 90, 12, 12)
        var sink = LedgerLine(id: "page", stage: "export_html")
        (sink.rowsIn, sink.rowsOut) = (18, 18)
        let links = [
            RunSummary.Link(from: 0, to: 1), RunSummary.Link(from: 1, to: 2),
            RunSummary.Link(from: 0, to: 2, isOfRejects: true),
        ]
        let drawing = FlowDrawing(lines: [source, fold, sink], links: links).markup(id: "f").text
        #expect(
            drawing.contains("a&lt;b: 90 rows, 6 rejected, 4 blanks; months: 12 rows, 90 folded; page: 18 rows</desc>")
        )
        #expect(drawing.matches(of: /class="band"/).count == 4)
        #expect(drawing.matches(of: /class="arc lost"/).count == 2)
        #expect(FlowDrawing(lines: [source], links: []).markup(id: "f").isEmpty)
    }

    @Test("no two arcs lie on each other, unless they come from one stage; with ten beside each other as well")
    func flowLanes() throws {
        func places(_ pairs: [(Int, Int)]) -> [Double] {
            let lines = (0..<22).map { number in
                var line = LedgerLine(id: "s\(number)", stage: "sort_rows")
                // Chains of stages that make no rows would be branches.
                (line.rowsIn, line.made, line.rowsOut, line.folded) = (5, 5, 5, 5)
                return line
            }
            let drawing = FlowDrawing(lines: lines, links: pairs.map { RunSummary.Link(from: $0.0, to: $0.1) })
            let arcs = drawing.markup(id: "f").text.split(separator: "<div class=\"tight\">")[0]
            return arcs.matches(of: /class="arc" d="M[^H]*H(-?[0-9.]+)V/).compactMap { Double($0.output.1) }
        }
        let ten = places((0..<10).map { ($0, 21 - $0) })
        #expect(ten.count == 10 && Set(ten).count == 10 && ten.allSatisfy { $0 >= 0 })
        #expect(Set(places([(0, 3), (3, 6)])).count == 2, "where one ends another begins")
        #expect(Set(places([(0, 3), (0, 6)])).count == 1, "both are of the rows of one stage")
    }

    @Test("the language is a tag and nothing else", arguments: ["ko-", "en GB", "\"><b>", "toolonglanguage"])
    func language(_ tag: String) {
        #expect(throws: DaybookErrors.self) { try HTMLPages.page(of: "a:text", options: "language: '\(tag)'") }
    }

    @Test("JSON is shown as keys and values, whatever it holds, and as it is written where it is none")
    func json() throws {
        let values = [
            (
                "{\"a\":1,\"b c\":[1, \"<x>\",null],\"d\":{\"e\":\"\\u00e9\\n\"}}",
                "<td class=\"kvs\"><ul class=\"kv\"><li><b>a</b> 1</li><li><b>b c</b> 1, &lt;x&gt;, –</li>"
                    + "<li><b>d</b> <ul class=\"kv\"><li><b>e</b> é\n</li></ul></li></ul></td>"
            ),
            ("[]", "<td class=\"kvs\">–</td>"), ("[[[[[[1]]]]]]", "<td class=\"kvs\">[[1]]</td>"),
            ("{\"a\":", "<td class=\"code\">{&quot;a&quot;:</td>"), ("1 2", "<td class=\"code\">1 2</td>"),
        ]
        for (json, cell) in values {
            let page = try HTMLPages.page(of: "a:json\n" + HTMLPages.cell(json))
            #expect(page.contains(cell), "\(json)")
            #expect(Markup.problems(in: page) == [])
        }
        let many = "[" + (1...200).map(String.init).joined(separator: ",") + "]"
        #expect(try HTMLPages.page(of: "a:json\n" + HTMLPages.cell(many)).contains("59, 60…</td>"))
    }

    @Test("the ledger says line by line where the rows went, and that it balances")
    func ledger() throws {
        // A stage of another package need not be called import_.
        var entries = LedgerLine(id: "entries", stage: "read_diary", isSource: true)
        (entries.rowsIn, entries.rowsOut, entries.rejected) = (12_348, 12_300, 3)
        entries.dropped = ["duplicates": 40, "blanks": 5]
        entries.skipped = ["comments": 2]
        var fetched = LedgerLine(id: "fetched", stage: "import_csv")
        (fetched.rowsIn, fetched.rowsOut) = (5, 5)
        let page = try HTMLPages.page([("rows", "a:text")], ledger: [entries, fetched])
        #expect(page.contains("The ledger balances: every row is accounted for."))
        let status =
            "<b>Passed</b> · 12,348 rows read · 0 in this report · <em>3 rejected</em> within limits (3 in <bdi>entries</bdi>) · 45 dropped"
        #expect(page.contains(status))
        #expect(page.contains("45<span class=\"words\">blanks 5</span><span class=\"words\">duplicates 40</span>"))
        #expect(page.contains("2<span class=\"words\">comments 2</span>"))

        entries.rowsOut -= 7
        let broken = HTMLLedger(lines: [entries])
        #expect(!broken.isBalanced)
        #expect(broken.status(rowCount: 1).text.contains("class=\"status off\"><b>The ledger is off</b>"))
        #expect(broken.sentence.text == "The ledger does not balance. Rows are unaccounted for in: entries (7).")
    }
}

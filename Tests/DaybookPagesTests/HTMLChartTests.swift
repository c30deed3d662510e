import DaybookContracts
import DaybookTestSupport
import Testing

@testable import DaybookPages

@Suite struct HTMLChartTests {
    private static let stacked = "chart: stacked, x: month, y: count, by: emotion"

    @Test("drawings and the figures below them hold every row, and stacks have a total")
    func totals() throws {
        let page = try HTMLPages.chart(Self.stacked, of: HTMLPages.long(months: 30, names: 9), size: 16)
        var sum = 0
        for month in 0..<30 {
            for name in 0..<9 { sum += (month * 7 + name * 3) % 11 }
        }
        #expect(page.contains("In all \(Figure.grouped(sum))."))
        let cells = try #require(page.firstMatch(of: /(?s)<details>.*?<\/details>/)).output
            .matches(of: /<td class="num">([0-9,]+)<\/td>/).compactMap { Int($0.output.1.filter { $0 != "," }) }
        // Each month's own total stands at the end of its line.
        #expect(cells.reduce(0, +) == 2 * sum)
    }

    @Test("every drawing has a title and a description in words, and each place says its values")
    func alternatives() throws {
        let page = try HTMLPages.page(
            [("rows", HTMLPages.long(months: 3, names: 2))],
            options: """
                sections:
                  - { from: rows, \(Self.stacked) }
                  - { from: rows, chart: heat, x: month, y: emotion, value: count }
                  - { from: rows, chart: line, x: month, y: count, by: emotion, unit: taps }
                """
        )
        // Across the page, and on a phone.
        #expect(page.matches(of: /<svg class="chart" role="group" aria-labelledby="s\d-[wn]-t s\d-[wn]-d"/).count == 6)
        #expect(page.matches(of: /<desc id="[^"]*">[^<]{35,}<\/desc>/).count == 6)
        #expect(page.contains("Stacked bars of 3 months, 2024-01 to 2024-03, for e"))
        #expect(page.matches(of: /tabindex="0" role="img" aria-label="2024-02, e0 7, e1 10"/).count == 2)
        #expect(page.contains("aria-label=\"2024-02, e1 10\u{A0}taps, e0 7\u{A0}taps\""))
        #expect(Markup.problems(in: page) == [])
    }

    @Test("stacks are as high as their sums, without gap or overlap, and what is below 0 goes downwards")
    func stacks() throws {
        let rows = "month:text,emotion:text,count:decimal\n2026-01,a,30\n2026-01,b,-20\n2026-01,c,45\n2026-03,a,100"
        let table = try table(rows, Self.stacked)
        let spec = try spec(rows, Self.stacked)
        #expect(table.series.map(\.name) == ["a", "c", "b"])
        #expect((0..<3).map(table.axis.text) == ["2026-01", "2026-02", "2026-03"])
        let scale = PlotChart.scale(of: table, spec)
        #expect(scale.low == -20 && scale.high == 100)
        let page = try HTMLPages.chart(Self.stacked, of: rows)
        let frame = PlotFrame(.wide, texts: scale.ticks.map(Figure.compact), ends: ["a"])
        func edge(_ value: Double) -> String { Figure.length(frame.y(value, scale)) }
        // a from 30 up to 0, c from 75 to 30, b from 0 to -20.
        let tops = page.matches(of: /<path class="s\d edge" d="M[0-9.]+ ([0-9.]+)h/).prefix(3).map {
            String($0.output.1)
        }
        #expect(tops == [edge(30), edge(75), edge(0)])
    }

    @Test("of many series the largest are drawn; the others are Other where they add up, and else left out")
    func manySeries() throws {
        let rows = HTMLPages.long(months: 2, names: 30)
        let stack = try HTMLPages.chart(Self.stacked + ", top: 4", of: rows)
        #expect(stack.contains("Other is the sum of the 26 smaller ones."))
        let oneMore = try HTMLPages.chart(Self.stacked + ", top: 4", of: HTMLPages.long(months: 2, names: 5))
        #expect(!oneMore.contains("Other") && oneMore.contains("class=\"s5"))
        let lines = try HTMLPages.chart("chart: line, x: month, y: count, by: emotion, top: 4", of: rows)
        #expect(lines.contains("The 4 largest of 30 are drawn; the others are not."))
        #expect(!lines.contains("Other"))
        let many = try HTMLPages.chart(Self.stacked, of: HTMLPages.long(months: 2, names: 300), size: 7)
        #expect(many.contains("Only the first 200 series are kept; 200 rows of others are not drawn."))
    }

    @Test("of more months than can be drawn the latest are, and the others are counted")
    func manyMonths() throws {
        let rows = HTMLPages.long(months: 1_500, names: 1, firstYear: 1850)
        let pages = try [1, 13, 2_000].map { try HTMLPages.chart(Self.stacked, of: rows, size: $0) }
        #expect(Set(pages).count == 1)
        #expect(pages[0].contains("1,200 months, 1875-01 to 1974-12."))
        #expect(pages[0].contains("Only the latest 1,200 places are drawn; 300 rows before them are not."))
        #expect(pages[0].utf8.count < 400_000)
    }

    @Test("columns of unlike things are drawn each by itself, and no figure is made of two")
    func unlikeColumns() throws {
        let page = try HTMLPages.chart(
            "chart: bars, x: month, y: [orders, revenue, median], layout: small_multiples",
            of:
                "month:text,orders:integer,revenue:decimal,median:decimal\n2026-01,40,1180.5,29\n2026-02,31,1320.25,41.5"
        )
        #expect(page.matches(of: /<svg\b/).count == 6)
        for title in ["Orders", "Revenue", "Median"] { #expect(page.contains("\">\(title)</h3>"), "\(title)") }
        #expect(page.contains("aria-label=\"2026-01, revenue 1,180.5\""))
        // What two columns come to, and a column of means over its months.
        let text = page.replacing(/(?s)<head>.*<\/head>/, with: "")
            .replacing(/\ (d|x|y|cx|cy|width|height|viewBox|style)="[^"]*"/, with: "").lowercased()
        for word in ["total", "in all", "1,249", "1,392", "2,500.75", "70.5", "legend"] {
            #expect(!text.contains(word), "\(word)")
        }
        #expect(page.contains("<td class=\"num\">40</td><td class=\"num\">1,180.5</td><td class=\"num\">29</td></tr>"))
        #expect(Markup.problems(in: page) == [])
    }

    @Test("several rows of one place are not added, for they may be means, unless the job says so")
    func severalRows() throws {
        let rows = "month:text,mean:decimal\n2026-01,10\n2026-01,20\n2026-02,7\n2026-03,3"
        for size in [1, 2, 9] {
            let page = try HTMLPages.chart("chart: bars, x: month, y: mean", of: rows, size: size)
            #expect(page.contains("3 months, 2026-01 to 2026-03. Highest: 2026-02 with 7; lowest: 2026-03 with 3."))
            #expect(
                page.contains("Not drawn: 1 value of several rows each, which may be no sums and so are not added.")
            )
            #expect(page.contains("aria-label=\"2026-01, no value\""))
            #expect(!page.contains(">30<"))
            #expect(
                try HTMLPages.chart("chart: bars, x: month, y: mean, sum: true", of: rows, size: size).contains(
                    "2026-01 with 30"
                )
            )
        }
    }

    @Test("where nothing can be drawn, it is said why")
    func nothingDrawn() throws {
        let nothing = "Nothing to draw: no row has month and a value that can be drawn."
        let header = "month:text,mean:decimal"
        for (rows, note) in [
            (
                "\n2026-01,10\n2026-01,20\n2026-02,7\n2026-02,3",
                " Not drawn: 2 values of several rows each, which may be no sums and so are not added."
            ),
            ("\n2026-01,inf", " Not drawn: 1 value that is no number up to 1e300."),
            ("\n,1\n,2", " Not drawn: 2 rows without month."), ("\n2026-01,", ""), ("", ""),
        ] {
            let page = try HTMLPages.chart("chart: bars, x: month, y: mean", of: header + rows)
            #expect(page.contains("<p class=\"note\">\(nothing)\(note)</p>"), "\(rows)")
        }
    }

    @Test("what cannot be drawn is counted, and gaps are gaps")
    func oddRows() throws {
        let rows =
            "month:text,count:decimal,emotion:text\n2026-01,1,a\n2026-02,4,a\nMarch,2,a\n,3,a\n2026-04,inf,a\n2026-05,2,a\n2026-06,5,a"
        let page = try HTMLPages.chart("chart: line, x: month, y: count", of: rows)
        #expect(page.contains("Not drawn: 1 row whose month is not written as 2026-03."))
        #expect(page.contains("Not drawn: 1 row without month."))
        #expect(page.contains("Not drawn: 1 value that is no number up to 1e300."))
        // Two strokes, for nothing is known of March and April.
        let path = try #require(page.firstMatch(of: /class="s1 ln" d="([^"]*)"/)).output.1
        #expect(path.count { $0 == "M" } == 2)
        #expect(
            try HTMLPages.chart("chart: line, x: month, y: count", of: "month:text,count:integer").contains(
                "Nothing to draw"
            )
        )
    }

    @Test("places are days, instants, numbers or names, each on its own axis")
    func axes() throws {
        func spans(_ header: String, _ x: [String]) throws -> String {
            let rows = x.enumerated().map { "\n\($1),\($0 + 1)" }.joined()
            let page = try HTMLPages.chart("chart: line, x: x, y: y", of: "x:\(header),y:integer" + rows)
            return String(try #require(page.firstMatch(of: /<p class="soft">(\d.*?)\. Highest/)).output.1)
        }
        #expect(try spans("day", ["2026-02-27", "2026-03-02"]) == "4 days, 2026-02-27 to 2026-03-02")
        #expect(try spans("integer", ["2024", "2026"]) == "3 values of x, 2024 to 2026")
        #expect(try spans("decimal", ["0.5", "-2"]) == "2 values of x, −2 to 0.5")
        #expect(try spans("text", ["north", "south"]) == "2 values of x, north to south")
        #expect(
            try spans("instant", ["2026-02-27T10:00:00Z", "2026-02-27T12:00:00Z"])
                == "2 values of x, 2026-02-27T10:00:00Z to 2026-02-27T12:00:00Z"
        )
    }

    @Test("labels never overlap and are never outside, whatever the axis")
    func labels() {
        let months = [1, 2, 12, 13, 36, 37, 120, 600].map {
            ChartAxis(.months, keys: (0..<$0).map { Double(24_290 + $0) })
        }
        let days = [1, 8, 40, 90, 400, 1_199].map { ChartAxis(.days, keys: (0..<$0).map { Double(20_000 + $0) }) }
        let times = [60.0, 7_200, 90_000, 4e6].map { ChartAxis(.instants, keys: [0, $0], isScaled: true) }
        for axis in months + days + times {
            for space in [300.0, 780] {
                let labels = axis.labels(space: space)
                #expect(!labels.first.isEmpty || !labels.second.isEmpty)
                for row in [labels.first, labels.second] {
                    #expect(row.allSatisfy { (0...1).contains($0.at) })
                    for (one, two) in zip(row, row.dropFirst()) {
                        let gap = (Drawing.width(of: one.text) + Drawing.width(of: two.text)) / 2
                        #expect((two.at - one.at) * space >= gap, "\(axis.kind) \(axis.count) \(one.text)")
                    }
                }
            }
        }
    }

    @Test("only the month of as_of is hatched, and none on its last day")
    func hatching() {
        let axis = ChartAxis(.months, keys: [Double(2026 * 12 + 9), Double(2026 * 12 + 10)])
        #expect(axis.unfinished(on: CalendarDay(iso: "2026-11-21")!) == 1)
        #expect(axis.unfinished(on: CalendarDay(iso: "2026-10-31")!) == nil)
        #expect(axis.unfinished(on: CalendarDay(iso: "2027-01-05")!) == nil)
    }

    @Test("a cloud has every point up to a number, then every second, however the rows are cut")
    func cloud() throws {
        let rows = "x:integer,y:integer" + (0..<4_000).map { "\n\($0),\($0 % 7)" }.joined()
        let pages = try [13, 1_000, 5_000].map { try HTMLPages.chart("chart: scatter, x: x, y: y", of: rows, size: $0) }
        #expect(Set(pages).count == 1)
        #expect(pages[0].contains("Every 4th of 4,000 points is drawn."))
        #expect(pages[0].matches(of: /class="s1 point"/).count == 2_000)
    }

    @Test("colours of the data paint what they belong to, and nothing but a colour does")
    func colours() throws {
        let rows = "name:text,n:integer,colour:text\na,1,#EC007F\nb,2,red;x:1\nc,3,"
        let page = try HTMLPages.chart("chart: bars, x: name, y: n, colour: colour", of: rows)
        #expect(page.matches(of: /style="--k:#EC007F"/).count == 2)
        #expect(page.matches(of: /--k:[^v#]/).isEmpty)
    }

    @Test("long names that differ only at their end are not one")
    func longNames() throws {
        let start = String(repeating: "n", count: 200)
        let page = try HTMLPages.chart(
            "chart: bars, x: name, y: n, sum: true",
            of: "name:text,n:integer\n\(start)1,2\n\(start)2,5\n\(start)1,4"
        )
        #expect(page.contains("2 values of name"))
        #expect(page.contains(">6</td>") && page.contains(">5</td>"))
    }

    @Test("one name has one colour in all drawings of a page")
    func pageColours() throws {
        let rows = "month:text,by:text,n:integer\n2026-01,a,1\n2026-01,b,9"
        let other = "month:text,by:text,n:integer\n2026-01,a,9\n2026-01,c,1\n2026-01,b,2"
        let page = try HTMLPages.page(
            [("one", rows), ("two", other)],
            options: """
                sections:
                  - { from: one, chart: bars, x: month, y: n, by: by }
                  - { from: two, chart: bars, x: month, y: n, by: by }
                """
        )
        let keys = page.matches(of: /<i class="(s\d) key"><\/i><bdi>(\w)</).map { "\($0.output.2)\($0.output.1)" }
        #expect(keys == ["bs1", "as2", "as2", "bs1", "cs3"])
    }

    @Test(
        "ticks are round, few, and on both sides of every value",
        arguments: [
            (0.0, 0.0), (0, 1), (0, 7), (0, 122), (-25, 157), (-3, 0), (0, 0.0004), (0, 1e15), (-1e300, 1e300),
            (0, 9e307),
            (0, 99_999_999),
        ]
    )
    func ticks(_ low: Double, _ high: Double) {
        for isWhole in [false, true] {
            let scale = ChartScale(low: low, high: high, whole: isWhole)
            #expect((2...10).contains(scale.ticks.count))
            #expect(scale.ticks.contains(0))
            #expect(scale.low <= max(low, -8e307) && scale.high >= min(high, 8e307))
            #expect(scale.ticks == scale.ticks.sorted())
            #expect(Set(scale.ticks.map(Figure.compact)).count == scale.ticks.count)
        }
    }

    @Test(
        "the smallest numbers have an axis too",
        arguments: [Double.leastNonzeroMagnitude, .leastNormalMagnitude, 1e-300]
    )
    func tinyTicks(_ high: Double) {
        let scale = ChartScale(low: 0, high: high, whole: false)
        #expect((2...10).contains(scale.ticks.count) && scale.low == 0 && scale.high >= high)
    }

    @Test("shades run from 0 to the furthest value on either side, and numbers stand only where all have room")
    func shades() throws {
        let rows = "month:text,emotion:text,count:decimal\n2026-01,a,100\n2026-01,b,-10\n2026-01,c,0\n2026-01,d,1"
        let options = "chart: heat, x: month, y: emotion, value: count"
        let map = HeatChart(try table(rows, options), try spec(rows, options))
        #expect([100, -10, 0, 1, -1, 50].map(map.shade) == ["h7", "n7", "h0", "h1", "n1", "h4"])
        #expect(map.cellTexts(slot: 40) != nil)
        #expect(map.cellTexts(slot: 20) == nil)
    }

    private func spec(_ rows: String, _ options: String) throws -> ChartSpec {
        let inputs = [StageInput(id: "rows", schema: try BatchText.read(rows).schema)]
        let stage = try ExampleRunner.make(ExportHTML.self, "path: a.html\nsections: [{ from: rows, \(options) }]")
        guard case .chart(let spec) = HTMLOutput(try stage.bind(StageInputs(inputs)))?.plans[0].content else {
            throw BadExample()
        }
        return spec
    }

    private func table(_ rows: String, _ options: String) throws -> ChartTable {
        let spec = try spec(rows, options)
        return try ChartTable(ChartPoints(try BatchText.read(rows), spec), spec)
    }

    private struct BadExample: Error {}
}

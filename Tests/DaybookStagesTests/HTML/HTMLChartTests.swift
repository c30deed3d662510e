import DaybookCore
import DaybookTestSupport
import Testing

@testable import DaybookFormats
@testable import DaybookStages
@testable import DaybookTables

@Suite struct HTMLChartTests {
    @Test("the boxes of a month are as high as its figures, stacked without gap or overlap")
    func stacks() throws {
        let table = try table("2026-01,a,3\n2026-01,b,-2\n2026-01,c,4.5\n2026-03,a,10\n2026-03,c,")
        let chart = BarChart(table, frame: ChartFrame(months: table.months, texts: []))
        #expect(table.months.map(MonthTable.text) == ["2026-01", "2026-02", "2026-03"])
        let unit = (chart.y(of: 0) - chart.y(of: 1))
        for (index, series) in table.series.enumerated() {
            let values = series.values.compactMap { $0 }.filter { $0 != 0 }
            #expect(chart.boxes[index].count == values.count)
            for (box, value) in zip(chart.boxes[index], values) {
                #expect(abs(box.height - abs(value) * unit) < 1e-9)
            }
        }
        let (a, b, c) = (chart.boxes[0][0], chart.boxes[1][0], chart.boxes[2][0])
        #expect(abs(a.y + a.height - chart.y(of: 0)) < 1e-9)
        #expect(abs(c.y + c.height - a.y) < 1e-9)
        #expect(abs(b.y - chart.y(of: 0)) < 1e-9)
    }

    @Test("drawings and the figures below them hold every row, also those that the table does not show")
    func totals() throws {
        let page = try HTMLPages.page(of: HTMLPages.long(months: 30, names: 9), options: "rows: 5", size: 16)
        var sum = 0
        for month in 0..<30 {
            for name in 0..<9 { sum += (month * 7 + name * 3) % 11 }
        }
        #expect(page.contains("<dt>Total</dt><dd>\(Figure.grouped(sum))</dd>"))
        let cells = try #require(page.firstMatch(of: /(?s)<details>.*<\/details>/)).output
            .matches(of: /<td class="num">([0-9,]+)<\/td>/).compactMap { Int($0.output.1.filter { $0 != "," }) }
        // Each month's own total stands at the end of its line.
        #expect(cells.reduce(0, +) == 2 * sum)
    }

    @Test("every drawing is an image with a title and a description in words")
    func alternatives() throws {
        let page = try HTMLPages.page([
            ("a", HTMLPages.long(months: 3, names: 2)), ("b", "month:text,x:decimal\n2026-03,1.5"),
        ])
        #expect(
            page.matches(of: /<svg role="img" aria-labelledby="s\d-(bars\d?|map)-t s\d-(bars\d?|map)-d"/).count == 3
        )
        #expect(page.matches(of: /<desc id="[^"]*">[^<]{35,}<\/desc>/).count == 3)
        #expect(page.contains("Stacked bars for 3 months, 2024-01 to 2024-03."))
        #expect(page.contains("A grid of 2 rows and 3 months, 2024-01 to 2024-03. The largest value is "))
        #expect(page.contains("Bars for 1 month, 2026-03. 1.5 in 2026-03."))
        #expect(Markup.problems(in: page) == [])
    }

    @Test("series beyond the limit are drawn as others, and the page says so")
    func manySeries() throws {
        let sums = try sums(HTMLPages.long(months: 2, names: 100), size: 7)
        #expect(sums.names.count == MonthSums.seriesLimit + 1)
        let table = try #require(MonthTable(sums))
        var total = 0
        for row in 0..<200 { total += (row / 100 * 7 + row % 100 * 3) % 11 }
        #expect(table.total == Double(total))
        let bars = table.condensed(to: 9)
        #expect(bars.series.count == 10)
        #expect(bars.total == table.total)
        #expect(HTMLPalette.style(ofSeries: 9, in: bars) == "s0")
        let page = try HTMLPages.page(of: HTMLPages.long(months: 2, names: 100))
        #expect(page.contains("Only the first 24 names are kept apart; the rest is others."))
    }

    @Test("of more months than can be drawn the latest are, and the others are counted")
    func manyMonths() throws {
        let rows = HTMLPages.long(months: 900, names: 1, firstYear: 1950)
        for size in [1, 13, 2_000] {
            let sums = try sums(rows, size: size)
            #expect(sums.months.count == 600)
            #expect(sums.earlierRows == 300)
            #expect(sums.months.keys.min() == 1975 * 12)
        }
        let page = try HTMLPages.page(of: rows)
        #expect(page.contains("Only the latest 600 months are drawn; 300 rows before them are not."))
        #expect(page.utf8.count < 300_000)
    }

    @Test("columns of unlike things are drawn each by itself, and no figure is made of two")
    func unlikeColumns() throws {
        let page = try HTMLPages.page(
            of:
                "month:text,orders:integer,revenue:decimal,median:decimal\n2026-01,40,1180.5,29\n2026-02,31,1320.25,41.5",
            options: "rows: 0"
        )
        #expect(page.matches(of: /<svg\b/).count == 3)
        for title in ["Orders by month", "Revenue by month", "Median by month"] {
            #expect(page.contains("\">\(title)</h3>"), "\(title)")
        }
        #expect(page.contains("Highest in 2026-02 with 1,320.25, lowest in 2026-01 with 1,180.5."))
        #expect(page.contains("<title>2026-01\nrevenue 1,180.5</title>"))
        // What two columns come to, and a column of means over its months, in every way in which pages write numbers.
        let text = page.replacing(/(?s)<head>.*<\/head>/, with: "").lowercased()
        for word in ["total", "largest", "%", "stacked", "1,249", "1,392", "2,500.75", "70.5", "legend", "class=\"h"] {
            #expect(!text.contains(word), "\(word)")
        }
        #expect(page.contains("<td class=\"num\">40</td><td class=\"num\">1,180.5</td><td class=\"num\">29</td></tr>"))
        #expect(Markup.problems(in: page) == [])
    }

    @Test("several rows of one month are not added, for they may be means; the page says how many months are left out")
    func severalRows() throws {
        let rows = "month:text,mean:decimal\n2026-01,10\n2026-01,20\n2026-02,7\n2026-03,3"
        for size in [1, 2, 9] {
            let page = try HTMLPages.page(of: rows, size: size)
            #expect(
                page.contains(
                    "Bars for 3 months, 2026-01 to 2026-03. Highest in 2026-02 with 7, lowest in 2026-03 with 3."
                )
            )
            #expect(
                page.contains(
                    "Not drawn: 1 month with several rows, whose figures may be no sums and so are not added."
                )
            )
            #expect(page.contains("<title>2026-01\nno figures</title>"))
            #expect(!page.contains(">30<"))
        }
        let none = try HTMLPages.page(of: "month:text,mean:decimal\n2026-01,10\n2026-01,20")
        #expect(!none.contains("<svg"))
        #expect(none.contains("Not drawn: 1 month with several rows"))
    }

    @Test("of more columns than can be drawn the first are, and none is drawn together with others")
    func manyColumns() throws {
        let names = (1...30).map { "c\($0):integer" }.joined(separator: ",")
        let values = (1...30).map { $0 == 2 ? "" : "\($0)" }.joined(separator: ",")
        let page = try HTMLPages.page(of: "month:text,\(names)\n2026-01,\(values)")
        #expect(page.matches(of: /<svg\b/).count == 23)
        #expect(page.contains("Only the first 24 of 30 columns are drawn. Not drawn: 1 column without a value."))
        #expect(!page.contains("others"))
    }

    @Test("what cannot be drawn is counted, and months far apart leave out those between")
    func oddRows() throws {
        let rows =
            "month:text,count:decimal,emotion:text\n0019-05,1,a\nMarch,2,a\n,3,a\n2026-13,4,a\n2026-03,inf,a\n9999-12,,"
        let page = try HTMLPages.page(of: rows)
        #expect(page.contains("Not drawn: 3 rows whose month is not written as 2026-03."))
        #expect(page.contains("Not drawn: 1 value that is no number up to 1e300."))
        #expect(page.contains("Months without rows are left out."))
        #expect(try HTMLPages.page(of: "month:text,x:integer\nMay,1").contains("no month is written as 2026-03"))
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

    @Test(
        "months have at most 36 labels, and labels never overlap",
        arguments: [1, 2, 12, 13, 35, 36, 37, 90, 120, 240, 600]
    )
    func labels(_ count: Int) {
        let frame = ChartFrame(months: Array(24_290..<24_290 + count), texts: ["당황해"])
        let labels = frame.labels
        #expect(labels.months.count <= 36)
        #expect(!labels.months.isEmpty || !labels.years.isEmpty)
        for row in [labels.months, labels.years] {
            for (one, two) in zip(row, row.dropFirst()) {
                #expect(two.x - one.x >= (Drawing.width(of: one.text) + Drawing.width(of: two.text)) / 2)
            }
        }
        #expect(frame.outerWidth <= ChartFrame.width + 1e-9)
    }

    @Test("shades run from 0 to the furthest value on either side")
    func shades() throws {
        let table = try table("2026-01,a,100\n2026-01,b,-10\n2026-01,c,0\n2026-01,d,1")
        let map = HeatMap(table, frame: ChartFrame(months: table.months, texts: []))
        #expect([100, -10, 0, 1, -1, 50].map(map.shade) == ["h7", "n7", "h0", "h1", "n1", "h4"])
    }

    private func sums(_ rows: String, size: Int) throws -> MonthSums {
        let batch = try BatchText.read(rows)
        let shape = try #require(MonthShape(batch.schema))
        var sums = MonthSums()
        for part in batch.cut(into: size) { sums.merge(shape.sums(of: part)) }
        return sums
    }

    private func table(_ rows: String) throws -> MonthTable {
        try #require(MonthTable(try sums("month:text,emotion:text,count:decimal\n" + rows, size: 2)))
    }
}

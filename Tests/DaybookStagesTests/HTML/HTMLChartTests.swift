import DaybookCore
import DaybookTestSupport
import Testing

@testable import DaybookStages

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
        #expect(page.matches(of: /<svg role="img" aria-labelledby="s\d-(bars|map)-t s\d-(bars|map)-d"/).count == 4)
        #expect(page.matches(of: /<desc id="[^"]*">[^<]{40,}<\/desc>/).count == 4)
        #expect(page.contains("Stacked bars for 3 months, 2024-01 to 2024-03."))
        #expect(page.contains("A grid of 1 row and 1 month, 2026-03. The largest value is 1.5"))
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

import DaybookContracts
import Testing

@testable import DaybookPages

@Suite struct HTMLTableBoxTests {
    @Test("a table of at most 50 rows is shown whole, and a longer one says that there is more", arguments: [1, 50])
    func heights(_ count: Int) throws {
        let rows = "id:integer" + (1...count).map { "\n\($0)" }.joined()
        let short = try HTMLPages.page(of: rows)
        #expect(short.contains("<div class=\"scroll\" "))
        #expect(!short.contains("Scroll in the table"))
        let long = try HTMLPages.page(of: rows + "\n0" + String(repeating: "\n0", count: 1_000))
        #expect(long.contains("<div class=\"scroll long\" "))
        #expect(long.contains("<p class=\"note hint\">Scroll in the table for the first 500 rows.</p>"))
        let whole = try HTMLPages.page(of: rows + String(repeating: "\n0", count: 51 - count))
        #expect(whole.contains("<p class=\"note hint\">Scroll in the table for all 51 rows.</p>"))
        for page in [short, long, whole] { #expect(Markup.problems(in: page) == []) }
    }

    @Test("rows that are not shown make no table longer")
    func cut() throws {
        let page = try HTMLPages.page(of: "id:integer" + String(repeating: "\n0", count: 80), options: "rows: 20")
        #expect(page.contains("Showing 20 of 80 rows."))
        #expect(page.contains("<div class=\"scroll\" "))
        #expect(!page.contains("Scroll in the table"))
    }

    @Test("the figures behind the drawings are held to the same height")
    func figures() throws {
        let drawing = "chart: stacked, x: month, y: count, by: emotion"
        let page = try HTMLPages.chart(drawing, of: HTMLPages.long(months: 51, names: 1))
        #expect(page.contains("Scroll in the table for all 51 rows.</p>\n</details>"))
        let short = try HTMLPages.chart(drawing, of: HTMLPages.long(months: 50, names: 1))
        #expect(!short.contains("Scroll in the table"))
    }

    @Test("the ledger has its full height, however many stages there are")
    func ledger() {
        let lines = (1...80).map { LedgerLine(id: "stage_\($0)", stage: "sort_rows") }
        #expect(HTMLLedger(lines: lines).markup.text.contains("<div class=\"scroll\" tabindex"))
    }

    @Test(
        "many columns are told apart from few",
        arguments: [(10, "scroll"), (11, "scroll many"), (20, "scroll many"), (21, "scroll many crowd")]
    )
    func columns(_ count: Int, _ style: String) throws {
        let names = (1...count).map { "c\($0):integer" }.joined(separator: ",")
        #expect(try HTMLPages.page(of: names).contains("<div class=\"\(style)\" "))
    }

    @Test("where rows were rejected stands beside their number, with a way to the ledger")
    func rejections() throws {
        let lines = [("dates", 6), ("all_well", 0), ("<colours>", 1_008)].map { id, rejected in
            var line = LedgerLine(id: id, stage: "normalise_dates")
            (line.rowsIn, line.rejected) = (rejected, rejected)
            return line
        }
        let page = try HTMLPages.page([("rows", "a:text")], ledger: lines)
        let names = "<em>1,014 rejected</em> within limits (6 in <bdi>dates</bdi>, 1,008 in <bdi>&lt;colours&gt;</bdi>)"
        #expect(page.contains("\(names) · <a href=\"#way\">where the rows went</a></p>"))
        #expect(page.contains("<td class=\"num bad\">1,008</td>"))
        #expect(Markup.problems(in: page) == [])
        #expect(HTMLLedger(lines: [lines[1]]).rejections.text == "none rejected")
        let many = HTMLLedger(lines: Array(repeating: lines[0], count: 8)).rejections
        #expect(many.text.contains("6 in <bdi>dates</bdi>, and more in 2 other stages)"))
    }
}

import DaybookTestSupport
import Foundation
import Testing

/// The page of findings: what failed first, and each finding in its record.
@Suite struct HTMLReportTests {
    let place: TemporaryDirectory
    let command: CommandTrial

    init() throws {
        place = try TemporaryDirectory()
        command = CommandTrial(in: place.url)
    }

    /// Runs a job of the rules on `in.csv` and gives the page without its style sheet.
    private func page(_ rules: String, import options: String = "", before: String = "") throws -> String {
        try place.write(
            """
            daybook: 1
            job: checks
            \(before)
            stages:
              - import_csv: { path: in.csv\(options) }
                id: rows
              - check_rows:
                  rules:
            \(rules.split(separator: "\n").map { "        \($0)" }.joined(separator: "\n"))
                id: checked
              - export_csv: { path: out.csv }

            """,
            to: "job.yaml"
        )
        let outcome = try command.run("run", "job.yaml", "--as-of", "2026-11-21", "--report", "html=page.html")
        #expect(outcome.status < 2, "\(outcome.errors)")
        let page = try #require(place.text("page.html"))
        return try #require(page.range(of: "</style>").map { String(page[$0.upperBound...]) })
    }

    /// The part of a page from the heading of a rule to the next heading.
    private func findings(of rule: String, in page: String) throws -> String {
        let start = try #require(page.firstRange(of: ">\(rule)</span> <span class=\"soft\">in "))
        let rest = page[start.upperBound...]
        return String(rest[..<(rest.firstMatch(of: /<h3|<\/section>/)?.range.lowerBound ?? rest.endIndex)])
    }

    @Test func whatFailedComesFirst() throws {
        try place.write("id,n\n1,5\n2,\n3,7\n3,8\n", to: "in.csv")
        let page = try page(
            """
            - between: { column: n, min: 1 }
              id: held
            - not_missing: n
              id: warned
              warn: "> 0"
            - unique: id
              id: failed
            - row_count: { min: 9 }
              id: few
            """,
            import: ", columns: { id: integer, n: integer }"
        )
        let table = try #require(page.firstRange(of: "id=\"rules\"").map { page[$0.upperBound...] })
        let order = ["failed", "few", "warned", "held"].map { table.firstRange(of: ">\($0)<")?.lowerBound }
        #expect(order.allSatisfy { $0 != nil })
        #expect(order.compactMap(\.self) == order.compactMap(\.self).sorted())
        // Observed and expected stand side by side, and the share that passed as a number and a bar.
        #expect(
            table.contains(
                "<td class=\"text\">1 of 4 rows (25 %) has no value in &#39;n&#39;</td>"
                    + "<td class=\"text\">a value in &#39;n&#39; in every row<span class=\"words\">warns at &gt; 0</span></td>"
                    + "<td class=\"num share\">75 %<span class=\"part\" style=\"--s:75%\"></span></td>"
            )
        )
        #expect(
            table.contains(
                "<span class=\"words\">number of rows: 4</span></td><td class=\"text\">the number of rows is at least 9</td>"
            )
        )
        // The findings stand in the same order, and the rows as they ran are drawn.
        let headings = page.matches(of: /<h3 id="f\d+"><span class="[a-z]+">([a-z]+)</).map { String($0.1) }
        #expect(headings == ["failed", "few", "warned"])
        #expect(page.contains("class=\"chart flow\"") && page.contains("4 rows"))
    }

    @Test func ofWideRecordsTheColumnsAroundTheCellAreShown() throws {
        let names = (0..<40).map { "c\($0)" }
        let cells = names.map { $0 == "c20" ? "" : "v\($0)" }.joined(separator: ",")
        try place.write("\(names.joined(separator: ","))\n\(cells)\n", to: "in.csv")
        let part = try findings(of: "gap", in: page("- not_missing: c20\n  id: gap"))
        let heads = part.matches(of: /<th scope="col"[^>]*>([^<]*)<\/th>/).map { String($0.1) }
        #expect(heads == ["Place", "What is wrong", "c0"] + (17...23).map { "c\($0)" })
        #expect(part.contains("1 finding. Of 40 columns, the first and those around the cells are shown."))
        #expect(part.contains("in.csv<wbr><span class=\"at\">:2:"))
        #expect(
            part.contains(">vc19</td><td class=\"hit gap\"><span>empty</span></td><td class=\"one\" lang=\"\">vc21<")
        )
    }

    @Test func equalFindingsAreCountedTogether() throws {
        try place.write("id,colour\n1,red\n2,red\n3,blue\n4,red\n", to: "in.csv")
        let part = try findings(of: "colours", in: page("- hex_colour: colour\n  id: colours"))
        #expect(part.contains("<td class=\"text\" rowspan=\"3\">&#39;red&#39; is"))
        #expect(part.contains("<span class=\"words\">3 times</span>"))
        // Each keeps its place and its record.
        for line in [2, 3, 4, 5] { #expect(part.contains(":\(line):3</span>"), "\(part)") }
        for id in 1...4 { #expect(part.contains("<td class=\"one\" lang=\"\">\(id)</td>")) }
        // What stands in the record is not told twice.
        #expect(!part.contains(">Value<") && !part.contains("<code"))
    }

    @Test func ofManyFindingsTheFirstAreShownAndAllCounted() throws {
        try place.write("id,colour\n" + (0..<150).map { "\($0),red\n" }.joined(), to: "in.csv")
        let part = try findings(of: "colours", in: page("- hex_colour: colour\n  id: colours"))
        #expect(part.contains("The first 100 of 150 findings."))
        #expect(part.contains("<span class=\"words\">100 times among the first 100</span>"))
        #expect(part.matches(of: /<tr class="error">/).count == 100)
        // Their words are said again after some rows.
        #expect(part.matches(of: /<td class="text" rowspan="15">/).count == 6 && part.contains(" rowspan=\"10\">"))
    }

    @Test func namesAndCellsAreNoMarkup() throws {
        let (name, cell) = ("<b onclick=\"\"x\"\">#", "</td><script>alert(1)</script>")
        try place.write("id,\"\(name)\",colour\n1,\"\(cell)\",red\n", to: "in.csv")
        let part = try findings(of: "colours", in: page("- hex_colour: colour\n  id: colours"))
        #expect(part.contains("&lt;b onclick=&quot;x&quot;&gt;#</th>"))
        #expect(part.contains("&lt;/td&gt;&lt;script&gt;alert(1)&lt;/script&gt;</td>"))
        #expect(!part.contains("<script") && !part.contains("<b "))
    }

    @Test("where it is not beyond doubt what is what, the line is shown as it is")
    func linesWithoutNames() throws {
        // The first line is a row, and the job names the columns.
        try place.write("1,blue\n2,red\n", to: "in.csv")
        let part = try findings(
            of: "colours",
            in: page("- hex_colour: colour\n  id: colours", import: ", header: [id, colour]")
        )
        #expect(part.contains("<code class=\"line\">2,<mark>red</mark></code>"))
        #expect(part.contains("<th scope=\"col\">In the file</th>") && part.contains("<td class=\"code\">red</td>"))
        #expect(!part.contains(">blue</th>"))
    }

    @Test func aRecordWithASecretIsNotTakenApart() throws {
        try place.write("id,key,colour\n1,\"hunter,2\",red\n2,none,blue\n", to: "in.csv")
        let page = try page(
            "- hex_colour: colour\n  id: colours",
            before: "params: { token: { default: \"hunter,2\", secret: true } }"
        )
        let part = try findings(of: "colours", in: page)
        #expect(!page.contains("hunter"))
        #expect(part.contains("••••"))
        #expect(part.contains("<td class=\"one\" lang=\"\">none</td>"))
    }
}

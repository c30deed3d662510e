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

    /// Runs a job of the rules on `in.csv`, or on what another import reads, and gives the page without its style sheet.
    private func page(
        _ rules: String,
        from source: String = "import_csv: { path: in.csv",
        import options: String = "",
        before: String = ""
    ) throws -> String {
        try place.write(
            """
            daybook: 1
            job: checks
            \(before)
            stages:
              - \(source)\(options) }
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
        let order = ["failed", "few", "warned", "passed"].map { table.firstRange(of: ">\($0)<")?.lowerBound }
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
        #expect(part.contains("<td class=\"text\" rowspan=\"3\">colour: &#39;red&#39; is"))
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

    // MARK: - JSON

    private static let lines = "import_json: { path: in.ndjson"
    private static let array = "import_json: { path: in.json"

    /// The cells of a table, without what stands before the record: place and what is wrong.
    private func records(in part: String) -> [[String]] {
        part.matches(of: /<tr class="[a-z]+">(.*)<\/tr>/).map { row in
            row.1.matches(of: /<td([^>]*)>(?:<span>[a-z]+<\/span>)?([^<]*)<\/td>/).filter {
                $0.1.contains("lang") || $0.1.contains("gap") || $0.1 == " class=\"cell\""
            }.map { ($0.1.contains("hit") ? "*" : "") + ($0.1.contains("gap") ? "–" : String($0.2)) }
        }
    }

    private func heads(in part: String) -> [String] {
        part.matches(of: /<th scope="col"[^>]*>([^<]*)<\/th>/).map { String($0.1) }
    }

    @Test func recordsOfJSONLinesAreTakenApart() throws {
        try place.write(
            #"""
            {"id": 1, "colour": "#102030", "tags": ["a", {"b":  "c d"}]}
            {"id": 2, "colour": "red", "tags": [1, 2 , "x\" y"], "note": "kept"}
            {"colour": "bl\u00fce", "id": 3, "tags": null}
            {"id": 4, "colour": "", "tags": {}}

            """#,
            to: "in.ndjson"
        )
        let page = try page("- hex_colour: colour\n  id: colours", from: HTMLReportTests.lines)
        let part = try findings(of: "colours", in: page)
        #expect(heads(in: part) == ["Place", "What is wrong", "id", "colour", "tags", "note"])
        #expect(
            records(in: part) == [
                ["2", "*red", #"[1,2,&quot;x\&quot; y&quot;]"#, "kept"],
                ["3", "*blüe", "null", ""],
                ["4", "*–", "{}", ""],
            ]
        )
        #expect(part.contains("in.ndjson<wbr><span class=\"at\">:2:21</span>") && !part.contains("<code"))
    }

    @Test("records of an array are taken apart, on a line together or spread over several")
    func recordsOfAnArray() throws {
        try place.write(
            """
            { "made": "today", "rows": [ {"id": 1, "n": 5}, {"id": 2, "n": 50}, {
                "id": 3,
                "about": {
                  "n":  7
                },
                "n": 70
              }, { "id": 4, "n": 80 } ] }
            """,
            to: "in.json"
        )
        let page = try page(
            "- between: { column: n, max: 10 }\n  id: small",
            from: HTMLReportTests.array,
            import: ", records: /rows"
        )
        let part = try findings(of: "small", in: page)
        #expect(heads(in: part) == ["Place", "What is wrong", "id", "n", "about"])
        #expect(
            records(in: part) == [
                ["2", "*50", ""], ["3", "*70", "{&quot;n&quot;:7}"], ["4", "*80", ""],
            ]
        )
    }

    @Test("a key that lacks is marked, and of a nested value the member that holds it")
    func membersThatLackOrAreNested() throws {
        try place.write(
            """
            {"id":1,"home":{"city":"Ulm","zip":"89073"},"name":"A"}
            {"id":2,"home":{"zip":"1"},"name":"B"}
            {"id":3,"home":{"city":"Rom","zip":"2"}}
            {"id":4,"name":"D"}

            """,
            to: "in.ndjson"
        )
        let page = try page(
            "- not_missing: name\n  id: named\n- not_missing: home.city\n  id: placed\n"
                + "- in_set: { column: home.city, values: [Ulm] }\n  id: known",
            from: HTMLReportTests.lines
        )
        let named = try findings(of: "named", in: page)
        #expect(heads(in: named) == ["Place", "What is wrong", "id", "home", "name"])
        #expect(named.contains("<td class=\"hit gap\"><span>missing</span></td>"))
        #expect(records(in: named).first?.last == "*–")
        let placed = try findings(of: "placed", in: page)
        #expect(heads(in: placed).prefix(3) == ["Place", "What is wrong", "Column"])
        #expect(
            records(in: placed) == [["2", "*{&quot;zip&quot;:&quot;1&quot;}", "B"], ["4", "*–", "D"]]
        )
        let known = try findings(of: "known", in: page)
        #expect(heads(in: known).prefix(4) == ["Place", "What is wrong", "Column", "Value"])
        #expect(known.contains(">Rom</td>") && records(in: known).first?[1].hasPrefix("*{") == true)
    }

    @Test func aRowOfJSONIsMarkedInTheColumnsOfItsRule() throws {
        try place.write("[{\"a\":1,\"b\":2},\n{\"a\":1,\"b\":2,\"c\":5}]\n", to: "in.json")
        let page = try page(
            "- holds: a > b\n  id: more\n- holds: a > coalesce(c, 9)\n  id: most",
            from: HTMLReportTests.array
        )
        let more = try findings(of: "more", in: page)
        #expect(records(in: more) == [["*1", "*2", ""], ["*1", "*2", "5"]])
        // A column that a record has not could be any.
        #expect(try findings(of: "most", in: page).contains("<code"))
    }

    @Test("a record that was rejected when it was read is marked where it went wrong")
    func rejectedMembers() throws {
        let many = (0..<80_000).map { "{\"id\": \($0)}\n" }.joined()
        // Beyond what is looked at to learn the columns.
        try place.write(many + "{\"id\":\"x\"}\n", to: "in.ndjson")
        let page = try page("- not_missing: id", from: HTMLReportTests.lines, import: ", columns: { id: integer }")
        #expect(records(in: try findings(of: "unexpected-kind", in: page)) == [["*x"]])
    }

    @Test("where JSON does not tell beyond doubt what is what, the line is shown as it is")
    func unclearJSON() throws {
        let long = String(repeating: "x", count: 5_000)
        try place.write(
            """
            {"id":1,"colour":"red","id":1}
            {"id":2,"more":"\(long)","colour":"red"}
            {"id":3,"colour":"red","more":"\(long)"}

            """,
            to: "in.ndjson"
        )
        let part = try findings(
            of: "colours",
            in: page("- hex_colour: colour\n  id: colours", from: HTMLReportTests.lines)
        )
        // Of the second even the line is too long.
        #expect(part.matches(of: /<code class="line">/).count == 2)
        #expect(heads(in: part) == ["Place", "What is wrong", "Column", "Value", "In the file"])
    }

    @Test func membersAreNoMarkup() throws {
        let key = #"</th><script>\u202e\u0007#"#
        let depth = 400
        let nested = String(repeating: "[", count: depth) + String(repeating: "]", count: depth)
        try place.write(
            #"""
            {"colour":"red","\#(key)":"</td>\u001b[31m\u2066<img src=x>","deep":\#(nested),"\#(String(repeating: "k", count: 900))":1}

            """#,
            to: "in.ndjson"
        )
        let page = try page(
            "- hex_colour: colour\n  id: colours",
            from: HTMLReportTests.lines,
            import: ", columns: { deep: json }"
        )
        let part = try findings(of: "colours", in: page)
        #expect(part.contains("&lt;/th&gt;&lt;script&gt;\u{FFFD}␇#</th>"))
        #expect(part.contains("&lt;/td&gt;␛[31m\u{FFFD}&lt;img src=x&gt;</td>"))
        #expect(!page.contains("<script") && !page.contains("<img") && !page.contains("\u{202E}"))
        #expect(!part.contains(String(repeating: "k", count: 81)) && !part.contains(String(repeating: "[", count: 201)))
    }

    @Test("a record with a secret is not taken apart, in whatever spelling the secret stands there")
    func secretsInJSON() throws {
        try place.write(
            #"""
            {"id":1,"key":"hunt\u0065r-2","colour":"red"}
            {"id":2,"in":{"key":["hunter-2"]},"colour":"red"}
            {"id":3,"hunter-2":0,"colour":"red"}
            {"id":4,"key":"none","colour":"red"}

            """#,
            to: "in.ndjson"
        )
        let page = try page(
            "- hex_colour: colour\n  id: colours",
            from: HTMLReportTests.lines,
            before: "params: { token: { default: \"hunter-2\", secret: true } }"
        )
        let part = try findings(of: "colours", in: page)
        #expect(!page.contains("hunter"))
        #expect(heads(in: part) == ["Place", "What is wrong", "Column", "Value", "id", "key", "colour"])
        #expect(part.matches(of: /<code class="line">/).count == 3)
        #expect(part.contains("<td class=\"one\" lang=\"\">none</td>"))
    }
}

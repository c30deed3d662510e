import DaybookTestSupport
import Foundation
import Testing

/// The report as a mail, read by another program's parser and held against what mail programs show.
@Suite struct MailReportTests {
    private let place: TemporaryDirectory
    private let command: CommandTrial

    init() throws {
        place = try TemporaryDirectory()
        command = CommandTrial(in: place.url)
        try place.write(
            """
            daybook: 1
            job: 색깔 – Farben der Nacht, eine Prüfung mit einem recht langen Namen
            params: { allow: 0, token: { default: hunter22, secret: true } }
            rejects: { path: out/rejects.ndjson, allow: "${allow}" }
            stages:
              - import_csv: { path: in.csv }
              - check_rows: { rules: [{ id: ids, not_missing: id }, { row_count: { min: 9000 } }] }
              - validate_hex_colours: { column: colour }
              - export_csv: { path: out/colours.csv }

            """,
            to: "colours.yaml"
        )
    }

    /// What Python's parser makes of a mail: its headers, its parts, and what its page is made of.
    private static let reader = """
        import email, email.policy, html.parser, json, re, sys
        raw = open(sys.argv[1], "rb").read()
        message = email.message_from_bytes(raw, policy=email.policy.default)
        defects = [str(d) for part in message.walk() for d in part.defects]
        defects += [str(d) for value in message.values() for d in value.defects]
        page = message.get_body(("html",)).get_content()
        class Reader(html.parser.HTMLParser):
            tags, attributes, styles, wrong = set(), set(), set(), []
            def handle_starttag(self, tag, given):
                self.tags.add(tag)
                for name, value in given:
                    self.attributes.add(name)
                    if name == "style": self.styles |= {part.split(":")[0] for part in value.split(";") if part}
                if tag == "table" and "width" not in dict(given): self.wrong.append("a table without a width")
                if tag == "img" and "alt" not in dict(given): self.wrong.append("a picture without words")
        reader = Reader()
        reader.feed(page)
        print(json.dumps({
            "defects": defects, "type": message.get_content_type(), "parts": [p.get_content_type() for p in message.iter_parts()],
            "subject": message["Subject"], "date": str(message["Date"].datetime), "from": str(message["From"]), "to": str(message["To"]),
            "id": message["Message-ID"], "text": message.get_body(("plain",)).get_content(), "page": page,
            "tags": sorted(reader.tags), "attributes": sorted(reader.attributes), "styles": sorted(reader.styles), "wrong": reader.wrong,
            "longest": max(map(len, raw.split(b"\\r\\n"))), "bare": len(re.findall(rb"(?<!\\r)\\n|\\r(?!\\n)|[^\\x00-\\x7f]", raw)), "size": len(raw),
        }))
        """

    private struct Mail: Decodable {
        var defects, parts, tags, attributes, styles, wrong: [String]
        var type, subject, date, from, to, id, text, page: String
        var longest, bare, size: Int
    }

    private func mail(_ options: String..., ending code: Int32) throws -> Mail {
        let outcome = try command.run(
            ["run", "colours.yaml", "--as-of", "2026-11-21", "--report", "mail=run.eml"] + options
        )
        #expect(outcome.status == code, "\(outcome.errors)")
        try place.write(MailReportTests.reader, to: "reader.py")
        let read = try command.shell("python3 reader.py run.eml")
        try #require(read.status == 0, "\(read.errors)")
        return try JSONDecoder().decode(Mail.self, from: Data(read.output.utf8))
    }

    private func holds(_ mail: Mail) {
        #expect(mail.defects == [] && mail.wrong == [])
        #expect(mail.type == "multipart/alternative" && mail.parts == ["text/plain", "text/html"])
        #expect(
            mail.longest <= 76 && mail.bare == 0 && mail.size < 100_000,
            "\(mail.longest), \(mail.bare), \(mail.size)"
        )
        #expect(mail.from == "Daybook <daybook@localhost>" && mail.to == "undisclosed-recipients:;")
        #expect(mail.id.hasSuffix("@localhost>") && mail.date.hasSuffix("+00:00"))
        // What docs/decisions/2026-11-25-what-mail-programs-show.md lists.
        let tags = ["a", "b", "body", "br", "head", "html", "meta", "span", "table", "td", "th", "title", "tr"]
        #expect(Set(mail.tags).subtracting(tags) == [])
        let attributes = [
            "align", "bgcolor", "border", "cellpadding", "cellspacing", "content", "height", "href", "http-equiv",
            "lang",
            "name",
            "role", "scope", "style", "valign", "width",
        ]
        #expect(Set(mail.attributes).subtracting(attributes) == [])
        let styles = [
            "background-color", "border-collapse", "border-top", "color", "font-family", "font-size", "font-weight",
            "line-height", "margin", "max-width", "padding", "word-break",
        ]
        #expect(Set(mail.styles).subtracting(styles) == [])
        #expect(!mail.page.contains("var(") && !mail.page.contains("url(") && !mail.page.contains("hunter22"))
    }

    @Test func `a run that failed is a mail that mail programs show`() throws {
        try place.write("id,colour\n1,#EC007F\n,<b>rot</b>\n3,hunter22\n", to: "in.csv")
        let mail = try mail(ending: 1)
        holds(mail)
        #expect(
            mail.subject
                == "색깔 – Farben der Nacht, eine Prüfung mit einem recht langen Namen failed its gate, as of 2026-11-21"
        )
        for part in [
            "Gates that failed", "no row that has no value in ",
            "1 of 3 rows (33.33 %)", "&lt;b&gt;rot&lt;/b&gt;", "••••", "next: ", "width=\"33%\"", "in.csv:3:",
        ] { #expect(mail.page.contains(part), "\(part)") }
        #expect(!mail.page.contains("validate_hex_colours</td>"), "stages are not listed")
        #expect(mail.text.contains("gate failed for the job: 2 of 3 rows rejected"))
        #expect(mail.text.contains("<b>rot</b>") && !mail.text.contains("hunter22"))
    }

    @Test func `a job that could not start is told with its errors`() throws {
        let mail = try mail("--set", "allow=many", ending: 2)
        holds(mail)
        #expect(mail.page.contains("could not start: ") && mail.page.contains(">Errors</td>"))
    }

    @Test func `a run that passed is told with the measures and the chosen sections of its page`() throws {
        try place.write(
            """
            daybook: 1
            job: sales
            stages:
              - import_csv: { path: in.csv, columns: { amount: decimal } }
                id: sold
              - check_rows: { rules: [{ id: dear, between: { column: amount, max: 5000 }, warn: "> 0" }] }
                id: checked
              - export_html:
                  path: out/sales.html
                  address: https://reports.example.com/sales.html
                  measures: [{ title: Revenue, value: sum(amount), format: "€#,##0.00", compare: last_run, good: up }]
                  sections:
                    - { from: checked, title: Sales, mail: true }
                    - { from: checked, title: By region, chart: bars, x: region, y: amount, sum: true, mail: true }
                    - { from: checked, title: Not in the mail }

            """,
            to: "colours.yaml"
        )
        for (day, amount) in [("18", 4_000.5), ("20", 4_100), ("21", 3_900.25)] {
            let rows = (1...14).map { "r\($0),\(amount)\n" }.joined()
            try place.write("region,amount\n<i>r</i>,6000\n" + rows, to: "in.csv")
            let outcome = try command.run(
                ["run", "colours.yaml", "--as-of", "2026-11-\(day)", "--report", "mail=run.eml", "--state", "state"]
            )
            #expect(outcome.status == 0, "\(outcome.errors)")
        }
        let mail = try mail("--state", "state", ending: 0)
        holds(mail)
        for part in [
            "<a href=\"https://reports.example.com/sales.html\"", ">€60,603.50</b>", "2026-11-20: €63,400.00", "−4.4 %",
            ">By region</td>", "&lt;i&gt;r&lt;/i&gt;", ">3,900.25<", "10 of 15 rows", "dear",
        ] { #expect(mail.page.contains(part), "\(part)") }
        #expect(!mail.page.contains("Not in the mail"))
        let places = [">Measures</td>", ">Sales</td>", ">Rules</td>"].map { mail.page.range(of: $0)?.lowerBound }
        #expect(places.allSatisfy { $0 != nil } && places[0]! < places[1]! && places[1]! < places[2]!)
        // Bars of 18, 20 and 21, with a gap for 19.
        #expect(mail.text.contains("█ ██"), "\(mail.text)")
        #expect(mail.text.contains("€60,603.50  −4.4 %  2026-11-20: €63,400.00"))
    }

    @Test func `a mail stays small, and says what it leaves out`() throws {
        // Three bytes of UTF-8 are nine characters of a mail.
        let long = String(repeating: "색깔", count: 200)
        let rules = (1...30).map { number in
            "{ id: r\(number), matches: { column: colour, pattern: '^\(long.prefix(180))\(number)x$' } }"
        }
        let job = try #require(place.text("colours.yaml"))
            .replacing("{ row_count: { min: 9000 } }", with: rules.joined(separator: ", "))
        try place.write(job, to: "colours.yaml")
        try place.write("id,colour\n" + (1...100).map { "\($0),\(long)\($0)\n" }.joined(), to: "in.csv")
        let mail = try mail("--max-findings", "1000", ending: 1)
        holds(mail)
        #expect(
            mail.page.contains("The first ") && mail.page.contains(" of 3,100 findings"),
            "\(mail.page.suffix(2_000))"
        )
        #expect(mail.page.contains("Rows and texts are cut so that the mail stays small"))
        #expect(mail.text.hasPrefix("next: ") && mail.text.contains("more lines, cut so that the mail stays small"))
    }
}

import DaybookContracts
import DaybookTestSupport
import Testing

@testable import DaybookPages

/// Whatever a job or its rows hold, a page stays a page.
@Suite struct HTMLSafetyTests {
    static let attacks = [
        "<script>alert(1)</script>", "</style><script>alert(1)</script>", "\"><img src=x onerror=alert(1)>",
        "' onmouseover='alert(1)", "</title></svg><b>", "<!-- -->", "]]>", "&lt;b&gt;", "#fff;background:url(//x)",
        "javascript:alert(1)", "\u{202E}evil", "{{7*7}}",
    ]

    @Test("nothing that a job or a row holds becomes markup", arguments: attacks)
    func attack(_ text: String) throws {
        let cell = HTMLPages.cell(text)
        let header = HTMLPages.cell("\(text):text")
        var line = LedgerLine(id: text, stage: text)
        line.dropped = [text: 0]
        line.skipped = [text: 1]
        let page = try HTMLPages.write(
            [
                (text, try BatchText.read("\(header),colour:text,nested:json\n\(cell),\(cell),\(cell)")),
                ("long", try BatchText.read("month:text,emotion:text,count:integer\n2026-03,\(cell),3")),
                ("names", try BatchText.read("name:text,count:integer,colour:text\n\(cell),3,\(cell)\ny,4,#EC007F")),
            ],
            options: options(quoted(text)),
            job: text,
            ledger: [line]
        ).text
        #expect(Markup.problems(in: page) == [])
        var harmless = LedgerLine(id: "x", stage: "x")
        harmless.dropped = ["x": 0]
        harmless.skipped = ["x": 1]
        let plain = try HTMLPages.write(
            [
                ("x", try BatchText.read("x:text,colour:text,nested:json\nx,x,x")),
                ("long", try BatchText.read("month:text,emotion:text,count:integer\n2026-03,x,3")),
                ("names", try BatchText.read("name:text,count:integer,colour:text\nx,3,x\ny,4,#EC007F")),
            ],
            options: options("x"),
            job: "x",
            ledger: [harmless]
        ).text
        #expect(Markup.elements(of: page) == Markup.elements(of: plain))
    }

    static let edges = ["0", "5e-324", "-5e-324", "1e-310", "1e-300", "3", "-1e300", "1e300", "1.7976931348623157e308"]

    @Test("whatever numbers meet in one drawing, on whatever axis, each length of it is a number", arguments: edges)
    func edge(_ value: String) throws {
        for other in HTMLSafetyTests.edges {
            let rows = try BatchText.read("name:text,by:text,v:decimal\na,x,\(value)\nb,y,\(other)")
            let axes = [
                "", ", scale: log", ", min: 1e-300, max: 1e300, scale: log", ", min: 0, max: 1e-300",
                ", min: -1e300, max: 1e300",
            ]
            for axis in axes {
                // The lengths of bars begin at 0.
                let bars = axis.contains("log") ? "" : axis
                let page = try HTMLPages.write(
                    [("rows", rows)],
                    options: """
                        sections:
                          - { from: rows, chart: line, x: name, y: v\(axis) }
                          - { from: rows, chart: bars, x: name, y: v\(bars) }
                          - { from: rows, chart: heat, x: name, y: by, value: v\(axis) }
                          - { from: rows, chart: scatter, x: v, y: v\(axis) }
                          - { from: rows, table: { columns: { name: Name, v: Value }, bars: [v] } }
                        """
                ).text
                #expect(!page.contains(/[ "MLHVhvz](nan|-?inf)/), "\(value) beside \(other)\(axis)")
            }
        }
    }

    /// A page with `text` wherever a job can write one.
    private func options(_ text: String) -> String {
        """
        title: \(text)
        sections:
          - { from: \(text), title: \(text) }
          - { from: long, title: \(text), chart: stacked, x: month, y: count, by: emotion, unit: \(text) }
          - { from: long, chart: heat, x: month, y: emotion, value: count }
          - { from: long, title: \(text), chart: line, x: month, y: count, by: emotion }
          - { from: names, chart: bars, x: name, y: count, colour: colour }
          - { from: names, chart: scatter, x: count, y: count, by: name, colour: colour }
          - { from: names, table: { columns: { name: \(text), count: Count }, bars: [count] } }
        """
    }

    @Test("the policy comes before anything that it governs, and nothing is loaded or run")
    func policy() throws {
        let page = try HTMLPages.page(of: "colour:text\n#EC007F")
        let policy = try #require(page.firstRange(of: "Content-Security-Policy"))
        let style = try #require(page.firstRange(of: "<style>"))
        #expect(policy.lowerBound < style.lowerBound)
        #expect(page.contains("default-src 'none'; style-src 'unsafe-inline'; img-src data:"))
        for word in ["<script", "<img", "<iframe", "http://", "https://", "url(", "@import", "@font-face"] {
            #expect(!page.contains(word), "the page holds \(word)")
        }
    }

    @Test("control characters and noncharacters are shown and never written")
    func controls() {
        #expect(HTMLText.escaped("a\0b\u{1B}c\u{7F}") == "a␀b␛c␡")
        #expect(HTMLText.escaped("a\r\nb\rc\nd\te") == "a\nb\nc\nd\te")
        #expect(HTMLText.escaped("\u{85}\u{9F}\u{A0}é") == "\u{FFFD}\u{FFFD}\u{A0}é")
        for value: UInt32 in [0xFFFE, 0xFFFF, 0xFDD0, 0xFDEF, 0x1FFFE, 0xFFFFF, 0x10FFFF] {
            #expect(HTMLText.escaped("x\(Unicode.Scalar(value)!)y") == "x\u{FFFD}y", "\(value)")
        }
        for value: UInt32 in [0xFDCF, 0xFDF0, 0xFFFD, 0xFF9F, 0x1F600, 0x10FFFD, 0xD55C] {
            let text = "x\(Unicode.Scalar(value)!)y"
            #expect(HTMLText.escaped(text) == text, "\(value)")
        }
        #expect(HTMLText.escaped("<a href='x'>\"&amp;") == "&lt;a href=&#39;x&#39;&gt;&quot;&amp;amp;")
    }

    @Test("what is put into markup is escaped, unless it is markup itself")
    func interpolation() {
        let name = "<b>\"날짜\" & '7'</b>"
        let cell: HTML = "<td title=\"\(name)\">\(7)\("<br>", if: true)\("<hr>", if: false)</td>"
        #expect(cell.text == "<td title=\"&lt;b&gt;&quot;날짜&quot; &amp; &#39;7&#39;&lt;/b&gt;\">7<br></td>")
        #expect(("<tr>\(cell)</tr>" as HTML).text == "<tr>\(cell.text)</tr>")
        #expect([cell, "x"].joined(separator: "\n").text == "\(cell.text)\nx")
    }

    @Test("every scalar comes out as itself or in one of its known disguises")
    func scalars() {
        let replaced = HTMLText.escaped("\u{85}")
        for value in UInt32(0)...0x3000 {
            guard let scalar = Unicode.Scalar(value) else { continue }
            let text = HTMLText.escaped("x\(Character(scalar))")
            let isPlain = text.unicodeScalars.elementsEqual("x\(Character(scalar))".unicodeScalars)
            let isMarked = value < 0x20 || (0x7F...0x9F).contains(value) || "\"&'<>".unicodeScalars.contains(scalar)
            #expect(isPlain != isMarked || value == 9 || value == 10, "U+\(String(value, radix: 16))")
            if (0x80...0x9F).contains(value) { #expect(text == "x" + replaced) }
        }
    }

    @Test(
        "only hex digits get into a style",
        arguments: [
            ("#EC007F", true), ("#ec0", true), ("#ec0f", true), ("#EC007FaB", true), ("EC007F", false), ("#", false),
            ("#EC007", false), ("#EC007F8", false), ("#EC007G", false), ("#ec0;", false), ("#ＥＣ０", false),
            (" #EC007F", false), ("#EC007F\n", false), ("", false), ("#EC007F;}", false),
        ]
    )
    func swatches(_ text: String, _ isColour: Bool) throws {
        let page = try HTMLPages.page(of: "colour:text\n\(HTMLPages.cell(text))")
        #expect(page.contains("<i class=\"swatch\" style=\"--c:\(text)\"></i>") == isColour)
        #expect(page.contains("<i class=\"swatch\"") == isColour)
        #expect(Markup.problems(in: page) == [])
    }

    private func quoted(_ text: String) -> String {
        "'" + text.split(separator: "'", omittingEmptySubsequences: false).joined(separator: "''") + "'"
    }
}

/// Looks at the tags of a page, as far as its tests need.
enum Markup {
    private static let voids: Set<String> = ["meta", "link"]

    /// Every tag in order, the content of the style sheet aside.
    static func tags(in page: String) -> [String] {
        page.matches(of: /<[^>]*>/).map { String($0.output) }
    }

    /// The names of all elements, opened and closed, as one text.
    static func elements(of page: String) -> String {
        tags(in: page).map { $0.prefix { $0 != " " && $0 != ">" } }.joined(separator: " ")
    }

    /// Tags that do not match, styles that are not known, identifiers that stand twice or are missing.
    static func problems(in page: String) -> [String] {
        var (open, ids, problems): ([String], Set<String>, [String]) = ([], [], [])
        for tag in tags(in: page) where !tag.hasPrefix("<!") {
            let name = String(tag.drop { $0 == "<" || $0 == "/" }.prefix { $0.isLetter || $0.isNumber })
            if tag.hasPrefix("</") {
                if open.popLast() != name { problems.append("\(tag) closes nothing") }
            } else if !voids.contains(name), !tag.hasSuffix("/>") {
                open.append(name)
            }
            if tag.replacing(/"[^"]*"/, with: "").contains(/\son\w+=/) { problems.append("a handler in \(tag)") }
            if let style = tag.firstMatch(of: /style="([^"]*)"/)?.output.1,
                style.wholeMatch(
                    of:
                        /--[ck]:#[0-9a-fA-F]{3,8}|--w:[0-9.]+px|--v:[0-9.e+-]+;--m:var\(--m[0-9]+\)|(--m[0-9]+:[0-9.e+-]+;?)+/
                ) == nil
            {
                problems.append("the style \(style)")
            }
            if let id = tag.firstMatch(of: /\sid="([^"]*)"/)?.output.1, !ids.insert(String(id)).inserted {
                problems.append("the id \(id) stands twice")
            }
        }
        for match in page.matches(of: /(?:aria-labelledby|href)="([^"]*)"/) {
            for part in match.output.1.split(separator: " ") where part != "data:," {
                let id = part.hasPrefix("#") ? String(part.dropFirst()) : String(part)
                if !ids.contains(id) { problems.append("nothing has the id \(id)") }
            }
        }
        return problems + open.map { "<\($0)> is left open" }
    }
}

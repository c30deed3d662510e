import DaybookContracts
import Testing

@testable import DaybookPages

/// The numbers of axes, cells and tiles, in the signs of a language.
@Suite struct FigureTextsTests {
    private func ticks(_ low: Double, _ high: Double, _ language: String, _ format: String? = nil) throws -> [String] {
        let scale = ChartScale(low: low, high: high, whole: false, ticks: 4, fromZero: low == 0)
        return NumberSigns(language: language).texts(of: scale, as: try format.map { try NumberPattern($0) })
    }

    @Test func `the ticks of an axis have one unit, and tell neighbours apart`() throws {
        #expect(try ticks(0, 1e6, "en") == ["0", "0.5M", "1M"])
        #expect(try ticks(0, 1e12, "en", "€#,##0.00") == ["€0", "€0.5T", "€1T"])
        #expect(try ticks(1_000_000, 1_040_000, "en") == ["1M", "1.01M", "1.02M", "1.03M", "1.04M"])
        #expect(try ticks(1e9, 1e9 + 40, "de").contains("1.000.000.010"))
        #expect(try ticks(0, 20_000, "de") == ["0", "5.000", "10.000", "15.000", "20.000"])
        #expect(try ticks(0, 1e12, "ko") == ["0", "5,000억", "10,000억"])
        #expect(try ticks(0, 400_000, "ko") == ["0", "10만", "20만", "30만", "40만"])
        #expect(try ticks(0, 0.4, "de", "0 %") == ["0 %", "10 %", "20 %", "30 %", "40 %"])
        #expect(try ticks(-40, 0, "en", "€#,##0;(€#,##0)") == ["(€40)", "(€30)", "(€20)", "(€10)", "€0"])
    }

    @Test(
        "every axis up to 1e12 has short texts, each another",
        arguments: ["en", "ko", "de"]
    )
    func everyAxis(_ language: String) throws {
        for power in 0...12 {
            for part in [1.0, 2.5, 9.99] {
                let high = part * (0..<power).reduce(1.0) { value, _ in value * 10 }
                for low in [0, -high, high * 0.9] {
                    let texts = try ticks(low, high, language)
                    #expect(Set(texts).count == texts.count, "\(texts)")
                    #expect(texts.allSatisfy { $0.count <= 9 }, "\(texts)")
                }
            }
        }
    }

    @Test(arguments: [
        ("en", 1_234_567.0, "1.2M"), ("ko", 1_234_567, "123.5만"), ("ko", 9_999, "9,999"), ("ko", 1e12, "1조"),
        ("de", 1_234_567, "1,2M"), ("en", -12_000, "−12,000"), ("ko", 99_999_999, "1억"),
    ])
    func `one number is short in every language`(_ language: String, _ value: Double, _ text: String) {
        #expect(NumberSigns(language: language).compact(value) == text)
    }

    @Test func `cells have the separators of the page, and years have none`() throws {
        let rows = "year:integer,orders:integer,revenue:decimal\n2025,999,1234567.5\n2026,12345,-1000"
        let page = try HTMLPages.page(of: rows, options: "language: de")
        for cell in ["2025", "2026", "999", "12.345", "1.234.567,5", "-1.000,0"] {
            #expect(page.contains("<td class=\"num\">\(cell)</td>"), "\(cell)")
        }
        let others = try HTMLPages.page(of: "count:integer\n2026\n3000")
        #expect(others.contains(">2,026</td>") && others.contains(">3,000</td>"))
        let large = try HTMLPages.page(of: "n:decimal\n1200000000000\n1234567890123.25")
        #expect(large.contains(">1,200,000,000,000.00</td>") && large.contains(">1,234,567,890,123.25</td>"))
    }

    @Test func `the signs of cells do not depend on the cuts into batches`() throws {
        let rows = "n:integer,m:decimal" + (0..<40).map { "\n\(1_990 + $0 * 30),\(Double($0) * 1_000.25)" }.joined()
        let whole = try HTMLPages.page(of: rows)
        #expect(whole.contains(">3,160</td>") && whole.contains(">1,990</td>"))
        for size in [1, 3, 7] { #expect(try HTMLPages.page(of: rows, size: size) == whole) }
    }

    @Test func `a tile knows its longest word, so that its type is small enough`() throws {
        func ems(_ text: String) -> Double {
            let tile = PageParts.tile(label: "", value: text).text
            return tile.firstMatch(of: /--n:([0-9.]+)"/).flatMap { Double($0.output.1) } ?? 0
        }
        #expect(ems("7") == 1 && ems("€1,000,000,000,000.00") > 12)
        #expect(ems("gate failed") == ems("failed"))
        let page = try HTMLPages.page(
            of: "n:decimal\n1000000000000",
            options: "measures: [{ title: All, value: sum(n), format: \"#,##0.00 km\" }]"
        )
        #expect(page.contains("<dd>1,000,000,000,000.00\u{A0}km</dd>"))
    }

    @Test func `an axis has the ends and the scale that a section names`() throws {
        let rows = "x:integer,y:decimal\n1,0.5\n2,10\n3,100000\n4,-3"
        let page = try HTMLPages.chart("chart: line, x: x, y: y, scale: log, min: 1, max: 1000", of: rows)
        for tick in ["1", "10", "100", "1,000"] { #expect(page.contains("y=\"") && page.contains(">\(tick)</text>")) }
        #expect(page.contains("Drawn at the end of the axis: 3 values beyond it."))
        #expect(Markup.problems(in: page) == [])
        for options in [
            "chart: bars, x: x, y: y, scale: log", "chart: bars, x: x, y: y, min: 5",
            "chart: line, x: x, y: y, min: 5, max: 2",
            "chart: line, x: x, y: y, scale: log, min: 0",
        ] { #expect(throws: (any Error).self, "\(options)") { try HTMLPages.chart(options, of: rows) } }
    }

    @Test func `shades go from the lowest to the highest value that a section names`() throws {
        let rows = "month:text,by:text,n:decimal\n2026-01,a,1\n2026-01,b,10\n2026-01,c,100\n2026-01,d,10000"
        let page = try HTMLPages.chart("chart: heat, x: month, y: by, value: n, scale: log, min: 1, max: 100", of: rows)
        #expect(page.contains("N: 1 <span") && page.contains("≥ 100"))
        #expect(page.contains("class=\"h0\"") && page.contains("class=\"h4\"") && page.contains("class=\"h7\""))
    }
}

/// The ledger of a page, and its branches.
@Suite struct LedgerFormTests {
    private func line(_ id: String, _ rows: Int) -> LedgerLine {
        var line = LedgerLine(id: id, stage: "stage", isSource: false)
        (line.rowsIn, line.rowsOut) = (rows, rows)
        return line
    }

    @Test func `a page has the ledger as a line, as a whole or not at all`() throws {
        func page(_ form: String) throws -> String {
            try HTMLPages.page([("rows", "n:integer\n1")], options: form, ledger: [line("a", 9), line("b", 9)])
        }
        let short = try page("")
        #expect(short.contains("Every row is accounted for, in 2 stages.") && short.contains("href=\"#way\""))
        #expect(short.contains("<details><summary id=\"ledger-t\">The way of the rows</summary>"))
        let full = try page("ledger: full")
        #expect(full.contains("The ledger as a table</summary>") && full.contains("href=\"#ledger\""))
        let none = try page("ledger: none")
        #expect(!none.contains("id=\"ledger\"") && !none.contains("#ledger\"") && none.contains("class=\"status\""))
        for page in [short, full, none] { #expect(Markup.problems(in: page) == []) }
    }

    @Test func `a branch is a chain of stages, each of which alone reads the one before`() {
        // 0…5 and 6…10 are chains; 11 joins both; 12 and 13 read it, 14 reads 13, and 15 the rows that 3 rejected.
        var links = (0..<5).map { RunSummary.Link(from: $0, to: $0 + 1) }
        links += (6..<10).map { RunSummary.Link(from: $0, to: $0 + 1) }
        links += [(5, 11), (10, 11), (11, 12), (11, 13), (13, 14)].map { RunSummary.Link(from: $0, to: $1) }
        links.append(RunSummary.Link(from: 3, to: 15, isOfRejects: true))
        let branches = LedgerBranches(16, links)
        #expect(branches.groups == [[0, 1, 2, 3, 4, 5], [6, 7, 8, 9, 10], [11], [12], [13, 14], [15]])
        #expect(branches.areNamed && branches.name(of: [0, 5]) { "s\($0)" } == "s0 → s5")
        let lines = (0..<16).map { line("s\($0)", 100) }
        let ledger = HTMLLedger(lines: lines, links: links, form: .full).markup.text
        #expect(ledger.contains("s0 → s5") && ledger.contains("6 stages, 100 rows"))
        #expect(!LedgerBranches(12, links).areNamed && !LedgerBranches(40, []).areNamed)
    }

    @Test func `a bar of rows that entered has no part of rows that were made`() {
        var fold = LedgerLine(id: "fold", stage: "group_rows", isSource: false)
        (fold.rowsIn, fold.made, fold.rowsOut, fold.folded) = (1_000, 250, 250, 1_000)
        var source = line("in", 1_000)
        source.isSource = true
        let drawing = FlowDrawing(lines: [source, fold], links: [.init(from: 0, to: 1)]).markup(id: "f").text
        let widths = drawing.matches(of: /class="(s1|aside)" d="M[0-9. ]+h([0-9.]+)v/).prefix(3)
            .map { "\($0.output.1) \($0.output.2)" }
        #expect(
            widths.count == 3 && widths[0].split(separator: " ")[1] == widths[1].split(separator: " ")[1],
            "\(widths)"
        )
        #expect(widths[1].hasPrefix("aside") && widths[2].hasPrefix("s1"))
    }
}

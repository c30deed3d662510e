import DaybookTestSupport
import Foundation
import Testing

@testable import DaybookBytes
@testable import DaybookContracts
@testable import DaybookEngine
@testable import DaybookHistory
@testable import DaybookReports

/// The pages that `daybook site` makes of a history.
@Suite struct SiteTests {
    private let place: TemporaryDirectory
    private let command: CommandTrial

    init() throws {
        place = try TemporaryDirectory()
        command = CommandTrial(in: place.url)
        try place.write("id,amount\n1,10\n2,20\n3,x\n", to: "in.csv")
        try place.write(
            """
            daybook: 1
            job: orders
            params: { allow: "5", token: { default: hunter22, secret: true } }
            rejects: { path: "out/rejects #1.ndjson", allow: "${allow}" }
            stages:
              - import_csv: { path: in.csv, columns: { amount: decimal } }
                id: read
              - check_rows: { rules: [{ id: rows, row_count: { min: 1 } }, { id: few, row_count: { max: 1 }, warn: "> 0" }] }
              - export_csv: { path: "out/${as_of}.csv" }
              - export_html: { path: out/page.html, measures: [{ title: "Sum <hunter22>", value: sum(amount) }] }

            """,
            to: "orders.yaml"
        )
    }

    @discardableResult
    private func run(
        _ day: String,
        _ options: String...,
        of job: String = "orders.yaml",
        ending code: Int32 = 0
    ) throws -> String {
        try command.run(["run", job, "--as-of", day, "--state", "state"] + options, ending: code).errors
    }

    private func site(_ options: String..., ending code: Int32 = 0) throws -> String {
        try command.run(["site", "www", "--state", "state"] + options, ending: code).errors
    }

    private var files: [String] {
        ((try? FileManager.default.contentsOfDirectory(atPath: place.url.appendingPathComponent("www").path)) ?? [])
            .sorted()
    }

    private func page(_ prefix: String) throws -> String {
        let name = try #require(files.first { $0.hasPrefix(prefix) })
        return try #require(place.text("www/\(name)"))
    }

    @Test func `a job has its runs, measures, rules, the way of its rows and links to what is still there`() throws {
        try run("2026-11-20")
        try run("2026-11-21", "--set", "allow=0", ending: 1)
        try run("2026-11-22")
        #expect(try site() == "wrote www/index.html, with 1 job\n")
        // The list of the files, the index, the job, its columns, and the runs.
        #expect(files.count == 4 + 3)
        let index = try page("index")
        #expect(index.contains("<h1>Jobs</h1>") && index.contains("<dt>Passed last</dt><dd class=\"good\">1</dd>"))
        // The latest stands at the right.
        let signs = index.matches(of: /<li><a href="run-[0-9a-z-]+\.html" class="([a-z]+)"/).map {
            String($0.output.1)
        }
        #expect(signs == ["warned", "failed", "warned"])
        #expect(index.contains("title=\"2026-11-21: gate failed, 3 rows read, 1 rejected\""))
        let job = try page("orders")
        #expect(job.contains("<dd>2 of 3</dd>"))
        #expect(job.contains("<h3 lang=\"\">Rows read</h3>") && job.contains("3 days, 2026-11-20 to 2026-11-22"))
        for (rule, signs, verdict) in [("rows", "✓✓✓", "passed"), ("few", "!!!", "warned")] {
            let row = job.components(
                separatedBy: "<th scope=\"row\">\(rule)<span class=\"words\">check_rows</span></th>"
            )
            try #require(row.count == 2)
            let cells = row[1].components(separatedBy: "</ol></td><td>")
            #expect(cells[0].matches(of: />([✓!✗?·])<\/a>/).map { String($0.output.1) }.joined() == signs)
            #expect(cells[1].hasPrefix("<b>\(verdict)</b>"), "\(cells[1].prefix(80))")
        }
        #expect(job.components(separatedBy: "class=\"band\"").count == 2 * 3 + 1)
        #expect(job.contains("The run of 2026-11-22. Every row is accounted for"))
        // Outputs that name the day are all there; of those that were written over, the last.
        let links = job.matches(of: /<a href="(\.\.[^"]*)"/).map { String($0.output.1) }
        #expect(links.filter { $0 == "../out/2026-11-20.csv" }.count == 1)
        #expect(links.contains("../out/rejects%20%231.ndjson"))
        try FileManager.default.removeItem(at: place.url.appendingPathComponent("out/2026-11-20.csv"))
        _ = try site()
        #expect(try page("orders").contains("href=\"../out/2026-11-20.csv\"") == false)
        #expect(try page("orders").contains("no longer as written"))
        // One run of the last two, and the same history makes the same pages.
        _ = try site("--last", "1")
        #expect(try page("orders").contains("The latest 1 run, of 3 that are kept."))
        let before = try files.map { try #require(place.text("www/\($0)")) }
        _ = try site("--last", "1", "--job", "orders.yaml")
        #expect(try files.map { try #require(place.text("www/\($0)")) } == before)
    }

    @Test func `strips and lines go by days, with a gap for a day without a run and no value of one that failed`()
        throws
    {
        try run("2026-11-10")
        try run("2026-11-12", "--set", "allow=0", ending: 1)
        try run("2026-11-12")
        try run("2026-11-13", "--set", "allow=0", ending: 1)
        try run("2026-11-15")
        try run("2026-11-15", "--set", "allow=0", ending: 1)
        _ = try site()
        func strip(_ page: String, _ label: String) throws -> String {
            let rest = try #require(page.components(separatedBy: "aria-label=\"\(label)\">").dropFirst().first)
            let cells = try #require(rest.components(separatedBy: "</ol>").first)
            return cells.matches(of: />([✓!✗?·])<\//).map { String($0.output.1) }.joined()
        }
        let (index, job) = (try page("index"), try page("orders"))
        #expect(try strip(index, "Days of orders") == String(repeating: "·", count: 24) + "!·!✗·✗")
        #expect(try strip(job, "Days, the latest at the right") == "!·!✗·✗")
        #expect(try strip(job, "Runs of few") == "!·!!·!")
        #expect(index.contains("2026-11-15: gate failed, 3 rows read, 1 rejected, the last of 2 runs of that day"))
        #expect(index.contains("title=\"2026-11-14: no run\""))
        // Every run is in the closed list, on a line.
        let list = try #require(index.components(separatedBy: "<ul class=\"runs\">").last)
        #expect(list.matches(of: /<li><a href="run-[^"]+">2026-11-1\d<\/a>/).count == 6)
        #expect(index.contains("<details id=\"letter-1\"><summary>orders, 6 runs</summary>"))
        // Lines have the days of runs that passed, and break between them.
        let rows = try #require(job.components(separatedBy: "id=\"rows\"").last)
        #expect(rows.contains("6 days, 2026-11-10 to 2026-11-15"))
        let figures = rows.matches(of: /<th scope="row">(2026-11-1\d)<\/th><td class="num">3<\/td>/).map { $0.output.1 }
        #expect(figures == ["2026-11-10", "2026-11-12", "2026-11-15"])
    }

    @Test func `each run has a page with all that is kept of it, and leads to those beside it`() throws {
        try run("2026-11-20")
        try run("2026-11-21", "--set", "allow=0", ending: 1)
        try run("2026-11-22")
        _ = try site()
        let pages = try files.filter { $0.hasPrefix("run-") }.map { ($0, try #require(place.text("www/\($0)"))) }
        func of(_ day: String) throws -> (name: String, text: String) {
            try #require(pages.first { $0.1.contains("As of <time datetime=\"\(day)\">") })
        }
        let failed = try of("2026-11-21")
        #expect(failed.text.contains("<dt>Ended</dt><dd class=\"bad\">gate failed</dd>"))
        #expect(failed.text.contains("<a href=\"\(try of("2026-11-20").name)\">← the run before</a>"))
        #expect(failed.text.contains("<a href=\"\(try of("2026-11-22").name)\">the run after →</a>"))
        #expect(try of("2026-11-22").text.contains("the run after") == false)
        #expect(try page("orders").contains("<a href=\"\(failed.name)\">2026-11-21</a>"))
        for id in ["rules", "findings", "ledger", "inputs", "outputs", "run"] {
            #expect(failed.text.contains("<li><a href=\"#\(id)\">") && failed.text.contains(" id=\"\(id)\""), "\(id)")
        }
        let held = try of("2026-11-20").text
        #expect(held.contains("<th scope=\"row\">Sum &lt;••••&gt;</th><td class=\"num\">30</td><td>export_html</td>"))
        #expect(held.contains("<td class=\"one\">warned</td><th scope=\"row\">few<"))
        #expect(held.contains("<a href=\"../out/2026-11-20.csv\">out/<wbr>2026-11-20.csv</a>"))
        #expect(held.contains(">in.csv</th><td class=\"num\">24</td><td class=\"code\">"))
        #expect(held.contains("<dt>Param allow</dt><dd>5</dd>") && !held.contains("hunter22"))
        // Alone the page leads nowhere, and so do those of a list and of what changed.
        func html(_ arguments: String...) throws -> String {
            let outcome = try command.run(["history"] + arguments + ["--state", "state", "--format", "html"])
            #expect(outcome.status == 0, "\(outcome.errors)")
            #expect(outcome.output.contains("<a href=\"#") == (arguments != ["list"]))
            #expect(outcome.output.matches(of: /href="([^"#][^"]*)"/).map { String($0.output.1) } == ["data:,"])
            return outcome.output
        }
        #expect(try html("show", "last").contains("As of <time datetime=\"2026-11-22\">"))
        let list = try html("list")
        #expect(
            list.contains("<dt>Passed</dt><dd class=\"good\">2</dd>")
                && list.contains("<td class=\"one bad\">gate failed</td>")
        )
        let changes = try html("diff", "previous", "last")
        #expect(changes.contains("<th scope=\"row\">exit code</th><td>1</td><td>0</td>"))
        #expect(
            changes.contains("<th scope=\"row\">out/2026-11-22.csv</th><td class=\"gap\"><span>none</span></td><td>")
        )
    }

    @Test func `what a killed command has left is removed, and what one still fills is not`() throws {
        try run("2026-11-20")
        let left = [".www.20261120T010203Z-0123abcd", ".www.20261120T010203Z-00000000", ".www.mine"]
        for name in left { try place.write("old", to: "\(name)/index.html") }
        // Of those that are empty, one has just been made.
        let manager = FileManager.default
        let empty = [".www.20261120T010203Z-11111111", ".www.20261120T010203Z-22222222"].map {
            place.url.appendingPathComponent($0)
        }
        for (age, directory) in zip([0.0, 120], empty) {
            try manager.createDirectory(at: directory, withIntermediateDirectories: true)
            try manager.setAttributes(
                [.modificationDate: Date(timeIntervalSinceNow: -age)],
                ofItemAtPath: directory.path
            )
        }
        let filled = try Descriptor(opening: place.url.appendingPathComponent(left[1]).path, O_RDONLY | O_DIRECTORY)
        #expect(try filled.lock())
        _ = try site()
        let found = try FileManager.default.contentsOfDirectory(atPath: place.url.path).filter { $0.hasPrefix(".www") }
        #expect(found.sorted() == [left[1], empty[0].lastPathComponent, left[2]])
    }

    @Test func `hostile names are escaped, secrets are masked, and jobs of one name are two`() throws {
        let hostile = "</style><script>alert(1)</script> ../../x \u{202E}일기"
        try FileManager.default.createDirectory(
            at: place.url.appendingPathComponent("other"),
            withIntermediateDirectories: true
        )
        for (name, file) in [(hostile, "hostile.yaml"), ("orders", "other/orders.yaml"), ("일기", "korean.yaml")] {
            let input = file.contains("/") ? "../in.csv" : "in.csv"
            try place.write(
                """
                daybook: 1
                job: '\(name)'
                stages:
                  - import_csv: { path: \(input) }
                    id: a_b
                  - check_rows: { rules: [{ id: '<i>"rule"</i>', not_missing: id }] }
                  - export_csv: { path: 'out/<b>"x".csv' }

                """,
                to: file
            )
            try run("2026-11-20", of: file)
        }
        try run("2026-11-20")
        _ = try site()
        #expect(files.count == 2 + 4 + 4 + 4)
        #expect(files.filter { $0.hasPrefix("orders-") }.count == 2)
        #expect(files.allSatisfy { $0.wholeMatch(of: /\.daybook-pages|[a-z0-9-]+\.html/) != nil }, "\(files)")
        for file in files {
            let text = try #require(place.text("www/\(file)"))
            for wrong in ["<script", "hunter22", "<b>\"", "<i>\"", "http:", "https:", "src=", "\u{202E}"] {
                #expect(text.contains(wrong) == false, "\(file): \(wrong)")
            }
        }
        #expect(try page("index").contains("&lt;/style&gt;&lt;script&gt;"))
        #expect(try page("style-script").contains("href=\"../out/%3Cb%3E%22x%22.csv\""))
    }

    @Test func `a directory with other things is left as it is`() throws {
        try run("2026-11-20")
        try place.write("mine", to: "www/notes.txt")
        let said = try site(ending: 2)
        #expect(said.contains("'www' holds other things, such as 'notes.txt', and is left as it is [directory-in-use]"))
        #expect(files == ["notes.txt"])
        // An empty one is taken, and one of an earlier time replaced; what others have put there since is not.
        try FileManager.default.removeItem(at: place.url.appendingPathComponent("www/notes.txt"))
        _ = try site()
        _ = try site()
        #expect(files.count == 5)
        let manager = FileManager.default
        let www = place.url.appendingPathComponent("www").path
        try manager.setAttributes([.posixPermissions: 0o750], ofItemAtPath: www)
        _ = try site()
        #expect(try manager.attributesOfItem(atPath: www)[.posixPermissions] as? Int == 0o750)
        try place.write("mine", to: "www/zzz.html")
        _ = try site(ending: 2)
        #expect(place.text("www/zzz.html") == "mine" && files.count == 6)
        try place.write("", to: "file")
        #expect(try command.run("site", "file", "--state", "state").status == 3)
        let hidden = try FileManager.default.contentsOfDirectory(atPath: place.url.path).filter { $0.hasPrefix(".") }
        #expect(hidden == [], "nothing is left beside it")
        #expect(try command.run("site", "www", "--state", "nowhere").errors.contains("no-history"))
    }

    @Test func `a report can be told how its rules ended in the last runs`() throws {
        try run("2026-11-20")
        try run("2026-11-21", "--set", "allow=0", ending: 1)
        var report = RunReport(jobFile: place.url.appendingPathComponent("orders.yaml").path, threads: 1, started: 0)
        report.job = "orders"
        let keeper = HistoryKeeper(StateDirectory(place.url.appendingPathComponent("state").path)) { [report] _ in
            report
        }
        #expect(keeper.ruleStrips(of: report).rows.isEmpty, "a job without rules opens no history")
        let rule = Rule(id: "few", type: "row_count", at: nil, complaint: "are too many")
        report.outcome.rules = [RuleOutcome(stage: "check_rows", rule: rule, rows: 2, failing: 0)]
        let strips = keeper.ruleStrips(of: report)
        #expect(strips.rows.map(\.name.rule) == ["rows", "few"])
        #expect(strips.rows[1].cells.map(\.ending) == [.warned, .warned])
        #expect(strips.rows[1].cells[0].label.hasPrefix("2026-11-21: warned, "))
        let strip = try #require(strips.byRule[RuleName(stage: "check_rows", rule: "few")]).markup(label: "<few>").text
        #expect(
            strip.hasPrefix(
                "<ol class=\"strip\" aria-label=\"&lt;few&gt;\"><li><span role=\"img\" class=\"warned\" title=\"2026-11-20: "
            )
        )
        #expect(strips.byRule[RuleName(stage: "elsewhere", rule: "few")] == nil)
        #expect(keeper.ruleStrips(of: report, last: 1).rows[0].cells.count == 1)
    }

    @Test func `the page of a run shows how each rule ended in the last runs, from the second on`() throws {
        try run("2026-11-20", "--report", "html=first.html")
        #expect(place.text("first.html")?.contains("how it ended on the last days") == false)
        try run("2026-11-21", "--report", "html=second.html")
        let page = try #require(place.text("second.html"))
        #expect(page.contains("Below each rule, how it ended on the last days, this one at the end."))
        let strip = "aria-label=\"Last days of few\"><li><span role=\"img\" class=\"warned\" title=\"2026-11-20: "
        #expect(page.contains(strip))
    }
}

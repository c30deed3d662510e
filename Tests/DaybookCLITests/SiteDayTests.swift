import DaybookBytes
import DaybookTestSupport
import Foundation
import Testing

/// The pages of `daybook site` about single days of the data, and about the columns of outputs.
@Suite struct SiteDayTests {
    private let place: TemporaryDirectory
    private let command: CommandTrial

    init() throws {
        place = try TemporaryDirectory()
        command = CommandTrial(in: place.url)
        try place.write(
            """
            daybook: 1
            job: orders
            stages:
              - import_csv:
                  path: "in/*.csv"
                  day: { from: name, pattern: "orders-{yyyy-MM-dd}*.csv" }
                  redelivery: { other_bytes: redo }
                  columns: { id: integer, amount: decimal }
                  describe: { amount: "What the <customer> paid" }
                id: orders
              - check_rows: { rules: [{ row_count: { min: 1 }, id: rows }] }
                id: checked
              - export_csv: { path: out/all.csv, replace_by: [day] }
              - export_html:
                  path: "out/${as_of}.html"
                  measures: [{ title: "Revenue <b>", value: sum(amount), format: "€#,##0.00" }]
                from: checked

            """,
            to: "job.yaml"
        )
    }

    private func run(_ arguments: String..., ending code: Int32 = 0) throws {
        let outcome = try command.run(["run", "job.yaml"] + arguments)
        #expect(outcome.status == code, "\(outcome.errors)")
    }

    private func deliver(_ name: String, _ rows: String...) throws {
        try place.write("id,amount\n" + rows.map { $0 + "\n" }.joined(), to: "in/orders-\(name).csv")
    }

    private func site(_ options: String...) throws {
        let outcome = try command.run(["site", "www", "--job", "job.yaml"] + options)
        #expect(outcome.status == 0, "\(outcome.errors)")
    }

    private var files: [String] {
        ((try? FileManager.default.contentsOfDirectory(atPath: place.url.appendingPathComponent("www").path)) ?? [])
            .sorted()
    }

    private func page(_ prefix: String) throws -> String {
        let name = try #require(files.first { $0.hasPrefix(prefix) }, "\(files)")
        return try #require(place.text("www/\(name)"))
    }

    @Test func `a day has a page with its files, the runs that read it, and what it came to`() throws {
        try deliver("2026-10-01", "1,10", "2,20")
        try run("--as-of", "2026-10-01")
        try deliver("2026-10-02", "3,5")
        try run("--as-of", "2026-10-04")
        // Corrected, and failed once before it passed.
        try deliver("2026-10-01")
        try run("--as-of", "2026-10-05", ending: 1)
        try deliver("2026-10-01", "1,11", "2,20")
        try run("--as-of", "2026-10-05")
        try site()
        #expect(files.filter { $0.hasPrefix("day-") }.count == 2)
        let first = try page("day-2026-10-01")
        #expect(first.contains("The day <time datetime=\"2026-10-01\">"))
        #expect(
            first.contains("<dt>Made last</dt><dd class=\"good\">done</dd>")
                && first.contains("<dt>Files</dt><dd>1</dd>")
        )
        let came = try #require(
            first.components(separatedBy: "id=\"files\"").last?.components(separatedBy: "id=\"made\"").first
        )
        let ways = came.matches(of: /<td>([^<]*)<\/td><\/tr>/).map { String($0.output.1) }
        #expect(
            ways == [
                "in time; other bytes have come since",
                "4 days after its day; again, with other bytes; other bytes have come since",
                "4 days after its day; again, with other bytes",
            ],
            "\(ways)"
        )
        #expect(came.contains("by no run"), "the empty file was taken by none")
        let made = try #require(first.components(separatedBy: "id=\"made\"").last)
        #expect(
            made.contains(">made</td>") && made.contains(">left as it was</td>") && made.contains(">made anew</td>")
        )
        #expect(
            first.contains(
                "<th scope=\"row\">Revenue &lt;b&gt;<span class=\"words\">measure in export_html</span></th><td class=\"num\">€31.00</td>"
            )
        )
        #expect(first.contains("<td>€30.00 <span class=\"soft\">by <a href=\"run-"))
        #expect(try page("day-2026-10-02").contains("2 days after its day"))
        // The days lead to each other, to their runs and to the job, and these lead back.
        let names = files.filter { $0.hasPrefix("day-") }
        #expect(first.contains("<a href=\"\(names[1])\">2026-10-02 →</a>"))
        #expect(try page("day-2026-10-02").contains("<a href=\"\(names[0])\">← 2026-10-01</a>"))
        let job = try page("orders-")
        #expect(names.allSatisfy { job.contains("href=\"\($0)\"") } && job.contains("id=\"days\""))
        #expect(job.contains("2026-10-01: done, 1 file, 3 runs"))
        for run in files where run.hasPrefix("run-") {
            #expect(place.text("www/\(run)")?.contains("It read <a href=\"day-") == true)
        }
    }

    /// A redo calls its day 'as_of', and a correction that it reads has come by the day on which it was started.
    @Test func `a correction that a redo reads is as late as the redo`() throws {
        try deliver("2026-10-01", "1,10")
        try run("--as-of", "2026-10-01")
        try deliver("2026-10-01", "1,11")
        try run("--redo", "2026-10-01")
        try site()
        let first = try page("day-2026-10-01")
        #expect(first.contains("in time; other bytes have come since"))
        #expect(
            first.firstMatch(of: /<td>[0-9,]+ days after its day; again, with other bytes<\/td>/) != nil,
            "\(first)"
        )
    }

    @Test func `the columns of outputs have a page as long as the job file is that of the last run`() throws {
        try deliver("2026-10-01", "1,10")
        try run("--as-of", "2026-10-01")
        try site()
        let columns = try page("columns-")
        #expect(columns.contains("What the &lt;customer&gt; paid") && columns.contains("amount: orders"))
        #expect(columns.contains(">out/<wbr>all.csv</td>"))
        #expect(try page("orders-").contains("Columns of the outputs, and where they come from"))
        let job = try #require(place.text("job.yaml"))
        try place.write(job + "# changed\n", to: "job.yaml")
        try site()
        #expect(files.contains { $0.hasPrefix("columns-") } == false)
        #expect(try page("orders-").contains("Columns of the outputs") == false)
    }

    @Test func `days of runs that are not shown have no page, and values of pruned runs stay with their day`() throws {
        for day in 1...4 {
            try deliver("2026-10-0\(day)", "\(day),\(day)")
            try run("--as-of", "2026-10-0\(day)")
        }
        try deliver("2026-10-02", "2,2", "9,9")
        try run("--as-of", "2026-10-05")
        try site("--last", "2")
        #expect(files.filter { $0.hasPrefix("day-") }.map { $0.prefix(14) } == ["day-2026-10-02", "day-2026-10-04"])
        let pruned = try command.run(["history", "prune", "--keep", "1", "--job", "job.yaml"])
        #expect(pruned.status == 0, "\(pruned.errors)")
        try site()
        #expect(files.filter { $0.hasPrefix("day-") }.map { $0.prefix(14) } == ["day-2026-10-02"])
    }

    @Test func `names of files that are markup, have quotes or are long are shown as they are`() throws {
        let hostile = "<script>alert('1')\"" + String(repeating: "x", count: 180)
        try deliver("2026-10-01-\(hostile)", "1,10")
        try run("--as-of", "2026-10-01")
        try site()
        let day = try page("day-2026-10-01")
        #expect(day.contains("&lt;script&gt;alert(") && !day.contains("<script") && !day.contains("1')\"xx"))
        #expect(day.contains(String(repeating: "x", count: 180)))
    }
}

import DaybookBytes
import DaybookTestSupport
import Foundation
import Testing

/// Measures of a page that are shown beside those of earlier runs.
@Suite struct MeasurePastTests {
    private let place: TemporaryDirectory
    private let command: CommandTrial

    init() throws {
        place = try TemporaryDirectory()
        command = CommandTrial(in: place.url)
        try write(
            """
            - { title: Revenue, value: sum(amount), format: "€#,##0.00", compare: last_run, good: up }
            - { title: Orders, value: rows(orders), compare: median of 7 }
            - { title: Rejected, value: rejected(orders), good: down }
            - { title: Dearest, value: max(amount) }
            """
        )
    }

    private func write(_ measures: String) throws {
        try place.write(
            """
            daybook: 1
            job: orders
            as_of: today
            params: { allow: "5" }
            rejects: { path: out/rejects.ndjson, allow: "${allow}" }
            stages:
              - import_csv: { path: in/orders.csv, columns: { amount: decimal } }
                id: orders
              - export_html:
                  path: out/orders.html
                  measures:
            \(measures.split(separator: "\n").map { "        \($0)" }.joined(separator: "\n"))

            """,
            to: "job.yaml"
        )
    }

    private static func day(_ night: Int) -> String { "2026-11-\(night < 10 ? "0" : "")\(night)" }

    /// So many orders of 10 each, and behind them some without an amount.
    private func deliver(_ orders: Int, bad: Int = 0) throws {
        let rows = (0..<orders + bad).map { "\($0),\($0 < orders ? "10" : "x")\n" }
        try place.write("id,amount\n" + rows.joined(), to: "in/orders.csv")
    }

    @discardableResult
    private func run(_ options: String..., ending code: Int32 = 0) throws -> String {
        try command.run(["run", "job.yaml"] + options, ending: code).errors
    }

    private var page: String { get throws { try #require(place.text("out/orders.html")) } }

    /// The tile of a measure.
    private func tile(_ title: String) throws -> String {
        let parts = try page.components(separatedBy: "<dt>\(title)</dt>")
        try #require(parts.count == 2)
        return parts[1].components(separatedBy: "</div>")[0]
    }

    @Test func `the change stands beside a measure from the second night on, with both numbers and a line`() throws {
        try deliver(100)
        try run("--as-of", Self.day(1))
        #expect(try tile("Revenue") == "<dd>€1,000.00</dd>")
        #expect(try page.contains("±0") == false)
        try deliver(103, bad: 2)
        try run("--as-of", Self.day(2))
        let revenue = try tile("Revenue")
        let told = "€1,030.00 after €1,000.00, that of 2026-11-01"
        #expect(
            revenue.hasPrefix("<dd>€1,030.00 <span class=\"delta good\" title=\"\(told)\">+3 %</span></dd>"),
            "\(revenue)"
        )
        #expect(revenue.contains("<dd class=\"was\">2026-11-01: €1,000.00</dd>"))
        #expect(revenue.contains("2 runs from 2026-11-01 to 2026-11-02: €1,000.00 at first, lowest"), "\(revenue)")
        // Of 0 there is no share.
        #expect(
            try tile("Rejected").hasPrefix(
                "<dd>2 <span class=\"delta bad\" title=\"2 after 0, that of 2026-11-01\">+2</span>"
            )
        )
        #expect(try tile("Dearest") == "<dd>10</dd>")
        #expect(try page.contains("The same input, job, date and earlier runs give the same page"))
        // A run that failed is none of the past, and neither is one of this day or a later one.
        try deliver(900)
        try run("--as-of", Self.day(3), "--set", "allow=0")
        try deliver(10, bad: 9)
        try run("--as-of", Self.day(4), ending: 1)
        try deliver(103, bad: 2)
        let before = try page
        try run("--as-of", Self.day(2))
        #expect(before.isEmpty == false)
        #expect(try tile("Revenue").contains("+3 %"))
        try run("--as-of", Self.day(5))
        #expect(
            try tile("Orders").contains(
                "title=\"103 after 103, the median of 3 runs from 2026-11-01 to 2026-11-03\">±0 %<"
            )
        )
        #expect(try tile("Orders").contains("<dd class=\"was\">median of 3 runs: 103</dd>"))
        #expect(
            try tile("Revenue").contains(
                "<span class=\"delta bad\" title=\"€1,030.00 after €9,000.00, that of 2026-11-03\">−88.6 %<"
            )
        )
    }

    @Test func `a page of the first run is the page of the next with as little behind it`() throws {
        try deliver(100)
        try run("--as-of", Self.day(1), "--manifest", "run.json")
        let first = try page
        #expect(first.contains("The same input, job, date and earlier runs give the same page"))
        let verified = try command.run("verify", "run.json")
        #expect(verified.status == 0, "\(verified.output)")
        try run("--as-of", Self.day(1))
        #expect(try page == first)
    }

    @Test func `thirty days are drawn, one of each, and the page is the same with any number of threads`() throws {
        for night in 1...40 {
            try deliver(100 + night % 9)
            try run("--as-of", night < 31 ? Self.day(night) : "2026-12-\(night - 21)", "--threads", "1")
        }
        let alone = try page
        try run("--as-of", "2026-12-19", "--threads", "8")
        #expect(try page == alone)
        let revenue = try tile("Revenue")
        #expect(revenue.contains("31 runs from 2026-11-10 to 2026-12-19: €1,010.00 at first"), "\(revenue)")
    }

    @Test func `a run is verified against the past that it had`() throws {
        for night in 1...3 {
            try deliver(100 + night)
            try run("--as-of", Self.day(night), "--manifest", "run\(night).json")
        }
        // Runs that came later, also of earlier days, are as if they were not there.
        try deliver(500)
        try run("--as-of", Self.day(2))
        try deliver(103)
        let outcome = try command.run("verify", "run3.json")
        #expect(
            outcome.output == "'orders' of 2026-11-03 comes out the same: 2 outputs, every byte\n",
            "\(outcome.output)"
        )
        try FileManager.default.removeItem(at: place.url.appendingPathComponent(".daybook/history.sqlite"))
        #expect(try command.run("verify", "run3.json").status == 1)
    }

    @Test func `the history keeps what the outputs show`() throws {
        try deliver(100, bad: 1)
        try run("--as-of", Self.day(1))
        try deliver(120)
        try run("--as-of", Self.day(2))
        let shown = try command.run("history", "show", "previous", "--job", "job.yaml").output
        #expect(shown.contains("  Revenue: €1,000.00 (export_html)\n  Orders: 100 (export_html)\n"), "\(shown)")
        let json = try command.run("history", "show", "last", "--job", "job.yaml", "--format", "json").output
        let record = try #require(try JSONSerialization.jsonObject(with: Data(json.utf8)) as? [String: Any])
        let measures = try #require(record["measures"] as? [[String: Any]])
        #expect(measures.map { $0["value"] as? Double } == [1200, 120, 0, 10])
        let changes = try command.run("history", "diff", "previous", "last", "--job", "job.yaml").output
        #expect(changes.contains("  ~ export_html: Revenue  €1,000.00 → €1,200.00\n"), "\(changes)")
        #expect(try command.run("history", "prune", "--keep", "0", "--job", "job.yaml").status == 0)
        let file = place.url.appendingPathComponent(".daybook/history.sqlite").path
        let left = try SQLiteDatabase(file, .readOnly).rows("SELECT count(*) FROM measures") { $0.integer(0) }
        #expect(left == [0])
    }

    @Test func `shards see the past of their plan, and a replay knows none`() throws {
        try deliver(100)
        try run("--as-of", Self.day(1))
        try deliver(400, bad: 3)
        try run("--as-of", Self.day(2))
        let alone = try page
        for arguments in [
            ["plan", "job.yaml", "--shards", "2", "--as-of", Self.day(2), "-o", "plan.json"],
            ["run", "--shard", "plan.json#0", "--into", "parts"], ["run", "--shard", "plan.json#1", "--into", "parts"],
            ["merge", "plan.json", "parts"],
        ] {
            let outcome = try command.run(arguments)
            #expect(outcome.status == 0, "\(arguments): \(outcome.errors)")
        }
        #expect(try page == alone)
        let rejects = try #require(place.text("out/rejects.ndjson"))
        try place.write(rejects.replacing(",x", with: ",10"), to: "mended.ndjson")
        let replayed = try command.run(
            "replay",
            "mended.ndjson",
            "--job",
            "job.yaml",
            "--into",
            "again",
            "--as-of",
            Self.day(2)
        )
        #expect(replayed.status == 0, "\(replayed.errors)")
        let again = try #require(place.text("again/orders.html"))
        #expect(again.contains("<dt>Revenue</dt><dd>€30.00</dd></div>"), "\(again)")
    }

    @Test func `a history that cannot be read takes the change away, and only where one is asked for`() throws {
        try deliver(100)
        try run("--as-of", Self.day(1))
        let file = place.url.appendingPathComponent(".daybook/history.sqlite").path
        try SQLiteDatabase(file, .readWrite).execute("PRAGMA user_version = 99")
        let said = try run("--as-of", Self.day(2))
        #expect(said.contains("rules and measures are held against no earlier runs in this one: "), "\(said)")
        #expect(try tile("Revenue") == "<dd>€1,000.00</dd>")
        try write("- { title: Revenue, value: sum(amount) }")
        #expect(try run("--as-of", Self.day(2)).contains("no earlier runs") == false)
    }

    @Test func `a stage that is not there cannot be counted`() throws {
        try write("- { title: Rejected, value: rejected(order) }")
        try deliver(1)
        let said = try run("--as-of", Self.day(1), ending: 2)
        #expect(said.contains("no stage has the id 'order'") && said.contains("did you mean 'orders'?"), "\(said)")
        #expect(said.contains("job.yaml:12:"), "\(said)")
    }
}

import DaybookBytes
import DaybookTestSupport
import Foundation
import Testing

/// Rules that are held against earlier runs, night after night.
@Suite struct PastRuleTests {
    private let place: TemporaryDirectory
    private let command: CommandTrial

    init() throws {
        place = try TemporaryDirectory()
        command = CommandTrial(in: place.url)
    }

    private static let guide = URL(fileURLWithPath: #filePath)
        .appendingPathComponent("../../../docs/guides/nightly.md").standardizedFileURL

    /// The job of the guide that begins with these lines.
    private static func job(named name: String) throws -> String {
        let parts = try String(contentsOf: guide, encoding: .utf8).components(separatedBy: "```")
        return try #require(
            parts.first { $0.hasPrefix("yaml\ndaybook: 1\njob: \(name)\n") }.map { String($0.dropFirst(5)) }
        )
    }

    private static func day(_ night: Int) -> String { "2026-11-\(night < 10 ? "0" : "")\(night)" }

    /// So many orders, of which ten have no customer.
    private func deliver(_ rows: Int) throws {
        let orders = (1...rows).map { "\($0),\($0 % 20 == 3 ? "" : "c\($0 % 50)"),\(10 + $0 % 3)" }
        try place.write("id,customer,amount\n" + orders.joined(separator: "\n") + "\n", to: "in/orders.csv")
    }

    /// Rows as some rule of the job counts them, with a limit.
    private func write(_ limits: String, to file: String = "job.yaml") throws {
        try place.write(
            """
            daybook: 1
            job: counted
            stages:
              - import_csv: { path: in/orders.csv }
              - check_rows: { rules: [{ id: rows, row_count: { \(limits) } }] }
                id: check_rows
              - export_csv: { path: out/orders.csv }

            """,
            to: file
        )
    }

    @discardableResult
    private func run(_ job: String, on day: String, ending code: Int32 = 0) throws -> String {
        let outcome = try command.run("run", job, "--as-of", day)
        #expect(outcome.status == code, "\(day): \(outcome.errors)")
        return outcome.errors
    }

    private func messages(of run: String, job: String) throws -> [String] {
        let outcome = try command.run("history", "show", run, "--job", job, "--format", "json")
        let record = try #require(try JSONSerialization.jsonObject(with: Data(outcome.output.utf8)) as? [String: Any])
        return try #require(record["rules"] as? [[String: Any]]).compactMap { $0["message"] as? String }
    }

    @Test func `of thirty nights, the one that comes half empty is caught`() throws {
        try place.write(try Self.job(named: "deliveries"), to: "job.yaml")
        var counts: [Int] = []
        for night in 1...30 {
            let rows = 200 + 3 * (night * 5 % 7)
            if night == 23 {
                let before = try #require(place.text("out/orders.csv"))
                try deliver(rows / 2)
                let said = try run("job.yaml", on: Self.day(night), ending: 1)
                let median = counts.suffix(7).sorted()[3]
                let change = (Double(median - rows / 2) / Double(median) * 1000).rounded() / 10
                #expect(
                    said.contains(
                        "the number of rows is \(rows / 2), \(change) % less than \(median), "
                            + "the median of 7 runs from 2026-11-16 to 2026-11-22; a change of at most 30% is allowed"
                    ),
                    "\(said)"
                )
                #expect(said.contains("deviations below") && said.contains("at most 5 are allowed"))
                #expect(place.text("out/orders.csv") == before)
            }
            try deliver(rows)
            let said = try run("job.yaml", on: Self.day(night))
            #expect(said.contains("there is no earlier run to compare it with") == (night == 1), "\(said)")
            #expect(said.contains("anomalies are told after 7 earlier runs") == (night <= 7), "\(said)")
            counts.append(rows)
        }
        // A night that is repeated is held against the one before it.
        try run("job.yaml", on: Self.day(30))
        let told = try messages(of: "last", job: "job.yaml")
        #expect(told[0].contains("the median of 7 runs from 2026-11-23 to 2026-11-29"), "\(told)")
        #expect(told[1].contains("the median of 28 runs from 2026-11-02 to 2026-11-29"), "\(told)")
        #expect(told[2].contains("that of 2026-11-29 (run "), "\(told)")
        // A day that is run again is held against the days before it.
        try run("job.yaml", on: Self.day(9))
        let repeated = try command.run("history", "job.yaml", "--last", "1", "--format", "csv").output
        let name = try #require(repeated.split(separator: "\n").last?.split(separator: ",").first)
        #expect(try messages(of: String(name), job: "job.yaml")[2].contains("that of 2026-11-08 (run "))
        let failed = try command.run("history", "job.yaml", "--failed", "--format", "csv").output
        #expect(failed.split(separator: "\n").count == 2 && failed.contains(",2026-11-23,"))
    }

    @Test func `what could not be compared is not judged, in every form of report`() throws {
        try write("min: 1, change: { max: 20% }")
        try deliver(9)
        let reports = ["json", "junit", "sarif", "html"].flatMap { ["--report", "\($0)=run.\($0)"] }
        let first = try command.run(
            ["run", "job.yaml", "--as-of", Self.day(1), "--quiet", "--report", "text"] + reports
        )
        #expect(first.status == 0 && first.errors.contains("rule not judged 'rows'"), "\(first.errors)")
        #expect(first.errors.contains("1 rule: 1 not judged") && !first.errors.contains("passed"), "\(first.errors)")
        #expect(place.text("run.json")?.contains("\"verdict\" : \"unjudged\"") == true)
        #expect(place.text("run.junit")?.contains("<skipped") == true)
        #expect(place.text("run.html")?.contains("not judged") == true)
        let quiet = try command.run("run", "job.yaml", "--as-of", Self.day(1), "--quiet")
        #expect(quiet.errors.contains("rule not judged 'rows'"), "\(quiet.errors)")
        #expect(try run("job.yaml", on: Self.day(2)).contains("1 rule: 1 passed"))
        // What is wrong by itself is judged all the same.
        try write("min: 10, change: { max: 20% }", to: "other.yaml")
        #expect(try run("other.yaml", on: Self.day(3), ending: 1).contains("rule failed 'rows'"))
    }

    @Test(arguments: ["change: { max: 20%, first: fail }", "anomaly: { first: fail }"])
    func `a first run fails where the job says so`(limits: String) throws {
        try write(limits)
        try deliver(9)
        let said = try run("job.yaml", on: Self.day(1), ending: 1)
        #expect(said.contains("'first: fail' is set") && said.contains("rule failed 'rows'"), "\(said)")
    }

    @Test func `what is compared with earlier runs needs names that stay, and every run says so`() throws {
        try write("change: { max: 20% }")
        try deliver(9)
        let whole = try #require(place.text("job.yaml"))
        let text = whole.replacing("    id: check_rows\n", with: "")
        try place.write(text, to: "job.yaml")
        let validated = try command.run("validate", "job.yaml")
        let ran = try run("job.yaml", on: Self.day(1))
        for said in [validated.errors, ran] {
            #expect(said.contains("earlier runs know what is compared here under 'check_rows'"), "\(said)")
            #expect(said.contains("[past-without-name]") && !said.contains("know this rule"), "\(said)")
        }
        try place.write(text.replacing("id: rows, ", with: ""), to: "job.yaml")
        #expect(try command.run("validate", "job.yaml").errors.contains("earlier runs know this rule as 'row_count'"))
        try place.write(whole, to: "job.yaml")
        #expect(try command.run("validate", "job.yaml").errors.isEmpty)
    }

    @Test func `a warning of 'validate' is one of 'run', 'preview', 'plan' and of the manifest`() throws {
        try place.write("at\n2026-03-01T09:00:00\n", to: "in.csv")
        try place.write(
            """
            daybook: 1
            timezone: Asia/Seoul
            stages:
              - import_csv: { path: in.csv }
                id: rows
              - normalise_dates: { column: at, formats: ["yyyy-MM-dd'T'HH:mm:ss'Z'"], to: instant }
                rejects: { allow: 100% }
              - export_csv: { path: out.csv }

            """,
            to: "job.yaml"
        )
        let warning = try command.run("validate", "job.yaml").errors
        let code = try #require(warning.firstMatch(of: /\[([a-z-]+)\]/)).1
        for line in [
            ["run", "job.yaml", "--manifest", "run.json"], ["preview", "job.yaml", "--stage", "rows"],
            ["plan", "job.yaml", "--shards", "2", "-o", "plan.json"],
        ] {
            let outcome = try command.run(line)
            #expect(outcome.errors.contains("[\(code)]"), "\(line): \(outcome.errors)")
        }
        #expect(place.text("run.json")?.contains("\"\(code)\"") == true)
    }

    @Test func `a day is compared with the same day of an earlier week`() throws {
        try write("change: { max: 0%, from: same weekday }")
        for night in 1...21 {
            try deliver(night % 7 == 0 ? 30 : 100)
            try run("job.yaml", on: Self.day(night))
        }
        try deliver(30)
        let said = try run("job.yaml", on: "2026-11-22", ending: 1)
        #expect(said.contains("70 % less than 100, that of the same weekday, 2026-11-15 (run "), "\(said)")
    }

    @Test func `runs that failed count where the rule says so`() throws {
        for (include, codes) in [("passed", [0, 1, 1] as [Int32]), ("held", [0, 1, 1]), ("failed", [0, 1, 0])] {
            try write("change: { max: 20%, include: \(include) }", to: "\(include).yaml")
            for (night, (rows, code)) in zip([100, 40, 40], codes).enumerated() {
                try deliver(rows)
                try run("\(include).yaml", on: Self.day(night + 1), ending: code)
            }
        }
    }

    @Test func `a history of the program before is brought up to date, and has the tables of a new one`() throws {
        try write("change: { max: 1% }")
        try deliver(7)
        try run("job.yaml", on: "2026-11-01")
        let file = place.url.appendingPathComponent(".daybook/history.sqlite").path
        try OldHistory.takeBack(file)
        try deliver(9)
        #expect(try run("job.yaml", on: "2026-11-02", ending: 1).contains("more than 7, that of 2026-11-01"))
        #expect(try SQLiteDatabase(file, .readOnly).userVersion() == OldHistory.newest)
        #expect(try command.run("run", "job.yaml", "--as-of", "2026-11-02", "--state", "new").status == 0)
        func columns(_ file: String) throws -> [String] {
            let sql = """
                SELECT tables.name || '.' || columns.name || ' ' || columns.type || ' ' || columns."notnull"
                FROM sqlite_schema AS tables, pragma_table_info(tables.name) AS columns ORDER BY tables.name, columns.cid
                """
            return try SQLiteDatabase(file, .readOnly).rows(sql) { $0.text(0) }
        }
        let new = try columns(place.url.appendingPathComponent("new/history.sqlite").path)
        #expect(try columns(file) == new && new.count > 60)
    }

    @Test func `a history that cannot be read stops nothing, and that is said`() throws {
        try write("min: 1, change: { max: 1% }")
        let file = place.url.appendingPathComponent(".daybook/history.sqlite")
        for (night, damage) in ["newer", "damaged"].enumerated() {
            try deliver(10)
            try run("job.yaml", on: "2026-11-0\(2 * night + 1)")
            if damage == "newer" {
                try SQLiteDatabase(file.path, .readWrite).execute("PRAGMA user_version = 99")
            } else {
                try Data("no database, but long enough to be taken for one".utf8).write(to: file)
            }
            try deliver(20)
            let said = try run("job.yaml", on: "2026-11-0\(2 * night + 2)")
            #expect(
                said.contains("warning: rules and measures are held against no earlier runs in this one: "),
                "\(said)"
            )
            #expect(said.contains(damage == "newer" ? "newer Daybook" : "is damaged"), "\(said)")
            try FileManager.default.removeItem(at: place.url.appendingPathComponent(".daybook"))
        }
    }

    @Test func `an entry that nobody can read stays where it is`() throws {
        try write("min: 1, change: { max: 1% }")
        try deliver(10)
        try run("job.yaml", on: "2026-11-01")
        try place.write("no entry", to: ".daybook/entries/20260101T000000Z-00000000.json")
        #expect(try run("job.yaml", on: "2026-11-02").contains("warning:") == false)
        #expect(place.text(".daybook/entries/20260101T000000Z-00000000.json") == "no entry")
    }

    @Test func `shards see the past that their plan was made with`() throws {
        try write("change: { max: 1% }")
        try deliver(400)
        try run("job.yaml", on: "2026-11-01")
        try deliver(300)
        let planned = try command.run(
            "plan",
            "job.yaml",
            "--shards",
            "2",
            "--as-of",
            "2026-11-03",
            "-o",
            "plan.json"
        )
        #expect(planned.status == 0, "\(planned.errors)")
        #expect(try #require(place.text("plan.json")).contains("\"value\" : 400"))
        for shard in 0..<2 {
            let done = try command.run("run", "--shard", "plan.json#\(shard)", "--into", "parts")
            #expect(done.status == 0, "\(done.errors)")
        }
        // Nobody asks the history again.
        try run("job.yaml", on: "2026-11-02", ending: 1)
        try write("min: 1", to: "other.yaml")
        let whole = try run("job.yaml", on: "2026-11-03", ending: 1)
        let merged = try command.run("merge", "plan.json", "parts")
        #expect(merged.status == 1, "\(merged.errors)")
        let judgement = "the number of rows is 300, 25 % less than 400, that of 2026-11-01 (run "
        #expect(whole.contains(judgement) && merged.errors.contains(judgement), "\(merged.errors)")
    }
}

import DaybookTestSupport
import Foundation
import Testing

@testable import DaybookBytes
@testable import DaybookContracts
@testable import DaybookEngine
@testable import DaybookHistory

/// Nights that did not happen, and data that are old.
@Suite struct NightCheckTests {
    private let place: TemporaryDirectory
    private var command: CommandTrial

    init() throws {
        place = try TemporaryDirectory()
        command = CommandTrial(in: place.url)
        command.environment = [
            "DAYBOOK_ALLOW_COMMANDS": "", "http_proxy": "http://127.0.0.1:1", "https_proxy": "http://127.0.0.1:1",
        ]
    }

    private func write(_ notify: String = "", allow: Int = 0, asOf: String = "2026-11-21") throws {
        try place.write("id,day\n1,2026-11-19\n2,2026-11-18\n", to: "in.csv")
        try place.write(
            """
            daybook: 1
            job: orders
            as_of: \(asOf)
            \(notify)
            stages:
              - import_csv: { path: in.csv, columns: { day: day } }
              - check_rows: { rules: [{ freshness: { column: day, within: 2 days }, id: fresh, warn: "> 0" }] }
                id: checked
              - export_csv: { path: out.csv }

            """,
            to: "orders.yaml"
        )
    }

    private func check(_ options: String...) throws -> CommandTrial.Outcome {
        try command.run(["history", "check"] + options)
    }

    private func execute(_ sql: String) throws {
        try SQLiteDatabase(place.url.appendingPathComponent(".daybook/history.sqlite").path, .readWrite).execute(sql)
    }

    @Test func `a job that ran in time is not missed, and one that did not is`() throws {
        try write()
        #expect(try command.run("run", "orders.yaml").status == 0)
        let good = try check("--within", "26h")
        #expect(good.status == 0 && good.output == "1 job: no night is missing\n", "\(good)")
        #expect(try check("--within", "26h", "--quiet").output.isEmpty)
        // Two days ago.
        try execute("UPDATE runs SET started = started - 172800000000")
        let late = try check("--within", "26h", "--job", "orders.yaml")
        #expect(late.status == 1 && late.output.isEmpty)
        #expect(
            late.errors.contains(
                "error: no run of 'orders' that passed was started within 26h: the last one was started at "
            ),
            "\(late.errors)"
        )
        #expect(late.errors.contains(", 48 hours ago [missed-run]"), "\(late.errors)")
        #expect(try check("--within", "3d").status == 0)
    }

    @Test func `runs that failed do not count, and are counted`() throws {
        try write()
        try place.write("id\n1\n", to: "in.csv")
        #expect(try command.run("run", "orders.yaml").status != 0)
        let outcome = try check("--within", "1h")
        #expect(outcome.status == 1)
        #expect(outcome.errors.contains("within 1h: there is none; 1 run failed [missed-run]"), "\(outcome.errors)")
    }

    @Test func `a job of which there is no run at all is missed`() throws {
        try write()
        let outcome = try check("--within", "26h", "--job", "orders.yaml")
        #expect(outcome.status == 1 && outcome.errors.contains("there is none [missed-run]"), "\(outcome.errors)")
        #expect(!FileManager.default.fileExists(atPath: place.url.appendingPathComponent(".daybook").path))
        let typo = try check("--within", "26h", "--job", "order.yaml")
        #expect(typo.status == 3 && typo.errors.contains("[no-history]"), "\(typo.errors)")
        #expect(try check("--within", "26h").status == 3)
    }

    @Test func `the newest data are held against the rule and the day of now`() throws {
        try write()
        #expect(try command.run("run", "orders.yaml").status == 0)
        #expect(try check("--within", "26h").status == 0)
        // The job calls a later day its own now, and no run has seen newer data.
        try write(asOf: "2026-11-22")
        let outcome = try check("--within", "26h")
        #expect(outcome.status == 1)
        #expect(
            outcome.errors.contains(
                "error: the newest data of 'orders' are of 2026-11-19, 3 days before 2026-11-22; 'fresh' allows 2 days [old-data]"
            ),
            "\(outcome.errors)"
        )
    }

    @Test func `those whom the job names are told`() throws {
        let server = try WebhookTrial(answering: [200])
        defer { server.stop() }
        try write("notify: { on: [missed], webhook: { url: \(server.address()) } }")
        #expect(try command.run("run", "orders.yaml").status == 0)
        #expect(server.requests.isEmpty)
        try execute("UPDATE runs SET started = started - 172800000000")
        #expect(try check("--within", "26h").status == 1)
        try #require(server.requests.count == 1)
        let body = try #require(try JSONSerialization.jsonObject(with: server.requests[0].body) as? [String: Any])
        #expect(body["outcome"] as? String == "missed" && body["as_of"] as? String == "2026-11-21")
        #expect(
            (body["text"] as? String)?.hasPrefix("orders missed its run: no run of 'orders' that passed") == true,
            "\(body)"
        )
        #expect(body["exit_code"] as? Int == 1 && server.requests[0].headers["x-daybook-event"] == "missed")
    }

    @Test func `a notice that cannot be sent changes nothing about the answer`() throws {
        try write("notify: { on: [missed], command: [\"false\"] }")
        let outcome = try check("--within", "26h", "--job", "orders.yaml")
        #expect(outcome.status == 1 && outcome.errors.contains("[command-not-allowed]"), "\(outcome.errors)")
        let allowed = try check("--within", "26h", "--job", "orders.yaml", "--allow-commands")
        #expect(allowed.status == 1 && allowed.errors.contains("it ended with exit code 1"), "\(allowed.errors)")
    }

    @Test(arguments: ["26", "h", "-1h", "0h", "1.5h", "26 h", "99999999h", "26hours", "١h"])
    func `a time that is none is refused`(_ text: String) throws {
        let outcome = try check("--within=\(text)")
        #expect(outcome.status == 2)
        #expect(
            outcome.errors.contains("expected a time such as 26h, 90m or 2d after '--within', found '\(text)'"),
            "\(outcome.errors)"
        )
    }

    @Test func `a job that was renamed in its file is no missed job`() throws {
        try write()
        #expect(try command.run("run", "orders.yaml").status == 0)
        try execute("UPDATE runs SET started = started - 172800000000")
        let text = try #require(place.text("orders.yaml"))
        try place.write(text.replacing("job: orders", with: "job: sales"), to: "orders.yaml")
        #expect(try command.run("run", "orders.yaml").status == 0)
        let outcome = try check("--within", "26h")
        #expect(outcome.status == 0 && outcome.output == "1 job: no night is missing\n", "\(outcome)")
    }

    // MARK: - The last run, and clocks

    @Test func `the last run is that of the latest day, whatever was added last`() throws {
        try write()
        for day in ["2026-11-20", "2026-11-21", "2026-11-19"] {
            #expect(try command.run("run", "orders.yaml", "--as-of", day).status == 0)
        }
        let last = try command.run("history", "show", "last", "--job", "orders.yaml").output
        #expect(last.contains("2026-11-21"), "\(last)")
        let change = try command.run("history", "diff", "previous", "last", "--job", "orders.yaml").output
        #expect(change.contains("2026-11-20 → 2026-11-21"), "\(change)")
        // A run whose job cannot be read has no day, and is of the latest one.
        try place.write("daybook: 1\n", to: "orders.yaml")
        #expect(try command.run("run", "orders.yaml").status == 2)
        #expect(try command.run("history", "show", "last", "--job", "orders.yaml").output.contains("job wrong"))
    }

    @Test func `a clock that stands behind the newest run is told`() throws {
        try write()
        #expect(try command.run("run", "orders.yaml").status == 0)
        let outcome = try command.run("run", "orders.yaml")
        #expect(!outcome.errors.contains("clock-behind"), "\(outcome.errors)")
        try execute("UPDATE runs SET started = started + 86400000000 WHERE id = 1")
        let behind = try command.run("run", "orders.yaml")
        #expect(
            behind.status == 0 && behind.errors.contains("warning: the clock of this machine says "),
            "\(behind.errors)"
        )
        #expect(behind.errors.contains("[clock-behind]"))
        // Machines that share a directory have clocks that differ a little.
        try execute("UPDATE runs SET started = (SELECT max(started) FROM runs WHERE id > 1) + 30000000 WHERE id = 1")
        #expect(!(try command.run("run", "orders.yaml").errors.contains("clock-behind")))
    }

    @Test func `a day made anew is no night, and neither is one that is still to come`() throws {
        try write(asOf: "today")
        for day in ["2026-10-05", "2026-10-06"] {
            #expect(try command.run("run", "orders.yaml", "--as-of", day).status == 0)
        }
        try execute("UPDATE runs SET started = started - 172800000000")
        #expect(try command.run("run", "orders.yaml", "--as-of", "2026-10-05").status == 0)
        #expect(try check("--within", "26h").status == 1)
        #expect(try command.run("run", "orders.yaml", "--as-of", "2026-10-06").status == 0)
        #expect(try check("--within", "26h").status == 0)
        // A run of a clock that stood ahead is none, and hides no other.
        try execute("UPDATE runs SET started = started + 864000000000, as_of = '2999-10-06' WHERE as_of = '2026-10-05'")
        #expect(try check("--within", "26h").status == 0)
        try execute("UPDATE runs SET started = started - 172800000000 WHERE as_of = '2026-10-06'")
        #expect(try check("--within", "26h").status == 1)
    }

    @Test func `a repair of the newest day is no night, and one that makes up a missed night is`() throws {
        for day in ["2026-10-05", "2026-10-06", "2026-10-07"] { try place.write("id\n1\n", to: "in/\(day).csv") }
        try place.write(
            """
            daybook: 1
            job: orders
            as_of: today
            stages:
              - import_csv: { path: "in/*.csv", day: { from: name, pattern: "{yyyy-MM-dd}.csv" } }
              - export_csv: { path: out.csv, replace_by: [day] }

            """,
            to: "orders.yaml"
        )
        #expect(try command.run("run", "orders.yaml", "--as-of", "2026-10-06").status == 0)
        try execute("UPDATE runs SET started = started - 172800000000")
        #expect(try command.run("run", "orders.yaml", "--redo", "2026-10-06").status == 0)
        #expect(try check("--within", "26h").status == 1)
        #expect(try command.run("backfill", "orders.yaml", "2026-10-05", "2026-10-06").status == 0)
        #expect(try check("--within", "26h").status == 1)
        #expect(try command.run("run", "orders.yaml", "--redo", "2026-10-07").status == 0)
        #expect(try check("--within", "26h").status == 0)
        // Once more it is a repair, which does not count as a later night.
        try execute("UPDATE runs SET started = started - 172800000000")
        #expect(try command.run("run", "orders.yaml", "--redo", "2026-10-07").status == 0)
        #expect(try check("--within", "26h").status == 1)
    }

    @Test func `a job that was renamed has no night yet`() throws {
        try write()
        #expect(try command.run("run", "orders.yaml").status == 0)
        let job = try #require(place.text("orders.yaml"))
        try place.write(job.replacing("job: orders", with: "job: sales"), to: "orders.yaml")
        let renamed = try check("--within", "26h")
        #expect(renamed.status == 1 && renamed.errors.contains("no run of 'sales' that passed"), "\(renamed)")
    }
}

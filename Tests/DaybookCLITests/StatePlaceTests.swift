import DaybookTestSupport
import Foundation
import Testing

@testable import DaybookBytes
@testable import DaybookContracts
@testable import DaybookEngine
@testable import DaybookHistory

/// Where the state of a job lives, how much of it is kept, and how it travels.
@Suite struct StatePlaceTests {
    private let place: TemporaryDirectory
    private let command: CommandTrial

    init() throws {
        place = try TemporaryDirectory()
        command = CommandTrial(in: place.url)
        try place.write("id\n1\n2\n", to: "jobs/in.csv")
    }

    private func write(_ keys: String, name: String = "orders", import options: String = "") throws {
        try place.write(
            """
            daybook: 1
            job: \(name)
            as_of: 2026-11-21
            \(keys)
            stages:
              - import_csv: { path: in*.csv, columns: { id: integer }\(options) }
              - export_csv: { path: ../out/\(name).csv\(options.isEmpty ? "" : ", append: true") }

            """,
            to: "jobs/\(name).yaml"
        )
    }

    private func isThere(_ path: String) -> Bool {
        FileManager.default.fileExists(atPath: place.url.appendingPathComponent(path).path)
    }

    private func names(in path: String) -> [String] {
        ((try? FileManager.default.contentsOfDirectory(atPath: place.url.appendingPathComponent(path).path)) ?? [])
            .sorted()
    }

    @discardableResult
    private func run(_ arguments: String..., ending code: Int32 = 0) throws -> CommandTrial.Outcome {
        let outcome = try command.run(arguments)
        #expect(outcome.status == code, "\(arguments): \(outcome.errors)")
        return outcome
    }

    // MARK: - state

    @Test func `a job names its state directory, from where it is, and the command line wins`() throws {
        try write("state: ../shared")
        try run("run", "jobs/orders.yaml")
        #expect(isThere("shared/history.sqlite") && !isThere("jobs/.daybook"))
        #expect(try run("history", "jobs/orders.yaml").output.contains("orders"))
        #expect(try run("history", "show", "last", "--job", "jobs/orders.yaml").output.contains("job"))
        try run("history", "check", "--within", "1h", "--job", "jobs/orders.yaml")
        try run("site", "www", "--job", "jobs/orders.yaml")
        for name in ["validate", "explain"] { try run(name, "jobs/orders.yaml") }
        try run("run", "jobs/orders.yaml", "--state", "other")
        #expect(isThere("other/history.sqlite") && !isThere("jobs/.daybook") && !isThere(".daybook"))
        try run("verify", "shared/manifests/orders.json", "--job", "jobs/orders.yaml")
        // A command line that is wrong leaves its manifest there too.
        try run("run", "jobs/orders.yaml", "--thread", "2", ending: 2)
        #expect(try #require(place.text("shared/manifests/orders.json")).contains("\"usage\""))
        // Not where nothing is to be kept.
        try FileManager.default.removeItem(at: place.url.appendingPathComponent("shared/manifests"))
        for option in ["--dry-run", "--no-history"] {
            try run("run", "jobs/orders.yaml", option, "--thread", "2", ending: 2)
            #expect(!isThere("shared/manifests"))
        }
        try run("history", "prune", "--keep", "0", "--job", "jobs/orders.yaml")
        #expect(!isThere("jobs/.daybook"))
    }

    @Test func `a param or a variable may name it`() throws {
        try write("params: { dir: ../first }\nstate: \"${dir}\"")
        try run("run", "jobs/orders.yaml")
        #expect(isThere("first/history.sqlite"))
        try run("run", "jobs/orders.yaml", "--set", "dir=../second")
        #expect(isThere("second/history.sqlite"))
        var trial = command
        trial.environment["STATE_DIRECTORY"] = place.url.appendingPathComponent("third").path
        try write("state: \"${env:STATE_DIRECTORY}\"")
        #expect(try trial.run("run", "jobs/orders.yaml").status == 0)
        #expect(isThere("third/history.sqlite"))
        // Without the variable nobody knows where the runs are.
        trial.environment["STATE_DIRECTORY"] = ""
        let lost = try trial.run("history", "jobs/orders.yaml")
        #expect(lost.status == 2 && lost.errors.contains("[state-unknown]"), "\(lost.errors)")
        #expect(lost.errors.contains("name the directory with --state DIR"))
        // Nothing is kept beside the job in its place.
        #expect(try trial.run("run", "jobs/orders.yaml").status == 2)
        #expect(try trial.run("run", "jobs/orders.yaml", "--thread", "2").status == 2)
        #expect(!isThere("jobs/.daybook"))
    }

    @Test(arguments: [
        ("\"-\"", "bad-path"), ("s3://bucket/state", "bad-path"), ("\"\"", "wrong-type"), ("[a]", "wrong-type"),
    ])
    func `a state that is no directory is refused`(_ text: String, _ code: String) throws {
        try write("state: \(text)")
        let outcome = try run("validate", "jobs/orders.yaml", ending: 2)
        #expect(outcome.errors.contains("[\(code)]"), "\(outcome.errors)")
    }

    @Test func `a killed commit is found in the directory of the job`() throws {
        try write("state: ../shared")
        try run("run", "jobs/orders.yaml")
        // An entry that waits for the history comes into it with the next command.
        let record = place.url.appendingPathComponent("shared/entries")
        try FileManager.default.createDirectory(at: record, withIntermediateDirectories: true)
        #expect(try run("history", "jobs/orders.yaml").output.contains("orders"))
    }

    // MARK: - keep

    @Test func `the history keeps as many runs as the job says, each with its manifest`() throws {
        try write("keep: 2 runs")
        try write("", name: "others")
        try run("run", "jobs/others.yaml")
        for _ in 0..<4 { try run("run", "jobs/orders.yaml") }
        let list = try run("history", "jobs/orders.yaml", "--format", "json").output
        let runs = try #require(try JSONSerialization.jsonObject(with: Data(list.utf8)) as? [[String: Any]])
        #expect(runs.count == 2)
        #expect(
            names(in: "jobs/.daybook/manifests/orders")
                == runs.compactMap { $0["run"] as? String }.map { "\($0).json" }.sorted()
        )
        #expect(isThere("jobs/.daybook/manifests/orders.json") && !isThere("jobs/.daybook/manifests/others"))
        #expect(try run("history", "jobs/others.yaml").output.contains("others"))
        try run(
            "verify",
            "jobs/.daybook/manifests/orders/\(names(in: "jobs/.daybook/manifests/orders")[0])",
            "--job",
            "jobs/orders.yaml"
        )
        // From another directory the job is beside the state directory of the manifest.
        var elsewhere = command
        elsewhere.directory = place.url.appendingPathComponent("out")
        let first = try #require(names(in: "jobs/.daybook/manifests/orders").first)
        #expect(try elsewhere.run("verify", "../jobs/.daybook/manifests/orders/\(first)").status == 0)
        // A run that fails is kept, and forgets nobody.
        try place.write("id\nx\n", to: "jobs/in.csv")
        try run("run", "jobs/orders.yaml", ending: 1)
        #expect(names(in: "jobs/.daybook/manifests/orders").count == 3)
        try run("history", "prune", "--keep", "0", "--job", "jobs/orders.yaml")
        #expect(!isThere("jobs/.daybook/manifests/orders"))
    }

    @Test func `what incremental runs have read outlives the runs`() throws {
        try write("keep: 1 run", import: ", new_only: true, optional: true")
        for number in 2...4 {
            try run("run", "jobs/orders.yaml")
            try place.write("id\n\(number)0\n", to: "jobs/in-\(number).csv")
        }
        try run("run", "jobs/orders.yaml")
        #expect(place.text("out/orders.csv") == "id\n1\n2\n20\n30\n40\n")
    }

    @Test(arguments: ["400", "0 runs", "1 runs", "-1 runs", "400 days", "04 runs", "2 run", "400  runs", "[]"])
    func `a number of runs is written with its unit`(_ text: String) throws {
        try write("keep: \(text)")
        let outcome = try run("validate", "jobs/orders.yaml", ending: 2)
        #expect(outcome.errors.contains("'keep': expected a number of runs such as '400 runs'"), "\(outcome.errors)")
        if text == "400" { #expect(outcome.errors.contains("hint: write '400 runs'")) }
    }

    @Test func `a job that keeps fewer runs than its rules compare with is warned`() throws {
        try write("keep: 7 runs")
        let text = try #require(place.text("jobs/orders.yaml"))
        let rule =
            "  - check_rows: { rules: [{ row_count: { min: 1, change: { max: 30%, from: median of 7 } }, id: rows }] }\n    id: checked\n"
        try place.write(text.replacing("  - export_csv", with: rule + "  - export_csv"), to: "jobs/orders.yaml")
        let few = try run("validate", "jobs/orders.yaml")
        #expect(
            few.errors.contains(
                "'keep' leaves 7 runs, and rules or measures compare with 7 earlier days [keeps-too-few]"
            )
        )
        try place.write(
            text.replacing("7 runs", with: "8 runs").replacing("  - export_csv", with: rule + "  - export_csv"),
            to: "jobs/orders.yaml"
        )
        #expect(try !run("validate", "jobs/orders.yaml").errors.contains("keeps-too-few"))
    }

    @Test func `what a job says of its state and its order is explained`() throws {
        try write("state: ../shared\nkeep: 400 runs\nafter: [sales]\nwait_for: { path: in.csv, until: 6:00 }")
        let told = try run("explain", "jobs/orders.yaml").output
        #expect(
            told.contains(
                """
                State and order
                  after a run of 'sales' for this day that passed
                  state in shared
                  keeps 400 runs
                  waits for jobs/in.csv until 06:00
                """
            ),
            "\(told)"
        )
        let json = try run("explain", "jobs/orders.yaml", "--format", "json").output
        #expect(json.contains("\"keep\" : \"400 runs\"") && json.contains("\"until\" : \"06:00\""), "\(json)")
    }

    // MARK: - Slips of the fingers

    @Test func `a mistyped job leaves nothing, and one that was there and is gone does`() throws {
        try write("")
        try run("run", "jobs/orders.yaml")
        try run("run", "jobs/oders.yaml", ending: 2)
        let list = try run("history", "--state", "jobs/.daybook").output
        #expect(!list.contains("oders") && !isThere("jobs/.daybook/manifests/oders.json"), "\(list)")
        try FileManager.default.removeItem(at: place.url.appendingPathComponent("jobs/orders.yaml"))
        try run("run", "jobs/orders.yaml", ending: 2)
        #expect(try run("history", "--state", "jobs/.daybook").output.contains("job wrong"))
    }

    @Test func `jobs that never could be read leave the pages with their file`() throws {
        try write("")
        try run("run", "jobs/orders.yaml")
        try place.write("daybook: 1\n", to: "jobs/draft.yaml")
        try run("run", "jobs/draft.yaml", ending: 2)
        try run("site", "www", "--state", "jobs/.daybook")
        #expect(try #require(place.text("www/index.html")).contains("draft"))
        try FileManager.default.removeItem(at: place.url.appendingPathComponent("jobs/draft.yaml"))
        try run("site", "www", "--state", "jobs/.daybook")
        #expect(try !#require(place.text("www/index.html")).contains("draft"))
    }

    // MARK: - Export and import

    @Test func `a history travels in one file, with what incremental jobs have read`() throws {
        try write("keep: 9 runs", import: ", new_only: true, optional: true")
        try run("run", "jobs/orders.yaml")
        try run("run", "jobs/orders.yaml")
        let written = try run("history", "export", "cache.db", "--job", "jobs/orders.yaml")
        #expect(written.errors == "wrote cache.db, with 2 runs\n")
        let before = try run("history", "jobs/orders.yaml", "--format", "json").output
        try FileManager.default.removeItem(at: place.url.appendingPathComponent("jobs/.daybook"))
        // Without its state the job would add its rows once more.
        try run("run", "jobs/orders.yaml", ending: 3)
        try FileManager.default.removeItem(at: place.url.appendingPathComponent("jobs/.daybook"))
        let taken = try run("history", "import", "cache.db", "--job", "jobs/orders.yaml")
        #expect(taken.errors.hasSuffix("has 2 runs now\n"), "\(taken.errors)")
        #expect(try run("history", "jobs/orders.yaml", "--format", "json").output == before)
        #expect(names(in: "jobs/.daybook/manifests/orders").count == 2 && names(in: "jobs/.daybook/taken").count == 1)
        try run("run", "jobs/orders.yaml")
        #expect(place.text("out/orders.csv") == "id\n1\n2\n")
    }

    @Test func `a history with other runs is not replaced, unless somebody says so`() throws {
        try write("")
        try run("run", "jobs/orders.yaml")
        try run("history", "export", "cache.db", "--job", "jobs/orders.yaml")
        // The same, or older: nothing is lost.
        try run("history", "import", "cache.db", "--job", "jobs/orders.yaml")
        try run("run", "jobs/orders.yaml")
        let refused = try run("history", "import", "cache.db", "--job", "jobs/orders.yaml", ending: 3)
        #expect(
            refused.errors.contains("has runs that 'cache.db' does not know, the last of them "),
            "\(refused.errors)"
        )
        #expect(refused.errors.contains("'--force' replaces it all the same"))
        let forced = try run("history", "import", "cache.db", "--job", "jobs/orders.yaml", "--force")
        #expect(forced.errors.hasSuffix("has 1 run now\n"))
        #expect(names(in: "jobs/.daybook").filter { $0.contains("import") }.isEmpty)
    }

    @Test func `a file that is no export is refused, and nothing is written outside of the state`() throws {
        try write("")
        try run("run", "jobs/orders.yaml")
        try run("history", "export", "cache.db", "--job", "jobs/orders.yaml")
        let file = place.url.appendingPathComponent("cache.db").path
        try place.write("no database at all, whatever its name says. no database at all.", to: "text.db")
        for name in ["text.db", "missing.db", "jobs", "jobs/.daybook/history.sqlite"] {
            let outcome = try command.run("history", "import", name, "--state", "new")
            #expect(outcome.status != 0, "\(name): \(outcome.errors)")
            #expect(!isThere("new/history.sqlite"), "\(name)")
            #expect(outcome.errors.contains("[no-export]"), "\(name): \(outcome.errors)")
        }
        for path in ["taken/../../../evil", "runs/x.journal", "taken/.hidden", "/etc/passwd", "taken//x", "taken"] {
            try SQLiteDatabase(file, .readWrite).execute(
                "DELETE FROM state_files; INSERT INTO state_files VALUES ('\(path)', x'00')"
            )
            let outcome = try run("history", "import", "cache.db", "--state", "new", ending: 3)
            #expect(
                outcome.errors.contains("it names files that are none of the state [no-export]"),
                "\(outcome.errors)"
            )
        }
        try SQLiteDatabase(file, .readWrite).execute(
            "DELETE FROM state_files; CREATE TRIGGER t AFTER INSERT ON runs BEGIN DELETE FROM jobs; END"
        )
        try run("history", "import", "cache.db", "--state", "new", ending: 3)
        #expect(!isThere("evil") && !isThere("new/history.sqlite"))
        // What is no export stays, whatever it is.
        try place.write("id\n1\n", to: "mine.csv")
        let database = place.url.appendingPathComponent("mine.sqlite").path
        try SQLiteDatabase(database, .readWrite).execute("CREATE TABLE t (x); INSERT INTO t VALUES (1)")
        for file in ["jobs/orders.yaml", "mine.csv", "mine.sqlite", "jobs"] {
            let before = try? Data(contentsOf: place.url.appendingPathComponent(file))
            let refused = try run("history", "export", file, "--job", "jobs/orders.yaml", ending: 2)
            #expect(refused.errors.contains("'\(file)' is there, and is no "), "\(refused.errors)")
            #expect(refused.errors.contains("[not-an-export]"), "\(refused.errors)")
            let after = try? Data(contentsOf: place.url.appendingPathComponent(file))
            #expect(after == before)
        }
        try place.write("", to: "empty.db")
        try run("history", "export", "empty.db", "--job", "jobs/orders.yaml")
        try run("history", "export", "empty.db", "--job", "jobs/orders.yaml")
        try run("history", "export", "-", "--job", "jobs/orders.yaml", ending: 2)
        try run("history", "export", "jobs/.daybook/taken/x", "--job", "jobs/orders.yaml", ending: 2)
        try run("history", "export", "none.db", "--state", "nowhere", ending: 3)
        #expect(!isThere("none.db") && !isThere("nowhere"))
    }
}

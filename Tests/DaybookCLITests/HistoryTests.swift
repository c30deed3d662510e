import DaybookTestSupport
import Foundation
import Synchronization
import Testing

@testable import DaybookBytes
@testable import DaybookContracts
@testable import DaybookEngine
@testable import DaybookHistory
@testable import DaybookReports

/// What `daybook history` tells of the runs of a state directory.
@Suite struct HistoryTests {
    private let place: TemporaryDirectory
    private let command: CommandTrial

    init() throws {
        place = try TemporaryDirectory()
        command = CommandTrial(in: place.url)
        try place.write("id,colour\n1,#EC007F\n2,hunter22\n", to: "jobs/in.csv")
        try place.write(
            """
            daybook: 1
            job: colours
            params:
              allow: 50%
              token: { default: hunter22, secret: true }
            rejects: { path: out/rejects.ndjson, allow: "${allow}" }
            stages:
              - import_csv: { path: in.csv }
              - check_rows: { rules: [{ id: ids, not_missing: id }] }
              - validate_hex_colours: { column: colour }
              - export_csv: { path: out/colours.csv }

            """,
            to: "jobs/colours.yaml"
        )
    }

    private var state: URL { place.url.appendingPathComponent("jobs/.daybook") }
    private var file: String { state.appendingPathComponent("history.sqlite").path }

    @discardableResult
    private func run(_ options: String..., ending code: Int32 = 0) throws -> String {
        try command.run(["run", "jobs/colours.yaml", "--as-of", "2026-11-21"] + options, ending: code).errors
    }

    private func history(_ arguments: String...) throws -> String {
        let outcome = try command.run(["history"] + arguments)
        try #require(outcome.status == 0, "\(outcome.errors)")
        return outcome.output
    }

    private func listed(_ arguments: String...) throws -> [[String: Any]] {
        let outcome = try command.run(["history", "jobs/colours.yaml", "--format", "json"] + arguments)
        try #require(outcome.status == 0, "\(outcome.errors)")
        return try #require(try JSONSerialization.jsonObject(with: Data(outcome.output.utf8)) as? [[String: Any]])
    }

    private func execute(_ sql: String) throws { try SQLiteDatabase(file, .readWrite).execute(sql) }

    private func waiting() -> [String] {
        let entries = state.appendingPathComponent("entries").path
        return (try? FileManager.default.contentsOfDirectory(atPath: entries)) ?? []
    }

    @Test func `every run is listed, also one that failed and one that could not begin`() throws {
        try run()
        try run("--set", "allow=0", ending: 1)
        try run("--set", "nothing=0", ending: 2)
        let runs = try listed()
        #expect(runs.map { $0["exit_code"] as? Int } == [2, 1, 0])
        #expect(runs.map { $0["job"] as? String } == ["colours", "colours", "colours"])
        #expect(runs.map { $0["rows_read"] as? Int } == [0, 2, 2])
        #expect(runs.map { $0["rejected"] as? Int } == [0, 1, 1])
        #expect(runs[0]["as_of"] is NSNull && runs[2]["as_of"] as? String == "2026-11-21")
        #expect((runs[2]["seconds"] as? Double).map { $0 > 0 } == true)
        let name = try #require(runs[2]["run"] as? String)
        let started = try #require(runs[2]["started"] as? String)
        #expect(name.prefix(8) == started.prefix(10).replacing("-", with: ""))
        #expect(try listed("--failed").count == 2)
        #expect(try listed("--last", "1").map { $0["exit_code"] as? Int } == [2])
        let text = try history("--state", "jobs/.daybook", "--last", "2")
        #expect(text.contains("gate failed          2         1") && text.contains("and 1 earlier"))
    }

    @Test func `a run that writes nothing, and one that writes to a stream, are listed as well`() throws {
        for output in ["", "  - export_csv: { path: '-' }\n"] {
            try place.write("daybook: 1\nstages:\n  - import_csv: { path: in.csv }\n" + output, to: "jobs/colours.yaml")
            #expect(try command.run("run", "jobs/colours.yaml").status == 0)
        }
        #expect(try listed().count == 2)
    }

    @Test func `no secret is in the history`() throws {
        try run()
        let bytes = try Data(contentsOf: URL(fileURLWithPath: file))
        #expect(bytes.range(of: Data("hunter22".utf8)) == nil)
        #expect(bytes.range(of: Data("••••".utf8)) != nil)
    }

    @Test func `one run is shown with its rows, rules, findings and files`() throws {
        try run()
        let text = try history("show", "last", "--job", "jobs/colours.yaml")
        for part in [
            "  ended        done (0)", "  param token  ••••", "  validate_hex_colours   2    1         1",
            "  passed 'ids': 2 rows passed", "1 × not-a-hex-colour in 'colour' by 'validate_hex_colours' (error)",
            "  in.csv     31", "  out/colours.csv        20",
        ] {
            #expect(text.contains(part), "\(part) in \(text)")
        }
        let json = try history("show", "last", "--job", "jobs/colours.yaml", "--format", "json")
        let record = try #require(try JSONSerialization.jsonObject(with: Data(json.utf8)) as? [String: Any])
        let stages = try #require(record["stages"] as? [[String: Any]])
        #expect(stages.map { $0["rows_in"] as? Int } == [2, 2, 2, 1])
    }

    @Test func `two runs are compared`() throws {
        try run()
        try place.write("id,colour\n1,#EC007F\n2,#000000\n3,\n", to: "jobs/in.csv")
        try run("--set", "allow=40%")
        let text = try history("diff", "previous", "last", "--job", "jobs/colours.yaml")
        for part in [
            "params: 1 change, 1 as before\n  ~ allow  50% → 40%", "inputs: 1 change\n  ~ in.csv  31 bytes, xxh128 ",
            "  ~ validate_hex_colours  2 in, 1 out, 1 rejected → 3 in, 3 out",
            "findings: 1 change\n  - validate_hex_colours: not-a-hex-colour  1",
        ] {
            #expect(text.contains(part), "\(part) in \(text)")
        }
        #expect(try history("diff", "last", "last", "--job", "jobs/colours.yaml").contains("nothing changed"))
    }

    @Test func `a run that fails has left the outputs of the one before, and the comparison says so`() throws {
        try run()
        try run("--set", "allow=0", ending: 1)
        let text = try history("diff", "previous", "last", "--job", "jobs/colours.yaml")
        #expect(text.contains("~ out/colours.csv  20 bytes, xxh128 "), "\(text)")
        #expect(text.contains(" → not written\n"), "\(text)")
    }

    @Test func `a run is known by its name and by either end of it`() throws {
        try run()
        try run()
        let names = try listed().compactMap { $0["run"] as? String }
        let shown = try history("show", String(names[1].suffix(8)), "--job", "jobs/colours.yaml")
        #expect(shown.hasPrefix("run \(names[1])\n"))
        let ambiguous = try command.run("history", "show", "20", "--job", "jobs/colours.yaml")
        #expect(ambiguous.status == 2 && ambiguous.errors.contains("'20' may be '20"))
        let unknown = try command.run("history", "show", "x", "--job", "jobs/colours.yaml")
        #expect(unknown.status == 2 && unknown.errors.contains("no run is called 'x' [no-such-run]"))
    }

    @Test func `jobs of one name are told apart by their path`() throws {
        try run()
        try FileManager.default.copyItem(
            at: place.url.appendingPathComponent("jobs/colours.yaml"),
            to: place.url.appendingPathComponent("jobs/other.yaml")
        )
        #expect(try command.run("run", "jobs/other.yaml").status == 0)
        #expect(try listed().count == 1)
        let all = try history("--state", "jobs/.daybook", "--format", "csv").split(separator: "\n")
        #expect(all.count == 3 && all[1].contains("/jobs/other.yaml,") && all[2].contains("/jobs/colours.yaml,"))
    }

    @Test func `a project that is moved goes on with its history`() throws {
        func run(_ folder: String) throws -> String {
            let outcome = try command.run(["run", "\(folder)/job.yaml"])
            #expect(outcome.status == 0, "\(outcome.errors)")
            return outcome.errors
        }
        func runs(_ folder: String) throws -> [[String: Any]] {
            let outcome = try command.run(["history", "\(folder)/job.yaml", "--format", "json"])
            let list = try JSONSerialization.jsonObject(with: Data(outcome.output.utf8))
            return try #require(list as? [[String: Any]])
        }
        try place.write("id\n7\n", to: "old/in/a.csv")
        try place.write(
            """
            daybook: 1
            job: moved
            stages:
              - import_csv: { path: "in/*.csv", new_only: true }
              - export_csv: { path: all.csv, append: true }

            """,
            to: "old/job.yaml"
        )
        _ = try run("old")
        // As the program before has kept it.
        try OldHistory.takeBack(place.url.appendingPathComponent("old/.daybook/history.sqlite").path)
        #expect(try runs("old").count == 1)
        #expect(try run("old").contains("found nothing new"))

        try FileManager.default.moveItem(
            at: place.url.appendingPathComponent("old"),
            to: place.url.appendingPathComponent("new")
        )
        #expect(try run("new").contains("import_csv found nothing new: 1 file, all taken before"))
        #expect(place.text("new/all.csv") == "id\n7\n")
        #expect(try runs("new").count == 3)
        let elsewhere = try command.run(["history", "job.yaml", "--state", "new/.daybook"])
        #expect(elsewhere.errors.contains("this history has runs of '") && elsewhere.errors.contains("new/job.yaml'"))
    }

    @Test func `old runs are forgotten, and what only they knew`() throws {
        try run()
        try place.write("id,colour\n1,#EC007F\n", to: "jobs/in.csv")
        for _ in 0..<3 { try run() }
        let pruned = try command.run("history", "prune", "--keep", "2", "--job", "jobs/colours.yaml")
        #expect(pruned.status == 0 && pruned.errors == "forgot 2 runs\n")
        #expect(try listed().count == 2)
        // A slip of the fingers is told, and a job that was deleted still has its runs.
        let unknown = try command.run("history", "prune", "--keep", "1", "--job", "jobs/color.yaml")
        #expect(unknown.status == 2 && unknown.errors.contains("[job-not-found]"), "\(unknown.errors)")
        try FileManager.default.removeItem(at: place.url.appendingPathComponent("jobs/colours.yaml"))
        let deleted = try command.run("history", "prune", "--keep", "2", "--job", "jobs/colours.yaml")
        #expect(deleted.status == 0 && deleted.errors == "forgot 0 runs\n")
        let database = try SQLiteDatabase(file, .readOnly)
        #expect(try database.rows("SELECT bytes FROM files WHERE path = 'in.csv'") { $0.integer(0) } == [20])
        #expect(try database.rows("SELECT count(DISTINCT run) FROM stages") { $0.integer(0) } == [2])
        #expect(try database.rows("SELECT count(*) FROM ledgers") { $0.integer(0) } == [1])
    }

    @Test func `what older programs have kept is read as it is, and stays when it is brought up to date`() throws {
        try run()
        let first = try #require(try listed().first?["run"] as? String)
        func shown() throws -> String { try history("show", first, "--format", "json", "--job", "jobs/colours.yaml") }
        let kept = try shown()
        for key in ["xxh128", "sha256", "is_source", "reads"] { #expect(kept.contains("\"\(key)\""), "\(key)") }
        try OldHistory.takeBack(file)
        #expect(try shown() == kept)
        try run()
        #expect(try SQLiteDatabase(file, .readOnly).userVersion() == OldHistory.newest)
        #expect(try shown() == kept)
        let database = try SQLiteDatabase(file, .readOnly)
        #expect(try database.rows("SELECT DISTINCT typeof(xxh128) FROM files") { $0.text(0) } == ["blob"])
    }

    @Test func `a history that could not be read for a moment is not put aside`() throws {
        try run()
        var report = RunReport(
            jobFile: place.url.appendingPathComponent("jobs/colours.yaml").path,
            threads: 1,
            started: 0
        )
        report.job = "colours"
        let keeper = HistoryKeeper(StateDirectory(state.path)) { [report] _ in report }
        keeper.failures.withLock {
            $0 = [.machine("damaged-history", "the history is damaged: database disk image is malformed")]
        }
        _ = keeper.keep(failed: report)
        #expect(keeper.remarks.isEmpty)
        #expect(try listed().count == 2)
        let names = try FileManager.default.contentsOfDirectory(atPath: state.path)
        #expect(!names.contains { $0.hasPrefix("history.sqlite.damaged-") })
    }

    @Test func `a pipe in the place of the history keeps nobody waiting`() throws {
        try run()
        try FileManager.default.removeItem(atPath: file)
        #expect(mkfifo(file, 0o600) == 0)
        #expect(try command.run("history", "--state", "jobs/.daybook").errors.contains("it is no regular file"))
        #expect(try run("--quiet").contains("it is no regular file"))
        #expect(try FileManager.default.attributesOfItem(atPath: file)[.type] as? FileAttributeType != .typeRegular)
    }

    @Test func `numbers and words that somebody has edited neither stop a page nor steer a terminal`() throws {
        try run()
        try run()
        let largest = "9223372036854775807"
        try execute(
            """
            UPDATE stages SET rows_in = \(largest), rows_out = -\(largest), rejected = \(largest), folded = \(largest), made = \(largest),
                milliseconds = 9e999, dropped = '{"a":\(largest),"b":\(largest)}';
            UPDATE runs SET started = \(largest), seconds = 9e999, rows_read = \(largest), version = char(27) || '[31m', as_of = char(27) || '[2J';
            UPDATE findings SET count = \(largest), code = char(27) || '[31m';
            UPDATE rules SET rows = \(largest), failing = -\(largest), verdict = char(27) || '[31m';
            UPDATE files SET bytes = \(largest);
            """
        )
        for line in [
            ["history"], ["history", "--format", "json"], ["history", "--format", "csv"],
            ["history", "--format", "html"],
            ["history", "show", "last"], ["history", "show", "last", "--format", "html"],
            ["history", "diff"], ["history", "diff", "--format", "html"], ["site", "www"],
        ] {
            let outcome = try command.run(line + ["--state", "jobs/.daybook"])
            #expect(outcome.status < 4, "\(line): \(outcome.status) \(outcome.errors)")
            #expect(!(outcome.output + outcome.errors).contains("\u{1B}"), "\(line)")
        }
        try run()
    }

    @Test func `a damaged history is put aside and stops no run`() throws {
        try run()
        try Data("no database, but long enough to be taken for one".utf8).write(to: URL(fileURLWithPath: file))
        let listing = try command.run("history", "jobs/colours.yaml")
        #expect(listing.status == 3 && listing.errors.contains("is damaged: file is not a database [damaged-history]"))
        #expect(
            try run("--quiet").contains(
                "warning: the history at 'jobs/.daybook/history.sqlite' is damaged and was put aside"
            )
        )
        #expect(try listed().count == 1)
        let names = try FileManager.default.contentsOfDirectory(atPath: state.path)
        #expect(names.contains { $0.hasPrefix("history.sqlite.damaged-") })
    }

    @Test(arguments: ["DROP TABLE rules", "PRAGMA user_version = 0", "ALTER TABLE runs DROP COLUMN errors"])
    func `a history without what it has to have is damaged`(change: String) throws {
        try run()
        try execute(change)
        let listing = try command.run("history", "show", "last", "--job", "jobs/colours.yaml")
        #expect(listing.status == 3 && listing.errors.contains(" is damaged: "), "\(listing.errors)")
        #expect(try run("--quiet").contains("is damaged and was put aside"))
        #expect(try listed().count == 1)
    }

    @Test func `a database of another program is put aside as it is`() throws {
        try FileManager.default.createDirectory(at: state, withIntermediateDirectories: true)
        try execute("CREATE TABLE theirs (a)")
        let theirs = try Data(contentsOf: URL(fileURLWithPath: file))
        let listing = try command.run("history", "jobs/colours.yaml")
        #expect(listing.status == 3 && listing.errors.contains("is damaged: it has no version"), "\(listing.errors)")
        #expect(try run("--quiet").contains("is damaged and was put aside"))
        #expect(try listed().count == 1)
        let aside = try FileManager.default.contentsOfDirectory(at: state, includingPropertiesForKeys: nil)
            .filter { $0.lastPathComponent.hasPrefix("history.sqlite.damaged-") }
        #expect(try aside.map { try Data(contentsOf: $0) } == [theirs])
    }

    @Test func `what was broken in one run stops no other`() throws {
        try run()
        try execute("UPDATE ledgers SET stages = '[{'")
        let shown = try history("show", "last", "--job", "jobs/colours.yaml", "--format", "json")
        #expect(shown.contains("passed") && shown.components(separatedBy: "\"rows_in\" : 2").count > 2, "\(shown)")
        #expect(try command.run("site", "www", "--state", "jobs/.daybook").status == 0)
        try execute("UPDATE ledgers SET stages = '[{\"reads\": 1}]'")
        try run()
        #expect(try listed().count == 2)
    }

    @Test func `a job that could not be read is the one that its file was before`() throws {
        let text = try #require(place.text("jobs/colours.yaml"))
        try place.write(text.replacing("job: colours", with: "job: of-another-name"), to: "jobs/colours.yaml")
        try run()
        try place.write(text + "  - [", to: "jobs/colours.yaml")
        try run(ending: 2)
        #expect(try listed().map { $0["job"] as? String } == ["of-another-name", "of-another-name"])
    }

    @Test func `a run that cannot be kept is told with what becomes of it`() throws {
        try run()
        let entries = state.appendingPathComponent("entries").path
        // Where a file stands, no directory can be made.
        try Data().write(to: URL(fileURLWithPath: entries))
        try execute("CREATE TRIGGER full BEFORE INSERT ON runs BEGIN SELECT RAISE(ABORT, 'no room'); END")
        #expect(try run().contains("hint: the run waits in the journal of its commit for the next one"))
        try FileManager.default.removeItem(atPath: entries)
        #expect(try run().contains("hint: the run waits beside it for the next one"))
        try execute("DROP TRIGGER full")
        #expect(try listed().count == 3)
    }

    @Test func `a history from before the first release is told of, and stays`() throws {
        try run()
        try execute("PRAGMA user_version = 8")
        #expect(try run().contains("was written before the first release: its tables are of version 8"))
        #expect(try command.run("history", "jobs/colours.yaml").errors.contains("[older-history]"))
        try execute("PRAGMA user_version = \(OldHistory.newest)")
        #expect(try listed().count == 2)
    }

    @Test func `a newer history is left as it is, and the run waits for the program that knows it`() throws {
        try run()
        try execute("PRAGMA user_version = 99")
        let said = try run()
        #expect(said.contains("was written by a newer Daybook: its tables are of version 99"))
        #expect(waiting().count == 1)
        #expect(try command.run("history", "jobs/colours.yaml").status == 3)
        try execute("PRAGMA user_version = \(OldHistory.newest)")
        #expect(try listed().count == 2)
        #expect(waiting() == [])
    }

    @Test func `replays and tests of a job are no nights`() throws {
        try run()
        let rejects = try #require(place.text("jobs/out/rejects.ndjson"))
        try place.write(rejects.replacing("••••", with: "#000000"), to: "mended.ndjson")
        _ = try command.run("replay", "mended.ndjson", "--job", "jobs/colours.yaml", "--into", "replayed")
        #expect(try listed().count == 1)
    }

    @Test func `a name that fits many runs, or none, is told briefly`() throws {
        for _ in 0..<5 { try run() }
        let many = try command.run("history", "show", "20", "--state", "jobs/.daybook").errors
        #expect(many.contains("or another [ambiguous-run]") && many.count < 250, "\(many)")
        #expect(try command.run("history", "show", "", "--state", "jobs/.daybook").errors.contains("[no-such-run]"))
    }

    @Test func `where there is no history that is said`() throws {
        let outcome = try command.run("history", "jobs/colours.yaml")
        #expect(outcome.status == 3 && outcome.errors.contains("there is no history at 'jobs/.daybook/history.sqlite'"))
        #expect(
            try command.run("history", "jobs/colour.yaml").errors.contains(
                "'jobs/colour.yaml' is no file; name the job file"
            )
        )
        #expect(try command.run("history", "--last", "0").status == 2)
    }
}

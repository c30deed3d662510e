import DaybookBytes
import DaybookTestSupport
import Foundation
import Testing

/// Runs whose outputs grow, verified after later runs; and runs whose days are made anew.
@Suite struct VerifyDaysTests {
    private let place: TemporaryDirectory
    private let command: CommandTrial

    init() throws {
        place = try TemporaryDirectory()
        command = CommandTrial(in: place.url)
    }

    private func job(_ outputs: String..., namesDays: Bool = true) throws {
        try place.write(
            """
            daybook: 1
            job: orders
            keep: 30 runs
            stages:
              - import_csv:
                  path: "in/*.csv"
                  \(namesDays ? "day: { from: name, pattern: 'orders-{yyyy-MM-dd}.csv' }" : "new_only: true")
                  redelivery: { other_bytes: \(namesDays ? "redo" : "warn") }
                  columns: { id: integer, shop: text }

            """ + outputs.map { "  - \($0)\n" }.joined(),
            to: "job.yaml"
        )
    }

    /// A night that delivers files, by their days, and the file of its manifest.
    private func night(_ name: String, _ files: [String: String], _ arguments: String...) throws {
        for (day, rows) in files { try place.write("id,shop\n\(rows)", to: "in/orders-\(day).csv") }
        let outcome = try command.run(["run", "job.yaml", "--manifest", "\(name).json"] + arguments)
        #expect(outcome.status == 0, "\(outcome.errors)")
    }

    private func verify(_ arguments: String..., ending code: Int32 = 0) throws -> String {
        let outcome = try command.run(["verify"] + arguments)
        #expect(outcome.status == code, "\(outcome.output)\(outcome.errors)")
        return outcome.output + outcome.errors
    }

    /// Three nights of one day each, the second of which has rows in two shops.
    private func threeNights() throws {
        try night("one", ["2026-10-09": "1,a\n2,b\n"])
        try night("two", ["2026-10-10": "3,a\n4,b\n"])
        try night("three", ["2026-10-11": "5,a\n"])
    }

    private static let outputs = [
        "export_csv: { path: all.csv, replace_by: [day] }",
        "export_json: { path: all.csv, layout: lines, replace_by: [day] }",
        "export_sqlite: { path: all.csv, table: t, replace_by: [day] }",
        "export_csv: { path: all.csv, replace_by: [day, shop] }",
    ]

    @Test(arguments: outputs) func `each run is the same after later ones made other days`(_ output: String) throws {
        try job(output)
        try threeNights()
        for night in ["one", "two", "three"] {
            #expect(try verify("\(night).json") == "'orders' of \(today) comes out the same: 1 output, \(ofDays)\n")
        }
        // A day that was corrected since is that of the later run.
        try night("four", ["2026-10-10": "3,a\n4,c\n"])
        let said = try verify("two.json")
        #expect(said.contains("2026-10-10") && said.contains(" was made anew by run 20"), "\(said)")
        #expect(try verify("four.json").contains("\(ofDays)\n"))
        #expect(try verify("2026-10-10", "--job", "job.yaml").contains("\(ofDays)\n"))
        #expect(try verify("2026-10-09", "--job", "job.yaml").contains("\(ofDays)\n"))
        #expect(try verify("last", "--job", "job.yaml").contains("\(ofDays)\n"))
        #expect(try verify("2026-10-12", "--job", "job.yaml", ending: 2).contains("[no-such-run]"))
        #expect(try verify("2026-10-10", ending: 2).contains("name the job, as in"))
    }

    @Test func `a file that was renamed to another day is told with the run that read it there`() throws {
        try job("export_csv: { path: all.csv, replace_by: [day] }")
        try threeNights()
        let files = ["2026-10-10", "2026-10-08"].map { place.url.appendingPathComponent("in/orders-\($0).csv").path }
        try FileManager.default.moveItem(atPath: files[0], toPath: files[1])
        try night("four", [:])
        let said = try verify("two.json", ending: 1)
        #expect(said.contains("→ none; run 20"), "\(said)")
        #expect(
            said.contains(" read these bytes as 'in/orders-2026-10-08.csv': the file was renamed or copied\n"),
            "\(said)"
        )
        #expect(try verify("two.json", "--format", "json", ending: 1).contains("\"remark\" : \"run 20"))
        #expect(try verify("one.json") == "'orders' of \(today) comes out the same: 1 output, \(ofDays)\n")
    }

    private let ofDays = "every byte of the days that the run wrote"
    private var today: String { Date().formatted(.iso8601.year().month().day()) }

    @Test func `a byte, a row or a file that is another is told by its day`() throws {
        try job("export_csv: { path: all.csv, replace_by: [day] }")
        try threeNights()
        let whole = try #require(place.text("all.csv"))

        try place.write(whole.replacing("4,b", with: "4,x"), to: "all.csv")
        let flipped = try verify("two.json", ending: 1)
        #expect(
            flipped.contains("~ output all.csv  2026-10-10 stands there otherwise: 30 bytes, xxh128 "),
            "\(flipped)"
        )
        // The days of the other runs are as they were.
        #expect(try verify("one.json").contains("every byte"))
        #expect(try verify("three.json").contains("every byte"))

        // Rows that changed their places within the day, and a day that was moved.
        let rows = whole.split(separator: "\n").map { "\($0)\n" }
        try place.write(([0, 1, 2, 4, 3, 5].map { rows[$0] }).joined(), to: "all.csv")
        #expect(try verify("two.json", ending: 1).contains("2026-10-10 stands there otherwise"))
        try place.write(([0, 3, 4, 1, 2, 5].map { rows[$0] }).joined(), to: "all.csv")
        #expect(try verify("two.json", ending: 2).contains("[not-in-order]"))

        try place.write((rows[...2]).joined(), to: "all.csv")
        let cut = try verify("two.json", ending: 1)
        #expect(cut.contains("stands there otherwise: 30 bytes") && cut.contains("→ no rows"), "\(cut)")
        try FileManager.default.removeItem(at: place.url.appendingPathComponent("all.csv"))
        #expect(try verify("two.json", ending: 1).contains("→ no rows"))
        try place.write(whole, to: "all.csv")
        #expect(try verify("two.json").contains("every byte"))
    }

    @Test func `a row of a table that is another is told by its day`() throws {
        try job("export_sqlite: { path: all.sqlite, table: t, replace_by: [day] }")
        try threeNights()
        func change(_ sql: String) throws {
            try SQLiteDatabase(place.url.appendingPathComponent("all.sqlite").path, .readWrite).execute(sql)
        }
        // Rows have no order, and no number that counts.
        try change(
            "CREATE TABLE s AS SELECT * FROM t ORDER BY id DESC; DELETE FROM t; INSERT INTO t SELECT * FROM s; DROP TABLE s; VACUUM"
        )
        #expect(try verify("two.json").contains("every byte"))
        try change("UPDATE t SET shop = 'x' WHERE id = 4")
        #expect(try verify("two.json", ending: 1).contains("t 2026-10-10 stands there otherwise"))
        #expect(try verify("three.json").contains("every byte"))
        try change("DELETE FROM t WHERE id IN (3, 4)")
        #expect(try verify("two.json", ending: 1).contains("→ no rows"))
    }

    @Test func `a day that the files of the run no longer have is none, then and now`() throws {
        try place.write(
            """
            daybook: 1
            job: orders
            stages:
              - import_csv:
                  path: "in/*.csv"
                  day: { from: on }
                  redelivery: { other_bytes: redo }
                  columns: { id: integer, on: day }
              - export_csv: { path: all.csv, replace_by: [on] }

            """,
            to: "job.yaml"
        )
        try place.write("id,on\n1,2026-10-10\n2,2026-10-11\n", to: "in/a.csv")
        #expect(try command.run("run", "job.yaml").status == 0)
        try place.write("id,on\n2,2026-10-11\n", to: "in/a.csv")
        #expect(try command.run("run", "job.yaml").status == 0)
        #expect(place.text("all.csv") == "id,on\n2,2026-10-11\n")
        #expect(try verify("last", "--job", "job.yaml").contains("the same: 1 output, \(ofDays)\n"))
    }

    @Test func `a run that came to no end says so, though its manifest is kept`() throws {
        try job("export_csv: { path: all.csv, replace_by: [day] }")
        try place.write("id,shop,day\n1,a,2026-10-09\n", to: "in/orders-2026-10-09.csv")
        #expect(try command.run("run", "job.yaml").status == 2)
        let said = try verify("last", "--job", "job.yaml", ending: 2)
        #expect(said.contains("did not come to its end") && !said.contains("is not kept"), "\(said)")
    }

    @Test func `an old manifest has no digests of days`() throws {
        try job("export_csv: { path: all.csv, replace_by: [day] }")
        try threeNights()
        let manifest = try #require(place.text("two.json"))
        try place.write(manifest.replacing("\"groups\"", with: "\"others\""), to: "two.json")
        let said = try verify("two.json", ending: 2)
        #expect(said.contains("[nothing-to-verify]") && said.contains("has no digests of days"), "\(said)")
    }

    @Test func `a file that was added to is cut back`() throws {
        try place.write(
            """
            daybook: 1
            job: grows
            stages:
              - import_csv: { path: "in/*.csv", new_only: true }
              - export_csv: { path: all.csv, append: true }

            """,
            to: "job.yaml"
        )
        try threeNights()
        let whole = try #require(place.text("all.csv"))
        #expect(
            try verify("one.json").hasSuffix(" output, every byte\n  output all.csv  12 bytes came after the run\n")
        )
        #expect(try verify("two.json").hasSuffix("  output all.csv  4 bytes came after the run\n"))
        #expect(try verify("three.json").hasSuffix(" output, every byte\n"))
        try place.write(whole.replacing("4,b", with: "4,x"), to: "all.csv")
        let flipped = try verify("two.json", ending: 1)
        #expect(flipped.contains("~ output all.csv  the first 24 bytes of the file are others now"), "\(flipped)")
        #expect(try verify("one.json").contains("every byte"))
        try place.write(String(whole.prefix(18)), to: "all.csv")
        let cut = try verify("two.json", ending: 1)
        #expect(cut.contains("the file has 18 bytes now, fewer than the 24 after the run"), "\(cut)")
        try FileManager.default.removeItem(at: place.url.appendingPathComponent("all.csv"))
        #expect(try verify("two.json", ending: 1).contains("~ output all.csv  the file is gone"))
    }

    @Test(arguments: ["upsert", "append"]) func `rows inside of a database cannot be verified`(
        _ mode: String
    ) throws {
        let mode = mode == "append" ? "append: true" : "upsert: [id]"
        try job("export_sqlite: { path: all.sqlite, table: t, \(mode) }", namesDays: false)
        try threeNights()
        let alone = try verify("two.json", ending: 2)
        #expect(alone.contains("[nothing-to-verify]") && alone.contains("cannot be verified: "), "\(alone)")
        try job(
            "export_sqlite: { path: all.sqlite, table: t, \(mode) }",
            "export_csv: { path: new.csv }",
            namesDays: false
        )
        try night("five", ["2026-10-12": "6,a\n"])
        let beside = try verify("five.json")
        #expect(beside.contains("1 output, every byte\n  output all.sqlite  cannot be verified: "), "\(beside)")
    }

    @Test(arguments: [
        "CREATE TABLE t (id INTEGER PRIMARY KEY, shop TEXT, day TEXT)",
        "CREATE TABLE t (id INTEGER, shop TEXT, day TEXT, PRIMARY KEY (day, id)) WITHOUT ROWID",
        "CREATE TABLE t (id INTEGER, shop TEXT, day TEXT, _rowid_ INTEGER DEFAULT 7)",
        "CREATE TABLE t (id INTEGER, shop TEXT, day TEXT); INSERT INTO t (rowid, day) VALUES (9223372036854775807, '2025-01-01')",
    ])
    func `rows are digested wherever their table puts them`(_ table: String) throws {
        try SQLiteDatabase(place.url.appendingPathComponent("all.sqlite").path, .readWrite).execute(table)
        try job("export_sqlite: { path: all.sqlite, table: t, replace_by: [day] }")
        try night("one", ["2026-10-09": "100,a\n200,b\n"])
        try night("two", ["2026-10-10": "1,a\n150,b\n300,b\n"])
        try night("three", ["2026-10-11": "50,a\n", "2026-10-08": "-5,a\n"])
        for night in ["one", "two", "three"] {
            #expect(try verify("\(night).json").contains("comes out the same: 1 output, \(ofDays)\n"))
        }
        try SQLiteDatabase(place.url.appendingPathComponent("all.sqlite").path, .readWrite).execute(
            "UPDATE t SET shop = 'c' WHERE id = 150"
        )
        #expect(try verify("two.json", ending: 1).contains("t 2026-10-10 stands there otherwise"))
        #expect(try verify("three.json").contains("every byte"))
    }

    @Test func `tables beside one that keeps days are told`() throws {
        try job(
            "export_sqlite: { path: all.sqlite, table: last }",
            "export_sqlite: { path: all.sqlite, table: t, replace_by: [day] }"
        )
        try threeNights()
        for night in ["one", "two", "three"] {
            let said = try verify("\(night).json")
            #expect(said.contains("\(ofDays)\n  output all.sqlite  its table 'last' is not compared"), "\(said)")
        }
        try SQLiteDatabase(place.url.appendingPathComponent("all.sqlite").path, .readWrite).execute(
            "UPDATE t SET id = 0 WHERE day = '2026-10-09'"
        )
        #expect(try verify("one.json", ending: 1).contains("t 2026-10-09 stands there otherwise"))
        #expect(try verify("two.json").contains("every byte"))
    }

    @Test func `days of rows are verified, and made anew by the name of a run`() throws {
        try place.write(
            """
            daybook: 1
            job: orders
            keep: 30 runs
            stages:
              - import_csv:
                  path: "in/*.csv"
                  day: { from: sent }
                  redelivery: { other_bytes: redo }
                  columns: { id: integer, sent: day }
              - export_csv: { path: all.csv, replace_by: [sent] }

            """,
            to: "job.yaml"
        )
        func deliver(_ name: String, _ rows: String) throws {
            try place.write("id,sent\n\(rows)", to: "in/\(name).csv")
        }
        try deliver("a", "1,2026-10-09\n2,2026-10-11\n")
        try night("one", [:])
        try deliver("b", "3,2026-10-10\n")
        try night("two", [:])
        #expect(try verify("one.json").contains("\(ofDays)\n"))
        #expect(try verify("2026-10-11", "--job", "job.yaml").contains("\(ofDays)\n"))
        try deliver("b", "4,2026-10-10\n")
        try night("three", [:])
        let said = try verify("two.json")
        #expect(said.contains("2026-10-10 was made anew by run 20"), "\(said)")
        try night("four", [:], "--redo", "last")
        #expect(try verify("four.json").contains("\(ofDays)\n"))
        #expect(try verify("one.json").contains("\(ofDays)\n"))
        let several = try command.run("run", "job.yaml", "other.yaml", "--redo", "last")
        #expect(
            several.status == 2 && several.errors.contains("names a run of one job, found 2 jobs"),
            "\(several.errors)"
        )
    }

    @Test func `a manifest that is not kept is asked for`() throws {
        try job("export_csv: { path: all.csv, replace_by: [day] }")
        let text = try #require(place.text("job.yaml"))
        try place.write(text.replacing("keep: 30 runs\n", with: ""), to: "job.yaml")
        try threeNights()
        #expect(try verify("last", "--job", "job.yaml").contains("every byte"))
        #expect(try verify("2026-10-11", "--job", "job.yaml").contains("every byte"))
        let gone = try verify("2026-10-09", "--job", "job.yaml", ending: 2)
        #expect(gone.contains("[no-manifest]") && gone.contains("'keep: 30 runs'"), "\(gone)")
        #expect(try verify("nowhere.json", ending: 3).contains("nowhere.json"))
        #expect(try verify("0123abcd", "--job", "job.yaml", ending: 2).contains("no run is called '0123abcd'"))
    }

    @Test func `the days of a run are made anew by its name`() throws {
        try job("export_csv: { path: all.csv, replace_by: [day] }", "export_csv: { path: new.csv }")
        try night("one", ["2026-10-09": "1,a\n", "2026-10-11": "2,b\n"])
        try night("two", ["2026-10-10": "3,a\n"])
        for (day, row) in ["2026-10-09": "1,A", "2026-10-10": "3,A", "2026-10-11": "2,B"] {
            try place.write("id,shop\n\(row)\n", to: "in/orders-\(day).csv")
        }
        let runs = try FileManager.default.contentsOfDirectory(
            atPath: place.url.appendingPathComponent(".daybook/manifests/orders").path
        ).sorted().map { String($0.dropLast(5)) }
        let first = try #require(
            try runs.first { run in try command.run("history", "show", run).output.contains("orders-2026-10-09") }
        )
        // The day between those of the run stays.
        try night("three", [:], "--redo", String(first.suffix(8)))
        #expect(place.text("all.csv") == "id,shop,day\n1,A,2026-10-09\n3,a,2026-10-10\n2,B,2026-10-11\n")
        // The output that keeps no days apart was left as it was.
        #expect(try verify("three.json").contains("1 output, every byte"))
        try night("four", [:], "--redo", "last")
        let refused = try command.run("run", "job.yaml", "--redo", "0123abcd")
        #expect(refused.status == 2 && refused.errors.contains("no run is called '0123abcd'"), "\(refused.errors)")
        try place.write(
            "daybook: 1\njob: other\nstages:\n  - import_csv: { path: in/orders-2026-10-09.csv }\n  - export_csv: { path: x.csv }\n",
            to: "other.yaml"
        )
        let foreign = try command.run("run", "other.yaml", "--redo", first)
        #expect(
            foreign.status == 2 && foreign.errors.contains("is one of the job 'orders', not of 'other'"),
            "\(foreign.errors)"
        )
        #expect(try command.run("run", "other.yaml").status == 0)
        let none = try command.run("run", "other.yaml", "--redo", "last")
        #expect(none.status == 2 && none.errors.contains("made no days: no import of the job says"), "\(none.errors)")
    }
}

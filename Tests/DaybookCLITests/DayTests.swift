import DaybookBytes
import DaybookTestSupport
import Foundation
import Testing

/// Imports whose files belong to days, and outputs in which the rows of a day take the place of those of that day.
@Suite struct DayTests {
    private let place: TemporaryDirectory
    private let command: CommandTrial

    init() throws {
        place = try TemporaryDirectory()
        command = CommandTrial(in: place.url)
        try place.write("", to: "in/.keep")
        try place.write(
            """
            daybook: 1
            job: orders
            stages:
              - import_csv:
                  path: "in/*.csv"
                  day: { from: name, pattern: "orders-{yyyy-MM-dd}*.csv" }
                  redelivery: { other_bytes: redo }
                  optional: true
                  columns: { id: integer, text: text }
              - export_csv: { path: out/all.csv, replace_by: [day] }

            """,
            to: "job.yaml"
        )
    }

    @discardableResult
    private func run(_ arguments: String..., ending code: Int32 = 0) throws -> String {
        try command.run(["run", "job.yaml"] + arguments, ending: code).errors
    }

    private func deliver(_ name: String, _ rows: String...) throws {
        try place.write("id,text\n" + rows.map { $0 + "\n" }.joined(), to: "in/orders-\(name).csv")
    }

    private var all: String? { place.text("out/all.csv") }
    private let head = "id,text,day\n"

    @Test func `days come in any order, and a corrected one takes its own place`() throws {
        try deliver("2026-10-03", "3,c")
        try deliver("2026-10-01", "1,a", "2,\"x, \"\"y\"\"\nz\"")
        try run()
        let first = "1,a,2026-10-01\n2,\"x, \"\"y\"\"\nz\",2026-10-01\n"
        #expect(all == head + first + "3,c,2026-10-03\n")

        try deliver("2026-10-02", "9,z")
        let second = try run()
        #expect(second.contains("import_csv read the day 2026-10-02; 2 of 3 files are of other days"), "\(second)")
        #expect(all == head + first + "9,z,2026-10-02\n3,c,2026-10-03\n")

        // A correction that lacks a line removes it.
        try deliver("2026-10-01", "1,A")
        try run()
        #expect(all == head + "1,A,2026-10-01\n9,z,2026-10-02\n3,c,2026-10-03\n")

        // A correction that is taken back is one too, although its bytes have been read before.
        try deliver("2026-10-01", "1,a", "2,\"x, \"\"y\"\"\nz\"")
        try run()
        #expect(all == head + first + "9,z,2026-10-02\n3,c,2026-10-03\n")
        #expect(try command.run(["history", "prune", "--keep", "1", "--job", "job.yaml"]).status == 0)
        try deliver("2026-10-01", "1,A")
        try run()
        #expect(all == head + "1,A,2026-10-01\n9,z,2026-10-02\n3,c,2026-10-03\n")

        // One of no rows at all removes the day.
        try deliver("2026-10-02")
        try run()
        #expect(all == head + "1,A,2026-10-01\n3,c,2026-10-03\n")
        let before = try Data(contentsOf: place.url.appendingPathComponent("out/all.csv"))
        #expect(try run().contains("import_csv found nothing new: 3 files, all taken before"))
        #expect(try Data(contentsOf: place.url.appendingPathComponent("out/all.csv")) == before)
    }

    @Test func `a run that takes a file of a day takes all files of that day`() throws {
        try deliver("2026-10-01-a", "1,a")
        try deliver("2026-10-01-b", "2,b")
        try deliver("2026-10-02", "3,c")
        try run()
        try deliver("2026-10-01-c", "4,d")
        let told = try run()
        #expect(told.contains("import_csv read the day 2026-10-01; 1 of 4 files is of other days"), "\(told)")
        #expect(all == head + "1,a,2026-10-01\n2,b,2026-10-01\n4,d,2026-10-01\n3,c,2026-10-02\n")

        // Without one of its files the day cannot be made anew.
        try FileManager.default.removeItem(at: place.url.appendingPathComponent("in/orders-2026-10-01-b.csv"))
        #expect(try run().contains("found nothing new"))
        try deliver("2026-10-01-c", "5,e")
        let refused = try run(ending: 1)
        #expect(refused.contains("orders-2026-10-01-b.csv' belongs to 2026-10-01"), "\(refused)")
        #expect(refused.contains("[day-incomplete]"))
        #expect(all?.contains("4,d") == true)
        try deliver("2026-10-01-b")
        try run()
        #expect(all == head + "1,a,2026-10-01\n5,e,2026-10-01\n3,c,2026-10-02\n")
    }

    @Test func `imports of one job read their days together, so that an output may get rows of several`() throws {
        try place.write("", to: "back/.keep")
        let job = try #require(place.text("job.yaml"))
        try place.write(
            job.replacing(
                "  - export_csv: { path: out/all.csv, replace_by: [day] }",
                with: """
                        id: orders
                      - import_csv:
                          path: "back/*.csv"
                          day: { from: name, pattern: "returns-{yyyy-MM-dd}.csv" }
                          optional: true
                          columns: { id: integer, text: text }
                        id: returns
                      - union_rows: {}
                        from: [orders, returns]
                      - export_csv: { path: out/all.csv, replace_by: [day] }
                    """
            ),
            to: "job.yaml"
        )
        try deliver("2026-10-01", "1,a")
        try deliver("2026-10-02", "2,b")
        try place.write("id,text\n8,x\n", to: "back/returns-2026-10-01.csv")
        try run()
        #expect(all == head + "1,a,2026-10-01\n8,x,2026-10-01\n2,b,2026-10-02\n")
        // A return of a day that has its orders already: both are read, and nothing is lost.
        try place.write("id,text\n9,y\n", to: "back/returns-2026-10-02.csv")
        let told = try run()
        #expect(told.contains("orders read the day 2026-10-02; 1 of 2 files is of other days"), "\(told)")
        #expect(all == head + "1,a,2026-10-01\n8,x,2026-10-01\n2,b,2026-10-02\n9,y,2026-10-02\n")
        try place.write("id,text\n", to: "back/returns-2026-10-03.csv")
        try run()
        try run("--redo", "2026-10-01")
        #expect(all == head + "1,a,2026-10-01\n8,x,2026-10-01\n2,b,2026-10-02\n9,y,2026-10-02\n")
    }

    @Test func `the job of the guide keeps days`() throws {
        let guide = URL(fileURLWithPath: #filePath).appendingPathComponent("../../../docs/guides/nightly.md")
        let parts = try String(contentsOf: guide.standardizedFileURL, encoding: .utf8).components(separatedBy: "```")
        let found = try #require(parts.first { $0.hasPrefix("yaml\ndaybook: 1\njob: days\n") })
        try place.write(String(found.dropFirst(5)), to: "days.yaml")
        try place.write("id,amount\n1,2.5\n2,3\n", to: "inbox/orders-2026-10-01.csv")
        try place.write("id,amount\n1,7\n", to: "inbox/orders-2026-10-02.csv")
        #expect(try command.run(["run", "days.yaml"]).status == 0)
        try place.write("id,amount\n1,2.5\n", to: "inbox/orders-2026-10-01.csv")
        #expect(try command.run(["run", "days.yaml"]).status == 0)
        let kept = "id,amount,day\n1,2.5,2026-10-01\n1,7,2026-10-02\n"
        #expect(place.text("out/orders.csv") == kept)
        #expect(try command.run(["run", "days.yaml", "--redo", "2026-10-02"]).status == 0)
        #expect(try command.run(["backfill", "days.yaml", "2026-10-01", "2026-10-02"]).status == 0)
        #expect(place.text("out/orders.csv") == kept)
    }

    /// The operator renames a delivery that came under a wrong day.
    @Test func `a file renamed to another day leaves its own`() throws {
        let inbox = place.url.appendingPathComponent("in")
        func move(_ old: String, _ new: String) throws {
            try FileManager.default.moveItem(
                at: inbox.appendingPathComponent("orders-\(old).csv"),
                to: inbox.appendingPathComponent("orders-\(new).csv")
            )
        }
        try deliver("2026-10-11", "1,a")
        try deliver("2026-10-13-x", "2,b")
        try deliver("2026-10-13-y", "3,c")
        try run()
        try move("2026-10-11", "2026-10-12")
        let told = try run()
        #expect(all == head + "1,a,2026-10-12\n2,b,2026-10-13\n3,c,2026-10-13\n")
        #expect(
            told.contains(
                "read 'in/orders-2026-10-12.csv', which was 'in/orders-2026-10-11.csv': the day of that is made anew"
            ),
            "\(told)"
        )
        #expect(told.contains("read the days 2026-10-11 and 2026-10-12"), "\(told)")
        #expect(try run().contains("found nothing new"))

        // Of several files of a day, one; by way of a redo; and over a file of its new day.
        try move("2026-10-13-y", "2026-10-14")
        try run("--redo", "2026-10-14")
        #expect(all == head + "1,a,2026-10-12\n2,b,2026-10-13\n3,c,2026-10-14\n")
        try run("--redo", "2026-10-13")
        try FileManager.default.removeItem(at: inbox.appendingPathComponent("orders-2026-10-12.csv"))
        try move("2026-10-14", "2026-10-12")
        try run()
        #expect(all == head + "3,c,2026-10-12\n2,b,2026-10-13\n")

        // And back: its first name is new again.
        try move("2026-10-12", "2026-10-11")
        try run()
        #expect(all == head + "3,c,2026-10-11\n2,b,2026-10-13\n")
        #expect(try run().contains("found nothing new"))
    }

    @Test func `files of an archived day stop nobody, though files without rows are all alike`() throws {
        try deliver("2026-10-11-a")
        try deliver("2026-10-11-b", "1,a")
        try run()
        let inbox = place.url.appendingPathComponent("in")
        for name in ["a", "b"] {
            let file = inbox.appendingPathComponent("orders-2026-10-11-\(name).csv")
            try FileManager.default.moveItem(at: file, to: place.url.appendingPathComponent(name))
        }
        try deliver("2026-10-12")
        try run()
        #expect(all == head + "1,a,2026-10-11\n")
        // Files of two days may be equal.
        try deliver("2026-10-13", "1,a")
        let told = try run()
        #expect(all == head + "1,a,2026-10-11\n1,a,2026-10-13\n")
        #expect(told.contains("and is read as a file of its own; 2026-10-11 keeps its rows;"), "\(told)")
        // A copy keeps the time of the original, and is no rename.
        let copy = place.url.appendingPathComponent("copy")
        try Data(contentsOf: place.url.appendingPathComponent("b")).write(to: copy)
        try FileManager.default.setAttributes(
            [.modificationDate: Date(timeIntervalSince1970: 1)],
            ofItemAtPath: copy.path
        )
        try FileManager.default.moveItem(at: copy, to: inbox.appendingPathComponent("orders-2026-10-15.csv"))
        #expect(try run().contains("[equal-days]"))
        #expect(all == head + "1,a,2026-10-11\n1,a,2026-10-13\n1,a,2026-10-15\n")
        // One that was there before says that the day was another, which lacks a file then.
        try FileManager.default.moveItem(
            at: place.url.appendingPathComponent("b"),
            to: inbox.appendingPathComponent("orders-2026-10-14.csv")
        )
        #expect(try run(ending: 1).contains("orders-2026-10-11-a.csv' belongs to 2026-10-11"))
    }

    @Test func `a file that is renamed to another day and back has no other bytes`() throws {
        let job = try #require(place.text("job.yaml"))
        try place.write(
            job.replacing(/redelivery: \{[^}]*\}/, with: "redelivery: { other_bytes: fail }"),
            to: "job.yaml"
        )
        try deliver("2026-10-11", "1,a")
        try run()
        for (old, new) in [("2026-10-11", "2026-10-12"), ("2026-10-12", "2026-10-11")] {
            try FileManager.default.moveItem(
                at: place.url.appendingPathComponent("in/orders-\(old).csv"),
                to: place.url.appendingPathComponent("in/orders-\(new).csv")
            )
            try run()
            #expect(all == head + "1,a,\(new)\n")
        }
    }

    @Test func `a quiet night, a file left out and a missing one are called what they are`() throws {
        try deliver("2026-10-01", "1,a")
        try deliver("2026-10-02-x", "2,b")
        try deliver("2026-10-02-y", "3,c")
        try run()
        #expect(try run().contains("; there was nothing new to write\n"))
        let job = try #require(place.text("job.yaml"))
        try place.write(job.replacing("other_bytes: redo", with: "other_bytes: warn"), to: "job.yaml")
        try deliver("2026-10-01", "1,A")
        #expect(try run().contains("found nothing new: 3 files, 2 taken before, 1 left out"))
        // What is wrong is wrong in the data, wherever the job asks for it.
        try FileManager.default.removeItem(at: place.url.appendingPathComponent("in/orders-2026-10-02-x.csv"))
        let refused = try run("--redo", "2026-10-02", ending: 1)
        #expect(refused.contains("next: mend the error above, then run again; nothing was written"), "\(refused)")
        let twice = try run("--redo", "2026-10-01", "--redo=2026-10-02", ending: 2)
        #expect(twice.contains("'--redo' is given 2 times [usage]") && twice.contains("2026-10-01..2026-10-10"))
        #expect(
            try run("--as-of", "2026-10-01", "--as-of", "2026-10-02", ending: 2).contains("'--as-of' is given 2 times")
        )
    }

    @Test func `a name that says two days, or none that exists, stops the run with the reason`() throws {
        try deliver("2026-02-29", "1,a")
        #expect(try run(ending: 1).contains("'in/orders-2026-02-29.csv' does not say its day: there is no 2026-02-29"))
        try FileManager.default.removeItem(at: place.url.appendingPathComponent("in/orders-2026-02-29.csv"))
        try deliver("2026-10-122", "1,a")
        #expect(try run(ending: 1).contains("a digit stands beside 2026-10-12 in its name"))
    }

    @Test func `a file without its day stops the run`() throws {
        try place.write("id,text\n1,a\n", to: "in/orders.csv")
        let refused = try run(ending: 1)
        #expect(refused.contains("'in/orders.csv' does not say its day") && refused.contains("[no-day]"), "\(refused)")
        #expect(all == nil)
    }

    @Test func `a column of the day's name in the file is refused`() throws {
        try place.write("id,text,day\n1,a,2026-10-01\n", to: "in/orders-2026-10-01.csv")
        let refused = try run(ending: 2)
        #expect(refused.contains("there is a column named 'day' already"), "\(refused)")
        #expect(refused.contains("choose another name for the column of 'day'"), "\(refused)")
    }

    @Test(arguments: [
        ("id,text,day\n2,b,2026-10-02\n1,a,2026-10-01\n", "not-in-order"),
        ("id,text,day\n2,b\n", "torn-line"), ("id,text,day\n2,b\"x,2026-10-01\n", "torn-line"),
        ("id,day,text\n", "columns-differ"),
    ])
    func whatIsNoFileOfDaysIsRefused(_ old: String, _ code: String) throws {
        try place.write(old, to: "out/all.csv")
        try deliver("2026-10-03", "3,c")
        let refused = try run(ending: 2)
        #expect(refused.contains("[\(code)]"), "\(refused)")
        #expect(all == old)
    }

    /// The state was lost: all days are read again, and take their own places.
    @Test func `without a history all is as it was`() throws {
        for day in 1...9 { try deliver("2026-10-0\(day)", "\(day),x") }
        try run()
        let before = all
        try FileManager.default.removeItem(at: place.url.appendingPathComponent(".daybook"))
        let told = try run()
        #expect(all == before)
        #expect(told.contains("rows of one key take each other's place"), "\(told)")
        try run("--full-refresh")
        #expect(all == before)
    }

    /// Old rows that fill several blocks of the copy, and end without a line end.
    @Test func `rows of other days stay byte for byte`() throws {
        var old = head
        for day in 10...28 {
            for id in 0..<12_000 { old += "\(id),\"a, \"\"b\"\"\n\",2026-10-\(day)\n" }
        }
        old.removeLast()
        try place.write(old, to: "out/all.csv")
        try deliver("2026-10-15", "7,new")
        try deliver("2026-11-01", "8,last")
        try run()
        let lines = old.split(separator: "\n\",2026-10-15", omittingEmptySubsequences: false)
        #expect(lines.count == 12_001)
        let start = try #require(old.range(of: "0,\"a, \"\"b\"\"\n\",2026-10-15"))
        let end = try #require(old.range(of: "0,\"a, \"\"b\"\"\n\",2026-10-16"))
        let expected =
            old[..<start.lowerBound] + "7,new,2026-10-15\n" + old[end.lowerBound...] + "\n8,last,2026-11-01\n"
        #expect(all == String(expected))
    }

    @Test func `lines of JSON keep days as a file of cells does`() throws {
        let job = try #require(place.text("job.yaml"))
        try place.write(
            job.replacing(
                "export_csv: { path: out/all.csv,",
                with: "export_json: { path: out/all.ndjson, layout: lines, missing: leave_out,"
            ),
            to: "job.yaml"
        )
        func line(_ id: Int, _ text: String, _ day: Int) -> String {
            "{\"id\":\(id),\"text\":\"\(text)\",\"day\":\"2026-10-0\(day)\"}\n"
        }
        try deliver("2026-10-03", "3,c")
        try deliver("2026-10-01", "1,a", "2,b")
        try run()
        #expect(place.text("out/all.ndjson") == line(1, "a", 1) + line(2, "b", 1) + line(3, "c", 3))
        try deliver("2026-10-02", "9,z")
        try deliver("2026-10-01", "1,A")
        try run()
        #expect(place.text("out/all.ndjson") == line(1, "A", 1) + line(9, "z", 2) + line(3, "c", 3))
        try deliver("2026-10-02")
        try run()
        let whole = line(1, "A", 1) + line(3, "c", 3)
        #expect(place.text("out/all.ndjson") == whole)
        // A line without its key, between others, is none that a run may pass over.
        try place.write(line(1, "A", 1) + "{\"id\":7}\n" + line(3, "c", 3), to: "out/all.ndjson")
        #expect(try run("--redo", "2026-10-03", ending: 2).contains("[torn-line]"))
        // A group that is missing is no group.
        try place.write(
            job.replacing(
                "export_csv: { path: out/all.csv, replace_by: [day]",
                with: "export_json: { path: out/t.ndjson, layout: lines, missing: leave_out, replace_by: [day, text]"
            ).replacing("text: text }", with: "text: text }\n      missing: [\"-\"]"),
            to: "job.yaml"
        )
        try deliver("2026-10-03", "3,-")
        #expect(try run("--full-refresh", ending: 1).contains("[no-key]"))
    }

    @Test func `a table keeps days as a file does`() throws {
        let path = place.url.appendingPathComponent("out/all.sqlite").path
        try FileManager.default.createDirectory(
            at: place.url.appendingPathComponent("out"),
            withIntermediateDirectories: true
        )
        // The ids of a day stay when its rows are written anew, which the key must not hinder.
        try SQLiteDatabase(path, .readWrite).execute(
            "CREATE TABLE orders (id INTEGER PRIMARY KEY, text TEXT, day DATE); INSERT INTO orders VALUES (90, 'old', '2026-09-30')"
        )
        let job = try #require(place.text("job.yaml"))
        try place.write(
            job.replacing(
                "export_csv: { path: out/all.csv,",
                with: "export_sqlite: { path: out/all.sqlite, table: orders,"
            ),
            to: "job.yaml"
        )
        func rows() throws -> [String] {
            try SQLiteDatabase(path, .readOnly).rows("SELECT id || ' ' || text || ' ' || day FROM orders ORDER BY id") {
                $0.text(0) ?? ""
            }
        }
        try deliver("2026-10-01", "1,a", "2,b")
        try deliver("2026-10-02", "3,c")
        try run()
        #expect(try rows() == ["1 a 2026-10-01", "2 b 2026-10-01", "3 c 2026-10-02", "90 old 2026-09-30"])
        try deliver("2026-10-01", "1,A")
        try deliver("2026-10-02")
        try run()
        #expect(try rows() == ["1 A 2026-10-01", "90 old 2026-09-30"])
        // A key that another day has is none that may be written over.
        try deliver("2026-10-02", "90,x")
        let refused = try run(ending: 1)
        #expect(refused.contains("[constraint-failed]"), "\(refused)")
        #expect(try rows() == ["1 A 2026-10-01", "90 old 2026-09-30"])
        try FileManager.default.removeItem(at: place.url.appendingPathComponent("in/orders-2026-10-02.csv"))
        try run("--redo", "2026-10-01")
        #expect(try rows() == ["1 A 2026-10-01", "90 old 2026-09-30"])
    }

    @Test func `a day is made anew from its files as they are, and other outputs stay`() throws {
        try place.write(
            """
            daybook: 1
            job: orders
            stages:
              - import_csv:
                  path: "in/*.csv"
                  day: { from: name, pattern: "orders-{yyyy-MM-dd}*.csv" }
                  redelivery: { other_bytes: redo }
                  columns: { id: integer, text: text }
                id: orders
              - export_csv: { path: out/all.csv, replace_by: [day] }
              - export_json: { path: out/last.json }
              - export_csv: { path: "out/${as_of}.csv" }

            """,
            to: "job.yaml"
        )
        for day in ["2026-10-01", "2026-10-02", "2026-10-03"] { try deliver(day, "1,\(day.suffix(2))") }
        try run("--as-of", "2026-10-04")
        let (last, whole) = (place.text("out/last.json"), all)

        // A rule of the job was changed meanwhile; nothing is new.
        let job = try #require(place.text("job.yaml"))
        try place.write(
            job.replacing(
                "  - export_csv: { path: out/all",
                with: "  - filter_rows: { where: id < 1 }\n  - export_csv: { path: out/all"
            ),
            to: "job.yaml"
        )
        let told = try run("--redo", "2026-10-02")
        #expect(told.contains("orders read the day 2026-10-02; 2 of 3 files are of other days"), "\(told)")
        #expect(told.contains("export_json is left as it was: it does not keep days apart"), "\(told)")
        #expect(told.contains("the ledger balances: 1 row read"), "\(told)")
        #expect(all == whole?.replacing("1,02,2026-10-02\n", with: ""))
        #expect(place.text("out/last.json") == last)
        #expect(place.text("out/2026-10-02.csv") == head)

        try place.write(job, to: "job.yaml")
        try run("--redo", "2026-10-01..2026-10-02")
        #expect(all == whole)
        #expect(place.text("out/2026-10-02.csv") == head + "1,01,2026-10-01\n1,02,2026-10-02\n")
        // What has been made anew is not new to the next run.
        #expect(try run().contains("orders found nothing new: 3 files"))

        #expect(try run("--redo", "2026-11-01", ending: 1).contains("no file belongs to 2026-11-01"))
        let wrong = try run("--redo", "2026-10-1", ending: 2)
        #expect(
            wrong.contains("expected a day, or days such as 2026-10-01..2026-10-10, after '--redo', found '2026-10-1'")
        )
        #expect(try run("--redo", "2026-10-02", "--as-of", "2026-10-02", ending: 2).contains("names the days itself"))
        // A new file of another day waits for a run of its own.
        try deliver("2026-10-04", "1,04")
        try run("--redo", "2026-10-02")
        #expect(all == whole)
        #expect(try run().contains("orders read the day 2026-10-04"))
        #expect(all == (whole ?? "") + "1,04,2026-10-04\n")
    }

    @Test(arguments: [
        ("  - export_json: { path: out/more.ndjson, layout: lines, append: true }\n", "adds rows, and those of a day"),
        (
            """
              - import_csv: { path: b.csv, columns: { id: integer, text: text, day: day } }
                id: other
              - export_csv: { path: out/both.csv, replace_by: [day] }
                from: [orders, other]

            """, "gets rows of 'orders' and 'other'"
        ),
    ])
    func outputsThatWouldLoseOrRepeatRowsAreRefused(_ stages: String, _ message: String) throws {
        let job = try #require(place.text("job.yaml"))
        try place.write(
            job.replacing("  - export_csv", with: "    id: orders\n  - export_csv") + stages,
            to: "job.yaml"
        )
        try place.write("id,text,day\n", to: "b.csv")
        let outcome = try command.run(["validate", "job.yaml"])
        #expect(outcome.status == 2 && outcome.errors.contains(message), "\(outcome)")
        #expect(outcome.errors.contains("[days-mixed]"))
    }

    @Test func `what keeps no days apart cannot be made anew by days`() throws {
        try deliver("2026-10-01", "1,a")
        let job = try #require(place.text("job.yaml"))
        try place.write(job.replacing(", replace_by: [day]", with: ""), to: "job.yaml")
        #expect(try run("--redo", "2026-10-01", ending: 2).contains("no output of the job keeps its days apart"))
        let since =
            "  - import_sqlite: { path: s.sqlite, table: t, since: { column: id, start: 0 } }\n    id: store\n  - export_json: { path: s.json }\n"
        try place.write(job + since, to: "job.yaml")
        #expect(try run("--redo", "2026-10-01", ending: 2).contains("'store' reads what is new since the last run"))
        let lines = job.split(separator: "\n").filter { !$0.contains("day:") && !$0.contains("redelivery:") }
        try place.write(lines.joined(separator: "\n"), to: "job.yaml")
        #expect(try run("--redo", "2026-10-01", ending: 2).contains("no import of the job says which day"))
    }

    @Test(arguments: [
        ("summarise_rows: { by: [text], values: { rows: count } }", true),
        ("summarise_rows: { by: [text, day], values: { rows: count } }", false),
        ("window_rows: { columns: { n: row_number }, order: id }", true),
        ("window_rows: { by: [day], columns: { n: row_number }, order: id }", false),
        ("deduplicate_rows: { by: [id] }", true), ("deduplicate_rows: { by: [day, id] }", false),
        ("sort_rows: { by: [id] }", false), ("check_rows: { rules: [{ unique: id }] }", true),
        ("check_rows: { rules: [{ unique: [id, day] }, { not_missing: id }] }", false),
    ])
    func stagesThatMixDaysAreRefused(_ stage: String, _ isRefused: Bool) throws {
        let job = try #require(place.text("job.yaml"))
        try place.write(
            job.replacing("  - export_csv", with: "  - \(stage)\n    id: between\n  - export_csv"),
            to: "job.yaml"
        )
        let outcome = try command.run(["validate", "job.yaml"])
        #expect((outcome.status == 2) == isRefused, "\(outcome)")
        #expect(!isRefused || outcome.errors.contains("'between' puts rows of several days together"), "\(outcome)")
        #expect(outcome.errors.contains("[days-mixed]") == isRefused)
    }

    @Test func `days are made anew one by one, and those that fail are named`() throws {
        for day in ["2026-10-01", "2026-10-02", "2026-10-04"] { try deliver(day, "1,\(day.suffix(2))") }
        let whole = head + "1,01,2026-10-01\n1,02,2026-10-02\n1,04,2026-10-04\n"
        let first = try command.run(["backfill", "job.yaml", "2026-10-01", "2026-10-05"])
        #expect(first.status == 0 && first.errors == "5 days: 5 passed\n", "\(first)")
        #expect(all == whole)

        try deliver("2026-10-02", "x,02")
        let failed = try command.run(["backfill", "job.yaml", "2026-10-01", "2026-10-05", "--from-last"])
        #expect(failed.status == 1)
        #expect(failed.errors.contains("orders-2026-10-02.csv:2:1: error: 'x' is not a whole number"), "\(failed)")
        let named =
            "4 passed ('2026-10-05', '2026-10-04', '2026-10-03' and '2026-10-01'), 1 failed its gate ('2026-10-02')"
        #expect(failed.errors.hasSuffix("5 days: \(named)\n"), "\(failed)")
        #expect(all == whole)
        for wrong in [
            ["2026-10-05", "2026-10-01"], ["2026-10-01"], ["2026-10-01", "soon"], ["0001-01-01", "2026-10-01"],
        ] {
            #expect(try command.run(["backfill", "job.yaml"] + wrong).status == 2)
        }
    }

    @Test func `a backfill that was killed goes on where it was`() throws {
        for day in 10...28 { try deliver("2026-10-\(day)", "1,\(day)") }
        let said = try command.shell(
            """
            "$DAYBOOK" backfill job.yaml 2026-08-01 2026-10-31 2> first.log & id=$!
            for i in $(seq 2400); do [ "$(cat .daybook/backfills/* 2> none | wc -l)" -ge 3 ] && break; sleep 0.02; done
            kill -9 $id; wait $id
            "$DAYBOOK" backfill job.yaml 2026-08-01 2026-10-31; echo $?
            ls .daybook/backfills | wc -l
            """
        )
        #expect(said.output == "0\n0\n", "\(said)")
        #expect(said.errors.contains(" of 92 were made before this backfill was stopped"), "\(said)")
        #expect(all == head + (10...28).map { "1,\($0),2026-10-\($0)\n" }.joined())
    }

    @Test func `of several files that are gone none is taken for the new name of one`() throws {
        for day in 1...3 { try deliver("2026-10-0\(day)", "1,a") }
        try run()
        let inbox = place.url.appendingPathComponent("in")
        for (day, target) in [("1", "../one"), ("2", "../two"), ("3", "orders-2026-10-05.csv")] {
            try FileManager.default.moveItem(
                at: inbox.appendingPathComponent("orders-2026-10-0\(day).csv"),
                to: inbox.appendingPathComponent(target)
            )
        }
        #expect(try run().contains("[equal-days]"))
        #expect(all == head + [1, 2, 3, 5].map { "1,a,2026-10-0\($0)\n" }.joined())
    }
}

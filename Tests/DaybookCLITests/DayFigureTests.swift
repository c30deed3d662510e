import DaybookBytes
import DaybookTestSupport
import Foundation
import Testing

/// Figures of rules and measures that belong to the days of the data, and files that come again.
@Suite struct DayFigureTests {
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
                id: orders
              - check_rows:
                  rules:
                    - row_count: { min: 1, change: { max: 60%, from: last } }
                      id: rows
                    - sum: { column: amount, max: 1000 }
                      id: total
                id: checked
              - export_csv: { path: out/all.csv, replace_by: [day] }
              - export_html:
                  path: "out/${as_of}.html"
                  measures:
                    - { title: Revenue, value: sum(amount), format: "€#,##0.00", compare: last_run }
                    - { title: Orders, value: count(), compare: median of 7 }
                    - { title: Rejected, value: rejected(orders) }
                from: checked
                id: page

            """,
            to: "job.yaml"
        )
    }

    @discardableResult
    private func run(_ arguments: String..., ending code: Int32 = 0) throws -> String {
        try command.run(["run", "job.yaml"] + arguments, ending: code).errors
    }

    private func deliver(_ name: String, _ rows: String...) throws {
        try place.write("id,amount\n" + rows.map { $0 + "\n" }.joined(), to: "in/orders-\(name).csv")
    }

    /// The last figures of each day in the history, by the name of the rule or the title of the measure.
    private func figures(_ name: String) throws -> [String] {
        let sql = """
            SELECT day || ' ' || CAST(value AS INTEGER) FROM day_figures AS own JOIN runs ON runs.id = own.run
            WHERE own.name = '\(name)' AND exit_code = 0 AND NOT EXISTS (
                SELECT 1 FROM day_figures AS newer JOIN runs AS later ON later.id = newer.run
                WHERE newer.name = own.name AND newer.day = own.day AND newer.run > own.run AND later.exit_code = 0)
            ORDER BY day
            """
        let history = try SQLiteDatabase(place.url.appendingPathComponent(".daybook/history.sqlite").path, .readOnly)
        return try history.rows(sql) { $0.text(0) ?? "" }
    }

    @Test func `data are as fresh as the newest that the job has, also when an old day is corrected`() throws {
        for form in ["{ from: name, pattern: \"orders-{yyyy-MM-dd}*.csv\" }", "{ from: on }"] {
            for name in ["in", ".daybook", "out"] {
                try? FileManager.default.removeItem(at: place.url.appendingPathComponent(name))
            }
            try place.write(
                """
                daybook: 1
                job: orders
                stages:
                  - import_csv:
                      path: "in/*.csv"
                      day: \(form)
                      redelivery: { other_bytes: redo }
                      columns: { id: integer, on: day }
                  - check_rows: { rules: [{ freshness: { column: on, within: 3 days }, id: fresh }] }
                    id: checked
                  - export_csv: { path: out/fresh.csv, replace_by: [\(form.contains("name") ? "day" : "on")] }

                """,
                to: "job.yaml"
            )
            func deliver(_ day: Int, _ rows: Int...) throws {
                let lines = rows.map { "\($0),2026-10-\(day)\n" }.joined()
                try place.write("id,on\n\(lines)", to: "in/orders-2026-10-\(day).csv")
            }
            try deliver(10, 1)
            try deliver(19, 2)
            try run("--as-of", "2026-10-20")
            try deliver(10, 7)
            let told = try run("--as-of", "2026-10-20")
            #expect(told.contains("read the day 2026-10-10"), "\(told)")
            // A quiet night says nothing of its own, and what the job has grows old.
            try run("--as-of", "2026-10-22")
            try deliver(10, 8)
            let old = try run("--as-of", "2026-10-23", ending: 1)
            #expect(old.contains("the newest date in 'on' is 2026-10-19, 4 days before 2026-10-23"), "\(old)")
            let check = try command.run(["history", "check", "--within", "2d", "--job", "job.yaml"])
            #expect(check.errors.contains("the newest data of 'orders' are of 2026-10-19"), "\(check)")
            // A day that is made anew is held against what was there by then.
            try run("--redo", "2026-10-10")
        }
    }

    @Test func `each day of a run has a figure of its own, and is held against the days before it`() throws {
        try deliver("2026-10-01", "1,10", "2,20")
        try deliver("2026-10-02", "3,5", "4,5", "5,5")
        try run("--as-of", "2026-10-05", "--report", "mail=days.eml")
        #expect(try figures("rows") == ["2026-10-01 2", "2026-10-02 3"])
        // The mail says it too, in its text and on its page.
        let mail = try #require(place.text("days.eml")?.replacing("=\r\n", with: "").replacing("=\n", with: ""))
        #expect(mail.components(separatedBy: "Revenue, 2026-10-02, the last of 2 days").count == 3, "\(mail)")
        #expect(try figures("total") == ["2026-10-01 30", "2026-10-02 15"])
        #expect(try figures("Revenue") == ["2026-10-01 30", "2026-10-02 15"])
        #expect(try figures("Orders") == ["2026-10-01 2", "2026-10-02 3"])
        // The ledger counts the rows of both days together.
        #expect(try figures("Rejected") == [])
        let page = try #require(place.text("out/2026-10-05.html"))
        #expect(page.contains("<dt>Revenue, 2026-10-02</dt><dd>€15.00 "), "\(page)")
        #expect(page.contains("<dd class=\"was\">2026-10-01: €30.00</dd>"))

        // A part of a day takes nothing away from it: the run reads all of the day.
        try deliver("2026-10-02-b")
        try run("--as-of", "2026-10-06")
        #expect(try figures("rows") == ["2026-10-01 2", "2026-10-02 3"])
        #expect(try figures("total") == ["2026-10-01 30", "2026-10-02 15"])
        #expect(try figures("Rejected") == ["2026-10-02 0"])
    }

    @Test func `a day that is too far from the one before fails, whichever day the run calls its own`() throws {
        try deliver("2026-10-01", "1,10", "2,20", "3,30", "4,40")
        try run("--as-of", "2026-10-09")
        try deliver("2026-10-02", "5,1")
        let refused = try run("--as-of", "2026-10-03", ending: 1)
        #expect(
            refused.contains("2026-10-02: the number of rows is 1, 75 % less than 4, that of 2026-10-01 (run "),
            "\(refused)"
        )
        try deliver("2026-10-03", "6,1", "7,1", "8,1")
        try deliver("2026-10-02", "5,1", "5,1", "5,1")
        let told = try run("--as-of", "2026-10-09")
        #expect(told.contains("orders read the days 2026-10-02 and 2026-10-03"), "\(told)")
        #expect(try figures("rows") == ["2026-10-01 4", "2026-10-02 3", "2026-10-03 3"])
        #expect(try figures("Orders") == ["2026-10-01 4", "2026-10-02 3", "2026-10-03 3"])
    }

    @Test func `a day that is made anew has new figures, a night without files has none, and both outlive their runs`()
        throws
    {
        for day in ["2026-10-01", "2026-10-02", "2026-10-03"] { try deliver(day, "1,10", "2,20") }
        try run("--as-of", "2026-10-04")
        try deliver("2026-10-02", "1,10", "2,20", "3,5")
        try run("--redo", "2026-10-02")
        let new = ["2026-10-01 2", "2026-10-02 3", "2026-10-03 2"]
        #expect(try figures("rows") == new)
        #expect(try figures("Rejected") == ["2026-10-02 0"])
        let page = place.text("out/2026-10-02.html")
        let quiet = try run("--as-of", "2026-10-05")
        #expect(quiet.contains("orders found nothing new"), "\(quiet)")
        #expect(try figures("rows") == new)
        #expect(try figures("Orders") == new)
        #expect(place.text("out/2026-10-02.html") == page)
        #expect(place.text("out/2026-10-05.html") == nil)
        #expect(try command.run(["history", "prune", "--keep", "1", "--job", "job.yaml"]).status == 0)
        try deliver("2026-10-04", "1,1")
        try run("--as-of", "2026-10-06")
        // The figure of the third is still known, although its run is not.
        try deliver("2026-10-04")
        let empty = try run("--redo", "2026-10-04", ending: 1)
        #expect(empty.contains("2026-10-04: there are 0 rows"), "\(empty)")
        #expect(empty.contains("100 % less than 2, that of 2026-10-03"), "\(empty)")
    }

    @Test func `figures without their day are refused where they would be compared`() throws {
        try deliver("2026-10-01", "1,10")
        let job = try #require(place.text("job.yaml"))
        try place.write(
            job.replacing("  - check_rows:", with: "  - select_columns: { columns: [id, amount] }\n  - check_rows:"),
            to: "job.yaml"
        )
        let refused = try run(ending: 2)
        #expect(refused.contains("the column 'day' is not here any more") && refused.contains("[days-mixed]"))
    }

    @Test func `what comes again is told, and its policy holds`() throws {
        func policy(_ text: String) throws {
            let job = try #require(place.text("job.yaml"))
            let lines = job.split(separator: "\n").map { line in
                line.contains("redelivery:") ? "      redelivery: \(text)" : String(line)
            }
            try place.write(lines.joined(separator: "\n") + "\n", to: "job.yaml")
        }
        try deliver("2026-10-01", "1,10", "2,20")
        try deliver("2026-10-02", "1,10", "2,20")
        try run()
        let whole = place.text("out/all.csv")
        #expect(whole == "id,amount,day\n1,10,2026-10-01\n2,20,2026-10-01\n1,10,2026-10-02\n2,20,2026-10-02\n")

        // The same bytes once more, beside the first.
        try deliver("2026-10-01-copy", "1,10", "2,20")
        let copy = try run()
        #expect(
            copy.contains(
                "orders left out 'in/orders-2026-10-01-copy.csv': its bytes are those of 'in/orders-2026-10-01.csv', which run "
            ),
            "\(copy)"
        )
        #expect(place.text("out/all.csv") == whole)
        let redone = try run("--redo", "2026-10-01")
        #expect(redone.components(separatedBy: "2026-10-01-copy.csv").count == 2, "\(redone)")
        #expect(place.text("out/all.csv") == whole)
        // Renamed: the day is still whole, also after the file has changed under its new name.
        try FileManager.default.removeItem(at: place.url.appendingPathComponent("in/orders-2026-10-01.csv"))
        #expect(try run().contains("found nothing new"))
        try run("--redo", "2026-10-01")
        #expect(place.text("out/all.csv") == whole)
        try deliver("2026-10-01-copy", "1,10", "2,21")
        try run()
        #expect(place.text("out/all.csv") == whole?.replacing("2,20,2026-10-01", with: "2,21,2026-10-01"))
        try deliver("2026-10-01-copy", "1,10", "2,20")
        try run()
        #expect(place.text("out/all.csv") == whole)
        try policy("{ same_bytes: fail }")
        try deliver("2026-10-01-again", "1,10", "2,20")
        #expect(try run(ending: 1).contains("[redelivered]"))
        try policy("{ same_bytes: take }")
        try run()
        #expect(place.text("out/all.csv")?.contains("2,20,2026-10-01\n1,10,2026-10-01\n") == true)

        try deliver("2026-10-02", "1,11", "2,20")
        try policy("{ same_bytes: take, other_bytes: fail }")
        let refused = try run(ending: 1)
        #expect(refused.contains("'in/orders-2026-10-02.csv' has other bytes than when run "), "\(refused)")
        #expect(refused.contains("'--redo 2026-10-02' makes its day anew"), "\(refused)")
        try policy("{ same_bytes: take, other_bytes: warn }")
        let warned = try run()
        #expect(warned.contains("and is left out") && warned.contains("[redelivered]"), "\(warned)")
        #expect(place.text("out/all.csv")?.contains("1,11,") == false)
        // What is left out is read all the same where another file makes its day.
        try deliver("2026-10-02-late", "3,30")
        let read = try run()
        #expect(read.contains("and is read, since its day is made") && !read.contains("is left out"), "\(read)")
        #expect(place.text("out/all.csv")?.contains("3,30,2026-10-02\n1,11,2026-10-02\n2,20,2026") == true)
        try deliver("2026-10-02", "1,12", "2,20")
        try policy("{ same_bytes: take }")
        try run(ending: 1)
        try run("--redo", "2026-10-02")
        #expect(place.text("out/all.csv")?.contains("1,12,2026-10-02") == true)
        try run()
    }

    @Test func `a database whose rows stand in its log is nobody's copy`() throws {
        try place.write(
            """
            daybook: 1
            job: orders
            stages:
              - import_sqlite: { path: "in/*.sqlite", table: orders, new_only: true }
              - export_csv: { path: out/all.csv, append: true }

            """,
            to: "job.yaml"
        )
        try place.write("", to: "in/.keep")
        func file(_ name: String) -> URL { place.url.appendingPathComponent(name) }
        let writer = try SQLiteDatabase(file("shop.sqlite").path, .readWrite)
        try writer.execute("PRAGMA journal_mode = WAL; PRAGMA wal_autocheckpoint = 0")
        try writer.execute("CREATE TABLE orders (id INTEGER); INSERT INTO orders VALUES (0)")
        try writer.execute("PRAGMA wal_checkpoint(TRUNCATE)")
        let copies = ["a", "b", "c"]
        for (number, copy) in copies.enumerated() {
            for ending in ["", "-wal"] {
                try FileManager.default.copyItem(
                    at: file("shop.sqlite" + ending),
                    to: file("in/\(copy).sqlite" + ending)
                )
            }
            try run()
            try writer.execute("INSERT INTO orders VALUES (\(number + 1))")
        }
        #expect(place.text("out/all.csv") == "id\n0\n0\n1\n0\n1\n2\n")
    }

    @Test func `a file that comes late is told`() throws {
        let job = try #require(place.text("job.yaml"))
        func late(_ then: String) throws {
            let option = "redo }\n      late: { after: 3 days, then: \(then) }"
            try place.write(job.replacing("redo }", with: option), to: "job.yaml")
        }
        try late("fail")
        try deliver("2026-10-01", "1,10")
        try run("--as-of", "2026-10-04")
        try deliver("2026-10-02", "1,10")
        let refused = try run("--as-of", "2026-10-06", ending: 1)
        #expect(
            refused.contains("'in/orders-2026-10-02.csv' comes 4 days after its day, more than 3")
                && refused.contains("[late-delivery]"),
            "\(refused)"
        )
        try late("warn")
        #expect(try run("--as-of", "2026-10-06").contains("[late-delivery]"))
        // It has come: what was late once is not late each night.
        #expect(try !run("--as-of", "2026-10-07").contains("late-delivery"))
    }

    @Test(arguments: [
        ("redelivery: { other_bytes: again }", "wrong-type"), ("redelivery: skip", "wrong-type"),
        ("redelivery: { other: redo }", "unknown-option"), ("late: { then: warn }", "missing-option"),
        ("late: { after: soon }", "wrong-type"), ("late: { after: -1 days }", "wrong-type"),
    ])
    func aPolicyThatIsNoneIsRefused(_ option: String, _ code: String) throws {
        let job = try #require(place.text("job.yaml"))
        try place.write(job.replacing("redelivery: { other_bytes: redo }", with: option), to: "job.yaml")
        let outcome = try command.run(["validate", "job.yaml"])
        #expect(outcome.status == 2 && outcome.errors.contains("[\(code)]"), "\(outcome)")
    }

    @Test func `rows that would be added once more cannot be read again`() throws {
        try place.write(
            """
            daybook: 1
            stages:
              - import_csv: { path: "in/*.csv", new_only: true, redelivery: { other_bytes: redo } }
              - export_csv: { path: out/all.csv, append: true }

            """,
            to: "job.yaml"
        )
        try deliver("a", "1,1")
        let outcome = try command.run(["validate", "job.yaml"])
        #expect(outcome.status == 2 && outcome.errors.contains("would add their rows once more"), "\(outcome)")
    }
}

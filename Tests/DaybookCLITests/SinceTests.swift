import DaybookBytes
import DaybookTestSupport
import Foundation
import Testing

/// What a job takes of a database that goes on growing.
@Suite struct SinceTests {
    private let place: TemporaryDirectory
    private let command: CommandTrial

    init() throws {
        place = try TemporaryDirectory()
        command = CommandTrial(in: place.url)
        try execute("CREATE TABLE orders (id INTEGER PRIMARY KEY, updated_at DATETIME, amount INTEGER)")
        try job("table: orders, since: { column: updated_at, start: 2026-01-01 }")
    }

    private func job(_ options: String, rest: String = "") throws {
        try place.write(
            """
            daybook: 1
            job: nightly
            stages:
              - import_sqlite: { path: shop.sqlite, \(options) }
                id: orders
              - check_rows: { rules: [{ not_missing: amount }] }
              - export_csv: { path: out/all.csv, append: true }
            \(rest)

            """,
            to: "job.yaml"
        )
    }

    private func execute(_ sql: String) throws {
        let file = place.url.appendingPathComponent("shop.sqlite").path
        try SQLiteDatabase(file, .readWrite).execute(sql)
    }

    private func add(_ rows: String) throws { try execute("INSERT INTO orders VALUES \(rows)") }

    @discardableResult
    private func run(_ arguments: String..., ending code: Int32 = 0) throws -> String {
        try command.run(["run", "job.yaml"] + arguments, ending: code).errors
    }

    private var ids: [String] {
        (place.text("out/all.csv") ?? "").split(separator: "\n").dropFirst().map { String($0.prefix { $0 != "," }) }
    }

    @Test func `each row is read once, by a run that passed`() throws {
        try add("(1, '2025-12-31', 5), (2, '2026-01-01', 5), (3, '2026-01-02T10:00:00Z', 5)")
        let first = try run()
        #expect(
            first.contains("  orders read rows with 'updated_at' from 2026-01-01 on; 1 row lies before\n"),
            "\(first)"
        )
        #expect(ids == ["2", "3"])
        try add("(4, '2026-01-02T10:00:00Z', 5), (5, '2026-01-03T00:00:00Z', 5)")
        let second = try run()
        // Row 4 came too late to be told from row 3: what is strictly higher is new. That it was never read is told.
        #expect(second.contains("'updated_at' after 2026-01-02T10:00:00Z; 4 rows lie before\n"), "\(second)")
        #expect(
            second.contains("warning: at least 1 row lies before '2026-01-02T10:00:00Z' in 'updated_at'"),
            "\(second)"
        )
        #expect(!first.contains("never-read"))
        #expect(ids == ["2", "3", "5"])
        let third = try run()
        #expect(third.contains("after 2026-01-03T00:00:00Z; 5 rows lie before\n") && ids.count == 3, "\(third)")
        #expect(!third.contains("never-read"))
        // A change brings a row again.
        try execute("UPDATE orders SET updated_at = '2026-01-04T00:00:00Z' WHERE id = 2")
        try run()
        #expect(ids == ["2", "3", "5", "2"])
    }

    @Test func `times in two forms are refused, for as texts their order is not that of the times`() throws {
        try add("(1, '2026-11-22T08:00:00Z', 5)")
        try run()
        try add("(2, '2026-11-22 23:30:00', 5)")
        let told = try run(ending: 1)
        #expect(told.contains("holds times in two forms") && told.contains("[since-of-two-forms]"), "\(told)")
        #expect(ids == ["1"])
    }

    @Test func `a run that fails has read nothing`() throws {
        try add("(1, '2026-01-01', 5)")
        try run()
        try add("(2, '2026-01-02', NULL)")
        for _ in 0..<2 { #expect(try run(ending: 1).contains("after 2026-01-01; 1 row lies before")) }
        try execute("UPDATE orders SET amount = 7 WHERE id = 2")
        try run()
        #expect(ids == ["1", "2"])
    }

    @Test func `a clock that was put back makes no run read rows twice`() throws {
        try add("(1, '2026-01-01', 5)")
        try run()
        let history = place.url.appendingPathComponent(".daybook/history.sqlite").path
        try SQLiteDatabase(history, .readWrite).execute(
            "UPDATE marks SET started = started + 86400000000; UPDATE runs SET started = started + 86400000000"
        )
        for id in 2...4 {
            try add("(\(id), '2026-01-0\(id)', 5)")
            try run()
        }
        #expect(ids == ["1", "2", "3", "4"])
    }

    @Test func `all rows are read when that is asked for, and what was read outlives its run`() throws {
        try add("(1, '2026-01-01', 5)")
        try run()
        try add("(2, '2026-01-02', 5)")
        try run()
        #expect(try command.run("history", "prune", "--keep", "0", "--job", "job.yaml").status == 0)
        #expect(try run().contains("after 2026-01-02"))
        #expect(ids == ["1", "2"])
        #expect(try run("--full-refresh").contains("from 2026-01-01 on"))
        #expect(ids == ["1", "2", "1", "2"])
        // Where a full run finds nothing, what was known is of another database.
        try execute("DELETE FROM orders")
        try run("--full-refresh")
        try add("(3, '2026-01-01', 5)")
        try run()
        #expect(ids.last == "3")
    }

    @Test func `a table that was filled anew is told from one where nothing is new`() throws {
        try job("table: orders, since: { column: id, start: 0 }")
        try add("(1, 'a', 5), (2, 'b', 5)")
        try run()
        #expect(try !run().contains("past-since"))
        try execute("DELETE FROM orders")
        try add("(1, 'c', 5)")
        #expect(try run().contains("all rows lie before '2' in 'id', up to which runs have read"))
        #expect(ids == ["1", "2"])
        #expect(try !run("--full-refresh").contains("past-since"))
        #expect(ids == ["1", "2", "1"])
    }

    @Test func `another column, import or job begins anew`() throws {
        try add("(1, '2026-01-01', 5)")
        try run()
        try job("table: orders, since: { column: id, start: 0 }")
        #expect(try run("--begin").contains("'id' from 0 on; 0 rows lie before"))
        let text = try #require(place.text("job.yaml"))
        try place.write(text.replacing("id: orders", with: "id: others"), to: "job.yaml")
        #expect(try run("--begin").contains("others read rows with 'id' from 0 on"))
        #expect(ids == ["1", "1", "1"])
    }

    @Test func `numbers are compared as numbers, and a query stands in brackets`() throws {
        try add("(1, 9, 5), (2, 10, 5), (3, 10.5, 5)")
        try job(
            "query: \"SELECT id, updated_at AS at, amount FROM orders WHERE amount > 1 -- all\\n;\", "
                + "since: { column: at, start: 10 }"
        )
        #expect(try run().contains("'at' from 10 on; 1 row lies before"))
        #expect(ids == ["2", "3"])
        try add("(4, 10.5, 5), (5, 11, 5)")
        #expect(try run().contains("'at' after 10.5; 4 rows lie before"))
        #expect(ids == ["2", "3", "5"])
    }

    @Test func `rows without a value are named and counted`() throws {
        try add("(1, '2026-01-01', 5), (2, NULL, 5), (3, NULL, 5)")
        let said = try run()
        #expect(
            said.contains(
                "warning: 2 rows have no value in 'updated_at', by which new rows are known, and are not read [no-since-value]"
            ),
            "\(said)"
        )
        #expect(ids == ["1"])
        let shown = try command.run("history", "show", "last", "--job", "job.yaml", "--format", "json").output
        #expect(shown.contains("rows without a value of 'since'"), "\(shown)")
    }

    @Test(arguments: [
        ("start: 2026-01-01", "(1, '2026-01-01', 5), (2, 1767225600, 5)", "holds numbers, and 'since' asks"),
        ("start: 5", "(1, 9, 5), (2, 'x', 5)", "holds text, and 'since' asks"),
        ("start: 5", "(1, 9, 5), (2, x'00', 5)", "holds BLOBs, and 'since' asks"),
        ("start: 5", "(1, 9e999, 5)", "holds a value that is no finite number, or no UTF-8"),
        ("start: a", "(1, CAST(x'ff' AS TEXT), 5)", "holds a value that is no finite number, or no UTF-8"),
    ])
    func `values of several sorts have no order`(_ start: String, _ rows: String, _ message: String) throws {
        try add(rows)
        try job("table: orders, since: { column: updated_at, \(start) }")
        let said = try run(ending: 1)
        #expect(said.contains(message) && said.contains("[since-of-other-kind]"), "\(said)")
    }

    @Test func `what cannot be meant is refused`() throws {
        try job("table: orders, since: { column: updatd_at, start: 0 }")
        #expect(try run(ending: 2).contains("did you mean 'updated_at'?"))
        try job("table: orders, since: { column: updated_at }")
        #expect(try run(ending: 2).contains("the option 'start' is missing"))
        try job("table: orders, new_only: true, since: { column: updated_at, start: 0 }")
        #expect(try run(ending: 2).contains("'since' and 'new_only' both say what is new"))
        try job("table: orders, since: { column: updated_at, start: 0 }")
        let named = try #require(place.text("job.yaml"))
        try place.write(named.replacing("    id: orders\n", with: ""), to: "job.yaml")
        #expect(try run(ending: 2).contains("'since' needs an 'id' of its stage"))
        try place.write(named, to: "job.yaml")
        let shards = try command.run("plan", "job.yaml", "--shards", "2", "-o", "plan.json")
        #expect(shards.status == 2 && shards.errors.contains("[new-only-in-shards]"), "\(shards.errors)")
        let text = try #require(place.text("job.yaml"))
        try FileManager.default.copyItem(
            at: place.url.appendingPathComponent("shop.sqlite"),
            to: place.url.appendingPathComponent("shop-2.sqlite")
        )
        try place.write(text.replacing("path: shop.sqlite", with: "path: \"shop*.sqlite\""), to: "job.yaml")
        #expect(try run(ending: 2).contains("'since' reads one database, and there are 2"))
    }

    @Test func `the value is a parameter, never a part of the query`() throws {
        try add("(1, 'a''); DROP TABLE orders; --', 5)")
        try job("table: orders, since: { column: updated_at, start: \"' OR 1 --\" }")
        try run()
        try add("(2, 'b', 5)")
        try run()
        #expect(ids == ["1", "2"])
    }

    @Test func `a store may be read and added to by one job`() throws {
        try execute("CREATE TABLE log (id INTEGER PRIMARY KEY, at TEXT, amount INTEGER)")
        try execute("INSERT INTO log VALUES (1, '2026-01-01', 5)")
        try job(
            "table: log, since: { column: at, start: 2026-01-01 }",
            rest: """
                  - derive_columns: { replace: true, id: id + 100 }
                  - export_sqlite: { path: shop.sqlite, table: log, append: true }
                """
        )
        // The table has rows before the first night. The next night reads none of what was added, for its values are not higher.
        try run("--begin")
        try run()
        #expect(ids == ["1"])
        let file = place.url.appendingPathComponent("shop.sqlite").path
        let rows = try SQLiteDatabase(file, .readOnly).rows("SELECT id FROM log ORDER BY id") { $0.integer(0) }
        #expect(rows == [1, 101])
    }

    @Test func `explain tells what will be asked for, and verify asks for the same`() throws {
        try add("(1, '2026-01-01', 5)")
        let before = try command.run("explain", "job.yaml").output
        #expect(before.contains("since    'updated_at' from 2026-01-01 on, as no run has passed yet"), "\(before)")
        try run()
        let after = try command.run("explain", "job.yaml", "--format", "json").output
        #expect(after.contains("'updated_at' after 2026-01-01, which a run that passed has read"), "\(after)")
        try add("(2, '2026-01-05', 5)")
        try place.write("id\n", to: "out/none.csv")
        let text = try #require(place.text("job.yaml"))
        try place.write(text.replacing(", append: true", with: ""), to: "job.yaml")
        try run("--manifest", "run.json")
        #expect(ids == ["2"])
        try run()
        let verified = try command.run("verify", "run.json")
        #expect(verified.status == 0, "\(verified.output)\(verified.errors)")
    }

    @Test func `without the history nothing is read twice in silence`() throws {
        try add("(1, '2026-01-01', 5)")
        try run()
        let file = place.url.appendingPathComponent(".daybook/history.sqlite")
        try Data("no database, but long enough to be taken for one".utf8).write(to: file)
        #expect(try run(ending: 3).contains("--full-refresh"))
        #expect(ids == ["1"])
    }

    // MARK: - Overlap

    private static let overlap =
        "table: orders, since: { column: updated_at, start: 2026-01-01, overlap: 2 days, key: id }"

    /// Lets the outputs take changed rows, by their ids.
    private func upsert() throws {
        let text = try #require(place.text("job.yaml"))
        try place.write(
            text.replacing(
                "export_csv: { path: out/all.csv, append: true }",
                with: "export_sqlite: { path: out/all.sqlite, table: orders, upsert: [id] }"
            ),
            to: "job.yaml"
        )
    }

    @Test func `with an overlap, rows that come late or with the same time are read, each once`() throws {
        try job(Self.overlap)
        try add("(1, '2026-01-05T08:00:00Z', 5), (2, '2026-01-06T10:00:00Z', 5)")
        #expect(try !run().contains("late"))
        // The mark's own value, one second before it, within the overlap, and beyond it.
        try add("(3, '2026-01-06T10:00:00Z', 5), (4, '2026-01-06T09:59:59Z', 5), (5, '2026-01-04T10:00:00Z', 5)")
        try add("(6, '2026-01-04T09:59:59Z', 5)")
        let second = try run("--manifest", "run.json")
        #expect(second.contains("2 as they were, 0 changed and 3 late, which are read"), "\(second)")
        #expect(second.contains("at least 1 row lies before") && second.contains("[never-read]"), "\(second)")
        #expect(ids == ["1", "2", "3", "4", "5"])
        let third = try run()
        #expect(third.contains("5 as they were, 0 changed and 0 late") && !third.contains("never-read"), "\(third)")
        // The overlap moves with the mark.
        try add("(7, '2026-01-09T00:00:00Z', 5)")
        #expect(try run().contains("5 as they were, 0 changed and 0 late"))
        try add("(8, '2026-01-06T23:00:00Z', 5), (9, '2026-01-08T00:00:00Z', 5)")
        let fifth = try run()
        #expect(fifth.contains("1 as it was, 0 changed and 1 late, which is read"), "\(fifth)")
        #expect(ids == ["1", "2", "3", "4", "5", "7", "9"])
    }

    @Test func `a run with late rows is done again from its manifest`() throws {
        try job(Self.overlap)
        let text = try #require(place.text("job.yaml"))
        try place.write(text.replacing(", append: true", with: ""), to: "job.yaml")
        try add("(1, '2026-01-05', 5)")
        try run()
        try add("(2, '2026-01-04', 5)")
        try run("--manifest", "run.json")
        #expect(ids == ["2"])
        let verified = try command.run("verify", "run.json")
        #expect(verified.status == 0, "\(verified.output)\(verified.errors)")
    }

    @Test
    func
        `a row that changed is read once more where outputs write over it, and refused where they would have it twice`()
        throws
    {
        try job(Self.overlap)
        try add("(1, '2026-01-05', 5), (2, '2026-01-06', 5)")
        try run()
        try execute("UPDATE orders SET amount = 7 WHERE id = 1")
        let refused = try run(ending: 1)
        #expect(refused.contains("1 row of those that were read before has changed in the database"), "\(refused)")
        #expect(refused.contains("[row-changed]") && ids == ["1", "2"], "\(refused)")
        // With a new time it is a change too.
        try execute(
            "UPDATE orders SET amount = 5 WHERE id = 1; UPDATE orders SET updated_at = '2026-01-07' WHERE id = 2"
        )
        #expect(try run(ending: 1).contains("[row-changed]"))
        try execute("UPDATE orders SET amount = 8")
        try upsert()
        try run("--full-refresh")
        try execute("UPDATE orders SET amount = 9 WHERE id = 1")
        #expect(try run().contains("1 as it was, 1 changed and 0 late, which is read"))
        let file = place.url.appendingPathComponent("out/all.sqlite").path
        let amounts = try SQLiteDatabase(file, .readOnly).rows("SELECT amount FROM orders ORDER BY id") {
            $0.integer(0)
        }
        #expect(amounts == [9, 8])
    }

    @Test func `numbers have an overlap in their own unit`() throws {
        try job("table: orders, since: { column: updated_at, start: 0, overlap: 3600, key: id }")
        try add("(1, 10000, 5)")
        try run()
        try add("(2, 10000, 5), (3, 6400, 5), (4, 6399, 5)")
        #expect(try run().contains("1 as it was, 0 changed and 2 late"))
        #expect(ids == ["1", "2", "3"])
    }

    @Test(arguments: [
        ("start: 2026-01-01, overlap: 2 hours", "the option 'key' is missing"),
        ("start: 2026-01-01, key: id", "no 'overlap' asks for any"),
        ("start: 2026-01-01, overlap: 2, key: id", "a time such as '30 minutes', '2 hours' or '1 day'"),
        ("start: 5, overlap: 2 hours, key: id", "a number above 0, since 'start' is one"),
        ("start: abc, overlap: 2 hours, key: id", "write 'start' as a day or a time"),
        ("start: 2026-01-01, overlap: 2 hours, key: idd", "did you mean 'id'?"),
    ])
    func `an overlap that cannot be meant is refused`(_ options: String, _ message: String) throws {
        try add("(1, '2026-01-05', 5)")
        try job("table: orders, since: { column: updated_at, \(options) }")
        let told = try run(ending: 2)
        #expect(told.contains(message), "\(told)")
    }

    @Test(arguments: [
        ("id2 TEXT", "(1, '2026-01-05', 5, 'a'), (2, '2026-01-05', 5, 'a')", "[overlap-key-repeated]"),
        ("id2 TEXT", "(1, '2026-01-05', 5, NULL)", "[overlap-without-key]"),
        ("id2 REAL", "(1, '2026-01-05', 5, 1.5)", "[overlap-without-key]"),
        ("id2 TEXT", "(1, 'x', 5, 'a')", "[overlap-of-other-kind]"),
    ])
    func `a key has to tell one row from another`(_ column: String, _ rows: String, _ code: String) throws {
        try execute("ALTER TABLE orders ADD COLUMN \(column)")
        try add(rows)
        try job("table: orders, since: { column: updated_at, start: 2026-01-01, overlap: 1 day, key: id2 }")
        let told = try run(ending: 1)
        #expect(told.contains(code), "\(told)")
    }

    @Test(arguments: [("id: orders", "id: source"), ("column: updated_at, start: 2026-01-01", "column: id, start: 0")])
    func `an import under another name does not add all rows once more`(_ old: String, _ new: String) throws {
        try add("(1, '2026-01-01', 5), (2, '2026-01-02', 5)")
        try run()
        let job = try #require(place.text("job.yaml"))
        try place.write(job.replacing(old, with: new), to: "job.yaml")
        let refused = try run(ending: 3)
        #expect(refused.contains("rows would be added once more [taken-unknown]"), "\(refused)")
        #expect(ids == ["1", "2"])
        try run("--begin")
        #expect(ids == ["1", "2", "1", "2"])
        try run()
        // And back, behind which the first one knows nothing of what was taken since.
        try add("(3, '2026-01-03', 5)")
        try run()
        try place.write(job, to: "job.yaml")
        #expect(try run(ending: 3).contains("[taken-unknown]"))
        #expect(ids == ["1", "2", "1", "2", "3"])
    }

    @Test func `an id that another import takes over does not add the rows of the first one once more`() throws {
        func write(_ first: String, _ second: String, from paths: [String] = ["shop.sqlite", "copy.sqlite"]) throws {
            let imports = zip([first, second], paths).map { id, path in
                """
                  - import_sqlite: { path: \(path), table: orders, since: { column: id, start: 0 } }
                    id: \(id)
                """
            }
            try place.write(
                """
                daybook: 1
                job: nightly
                stages:
                \(imports.joined(separator: "\n"))
                  - union_rows: {}
                    from: [\(first), \(second)]
                  - export_csv: { path: out/all.csv, append: true }

                """,
                to: "job.yaml"
            )
        }
        try add("(1, 'a', 5), (2, 'b', 5)")
        let files = ["shop", "copy", "moved"].map { place.url.appendingPathComponent("\($0).sqlite") }
        try FileManager.default.copyItem(at: files[0], to: files[1])
        try SQLiteDatabase(files[1].path, .readWrite).execute("UPDATE orders SET id = id + 10")
        try write("one", "two")
        try run()
        try add("(3, 'c', 5)")
        for names in [("new", "one"), ("two", "one")] {
            try write(names.0, names.1)
            let refused = try run(ending: 3)
            #expect(refused.contains("', which is another import now, took what is new of what '"), "\(refused)")
            #expect(refused.contains("reads; by these names rows would be added once more [taken-unknown]"))
            #expect(ids == ["1", "2", "11", "12"])
        }
        // A database that was moved is the same import.
        try FileManager.default.moveItem(at: files[1], to: files[2])
        try write("one", "two", from: ["shop.sqlite", "moved.sqlite"])
        try run()
        #expect(ids == ["1", "2", "11", "12", "3"])
        // That it is another import is said once.
        try write("three", "one", from: ["shop.sqlite", "moved.sqlite"])
        #expect(try run("--begin").contains("three read rows with 'id' from 0 on"))
        try run()
    }

    @Test func `an output that was written whole does not get its rows once more`() throws {
        try add("(1, '2026-01-01', 5)")
        try job("table: orders")
        try run()
        try job("table: orders, since: { column: id, start: 0 }")
        #expect(
            try run(ending: 3).contains(
                "no run of the job has taken what is new; by 'id' rows would be added once more"
            )
        )
        try run("--begin")
        try run()
    }
}

import DaybookBytes
import DaybookTestSupport
import Foundation
import Testing

/// Several stages that write tables of one database.
@Suite struct SharedDatabaseTests {
    private let place: TemporaryDirectory
    private let command: CommandTrial

    init() throws {
        place = try TemporaryDirectory()
        command = CommandTrial(in: place.url)
        try place.write("id,who,amount\n1,ann,5\n2,bob,7\n3,ann,9\n", to: "orders.csv")
    }

    private func job(_ first: String, _ second: String) throws {
        try place.write(
            """
            daybook: 1
            stages:
              - import_csv: { path: orders.csv, columns: { id: integer, amount: integer } }
                id: orders
              - export_sqlite: { \(first) }
              - summarise_rows: { by: [who], values: { total: sum(amount) } }
                from: orders
              - export_sqlite: { \(second) }

            """,
            to: "job.yaml"
        )
    }

    private func rows(_ sql: String, of file: String = "shop.sqlite") throws -> [Int64] {
        try SQLiteDatabase(place.url.appendingPathComponent(file).path, .readOnly).rows(sql) { $0.integer(0) }
    }

    @Test func `two tables of one database come from one job, as one output`() throws {
        try SQLiteDatabase(place.url.appendingPathComponent("shop.sqlite").path, .readWrite)
            .execute("CREATE TABLE kept (n INTEGER); INSERT INTO kept VALUES (42)")
        try job("path: shop.sqlite, table: orders, append: true", "path: ./shop.sqlite, table: totals, upsert: [who]")
        for night in 1...2 {
            let outcome = try command.run("run", "job.yaml", "--begin", "--manifest", "run.json")
            #expect(outcome.status == 0, "\(outcome.errors)")
            #expect(try rows("SELECT count(*) FROM orders") == [Int64(3 * night)])
        }
        #expect(try rows("SELECT total FROM totals ORDER BY who") == [14, 7])
        #expect(try rows("SELECT n FROM kept") == [42])
        #expect(place.text("run.json")?.contains("./shop") == false, "one file is one output")
    }

    @Test func `a run that wrote two tables is done again`() throws {
        try job("path: shop.sqlite, table: orders", "path: ./shop.sqlite, table: totals")
        #expect(try command.run("run", "job.yaml", "--manifest", "run.json").status == 0)
        let verified = try command.run("verify", "run.json")
        #expect(verified.status == 0, "\(verified.output)\(verified.errors)")
    }

    @Test func `what breaks one table leaves both as they were`() throws {
        try SQLiteDatabase(place.url.appendingPathComponent("shop.sqlite").path, .readWrite)
            .execute("CREATE TABLE totals (who TEXT, total INTEGER CHECK (total < 10))")
        try job("path: shop.sqlite, table: orders", "path: shop.sqlite, table: totals, append: true")
        let outcome = try command.run("run", "job.yaml")
        #expect(outcome.status == 1 && outcome.errors.contains("[constraint-failed]"), "\(outcome.errors)")
        #expect(try rows("SELECT count(*) FROM sqlite_schema WHERE name = 'orders'") == [0])
    }

    @Test(arguments: [
        ("path: a.sqlite, table: t", "path: ./a.sqlite, table: T"),
        ("path: a.sqlite, table: t", "path: b/../a.sqlite, table: t"),
    ])
    func `one table has one stage`(_ first: String, _ second: String) throws {
        try job(first, second)
        for action in ["validate", "run"] {
            let outcome = try command.run(action, "job.yaml")
            #expect(outcome.status == 2 && outcome.errors.contains("[output-twice]"), "\(outcome.errors)")
        }
    }

    @Test func `a file that is no database is shared with none`() throws {
        try place.write(
            """
            daybook: 1
            stages:
              - import_csv: { path: orders.csv }
              - export_sqlite: { path: out.x, table: t }
              - export_csv: { path: out.x }

            """,
            to: "job.yaml"
        )
        #expect(try command.run("validate", "job.yaml").errors.contains("two outputs go to 'out.x'"))
    }
}

import DaybookBytes
import DaybookTestSupport
import Foundation
import Testing

/// What a run of single days must not take away, mix or lose, whatever the job and the files look like.
@Suite struct DayTrustTests {
    private let place: TemporaryDirectory
    private let command: CommandTrial

    init() throws {
        place = try TemporaryDirectory()
        command = CommandTrial(in: place.url)
        try place.write("shop,town\na,Ulm\nb,Köln\n", to: "shops.csv")
    }

    private func job(_ stages: String, intake: String = "") throws {
        try place.write(
            """
            daybook: 1
            job: orders
            stages:
              - import_csv:
                  path: "in/*.csv"
                  day: { from: name, pattern: "orders-{yyyy-MM-dd}*.csv" }
                  redelivery: { other_bytes: redo }
                  columns: { id: integer }
                id: orders
            \(stages)

            """,
            to: "job.yaml"
        )
    }

    @discardableResult
    private func run(_ arguments: String..., ending code: Int32 = 0) throws -> String {
        try command.run(["run", "job.yaml"] + arguments, ending: code).errors
    }

    private func deliver(_ day: String, _ rows: String...) throws {
        try place.write("id,shop\n" + rows.map { $0 + "\n" }.joined(), to: "in/orders-\(day).csv")
    }

    private static let outputs = [
        "export_csv: { path: out/all, replace_by: [KEYS] }",
        "export_json: { path: out/all, layout: lines, replace_by: [KEYS] }",
        "export_sqlite: { path: out/all, table: orders, replace_by: [KEYS] }",
    ]

    private func rows(_ output: String) throws -> [String] {
        if output.contains("sqlite") {
            let database = try SQLiteDatabase(place.url.appendingPathComponent("out/all").path, .readOnly)
            return try database.rows("SELECT id, shop, day FROM orders ORDER BY 3, 1") {
                "\($0.integer(0)),\($0.text(1) ?? ""),\($0.text(2) ?? "")"
            }
        }
        let lines = (place.text("out/all") ?? "").split(separator: "\n").map(String.init)
        guard output.contains("json") else { return lines.dropFirst().map { $0 } }
        return lines.map { $0.replacing(/\{"id":(\d+),"shop":"(.)","day":"(.*)"\}/) { "\($0.1),\($0.2),\($0.3)" } }
    }

    @Test("further columns beside the day keep no row that its files no longer have", arguments: outputs)
    func furtherColumns(_ output: String) throws {
        for keys in ["day, shop", "shop, day"] {
            try? FileManager.default.removeItem(at: place.url.appendingPathComponent("out"))
            try? FileManager.default.removeItem(at: place.url.appendingPathComponent("in"))
            try? FileManager.default.removeItem(at: place.url.appendingPathComponent(".daybook"))
            try job("  - \(output.replacing("KEYS", with: keys))")
            try deliver("2026-10-10", "1,a", "2,b")
            try deliver("2026-10-11", "3,b")
            try run()
            try deliver("2026-10-10", "1,a")
            try run()
            #expect(try Set(rows(output)) == ["1,a,2026-10-10", "3,b,2026-10-11"])
            try deliver("2026-10-10")
            try run()
            #expect(try rows(output) == ["3,b,2026-10-11"])
            try run("--redo", "2026-10-11")
            #expect(try rows(output) == ["3,b,2026-10-11"])
        }
    }

    @Test(
        "an output that does not keep the day of the files is refused",
        arguments: [
            "  - export_csv: { path: out/all, replace_by: [shop] }",
            "  - derive_columns: { columns: { m: year(day) } }\n  - export_csv: { path: out/all, replace_by: [m] }",
            "  - derive_columns: { columns: { day: \"to_day('2026-01-01')\" }, replace: true }\n  - export_csv: { path: out/all, replace_by: [day] }",
            "  - rename_columns: { day: d0, shop: day }\n  - export_csv: { path: out/all, replace_by: [day] }",
            "  - rename_columns: { day: d0 }\n  - export_sqlite: { path: out/all, table: t, replace_by: [d0] }",
            "  - derive_columns: { columns: { day: year(day) }, replace: true }\n  - summarise_rows: { by: [day], values: { n: count } }\n  - export_csv: { path: out/all, replace_by: [day] }",
        ]
    )
    func otherDays(_ stages: String) throws {
        try job(stages)
        try deliver("2026-10-10", "1,a")
        let said = try run(ending: 2)
        #expect(said.contains("[days-mixed]"), "\(said)")
        #expect(place.text("out/all") == nil)
    }

    @Test("a join that gives rows of the lookup, or looks up what is new alone, is refused")
    func lookups() throws {
        for (kind, lookup, words) in [
            ("full", "", "keeps rows of the lookup"), ("right", "", "keeps rows of the lookup"),
            ("left", ", new_only: true", "'shops' reads what is new"), ("left", "", ""), ("inner", "", ""),
        ] {
            let unmatched = kind == "inner" || kind == "right" ? ", unmatched: drop" : ""
            try job(
                """
                  - import_csv: { path: shops.csv\(lookup) }
                    id: shops
                  - join_rows: { by: shop, kind: \(kind)\(unmatched) }
                    from: [orders, shops]
                  - export_csv: { path: out/all, replace_by: [day] }
                """
            )
            try deliver("2026-10-10", "1,a")
            let said = try run(ending: words.isEmpty ? 0 : 2)
            #expect(
                (words.isEmpty || said.contains(words)) && said.contains("[days-mixed]") == !words.isEmpty,
                "\(kind): \(said)"
            )
        }
    }

    @Test("an output that was lost is not begun anew in silence", arguments: outputs)
    func lostOutputs(_ output: String) throws {
        try job("  - \(output.replacing("KEYS", with: "day"))")
        try deliver("2026-10-10", "1,a")
        try run()
        try deliver("2026-10-11", "2,b")
        let path = place.url.appendingPathComponent("out/all")
        let whole = try Data(contentsOf: path)
        try FileManager.default.removeItem(at: path)
        let said = try run(ending: 3)
        #expect(
            said.contains("'out/all' is gone, and the rows that earlier runs wrote") && said.contains("[output-lost]"),
            "\(said)"
        )
        if !output.contains("sqlite") {
            try Data(output.contains("csv") ? "id,shop,day\n".utf8 : "".utf8).write(to: path)
            #expect(try run(ending: 3).contains("'out/all' has no rows any more, and those that"))
        }
        try whole.write(to: path)
        try run()
        #expect(try rows(output) == ["1,a,2026-10-10", "2,b,2026-10-11"])
        try FileManager.default.removeItem(at: path)
        try run("--full-refresh")
        #expect(try rows(output) == ["1,a,2026-10-10", "2,b,2026-10-11"])
        // A run of no rows leaves an output without rows, and is no loss.
        try deliver("2026-10-10")
        try deliver("2026-10-11")
        try run()
        try deliver("2026-10-12", "3,a")
        try run()
        #expect(try rows(output) == ["3,a,2026-10-12"])
    }

    @Test("an output that is new to a job says that it gets rows from now on")
    func newOutputs() throws {
        try job("  - export_csv: { path: out/all, replace_by: [day] }")
        try deliver("2026-10-10", "1,a")
        try run()
        try job(
            "  - export_csv: { path: out/all, replace_by: [day] }\n  - export_csv: { path: out/b, replace_by: [day] }\n    from: orders"
        )
        try deliver("2026-10-11", "2,b")
        let said = try run()
        #expect(said.contains("'out/b' is new") && said.contains("[new-output]"), "\(said)")
        #expect(place.text("out/b") == "id,shop,day\n2,b,2026-10-11\n")
        try deliver("2026-10-12", "3,b")
        #expect(try !run().contains("[new-output]"))
        // A file a month is nothing that a job begins anew.
        try job("  - export_csv: { path: \"out/${as_of:yyyy-MM}.csv\", replace_by: [day] }")
        try deliver("2026-10-13", "4,b")
        #expect(try !run("--as-of", "2026-10-13").contains("[new-output]"))
        #expect(place.text("out/2026-10.csv") == "id,shop,day\n4,b,2026-10-13\n")
    }

    @Test("a full refresh names the files that are gone")
    func refreshed() throws {
        try job("  - export_csv: { path: out/all, replace_by: [day] }")
        try deliver("2026-10-10", "1,a")
        try deliver("2026-10-10-b", "2,a")
        try deliver("2026-10-11", "3,a")
        try run()
        for name in ["2026-10-10-b", "2026-10-11"] {
            try FileManager.default.removeItem(at: place.url.appendingPathComponent("in/orders-\(name).csv"))
        }
        let said = try run("--full-refresh")
        #expect(
            said.contains(
                "2 files that earlier runs read are gone, and were not read again: in/orders-2026-10-10-b.csv and in/orders-2026-10-11.csv"
            ),
            "\(said)"
        )
        // Days of which nothing was read stay.
        #expect(place.text("out/all") == "id,shop,day\n1,a,2026-10-10\n3,a,2026-10-11\n")
    }

    @Test("a byte-order mark stays at the beginning, and is no part of a key")
    func marks() throws {
        for options in ["", ", header: false", ", quoting: all"] {
            for directory in ["out", "in", ".daybook"] {
                try? FileManager.default.removeItem(at: place.url.appendingPathComponent(directory))
            }
            try job(
                "  - select_columns: { columns: [day, id] }\n  - export_csv: { path: out/all, replace_by: [day], encoding: utf-8-bom\(options) }"
            )
            try deliver("2026-10-11", "1,a")
            try run()
            try deliver("2026-10-10", "2,a")
            try run()
            try deliver("2026-10-11", "3,a")
            try run()
            let text = String(
                decoding: try Data(contentsOf: place.url.appendingPathComponent("out/all")),
                as: UTF8.self
            )
            let plain = text.replacing("\"", with: "")
            #expect(
                plain == "\u{FEFF}" + (options.contains("header") ? "" : "day,id\n") + "2026-10-10,2\n2026-10-11,3\n"
            )
        }
    }
}

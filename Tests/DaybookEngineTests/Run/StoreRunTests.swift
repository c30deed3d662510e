import DaybookStandard
import DaybookTestSupport
import Foundation
import Synchronization
import Testing

@testable import DaybookContracts
@testable import DaybookEngine

/// Whole runs that read stores: rows that have no line and no byte, out of files that nobody may write to.
@Suite struct StoreRunTests {
    private let place: TemporaryDirectory
    private let sql: String

    init() throws {
        place = try TemporaryDirectory()
        var random = SeededGenerator(seed: 11)
        let colours = ["#EC007F", "pink", "#00ff00", "#12345"]
        let rows = (1...900).map { id in
            let colour = colours.randomElement(using: &random)!
            let count =
                Int.random(in: 0..<50, using: &random) == 0 ? "'many'" : "\(Int.random(in: 0..<9, using: &random))"
            return "(\(id * 3), '\(colour)', \(count))"
        }
        sql = """
            CREATE TABLE days (id INTEGER PRIMARY KEY, colour TEXT, count INTEGER);
            INSERT INTO days VALUES \(rows.joined(separator: ", "));
            """
        try SQLStore.write(sql, to: place.url.appendingPathComponent("store.sqlite"), as: SQLStore.Form(keepsLog: true))
    }

    private let job = """
        daybook: 1
        rejects: { path: rejects.ndjson, allow: 100% }
        stages:
          - import_sqlite: { path: store.sqlite, table: days }
          - validate_hex_colours: { column: colour }
          - export_csv: { path: days.csv }
          - sort_rows: { by: [{ column: count, order: descending }, id], memory_mebibytes: 1 }
          - validate_hex_colours: { column: colour, case: upper }
          - export_json: { path: sorted.json }
        """

    private func run(
        _ job: String,
        threads: Int = 2,
        morsel: Int = 1 << 20,
        isCancelled: @escaping @Sendable () -> Bool = { false },
        onProgress: @escaping @Sendable (RunSettings.Progress) -> Void = { _ in }
    ) throws -> RunOutcome {
        let job = try JobParser { _ in nil }.job(Array(job.utf8), file: "job.yaml")
        let plan = try Plan(job, table: .builtIn, asOf: CalendarDay(iso: "2026-11-21")!)
        let settings = RunSettings(
            threads: threads,
            directory: place.url.path,
            state: StateDirectory(place.url.appendingPathComponent("state").path),
            morselSize: morsel,
            isCancelled: isCancelled,
            onProgress: onProgress
        )
        return Runner(plan, settings).run()
    }

    @Test("neither the number of threads nor the size of batches shows in any byte")
    func sameBytes() throws {
        let outputs = ["rejects.ndjson", "days.csv", "sorted.json"]
        let first = try run(job, threads: 1)
        #expect(first.errors.isEmpty)
        let bytes = outputs.map { place.text($0) }
        #expect(bytes[0]?.contains(#""pointer":"/days/"#) == true)
        for (threads, morsel) in [(2, 1 << 20), (1, 64), (5, 900), (3, 40_000)] {
            let other = try run(job, threads: threads, morsel: morsel)
            let isSame = outputs.map { place.text($0) } == bytes
            #expect(isSame, "\(threads) threads, batches of \(morsel)")
            let sameFindings = other.findings == first.findings
            #expect(sameFindings)
            #expect(other.ledger.map(\.rejected) == first.ledger.map(\.rejected))
        }
    }

    @Test("a row that is refused late is told by its pointer, its value and all of its record")
    func places() throws {
        let strict = job.replacing("column: colour }", with: "column: colour, invalid: keep }")
        let outcome = try run(strict.replacing("invalid: keep", with: "invalid: clear"))
        #expect(outcome.errors.isEmpty)
        let lines = try #require(place.text("rejects.ndjson")).split(separator: "\n").map {
            try JSONSerialization.jsonObject(with: Data($0.utf8)) as? [String: Any] ?? [:]
        }
        let line = try #require(lines.first { $0["code"] as? String == "not-an-integer" })
        let original = try #require(line["original"] as? String)
        let record = try #require(try JSONSerialization.jsonObject(with: Data(original.utf8)) as? [String: Any])
        let id = try #require(record["id"] as? Int)
        #expect(line["pointer"] as? String == "/days/\(id)/count")
        #expect(line["value"] as? String == "many" && record["count"] as? String == "many")
        #expect(line["source"] as? String == "store.sqlite")
        for key in ["line", "column", "byte"] { #expect(line[key] is NSNull, "\(key)") }
    }

    @Test("the manifest has the store and its log, with what they are")
    func manifest() throws {
        let outcome = try run(job)
        #expect(outcome.inputs.map(\.path) == ["store.sqlite", "store.sqlite-wal"])
        #expect(outcome.inputs[0].recognised == ["SQLite database", "table 'days'", "write-ahead log"])
        for input in outcome.inputs {
            let bytes = try Data(contentsOf: place.url.appendingPathComponent(input.path))
            #expect(input.bytes == bytes.count && input.digest?.sha256 == SHA256Digest.of(Array(bytes)))
        }
        try SQLStore.write(sql, to: place.url.appendingPathComponent("plain.sqlite"))
        let plain = try run(job.replacing("store.sqlite", with: "plain.sqlite"))
        let bytes = try Data(contentsOf: place.url.appendingPathComponent("plain.sqlite"))
        #expect(plain.inputs.map(\.digest?.sha256) == [SHA256Digest.of(Array(bytes))])
    }

    @Test(
        "an output may not take the place of a store, nor of its log",
        arguments: ["store.sqlite", "store.sqlite-wal"]
    )
    func overwriting(_ path: String) throws {
        let codes: [DaybookError.Code]
        do {
            codes = try run(job.replacing("days.csv", with: path)).errors.map(\.code)
        } catch let refused as DaybookErrors { codes = refused.errors.map(\.code) }
        #expect(codes == ["output-is-input"])
    }

    @Test("a store that changes while it is read ends the run")
    func changes() throws {
        let url = place.url.appendingPathComponent("plain.sqlite")
        try SQLStore.write(sql, to: url)
        let touched = Mutex(false)
        let outcome = try run(
            job.replacing("store.sqlite", with: "plain.sqlite"),
            threads: 1,
            morsel: 4096,
            onProgress: { _ in
                touched.withLock { isTouched in
                    guard !isTouched, let file = try? FileHandle(forWritingTo: url) else { return }
                    isTouched = true
                    _ = try? file.seekToEnd()
                    try? file.write(contentsOf: Data(count: 4096))
                    try? file.close()
                }
            }
        )
        #expect(outcome.errors.map(\.code) == ["input-changed"])
        #expect(outcome.exitCode == 3)
        #expect(place.text("days.csv") == nil)
    }

    @Test("a run that is stopped stops, also inside a view that never gives a row")
    func cancelling() throws {
        let endless =
            "CREATE VIEW days AS WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) "
            + "SELECT i AS id, 'a' AS colour, 1 AS count FROM n WHERE i < 0"
        try SQLStore.write(endless, to: place.url.appendingPathComponent("endless.sqlite"))
        let asked = Atomic<Int>(0)
        let outcome = try run(
            job.replacing(
                "store.sqlite, table: days",
                with: "endless.sqlite, table: days, columns: {"
                    + " id: integer, colour: text, count: integer }"
            ),
            isCancelled: { asked.add(1, ordering: .relaxed).newValue > 50 }
        )
        #expect(outcome.errors.map(\.code) == ["interrupted"])
    }

    private let copying = """
        daybook: 1
        stages:
          - import_sqlite: { path: store.sqlite, table: days }
            rejects: { allow: 10% }
          - export_sqlite: { path: copy.sqlite, table: copies }
          - validate_hex_colours: { column: colour }
            rejects: { allow: 100% }
          - export_sqlite: { path: good.sqlite, table: colours, mode: append }
        """

    private func rows(_ query: String, of name: String) throws -> String {
        let job =
            "daybook: 1\nstages:\n  - import_sqlite: { path: \(name), query: \(query) }\n  - export_csv: { path: rows.csv }"
        #expect(try run(job).errors.isEmpty)
        return try #require(place.text("rows.csv"))
    }

    @Test("databases are written at any number of threads alike, and put in place as a whole")
    func writing() throws {
        try SQLStore.write(
            "CREATE TABLE other (a); INSERT INTO other VALUES (1)",
            to: place.url.appendingPathComponent("copy.sqlite")
        )
        let old = try Data(contentsOf: place.url.appendingPathComponent("copy.sqlite"))
        let first = try run(copying, threads: 1)
        #expect(first.errors.isEmpty)
        let copy = try Data(contentsOf: place.url.appendingPathComponent("copy.sqlite"))
        #expect(first.inputs.contains { $0.path == "copy.sqlite" && $0.digest?.sha256 == SHA256Digest.of(Array(old)) })
        #expect(first.outputs.map(\.digest.sha256).first == SHA256Digest.of(Array(copy)))
        let written = first.ledger[1].rowsOut
        #expect(try rows("SELECT count(*) AS n FROM copies", of: "copy.sqlite") == "n\n\(written)\n")
        #expect(try rows("SELECT a FROM other", of: "copy.sqlite") == "a\n1\n")
        let good = first.ledger[3].rowsOut
        #expect(try rows("SELECT count(*) AS n FROM colours", of: "good.sqlite") == "n\n\(good)\n")
        for (threads, morsel) in [(5, 900), (2, 64)] {
            try old.write(to: place.url.appendingPathComponent("copy.sqlite"))
            #expect(try run(copying, threads: threads, morsel: morsel).errors.isEmpty)
            #expect(try Data(contentsOf: place.url.appendingPathComponent("copy.sqlite")) == copy)
        }
        #expect(try rows("SELECT count(*) AS n FROM colours", of: "good.sqlite") == "n\n\(3 * good)\n")
        #expect(place.text("state/runs")?.isEmpty != false)
    }

    @Test("a run whose gate fails leaves the old database")
    func failedGate() throws {
        let url = place.url.appendingPathComponent("copy.sqlite")
        try SQLStore.write(
            "CREATE TABLE copies (id INTEGER, colour TEXT, count INTEGER); INSERT INTO copies VALUES (1, 'a', 1)",
            to: url
        )
        let old = try Data(contentsOf: url)
        let outcome = try run(copying.replacing("allow: 10%", with: "allow: 0"))
        #expect(outcome.exitCode == 1)
        #expect(try Data(contentsOf: url) == old)
        let names = try FileManager.default.contentsOfDirectory(atPath: place.url.path)
        #expect(names.filter { $0.contains("scratch") }.isEmpty)
        let state = try FileManager.default.subpathsOfDirectory(atPath: place.url.appendingPathComponent("state").path)
        #expect(state.filter { $0.contains("scratch") }.isEmpty)
    }

    @Test("several stores are read one after the other, each under its name")
    func several() throws {
        for (name, word) in [("b", "second"), ("a", "first")] {
            try SQLStore.write(
                "CREATE TABLE t (w TEXT, n\(name == "a" ? "" : " INTEGER")); INSERT INTO t VALUES ('\(word)', 1)",
                to: place.url.appendingPathComponent("week-\(name).sqlite")
            )
        }
        let two = """
            daybook: 1
            stages:
              - import_sqlite: { path: week-*.sqlite, table: t, file_column: file }
              - export_csv: { path: out.csv }
            """
        #expect(try run(two).errors.isEmpty)
        #expect(place.text("out.csv") == "w,n,file\nfirst,1,week-a.sqlite\nsecond,1,week-b.sqlite\n")
        try SQLStore.write("CREATE TABLE t (w TEXT, m)", to: place.url.appendingPathComponent("week-c.sqlite"))
        #expect(try run(two).errors.map(\.code) == ["columns-differ"])
        #expect(throws: DaybookErrors.self) { try run(two.replacing("week-*.sqlite", with: "-")) }
    }
}

import DaybookTestSupport
import Foundation
import Testing

/// Files of UTF-8 that begin with a byte-order mark and have no header: their first record stands behind three bytes.
@Suite struct ByteOrderMarkTests {
    private let place: TemporaryDirectory
    private let command: CommandTrial

    init() throws {
        place = try TemporaryDirectory()
        command = CommandTrial(in: place.url)
    }

    private func write(_ importer: String, _ text: String) throws {
        try place.write(
            """
            daybook: 1
            job: marked
            rejects: { path: rejects.ndjson, allow: 100% }
            publish: { directory: out }
            stages:
              - \(importer)
              - sort_rows: { by: i }
              - cast_columns: { v: integer }
              - export_csv: { path: out/rows.csv }

            """,
            to: "job.yaml"
        )
        try place.write("\u{FEFF}" + text, to: "in.txt")
    }

    private static let importers: [(importer: String, record: @Sendable (Int, String) -> String)] = [
        ("import_csv: { path: in.txt, header: [i, v] }", { "\($0),\($1)\n" }),
        (
            "import_json: { path: in.txt, layout: lines, columns: { i: text, v: text } }",
            { "{\"i\":\"\($0)\",\"v\":\"\($1)\"}\n" }
        ),
        (
            "import_fixed_width: { path: in.txt, widths: { i: 8, v: 8 } }",
            {
                "\($0)".padding(toLength: 8, withPad: " ", startingAt: 0) + "\($1)\n"
            }
        ),
    ]

    @Test(arguments: importers.indices)
    func `shards begin where records do`(_ index: Int) throws {
        let (importer, record) = Self.importers[index]
        try write(importer, (1_000..<9_000).map { record($0, "\($0)") }.joined())
        #expect(try command.run("run", "job.yaml").status == 0)
        let whole = try #require(place.text("out/rows.csv"))
        #expect(whole.split(separator: "\n").count == 8_001)
        #expect(try command.run("plan", "job.yaml", "--shards", "3", "-o", "plan.json").status == 0)
        for shard in 0..<3 {
            #expect(try command.run("run", "--shard", "plan.json#\(shard)", "--into", "parts").status == 0)
        }
        #expect(try command.run("merge", "plan.json", "parts").status == 0)
        #expect(place.text("out/rows.csv") == whole)
    }

    @Test(arguments: importers.indices)
    func `records are read again where they stand`(_ index: Int) throws {
        let (importer, record) = Self.importers[index]
        try write(importer, record(1, "7") + record(2, "bad"))
        #expect(try command.run("run", "job.yaml").status == 0)
        let line = try #require(place.text("rejects.ndjson"))
        let reject = try #require(try JSONSerialization.jsonObject(with: Data(line.utf8)) as? [String: Any])
        #expect(reject["original"] as? String == record(2, "bad").trimmingCharacters(in: .newlines))
        let before = record(2, "bad").range(of: "bad").map { record(2, "bad")[..<$0.lowerBound].utf8.count } ?? 0
        let inValue = importer.contains("json") ? before - 1 : before
        #expect(reject["byte"] as? Int == 3 + record(1, "7").utf8.count + inValue, "\(line)")
        #expect(reject["column"] as? Int == inValue + 1, "\(line)")
    }
}

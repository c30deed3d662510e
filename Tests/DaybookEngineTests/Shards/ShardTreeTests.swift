import DaybookTestSupport
import Foundation
import Testing

/// Shards that were put together before stand for those that they hold, in any mixture.
@Suite struct ShardTreeTests {
    private let place: TemporaryDirectory
    private let command: CommandTrial

    init() throws {
        place = try TemporaryDirectory()
        command = CommandTrial(in: place.url)
        // A third of the rows is in each shard; the date is wrong in some.
        let rows = (1...300).map { "\($0),\($0 % 7),2026-\($0 % 13)-01\n" }.joined()
        try place.write("id,group,day\n" + rows, to: "in.csv")
        try place.write(
            """
            daybook: 1
            rejects: { path: rejects.ndjson, allow: 50% }
            stages:
              - import_csv: { path: in.csv, columns: { id: integer } }
              - normalise_dates: { column: day, formats: [yyyy-M-d] }
              - check_rows: { rules: [{ unique: id }] }
              - summarise_rows: { by: [group], values: { total: sum(id) } }
              - export_csv: { path: out.csv }
            """,
            to: "job.yaml"
        )
        try succeed("plan", "job.yaml", "--shards", "3", "-o", "plan.json")
        for number in 0...2 { try succeed("run", "--shard", "plan.json#\(number)", "--into", "parts") }
    }

    @discardableResult
    private func succeed(_ arguments: String...) throws -> String {
        let outcome = try command.run(arguments)
        #expect(outcome.status == 0, "\(arguments): \(outcome.errors)")
        return outcome.errors
    }

    private func file(_ name: String) throws -> Data {
        try Data(contentsOf: place.url.appendingPathComponent(name))
    }

    private func part(_ numbers: String) -> String { "parts/shard-\(numbers).daybook-shard" }

    /// Holds that a merge of some files gives what one process gives.
    private func merge(_ places: String...) throws {
        try succeed("run", "job.yaml")
        let (whole, rejects) = (try file("out.csv"), try file("rejects.ndjson"))
        #expect(rejects.split(separator: UInt8(ascii: "\n")).count == 23)
        for name in ["out.csv", "rejects.ndjson"] {
            try FileManager.default.removeItem(at: place.url.appendingPathComponent(name))
        }
        let outcome = try command.run(["merge", "plan.json"] + places)
        #expect(outcome.status == 0, "\(outcome.errors)")
        #expect(try file("out.csv") == whole)
        #expect(try file("rejects.ndjson") == rejects)
    }

    @Test func `a file of all shards is merged alone`() throws {
        let said = try succeed("merge", "plan.json", "parts", "--tree", "tree")
        #expect(said.contains("shards 0 to 2: wrote tree/shard-0-2.daybook-shard"))
        try merge("tree")
    }

    @Test func `a file of some goes with the others, and is put together again`() throws {
        try succeed("merge", "plan.json", part("1"), part("2"), "--tree", "tree")
        try merge(part("0"), "tree")
        try succeed("merge", "plan.json", part("0"), "tree", "--tree", "above")
        try merge("above")
    }

    @Test func `of files that overlap those are taken that fit`() throws {
        try succeed("merge", "plan.json", part("0"), part("1"), "--tree", "parts")
        try succeed("merge", "plan.json", part("1"), part("2"), "--tree", "parts")
        // The longer file at the beginning leads nowhere.
        try merge(part("0"), part("0-1"), part("1-2"))
        let outcome = try command.run("merge", "plan.json", part("0-1"), part("1-2"))
        #expect(outcome.status == 3)
        #expect(outcome.errors.contains("no choice of the files holds each shard once"))
    }

    @Test func `reports say which params were set when the plan was made`() throws {
        try place.write(
            """
            daybook: 1
            params: { by: { default: group }, file: { default: in.csv } }
            stages:
              - import_csv: { path: "${file}" }
              - summarise_rows: { by: ["${by}"], values: { rows: count } }
              - export_csv: { path: out.csv }
            """,
            to: "params.yaml"
        )
        try succeed("plan", "params.yaml", "--set", "by=group", "--shards", "1", "-o", "params.json")
        try succeed("run", "--shard", "params.json#0", "--into", "other")
        try succeed("merge", "params.json", "other", "--report", "json=merged.json")
        try succeed("run", "params.yaml", "--set", "by=group", "--report", "json=whole.json")
        func params(_ name: String) throws -> NSDictionary? {
            let report = try JSONSerialization.jsonObject(with: try file(name)) as? [String: Any]
            return (report?["run"] as? [String: Any])?["params"] as? NSDictionary
        }
        let whole = try #require(try params("whole.json"))
        #expect((whole["by"] as? [String: Any])?["set"] as? Bool == true)
        #expect((whole["file"] as? [String: Any])?["set"] as? Bool == false)
        #expect(try params("merged.json") == whole)
    }

    @Test func `a gap is refused`() throws {
        let outcome = try command.run("merge", "plan.json", part("0"), part("2"), "--tree", "tree")
        #expect(outcome.status == 3)
        #expect(outcome.errors.contains("shard 1 is missing"))
        #expect(!FileManager.default.fileExists(atPath: place.url.appendingPathComponent("tree").path))
    }
}

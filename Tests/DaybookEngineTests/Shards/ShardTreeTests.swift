import DaybookTestSupport
import Foundation
import Testing

/// Shards that were put together before stand for those that they hold, in any mixture.
@Suite struct ShardTreeTests {
    private let scene: ShardScene

    init() throws {
        // A third of the rows is in each shard; the date is wrong in some.
        let rows = (1...300).map { "\($0),\($0 % 7),2026-\($0 % 13)-01\n" }.joined()
        scene = try ShardScene(
            input: "id,group,day\n" + rows,
            job: """
                daybook: 1
                rejects: { path: rejects.ndjson, allow: 50% }
                stages:
                  - import_csv: { path: in.csv, columns: { id: integer } }
                  - normalise_dates: { column: day, formats: [yyyy-M-d] }
                  - check_rows: { rules: [{ unique: id }] }
                  - summarise_rows: { by: [group], values: { total: sum(id) } }
                  - export_csv: { path: out.csv }
                """,
            shards: 3
        )
    }

    private func merge(_ places: String...) throws {
        try scene.merge(places, gives: ["out.csv", "rejects.ndjson"])
        #expect(try scene.file("rejects.ndjson").split(separator: UInt8(ascii: "\n")).count == 23)
    }

    @Test func `a file of all shards is merged alone`() throws {
        let said = try scene.succeed("merge", "plan.json", "parts", "--tree", "tree")
        #expect(said.contains("shards 0 to 2: wrote tree/shard-0-2.daybook-shard"))
        try merge("tree")
    }

    @Test func `a file of some goes with the others, and is put together again`() throws {
        try scene.succeed("merge", "plan.json", scene.part("1"), scene.part("2"), "--tree", "tree")
        try merge(scene.part("0"), "tree")
        try scene.succeed("merge", "plan.json", scene.part("0"), "tree", "--tree", "above")
        try merge("above")
    }

    @Test func `of files that overlap those are taken that fit`() throws {
        try scene.succeed("merge", "plan.json", scene.part("0"), scene.part("1"), "--tree", "parts")
        try scene.succeed("merge", "plan.json", scene.part("1"), scene.part("2"), "--tree", "parts")
        // The longer file at the beginning leads nowhere.
        try merge(scene.part("0"), scene.part("0-1"), scene.part("1-2"))
        let outcome = try scene.command.run("merge", "plan.json", scene.part("0-1"), scene.part("1-2"))
        #expect(outcome.status == 3)
        #expect(outcome.errors.contains("no choice of the files holds each shard once"))
    }

    @Test func `reports say which params were set when the plan was made`() throws {
        try scene.place.write(
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
        try scene.succeed("plan", "params.yaml", "--set", "by=group", "--shards", "1", "-o", "params.json")
        try scene.succeed("run", "--shard", "params.json#0", "--into", "other")
        try scene.succeed("merge", "params.json", "other", "--report", "json=merged.json")
        try scene.succeed("run", "params.yaml", "--set", "by=group", "--report", "json=whole.json")
        func params(_ name: String) throws -> NSDictionary? {
            let report = try JSONSerialization.jsonObject(with: try scene.file(name)) as? [String: Any]
            return (report?["run"] as? [String: Any])?["params"] as? NSDictionary
        }
        let whole = try #require(try params("whole.json"))
        #expect((whole["by"] as? [String: Any])?["set"] as? Bool == true)
        #expect((whole["file"] as? [String: Any])?["set"] as? Bool == false)
        #expect(try params("merged.json") == whole)
    }

    @Test func `a gap is refused`() throws {
        let outcome = try scene.command.run("merge", "plan.json", scene.part("0"), scene.part("2"), "--tree", "tree")
        #expect(outcome.status == 3)
        #expect(outcome.errors.contains("shard 1 is missing"))
        #expect(!scene.exists("tree"))
    }
}

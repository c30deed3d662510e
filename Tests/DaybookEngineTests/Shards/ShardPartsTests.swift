import DaybookTestSupport
import Foundation
import Testing

/// Outputs in parts, one behind the other, are what one process writes in one.
@Suite struct ShardPartsTests {
    private let scene: ShardScene

    init() throws {
        scene = try ShardScene(
            input: ShardScene.names,
            job: """
                daybook: 1
                publish: { directory: out }
                rejects: { path: rejects.ndjson, allow: 100% }
                stages:
                  - import_csv: { path: in.csv, columns: { day: integer } }
                    id: in
                  - check_rows: { rules: [{ between: { column: day, max: 89 }, then: reject, warn: "> 0" }] }
                    id: low
                  - export_csv: { path: out/low.csv, parts: shards }
                  - export_json: { path: out/all.ndjson, layout: lines, parts: shards }
                    from: in
                  - summarise_rows: { by: name, values: { rows: count } }
                    from: in
                  - export_csv: { path: out/names.csv, parts: shards }
                """,
            shards: 3
        )
    }

    private func parts(_ name: String) throws -> [String] {
        try FileManager.default.contentsOfDirectory(atPath: scene.url("out/\(name)").path).sorted()
    }

    private func whole(_ name: String) throws -> Data {
        try parts(name).reduce(into: Data()) { $0 += try scene.file("out/\(name)/\($1)") }
    }

    private let names = ["low.csv", "all.ndjson", "names.csv"]

    private var hidden: [String] {
        get throws {
            try FileManager.default.contentsOfDirectory(atPath: scene.place.url.path).filter {
                $0.hasPrefix(".out.parts-")
            }
        }
    }

    @Test func `the parts of shards follow one another`() throws {
        try scene.succeed("run", "job.yaml")
        let plain = try names.map(whole)
        #expect(try names.map(parts) == [["part-000000.csv"], ["part-000000.ndjson"], ["part-000000.csv"]])
        #expect(plain[1].split(separator: UInt8(ascii: "\n")).count == 900)
        // A shard that was done twice has left a part too many.
        try scene.succeed("run", "--shard", "plan.json#1", "--into", "parts")
        try scene.succeed("merge", "plan.json", "parts", "--tree", "tree")
        try scene.succeed("merge", "plan.json", "tree", "--manifest", "run.json")
        #expect(try names.map(whole) == plain)
        let made = try names.map(parts)
        // The header stands alone, before the part of the first shard.
        #expect(made.map(\.count) == [4, 3, 1])
        #expect(try scene.file("out/low.csv/part-000000.csv") == Data("name,day\n".utf8))
        #expect(try hidden.isEmpty)
        let manifest = String(decoding: try scene.file("run.json"), as: UTF8.self)
        for name in made[0] { #expect(manifest.contains("out/low.csv/\(name)")) }
    }

    @Test func `a part that is gone or another is refused, and the old outputs stay`() throws {
        try scene.succeed("run", "job.yaml")
        let plain = try names.map(whole)
        let directory = try #require(try hidden.first)
        let files = try FileManager.default.contentsOfDirectory(atPath: scene.url(directory).path).sorted()
        #expect(files.count == 6)
        for file in files {
            let url = scene.url("\(directory)/\(file)")
            let bytes = try Data(contentsOf: url)
            for other in [nil, bytes.dropLast(), bytes + Data("x".utf8), Data(bytes.reversed())] {
                try FileManager.default.removeItem(at: url)
                try other?.write(to: url)
                let outcome = try scene.command.run("merge", "plan.json", "parts")
                #expect(outcome.status == 3)
                #expect(outcome.errors.contains("is missing or was changed [missing-part]\n  hint: run shard "))
                if other == nil { try bytes.write(to: url) }
            }
            try bytes.write(to: url)
        }
        #expect(try names.map(whole) == plain)
        // With all of them in their place it goes on.
        try scene.succeed("merge", "plan.json", "parts")
        #expect(try names.map(whole) == plain)
    }

    @Test func `a job goes from one file to parts and back`() throws {
        for parts in ["one", "shards", "one"] {
            try scene.place.write(
                """
                daybook: 1
                publish: { directory: again }
                stages: [{ import_csv: { path: in.csv } }, { export_csv: { path: again/v1.2.csv, parts: \(parts) } }]
                """,
                to: "again.yaml"
            )
            let said = try scene.succeed("run", "again.yaml")
            #expect(said.contains("wrote again/v1.2.csv\(parts == "one" ? "" : " in 1 part"), in "))
            let file = parts == "one" ? "again/v1.2.csv" : "again/v1.2.csv/part-000000.csv"
            #expect(try scene.file(file) == Data(ShardScene.names.utf8))
        }
    }

    @Test func `a gate that fails leaves the parts for another merge`() throws {
        let job = { (fail: String) in
            """
            daybook: 1
            publish: { directory: gated }
            stages:
              - import_csv: { path: in.csv, columns: { day: integer } }
              - check_rows: { rules: [{ between: { column: day, max: 89 }\(fail) }] }
              - export_csv: { path: gated/all.csv, parts: shards }
            """
        }
        try scene.place.write(job(""), to: "gated.yaml")
        try scene.succeed("plan", "gated.yaml", "--shards", "2", "-o", "gated.json")
        for number in 0...1 { try scene.succeed("run", "--shard", "gated.json#\(number)", "--into", "gates") }
        let failed = try scene.command.run("merge", "gated.json", "gates")
        #expect(failed.status == 1 && !scene.exists("gated"))
        #expect(
            try FileManager.default.contentsOfDirectory(atPath: scene.place.url.path).contains {
                $0.hasPrefix(".gated.parts-")
            }
        )
        _ = try scene.command.run("run", "gated.yaml", "--baseline", "known.json", "--update-baseline")
        try scene.succeed("merge", "gated.json", "gates", "--baseline", "known.json")
        #expect(scene.exists("gated/all.csv/part-000002.csv"))
    }

    @Test func `a SHA-256 that a shard has not taken is taken by the merge`() throws {
        let digests = { (policy: String) in
            for number in 0...2 { try scene.succeed("run", "--shard", "plan.json#\(number)", "--into", "parts") }
            try scene.succeed("merge", "plan.json", "parts", "--manifest", "run.json", "--sha256", policy)
            let manifest = try JSONSerialization.jsonObject(with: try scene.file("run.json"))
            let outputs = try #require((manifest as? [String: Any])?["outputs"] as? [[String: Any]])
            return outputs.filter { ($0["path"] as? String)?.contains("low.csv/part-000001") == true }.map {
                $0["sha256"] as? String
            }
        }
        let taken = try digests("always")
        #expect(taken.count == 1 && taken[0]?.count == 64)
        #expect(try digests("auto") == taken)
        #expect(try digests("never") == [nil])
    }

    @Test func `tests and replays of a job write no parts`() throws {
        try scene.place.write(
            """
            daybook: 1
            publish: { directory: tried }
            rejects: { path: tried.ndjson, allow: 100% }
            stages:
              - import_csv: { path: tried.csv, columns: { day: integer } }
              - export_csv: { path: tried/all.csv, parts: shards }
            tests:
              - name: a day stays
                given: { import_csv: "name,day\\na,1\\n" }
                expect: { export_csv: "name,day\\na,1\\n" }
            """,
            to: "tried.yaml"
        )
        try scene.place.write("name,day\na,1\nb,x\n", to: "tried.csv")
        try scene.succeed("run", "tried.yaml")
        let tested = try scene.command.run("test", "tried.yaml")
        #expect(tested.status == 0, "\(tested.output)\(tested.errors)")
        let rejects = String(decoding: try scene.file("tried.ndjson"), as: UTF8.self)
        try scene.place.write(rejects.replacingOccurrences(of: "b,x", with: "b,2"), to: "mended.ndjson")
        try scene.succeed("replay", "mended.ndjson", "--job", "tried.yaml", "--into", "replayed")
        #expect(try scene.file("replayed/tried/all.csv") == Data("name,day\nb,2\n".utf8))
    }

    @Test(arguments: [
        ("export_csv: { path: all.csv, parts: shards }", "add 'publish: { directory: out }'"),
        ("export_csv: { path: ../out/all.csv, parts: shards }", "add 'publish: { directory: ../out }'"),
        ("export_json: { path: all.json, parts: shards }", "add 'layout: lines'"),
        ("export_csv: { path: '-', parts: shards }", "'-' is to be in parts"),
    ])
    func `parts that nobody could put in place are refused`(_ stage: String, _ words: String) throws {
        try scene.place.write(
            "daybook: 1\nstages: [{ import_csv: { path: in.csv } }, { \(stage) }]\n",
            to: "other.yaml"
        )
        let outcome = try scene.command.run("validate", "other.yaml")
        #expect(outcome.status == 2 && outcome.errors.contains(words), "\(outcome.errors)")
    }
}

import DaybookTestSupport
import Foundation
import Testing

@testable import DaybookContracts

/// What is not the file of a shard as it was written is refused by its name, and nothing is written.
@Suite struct ShardDamageTests {
    private let scene: ShardScene

    init() throws {
        let rows = (1...200).map { "\($0),\($0 % 7)\n" }.joined()
        scene = try ShardScene(
            input: "id,group\n" + rows,
            job: """
                daybook: 1
                stages:
                  - import_csv: { path: in.csv, columns: { id: integer } }
                  - check_rows: { rules: [{ unique: id }] }
                  - summarise_rows: { by: [group], values: { total: sum(id) } }
                  - export_csv: { path: out.csv }
                """,
            shards: 2
        )
    }

    private func part(_ number: Int) -> URL { scene.url(scene.part("\(number)")) }

    /// Holds that a merge is refused, with `words` in what it says.
    private func refuse(_ words: String, plan: String = "plan.json", _ comment: Comment) throws {
        let outcome = try scene.command.run("merge", plan, "parts")
        #expect(outcome.status == 3, comment)
        #expect(outcome.errors.contains(words), "\(comment): \(outcome.errors)")
        #expect(!scene.exists("out.csv"), comment)
    }

    @Test func `what is whole is merged`() throws {
        try scene.succeed("merge", "plan.json", "parts")
        let out = try String(contentsOf: scene.url("out.csv"), encoding: .utf8)
        #expect(out.hasPrefix("group,total\n") && out.split(separator: "\n").count == 8)
    }

    @Test func `a flipped bit is found wherever it is`() throws {
        var generator = SeededGenerator(seed: 7)
        for round in 1...TestSize.rounds(40, of: 1_000) {
            let file = part(round % 2)
            let whole = try Data(contentsOf: file)
            var bytes = whole
            let at = Int.random(in: 0..<bytes.count, using: &generator)
            bytes[at] ^= 1 << UInt8.random(in: 0..<8, using: &generator)
            try bytes.write(to: file)
            try refuse("shard-\(round % 2).daybook-shard'", "byte \(at) of \(bytes.count)")
            try whole.write(to: file)
        }
    }

    @Test func `what is cut off is found`() throws {
        let whole = try Data(contentsOf: part(1))
        for length in [0, 1, 17, 18, whole.count / 2, whole.count - 17, whole.count - 16, whole.count - 1] {
            try whole.prefix(length).write(to: part(1))
            try refuse("shard-1.daybook-shard'", "\(length) bytes")
        }
        try (whole + Data([0])).write(to: part(1))
        try refuse("shard-1.daybook-shard'", "a byte more")
    }

    /// What packed rows say of their lengths is believed, so nobody may make a file fit who does not have the plan.
    @Test func `a digest that was made to fit is none`() throws {
        let whole = try Data(contentsOf: part(1))
        let body = whole.dropLast(16)
        for at in [20, body.count / 2, body.count - 30] {
            var bytes = [UInt8](body)
            bytes[at] ^= 0x80
            var xxh128 = XXH128Digest()
            var sha256 = SHA256Digest()
            bytes.withUnsafeBufferPointer {
                xxh128.update($0)
                sha256.update($0)
            }
            for sum in [xxh128.finish(), String(sha256.finish().prefix(32))] {
                try Data(bytes + Hexadecimal.bytes(of: sum)!).write(to: part(1))
                try refuse("shard-1.daybook-shard' is damaged", "byte \(at)")
            }
        }
    }

    @Test func `one shard is not taken for another`() throws {
        try FileManager.default.removeItem(at: part(0))
        try refuse("shard 0 is missing", "removed")
        try FileManager.default.copyItem(at: part(1), to: part(0))
        try refuse("shard 0 is missing", "another in its place")
    }

    @Test(arguments: ["in.csv", "job.yaml", "out.csv", ".daybook/history.sqlite"])
    func `a plan is not written over a file of the job`(_ name: String) throws {
        try scene.succeed("run", "job.yaml")
        let before = try scene.file(name)
        let outcome = try scene.command.run("plan", "job.yaml", "--shards", "2", "-o", name)
        #expect(outcome.status == 2 && outcome.errors.contains("[output-"), "\(outcome.errors)")
        #expect(try scene.file(name) == before)
    }

    @Test func `another plan is not taken for this one`() throws {
        try scene.succeed("plan", "job.yaml", "--shards", "2", "-o", "other.json")
        try refuse("belongs to another plan than 'other.json'", plan: "other.json", "another seed")
        let plan = try String(contentsOf: scene.url("plan.json"), encoding: .utf8)
        try scene.place.write(plan.replacing("\"daybook\" : \"", with: "\"daybook\" : \"9."), to: "newer.json")
        try refuse("run all processes of a plan with one version", plan: "newer.json", "another version")
        for number in ["-1", "9223372036854775807"] {
            let bytes = plan.replacing(/"bytes" : [0-9]+,\n *"stage"/, with: "\"bytes\" : \(number), \"stage\"")
            #expect(bytes != plan)
            try scene.place.write(bytes, to: "odd.json")
            try refuse("'odd.json' is damaged", plan: "odd.json", "a slice of \(number) bytes")
        }
        let changes: [(String, Regex<Substring>, String)] = [
            ("a slice taken away", /\{[^{}]*"stage"[^{}]*\}/, ""),
            ("another stage", /"stage" : "[^"]*"/, "\"stage\" : \"other\""),
            ("other bytes", /"bytes" : [0-9]+,\n *"stage"/, "\"bytes\" : 7, \"stage\""),
            ("another day", /"as_of" : "2/, "\"as_of\" : \"1"),
        ]
        for (what, part, other) in changes {
            let changed = plan.replacing(part, with: other, maxReplacements: 1)
            #expect(changed != plan, "\(what)")
            try scene.place.write(changed, to: "changed.json")
            try refuse("'changed.json' was changed since it was made", plan: "changed.json", "\(what)")
        }
        // The layout of the JSON is no change.
        let compact = try JSONSerialization.data(withJSONObject: JSONSerialization.jsonObject(with: Data(plan.utf8)))
        try scene.place.write(compact, to: "compact.json")
        try refuse(
            "belongs to another plan than 'compact.json'",
            plan: "compact.json",
            "its shards know it by its bytes"
        )
        try scene.place.write("{}", to: "empty.json")
        try refuse("is no plan of shards", plan: "empty.json", "no plan")
    }

    @Test func `a job or an input that has changed is refused`() throws {
        let rows = try String(contentsOf: scene.url("in.csv"), encoding: .utf8)
        try scene.place.write(rows.replacing("\n100,", with: "\n900,"), to: "in.csv")
        try refuse("'in.csv' is not the file that 'plan.json' was made for", "the input")
        let again = try scene.command.run("run", "--shard", "plan.json#0", "--into", "more")
        #expect(again.status == 3 && again.errors.contains("input-changed"))
        try scene.place.write(rows, to: "in.csv")
        let job = try String(contentsOf: scene.url("job.yaml"), encoding: .utf8)
        try scene.place.write(job + "\n", to: "job.yaml")
        try refuse("'job.yaml' is not the job that 'plan.json' was made for", "the job")
    }
}

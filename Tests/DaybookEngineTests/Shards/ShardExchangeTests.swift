import DaybookTestSupport
import Foundation
import Testing

/// Keys that other processes settle by partitions give what one process gives.
@Suite struct ShardExchangeTests {
    private let scene: ShardScene

    init() throws {
        scene = try ShardScene(
            input: ShardScene.names,
            job: """
                daybook: 1
                rejects: { path: rejects.ndjson, allow: 100% }
                stages:
                  - import_csv: { path: in.csv, columns: { day: integer } }
                    id: in
                  - check_rows: { rules: [{ unique: [name, day], then: reject }, { unique: name, warn: "> 0" }] }
                  - export_csv: { path: checked.csv }
                  - deduplicate_rows: { by: [name], keep: newest, newest_by: day }
                    from: in
                  - export_csv: { path: newest.csv }
                  - summarise_rows: { by: [name], values: { rows: count, days: distinct(day), last: last(day) } }
                    from: in
                  - export_csv: { path: names.csv }
                """,
            shards: 3,
            options: ["--exchange", "4"]
        )
    }

    private func settle(_ partitions: ClosedRange<Int>) throws {
        for number in partitions {
            let said = try scene.succeed("exchange", "plan.json#\(number)/4", "parts", "--into", "settled")
            #expect(said.contains("wrote settled/shard-0-2.\(number).daybook-settled"))
        }
    }

    @Test func `all partitions together give what one process gives`() throws {
        try settle(0...3)
        let names = ["checked.csv", "newest.csv", "names.csv", "rejects.ndjson"]
        try scene.merge(["parts", "settled"], gives: names)
        #expect(try scene.file("names.csv").split(separator: UInt8(ascii: "\n")).count == 312)
        // Files put together in stages go with them.
        try scene.succeed("merge", "plan.json", "parts", "--tree", "tree")
        try scene.merge(["tree", "settled"], gives: names)
    }

    @Test func `keys that the merge may yet meet are not exchanged`() throws {
        let scene = try ShardScene(
            input: "id,name\n1,a\n2,b\n",
            job: """
                daybook: 1
                stages:
                  - import_csv: { path: in.csv, columns: { id: integer } }
                    id: in
                  - import_csv: { path: beside.csv, columns: { id: integer } }
                    id: beside
                  - summarise_rows: { by: name, values: { rows: count } }
                    from: in
                  - export_csv: { path: names.csv }
                  - join_rows: { by: [id, name], kind: full, take: [more] }
                    from: [in, beside]
                    id: joined
                  - deduplicate_rows: { by: id }
                  - export_csv: { path: once.csv }
                  - check_rows: { rules: [{ unique: id, warn: "> 0" }] }
                    from: joined
                  - export_csv: { path: all.csv }
                """,
            shards: 1,
            options: ["--exchange", "2"],
            beside: ["beside.csv": "id,name,more\n1,a,x\n1,z,y\n2,q,z\n"]
        )
        for number in 0...1 { try scene.succeed("exchange", "plan.json#\(number)/2", "parts", "--into", "settled") }
        try scene.merge(["parts", "settled"], gives: ["names.csv", "once.csv", "all.csv"])
        #expect(String(decoding: try scene.file("once.csv"), as: UTF8.self) == "id,name,more\n1,a,x\n2,b,\n")
    }

    @Test func `the file of a shard holds none of the keys`() throws {
        let text = String(decoding: try scene.file(scene.part("1")), as: UTF8.self)
        let keys = try (0...3).map {
            String(decoding: try scene.file("parts/shard-1.\($0).daybook-keys"), as: UTF8.self)
        }
        #expect(keys.allSatisfy { $0.contains("name 1") })
        // Rows that wait for the end, and their outputs, do.
        #expect(text.contains("name 1"))
        #expect(Set(keys.map(\.count)).count == 4)
    }

    private func refuse(_ arguments: String..., saying words: String, status: Int32 = 3) throws {
        let outcome = try scene.command.run(arguments)
        #expect(outcome.status == status && outcome.errors.contains(words), "\(arguments): \(outcome.errors)")
        #expect(!scene.exists("names.csv"))
    }

    @Test func `a partition that is missing or damaged is refused by its name`() throws {
        try settle(0...2)
        try refuse("merge", "plan.json", "parts", "settled", saying: "run 'daybook exchange plan.json#3'")
        try settle(3...3)
        let file = scene.url("settled/shard-0-2.3.daybook-settled")
        let whole = try Data(contentsOf: file)
        for at in stride(from: 0, to: whole.count, by: max(1, whole.count / 20)) {
            var bytes = whole
            bytes[at] ^= 4
            try bytes.write(to: file)
            try refuse("merge", "plan.json", "parts", "settled", saying: "shard-0-2.3.daybook-settled'")
        }
        // One partition is not taken for another.
        try scene.file("settled/shard-0-2.1.daybook-settled").write(to: file)
        try refuse("merge", "plan.json", "parts", "settled", saying: "partition 3 of the keys is missing")
    }

    @Test func `an exchange wants the keys of every shard`() throws {
        try FileManager.default.removeItem(at: scene.url("parts/shard-1.2.daybook-keys"))
        try refuse("exchange", "plan.json#2", "parts", "--into", "settled", saying: "shard 1 is missing")
        #expect(!scene.exists("settled/shard-0-2.2.daybook-settled"))
    }

    @Test(arguments: [
        ("plan.json#4", "has 4 partitions, numbered from 0"), ("plan.json#1/8", "has 4 partitions"),
        ("plan.json#1/", "expected the number of a partition"), ("plan.json", "such as plan.json#7"),
        ("plan.json#-1", "expected the number of a partition"), ("plan.json#env", "the environment has no number"),
    ])
    func `a partition that is none is refused`(_ name: String, _ words: String) throws {
        try refuse("exchange", name, "parts", "--into", "settled", saying: words, status: 2)
    }

    @Test func `a job without keys has nothing to exchange`() throws {
        try scene.place.write(
            "daybook: 1\nstages: [{ import_csv: { path: in.csv } }, { export_csv: { path: all.csv } }]\n",
            to: "plain.yaml"
        )
        try refuse(
            "plan",
            "plain.yaml",
            "--shards",
            "2",
            "--exchange",
            "2",
            "-o",
            "plain.json",
            saying: "no stage of the job gathers keys",
            status: 2
        )
    }
}

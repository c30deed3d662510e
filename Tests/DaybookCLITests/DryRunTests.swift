import DaybookTestSupport
import Foundation
import Testing

/// A run that writes nothing, and shows what would change.
@Suite struct DryRunTests {
    let place: TemporaryDirectory
    let command: CommandTrial

    init() throws {
        place = try TemporaryDirectory()
        command = CommandTrial(in: place.url)
        let items =
            #"{"version":1,"items":[{"id":"a","title":"one","done":false,"x":9},{"id":"b","title":"TWO","done":true},"#
            + #"{"id":"c","title":"three","done":true}]}"#
        let store: [String: Any] = ["todos": Data(items.utf8), "other": "stays"]
        let bytes = try PropertyListSerialization.data(fromPropertyList: store, format: .binary, options: 0)
        try bytes.write(to: place.url.appendingPathComponent("p.plist"))
        try place.write("day,mood\n2026-01-01,good\n2026-01-02,bad\n", to: "moods.csv")
        try place.write("day,mood\n2026-01-01,GOOD\n2026-01-02,OK\n", to: "out.csv")
        try place.write(
            """
            daybook: 1
            job: j
            rejects: { path: rejects.ndjson, allow: 1 }
            stages:
              - import_user_defaults: { path: p.plist, key: todos, records: /items }
              - filter_rows: { where: "id != 'c'" }
              - derive_columns: { columns: { title: "upper(title)" }, replace: true }
              - export_user_defaults: { path: o.plist, into: p.plist, key: todos, records: /items }
              - import_csv: { path: moods.csv }
              - derive_columns: { columns: { mood: "upper(mood)" }, replace: true }
              - export_csv: { path: out.csv }
              - export_json: { path: new/out.json }

            """,
            to: "job.yaml"
        )
    }

    private var everything: [String: Data] {
        let root = place.url.path
        let names = (try? FileManager.default.subpathsOfDirectory(atPath: root)) ?? []
        return Dictionary(
            uniqueKeysWithValues: names.map { ($0, FileManager.default.contents(atPath: root + "/" + $0) ?? Data()) }
        )
    }

    @Test func recordsThatWouldChangeAreShownAndNothingIsWritten() throws {
        let before = everything
        let outcome = try command.run(["run", "job.yaml", "--dry-run"])
        #expect(outcome.status == 0, "\(outcome.errors)")
        #expect(everything == before)
        let said = outcome.errors
        for line in [
            "rows of o.plist, todos /items by id: 0 came, 1 went, 1 changed, 1 as before",
            "~ id=a  title: one → ONE",
            "- id=c title=three done=true",
            "rows of out.csv by day: 0 came, 0 went, 1 changed, 1 as before",
            "~ day=2026-01-02  mood: OK → BAD  (line 3)",
            "new/out.json: it would be new, with 74 bytes",
            "done: a dry run, so nothing was written; o.plist, todos /items and out.csv would change, new/out.json would be new",
        ] {
            #expect(said.contains(line), "\(line)\n\(said)")
        }
        // The run itself then does what was foretold.
        #expect(try command.run(["run", "job.yaml"]).status == 0)
        let after = try command.run(["run", "job.yaml", "--dry-run"])
        #expect(after.errors.contains("out.csv and new/out.json would stay as they are"), "\(after.errors)")
    }

    @Test func programsAndPagesAreToldToo() throws {
        let outcome = try command.run(
            ["run", "job.yaml", "--dry-run", "--report", "json", "--report", "html=page.html"]
        )
        #expect(outcome.status == 0, "\(outcome.errors)")
        let told = try JSONSerialization.jsonObject(with: Data(outcome.errors.utf8)) as? [String: Any]
        let changes = try #require(told?["changes"] as? [[String: Any]])
        #expect(changes.map { $0["kind"] as? String } == ["changed", "changed", "new"])
        let rows = try #require(changes[0]["rows"] as? [String: Any])
        #expect(rows["key"] as? [String] == ["id"])
        #expect(rows["changed"] as? Int == 1)
        let page = place.text("page.html") ?? ""
        #expect(page.contains("What would change"))
        #expect(page.contains("title: one → ONE"), "\(page)")
    }

    @Test func aRunThatFailsFailsDryToo() throws {
        let before = everything
        try place.write("day,mood\n2026-01-01\n2026-01-02\n", to: "moods.csv")
        let outcome = try command.run(["run", "job.yaml", "--dry-run"])
        #expect(outcome.status == 1, "\(outcome.errors)")
        #expect(outcome.errors.contains("moods.csv:2"), "\(outcome.errors)")
        #expect(everything.keys == before.keys)
        // There is no file of rejects to look at.
        #expect(
            !outcome.errors.contains("rejects.ndjson,") && !outcome.errors.contains("look at rejects"),
            "\(outcome.errors)"
        )
        let refused = try command.run(["run", "job.yaml", "--dry-run", "--manifest", "m.json"])
        #expect(refused.status == 2)
        #expect(refused.errors.contains("a dry run writes nothing"), "\(refused.errors)")
    }
}

import DaybookTestSupport
import Foundation
import Testing

/// Runs that are done again, as their manifests tell.
@Suite struct VerifyCommandTests {
    private let place: TemporaryDirectory
    private let command: CommandTrial

    init() throws {
        place = try TemporaryDirectory()
        command = CommandTrial(in: place.url)
        try write("count + 1")
        try place.write("id,count\n1,3\n2,x\n", to: "jobs/in/a.csv")
    }

    private func write(_ expression: String) throws {
        try place.write(
            """
            daybook: 1
            job: counts
            as_of: today
            params: { folder: in, word: { default: none, secret: true } }
            rejects: { path: ../out/rejects.ndjson, allow: 1 }
            stages:
              - import_csv: { path: "${folder}/*.csv", columns: { count: integer } }
              - derive_columns: { more: \(expression), day: "'${as_of}'", word: "'${word}'" }
              - export_csv: { path: ../out/counts.csv }
              - export_json: { path: "-", layout: lines }

            """,
            to: "jobs/counts.yaml"
        )
    }

    private func run(_ arguments: String...) throws {
        let outcome = try command.run(["run", "jobs/counts.yaml", "--manifest", "run.json"] + arguments)
        #expect(outcome.status == 0, "\(outcome.errors)")
    }

    private func verify(_ arguments: String..., ending code: Int32 = 0) throws -> CommandTrial.Outcome {
        let outcome = try command.run(["verify", "run.json"] + arguments)
        #expect(outcome.status == code, "\(outcome.output)\(outcome.errors)")
        return outcome
    }

    @Test func `a run comes out the same on its day, and nothing is written`() throws {
        try run("--as-of", "2026-11-02")
        try place.write("mine", to: "out/counts.csv")
        // A file that came later is none of that run.
        try place.write("id,count\n3,9\n", to: "jobs/in/b.csv")
        let before = try FileManager.default.subpathsOfDirectory(atPath: place.url.path).sorted()
        let said = try verify().output
        #expect(said == "'counts' of 2026-11-02 comes out the same: 3 outputs, every byte\n")
        #expect(place.text("out/counts.csv") == "mine")
        #expect(try FileManager.default.subpathsOfDirectory(atPath: place.url.path).sorted() == before)
        // The manifest in the state directory finds its job from anywhere.
        var elsewhere = command
        elsewhere.directory = place.url.appendingPathComponent("out")
        let kept = try elsewhere.run("verify", "../jobs/.daybook/manifests/counts.json")
        #expect(kept.status == 0, "\(kept.errors)")
    }

    @Test func `what is another is named`() throws {
        try run()
        try place.write("id,count\n1,4\n", to: "jobs/in/a.csv")
        let input = try verify(ending: 1).output
        #expect(input.contains("'counts' of ") && input.contains("comes out otherwise: 3 of 3 outputs"), "\(input)")
        #expect(
            input.contains("  ~ output ../out/rejects.ndjson  ") && input.contains("  ~ input in/a.csv  17 bytes, "),
            "\(input)"
        )
        #expect(!input.contains("~ job"))
        try place.write("id,count\n1,3\n2,x\n", to: "jobs/in/a.csv")
        try write("count + 2")
        let job = try verify(ending: 1).output
        #expect(job.contains("  ~ job  sha256 ") && !job.contains("~ input"), "\(job)")
        let json = try verify("--format", "json", ending: 1).output
        #expect(json.contains("\"what\" : \"job\"") && json.contains("\"same\" : false"), "\(json)")
        // Another job may do the same.
        try write("1 + count")
        #expect(try verify().output.contains("comes out the same: 3 outputs, every byte\n  ~ job  sha256 "))
        try FileManager.default.removeItem(at: place.url.appendingPathComponent("jobs/in/a.csv"))
        let gone = try verify(ending: 3)
        #expect(gone.output.contains("  ~ input in/a.csv  17 bytes"), "\(gone.output)")
        #expect(
            gone.output.contains("→ none") && gone.errors.contains("[input-not-found]"),
            "\(gone.output)\(gone.errors)"
        )
    }

    @Test func `params are those of the run, and a secret is asked for`() throws {
        try place.write("id,count\n5,5\n", to: "jobs/other/c.csv")
        try run("--set", "folder=other", "--set", "word=sesame")
        let refused = try verify(ending: 2)
        #expect(refused.errors.contains("[secret-not-given]") && refused.errors.contains("--set word=value"))
        #expect(try verify("--set", "word=sesame").output.contains("comes out the same"))
        let other = try verify("--set", "word=barley", ending: 1)
        #expect(
            other.output.contains("otherwise: 2 of 3 outputs") && !other.output.contains("barley"),
            "\(other.output)"
        )
        #expect(other.output.contains("what the manifest does not tell is another"), "\(other.output)")
    }

    @Test func `only a run that came to its end can be verified`() throws {
        #expect(
            try command.run("run", "jobs/counts.yaml", "--set", "folder=nowhere", "--manifest", "run.json").status == 3
        )
        #expect(try verify(ending: 2).errors.contains("[nothing-to-verify]"))
        try place.write("{\"a\": 1}", to: "run.json")
        #expect(try verify(ending: 3).errors.contains("[bad-manifest]"))
        #expect(try command.run("verify", "jobs").errors.contains("cannot read 'jobs': it is a directory"))
    }

    @Test func `an output that grows is verified by what it grew from`() throws {
        try place.write(
            """
            daybook: 1
            job: grows
            stages:
              - import_csv: { path: "in/*.csv", new_only: true }
              - export_csv: { path: all.csv, append: true }

            """,
            to: "jobs/counts.yaml"
        )
        try run()
        // The file did not exist before that run; now it does, and stays as it is.
        #expect(try verify().output.contains("comes out the same: 1 output, every byte"))
        let first = try #require(place.text("jobs/all.csv"))
        try place.write("id,count\n3,9\n", to: "jobs/in/b.csv")
        try run()
        #expect(try verify().output.contains("comes out the same: 1 output, every byte"))
        // The repeated run starts from what it grew from; but the file is not as the run left it.
        try place.write(first, to: "jobs/all.csv")
        let said = try verify(ending: 1).output
        #expect(said.contains("comes out the same, but stands there otherwise: 1 of 1 output\n"), "\(said)")
        #expect(place.text("jobs/all.csv") == first)
    }

    @Test func `a new database is verified from nothing`() throws {
        try place.write(
            """
            daybook: 1
            job: store
            stages:
              - import_csv: { path: in/a.csv }
              - export_sqlite: { path: all.sqlite, table: t, append: true }

            """,
            to: "jobs/counts.yaml"
        )
        try run()
        #expect(try verify().output.contains("comes out the same: 1 output, every byte"))
    }

    @Test func `earlier runs that are not known any more are told`() throws {
        try place.write(
            """
            daybook: 1
            job: counts
            keep: 2 runs
            stages:
              - import_csv: { path: in/a.csv }
              - check_rows:
                  rules: [{ row_count: { change: { max: 20%, from: median of 7 } }, id: rows }]
                id: gate
              - export_csv: { path: ../out/counts.csv }

            """,
            to: "jobs/counts.yaml"
        )
        for day in ["2026-10-01", "2026-10-02"] { try run("--as-of", day) }
        #expect(try !verify().output.contains("earlier runs"))
        try run("--as-of", "2026-10-03")
        let told = try verify().output
        #expect(told.contains("  ~ earlier runs  2 runs since 2026-10-01 → 1 run since 2026-10-02\n"), "\(told)")
    }
}

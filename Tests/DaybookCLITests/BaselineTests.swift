import DaybookTestSupport
import Foundation
import Testing

/// A baseline lets what is known pass, and only that.
@Suite struct BaselineTests {
    let place: TemporaryDirectory
    let command: CommandTrial
    private static let rows = "id,emotion,count\n1,행복해,3\n2,,5\n2,우울해,2000\n3,행복해,many\n"

    init() throws {
        place = try TemporaryDirectory()
        command = CommandTrial(in: place.url)
        try place.write(BaselineTests.rows, to: "in.csv")
        try place.write(
            """
            daybook: 1
            stages:
              - import_csv: { path: in.csv, columns: { count: integer } }
              - check_rows:
                  rules:
                    - not_missing: emotion
                    - { unique: id, then: reject }
                    - { between: { column: count, max: 1000 }, then: count }
                    - columns: [id, emotion, count, note]
              - export_csv: { path: out.csv }

            """,
            to: "gate.yaml"
        )
    }

    @Test func whatIsKnownPassesAlsoWhenLinesMove() throws {
        #expect(try command.run("run", "gate.yaml").status == 1)
        let update = try command.run("run", "gate.yaml", "--baseline", "known.json", "--update-baseline")
        #expect(update.status == 0)
        #expect(update.errors.contains("baseline: 5 findings are known from now on"))
        #expect(place.text("out.csv") == "id,emotion,count\n1,행복해,3\n2,,5\n")

        try place.write(BaselineTests.rows.replacing("1,행복해,3\n", with: "8,행복해,3\n9,우울해,4\n"), to: "in.csv")
        let again = try command.run("run", "gate.yaml", "--baseline", "known.json")
        #expect(again.status == 0)
        #expect(!again.errors.contains("error:"))
        #expect(again.errors.contains("1 of 4 rows (25 %) has no value in 'emotion', 1 of them in the baseline"))
        #expect(!again.errors.contains("fixed"))
    }

    @Test func whatIsNewFailsAlone() throws {
        _ = try command.run("run", "gate.yaml", "--baseline", "known.json", "--update-baseline")
        try place.write(BaselineTests.rows + "4,,6\n", to: "in.csv")
        let outcome = try command.run("run", "gate.yaml", "--baseline", "known.json")
        #expect(outcome.status == 1)
        #expect(outcome.errors.contains("in.csv:6:3: error: the value is missing [not_missing_emotion]"))
        #expect(outcome.errors.components(separatedBy: "error:").count == 2)
        #expect(outcome.errors.contains("2 of 4 rows (50 %) have no value in 'emotion', 1 of them in the baseline"))
    }

    @Test func oneMoreOfTheSameIsNew() throws {
        _ = try command.run("run", "gate.yaml", "--baseline", "known.json", "--update-baseline")
        try place.write(BaselineTests.rows + "3,행복해,many\n", to: "in.csv")
        let outcome = try command.run("run", "gate.yaml", "--baseline", "known.json")
        #expect(outcome.status == 1)
        #expect(outcome.errors.contains("in.csv:6:7: error: 'many' is not a whole number [not-an-integer]"))
        #expect(outcome.errors.contains("2 of 5 rows rejected (40 %), 1 of them in the baseline, none allowed"))
    }

    @Test func aRuleAboutAllRowsIsNewWhenItsFiguresChange() throws {
        try place.write(
            place.text("gate.yaml")!.replacing("columns: [id, emotion, count, note]", with: "row_count: { min: 9 }"),
            to: "gate.yaml"
        )
        _ = try command.run("run", "gate.yaml", "--baseline", "known.json", "--update-baseline")
        #expect(try command.run("run", "gate.yaml", "--baseline", "known.json").status == 0)
        try place.write("id,emotion,count\n1,행복해,3\n", to: "in.csv")
        let outcome = try command.run("run", "gate.yaml", "--baseline", "known.json")
        #expect(outcome.status == 1)
        #expect(outcome.errors.contains("there is 1 row, and at least 9 should be there [row_count]"))
    }

    @Test func `a figure that is right again had no value`() throws {
        try place.write(
            place.text("gate.yaml")!.replacing(
                "columns: [id, emotion, count, note]",
                with: "distinct: { column: id, min: 9 }"
            ),
            to: "gate.yaml"
        )
        _ = try command.run("run", "gate.yaml", "--baseline", "known.json", "--update-baseline")
        try place.write("id,emotion,count\n" + (1...9).map { "\($0),행복해,3\n" }.joined(), to: "in.csv")
        let outcome = try command.run("run", "gate.yaml", "--baseline", "known.json")
        #expect(outcome.errors.contains("  distinct_id, column 'id'\n"), "\(outcome.errors)")
        #expect(
            outcome.errors.contains("  in.csv: not_missing_emotion, a missing value in 'emotion'\n"),
            "\(outcome.errors)"
        )
    }

    @Test func whatWasFixedIsListed() throws {
        _ = try command.run("run", "gate.yaml", "--baseline", "known.json", "--update-baseline")
        try place.write(BaselineTests.rows.replacing("2,,5", with: "2,행복해,5"), to: "in.csv")
        let outcome = try command.run("run", "gate.yaml", "--baseline", "known.json")
        #expect(outcome.status == 0)
        #expect(outcome.errors.contains("fixed: 1 finding of the baseline did not come again"))
        #expect(outcome.errors.contains("  in.csv: not_missing_emotion, a missing value in 'emotion'"))
    }

    @Test func theFileIsTheSameForAnyNumberOfThreads() throws {
        let rows = (1...40_000).map { "\($0 % 30_000),\($0 % 7 == 0 ? "" : "행복해"),\($0 % 11 == 0 ? "x" : "5")\n" }
        try place.write("id,emotion,count\n" + rows.joined(), to: "in.csv")
        var files: Set<String> = []
        for threads in ["1"] + TestSize.most(of: ["7", "2"]) {
            let outcome = try command.run(
                "run",
                "gate.yaml",
                "--baseline",
                "known.json",
                "--update-baseline",
                "--threads",
                threads
            )
            #expect(outcome.status == 0)
            files.insert(place.text("known.json") ?? "")
        }
        #expect(files.count == 1)
        #expect(files.first?.contains("\"code\": \"duplicate-key\"") == true)
        #expect(try command.run("run", "gate.yaml", "--baseline", "known.json").status == 0)
    }

    @Test(
        "a baseline that cannot be read is told with what to do",
        arguments: [
            (nil, 3, "there is no baseline"),
            (
                #"{"daybook_baseline":1,"findings":[{"fingerprint":"a","count":9223372036854775807,"stage":"s","code":"c"}]}"#,
                2, "findings of 'a'"
            ),
            ("{}", 2, "is not a baseline"), ("[[[", 2, "is not a baseline"),
        ]
    )
    func unreadable(_ content: String?, _ status: Int, _ message: String) throws {
        if let content { try place.write(content, to: "known.json") }
        let outcome = try command.run("run", "gate.yaml", "--baseline", "known.json")
        #expect(outcome.status == Int32(status))
        #expect(outcome.errors.contains(message))
        #expect(outcome.errors.contains("--update-baseline"))
        #expect(place.text("out.csv") == nil)
    }

    @Test func aBaselineOverAnInputIsRefused() throws {
        let outcome = try command.run("run", "gate.yaml", "--baseline", "in.csv", "--update-baseline")
        #expect(outcome.status == 2)
        #expect(place.text("in.csv") == BaselineTests.rows)
        #expect(try command.run("run", "gate.yaml", "--update-baseline").status == 2)
    }

    @Test func `a merge knows of shards what one process knows, or says that it cannot`() throws {
        try place.write(
            "daybook: 1\nstages:\n  - import_csv: { path: blank.csv }\n  - export_csv: { path: out.csv }\n",
            to: "blank.yaml"
        )
        try place.write("id,d\n1,a\n,\n,\n2,b\n3,c,\n4,d,\n", to: "blank.csv")
        #expect(try command.run("run", "blank.yaml", "--baseline", "b.json", "--update-baseline").status == 0)
        func merged(_ options: [String]) throws -> CommandTrial.Outcome {
            #expect(try command.run(["plan", "blank.yaml", "--shards", "1", "-o", "p.json"] + options).status == 0)
            #expect(try command.run("run", "--shard", "p.json#0", "--into", "parts").status == 0)
            return try command.run("merge", "p.json", "parts", "--baseline", "b.json")
        }
        let whole = try merged([])
        #expect(whole.status == 0, "\(whole.errors)")
        #expect(!whole.errors.contains("blank-row") && !whole.errors.contains("fixed"), "\(whole.errors)")
        try FileManager.default.removeItem(at: place.url.appendingPathComponent("parts"))
        let cut = try merged(["--max-findings", "1"])
        #expect(cut.status == 1 && cut.errors.contains("[findings-cut]"), "\(cut.errors)")
    }
}

import DaybookTestSupport
import Foundation
import Testing

/// `validate`, `explain` and `preview`: what they show of a job, and that they write nothing.
@Suite struct PlanTests {
    let place: TemporaryDirectory
    let command: CommandTrial

    init() throws {
        place = try TemporaryDirectory()
        command = CommandTrial(in: place.url)
        try place.write("id,colour,note\n1,#EC007F,a\n2,pink,b\n3,#000000,\"c, d\"\n", to: "in.csv")
        try place.write(
            """
            daybook: 1
            job: colours
            params: { input: in.csv }
            rejects: { path: out/rejects.ndjson }
            stages:
              - import_csv: { path: "${input}" }
                id: entries
              - validate_hex_colours: { column: colour }
                id: clean
                rejects: { allow: 1% }
              - select_columns: { columns: [id, colour] }
              - export_csv: { path: out/colours.csv }
              - export_csv: { path: out/refused.csv }
                from: clean.rejects

            """,
            to: "job.yaml"
        )
    }

    func expectNothingWritten() throws {
        let names = try FileManager.default.contentsOfDirectory(atPath: place.url.path)
        #expect(Set(names) == ["in.csv", "job.yaml"])
    }

    @Test func goodJobsAreNamed() throws {
        let outcome = try command.run("validate", "job.yaml", "job.yaml", "--set", "input=nowhere.csv")
        #expect(outcome.status == 0)
        #expect(outcome.output == "job.yaml: good, 5 stages\njob.yaml: good, 5 stages\n")
        #expect(outcome.errors.isEmpty)
        try expectNothingWritten()
    }

    @Test func oneBadJobAmongGoodOnesEndsWith2() throws {
        try place.write("daybook: 2\nstages: []\n", to: "bad.yaml")
        let outcome = try command.run("validate", "bad.yaml", "job.yaml")
        #expect(outcome.status == 2)
        #expect(outcome.output == "job.yaml: good, 5 stages\n")
        #expect(
            outcome.errors.contains("bad.yaml:1:10: error: expected the format version 1, found '2' [unknown-version]")
        )
        #expect(outcome.errors.contains("bad.yaml:2:9: error: the job has no stages [no-stages]"))
        #expect(outcome.errors.hasSuffix("\n\n2 errors in bad.yaml\n"))
    }

    @Test(
        "columns that a CSV file may have hold text, before it is read",
        arguments: [
            "summarise_rows: { by: name, values: { n: sum(count) } }", "derive_columns: { more: count + 1 }",
            "check_rows: { rules: [{ between: { column: count, min: 1 } }] }",
        ]
    )
    func undeclaredColumnsHoldText(_ stage: String) throws {
        func job(_ source: String) -> String {
            "daybook: 1\nstages:\n  - \(source)\n  - \(stage)\n  - export_csv: { path: out.csv }\n"
        }
        try place.write(job("import_csv: { path: nowhere.csv }"), to: "text.yaml")
        #expect(try command.run("validate", "text.yaml").errors.contains("[wrong-kind]"))
        for source in [
            "import_csv: { path: nowhere.csv, columns: { count: integer } }", "import_json: { path: no.json }",
        ] {
            try place.write(job(source), to: "good.yaml")
            let outcome = try command.run("validate", "good.yaml")
            #expect(outcome.status == 0, "\(outcome.errors)")
        }
    }

    @Test(
        "a dash for an output is standard output",
        arguments: [
            ["guess", "in.csv", "-o", "-"], ["profile", "in.csv", "-o", "-"],
            ["plan", "job.yaml", "--shards", "1", "-o", "-"],
        ]
    )
    func aDashIsStandardOutput(_ arguments: [String]) throws {
        let outcome = try command.run(arguments)
        #expect(outcome.status == 0 && outcome.output.contains("in.csv"), "\(outcome.errors)")
        try expectNothingWritten()
    }

    @Test func aNumberOfTheEnvironmentThatIsNoneIsTold() throws {
        var command = command
        command.environment["DAYBOOK_SHARD"] = "x"
        let outcome = try command.run("run", "--shard", "plan.json#env", "--into", "parts")
        #expect(
            outcome.errors.contains(
                "'DAYBOOK_SHARD' of the environment is no number of a shard, found 'x' [bad-shard-name]"
            ),
            "\(outcome.errors)"
        )
    }

    @Test func aPlanIsExplained() throws {
        let outcome = try command.run("explain", "job.yaml", "--as-of", "2026-11-21")
        #expect(outcome.status == 0)
        #expect(
            outcome.output == """
                colours, as of 2026-11-21 (UTC, the job names no timezone)

                Params
                  input  in.csv

                Stages
                  1. entries, by import_csv
                     reads    in.csv
                     columns  id:text, colour:text
                     skips    note
                  2. clean, by validate_hex_colours
                     reads    entries
                     columns  id:text, colour:text
                  3. select_columns
                     reads    clean
                     columns  id:text, colour:text
                  4. export_csv_1, by export_csv
                     reads    select_columns
                     writes   out/colours.csv
                  5. export_csv_2, by export_csv
                     reads    clean.rejects
                     writes   out/refused.csv

                Gates
                  clean: of the rows that enter it, 1 % may be rejected
                  all other stages: of the rows that are read, none may be rejected

                Rejects
                  to out/rejects.ndjson

                """
        )
        try expectNothingWritten()
    }

    @Test func numbersThatLookLikeDatesArePointedAt() throws {
        try place.write(
            "[{\"id\": 1, \"savedDate\": 573177600.25, \"due\": 816912000}, {\"id\": 2, \"savedDate\": 816912000.5, \"due\": 573177600}]",
            to: "in.json"
        )
        let job = """
            daybook: 1
            timezone: Asia/Seoul
            stages:
              - import_json: { path: in.json }
              - normalise_dates: { column: due, formats: [apple_seconds] }
              - export_csv: { path: out.csv }

            """
        try place.write(job, to: "dates.yaml")
        let outcome = try command.run("explain", "dates.yaml")
        #expect(outcome.status == 0)
        #expect(
            outcome.output.contains(
                """
                     columns  id:integer, savedDate:decimal, due:integer
                     note     'savedDate' looks like dates: 2 values from 2019-03-02 to 2026-11-21 as
                              apple_seconds; as epoch_seconds they would be 1988 to 1995
                     add      - normalise_dates: { column: savedDate, formats: [apple_seconds], to: instant }

                """
            ),
            "\(outcome.output)"
        )
        #expect(outcome.output.components(separatedBy: "looks like dates").count == 2)
        let json = try command.run("explain", "dates.yaml", "--format", "json")
        let plan = try JSONSerialization.jsonObject(with: Data(json.output.utf8)) as? [String: Any]
        let source = (plan?["stages"] as? [[String: Any]])?.first
        let likely = source?["likely_dates"] as? [[String: String]]
        #expect(likely?.first?["column"] == "savedDate")
        let addition = try #require(likely?.first?["add"])
        // The line to add is one that works.
        let mended = job.replacing("  - export_csv", with: "  \(addition)\n  - export_csv")
        try place.write(mended, to: "dates.yaml")
        let again = try command.run("explain", "dates.yaml")
        #expect(again.status == 0, "\(again.errors)")
        #expect(!again.output.contains("looks like dates"))
        // Under another name the dates are made of the column too.
        try place.write(
            mended.replacing("column: savedDate, ", with: "column: savedDate, into: saved, "),
            to: "dates.yaml"
        )
        let beside = try command.run("explain", "dates.yaml")
        #expect(beside.status == 0, "\(beside.errors)")
        #expect(!beside.output.contains("looks like dates"))
    }

    @Test func aPlanWithoutItsInputsIsExplainedAsFarAsItGoes() throws {
        let outcome = try command.run("explain", "job.yaml", "--set", "input=nowhere.csv")
        #expect(outcome.status == 0)
        #expect(outcome.output.contains("     unseen   there is no file 'nowhere.csv'\n"))
        #expect(outcome.output.contains("  input  nowhere.csv  (by --set)\n"))
        let stream = try command.run("explain", "job.yaml", "--set", "input=-")
        #expect(stream.output.contains("     unseen   standard input is only read by a run\n"))
    }

    @Test func explainingLooksAtTheColumnsOfTheInputs() throws {
        try place.write("id,color\n", to: "in.csv")
        let outcome = try command.run("explain", "job.yaml")
        #expect(outcome.status == 2)
        #expect(outcome.errors.hasPrefix("job.yaml:8:37: error: no column named 'colour' [unknown-column]\n"))
    }

    @Test func aPlanIsDrawn() throws {
        let outcome = try command.run("explain", "job.yaml", "--format", "mermaid")
        #expect(
            outcome.output == """
                flowchart TD
                    s0["entries<br/>import_csv"]
                    in0[/"in.csv"/] --> s0
                    s1["clean<br/>validate_hex_colours"]
                    s0 --> s1
                    s2["select_columns"]
                    s1 --> s2
                    s3["export_csv_1<br/>export_csv"]
                    s2 --> s3
                    s3 --> out3[/"out/colours.csv"/]
                    s4["export_csv_2<br/>export_csv"]
                    s1 -. rejects .-> s4
                    s4 --> out4[/"out/refused.csv"/]

                """
        )
        let json = try command.run("explain", "job.yaml", "--format", "json")
        let plan = try JSONSerialization.jsonObject(with: Data(json.output.utf8)) as? [String: Any]
        #expect((plan?["stages"] as? [[String: Any]])?.first?["skipped"] as? [String] == ["note"])
    }

    @Test func aPlanIsDrawnAsAFileOfItsOwn() throws {
        let drawing = try command.run("explain", "job.yaml", "--format", "svg").output
        #expect(drawing.hasPrefix("<svg xmlns=\"http://www.w3.org/2000/svg\" class=\"chart flow\""))
        #expect(drawing.contains(">clean</text>") && drawing.contains(">export_csv, to out/refused.csv</text>"))
        // From entries to clean, to select_columns and to export_csv_1; what is rejected goes around.
        #expect(drawing.components(separatedBy: "class=\"band\"").count == 4)
        #expect(drawing.components(separatedBy: "<path class=\"arc lost\"").count == 2)
        #expect(drawing.contains("0 rows") == false)
        let page = try command.run("explain", "job.yaml", "--format", "html").output
        #expect(page.contains("<h1>") && page.contains("Nothing has been run."))
        let file = "</th><td class=\"path\">in.csv</td>"
        #expect(page.contains("<th scope=\"row\">entries<span class=\"words\">import_csv</span>\(file)"))
        #expect(page.contains("<span class=\"words\">skips note</span>"))
        #expect(page.contains("<script") == false)
    }

    @Test func whatAPlanSaysIsNoMarkup() throws {
        try place.write("id\n1\n", to: "<b>&\"in'.csv")
        try place.write(
            """
            daybook: 1
            job: "</style><script>alert(1)</script>"
            params: { secret_word: { default: hunter22, secret: true } }
            stages:
              - import_csv: { path: "<b>&\\"in'.csv" }
                id: read_hunter22
              - export_csv: { path: "out/]]>&<i>.csv" }

            """,
            to: "hostile.yaml"
        )
        for format in ["svg", "html"] {
            let outcome = try command.run("explain", "hostile.yaml", "--format", format)
            #expect(outcome.status == 0, "\(outcome.errors)")
            #expect(outcome.output.contains("hunter22") == false)
            for markup in ["<script", "<b>", "<i>", "alert(1)</script>"] {
                #expect(outcome.output.contains(markup) == false, "\(format): \(markup)")
            }
        }
    }

    @Test func columnsThatAreCheckedUnreadAreNotSkipped() throws {
        try place.write(
            """
            daybook: 1
            stages:
              - import_csv: { path: in.csv, columns: { id: integer, note: text }, file_column: file }
              - select_columns: { columns: [colour] }
              - export_csv: { path: out.csv }

            """,
            to: "checked.yaml"
        )
        let outcome = try command.run("explain", "checked.yaml")
        #expect(
            outcome.output.contains(
                """
                     columns  colour:text
                     checks   id:integer, which nobody reads
                     skips    note, file

                """
            ),
            "\(outcome.output)"
        )
        let json = try command.run("explain", "checked.yaml", "--format", "json")
        let plan = try JSONSerialization.jsonObject(with: Data(json.output.utf8)) as? [String: Any]
        let source = (plan?["stages"] as? [[String: Any]])?.first
        #expect(source?["checked"] as? [[String: String]] == [["name": "id", "kind": "integer"]])
        #expect(source?["skipped"] as? [String] == ["note", "file"])
        // What is not read is checked all the same.
        try place.write("id,colour,note\nx,#EC007F,a\n", to: "in.csv")
        #expect(try command.run("run", "checked.yaml").errors.contains("in.csv:2:1: error: 'x' is not a whole number"))
        // JSON has kinds of its own, so that a text is checked too; a store is only asked for what is read.
        try place.write("[{\"id\": 1, \"colour\": \"red\", \"note\": 2}]", to: "in.json")
        let job = (place.text("checked.yaml") ?? "").replacing(
            "import_csv: { path: in.csv",
            with: "import_json: { path: in.json"
        )
        try place.write(job, to: "checked.yaml")
        #expect(
            try command.run("explain", "checked.yaml").output.contains(
                "checks   id:integer, note:text, which nobody reads"
            )
        )
        #expect(
            try command.run("run", "checked.yaml").errors.contains(
                "in.json:1:37: error: the number 2 in a column of kind text"
            )
        )
    }

    @Test("a preview shows no secret", arguments: ["table", "csv", "json"])
    func previewsMaskSecrets(_ format: String) throws {
        try place.write("id,colour,1234\n1234,#EC007F,\"a 1234, b\"\n2,pink,1234567\n", to: "in.csv")
        try place.write(
            """
            daybook: 1
            params: { pin_token: { default: 1234 } }
            stages:
              - import_csv: { path: in.csv, columns: { id: integer } }
                id: entries
              - export_csv: { path: out.csv }

            """,
            to: "secret.yaml"
        )
        let outcome = try command.run("preview", "secret.yaml", "--stage", "entries", "--format", format)
        #expect(outcome.status == 0)
        #expect(!outcome.output.contains("1234") && !outcome.errors.contains("1234"))
        #expect(outcome.output.matches(of: /••••/).count == (format == "json" ? 5 : 4), "\(outcome.output)")
        if format == "json" {
            let rows = outcome.output.split(separator: "\n")
            #expect(
                rows == [
                    "{\"id\":\"••••\",\"colour\":\"#EC007F\",\"••••\":\"a ••••, b\"}",
                    "{\"id\":2,\"colour\":\"pink\",\"••••\":\"••••567\"}",
                ]
            )
        }
    }

    @Test func rowsArePreviewed() throws {
        let table = try command.run("preview", "job.yaml", "--stage", "clean")
        #expect(table.status == 0)
        #expect(
            table.output == """
                id    colour   note
                text  text     text
                1     #EC007F  a
                3     #000000  c, d

                """
        )
        #expect(table.errors.hasSuffix("2 rows, and there are no more; 1 rejected so far, nothing was written\n"))
        #expect(
            table.errors.hasPrefix(
                "in.csv:3:3: error: 'pink' is not a hex colour: expected # and 6 hex digits [not-a-hex-colour]\n"
            )
        )
        let csv = try command.run("preview", "job.yaml", "--stage", "clean", "--format", "csv", "--rows", "2")
        #expect(csv.output == "id,colour,note\n1,#EC007F,a\n3,#000000,\"c, d\"\n")
        let json = try command.run("preview", "job.yaml", "--stage", "export_csv_1", "--format", "json", "--rows", "1")
        #expect(json.output == "{\"id\":\"1\",\"colour\":\"#EC007F\"}\n")
        #expect(json.errors.hasSuffix("the first 1 row; 1 rejected so far, nothing was written\n"))
        try expectNothingWritten()
    }

    @Test func rejectsArePreviewed() throws {
        let rejects = try command.run("preview", "job.yaml", "--stage", "clean.rejects", "--format", "json")
        #expect(
            rejects.output.hasPrefix(
                "{\"code\":\"not-a-hex-colour\",\"message\":\"'pink' is not a hex colour: expected # and 6 hex digits\""
            )
        )
    }

    @Test func aPreviewOfAMissingInputEndsWith3() throws {
        let outcome = try command.run("preview", "job.yaml", "--stage", "clean", "--set", "input=nowhere.csv")
        #expect(outcome.status == 3)
        #expect(outcome.errors.contains("error: there is no file 'nowhere.csv' [input-not-found]"))
    }
}

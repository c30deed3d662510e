import DaybookTestSupport
import Foundation
import Testing

/// Columns that the data lack, as reports tell them: a fault of the data, beside every rule that could be judged.
@Suite struct DataFaultTests {
    let place: TemporaryDirectory
    let command: CommandTrial

    init() throws {
        place = try TemporaryDirectory()
        command = CommandTrial(in: place.url)
        try place.write(
            """
            daybook: 1
            job: gate
            stages:
              - import_csv: { path: names.csv }
              - check_rows:
                  rules:
                    - columns: { are: [id, name] }
                    - not_missing: name
                    - unique: id
              - export_csv: { path: out/names.csv }

            """,
            to: "job.yaml"
        )
        try place.write("yesterday\n", to: "out/names.csv")
    }

    private func report(_ form: String) throws -> String {
        let outcome = try command.run("run", "job.yaml", "--report", "\(form)=report")
        #expect(outcome.status == 1)
        #expect(place.text("out/names.csv") == "yesterday\n")
        return place.text("report") ?? ""
    }

    @Test func aRecordThatIsTooLongIsToldAtItsLine() throws {
        try place.write("id,name\n1,a\n", to: "names-1.csv")
        try place.write("id,name\n" + String(repeating: "x", count: 33 << 20), to: "names-2.csv")
        try place.write(
            """
            daybook: 1
            stages:
              - import_csv: { path: "names-*.csv", header: true }
              - export_csv: { path: out/names.csv }

            """,
            to: "job.yaml"
        )
        let outcome = try command.run("run", "job.yaml")
        #expect(outcome.errors.contains("names-2.csv:2:1: error: a record is longer than 32 MiB [record-too-long]"))
    }

    @Test func everyRuleIsInTheTestReport() throws {
        try place.write("id,nom\n1,a\n1,b\n", to: "names.csv")
        let text = try report("junit")
        #expect(text.contains("<testsuites name=\"Daybook\" errors=\"2\" failures=\"2\" skipped=\"0\" tests=\"5\""))
        for line in [
            "<testcase name=\"missing-column\" classname=\"gate\" time=\"0.000\">",
            "<error message=\"no column named 'name' (job.yaml:8:24)\" type=\"missing-column\">names.csv:1:1: no column",
            "<failure message=\"there is no column 'name'; there is a column 'nom' besides\" type=\"columns\">",
            "<testcase name=\"not_missing_name\"",
            "<error message=\"not judged: no column named 'name'\" type=\"not_missing\"/>",
            "<failure message=\"1 of 2 rows (50 %) repeats a value of 'id'\" type=\"unique\">",
        ] { #expect(text.contains(line), "\(line) in \(text)") }
    }

    @Test func aHeaderThatIsNoneLosesNoRule() throws {
        try place.write("id,\"na\"me\n1,a\n", to: "names.csv")
        let text = try report("junit")
        #expect(text.contains("<testsuites name=\"Daybook\" errors=\"4\" failures=\"0\" skipped=\"0\" tests=\"4\""))
        for name in ["columns", "not_missing_name", "unique_id"] { #expect(text.contains("name=\"\(name)\"")) }
    }

    @Test func programsFindThePlaceInTheDataAndTheVerdicts() throws {
        try place.write("id,nom\n1,a\n2,b\n", to: "names.csv")
        let text = try report("json")
        let json = try #require(JSONSerialization.jsonObject(with: Data(text.utf8)) as? [String: Any])
        let run = try #require(json["run"] as? [String: Any])
        let error = try #require((run["errors"] as? [[String: Any]])?.first)
        #expect(error["code"] as? String == "missing-column")
        let at = try #require(error["place"] as? [String: Any])
        #expect(at["file"] as? String == "names.csv")
        #expect(at["line"] as? Int == 1)
        let rules = try #require(run["rules"] as? [[String: Any]])
        #expect(rules.map { $0["verdict"] as? String } == ["failed", "unjudged", "passed"])
    }

    @Test func annotationsPointIntoTheData() throws {
        try place.write("id,nom\n1,a\n2,b\n", to: "names.csv")
        #expect(try report("github").contains("::error file=names.csv,line=1,"))
    }

    @Test func aRunThatStopsLosesNoRule() throws {
        try place.write("id,name\n1,a\n", to: "names.csv")
        try place.write(Data([0x1F, 0x8B, 8, 0, 0, 0, 0, 0, 0, 0, 1, 2, 3]), to: "names.csv")
        let outcome = try command.run("run", "job.yaml", "--report", "junit=report")
        #expect(outcome.status == 3)
        let text = place.text("report") ?? ""
        #expect(text.contains("<error message=\"not judged: the run did not come to its end\" type=\"unique\"/>"))
    }

    private func writeJob(_ stages: String) throws {
        try place.write(
            "daybook: 1\njob: gate\nstages:\n\(stages)  - export_csv: { path: out/names.csv }\n",
            to: "job.yaml"
        )
    }

    @Test func aColumnThatTheJobMisspellsIsTheMistakeOfTheJob() throws {
        try place.write("Symbol,amount\nA,1\nB,2\n", to: "names.csv")
        try writeJob("  - import_csv: { path: names.csv }\n  - check_rows: { rules: [{ unique: Symbl }] }\n")
        for job in [["run", "job.yaml"], ["validate", "job.yaml", "--data"]] {
            let outcome = try command.run(job)
            #expect(outcome.status == 2)
            #expect(outcome.errors.contains("job.yaml:5:37: error: no column named 'Symbl' [unknown-column]"))
            #expect(outcome.errors.contains("did you mean 'Symbol'?"))
        }
        #expect(try command.run("validate", "job.yaml").status == 0)
    }

    @Test func aColumnThatAnEarlierRunOfTheSameJobHadIsMissingFromTheData() throws {
        try place.write("Symbol,amount\nA,1\n", to: "names.csv")
        try writeJob("  - import_csv: { path: names.csv }\n  - sort_rows: { by: amount }\n")
        #expect(try command.run("run", "job.yaml").status == 0)
        try place.write("Symbol,amout\nA,1\n", to: "names.csv")
        let outcome = try command.run("run", "job.yaml")
        #expect(outcome.status == 1)
        #expect(
            outcome.errors.contains("names.csv:1:1: error: no column named 'amount' (job.yaml:5:22) [missing-column]")
        )
        // Another text of the job has no such past.
        try writeJob("  - import_csv: { path: names.csv }\n  - sort_rows: { by: amount, }\n")
        #expect(try command.run("run", "job.yaml").status == 2)
    }

    @Test func aColumnThatTheImportOrARuleNamesTooIsMissingFromTheData() throws {
        try place.write("Symbol,amout\nA,1\n", to: "names.csv")
        try writeJob(
            "  - import_csv: { path: names.csv }\n"
                + "  - check_rows: { rules: [{ columns: [Symbol, amount] }, { not_missing: amount }] }\n"
        )
        #expect(try command.run("run", "job.yaml").status == 1)
        try writeJob(
            "  - import_csv: { path: names.csv, columns: { amount: integer } }\n  - sort_rows: { by: amount }\n"
        )
        #expect(try command.run("run", "job.yaml").status == 1)
    }

    @Test func aColumnBesideThoseThatARuleAsksForIsTheMistakeOfTheJob() throws {
        try place.write("id,name\n1,a\n", to: "names.csv")
        try writeJob(
            "  - import_csv: { path: names.csv }\n"
                + "  - check_rows: { rules: [{ columns: [id, name] }, { not_missing: title }] }\n"
        )
        let outcome = try command.run("run", "job.yaml")
        #expect(outcome.status == 2)
        #expect(outcome.errors.contains("error: no column named 'title' [unknown-column]"))
    }

    @Test func whatOnlyTheDataTellIsValidatedWithThem() throws {
        try place.write("id,name\n1,a\n", to: "names.csv")
        try writeJob("  - import_csv: { path: names.csv }\n  - summarise_rows: { values: { n: sum(name) } }\n")
        let sum = try command.run("validate", "job.yaml", "--data")
        #expect(sum.status == 2)
        #expect(sum.errors.contains("column 'name' holds text"))
        try writeJob("  - import_csv: { path: '${file}' }\n")
        let text = (place.text("job.yaml") ?? "").replacing(
            "stages:",
            with: "params: { file: out/../out/names.csv }\nstages:"
        )
        try place.write(text, to: "job.yaml")
        try place.write("id,name\n1,a\n", to: "out/names.csv")
        let output = try command.run("validate", "job.yaml", "--data")
        #expect(output.status == 2)
        #expect(output.errors.contains("[output-is-input]"))
        try writeJob("  - import_csv: { path: '-' }\n")
        #expect(try command.run("validate", "job.yaml", "--data").errors.contains("can be read only once"))
    }

    @Test(arguments: [
        (
            #"[{"id":"AB","n":1},\n {"id":["CD"],"n":2}]"#, "rules: [{ matches: { column: id, pattern: '^[A-Z]+$' } }]",
            "data.json:2:8", "'id' is an array here and text before"
        ),
        (
            #"[{"id":"AB","n":1},\n {"id":"CD","n":"two"}]"#, "rules: [{ between: { column: n, min: 0 } }]",
            "data.json:2:17", "'n' is text here and a number before"
        ),
    ])
    func `a value of another kind is the fault of the data, at its place`(
        _ data: String,
        _ rules: String,
        _ location: String,
        _ message: String
    ) throws {
        try place.write(data.replacing("\\n", with: "\n"), to: "data.json")
        try place.write(
            """
            daybook: 1
            stages:
              - import_json: { path: data.json }
              - check_rows: { \(rules) }

            """,
            to: "job.yaml"
        )
        let outcome = try command.run("run", "job.yaml")
        #expect(outcome.status == 1, "\(outcome.errors)")
        #expect(outcome.errors.contains("\(location): error: "), "\(outcome.errors)")
        #expect(outcome.errors.contains(message) && outcome.errors.contains("(job.yaml:4:"), "\(outcome.errors)")
        // Where all values are alike, the job asks for what cannot be.
        try place.write(#"[{"id":["AB"],"n":"one"},{"id":["CD"],"n":"two"}]"#, to: "data.json")
        let alike = try command.run("run", "job.yaml")
        #expect(alike.status == 2 && alike.errors.contains("job.yaml:4:"), "\(alike.errors)")
    }
}

import DaybookTestSupport
import Foundation
import Testing

/// The manifest that every run leaves.
@Suite struct ManifestTests {
    let place: TemporaryDirectory
    let command: CommandTrial

    init() throws {
        place = try TemporaryDirectory()
        command = CommandTrial(in: place.url)
        try place.write("id,colour\n1,#EC007F\n2,pink\n", to: "in.csv")
        try place.write(
            """
            daybook: 1
            job: colours
            timezone: Asia/Seoul
            params:
              input: in.csv
              token: { default: pink, secret: true }
            rejects: { path: out/rejects.ndjson, allow: 50% }
            stages:
              - import_csv: { path: "${input}" }
                id: entries
              - validate_hex_colours: { column: colour }
              - export_csv: { path: out/colours.csv }

            """,
            to: "jobs/colours.yaml"
        )
        try place.write("id,colour\n1,#EC007F\n2,pink\n", to: "jobs/in.csv")
    }

    func manifest(_ path: String) throws -> [String: Any] {
        let text = try #require(place.text(path))
        #expect(!text.contains("pink"))
        return try #require(try JSONSerialization.jsonObject(with: Data(text.utf8)) as? [String: Any])
    }

    @Test func aRunLeavesAllThatThereIsToKnow() throws {
        let outcome = try command.run(
            "run",
            "jobs/colours.yaml",
            "--as-of",
            "2026-11-21",
            "--manifest",
            "run.json",
            "--threads",
            "3"
        )
        #expect(outcome.status == 0)
        let run = try manifest("jobs/.daybook/manifests/colours.json")
        #expect(place.text("run.json") == place.text("jobs/.daybook/manifests/colours.json"))
        #expect(run["format_version"] as? Int == 1)
        #expect(run["daybook_version"] as? String == "0.1.0")
        #expect(run["as_of"] as? String == "2026-11-21")
        #expect(run["timezone"] as? String == "Asia/Seoul")
        #expect(run["threads"] as? Int == 3)
        #expect(run["exit_code"] as? Int == 0)
        let job = try #require(run["job"] as? [String: String])
        #expect(job["name"] == "colours" && job["file"] == "jobs/colours.yaml" && job["sha256"]?.count == 64)
        let params = try #require(run["params"] as? [String: [String: Any]])
        #expect(params["token"]?["value"] as? String == "••••")
        #expect(params["input"]?["value"] as? String == "in.csv")
        let input = try #require((run["inputs"] as? [[String: Any]])?.first)
        #expect(input["path"] as? String == "in.csv" && input["bytes"] as? Int == 27)
        #expect((input["sha256"] as? String)?.count == 64 && (input["xxh128"] as? String)?.count == 32)
        let outputs = try #require(run["outputs"] as? [[String: Any]])
        #expect(Set(outputs.compactMap { $0["path"] as? String }) == ["out/rejects.ndjson", "out/colours.csv"])
        let stages = try #require(run["stages"] as? [[String: Any]])
        #expect(stages.map { $0["id"] as? String } == ["entries", "validate_hex_colours", "export_csv"])
        #expect(stages.map { $0["rows_in"] as? Int } == [2, 2, 1])
        #expect(stages.map { $0["rejected"] as? Int } == [0, 1, 0])
        let finding = try #require((run["findings"] as? [[String: Any]])?.first)
        #expect(finding["code"] as? String == "not-a-hex-colour" && finding["count"] as? Int == 1)
        #expect(finding["column"] as? String == "colour" && finding["severity"] as? String == "error")
        let gate = try #require((run["gates"] as? [[String: Any]])?.first)
        #expect(gate["allowed"] as? String == "50%" && gate["passed"] as? Bool == true)
    }

    @Test func aRunThatFailedToStartLeavesOneToo() throws {
        let wrong = (place.text("jobs/colours.yaml") ?? "").replacing("import_csv", with: "import_cvs")
        try place.write(wrong, to: "jobs/wrong.yaml")
        let outcome = try command.run("run", "jobs/wrong.yaml", "--state", "state", "--manifest", "run.json")
        #expect(outcome.status == 2)
        for file in ["state/manifests/colours.json", "run.json"] {
            let run = try manifest(file)
            #expect(run["exit_code"] as? Int == 2)
            let error = try #require((run["errors"] as? [[String: Any]])?.first)
            #expect(error["code"] as? String == "unknown-stage")
            #expect(error["message"] as? String == "no stage named 'import_cvs'")
            #expect(error["hint"] as? String == "did you mean 'import_csv'?")
            let at = try #require(error["place"] as? [String: Any])
            #expect(at["file"] as? String == "jobs/wrong.yaml" && at["line"] as? Int == 9 && at["column"] as? Int == 5)
        }
    }

    @Test func aJobThatIsNotThereMakesNoDirectories() throws {
        #expect(try command.run("run", "joobs/colours.yaml", "--manifest", "run.json").status == 2)
        #expect(try manifest("run.json")["exit_code"] as? Int == 2)
        #expect(!FileManager.default.fileExists(atPath: place.url.appendingPathComponent("joobs").path))
    }

    @Test func aStateDirectoryThatCannotBeUsedIsTold() throws {
        let outcome = try command.run("run", "jobs/colours.yaml", "--state", "/proc/nowhere")
        #expect(outcome.status == 3)
        #expect(outcome.errors.contains("error: cannot use the state directory at '/proc/nowhere"))
        #expect(place.text("jobs/out/colours.csv") == nil)
    }

    @Test func aManifestThatCannotBeWrittenStopsTheRunBeforeItBegins() throws {
        let outcome = try command.run("run", "jobs/colours.yaml", "--manifest", "/proc/nowhere/run.json")
        #expect(outcome.status == 3)
        #expect(outcome.errors.contains("error: cannot write '/proc/nowhere/run.json': "))
        #expect(outcome.errors.hasSuffix("nothing was written, the old outputs are as they were\n"))
        #expect(place.text("jobs/out/colours.csv") == nil)
        let run = try manifest("jobs/.daybook/manifests/colours.json")
        let input = try #require((run["inputs"] as? [[String: Any]])?.first)
        #expect(input["path"] as? String == "in.csv" && input["bytes"] as? Int == 27)
        #expect(input["sha256"] is NSNull && input["xxh128"] is NSNull)
    }

    @Test func aManifestThatCannotBeWrittenAfterwardsDoesNotHideHowTheRunEnded() throws {
        let outcome = try command.run("run", "jobs/colours.yaml", "--manifest", "/dev/full")
        #expect(outcome.status == 3)
        #expect(outcome.errors.contains("the ledger balances: 2 rows read, every one accounted for"))
        #expect(outcome.errors.contains("error: cannot write '/dev/full': no space left on the disk"))
        #expect(!outcome.errors.contains("as they were"))
        #expect(
            outcome.errors.contains(
                "next: the outputs are in place: wrote jobs/out/rejects.ndjson and jobs/out/colours.csv, in "
            )
        )
        #expect(place.text("jobs/out/colours.csv") == "id,colour\n1,#EC007F\n")
    }

    @Test(arguments: [["--threads", "0"], ["--no-such-option"], ["--report", "xml"]])
    func aCommandLineThatIsWrongLeavesOneToo(_ wrong: [String]) throws {
        #expect(try command.run(["run", "jobs/colours.yaml"] + wrong).status == 2)
        let run = try manifest("jobs/.daybook/manifests/colours.json")
        #expect(run["exit_code"] as? Int == 2)
        #expect((run["errors"] as? [[String: Any]])?.count == 1)
    }

    @Test(arguments: [
        "jobs/colours.yaml", "jobs/in.csv", "jobs/out/colours.csv", "jobs/out/rejects.ndjson", "jobs/../jobs/in.csv",
    ])
    func nothingOfTheJobIsWrittenOver(_ path: String) throws {
        try place.write("colours of yesterday\n", to: "jobs/out/colours.csv")
        try place.write("rejects of yesterday\n", to: "jobs/out/rejects.ndjson")
        let before = place.text(path)
        for option in [["--manifest", path], ["--report", "json=\(path)"]] {
            let outcome = try command.run(["run", "jobs/colours.yaml"] + option)
            #expect(outcome.status == 2)
            #expect(outcome.errors.contains("would write over '\(path)'"))
            #expect(place.text(path) == before)
            #expect(place.text("jobs/out/colours.csv") == "colours of yesterday\n")
        }
    }

    @Test func whatAReplayAndAMergeReadAndReplaceIsNotWrittenOver() throws {
        try place.write("id,colour\n1,#EC007F\n2,red\n", to: "jobs/in.csv")
        #expect(try command.run("run", "jobs/colours.yaml").status == 0)
        #expect(try command.run("plan", "jobs/colours.yaml", "--shards", "1", "-o", "plan.json").status == 0)
        #expect(try command.run("run", "--shard", "plan.json#0", "--into", "parts").status == 0)
        let replay = ["replay", "jobs/out/rejects.ndjson", "--job", "jobs/colours.yaml"]
        for (line, path, what) in [
            (replay + ["--into", "again"], "jobs/out/colours.csv", "an output of the job"),
            (replay + ["--into", "again"], "jobs/out/rejects.ndjson", "an output of the job"),
            (["merge", "plan.json", "parts"], "plan.json", "the plan"),
            (["merge", "plan.json", "parts"], "parts/shard-0.daybook-shard", "a file of a shard"),
        ] {
            let before = place.text(path)
            let outcome = try command.run(line + ["--manifest", path])
            #expect(outcome.status == 2)
            #expect(outcome.errors.contains("would write over '\(path)', which is \(what)"), "\(outcome.errors)")
            #expect(place.text(path) == before)
        }
        for line in [replay, ["run", "--shard", "plan.json#0"]] {
            let outcome = try command.run(line + ["--into", "jobs/.daybook"])
            #expect(outcome.status == 2 && outcome.errors.contains("lies in the state directory"), "\(outcome.errors)")
        }
    }

    @Test func reportsOfSeveralJobsReplaceNothingOfAnyOfThem() throws {
        try place.write("daybook: 1\nstages:\n  - import_csv: { path: b.csv }\n", to: "jobs/b.yaml")
        try place.write("id\n1\n", to: "jobs/b.csv")
        for path in ["jobs/b.yaml", "jobs/b.csv", "jobs/in.csv", "jobs/out/colours.csv", "jobs/.daybook/x"] {
            let before = place.text(path)
            let outcome = try command.run("run", "jobs/colours.yaml", "jobs/b.yaml", "--report", "json=\(path)")
            #expect(outcome.status == 2, "\(path): \(outcome.errors)")
            #expect(place.text(path) == before)
        }
    }

    @Test func filesThatOptionsNameAndGoodFilesStayAfterARefusal() throws {
        try place.write(#"{"type": "object"}"#, to: "jobs/schema.json")
        let check = "  - check_rows: { rules: [{ schema: { column: id, is: schema.json } }] }\n"
        try place.write("daybook: 1\nstages:\n  - import_csv: { path: in.csv }\n" + check, to: "jobs/b.yaml")
        let outcome = try command.run("run", "jobs/b.yaml", "--manifest", "jobs/schema.json")
        #expect(outcome.status == 2 && outcome.errors.contains("a file that the job names"), "\(outcome.errors)")
        #expect(place.text("jobs/schema.json") == #"{"type": "object"}"#)
        try place.write("{}", to: "known.json")
        let both = ["--baseline", "known.json", "--manifest", "known.json"]
        #expect(try command.run(["run", "jobs/colours.yaml"] + both).status == 2)
        #expect(place.text("known.json") == "{}")
        let link = place.url.appendingPathComponent("link").path
        try FileManager.default.createSymbolicLink(atPath: link, withDestinationPath: "jobs/.daybook")
        #expect(try command.run("run", "jobs/colours.yaml", "--manifest", "link/x").status == 2)
    }

    @Test func whatStandardInputIsReadFromIsNotWrittenOver() throws {
        try place.write("daybook: 1\nstages:\n  - import_csv: { path: jobs/in.csv }\n", to: "lone.yaml")
        let outcome = try command.shell("$DAYBOOK run - --manifest lone.yaml < lone.yaml")
        #expect(outcome.status == 2)
        #expect(place.text("lone.yaml")?.hasPrefix("daybook: 1\n") == true)
        let export = "  - export_csv: { path: lone.yaml }\n"
        try place.write((place.text("lone.yaml") ?? "") + export, to: "lone.yaml")
        #expect(try command.shell("$DAYBOOK run - < lone.yaml").errors.contains("[output-is-job]"))
    }

    @Test func aWrongJobIsNotWrittenOverEither() throws {
        let wrong = (place.text("jobs/colours.yaml") ?? "").replacing("import_csv", with: "import_cvs")
        try place.write(wrong, to: "jobs/wrong.yaml")
        for path in ["jobs/wrong.yaml", "jobs/in.csv"] {
            let before = place.text(path)
            #expect(try command.run("run", "jobs/wrong.yaml", "--manifest", path).status == 2)
            #expect(place.text(path) == before)
        }
    }

    @Test func manifestAndReportsHaveFilesOfTheirOwn() throws {
        let line = ["run", "jobs/colours.yaml", "--manifest", "a.json", "--report"]
        #expect(try command.run(line + ["json=./a.json"]).status == 2)
        let twice = try command.run(line + ["json=b", "--report", "text=b"])
        #expect(twice.errors.contains("'--report text' would write over 'b', which is the file of '--report json'"))
        #expect(place.text("b") == nil && place.text("jobs/out/colours.csv") == nil)
        #expect(try command.run(line + ["json=b"]).status == 0)
    }

    @Test func secretsAreNoPartOfAnyManifest() throws {
        let job = (place.text("jobs/colours.yaml") ?? "").replacing("job: colours", with: "job: \"n ${token}\"")
            .replacing("id: entries", with: "id: \"${token}_rows\"")
        try place.write(job, to: "jobs/colours.yaml")
        #expect(try command.run("run", "jobs/colours.yaml", "--manifest", "run.json").status == 0)
        _ = try manifest("run.json")
        let kept = try FileManager.default.contentsOfDirectory(
            atPath: place.url.appendingPathComponent("jobs/.daybook/manifests").path
        )
        _ = try manifest("jobs/.daybook/manifests/\(try #require(kept.first { $0.hasPrefix("n-----~") }))")
        let report = try command.run("run", "jobs/colours.yaml", "--report", "json=-")
        #expect(!report.output.contains("pink"))
    }
}

import DaybookTestSupport
import Foundation
import Testing

/// Reports of whole runs: where they go, what their paths start from, and what they must not tell.
@Suite struct ReportTests {
    let place: TemporaryDirectory
    var command: CommandTrial

    init() throws {
        place = try TemporaryDirectory()
        command = CommandTrial(in: place.url)
        // What the CI service that runs these tests says is not about the repository that they make.
        command.environment = ["GITHUB_WORKSPACE": "", "CI_PROJECT_DIR": "", "GITHUB_STEP_SUMMARY": ""]
        try place.write("ref: refs/heads/main\n", to: "repository/.git/HEAD")
        try place.write("id,colour\n1,#EC007F\n2,pink\n3,\"%:\n,\"\n", to: "repository/data/a,b.csv")
        try place.write(
            """
            daybook: 1
            job: colours
            params: { token: { default: pink, secret: true } }
            stages:
              - import_csv: { path: ../data/*.csv }
              - validate_hex_colours: { column: colour }
                id: clean
              - export_csv: { path: ../out/colours.csv }

            """,
            to: "repository/jobs/job.yaml"
        )
    }

    func inside(_ directory: String) -> CommandTrial {
        var command = command
        command.directory = place.url.appendingPathComponent(directory)
        return command
    }

    @Test(arguments: [("\n", "cp949"), ("\r\n", "cp949"), ("\r", "euc-kr")])
    func aRecordIsShownInWhateverEncodingItStands(_ lineEnd: String, _ encoding: String) throws {
        // 이름,색 / 철수,#EC007F / 영희,분홍 / 민지,pink in CP949.
        let names: [[UInt8]] = [
            [0xC0, 0xCC, 0xB8, 0xA7], [0xC3, 0xB6, 0xBC, 0xF6], [0xBF, 0xB5, 0xC8, 0xF1], [0xB9, 0xCE, 0xC1, 0xF6],
        ]
        let colours: [[UInt8]] = [[0xBB, 0xF6], Array("#EC007F".utf8), [0xBA, 0xD0, 0xC8, 0xAB], Array("pink".utf8)]
        let rows = zip(names, colours).map { $0 + [0x2C] + $1 }
        let file = place.url.appendingPathComponent("data.csv")
        try Data(rows.joined(separator: Array(lineEnd.utf8)) + Array(lineEnd.utf8)).write(to: file)
        try place.write(
            """
            daybook: 1
            stages:
              - import_csv: { path: data.csv, encoding: \(encoding) }
              - validate_hex_colours: { column: 색 }
              - export_csv: { path: out.csv }

            """,
            to: "job.yaml"
        )
        let outcome = try command.run("run", "job.yaml", "--report", "html=page.html")
        let shown = outcome.errors
        #expect(shown.contains("data.csv:3:4: "), "\(shown)")
        #expect(shown.contains("    3 | 영희,분홍\n") && shown.contains("      |      ^^^^\n"), "\(shown)")
        #expect(shown.contains("    4 | 민지,pink\n"), "\(shown)")
        let page = try #require(place.text("page.html"))
        #expect(page.contains("영희") && page.contains("민지"))
    }

    @Test func annotationsStartFromTheRepository() throws {
        let lines = [
            "::error file=jobs/job.yaml,title=gate-failed::gate failed for the job: 2 of 3 rows rejected (66.67 %25), none allowed",
            "::error file=data/a%2Cb.csv,line=3,col=3,title=clean%3A not-a-hex-colour::colour: '••••' is not a hex colour: expected # and 6 hex digits",
            "::error file=data/a%2Cb.csv,line=4,endLine=5,title=clean%3A not-a-hex-colour::colour: '%25:␊,' is not a hex colour: expected # and 6 hex digits",
        ]
        for (directory, job) in [
            ("repository", "jobs/job.yaml"), ("repository/jobs", "job.yaml"), ("", "repository/jobs/job.yaml"),
        ] {
            let outcome = try inside(directory).run("run", job, "--report", "github")
            #expect(outcome.status == 1)
            #expect(outcome.output.isEmpty)
            #expect(outcome.errors.split(separator: "\n").prefix(3).map(String.init) == lines, "from '\(directory)'")
        }
    }

    @Test func aGateIsToldWhereTheJobAllowsRejects() throws {
        let job = (place.text("repository/jobs/job.yaml") ?? "").replacing(
            "id: clean",
            with: "id: clean\n    rejects: { allow: 1 }"
        )
        try place.write(job, to: "repository/jobs/job.yaml")
        let outcome = try inside("repository").run("run", "jobs/job.yaml", "--report", "github")
        let gate =
            "::error file=jobs/job.yaml,line=8,col=14,title=clean%3A gate-failed::gate failed for 'clean': 2 of 3 rows"
        #expect(outcome.errors.hasPrefix(gate))
    }

    @Test func theWorkspaceOfTheServiceIsTheRoot() throws {
        var command = inside("repository")
        command.environment["GITHUB_WORKSPACE"] = place.url.path
        #expect(
            try command.run("run", "jobs/job.yaml", "--report", "github").errors.contains(
                "file=repository/data/a%2Cb.csv,"
            )
        )
        command.environment["GITHUB_WORKSPACE"] = "/somewhere/else"
        #expect(try command.run("run", "jobs/job.yaml", "--report", "github").errors.contains("file=data/a%2Cb.csv,"))
        command.environment["CI_PROJECT_DIR"] = place.url.path
        let gitlab = try command.run("run", "jobs/job.yaml", "--report", "gitlab").errors
        #expect(gitlab.contains("\"path\" : \"repository/data/a,b.csv\""))
    }

    @Test func `a line break in the name of a file is escaped, and stays a part of it`() throws {
        let repository = place.url.appendingPathComponent("repository")
        try FileManager.default.moveItem(
            at: repository.appendingPathComponent("data/a,b.csv"),
            to: repository.appendingPathComponent("data/a\nb.csv")
        )
        let github = try inside("repository").run("run", "jobs/job.yaml", "--report", "github").errors
        #expect(github.contains("::error file=data/a%0Ab.csv,line=3,"), "\(github)")
        let gitlab = try inside("repository").run("run", "jobs/job.yaml", "--report", "gitlab").errors
        #expect(gitlab.contains(#""path" : "data/a\nb.csv""#), "\(gitlab)")
    }

    @Test func theSummaryOfAStepIsAddedTo() throws {
        try place.write("before\n", to: "repository/summary.md")
        var command = inside("repository")
        command.environment["GITHUB_STEP_SUMMARY"] = "summary.md"
        _ = try command.run("run", "jobs/job.yaml", "--report", "json=out.json")
        #expect(place.text("repository/summary.md") == "before\n")
        _ = try command.run("run", "jobs/job.yaml", "--report", "github", "--report", "github=annotations.txt")
        let summary = try #require(place.text("repository/summary.md"))
        #expect(summary.hasPrefix("before\n## Daybook: colours failed its gate\n"))
        #expect(summary.matches(of: /## Daybook/).count == 1)
        #expect(!summary.contains("pink"))
        // What GitHub would drop as a whole is not made longer.
        try place.write(String(repeating: "x", count: 1 << 20), to: "repository/summary.md")
        #expect(try command.run("run", "jobs/job.yaml", "--report", "github").status == 1)
        #expect(place.text("repository/summary.md")?.utf8.count == 1 << 20)
        command.environment["GITHUB_STEP_SUMMARY"] = "data"
        let outcome = try command.run("run", "jobs/job.yaml", "--report", "github")
        #expect(
            outcome.errors.contains(
                "::error file=jobs/job.yaml,title=cannot-write::cannot write 'data': it is a directory"
            )
        )
    }

    private func results(_ text: String) throws -> [String] {
        let log = try #require(try JSONSerialization.jsonObject(with: Data(text.utf8)) as? [String: Any])
        let run = try #require((log["runs"] as? [[String: Any]])?.first)
        let invocation = (run["invocations"] as? [[String: Any]])?.first
        let results = try #require(run["results"] as? [[String: Any]]).map { result in
            let location = (result["locations"] as? [[String: Any]])?.first?["physicalLocation"] as? [String: Any]
            let file = (location?["artifactLocation"] as? [String: Any])?["uri"] as? String
            return "\(file ?? "-"): \(result["ruleId"] ?? "-")"
        }
        let isSuccessful = try #require(invocation?["executionSuccessful"] as? Bool)
        return ["successful: \(isSuccessful)"] + results
    }

    /// Without a result, code scanning would take it that all is mended.
    @Test(
        "data that could not be judged have a result",
        arguments: [
            ([], "data/a%2Cb.csv: empty-file"), (Array("id,\"colour\n1,#EC007F\n".utf8), "data/a%2Cb.csv: bad-header"),
            // The beginning of a file packed by gzip.
            ([0x1F, 0x8B, 8, 0, 0], "data/a%2Cb.csv: "),
        ] as [([UInt8], String)]
    )
    func brokenDataHaveAResult(_ bytes: [UInt8], _ result: String) throws {
        try place.write(Data(bytes), to: "repository/data/a,b.csv")
        let outcome = try inside("repository").run("run", "jobs/job.yaml", "--report", "sarif=-")
        let told = try results(outcome.output)
        #expect(told.first == "successful: false")
        #expect(told.count == 2 && told.last?.hasPrefix(result) == true, "\(told)")
    }

    @Test func theManifestNamesTheFileOfAnError() throws {
        try place.write("", to: "repository/data/a,b.csv")
        _ = try inside("repository").run("run", "jobs/job.yaml")
        let manifest = try #require(place.text("repository/jobs/.daybook/manifests/colours.json"))
        #expect(manifest.contains("\"file\" : \"data/a,b.csv\""))
    }

    @Test func codeScanningIsToldOfTheStageAndTheExtent() throws {
        try place.write("id,colour\n1,\"감정\"\n", to: "repository/data/a,b.csv")
        let text = try inside("repository").run("run", "jobs/job.yaml", "--report", "sarif=-").output
        let log = try #require(try JSONSerialization.jsonObject(with: Data(text.utf8)) as? [String: Any])
        let run = try #require((log["runs"] as? [[String: Any]])?.first)
        let result = try #require((run["results"] as? [[String: Any]])?.last)
        let location = (result["locations"] as? [[String: Any]])?.first?["physicalLocation"] as? [String: Any]
        #expect(location?["region"] as? [String: Int] == ["startLine": 2, "startColumn": 3, "endColumn": 7])
        let driver = (run["tool"] as? [String: Any])?["driver"] as? [String: Any]
        let rule = try #require(
            (driver?["rules"] as? [[String: Any]])?.first { $0["id"] as? String == "not-a-hex-colour" }
        )
        #expect(
            (rule["fullDescription"] as? [String: Any])?["text"] as? String
                == "The stage 'clean' (validate_hex_colours: Check that a column holds hex colours, and write them in one way.) "
                + "refused or changed rows with [not-a-hex-colour]."
        )
        #expect(
            (rule["properties"] as? [String: Any])?["tags"] as? [String]
                == ["data-quality", "finding", "validate_hex_colours"]
        )
    }

    @Test func filesThatDifferAreToldAtTheOneThatDoes() throws {
        try place.write("id,farbe\n1,#EC007F\n", to: "repository/data/b.csv")
        let told = try results(try inside("repository").run("run", "jobs/job.yaml", "--report", "sarif=-").output)
        #expect(told == ["successful: false", "data/b.csv: columns-differ"])
        try place.write(
            "daybook: 1\nstages: [{ import_json: { path: ../data/b.csv } }, { export_csv: { path: ../out/a.csv } }]\n",
            to: "repository/jobs/job.yaml"
        )
        let json = try results(try inside("repository").run("run", "jobs/job.yaml", "--report", "sarif=-").output)
        #expect(json.count == 2 && json[0] == "successful: false" && json[1].hasPrefix("data/b.csv: "), "\(json)")
    }

    @Test func whatRulesTolerateIsToldWhereAllIsAskedFor() throws {
        let job =
            "daybook: 1\nstages:\n  - import_csv: { path: ../data/*.csv }\n  - check_rows:\n      rules: "
            + "[{ hex_colour: colour, fail: \"> 5\" }]\n  - export_csv: { path: ../out/colours.csv }\n"
        try place.write(job, to: "repository/jobs/job.yaml")
        for form in ["github", "gitlab", "sarif"] {
            let outcome = try inside("repository").run("run", "jobs/job.yaml", "--report", form)
            #expect(outcome.status == 0)
            #expect(!outcome.errors.contains("is not a hex colour") && !outcome.errors.contains("pink"), "\(form)")
            let all = try inside("repository").run("run", "jobs/job.yaml", "--report", "\(form):all=out/report")
            #expect(all.status == 0)
            #expect(place.text("repository/out/report")?.contains("pink") == true, "\(form)")
        }
        for form in ["text", "json", "html"] {
            #expect(try inside("repository").run("run", "jobs/job.yaml", "--report", form).errors.contains("pink"))
            let refused = try inside("repository").run("run", "jobs/job.yaml", "--report", "\(form):all")
            #expect(refused.status == 2)
            #expect(refused.errors.contains("error: the form '\(form)' leaves nothing out, found '\(form):all'"))
        }
    }

    @Test("no form tells a secret", arguments: ["text", "json", "github", "gitlab", "sarif", "junit", "html"])
    func secretsAreMasked(_ form: String) throws {
        let outcome = try inside("repository").run("run", "jobs/job.yaml", "--report", "\(form)=out/new/report")
        #expect(outcome.status == 1)
        let report = try #require(place.text("repository/out/new/report"))
        #expect(report.contains("••••") && !report.contains("pink"))
    }

    @Test func findingsAreCutByRuleAndCountedAll() throws {
        let rows = (0..<40).map { "\($0),red\n" }.joined()
        try place.write("id,colour\n" + rows, to: "repository/data/a,b.csv")
        let outcome = try inside("repository").run(
            ["run", "jobs/job.yaml", "--max-findings", "5", "--report", "json", "--report", "text=out/report.txt"]
        )
        let report = try #require(
            try JSONSerialization.jsonObject(with: Data(outcome.errors.utf8)) as? [String: Any]
        )
        #expect((report["findings"] as? [Any])?.count == 5)
        #expect(report["finding_count"] as? Int == 40)
        #expect(place.text("repository/out/report.txt")?.contains("… and 35 more [not-a-hex-colour]") == true)
        let refused = try inside("repository").run("run", "jobs/job.yaml", "--max-findings", "1000001")
        #expect(refused.status == 2)
        #expect(refused.errors.contains("'--max-findings' is between 0 and 1000000, found '1000001'"))
    }

    @Test func aFileThatIsWrittenIsNoPattern() throws {
        for (option, file, mark) in [
            ("--report", "report-*.sarif", "*"), ("--report", "out/report[1].sarif", "["),
            ("--manifest", "run?.json", "?"),
        ] {
            let name = option == "--report" ? "--report sarif" : option
            let outcome = try inside("repository").run(
                ["run", "jobs/job.yaml", option, option == "--report" ? "sarif=\(file)" : file]
            )
            #expect(outcome.status == 2)
            let last = file.split(separator: "/").last ?? ""
            #expect(
                outcome.errors.contains(
                    "'\(last)' is a pattern, for it holds '\(mark)', and the file of '\(name)' is one file [output-is-a-pattern]"
                )
            )
            #expect(place.text("repository/\(file)") == nil)
        }
    }

    @Test func oneFileTakesOneReport() throws {
        let twice = try inside("repository").run(
            ["run", "jobs/job.yaml", "--report", "sarif=report", "--report", "json=./report"]
        )
        #expect(twice.status == 2)
        #expect(
            twice.errors.contains("'--report json' would write over './report', which is the file of '--report sarif'")
        )
        // The first of the two tells why nothing was run.
        #expect(place.text("repository/report")?.contains("\"output-twice\"") == true)
        let output = try inside("repository").run([
            "run", "jobs/job.yaml", "--report", "sarif=-", "--report", "junit=-",
        ])
        #expect(output.status == 2)
        #expect(output.errors.contains("'--report junit' and '--report sarif' both write to standard output"))
        let told = try inside("repository").run(["run", "jobs/job.yaml", "--report", "text", "--report", "text"])
        #expect(told.errors.matches(of: /gate failed/).count == 1)
    }

    @Test func aRunThatCannotStartIsReportedInEveryForm() throws {
        try place.write("daybook: 1\nstages:\n  - import_cvs: { path: a.csv }\n", to: "repository/jobs/bad.yaml")
        let forms = ["text", "json", "github", "gitlab", "sarif", "junit", "html"]
        let reports = forms.flatMap { ["--report", "\($0)=out/\($0)"] }
        let outcome = try inside("repository").run(["run", "jobs/bad.yaml"] + reports)
        #expect(outcome.status == 2)
        for form in forms {
            let report = try #require(place.text("repository/out/\(form)"))
            #expect(report.contains("no stage named") && report.contains("import_csv"), "\(form)")
            #expect(report.contains("jobs/bad.yaml"), "\(form)")
        }
    }
}

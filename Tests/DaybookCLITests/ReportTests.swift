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

    @Test func annotationsStartFromTheRepository() throws {
        let lines = [
            "::error file=jobs/job.yaml,title=gate-failed::gate failed for the job: 2 of 3 rows rejected (66.67 %25), none allowed",
            "::error file=data/a%2Cb.csv,line=3,col=3,title=clean%3A not-a-hex-colour::'••••' is not a hex colour: expected # and 6 hex digits",
            "::error file=data/a%2Cb.csv,line=4,endLine=5,title=clean%3A not-a-hex-colour::'%25:␊,' is not a hex colour: expected # and 6 hex digits",
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

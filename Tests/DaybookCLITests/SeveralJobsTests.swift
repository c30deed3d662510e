import DaybookTestSupport
import Foundation
import Testing

/// Several jobs in one command: in order, up to the first that fails, with one report of all.
@Suite struct SeveralJobsTests {
    private let place: TemporaryDirectory
    private let command: CommandTrial

    init() throws {
        place = try TemporaryDirectory()
        command = CommandTrial(in: place.url)
        try place.write("id,n\n1,5\n2,7\n", to: "rows.csv")
        for (name, least) in [("good", 1), ("bad", 6), ("last", 1)] {
            try place.write(
                """
                daybook: 1
                job: \(name)
                stages:
                  - import_csv: { path: rows.csv, columns: { n: integer } }
                  - check_rows: { rules: [{ between: { column: n, min: \(least) } }] }
                  - export_csv: { path: out/\(name).csv }

                """,
                to: "\(name).yaml"
            )
        }
    }

    @Test func theyStopAtTheFirstThatFails() throws {
        let outcome = try command.run("run", "good.yaml", "bad.yaml", "last.yaml")
        #expect(outcome.status == 1)
        #expect(place.text("out/good.csv") != nil && place.text("out/last.csv") == nil)
        #expect(
            outcome.errors.hasSuffix(
                "3 jobs: 1 passed ('good.yaml'), 1 failed its gate ('bad.yaml'), 1 not run ('last.yaml')\n"
            ),
            "\(outcome.errors)"
        )
    }

    @Test func theyGoOnWhereThatIsAskedFor() throws {
        let outcome = try command.run("run", "bad.yaml", "lost.yaml", "last.yaml", "--keep-going")
        #expect(outcome.status == 2)
        #expect(place.text("out/last.csv") != nil)
        #expect(outcome.errors.contains("1 not run") == false)
    }

    @Test func oneReportHoldsThemAll() throws {
        let forms = ["json", "sarif", "junit", "gitlab"].flatMap { ["--report", "\($0)=\($0)"] }
        let outcome = try command.run(["run", "good.yaml", "bad.yaml", "last.yaml", "--keep-going"] + forms)
        #expect(outcome.status == 1)
        func document(_ name: String) throws -> Any {
            try JSONSerialization.jsonObject(with: Data((place.text(name) ?? "").utf8))
        }
        let runs = try #require((try document("json") as? [String: Any])?["runs"] as? [[String: Any]])
        let codes = runs.map { ($0["run"] as? [String: Any])?["exit_code"] as? Int }
        #expect(codes == [0, 1, 0])
        let logs = try #require((try document("sarif") as? [String: Any])?["runs"] as? [[String: Any]])
        #expect(logs.map { ($0["results"] as? [Any])?.count } == [0, 1, 0])
        #expect((try document("gitlab") as? [Any])?.count == 1)
        let suites = place.text("junit") ?? ""
        #expect(suites.contains("<testsuites name=\"Daybook\" errors=\"0\" failures=\"1\""))
        for name in ["good", "bad", "last"] { #expect(suites.contains("<testsuite name=\"\(name)\"")) }
    }

    @Test func aDocumentOnStandardErrorStandsThereAlone() throws {
        let outcome = try command.run("run", "good.yaml", "last.yaml", "--report", "json", "--quiet")
        let document = try JSONSerialization.jsonObject(with: Data(outcome.errors.utf8)) as? [String: Any]
        #expect((document?["runs"] as? [Any])?.count == 2)
    }

    @Test(
        "what belongs to one job is refused",
        arguments: [
            ["--manifest", "m.json"], ["--baseline", "b.json"], ["--report", "html=page.html"], ["good.yaml"],
        ]
    )
    func refused(_ more: [String]) throws {
        let outcome = try command.run(["run", "good.yaml", "last.yaml"] + more)
        #expect(outcome.status == 2)
        #expect(place.text("out/good.csv") == nil)
    }
}

import Foundation
import Testing

@testable import DaybookContracts
@testable import DaybookReports

/// What code scanning reads of a SARIF log, beyond what its schema asks.
@Suite struct SARIFTests {
    func log(_ run: RunReport) throws -> [String: Any] {
        let text = SARIFReporter(.plain).report(run)
        let log = try #require(try JSONSerialization.jsonObject(with: Data(text.utf8)) as? [String: Any])
        return try #require((log["runs"] as? [[String: Any]])?.first)
    }

    func rules(_ run: RunReport) throws -> [[String: Any]] {
        let driver = (try log(run)["tool"] as? [String: Any])?["driver"] as? [String: Any]
        return try #require(driver?["rules"] as? [[String: Any]])
    }

    func successful(_ run: RunReport) throws -> Bool {
        let invocation = try #require((try log(run)["invocations"] as? [[String: Any]])?.first)
        return try #require(invocation["executionSuccessful"] as? Bool)
    }

    @Test("every rule has what code scanning shows and sorts by", arguments: SampleRuns.names)
    func rulesAreDescribed(_ name: String) throws {
        for rule in try rules(SampleRuns.named(name)) {
            for key in ["shortDescription", "fullDescription", "help"] {
                let text = try #require((rule[key] as? [String: Any])?["text"] as? String, "\(key)")
                #expect(!text.isEmpty && text.count <= 1024)
            }
            #expect(((rule["help"] as? [String: Any])?["markdown"] as? String)?.isEmpty == false)
            #expect((rule["id"] as? String)?.count ?? 0 <= 255)
            let properties = try #require(rule["properties"] as? [String: Any])
            let tags = try #require(properties["tags"] as? [String])
            #expect(tags.first == "data-quality" && tags.count <= 20 && Set(tags).count == tags.count)
            #expect(["very-high", "high", "medium", "low"].contains(properties["precision"] as? String))
            #expect(["error", "warning", "recommendation"].contains(properties["problem.severity"] as? String))
        }
    }

    @Test func aRuleTellsWhatItAsksAndWhere() throws {
        let rule = try #require(try rules(SampleRuns.named("everything")).first { $0["id"] as? String == "one|a|day" })
        let description = (rule["fullDescription"] as? [String: Any])?["text"] as? String
        #expect(
            description
                == "The rule 'one|a|day' of the stage 'clean' is about rows that break it; fails at > 1%, warns at > 0."
        )
        let help = try #require((rule["help"] as? [String: Any])?["text"] as? String)
        #expect(help.contains("stands in the job at jobs/nightly.yaml:21:11"))
    }

    @Test func anErrorIsAResultBesideItsNotification() throws {
        let run = SampleRuns.named("unstarted")
        let log = try log(run)
        let results = try #require(log["results"] as? [[String: Any]])
        #expect(results.map { $0["ruleId"] as? String } == ["unknown-option", "cannot-write"])
        #expect(results.allSatisfy { ($0["locations"] as? [Any])?.count == 1 })
        #expect(try !successful(run))
    }

    @Test func aRunThatCouldNotJudgeWasNoSuccess() throws {
        var run = SampleRuns.named("nothing")
        #expect(try successful(run))
        run.outcome.errors = [DaybookError("no-columns", "a.csv is empty", blame: .data).about("data/a.csv")]
        run.exitCode = run.outcome.exitCode
        #expect(run.exitCode == 1)
        #expect(try !successful(run))
        // A gate that failed is what the run was for.
        var failed = SampleRuns.named("nothing")
        failed.outcome.gates[0].rejected = 2
        failed.exitCode = failed.outcome.exitCode
        #expect(failed.exitCode == 1)
        #expect(try successful(failed))
    }

    @Test func whatIsWrongWithAnInputIsShownThere() throws {
        var run = SampleRuns.named("nothing")
        let place = SourcePlace(file: "jobs/nightly.yaml", line: 3, column: 25, length: 5)
        run.outcome.errors = [DaybookError("no-columns", "a.csv is empty", at: place, blame: .data).about("data/a.csv")]
        let result = try #require((try log(run)["results"] as? [[String: Any]])?.first)
        func physical(_ key: String) -> [String: Any]? {
            (result[key] as? [[String: Any]])?.first?["physicalLocation"] as? [String: Any]
        }
        func uri(_ key: String) -> String? { (physical(key)?["artifactLocation"] as? [String: Any])?["uri"] as? String }
        func region(_ key: String) -> [String: Int]? { physical(key)?["region"] as? [String: Int] }
        #expect(uri("locations") == "data/a.csv")
        #expect(region("locations") == ["startLine": 1])
        #expect(uri("relatedLocations") == "jobs/nightly.yaml")
        #expect(region("relatedLocations") == ["startLine": 3, "startColumn": 25, "endColumn": 30])
        // Standard input is no file.
        run.outcome.errors = [DaybookError("no-columns", "standard input is empty", at: place).about("standard input")]
        let other = try #require((try log(run)["results"] as? [[String: Any]])?.first)
        #expect(other["relatedLocations"] == nil)
    }

    @Test func anErrorKeepsTheFirstFileItIsAbout() {
        #expect(DaybookError("a", "b").about("one").about("two").file == "one")
        #expect(DaybookError.interrupted.about("one").file == nil)
    }

    private func run(_ scratch: Scratch, _ findings: [(line: Int, column: Int, byte: Int, value: String?)]) -> RunReport
    {
        var run = RunReport(jobFile: scratch["job.yaml"], threads: 1, started: 0)
        run.outcome.findings = findings.map { place in
            var finding = SampleRuns.finding("odd", "odd", source: "a.csv", line: place.line, column: place.column)
            (finding.byte, finding.value) = (place.byte, place.value)
            return finding
        }
        return run
    }

    private func ends(_ run: RunReport) throws -> [Int?] {
        try #require(try log(run)["results"] as? [[String: Any]]).map { result in
            let location = (result["locations"] as? [[String: Any]])?.first?["physicalLocation"] as? [String: Any]
            return (location?["region"] as? [String: Int])?["endColumn"]
        }
    }

    @Test func theExtentIsToldWhereItIsKnown() throws {
        let scratch = Scratch()
        scratch.write("a.csv", "id,n\n1,감정\n2,\"x\"\n3,\n")
        let run = run(
            scratch,
            [(2, 3, 7, "감정"), (3, 3, 16, "x"), (4, 3, 22, nil), (2, 3, 7, "other"), (9, 1, 999, "x")]
        )
        #expect(try ends(run) == [5, nil, 6, nil, nil])
    }

    @Test func lineEndsAreThoseOfTheFiles() throws {
        let scratch = Scratch()
        scratch.write("a.csv", "id\n1\r2\n")
        #expect(try log(run(scratch, [(2, 1, 3, "1")]))["newlineSequences"] as? [String] == ["\r\n", "\n"])
        scratch.write("a.csv", "id\r1\r2\r")
        #expect(try log(run(scratch, [(2, 1, 3, "1")]))["newlineSequences"] as? [String] == ["\r\n", "\n", "\r"])
    }
}

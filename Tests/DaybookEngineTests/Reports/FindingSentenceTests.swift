import Foundation
import Testing

@testable import DaybookContracts
@testable import DaybookEngine
@testable import DaybookReports

/// What a report says of a finding where nobody sees its line.
@Suite struct FindingSentenceTests {
    static func finding(_ message: String, field: String?, value: String?) -> RenderedFinding {
        var finding = SampleRuns.finding("does-not-hold", message, rule: "holds_n", line: 2)
        (finding.field, finding.value) = (field, value)
        return finding
    }

    @Test(
        "column and value stand before what does not tell them",
        arguments: [
            ("'n >= 2' does not hold", "n", "1", "n '1': 'n >= 2' does not hold"),
            ("the value is missing", "n", nil, "n: the value is missing"),
            ("'x' is not at least 2 characters long", "name", "x", "name: 'x' is not at least 2 characters long"),
            (
                "the values of 'id' and 'day' stand in line 3 already", nil, nil,
                "the values of 'id' and 'day' stand in line 3 already"
            ),
            ("the value stands in line 1 already", "id", "1", "id '1': the value stands in line 1 already"),
            ("'id' is too long", "id", "abc", "'id' is too long ('abc')"),
        ] as [(String, String?, String?, String)]
    )
    func sentence(_ message: String, _ field: String?, _ value: String?, _ told: String) {
        #expect(Self.finding(message, field: field, value: value).sentence == told)
    }

    @Test func everyFormOfALineTellsThem() {
        var run = SampleRuns.named("nothing")
        run.outcome.findings = [Self.finding("'n >= 2' does not hold", field: "n", value: "1")]
        let told = "n '1': 'n >= 2' does not hold"
        for report in [
            GitHubReporter(.plain).report(run), GitLabReporter(.plain).report(run), SARIFReporter(.plain).report(run),
            JUnitReporter(.plain).report(run).replacing("&gt;", with: ">"), TextReporter(.plain).report(run),
        ] { #expect(report.contains(told), "\(report)") }
    }

    @Test func whatFailsIsToldBeforeWhatIsTolerated() {
        let severities: [Finding.Severity] = [.note, .warning, .error, .note, .error]
        let findings = severities.enumerated().map { line, severity in
            SampleRuns.finding("odd", "odd", severity: severity, line: line + 1)
        }
        #expect(FindingText.sorted(findings).map(\.line) == [3, 5, 2, 1, 4])
    }

    @Test func aLogHasNoMoreResultsThanCodeScanningTakes() throws {
        var run = SampleRuns.named("nothing")
        run.outcome.findings = (1...26_000).map { line in
            var finding = SampleRuns.finding("odd", "odd", rule: "often", line: line)
            finding.fingerprint = "\(line)"
            return finding
        }
        run.outcome.findings.append(SampleRuns.finding("rare", "rare", rule: "rare", severity: .warning, line: 30_000))
        let text = SARIFReporter(.plain).report(run)
        let log = try #require(try JSONSerialization.jsonObject(with: Data(text.utf8)) as? [String: Any])
        let only = try #require((log["runs"] as? [[String: Any]])?.first)
        let results = try #require(only["results"] as? [[String: Any]])
        #expect(results.count == 25_000)
        #expect(results.contains { $0["ruleId"] as? String == "rare" })
        let invocation = try #require((only["invocations"] as? [[String: Any]])?.first)
        let notices = try #require(invocation["toolExecutionNotifications"] as? [[String: Any]])
        let told = (notices.first?["message"] as? [String: Any])?["text"] as? String
        #expect(told?.hasPrefix("1,001 more findings are counted and not listed") == true)
    }
}

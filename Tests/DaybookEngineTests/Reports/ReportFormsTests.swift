import DaybookTestSupport
import Foundation
import Testing

@testable import DaybookContracts
@testable import DaybookReports

/// Every form of report of every kind of run, held against what was looked at once.
@Suite struct ReportFormsTests {
    static let snapshots = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
        .appendingPathComponent("Snapshots")

    @Test("the report is the one that was reviewed", arguments: ReporterTable.builtIn.names, SampleRuns.names)
    func isReviewed(_ form: String, _ name: String) throws {
        let reporter = try #require(ReporterTable.builtIn[form])
        var run = SampleRuns.named(name)
        // The places of the job start from where the tests run, which is the root here.
        run.fullReports = name == "everything" ? ["out/all, 100%.sarif"] : []
        let text = reporter.init(.plain).report(run)
        #expect(text.utf8.last == UInt8(ascii: "\n"))
        #expect(!text.contains("hunter2") && !text.contains("\u{1B}"))
        let failure = try Expectation.failure(
            text,
            against: ReportFormsTests.snapshots.appendingPathComponent("\(name).\(form)")
        )
        #expect(failure == nil)
    }

    @Test("the summary of a step is the one that was reviewed", arguments: SampleRuns.names)
    func summaryIsReviewed(_ name: String) throws {
        var run = SampleRuns.named(name)
        #expect(GitHubReporter(.plain).appendix(run) == nil)
        run.surroundings?.stepSummary = "summary.md"
        let appendix = try #require(GitHubReporter(.plain).appendix(run))
        #expect(appendix.file == "summary.md" && appendix.text.hasPrefix(appendix.brief))
        let file = ReportFormsTests.snapshots.appendingPathComponent("\(name).summary.md")
        let failure = try Expectation.failure(appendix.text, against: file)
        #expect(failure == nil)
    }

    @Test func everyFormHasANameAndASentence() {
        let names = ReporterTable.builtIn.names
        #expect(names == ["text", "json", "github", "gitlab", "sarif", "junit", "html", "mail", "badge"])
        for reporter in ReporterTable.builtIn.reporters { #expect(reporter.summary.hasSuffix(".")) }
    }
}

import DaybookContracts
import DaybookJobTools
import DaybookStandard
import DaybookTestSupport
import Foundation
import Testing

/// `docs/reference` is what the tables and the help of the command say, page by page.
///
/// `DAYBOOK_RECORD=1` writes the pages. A page of a stage that is no more has to be deleted by hand.
@Suite struct ReferenceTests {
    static let folder = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
        .appendingPathComponent("../../docs/reference").standardizedFileURL
    private static let note =
        "<!-- Made from the tables of the command: DAYBOOK_RECORD=1 swift test --filter ReferenceTests -->"
    private let command = CommandTrial(in: FileManager.default.temporaryDirectory)

    /// Help as it is printed, command by command.
    private func commands() throws -> String {
        var lines = ["# Commands", ""]
        for name in HelpTests.commands {
            let help = try command.run((name.isEmpty ? [] : [name]) + ["--help"]).output
            lines += ["## `daybook\(name.isEmpty ? "" : " \(name)")`", "", "```text", help + "```", ""]
        }
        return lines.joined(separator: "\n")
    }

    private func pages() throws -> [(path: String, text: String)] {
        let job = try command.run("help", "job").output
        return ReferencePages(StageTable.builtIn).pages.map { ($0.path, $0.text) } + [
            ("commands.md", try commands()),
            ("job.md", "# The job file\n\nWhat `daybook help job` prints.\n\n```text\n\(job)```\n"),
        ]
    }

    @Test func thePagesAreThoseOfTheTables() throws {
        for page in try pages() {
            let file = ReferenceTests.folder.appendingPathComponent(page.path)
            let text = page.text.replacingOccurrences(of: "\n+$", with: "", options: .regularExpression)
            let failure = try Expectation.failure("\(ReferenceTests.note)\n\n\(text)\n", against: file)
            #expect(failure == nil)
        }
    }

    @Test func noPageIsLeftOver() throws {
        // The findings are held by Tests/checks/check-documents, the index is written by hand.
        let known = Set(try pages().map(\.path) + ["README.md", "findings.md"])
        let found = try FileManager.default.subpathsOfDirectory(atPath: ReferenceTests.folder.path)
        #expect(found.filter { $0.hasSuffix(".md") && !known.contains($0) } == [])
    }
}

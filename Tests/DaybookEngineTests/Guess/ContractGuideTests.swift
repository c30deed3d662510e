import DaybookJobTools
import DaybookStandard
import DaybookTestSupport
import Foundation
import Testing

/// The tables of docs/guides/contracts.md: each clause becomes the lines that stand beside it.
@Suite struct ContractGuideTests {
    struct Row: Sendable, CustomTestStringConvertible {
        var contract: String
        var state: String
        var lines: [String]
        var testDescription: String { contract }
    }

    static let rows: [Row] = {
        let guide = URL(fileURLWithPath: #filePath).appendingPathComponent("../../../../docs/guides/contracts.md")
        let text = (try? String(contentsOf: guide.standardizedFileURL, encoding: .utf8)) ?? ""
        var (rows, form): ([Row], String) = ([], "")
        for line in text.split(separator: "\n") {
            if line.hasPrefix("In `"), let spoken = line.firstMatch(of: /`(.*)`/) { form = String(spoken.1) }
            // A bar within a cell is written with a backslash.
            let cells = line.replacing("\\|", with: "\u{1}").split(separator: "|").map {
                $0.replacing("\u{1}", with: "|")
            }
            guard line.hasPrefix("| `"), cells.count >= 2 else { continue }
            let code = cells.map { $0.matches(of: /`([^`]*)`/).map { String($0.1) } }
            rows.append(
                Row(
                    contract: "{ \(form.replacing("…", with: code[0].first ?? "")) }",
                    state: cells[1].trimmingCharacters(in: .whitespaces),
                    lines: cells.count > 2 ? code[2] : []
                )
            )
        }
        return rows
    }()

    @Test func `the guide has tables`() { #expect(ContractGuideTests.rows.count > 150) }

    @Test(arguments: rows) func `a clause becomes its lines`(_ row: Row) throws {
        let place = try TemporaryDirectory()
        try place.write(row.contract, to: "t.yaml")
        let contract = try ContractReader.read(place.url.appendingPathComponent("t.yaml").path)
        let job = try ContractJob(contract, command: "", .builtIn).written().text
        let lines = job.split(separator: "\n").map { $0.trimmingCharacters(in: .whitespaces).trimmingPrefix("- ") }
        for line in row.lines { #expect(lines.contains { $0 == line }, "\(line)\n\(job)") }
        let isUnsaid = job.contains("# cannot be said")
        switch row.state {
        case "said": #expect(!isUnsaid && !job.contains("# partly said"), "\(job)")
        case "partly": #expect(isUnsaid || job.contains("# partly said"), "\(job)")
        default: #expect(isUnsaid && row.lines.isEmpty, "\(job)")
        }
    }
}

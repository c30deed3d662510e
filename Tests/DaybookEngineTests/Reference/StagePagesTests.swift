import DaybookContracts
import DaybookJobTools
import DaybookStages
import DaybookTestSupport
import Foundation
import Testing

/// The pages of one stage, word for word, in every form; and its schema.
@Suite struct StagePagesTests {
    static let table = StageTable([SampleStage.self])
    static let snapshots = URL(fileURLWithPath: #filePath).deletingLastPathComponent().appendingPathComponent(
        "Snapshots"
    )

    func expect(_ text: String, _ name: String) throws {
        let failure = try Expectation.failure(text, against: StagePagesTests.snapshots.appendingPathComponent(name))
        #expect(failure == nil)
    }

    @Test func pagesReadWell() throws {
        let pages = StagePages(StagePagesTests.table)
        try expect(pages.list(.text), "list.txt")
        try expect(try pages.page("sample_rows", .text), "page.txt")
        try expect(try pages.page("sample_rows", .markdown), "page.md")
        try expect(try pages.page("sample_rows", .json), "page.json")
    }

    @Test func theSchemaIsMadeFromTheTable() throws {
        try expect(JobSchema(StagePagesTests.table).text, "schema.json")
    }

    @Test func aMapThatMayStandWithoutItsKeyIsSaidToBeSo() throws {
        let table = StageTable([RenameColumns.self])
        let pages = StagePages(table)
        let words = "a map of names to a column name, under this key or without it"
        #expect(try pages.page("rename_columns", .text).contains("  names  \(words); required\n"))
        #expect(try pages.page("rename_columns", .markdown).contains("| `names` | \(words) | required |"))
        let schema = try #require(
            JSONSerialization.jsonObject(with: Data(JobSchema(table).text.utf8)) as? [String: Any]
        )
        let options = try #require((schema["$defs"] as? [String: Any])?["stage.rename_columns"] as? [String: Any])
        #expect(options["required"] == nil)
        #expect(options["minProperties"] as? Int == 1)
        #expect((options["additionalProperties"] as? [String: Any])?["$ref"] as? String == "#/$defs/scalar")
        let names = (options["properties"] as? [String: Any])?["names"] as? [String: Any]
        #expect((names?["anyOf"] as? [[String: Any]])?.count == 2)
    }

    @Test func unknownStagesAreRefused() {
        let error = #expect(throws: DaybookError.self) {
            try StagePages(StagePagesTests.table).page("sample_row", .text)
        }
        #expect(error?.message == "no stage named 'sample_row'" && error?.hint == "did you mean 'sample_rows'?")
    }
}

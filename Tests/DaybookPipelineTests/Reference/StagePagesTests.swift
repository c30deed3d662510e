import DaybookCore
import DaybookPipeline
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

    @Test func unknownStagesAreRefused() {
        let error = #expect(throws: DaybookError.self) {
            try StagePages(StagePagesTests.table).page("sample_row", .text)
        }
        #expect(error?.message == "no stage named 'sample_row'" && error?.hint == "did you mean 'sample_rows'?")
    }
}

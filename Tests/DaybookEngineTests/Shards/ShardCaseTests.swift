import DaybookTestSupport
import Foundation
import Testing

@testable import DaybookContracts

/// Every case and every pipeline, cut into shards: what is expected of one process is expected of many.
@Suite struct ShardCaseTests {
    private static let counts = TestSize.isExhaustive ? [1, 3, 17] : [3]

    @Test("the case is true in shards", arguments: TestSize.most(of: CaseTests.cases), counts)
    func holds(_ folder: CaseFolder, _ shards: Int) throws {
        for failure in try folder.failures(inShards: shards) ?? [] { Issue.record(Comment(rawValue: failure)) }
    }

    /// What only the history knows, which files are new, cannot be planned ahead.
    static let planned = GoldenTests.pipelines.filter { $0 != "orders-nightly" }

    @Test("the pipeline gives its golden result in shards", arguments: TestSize.most(of: planned), counts)
    func isGolden(_ name: String, _ shards: Int) throws {
        let failures = try CaseFolder.failures(
            of: ["run", "pipelines/\(name).yaml", "--as-of", "2026-11-21", "--threads", "2"],
            in: try GoldenTests.place(of: name),
            expected: GoldenTests.golden.appendingPathComponent(name),
            shards: shards
        )
        for failure in try #require(failures) { Issue.record(Comment(rawValue: failure)) }
    }

    /// Of the cases that are runs so many can be cut into shards; else the tests above would show nothing.
    @Test func mostCasesAreHeld() throws {
        let fewest = TestSize.rounds(20, of: 60)
        var held = 0
        for folder in CaseTests.cases where held < fewest { held += try folder.failures(inShards: 1) == nil ? 0 : 1 }
        #expect(held == fewest)
    }
}

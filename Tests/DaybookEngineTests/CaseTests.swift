import DaybookTestSupport
import Foundation
import Testing

@testable import DaybookContracts

/// Whole runs of the built command, each in a folder that says what it shows.
@Suite struct CaseTests {
    static let directory = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
    static let cases = CaseFolder.all(in: directory.appendingPathComponent("Cases"))

    @Test("the case is true", arguments: cases)
    func holds(_ folder: CaseFolder) throws {
        for failure in try folder.failures() { Issue.record(Comment(rawValue: failure)) }
    }

    /// As many as there were when this was last looked at, so that none is lost unseen; raise it when you add cases.
    static let fewest = 115

    @Test func casesAreThere() { #expect(CaseTests.cases.count >= CaseTests.fewest) }

    @Test("the case has a run and what is expected of it", arguments: cases)
    func isWhole(_ folder: CaseFolder) {
        func has(_ name: String) -> Bool {
            FileManager.default.fileExists(atPath: folder.folder.appendingPathComponent(name).path)
        }
        #expect(has("job.yaml") || has("arguments"))
        #expect(has("expected/exit") && has("expected/stderr"))
    }
}

/// Every job under `pipelines/` gives, byte for byte, what is kept under `Golden/` for 21 November 2026.
@Suite struct GoldenTests {
    static let package = CaseTests.directory.deletingLastPathComponent().deletingLastPathComponent()
    static let golden = CaseTests.directory.appendingPathComponent("Golden")
    /// By their paths without the ending: `nightly-report`, `apps/todo-list`.
    static let pipelines: [String] = {
        let directory = package.appendingPathComponent("pipelines")
        return paths(in: directory).filter { $0.hasSuffix(".yaml") }.map { String($0.dropLast(5)) }.sorted()
    }()

    private static func paths(in directory: URL) -> [String] {
        FileManager.default.enumerator(atPath: directory.path)?.compactMap { $0 as? String } ?? []
    }

    @Test("the pipeline gives its golden result", arguments: pipelines)
    func isGolden(_ name: String) throws {
        let place = try GoldenTests.place(of: name)
        let failures = try CaseFolder.failures(
            of: ["run", "pipelines/\(name).yaml", "--as-of", "2026-11-21", "--threads", "2"],
            in: place,
            expected: GoldenTests.golden.appendingPathComponent(name)
        )
        for failure in failures { Issue.record(Comment(rawValue: failure)) }
    }

    /// Pipelines that read what another one keeps.
    private static let before = ["orders-report": "orders-nightly"]

    /// A directory with the pipeline and the samples, and what a pipeline before it keeps.
    static func place(of name: String) throws -> TemporaryDirectory {
        let place = try TemporaryDirectory()
        if let before = before[name] {
            let files = golden.appendingPathComponent("\(before)/files/out")
            try FileManager.default.copyItem(at: files, to: place.url.appendingPathComponent("out"))
        }
        let job = GoldenTests.package.appendingPathComponent("pipelines/\(name).yaml")
        try place.write(try Data(contentsOf: job), to: "pipelines/\(name).yaml")
        try FileManager.default.createSymbolicLink(
            at: place.url.appendingPathComponent("samples"),
            withDestinationURL: GoldenTests.package.appendingPathComponent("samples")
        )
        return place
    }

    @Test func everyGoldenHasItsPipeline() {
        let kept = GoldenTests.paths(in: GoldenTests.golden).filter { $0.hasSuffix("/exit") }.map { $0.dropLast(5) }
        #expect(Set(kept.map(String.init)) == Set(GoldenTests.pipelines))
        #expect(kept.count >= 12)
    }
}

import DaybookTestSupport
import Foundation
import Testing

@testable import DaybookContracts

/// What is wrong with files that others make, class by class, and what Daybook says of each.
///
/// The lists are the classes; the sheets beside them are to be read: every file gives the right table, or is told with its
/// place and what to do. `DAYBOOK_RECORD=1` rewrites them.
@Suite struct ForeignFilesTests {
    static let directory = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
    static let groups: [(name: String, files: [ForeignFile])] = [
        ("empty files and headers", ForeignFile.headers), ("above, between and below", ForeignFile.surroundings),
        ("delimiters", ForeignFile.delimiters), ("quotes", ForeignFile.quotes), ("ends of records", ForeignFile.ends),
        ("numbers of cells", ForeignFile.widths), ("encodings", ForeignFile.encodings),
        ("characters", ForeignFile.characters), ("values", ForeignFile.values), ("other forms", ForeignFile.forms),
        ("sizes and accidents", ForeignFile.sizes),
    ]

    @Test("what is said of each file is what the sheet says", arguments: groups.map(\.name))
    func sheet(_ name: String) throws {
        let group = try #require(ForeignFilesTests.groups.first { $0.name == name })
        let files = Expectation.isRecording ? group.files : TestSize.third(of: group.files, from: name.utf8.count % 3)
        let entries = try files.map { try $0.entry() }
        let file = ForeignFilesTests.directory.appendingPathComponent(
            "Sheets/\(name.replacing(", ", with: "-").replacing(" ", with: "-")).txt"
        )
        if entries.count == group.files.count {
            let failure = try Expectation.failure(entries.joined(), against: file)
            #expect(failure == nil)
        } else {
            let sheet = try String(contentsOf: file, encoding: .utf8)
            for entry in entries { #expect(sheet.contains(entry)) }
        }
        // Whatever a file holds, a run ends as it should, and a guess writes a job that runs.
        for line in entries.joined().split(separator: "\n") {
            if line.firstMatch(of: #/^  (run.*|guess): \d+$/#) != nil {
                #expect(line.firstMatch(of: #/: [0-3]$/#) != nil, "\(line)")
            }
            if line.hasPrefix("  its run: ") { #expect(line == "  its run: 0") }
        }
    }

    @Test func everyClassHasItsFileOrStandsElsewhere() {
        let tests = ForeignFilesTests.directory.deletingLastPathComponent().deletingLastPathComponent()
        let files = ForeignFilesTests.groups.flatMap(\.files)
        for file in files { #expect(file.misplaced(in: tests) == nil) }
        #expect(Set(files.map(\.name)).count == files.count)
        #expect(files.count >= 264)
    }
}

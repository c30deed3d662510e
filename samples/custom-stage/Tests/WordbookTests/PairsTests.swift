import DaybookContracts
import DaybookTestSupport
import Foundation
import Testing

@testable import WordbookStages

/// A format of one's own: read, written, detected, and cut anywhere.
@Suite struct PairsTests {
    @Test("the examples of the import are true", arguments: ImportPairs.description.examples.indices)
    func read(_ index: Int) {
        let failures = ExampleRunner.failures(of: ImportPairs.self, in: ImportPairs.description.examples[index])
        #expect(failures.isEmpty, "\(failures)")
    }

    @Test("the examples of the export are true", arguments: ExportPairs.description.examples.indices)
    func write(_ index: Int) {
        let failures = ExampleRunner.failures(of: ExportPairs.self, in: ExportPairs.description.examples[index])
        #expect(failures.isEmpty, "\(failures)")
    }

    @Test("guess prints a job that reads the file, and what it writes is the file again")
    func roundTrip() throws {
        let folder = FileManager.default.temporaryDirectory.appending(path: "pairs-\(UUID().uuidString)")
        defer { try? FileManager.default.removeItem(at: folder) }
        let wordbook = Wordbook(in: folder)
        let text = "name=Ada;colour=red\nname=Bo\n"
        try wordbook.write(text, to: "a.pairs")
        let guess = try wordbook("guess", "a.pairs")
        #expect(guess.code == 0, "\(guess.errors)")
        #expect(guess.output.contains("import_pairs"), "\(guess.output)")
        try wordbook.write(
            """
            daybook: 1
            stages:
              - import_pairs: { path: a.pairs, keys: [name, colour] }
              - export_pairs: { path: b.pairs }

            """,
            to: "copy.yaml"
        )
        let run = try wordbook("run", "copy.yaml")
        #expect(run.code == 0, "\(run.errors)")
        #expect(wordbook.read("b.pairs") == text)
    }
}

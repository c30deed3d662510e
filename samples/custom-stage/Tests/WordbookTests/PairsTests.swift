import Foundation
import Testing

/// A format of one's own with the command: detected, read, and written again.
@Suite struct PairsTests {
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

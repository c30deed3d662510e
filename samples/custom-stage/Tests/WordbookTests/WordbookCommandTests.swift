import Foundation
import Testing

/// Runs `wordbook`, which the tests find beside themselves, as a user would.
@Suite struct WordbookCommandTests {
    struct Answer {
        var code: Int32
        var output: String
        var errors: String
    }

    private let folder = FileManager.default.temporaryDirectory.appending(path: "wordbook-\(UUID().uuidString)")

    private func wordbook(_ arguments: String...) throws -> Answer {
        let process = Process()
        let tests = URL(filePath: CommandLine.arguments[0])
        process.executableURL = tests.deletingLastPathComponent().appending(path: "wordbook")
        process.arguments = arguments
        process.currentDirectoryURL = folder
        // Files, because a pipe that nobody empties can fill up and stop the command.
        let (output, errors) = (folder.appending(path: "output.txt"), folder.appending(path: "errors.txt"))
        for file in [output, errors] { try Data().write(to: file) }
        process.standardOutput = try FileHandle(forWritingTo: output)
        process.standardError = try FileHandle(forWritingTo: errors)
        try process.run()
        process.waitUntilExit()
        return Answer(
            code: process.terminationStatus,
            output: try String(contentsOf: output, encoding: .utf8),
            errors: try String(contentsOf: errors, encoding: .utf8)
        )
    }

    private func write(_ text: String, to name: String) throws {
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        try Data(text.utf8).write(to: folder.appending(path: name))
    }

    private func read(_ name: String) -> String? {
        try? String(contentsOf: folder.appending(path: name), encoding: .utf8)
    }

    private func writeJob(limit: Int) throws {
        try write("day,note\n2026-11-20,오늘은 바다에 갔다\n2026-11-21,\"one, \"\"two\"\"\"\n", to: "diary.csv")
        try write(
            """
            daybook: 1
            job: words
            stages:
              - import_csv: { path: diary.csv }
              - count_words: { limit: \(limit) }
              - export_csv: { path: words.csv }

            """,
            to: "words.yaml"
        )
    }

    @Test("a job may use the new stage beside those of Daybook")
    func run() throws {
        defer { try? FileManager.default.removeItem(at: folder) }
        try writeJob(limit: 3)
        let answer = try wordbook("run", "words.yaml")
        #expect(answer.code == 0, "\(answer.errors)")
        #expect(
            read("words.csv")
                == "day,note,words\n2026-11-20,오늘은 바다에 갔다,3\n2026-11-21,\"one, \"\"two\"\"\",2\n"
        )
    }

    @Test("what it rejects fails the gate, with its place in the source")
    func gate() throws {
        defer { try? FileManager.default.removeItem(at: folder) }
        try writeJob(limit: 2)
        let answer = try wordbook("run", "words.yaml")
        #expect(answer.code == 1)
        #expect(answer.errors.contains("diary.csv:2:12: error: the text has more than 2 words [too-many-words]"))
        #expect(read("words.csv") == nil)
    }

    @Test("a job may ask for the new rule beside those of Daybook")
    func rule() throws {
        defer { try? FileManager.default.removeItem(at: folder) }
        try write("day,note\n2026-11-20,바다\n2026-11-21,TODO\n", to: "diary.csv")
        try write(
            """
            daybook: 1
            job: rule
            stages:
              - import_csv: { path: diary.csv }
              - check_rows: { rules: [not_missing: day, no_unwanted: note] }
              - export_csv: { path: words.csv }

            """,
            to: "rule.yaml"
        )
        let answer = try wordbook("run", "rule.yaml")
        #expect(answer.code == 1)
        #expect(answer.errors.contains("diary.csv:3:12: error: 'TODO' holds an unwanted word [no_unwanted_note]"))
    }

    @Test("its page is printed, and a slip of the fingers is put right")
    func pages() throws {
        defer { try? FileManager.default.removeItem(at: folder) }
        try writeJob(limit: 2)
        #expect(try wordbook("stages", "count_words").output.contains("Count the words of a text column."))
        try write("daybook: 1\njob: slip\nstages:\n  - cuont_words: {}\n", to: "slip.yaml")
        let answer = try wordbook("validate", "slip.yaml")
        #expect(answer.code == 2)
        #expect(answer.errors.contains("did you mean 'count_words'?"))
    }
}

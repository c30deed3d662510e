import Foundation
import Testing

/// The command as a user meets it.
@Suite struct WordbookCommandTests {
    private let folder = FileManager.default.temporaryDirectory.appending(path: "wordbook-\(UUID().uuidString)")
    private var wordbook: Wordbook { Wordbook(in: folder) }

    private func writeJob(limit: Int) throws {
        try wordbook.write("day,note\n2026-11-20,오늘은 바다에 갔다\n2026-11-21,\"one, \"\"two\"\"\"\n", to: "diary.csv")
        try wordbook.write(
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
            wordbook.read("words.csv")
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
        #expect(wordbook.read("words.csv") == nil)
    }

    @Test("a job may ask for the new rule beside those of Daybook")
    func rule() throws {
        defer { try? FileManager.default.removeItem(at: folder) }
        try wordbook.write("day,note\n2026-11-20,바다\n2026-11-21,TODO\n", to: "diary.csv")
        try wordbook.write(
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
        try wordbook.write("daybook: 1\njob: slip\nstages:\n  - cuont_words: {}\n", to: "slip.yaml")
        let answer = try wordbook("validate", "slip.yaml")
        #expect(answer.code == 2)
        #expect(answer.errors.contains("did you mean 'count_words'?"))
    }
}

import DaybookTestSupport
import Foundation
import Testing

/// The job that is guessed for the directory of an app's files.
@Suite struct ContainerGuessTests {
    let place: TemporaryDirectory
    let command: CommandTrial
    private let preferences = "Mood.xcappdata/AppData/Library/Preferences/com.example.mood.plist"
    private let backup = "Mood.xcappdata/AppData/Documents/backup.json"

    init() throws {
        place = try TemporaryDirectory()
        command = CommandTrial(in: place.url)
        let todos = #"{"version":2,"items":[{"id":"a","title":"one","due":731000000.5},{"id":"b","title":"two"}]}"#
        let store: [String: Any] = [
            "todos": Data(todos.utf8), "lastOpened": Date(timeIntervalSince1970: 1_700_000_000),
            "token": Data([1, 2, 3]),
            "habits": [
                ["name": "run", "done": true, "at": Date(timeIntervalSince1970: 0)], ["name": "read", "done": false],
            ],
        ]
        try place.write("", to: preferences)
        try PropertyListSerialization.data(fromPropertyList: store, format: .binary, options: 0)
            .write(to: place.url.appendingPathComponent(preferences))
        let arrays = (1...7).map {
            "\"part\($0)\": [{\"id\": \($0), \"mood\": \"good\"}, {\"id\": 9, \"mood\": \"bad\", \"note\": null}]"
        }
        try place.write("{\"version\": 12, \(arrays.joined(separator: ", ")), \"pin\": 1e400}\n", to: backup)
        try place.write(
            "[{\"id\": 1, \"text\": \"\\u00e4\", \"size\": 1.50}]\n",
            to: "Mood.xcappdata/AppData/Documents/diary.json"
        )
        try place.write("not a table \u{0} at all", to: "Mood.xcappdata/AppData/Documents/photo.heic")
        try place.write("{\"a\": [{\"b\": 1}]}", to: "Mood.xcappdata/AppData/Library/Caches/answers.json")
    }

    private func run(_ arguments: String...) throws -> String {
        let outcome = try command.run(arguments)
        #expect(outcome.status == 0, "\(outcome.errors)")
        return outcome.errors
    }

    private func list(_ path: String) throws -> NSDictionary {
        let bytes = try Data(contentsOf: place.url.appendingPathComponent(path))
        return try #require(try PropertyListSerialization.propertyList(from: bytes, format: nil) as? NSDictionary)
    }

    @Test func everythingComesBackAsItWas() throws {
        let said = try run("guess", "Mood.xcappdata", "-o", "job.yaml")
        let job = place.text("job.yaml") ?? ""
        #expect(said.contains("found records in 10 places of 3 files"), "\(said)\n\(job)")
        #expect(said.contains("2 other files are copied as they are"), "\(said)")
        for line in [
            "#   AppData/Documents/photo.heic", "#   AppData/Library/Caches/answers.json", "# Copied as they are:",
        ] {
            #expect(job.contains(line), "\(job)")
        }
        _ = try run("run", "job.yaml")
        for file in ["Documents/photo.heic", "Library/Caches/answers.json"] {
            #expect(
                place.text("out/Mood.xcappdata/AppData/\(file)") == place.text("Mood.xcappdata/AppData/\(file)"),
                "\(file)"
            )
        }
        let diary = place.text("out/Mood.xcappdata/AppData/Documents/diary.json") ?? ""
        #expect(diary.filter { !$0.isWhitespace } == "[{\"id\":1,\"text\":\"\\u00e4\",\"size\":1.50}]", "\(diary)")
        let (before, after) = (try list(preferences), try list("out/\(preferences)"))
        #expect(before == after, "\(after)")
        // Numbers and spellings beside the records are those of the file.
        let written = place.text("out/\(backup)") ?? ""
        #expect(written.contains("1e400") && written.contains("\"version\": 12"), "\(written)")
        #expect(try again(backup) == again("out/\(backup)"))
    }

    /// A document with its numbers as texts, since a double could not hold each.
    private func again(_ path: String) throws -> NSDictionary {
        let text = (place.text(path) ?? "").replacingOccurrences(of: "1e400", with: "\"1e400\"")
        return try #require(try JSONSerialization.jsonObject(with: Data(text.utf8)) as? NSDictionary)
    }

    @Test func arraysOfValuesComeBackAsTheyWere() throws {
        let values: [String: [Any]] = [
            "texts": ["a", "b", "a"], "whole": [1, 2], "real": [1.0, 2.5], "mixed": [1, 2.0, 2.5, "x", true],
            "numbers": [1, 2.0, 2.5], "flags": [true, false], "data": [Data([1, 2]), Data()],
            "dates": [Date(timeIntervalSinceReferenceDate: 788_954_400.5)], "none": [],
            "arrays": [[1, 2.0], [], ["a"]],
        ]
        try PropertyListSerialization.data(fromPropertyList: values, format: .binary, options: 0)
            .write(to: place.url.appendingPathComponent(preferences))
        _ = try run("guess", "Mood.xcappdata", "-o", "job.yaml")
        _ = try run("run", "job.yaml")
        let written = try list("out/\(preferences)")
        for (key, value) in values {
            let array = try #require(written[key] as? [Any], "\(key)")
            // XML tells whole numbers from others, and objects of Foundation do not.
            let texts = try [value, array].map {
                try PropertyListSerialization.data(fromPropertyList: $0, format: .xml, options: 0)
            }
            #expect(texts[0] == texts[1], "\(key): \(array)")
        }
    }

    @Test func oneLineMoreChangesOneField() throws {
        _ = try run("guess", "Mood.xcappdata", "-o", "job.yaml")
        let stage = "  - derive_columns: { columns: { title: \"upper(title)\" }, replace: true }\n"
        var lines = (place.text("job.yaml") ?? "").components(separatedBy: "\n")
        let key = try #require(lines.firstIndex { $0.contains("key: todos") })
        let export = try #require(lines[key...].firstIndex { $0.contains("export_user_defaults") })
        lines.insert(String(stage.dropLast()), at: export)
        try place.write(lines.joined(separator: "\n"), to: "job.yaml")
        let foretold = try run("run", "job.yaml", "--dry-run")
        #expect(foretold.contains("by id: 0 came, 0 went, 2 changed, 0 as before"), "\(foretold)")
        #expect(foretold.contains("~ id=a  title: one → ONE"), "\(foretold)")
        _ = try run("run", "job.yaml")
        let todos = try #require(try list("out/\(preferences)")["todos"] as? Data)
        let expected = #"{"version":2,"items":[{"id":"a","title":"ONE","due":731000000.5},{"id":"b","title":"TWO"}]}"#
        #expect(String(decoding: todos, as: UTF8.self) == expected)
    }

    @Test func aDirectoryWithoutRecordsSaysSo() throws {
        try place.write("x", to: "Empty.xcappdata/AppData/Documents/a.bin")
        let outcome = try command.run(["guess", "Empty.xcappdata"])
        #expect(outcome.status != 0)
        #expect(
            outcome.errors.contains("'Empty.xcappdata' has no records that a job could change, in 1 file"),
            "\(outcome.errors)"
        )
    }

    @Test func storesWithTablesOfOneNameHaveOutputsOfTheirOwn() throws {
        try place.write("x\n1\n", to: "x.csv")
        for store in ["a", "b"] {
            let output = "export_sqlite: { path: Mood.xcappdata/AppData/Documents/\(store).sqlite, table: t }"
            try place.write("daybook: 1\nstages:\n  - import_csv: { path: x.csv }\n  - \(output)\n", to: "store.yaml")
            _ = try run("run", "store.yaml")
        }
        _ = try run("guess", "Mood.xcappdata", "-o", "job.yaml")
        _ = try run("run", "job.yaml")
        let names = try FileManager.default.contentsOfDirectory(atPath: place.url.appendingPathComponent("out").path)
        #expect(names.filter { $0.hasSuffix(".json") }.count == 2, "\(names)")
    }
}

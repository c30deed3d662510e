import DaybookTestSupport
import Foundation
import Testing

/// `daybook guess --swift`.
@Suite struct ModelGuessTests {
    let place: TemporaryDirectory
    let command: CommandTrial

    init() throws {
        place = try TemporaryDirectory()
        command = CommandTrial(in: place.url)
        try place.write(#"{"todos": "\#(Self.todos.replacing("\"", with: "\\\""))", "volume": 0.50}"#, to: "dump.json")
    }

    private static let todos = """
        [{"id": 1, "title": "milk", "savedDate": 793983600.25, "place": {"lat": 1.5}, "misc": 1}, \
        {"id": 2, "title": "bread", "savedDate": 793983600, "misc": "x"}]
        """

    @Test func `a model is printed with the job that writes the records back`() throws {
        let said = try command.run("guess", "dump.json", "--swift")
        #expect(
            said.output == """
                // daybook guess dump.json --swift
                // A model of 2 records of 'todos' in dump.json, as they are today: read it before you use it.
                // The app decodes [Todo], with dates as apple_seconds.
                // A number without a fraction in all records is Int here; JSON does not tell it from a Double.
                // A decoder steps over keys that its type does not name, such as those left out here.
                import Foundation

                struct Todo: Codable {
                    let id: Int
                    let title: String
                    let savedDate: Date
                    let place: Place?
                    // 'misc' is left out: of several kinds: text and a whole number

                    struct Place: Codable {
                        let lat: Double
                    }
                }

                // The job that takes the records out and writes them back; '-o FILE.yaml' writes it beside the model.
                //
                // # Takes the records out and writes them back as they came; put stages that change them before the
                // # export.
                // daybook: 1
                // job: todos
                // stages:
                //   # 'todos' of a JSON dump: 2 rows, 5 columns.
                //   # Other keys: 'volume'; without 'key' this stage lists them all.
                //   - import_user_defaults:
                //       path: dump.json
                //       key: todos  # text holding JSON, an array
                //       columns:
                //         misc: json  # of several kinds
                //   - export_user_defaults:
                //       path: out/dump.json
                //       key: todos
                //       into: dump.json  # what stands beside the records is kept
                //       model:           # a row that the app could not read fails the run
                //         file: Todo.swift
                //         type: "[Todo]"
                //         dates: apple_seconds

                """,
            "\(said)"
        )
        // What is printed is a file that 'daybook model' reads.
        try place.write(said.output, to: "Printed.swift")
        #expect(try command.run("model", "Printed.swift").status == 0)
    }

    /// Files in all forms, with what is to be the same after the way out and back.
    @Test func `the printed job runs, and its model reads every row`() throws {
        let objects = (0..<3).map { "{\"id\": \($0), \"at\": {\"x\": \($0).5}, \"tags\": [\"a\"]}" }
        let all = objects.joined(separator: ",")
        var files: [(String, String)] = [
            ("array.json", "[\(all)]"), ("lines.ndjson", objects.joined(separator: "\n") + "\n"),
            ("wrapped.json", "{\"version\": 1, \"items\": [\(all)]}"), ("one.json", objects[0]),
            ("keyed.json", "{\"a\": \(objects[0]), \"b\": \(objects[1]), \"c\": \(objects[2])}"),
            ("pairs.json", "[\"home\", \(objects[0]), \"work\", \(objects[1])]"),
            ("inner.json", "{\"todos\": \"{\\\"v\\\": 1, \\\"items\\\": [{\\\"id\\\": 1}, {\\\"id\\\": 2}]}\"}"),
            ("words.json", "{\"words\": \"[\\\"a\\\", \\\"b\\\"]\"}"),
        ]
        let list = try PropertyListSerialization.data(
            fromPropertyList: [["at": Date(timeIntervalSinceReferenceDate: 0.5), "n": 1]] as [Any],
            format: .xml,
            options: 0
        )
        files.append(("whole.plist", String(decoding: list, as: UTF8.self)))
        files.append(("out/again.json", files[6].1))
        for (name, text) in files {
            try place.write(text, to: name)
            let job = "\(name.split(separator: "/").last ?? "").yaml"
            let said = try command.run("guess", name, "--swift", "-o", job)
            #expect(said.status == 0 && said.errors.contains("wrote "), "\(name): \(said.errors)")
            let run = try command.run("run", job)
            #expect(run.status == 0, "\(name): \(run.errors)\n\(place.text(job) ?? "")")
            let model = try #require(place.text(job)?.split(separator: "file: ").last?.split(separator: "\n").first)
            let check = try command.run("validate", job, "--data", "--model", String(model))
            #expect(check.status == 0, "\(name): \(check.errors)")
            // Neither file is written over.
            let again = try command.run("guess", name, "--swift", "-o", "other.yaml")
            #expect(again.status != 0 && again.errors.contains("already"), "\(name): \(again.errors)")
            #expect(place.text("other.yaml") == nil)
            try FileManager.default.removeItem(at: place.url.appendingPathComponent(String(model)))
        }
        #expect(place.text("out/again.json") == files[6].1)
        let back = try #require(place.text("out/inner.json"))
        #expect(back == files[6].1.replacing("\\\": 1}, {", with: "\\\":1},{").replacing("\\\": 2}", with: "\\\":2}"))
    }

    @Test func `several keys are named, and what has no records is refused`() throws {
        try place.write("{\"a\": \"[{\\\"x\\\": 1}]\", \"b\": \"[{\\\"y\\\": 1}]\", \"n\": 1}", to: "two.json")
        try place.write("a,b\n1,2\n", to: "table.csv")
        func refused(_ arguments: String..., says words: String) throws {
            let said = try command.run(["guess"] + arguments)
            #expect(said.status != 0 && said.errors.contains(words), "\(arguments): \(said.errors)")
        }
        try refused("two.json", "--swift", says: "has rows in 'a' and 'b'")
        try refused("two.json", "--swift", "--key", "c", says: "has no key 'c'")
        try refused("table.csv", "--swift", says: "has no records of which a Swift model can be made")
        try refused("two.json", "table.csv", "--swift", says: "is about one file")
        try refused("two.json", "--key", "a", says: "goes with '--swift'")
        let said = try command.run("guess", "two.json", "--swift", "--key", "b")
        #expect(said.status == 0 && said.output.contains("let y: Int"), "\(said)")
    }
}

import DaybookTestSupport
import Foundation
import Testing

/// `daybook model`, and exports that the app's own type has to read.
@Suite struct ModelTests {
    let folder = FileManager.default.temporaryDirectory.appendingPathComponent("model-\(UUID().uuidString)")
    let command: CommandTrial

    static let app = """
        import Foundation

        struct Todo: Codable, Identifiable {
            enum Priority: String, Codable { case low, high = "very high" }
            struct Place: Codable { var lat: Double; var lon: Double }
            let id: UUID
            var title: String
            var due: Date?
            var priority: Priority
            var place: Place?
            var steps: [Step]
            let version = 2
            enum CodingKeys: String, CodingKey { case id, title, due = "due_date", priority, place, steps }
        }
        struct Step: Codable { let name: String; let done: Date? }
        """

    init() throws {
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        command = CommandTrial(in: folder)
        try write("App.swift", Self.app)
    }

    private func write(_ name: String, _ text: String) throws {
        try text.write(to: folder.appendingPathComponent(name), atomically: true, encoding: .utf8)
    }

    private static let identity = "8E544BEB-B83B-4C27-8B65-5BB1358E0317"

    private func dump(due: String = "793983600.5", priority: String = "very high", done: String = "793983600") -> String
    {
        """
        {"todos": [
          {"id": "\(Self.identity)", "title": "milk", "priority": "low", "steps": []},
          {"id": "\(Self.identity)", "title": "bread", "due_date": \(due), "priority": "\(priority)",
           "place": {"lat": 1.5, "lon": 2}, "steps": [{"name": "a"}, {"name": "b", "done": \(done)}]}
        ], "other": 1}

        """
    }

    @Test func `a model is printed as options to paste`() throws {
        let said = try command.run("model", "App.swift")
        #expect(said.status == 0, "\(said)")
        #expect(
            said.output == """
                # Todo of App.swift
                # also there: Todo.Priority, Todo.Place, Step
                # 'version' is a 'let' with a value: it is written by the app, and never read

                # import_user_defaults, and import_json without 'dates'
                dates: apple_seconds
                columns:
                  id: text            # UUID
                  title: text
                  due_date: instant
                  priority: text      # Todo.Priority: low, very high
                  place.lat: decimal
                  place.lon: decimal
                  steps: json         # [Step]

                # export_user_defaults, and export_json
                dates: apple_seconds
                fields:
                  id: text             # UUID
                  title: text
                  due_date: date?
                  priority: text       # Todo.Priority: low, very high
                  place.lat: decimal?
                  place.lon: decimal?
                  steps: json          # [Step]
                model: { file: App.swift, type: "[Todo]" }

                # check_rows before the export
                rules:
                  - in_set: { column: priority, values: [low, "very high"] }

                """
        )
    }

    /// The job that the printed text becomes by pasting its parts.
    private func pasted() throws -> String {
        let parts = try command.run("model", "App.swift").output.components(separatedBy: "\n\n")
        func options(_ part: String) -> String {
            part.split(separator: "\n").filter { !$0.hasPrefix("#") }.map { "      " + $0 }.joined(separator: "\n")
        }
        return """
            daybook: 1
            job: todos
            timezone: Etc/UTC
            rejects: { path: rejects.csv, allow: 100% }
            stages:
              - import_user_defaults:
                  path: dump.json
                  key: todos
            \(options(parts[1]))
              - check_rows:
            \(options(parts[3]))
              - export_user_defaults:
                  path: out.json
                  format: json
                  as: text
                  key: todos
            \(options(parts[2]))

            """
    }

    @Test func `the pasted options write what the app reads`() throws {
        try write("job.yaml", try pasted())
        try write("dump.json", dump())
        let said = try command.run("run", "job.yaml")
        #expect(said.status == 0, "\(said)")
        let out = try String(contentsOf: folder.appendingPathComponent("out.json"), encoding: .utf8)
        #expect(out.contains("793983600.5") && out.contains("lat") && out.contains("very high"), "\(out)")
    }

    @Test func `a date inside that another strategy wrote fails the run, whatever rejects are allowed`() throws {
        try write("job.yaml", try pasted())
        try write("dump.json", dump(done: "\"2026-11-20\""))
        let said = try command.run("run", "job.yaml")
        #expect(said.status == 1, "\(said)")
        #expect(
            said.errors.contains("the app's decoder refuses '/steps/1/done': this is text, and the model has Date"),
            "\(said)"
        )
        #expect(said.errors.contains("dump.json:1:11: error: steps"), "\(said)")
        #expect(said.errors.contains("1 row of 'out.json' is not as the app's model has them"), "\(said)")
        #expect(!FileManager.default.fileExists(atPath: folder.appendingPathComponent("out.json").path))
    }

    private func exported(_ model: String) throws -> CommandTrial.Outcome {
        try write(
            "export.yaml",
            """
            daybook: 1
            job: export
            rejects: { path: rejects.csv, allow: 100% }
            stages:
              - import_csv: { path: in.csv }
              - export_json: { path: out.json, \(model) }

            """
        )
        try write("in.csv", "name,mood\na,calm\nb,clam\nc,\n")
        return try command.run("run", "export.yaml")
    }

    @Test func `every row that is refused is a finding with its line`() throws {
        let said = try exported(
            "model: { swift: 'struct A: Codable { let name: String; let mood: M } ; enum M: String, Codable { case calm }', type: '[A]' }"
        )
        #expect(said.status == 1, "\(said)")
        #expect(said.errors.contains("in.csv:3:3"), "\(said)")
        #expect(
            said.errors.contains("the app's decoder refuses '/mood': 'M' has no 'clam'; did you mean 'calm'?"),
            "\(said)"
        )
        #expect(said.errors.contains("2 rows of 'out.json' are not as the app's model has them"), "\(said)")
    }

    @Test(
        "a model that cannot be used is refused before a row is read",
        arguments: [
            ("model: { file: None.swift, type: '[A]' }", "cannot read 'None.swift': there is no such file"),
            ("model: { file: App.swift, type: '[Tode]' }", "'App.swift' declares no 'Tode'"),
            ("model: { file: App.swift }", "expected the key 'type'"),
            ("model: { type: A }", "expected either 'file' or 'swift'"),
            ("model: App.swift", "expected a map with the keys file and type"),
            ("layout: object, model: { file: App.swift, type: '[Todo]' }", "'[Todo]' is no single record"),
            (
                "layout: lines, parts: shards, model: { file: App.swift, type: Todo }",
                "a part is written by its shard alone"
            ),
            ("model: { file: App.swift, type: Todo, date: iso }", "'model' has no option 'date'"),
        ]
    )
    func refused(_ option: String, _ message: String) throws {
        let said = try exported(option)
        #expect(said.status == 2, "\(said)")
        #expect(said.errors.contains(message), "\(said)")
    }

    @Test func `rows that a shard has refused fail the run that merges it`() throws {
        try write(
            "shards.yaml",
            """
            daybook: 1
            job: shards
            rejects: { path: rejects.csv, allow: 100% }
            stages:
              - import_csv: { path: in.csv }
              - export_json: { path: out.json, model: { swift: "enum A: String, Codable { case x, y }", type: "[[String: A]]" } }

            """
        )
        try write("in.csv", "a\nx\nz\ny\n")
        #expect(try command.run("plan", "shards.yaml", "--shards", "1", "-o", "plan.json").status == 0)
        let shard = try command.run("run", "--shard", "plan.json#0", "--into", "parts")
        #expect(shard.status == 0, "\(shard)")
        let said = try command.run("merge", "plan.json", "parts")
        #expect(said.status == 1, "\(said)")
        #expect(said.errors.contains("1 row of 'out.json' is not as the app's model has them"), "\(said)")
    }

    @Test func `what the reader does not know is refused with its line`() throws {
        try write("Other.swift", "struct A: Codable {\n    var size: CGSize\n}\nstruct B: Codable {}\n")
        let one = try command.run("model", "Other.swift", "--type", "A")
        #expect(one.status == 2 && one.errors.contains("Other.swift:2:15"), "\(one)")
        let several = try command.run("model", "Other.swift")
        #expect(several.status == 2 && several.errors.contains("several models stand alone: A and B"), "\(several)")
        #expect(try command.run("model", "gone.swift").status == 2)
    }
}

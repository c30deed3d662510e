import DaybookTestSupport
import Foundation
import Testing

/// `daybook validate --model`: columns of exports, held against the types of an app's next version.
@Suite struct ModelCheckTests {
    let place: TemporaryDirectory
    let command: CommandTrial

    init() throws {
        place = try TemporaryDirectory()
        command = CommandTrial(in: place.url)
        let todo =
            #"{\"id\": 1, \"title\": \"milk\", \"savedDate\": 793983600.25, \"place\": {\"lat\": 1.5}, \"misc\": 1}"#
        try place.write("{\"todos\": \"[\(todo)]\"}", to: "dump.json")
    }

    private func migration(_ options: String = "dates: apple_seconds") throws {
        try place.write("struct Todo: Codable { let id: Int }", to: "Old.swift")
        try place.write(
            """
            daybook: 1
            timezone: Asia/Seoul
            stages:
              - import_user_defaults:
                  path: dump.json
                  key: todos
                  dates: { savedDate: apple_seconds }
                  columns: { id: integer, title: text, place.lat: decimal, misc: json }
              - export_user_defaults:
                  path: out.json
                  key: todos
                  into: dump.json
                  \(options.replacing("\n", with: "\n      "))
                  model: { file: Old.swift, type: "[Todo]" }

            """,
            to: "job.yaml"
        )
    }

    private func check(_ model: String, _ arguments: String...) throws -> CommandTrial.Outcome {
        try place.write("import Foundation\n" + model, to: "New.swift")
        return try command.run(["validate", "job.yaml", "--model", "New.swift"] + arguments)
    }

    @Test func `a model that the columns fill is accepted, and other columns are noted`() throws {
        try migration()
        let said = try check(
            "struct Todo: Codable { let id: Double; let title: String; let savedDate: Date; let note: String?\n"
                + "struct Place: Codable { let lat: Double }\nlet place: Place? }"
        )
        #expect(said.status == 0, "\(said)")
        #expect(said.errors.contains("no field reads 'misc' of export_user_defaults"), "\(said)")
    }

    @Test func `fields without columns, other kinds and other dates are errors`() throws {
        try migration()
        let said = try check(
            """
            struct Todo: Codable {
                let id: String
                let title: URL
                let savedDate: Date
                let due: Date
                let place: Double
                let misc: [Int]
            }
            """,
            "--data"
        )
        #expect(said.status == 2, "\(said)")
        for words in [
            "job.yaml:9:5: error: column 'id' is a whole number, and 'id' of 'Todo' (New.swift:3) is String",
            "'due' of 'Todo' (New.swift:6) is Date, which the app reads as apple_seconds, and no column fills it",
            "column 'place.lat' is written inside an object, and 'place' of 'Todo' (New.swift:7) is Double",
            "3 errors in job.yaml",
        ] {
            #expect(said.errors.contains(words), "\(words) in \(said.errors)")
        }
        let data = try check("struct Todo: Codable { let id: Int; let savedDate: String }", "--data")
        #expect(
            data.status == 2
                && data.errors.contains(
                    "column 'savedDate' is an instant, written as apple_seconds, and 'savedDate' of 'Todo' (New.swift:2) is String"
                ),
            "\(data.errors)"
        )
        try migration("dates: epoch_seconds\nfields: { id: integer, saved: { from: savedDate, kind: date } }")
        let model = "struct Todo: Codable { let id: Int; let saved: Date }"
        #expect(try check(model).status == 0)
        // What 'fields' does not name is never written.
        let unfilled = try check("struct Todo: Codable { let id: Int; let title: String }")
        #expect(unfilled.status == 2 && unfilled.errors.contains("no column fills it"), "\(unfilled.errors)")
        let job = try #require(place.text("job.yaml"))
        // What 'unlisted' keeps needs no column, if a record has it.
        try place.write(
            job.replacing("dates: epoch_seconds", with: "unlisted: keep\n      dates: epoch_seconds"),
            to: "job.yaml"
        )
        #expect(try check("struct Todo: Codable { let id: Int; let title: String }", "--data").status == 0)
        #expect(try check("struct Todo: Codable { let id: Int; let due: String }", "--data").status == 2)
        try place.write(job.replacing("\"[Todo]\" }", with: "\"[Todo]\", dates: iso }"), to: "job.yaml")
        let dates = try check(model)
        #expect(
            dates.status == 2
                && dates.errors.contains(
                    "column 'savedDate' is an instant, written as epoch_seconds, and 'saved' of 'Todo' (New.swift:2) is Date, which the app reads as iso"
                ) && dates.errors.contains("job.yaml:14:"),
            "\(dates.errors)"
        )
    }

    @Test func `the type is the job's, the only one, or the one that is named`() throws {
        try migration()
        let two = "struct Task: Codable { let id: Int }\nstruct Note: Codable { let text: String }"
        let unnamed = try check(two)
        #expect(unnamed.status == 2 && unnamed.errors.contains("declares no 'Todo'"), "\(unnamed.errors)")
        #expect(try check(two, "--type", "Task").status == 0)
        #expect(try check(two, "--type", "[Task]").status == 0)
        #expect(try check(two, "--type", "Note").errors.contains("'--data' looks at the inputs"))
        #expect(try check(two, "--type", "Note", "--data").status == 2)
        #expect(try command.run("validate", "job.yaml", "--type", "Task").status != 0)
        let job = try #require(place.text("job.yaml"))
        try place.write(
            job.replacing("model: { file: Old.swift, type: \"[Todo]\" }", with: "nest: true"),
            to: "job.yaml"
        )
        #expect(try check("struct Task: Codable { let id: Int }").status == 0)
        try place.write(job.split(separator: "  - export")[0] + "  - export_csv: { path: out.csv }\n", to: "job.yaml")
        let none = try check("struct Task: Codable { let id: Int }")
        #expect(none.status == 2 && none.errors.contains("nothing to hold against it"), "\(none.errors)")
    }
}

import DaybookTestSupport
import Foundation
import Testing

/// Fields of an app's records that no column of the job names.
@Suite struct UnlistedFieldsTests {
    private let place: TemporaryDirectory
    private let command: CommandTrial

    private static let notes = [
        #"{"id": 1, "note": "mlik", "at": 757339200.1234567, "tags": ["a", {"b": 1.50}]}"#,
        #"{"at": 757339201, "note": "bread", "id": 2, "place": {"lat": 1.50, "name": "home"}}"#,
    ]

    init() throws {
        place = try TemporaryDirectory()
        command = CommandTrial(in: place.url)
        try write(#"[\#(Self.notes[0]),\#(Self.notes[1])]"#)
    }

    private func write(_ value: String) throws {
        let list = ["notes": Data(value.utf8), "volume": 0.5] as [String: any Sendable]
        let old = try PropertyListSerialization.data(fromPropertyList: list, format: .binary, options: 0)
        try old.write(to: place.url.appendingPathComponent("p.plist"))
    }

    private func written() throws -> String {
        let data = try Data(contentsOf: place.url.appendingPathComponent("o.plist"))
        let list = try PropertyListSerialization.propertyList(from: data, options: [], format: nil) as? [String: Any]
        return String(decoding: try #require(list?["notes"] as? Data), as: UTF8.self)
    }

    @discardableResult
    private func run(_ stages: String, _ options: String, reading: String = "", ending code: Int32 = 0) throws -> String
    {
        let job = """
            daybook: 1
            timezone: UTC
            stages:
              - import_user_defaults: { path: p.plist, key: notes\(reading) }
            \(stages)
              - export_user_defaults: { path: o.plist, into: p.plist, key: notes\(options) }
            """
        try place.write(job, to: "job.yaml")
        return try command.run(["run", "job.yaml"], ending: code).errors
    }

    private static let mended = """
          - select_columns: { columns: [id, note] }
          - derive_columns: { columns: { note: "replace(note, 'mlik', 'milk')" }, replace: true }
        """

    @Test func `one note is mended by naming one field`() throws {
        try run(Self.mended, "")
        let wanted =
            #"[{"id":1,"note":"milk","at":757339200.1234567,"tags":["a", {"b": 1.50}]},"#
            + #"{"at":757339201,"note":"bread","id":2,"place":{"lat": 1.50, "name": "home"}}]"#
        #expect(try written() == wanted)
    }

    @Test func `so it is in a wrapper, and under keys`() throws {
        for (value, options) in [
            (#"{"v": 1, "items": [\#(Self.notes[0])]}"#, ", records: /items"),
            (#"{"2026-03-01": \#(Self.notes[0])}"#, ", records: { each_key: day }"),
        ] {
            try write(value)
            let day = options.contains("day") ? "day, " : ""
            let stages = Self.mended.replacing("[id", with: "[\(day)id")
            try run(stages, options, reading: options)
            let object = #"{"id":1,"note":"milk","at":757339200.1234567,"tags":["a", {"b": 1.50}]}"#
            #expect(try written() == value.replacing(Self.notes[0], with: object).replacing(": {\"id", with: ":{\"id"))
        }
    }

    @Test func `what a property list holds itself keeps its kinds, dates finer than a microsecond too`() throws {
        let notes: [[String: any Sendable]] = [
            ["id": 1, "note": "mlik", "at": Date(timeIntervalSinceReferenceDate: 757_339_200.123_456_7), "x": 1.0],
            ["id": 2, "note": "b", "at": Date(timeIntervalSinceReferenceDate: -0.25), "data": Data([1, 2])],
            ["id": 3, "note": "c", "at": Date.distantPast, "in": ["at": Date(timeIntervalSinceReferenceDate: 5)]],
        ]
        let list = ["notes": notes] as [String: any Sendable]
        let old = try PropertyListSerialization.data(fromPropertyList: list, format: .binary, options: 0)
        try old.write(to: place.url.appendingPathComponent("p.plist"))
        try run(Self.mended, "")
        let new = try Data(contentsOf: place.url.appendingPathComponent("o.plist"))
        let written = try PropertyListSerialization.propertyList(from: new, options: [], format: nil)
        var wanted = notes
        wanted[0]["note"] = "milk"
        #expect((written as? NSDictionary) == NSDictionary(dictionary: ["notes": wanted]))
    }

    @Test func `fields that would be lost fail the run, by their names`() throws {
        let errors = try run(Self.mended, ", unlisted: fail", ending: 1)
        #expect(errors.contains("the record has the field 'at', which no column holds"), "\(errors)")
        let declared = try run("", ", fields: { id: integer, note: text, at: decimal, tags: json? }", ending: 1)
        #expect(declared.contains("the record has the field 'place', which 'fields' does not name"), "\(declared)")
        try run("", ", fields: { id: integer, note: text, at: decimal, tags: json? }, unlisted: { drop: [place] }")
        #expect(try written().hasSuffix(#"{"id":2,"note":"bread","at":757339201}]"#))
        try run(Self.mended, ", unlisted: drop")
        #expect(try written() == #"[{"id":1,"note":"milk"},{"id":2,"note":"bread"}]"#)
    }

    @Test func `a renamed column takes its field with it`() throws {
        try run("  - rename_columns: { names: { note: title } }", "")
        #expect(try written().hasPrefix(#"[{"id":1,"at":757339200.1234567,"tags":["a", {"b": 1.50}],"title":"mlik"}"#))
    }

    @Test func `rows that are gathered have no record any more`() throws {
        let sorted = "  - sort_rows: { by: [id] }"
        let errors = try run(sorted, ", unlisted: keep", ending: 2)
        #expect(errors.contains("here a row is no record of JSON any more"), "\(errors)")
        try run(sorted, "")
        #expect(try written().contains(#""name":"home""#))
    }

    @Test func `what the shards of a run write is the same`() throws {
        let many = (0..<500).map { #"{"id": \#($0), "note": "n", "x": {"y": [\#($0), 1.50]}}"# }
        try place.write("[\(many.joined(separator: ",\n"))]", to: "in.json")
        try place.write(
            """
            daybook: 1
            stages:
              - import_json: { path: in.json }
              - filter_rows: { where: "id % 3 != 0" }
              - select_columns: { columns: [id] }
              - export_json: { path: out.json, unlisted: keep }
            """,
            to: "job.yaml"
        )
        _ = try command.run(["run", "job.yaml"], ending: 0)
        let whole = try #require(place.text("out.json"))
        #expect(whole.contains(#"{"id":499,"note":"n","x":{"y": [499, 1.50]}}"#))
        _ = try command.run(["run", "job.yaml", "--threads", "7"], ending: 0)
        #expect(place.text("out.json") == whole)
    }

    @Test func `a record that is null stays null`() throws {
        try write(#"[null,{"id":1,"note":"a"},null]"#)
        try run("", "")
        #expect(try written() == #"[null,{"id":1,"note":"a"},null]"#)
        // With a value it is one.
        try run("  - fill_missing: { with: { note: b } }", "")
        #expect(try written() == #"[{"note":"b"},{"id":1,"note":"a"},{"note":"b"}]"#)
    }

    @Test func `corrected records are replayed with their other fields`() throws {
        try write(##"[{"id":1,"c":"#zz","x":7},{"id":2,"c":"#112233"},{"id":3,"c":"#yy","x":8}]"##)
        let job = """
            daybook: 1
            timezone: UTC
            rejects: { path: r.ndjson, allow: 2 }
            stages:
              - import_user_defaults: { path: p.plist, key: notes }
              - validate_hex_colours: { column: c }
              - export_user_defaults: { path: o.plist, into: p.plist, key: notes }
            """
        try place.write(job, to: "job.yaml")
        _ = try command.run(["run", "job.yaml"], ending: 0)
        let rejects = try #require(place.text("r.ndjson"))
        try place.write(
            rejects.replacing("#zz", with: "#aabbcc").replacing("#yy", with: "#ddeeff"),
            to: "mended.ndjson"
        )
        _ = try command.run(["replay", "mended.ndjson", "--job", "job.yaml", "--into", "again"], ending: 0)
        let data = try Data(contentsOf: place.url.appendingPathComponent("again/o.plist"))
        let list = try PropertyListSerialization.propertyList(from: data, options: [], format: nil) as? [String: Any]
        let written = String(decoding: try #require(list?["notes"] as? Data), as: UTF8.self)
        #expect(written == ##"[{"id":1,"c":"#aabbcc","x":7},{"id":3,"c":"#ddeeff","x":8}]"##)
    }

    @Test func `a field that is renamed keeps its kind, and one of two kinds is refused`() throws {
        func write(_ records: [[String: any Sendable]]) throws {
            let list = ["notes": records] as [String: any Sendable]
            let old = try PropertyListSerialization.data(fromPropertyList: list, format: .binary, options: 0)
            try old.write(to: place.url.appendingPathComponent("p.plist"))
        }
        try write([["id": 1, "photo": Data([1, 2]), "u": ["relative": "https://x"]]])
        try run("  - rename_columns: { photo: picture, u: link }", "")
        let data = try Data(contentsOf: place.url.appendingPathComponent("o.plist"))
        let list = try PropertyListSerialization.propertyList(from: data, options: [], format: nil) as? [String: Any]
        let record = try #require((list?["notes"] as? [[String: Any]])?.first)
        #expect(record["picture"] as? Data == Data([1, 2]))
        #expect((record["link"] as? [String: String]) == ["relative": "https://x"])

        try write([["id": 1, "v": Data("x".utf8)], ["id": 2, "v": "eA=="]])
        #expect(try run("", "", ending: 1).contains("nothing tells which of them it is"))
    }

    @Test(arguments: [
        ("iso", "at", ["\"2026-01-01T10:00:00.000Z\"", "\"2026-01-01T10:00:00+02:00\""]),
        ("epoch_millis", "at", ["1767261600000", "1767261600500.0"]),
        ("epoch_seconds", "savedDate", ["1767261600.0", "1767261600.5"]),
    ])
    func `a date that nobody changed keeps its form`(_ form: String, _ key: String, _ dates: [String]) throws {
        let notes = "[{\"id\":1,\"\(key)\":\(dates[0]),\"on\":\"2026-01-01\"},{\"id\":2,\"\(key)\":\(dates[1])}]"
        try write(notes)
        let reading = ", dates: { \(key): \(form) }, columns: { on: day }"
        try run("", "", reading: reading)
        #expect(try written() == notes)
        // A date that a stage gives has the form of the others.
        try run("  - derive_columns: { columns: { new: \(key) } }", "", reading: reading)
        let form = dates[0].hasPrefix("\"") ? "\"2026-01-01T10:00:00Z\"" : String(dates[0].prefix { $0 != "." })
        #expect(try written().contains("\"new\":\(form)"))
        // The job's word holds.
        try run("", ", dates: apple_seconds", reading: reading)
        #expect(try written().contains("\"\(key)\":788954400,"))
        // So does that of a model: 'fields' declares its dates.
        try run("", ", fields: { \(key): date }, unlisted: drop", reading: reading)
        #expect(try written().contains("\"\(key)\":788954400}"))
    }

    @Test func `values under keys and in arrays keep their numbers and dates`() throws {
        let notes = #"{"a":2.0,"b":2.50,"c":3,"d":1e1}"#
        try write(notes)
        try run("", ", records: { each_key: k }", reading: ", records: { each_key: k }")
        #expect(try written() == notes)
        let dates = #"["2026-01-01T10:00:00.000Z","2026-01-01T10:00:00+02:00"]"#
        try write(dates)
        try run("", "", reading: ", dates: { value: iso }")
        #expect(try written() == dates)
    }

    @Test func `keys that a new file lacks are told`() throws {
        let job = """
            daybook: 1
            timezone: UTC
            stages:
              - import_user_defaults: { path: p.plist, key: notes }
              - export_user_defaults: { path: o.plist, key: notes }
            """
        try place.write(job, to: "job.yaml")
        let told = try command.run(["run", "job.yaml"], ending: 0).errors
        #expect(
            told.contains("and not the one other key that stands beside the rows") && told.contains("[other-keys]"),
            "\(told)"
        )
    }
}

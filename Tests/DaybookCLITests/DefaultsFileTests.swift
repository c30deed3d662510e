import DaybookTestSupport
import Foundation
import Testing

/// Several exports into one file of user defaults.
@Suite struct DefaultsFileTests {
    private let place: TemporaryDirectory
    private let command: CommandTrial

    init() throws {
        place = try TemporaryDirectory()
        command = CommandTrial(in: place.url)
        try place.write("id,title\n1,milk\n2,bread\n", to: "todos.csv")
        try place.write(#"{"log":[{"at":"2026-11-21T05:00:00Z","what":"run"}]}"#, to: "log.json")
    }

    private func run(_ exports: String, ending code: Int32 = 0) throws -> String {
        let job = """
            daybook: 1
            rejects: { allow: 0 }
            stages:
              - import_csv: { path: todos.csv, columns: { id: integer } }
                id: todos
              - import_user_defaults: { path: log.json, key: log, dates: { at: iso } }
                id: log
            \(exports)
            """
        try place.write(job, to: "job.yaml")
        return try command.run(["run", "job.yaml"], ending: code).errors
    }

    private func written(_ name: String = "out.plist") throws -> [String: Any] {
        let data = try Data(contentsOf: place.url.appendingPathComponent(name))
        return try #require(
            PropertyListSerialization.propertyList(from: data, options: [], format: nil) as? [String: Any]
        )
    }

    private static let both = """
          - export_user_defaults: { path: out.plist, into: p.plist, key: todos, records: /items, set: { /version: 2 } }
            from: todos
          - export_user_defaults: { path: out.plist, into: p.plist, key: todos, records: /old/items, new_key: true }
            from: todos
          - export_user_defaults: { path: out.plist, into: p.plist, key: log }
            from: log
        """

    private func makeOld() throws {
        let content =
            [
                "todos": Data(#"{"version":1,"items":[],"sort":"due"}"#.utf8), "volume": 0.5,
                "log": [["at": Date(timeIntervalSinceReferenceDate: 0), "what": "ran"] as [String: any Sendable]],
            ] as [String: any Sendable]
        let old = try PropertyListSerialization.data(fromPropertyList: content, format: .binary, options: 0)
        try old.write(to: place.url.appendingPathComponent("p.plist"))
    }

    @Test func `values under keys of an enum go out as rows and come back as they stood`() throws {
        let content = ["counts": Data(#"["good",3,"bad",1]"#.utf8)]
        let old = try PropertyListSerialization.data(fromPropertyList: content, format: .binary, options: 0)
        try old.write(to: place.url.appendingPathComponent("p.plist"))
        try place.write(
            """
            daybook: 1
            stages:
              - import_user_defaults: { path: p.plist, key: counts, records: { each_key: mood } }
              - export_user_defaults:
                  path: out.plist
                  into: p.plist
                  key: counts
                  records: { each_key: mood, pairs: true }
            """,
            to: "job.yaml"
        )
        _ = try command.run(["run", "job.yaml"], ending: 0)
        #expect(try written()["counts"] as? Data == content["counts"])
    }

    @Test func `keys are renamed, dropped and merged as rows`() throws {
        for (name, content) in [
            ("a.plist", ["old.volume": 0.5, "old.seen": Date(timeIntervalSinceReferenceDate: 5), "draft": "x"]),
            ("b.plist", ["old.theme": "dark", "old.tags": ["a", Data([1])] as [any Sendable]]),
        ] as [(String, [String: any Sendable])] {
            let old = try PropertyListSerialization.data(fromPropertyList: content, format: .xml, options: 0)
            try old.write(to: place.url.appendingPathComponent(name))
        }
        try place.write(
            """
            daybook: 1
            stages:
              - import_user_defaults: { path: [a.plist, b.plist], keys: rows }
              - filter_rows: { where: "key != 'draft'" }
              - derive_columns: { columns: { key: "replace(key, 'old.', 'app.')" }, replace: true }
              - export_user_defaults: { path: out.plist, keys: rows }
            """,
            to: "job.yaml"
        )
        _ = try command.run(["run", "job.yaml"], ending: 0)
        let wanted: [String: any Sendable] = [
            "app.volume": 0.5, "app.seen": Date(timeIntervalSinceReferenceDate: 5), "app.theme": "dark",
            "app.tags": ["a", Data([1])] as [any Sendable],
        ]
        #expect(NSDictionary(dictionary: try written()) == NSDictionary(dictionary: wanted))
    }

    @Test func `two keys and two places of one key are written together`() throws {
        try makeOld()
        let said = try run(Self.both)
        #expect(said.contains("done: wrote out.plist, in"), "\(said)")
        let file = try written()
        #expect(file.keys.sorted() == ["log", "todos", "volume"])
        let todos = try JSONSerialization.jsonObject(with: #require(file["todos"] as? Data)) as? NSDictionary
        let items = [["id": 1, "title": "milk"] as [String: Any], ["id": 2, "title": "bread"]]
        #expect(todos == ["version": 2, "items": items, "sort": "due", "old": ["items": items]])
        let log = try #require(file["log"] as? [[String: Any]])
        #expect(log.count == 1 && log[0]["at"] as? Date == Date(timeIntervalSince1970: 1_795_237_200))
    }

    @Test func `a file that is not there yet gets all of them`() throws {
        for (name, form) in [("out.plist", "binary"), ("out.json", "json")] {
            let target = "path: \(name), format: \(form), as: text"
            _ = try run(
                """
                  - export_user_defaults: { \(target), key: todos, records: /items }
                    from: todos
                  - export_user_defaults: { \(target), key: todos, records: /log, set: { /version: 3 } }
                    from: log
                  - export_user_defaults: { \(target), key: log }
                    from: log
                """
            )
            let file =
                try form == "json"
                ? JSONDecoder().decode([String: String].self, from: Data(#require(place.text(name)).utf8))
                : written().mapValues { $0 as? String ?? "" }
            #expect(file["log"] == #"[{"at":"2026-11-21T05:00:00Z","what":"run"}]"#)
            #expect(
                file["todos"]?.hasPrefix(
                    #"{"items":[{"id":1,"title":"milk"},{"id":2,"title":"bread"}],"log":[{"at":"2026-11-21T05:00:00Z","#
                ) == true
            )
            #expect(file["todos"]?.hasSuffix(#""version":3}"#) == true)
        }
    }

    @Test func `where one of them fails, nothing is written`() throws {
        try makeOld()
        try Data("before".utf8).write(to: place.url.appendingPathComponent("out.plist"))
        let said = try run(Self.both.replacing("key: log }", with: "key: log, fields: { at: integer } }"), ending: 2)
        #expect(!said.isEmpty)
        try place.write(#"{"log":[{"at":"later","what":"run"}]}"#, to: "log.json")
        _ = try run(Self.both, ending: 1)
        #expect(place.text("out.plist") == "before")
    }

    @Test func `places and files that do not fit together are refused`() throws {
        try makeOld()
        let inside = Self.both.replacing("/old/items", with: "/items/0")
        #expect(try run(inside, ending: 2).contains("one place holds the other"))
        let twice = Self.both.replacing("records: /old/items, new_key: true", with: "records: /items")
        #expect(try run(twice, ending: 2).contains("out.plist"))
        let other = Self.both.replacing("into: p.plist, key: log", with: "key: log")
        #expect(try run(other, ending: 2).contains("out.plist"))
        #expect(place.text("out.plist") == nil)
    }
}

import DaybookStages
import DaybookTestSupport
import Foundation
import Testing

@testable import DaybookApple
@testable import DaybookContracts

/// Dates, URLs and decimals at every depth of a model come back in one encoding.
@Suite struct InnerDateTests {
    struct Reminder: Codable, Equatable {
        var at: Date
        var note: String
        var urls: [URL]
    }
    struct Todo: Codable, Equatable {
        var title: String
        var due: Date
        var link: URL
        var price: Decimal
        var reminders: [Reminder]
        var history: [[Date]]
    }

    static let todos = [
        Todo(
            title: "2026-11-21T05:00:00Z",
            due: Date(timeIntervalSinceReferenceDate: 817_707_600.5),
            link: URL(string: "https://example.com/a?b=c")!,
            price: Decimal(string: "12345678901234567890.125")!,
            reminders: [
                Reminder(at: Date(timeIntervalSinceReferenceDate: -1.25), note: "2026-11-21T05:00:00Z", urls: []),
                Reminder(
                    at: Date(timeIntervalSinceReferenceDate: 3),
                    note: "",
                    urls: [URL(string: "file:///tmp/a%20b")!]
                ),
            ],
            history: [[Date(timeIntervalSinceReferenceDate: 0)], []]
        ),
        Todo(
            title: "b",
            due: .distantPast,
            link: URL(string: "mailto:a@b.c")!,
            price: Decimal(string: "-0.007")!,
            reminders: [],
            history: [[.distantPast, .distantFuture]]
        ),
    ]

    static func rows(_ content: Data, _ options: String) throws -> Batch {
        let stage = try ExampleRunner.make(ImportUserDefaults.self, "path: dump.plist\n" + options)
        let contents = try stage.contents(of: ListTrial.bytes(content), ListTrial.source)
        let text = contents.texts[0]
        let head = SourceHead(
            source: ListTrial.source,
            bytes: text.bytes,
            isWhole: true,
            holder: text.holder,
            facts: text.facts
        )
        let format = try stage.format(of: head)
        let reader = stage.reader(of: format, schema: try stage.schema(of: [format]))
        var cutter = format.makeCutter()
        let start = format.dataStart
        let cut = try cutter.cut(UnsafeBufferPointer(rebasing: text.bytes.filled[start...]), isLast: true)
        let part = text.bytes.copy(start..<start + cut.length)
        var findings = Findings()
        let morsel = Morsel(source: ListTrial.source, bytes: part, offset: start, firstLine: 1, firstRecord: 0)
        let batch = reader.read(morsel, reporting: &findings)
        withExtendedLifetime(text.bytes) {}
        #expect(findings.isEmpty)
        return batch
    }

    @Test(
        "a property list of an app becomes JSON that its decoder reads, at every depth",
        arguments: [PropertyListSerialization.PropertyListFormat.binary, .xml]
    )
    func everyDepth(_ format: PropertyListSerialization.PropertyListFormat) throws {
        let encoder = PropertyListEncoder()
        encoder.outputFormat = format
        var todos = Self.todos
        // An XML property list keeps whole seconds.
        if format == .xml {
            todos[0].due = Date(timeIntervalSinceReferenceDate: 817_707_600)
            todos[0].reminders[0].at = Date(timeIntervalSinceReferenceDate: -1)
            // Here PropertyListEncoder writes Date.distantPast as a day of the Julian calendar, 0001-01-01, where others write 0000-12-30.
            (todos[1].due, todos[1].history) = (.distantFuture, [[.distantFuture]])
        }
        for (content, options) in [
            (try encoder.encode(todos), "whole: true"), (try encoder.encode(["todos": todos]), "key: todos"),
            (try PropertyListEncoder().encode(["todos": try encoder.encode(todos)]), "key: todos"),
        ] {
            let rows = try Self.rows(content, options)
            let stored = try DefaultsExportTests.propertyList(try DefaultsExportTests.exported(rows, "key: k"))
            let data = try #require(stored["k"] as? Data)
            #expect(try JSONDecoder().decode([Todo].self, from: data) == todos, "\(options)")
            let (json, findings) = try CodableExportTests.exported(rows, "dates: epoch_millis")
            #expect(findings == [])
            let decoder = JSONDecoder()
            decoder.dateDecodingStrategy = .millisecondsSince1970
            #expect(try decoder.decode([Todo].self, from: json) == todos)
        }
    }

    @Test("what is a date in one record and text in another is refused by its pointer")
    func mixed() throws {
        let list: [String: Any] = ["k": [["a": [Date()]], ["a": ["2026-11-21T05:00:00Z"]]]]
        let content = try PropertyListSerialization.data(fromPropertyList: list, format: .xml, options: 0)
        let rows = try Self.rows(content, "key: k")
        #expect { _ = try DefaultsExportTests.exported(rows, "key: k") } throws: { error in
            (error as? DaybookError)?.message.contains("'/*' in column 'a'") == true
        }
    }

    @Test("dates inside that only their names tell are not left in another encoding")
    func named() throws {
        let text = "[{\"savedDate\":0,\"notes\":[{\"createdAt\":5,\"count\":5}]},{\"savedDate\":1,\"notes\":[]}]"
        let dump = "{\"k\": \(String(decoding: try JSONEncoder().encode(text), as: UTF8.self))}"
        let rows = try Self.rows(Data(dump.utf8), "key: k\ndates: apple_seconds")
        let (json, findings) = try CodableExportTests.exported(rows, "dates: apple_seconds\nlayout: lines")
        #expect(findings == [])
        #expect(String(decoding: json, as: UTF8.self).hasPrefix("{\"savedDate\":0,\"notes\":[{\"createdAt\":5"))
        let (rest, refused) = try CodableExportTests.exported(rows, "layout: lines")
        #expect(refused == ["1 notes inner-date"])
        #expect(String(decoding: rest, as: UTF8.self) == "{\"savedDate\":\"2001-01-01T00:00:01Z\",\"notes\":[]}\n")
    }

    @Test("rows that were nested have the dates of the others")
    func nested() throws {
        let schema = Schema([
            Field("id", .integer), Field("items.at", .instant), Field("items.day", .day), Field("items.text", .text),
        ])
        let batch = Batch(
            schema,
            [
                .integers(Values([1, 1])), .instants(Values([978_307_201_500_000, 978_307_200_000_000])),
                .days(Values([11_323, 11_324])), .text(TextColumn(["2001-01-01", "b"], at: 0..<2)),
            ],
            count: 2,
            provenance: .made
        )
        let stage = try ExampleRunner.make(
            NestRows.self,
            "by: id\ninto: items\ncolumns: [items.at, items.day, items.text]"
        )
        let nested = try stage.schema(after: schema)
        #expect(nested.fields[1].dates.ways.map(\.pointer) == ["/*/at", "/*/day"])
        var findings = Findings()
        let summary = try stage.partial(of: batch, reporting: &findings)
        _ = summary
        let json = "[{\"at\":\"2001-01-01T00:00:01.500Z\",\"day\":\"2001-01-01\",\"text\":\"2001-01-01\"}]"
        let rows = Batch(
            nested,
            [.integers(Values([1])), .json(TextColumn([json], at: 0..<1))],
            count: 1,
            provenance: .made
        )
        let (written, _) = try CodableExportTests.exported(rows, "dates: apple_seconds\nlayout: lines")
        #expect(
            String(decoding: written, as: UTF8.self)
                == "{\"id\":1,\"items\":[{\"at\":1.5,\"day\":-32400,\"text\":\"2001-01-01\"}]}\n"
        )
    }

    @Test("an output that leaves the other keys of the file out says how many")
    func otherKeys() throws {
        let rows = try Self.rows(Data("{\"a\": 1, \"k\": [{\"x\":1}], \"b\": 2}".utf8), "key: k")
        func notes(_ options: String) throws -> [JobWarning] {
            try ExampleRunner.make(ExportUserDefaults.self, "path: out.plist\nkey: k\n" + options)
                .bind(StageInputs(rows.schema)).notes
        }
        #expect(try notes("").map(\.message).first?.contains("the 2 other keys that stand beside") == true)
        #expect(try notes("into: dump.plist").isEmpty)
    }
}

import DaybookApple
import DaybookContracts
import DaybookTestSupport
import Foundation
import Testing

/// Records at a place inside the value of a key: read through every encoding on the way, and put back as they stood.
@Suite struct StoredPlaceTests {
    /// How a wrapper of the records stands under the key.
    enum Wrapping: String, CaseIterable {
        case data, text, base64, textInData, dataInText, nativeWithData, nativeWithText, listInData

        static let records = #"[{"id":1,"title":"milk"},{"id":2}]"#

        /// The value of the key, with the records given.
        func value(_ records: String, version: Int = 1) throws -> any Sendable {
            let wrapper = #"{"version": \#(version), "items": \#(records), "last": {"page": [1, 2.50]}}"#
            let quoted = String(decoding: try JSONEncoder().encode(records), as: UTF8.self)
            let within = #"{"version": \#(version), "items": \#(quoted), "last": {"page": [1, 2.50]}}"#
            let base64 = Data(records.utf8).base64EncodedString()
            switch self {
            case .data: return Data(wrapper.utf8)
            case .text: return wrapper
            case .base64: return Data(wrapper.utf8).base64EncodedString()
            case .textInData: return Data(within.utf8)
            case .dataInText: return #"{"version": \#(version), "items": "\#(base64)", "last": {"page": [1, 2.50]}}"#
            case .nativeWithData:
                return ["version": version, "items": Data(records.utf8)] as [String: any Sendable]
            case .nativeWithText: return ["version": version, "items": records] as [String: any Sendable]
            case .listInData:
                return [Data("{}".utf8), Data(wrapper.utf8)] as [any Sendable]
            }
        }

        var pointer: String { self == .listInData ? "/1/items" : "/items" }
        var version: String { self == .listInData ? "/1/version" : "/version" }

        func file(_ records: String, version: Int = 1, _ format: PropertyListSerialization.PropertyListFormat) throws
            -> Data
        {
            let content =
                [
                    "todos": try value(records, version: version), "volume": 0.5,
                    "seen": Date(timeIntervalSinceReferenceDate: 5),
                ] as [String: any Sendable]
            return try PropertyListSerialization.data(fromPropertyList: content, format: format, options: 0)
        }
    }

    @Test("records go out and come back, and all beside them stays", arguments: Wrapping.allCases)
    func wrappers(_ wrapping: Wrapping) throws {
        for format in [PropertyListSerialization.PropertyListFormat.binary, .xml] {
            let old = try wrapping.file(Wrapping.records, format)
            let rows = try BatchText.read(ListTrial.rows(old, "key: todos\nrecords: \(wrapping.pointer)").rows)
            #expect(rows.schema.names == ["id", "title"])
            let kept = "key: todos\ninto: old\nrecords: \(wrapping.pointer)"
            let same = try DefaultsExportTests.exported(rows, kept, into: old)
            #expect(
                NSDictionary(dictionary: try DefaultsExportTests.propertyList(same))
                    == NSDictionary(dictionary: try DefaultsExportTests.propertyList(old))
            )
            let set = try DefaultsExportTests.exported(rows, kept + "\nset: { \(wrapping.version): 2 }", into: old)
            let wanted = try wrapping.file(Wrapping.records, version: 2, format)
            #expect(
                NSDictionary(dictionary: try DefaultsExportTests.propertyList(set))
                    == NSDictionary(dictionary: try DefaultsExportTests.propertyList(wanted))
            )
        }
    }

    @Test("in a dump, too", arguments: [Wrapping.data, .text, .textInData, .dataInText])
    func dumps(_ wrapping: Wrapping) throws {
        func dump(_ version: Int) throws -> Data {
            let value = try wrapping.value(Wrapping.records, version: version)
            let text = (value as? Data)?.base64EncodedString() ?? (value as? String ?? "")
            let quoted = String(decoding: try JSONEncoder().encode(text), as: UTF8.self)
            return Data(#"{ "volume": 0.50, "todos": \#(quoted) , "n": null}"#.utf8)
        }
        let old = try dump(1)
        let rows = try BatchText.read(ListTrial.rows(old, "key: todos\nrecords: /items").rows)
        let kept = "key: todos\ninto: old\nrecords: /items"
        for version in [1, 2] {
            let written = try DefaultsExportTests.exported(
                rows,
                kept + (version == 2 ? "\nset: { /version: 2 }" : ""),
                into: old
            )
            let wanted = try JSONSerialization.jsonObject(with: dump(version)) as? NSDictionary
            #expect(try JSONSerialization.jsonObject(with: written) as? NSDictionary == wanted)
        }
    }

    struct Entry: Codable, Equatable {
        struct Place: Codable, Equatable {
            var lat: Double
            var seen: [Date]
        }

        var id: Int
        var at: Date
        var share: Double
        var isDone: Bool
        var due: Date?
        var link: URL?
        var price: Decimal
        var photo: Data?
        var place: Place
        var tags: [String]
        var marks: [String: Date]
    }

    struct Log: Codable, Equatable {
        var version: Int
        var entries: [Entry]
        var seen: Date
    }

    static let log = Log(
        version: 1,
        entries: (0..<5).map { number in
            let date = Date(timeIntervalSinceReferenceDate: Double(number) * 86_400.25 - 0.5)
            return Entry(
                id: number,
                at: date,
                share: Double(number) / 2,
                isDone: number % 2 == 0,
                due: number > 2 ? date : nil,
                link: URL(string: "https://example.com/\(number)"),
                price: Decimal(string: "\(number)2.50")!,
                photo: number == 1 ? nil : Data([0, 1, UInt8(number)]),
                place: Entry.Place(lat: Double(number), seen: [date, date]),
                tags: ["a", "\(number)"],
                marks: ["m": date]
            )
        },
        seen: Date(timeIntervalSinceReferenceDate: 7)
    )

    @Test("what PropertyListEncoder wrote, and a dictionary of its own, go out and come back equal")
    func nativeValues() throws {
        for format in [PropertyListSerialization.PropertyListFormat.binary, .xml] {
            let encoder = PropertyListEncoder()
            encoder.outputFormat = format
            // An XML property list has whole seconds only.
            var log = Self.log
            if format == .xml {
                for index in log.entries.indices { log.entries[index] = Self.whole(log.entries[index]) }
            }
            let data = try encoder.encode(log)
            let own = try PropertyListSerialization.propertyList(from: data, options: [], format: nil)
            for value in [data, own] {
                let content = ["log": value, "other": 1]
                let old = try PropertyListSerialization.data(fromPropertyList: content, format: format, options: 0)
                let rows = try InnerDateTests.rows(old, "key: log\nrecords: /entries")
                let options = "key: log\nrecords: /entries\ninto: old\nset: { /version: 2 }"
                let file = try DefaultsExportTests.propertyList(DefaultsExportTests.exported(rows, options, into: old))
                let written = try #require(file["log"])
                let back =
                    try (written as? Data)
                    ?? PropertyListSerialization.data(fromPropertyList: written, format: format, options: 0)
                var wanted = log
                wanted.version = 2
                #expect(try PropertyListDecoder().decode(Log.self, from: back) == wanted)
                #expect((written is Data) == (value is Data))
            }
        }
    }

    private static func whole(_ entry: Entry) -> Entry {
        var entry = entry
        func whole(_ date: Date) -> Date {
            Date(timeIntervalSinceReferenceDate: date.timeIntervalSinceReferenceDate.rounded())
        }
        entry.at = whole(entry.at)
        entry.due = entry.due.map(whole)
        entry.place.seen = entry.place.seen.map(whole)
        entry.marks = entry.marks.mapValues(whole)
        return entry
    }

    @Test("what XML or a depth cannot hold is not cut")
    func unfit() throws {
        let encoder = PropertyListEncoder()
        encoder.outputFormat = .xml
        let data = try encoder.encode([["at": Date(timeIntervalSinceReferenceDate: 0)]])
        let old = try PropertyListSerialization.data(fromPropertyList: ["k": data], format: .binary, options: 0)
        let fraction = try BatchText.read("at:instant\n2026-01-01T00:00:00.25Z")
        let file = try DefaultsExportTests.propertyList(
            DefaultsExportTests.exported(fraction, "key: k\ninto: old", into: old)
        )
        let back = try PropertyListDecoder().decode([[String: Date]].self, from: #require(file["k"] as? Data))
        #expect(back == [["at": Date(timeIntervalSince1970: 1_767_225_600.25)]])
        func nested(_ depth: Int) throws -> Batch {
            let tree = String(repeating: "[", count: depth) + String(repeating: "]", count: depth)
            return try BatchText.read("tree:json\n\"\(tree)\"")
        }
        let written = try DefaultsExportTests.exported(nested(500), "key: k\nas: native")
        var value: Any? = try DefaultsExportTests.propertyList(written)["k"]
        value = ((value as? [Any])?.first as? [String: Any])?["tree"]
        var depth = 0
        while let items = value as? [Any] { (value, depth) = (items.first, depth + 1) }
        #expect(depth == 500)
        for form in ["native", "plist_data"] {
            #expect(throws: DaybookError.self) {
                try DefaultsExportTests.exported(nested(511), "key: k\nas: \(form)")
            }
        }
    }

    @Test("a value of another kind than what stood there is refused, unless 'fields' declares it")
    func otherKinds() throws {
        let rows = try BatchText.read("id:text,at:instant\nx,2026-01-01T00:00:00Z")
        let content = ["k": [["id": 1, "at": Date()] as [String: any Sendable]]]
        let old = try PropertyListSerialization.data(fromPropertyList: content, format: .binary, options: 0)
        let error = #expect(throws: DaybookError.self) {
            try DefaultsExportTests.exported(rows, "key: k\ninto: old", into: old)
        }
        #expect(error?.code == "other-kind")
        #expect(
            error?.message
                == "'/0/id' in 'k' in 'old' is text, and what stood there was a whole number: the app would not read it"
        )
        let options = "key: k\ninto: old\nfields: { id: text, at: date }"
        let written = try DefaultsExportTests.propertyList(try DefaultsExportTests.exported(rows, options, into: old))
        let records = try #require(written["k"] as? [[String: Any]])
        #expect(records[0]["id"] as? String == "x" && records[0]["at"] is Date)
    }

    @Test("a new value is of the form that 'as' says", arguments: ["json_data", "text", "native", "plist_data"])
    func forms(_ form: String) throws {
        let rows = try BatchText.read("id:integer,at:instant,share:decimal\n1,2026-01-01T00:00:00Z,2")
        for records in ["", "\nrecords: /items\nset: { /version: 3 }"] {
            let written = try DefaultsExportTests.propertyList(
                DefaultsExportTests.exported(rows, "key: k\nas: \(form)" + records)
            )
            let value = try #require(written["k"])
            let plain: Any =
                switch form {
                case "json_data": try JSONSerialization.jsonObject(with: #require(value as? Data))
                case "text": try JSONSerialization.jsonObject(with: Data(#require(value as? String).utf8))
                case "plist_data":
                    try PropertyListSerialization.propertyList(from: #require(value as? Data), options: [], format: nil)
                default: value
                }
            let wrapper = plain as? [String: Any]
            #expect((wrapper?["version"] as? Int == 3) == !records.isEmpty)
            let record = try #require(((wrapper?["items"] ?? plain) as? [[String: Any]])?.first)
            #expect(record["id"] as? Int == 1 && record["share"] as? Double == 2)
            #expect((record["at"] is Date) == (form == "native" || form == "plist_data"))
        }
    }

    @Test("a wrapper is made where there is none")
    func fresh() throws {
        let rows = try BatchText.read("a:integer\n1")
        let written = try DefaultsExportTests.exported(
            rows,
            "key: k\nrecords: /list/items\nset: { /version: 2, /name: '3' }"
        )
        let data = try #require(try DefaultsExportTests.propertyList(written)["k"] as? Data)
        #expect(String(decoding: data, as: UTF8.self) == #"{"list":{"items":[{"a":1}]},"version":2,"name":"3"}"#)
    }

    @Test(
        "what does not stand there is told with what does",
        arguments: [
            (
                "records: /itms", "'k' in 'old' has nothing at '/itms': there is no 'itms' in an object",
                "did you mean 'items'?"
            ),
            ("records: /items/7", "there is no '7' in an array", "'new_key: true' adds"),
            (
                "records: /version",
                "'/version' under 'k' in 'old' is a number, and what is to be written is an array of records", ""
            ),
            (
                "records: /last", "is JSON of an object, and what is to be written is an array of records",
                "write 'layout: object'"
            ),
            (
                "records: /items\nset: { /last: 1 }",
                "'/last' under 'k' in 'old' is an object, and 'set' puts single values", ""
            ),
            ("records: /items\nset: { /versoin: 1 }", "there is no 'versoin' in an object", "did you mean 'version'?"),
            (
                "records: /items\nas: text", "is JSON as data, and what is to be written is JSON as text",
                "write 'as: json_data', or leave 'as' out"
            ),
        ]
    )
    func refused(_ options: String, _ message: String, _ hint: String) throws {
        let rows = try BatchText.read("a:integer\n1")
        let content = ["k": Data(#"{"version":1,"items":[],"last":{}}"#.utf8)]
        let old = try PropertyListSerialization.data(fromPropertyList: content, format: .binary, options: 0)
        let error = #expect(throws: DaybookError.self) {
            try DefaultsExportTests.exported(rows, "key: k\ninto: old\n" + options, into: old)
        }
        #expect(error?.message.contains(message) == true, "\(error?.message ?? "")")
        #expect(error?.hint?.contains(hint) == true || hint.isEmpty, "\(error?.hint ?? "")")
    }

    @Test(
        "a key on the way that stands twice is refused, for the rows of one of the two would be missing",
        arguments: [
            #"{"x":[{"a":1}],"x":[{"a":3},{"a":4}]}"#, #"{"x":[{"a":1}],"y":1,"\u0078":null}"#,
        ]
    )
    func secondKeys(_ json: String) throws {
        let old = try PropertyListSerialization.data(fromPropertyList: ["k": Data(json.utf8)], format: .xml, options: 0)
        let error = #expect(throws: DaybookError.self) { try ListTrial.rows(old, "key: k\nrecords: /x") }
        #expect(error?.code == "duplicate-key" && error?.message.contains("the key 'x' stands twice") == true)
    }

    @Test("so is a key of a dictionary that stands twice")
    func secondKeysOfDictionaries() throws {
        let list = """
            <plist version="1.0"><dict><key>k</key><dict>
            <key>x</key><array><dict><key>a</key><integer>1</integer></dict></array>
            <key>x</key><array><dict><key>a</key><integer>2</integer></dict></array>
            </dict></dict></plist>
            """
        let error = #expect(throws: DaybookError.self) { try ListTrial.rows(Data(list.utf8), "key: k\nrecords: /x") }
        #expect(error?.code == "duplicate-key", "\(error?.message ?? "")")
    }

    @Test("a pointer that leads nowhere says what is there")
    func nothingThere() throws {
        let content = ["k": Data(#"{"version":1,"items":[]}"#.utf8)]
        let old = try PropertyListSerialization.data(fromPropertyList: content, format: .xml, options: 0)
        let error = #expect(throws: DaybookError.self) { try ListTrial.rows(old, "key: k\nrecords: /itms") }
        #expect(error?.code == "records-not-found")
        #expect(
            error?.message.contains("under the key 'k': nothing stands at '/itms': there is no 'itms' in an object")
                == true
        )
        #expect(error?.hint == "did you mean 'items'?")
    }
}

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
            ("records: /version", "'/version' under 'k' in 'old' is a number, and what is to be written is not", ""),
            ("records: /last", "is JSON of an object, and what is to be written is not", "write 'layout: object'"),
            (
                "records: /items\nset: { /last: 1 }",
                "'/last' under 'k' in 'old' is an object, and 'set' puts single values", ""
            ),
            ("records: /items\nset: { /versoin: 1 }", "there is no 'versoin' in an object", "did you mean 'version'?"),
            ("records: /items\ncontent: text", "is JSON as data", "write 'content: data'"),
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

import DaybookTestSupport
import Foundation
import Testing

@testable import DaybookApple
@testable import DaybookContracts

/// `SharedPreferences` of Android, also those of Flutter.
@Suite struct SharedPreferencesTests {
    private static func map(_ elements: String) -> String {
        "<?xml version='1.0' encoding='utf-8' standalone='yes' ?>\n<map>\n\(elements)\n</map>\n"
    }

    @Test("every type of value, with entities, comments and tags of both forms")
    func values() throws {
        let text = Self.map(
            """
            <string name="a&amp;b">x &lt; y&#10;z</string><string name='empty' /><string name="none"></string>
            <!-- a comment --><int name="i" value="-1" /><long name="l" value="9223372036854775807"></long>
            <float name="f" value="0.1" /><float name="inf" value="Infinity" /><boolean name="b" value="true" />
            <set name="s"><string>one</string>\n<string/></set><set name="no" /><null name="n" />
            """
        )
        let values = [
            ("i", "-1"), ("l", "9223372036854775807"), ("f", "0.1"), ("b", "true"), ("s", #"["one",""]"#),
            ("no", "[]"), ("a&b", #""x < y\nz""#), ("empty", #""""#), ("none", #""""#), ("n", "null"),
            ("inf", #""inf""#),
        ]
        let file = try ListTrial.file(text.utf8)
        #expect(file.recognised == "SharedPreferences of an Android app" && file.entries.count == values.count)
        for (key, json) in values { #expect(try ListTrial.json(key, text.utf8) == json) }
        #expect(try ListTrial.file("<map/>".utf8).entries.isEmpty)
        let listing = try ListTrial.rows(Self.map(#"<string name="t">[{"id":1}]</string>"#).utf8, "").rows
        #expect(listing == "key:text,kind:text,size:integer\nt,\"text holding JSON, an array\",10")
        #expect(
            try ListTrial.rows(Self.map(#"<string name="t">[{"id":1}]</string>"#).utf8, "key: t").rows
                == "id:integer\n1"
        )
    }

    @Test(
        "what is none of a map's elements is refused with its place",
        arguments: [
            ("<int name=\"i\" value=\"x\" />", "'x' is no value of <int>, at byte 6"),
            ("<int value=\"1\" />", "a value has no name, at byte 6"),
            (
                "<string name=\"s\" type=\"t\"/>",
                "expected a name, a value or '>' in a tag of SharedPreferences, at byte 23"
            ),
            ("<dict name=\"d\"/>", "SharedPreferences have no element 'dict', at byte 6"),
            ("<set name=\"s\"><int/></set>", "expected <string>, at byte 20"),
            ("<string name=\"&lol;\"/>", "property lists have only the entities"),
            ("<string name=\"s", "a quote is not closed, at byte 14"),
            ("<string name=\"s\">x</data>", "expected </string>, at byte 24"),
            ("</map><map>", "something stands behind </map>, at byte 12"),
        ]
    )
    func faults(_ element: String, _ message: String) {
        let error = ListTrial.refusal("<map>\n\(element)\n</map>".utf8)
        #expect(error?.message.hasPrefix(message) == true, "\(error?.message ?? "read")")
    }

    /// A Java `ArrayList` of texts as Java serialises it.
    private static func javaList(_ elements: [[UInt8]], size: Int? = nil) -> String {
        let start: [UInt8] =
            [0xAC, 0xED, 0, 5, 0x73, 0x72, 0, 19] + Array("java.util.ArrayList".utf8)
            + [0x78, 0x81, 0xD2, 0x1D, 0x99, 0xC7, 0x61, 0x9D, 3, 0, 1, 0x49, 0, 4] + Array("size".utf8) + [0x78, 0x70]
        let count = BinaryList.number(UInt64(size ?? elements.count), 4)
        let data = start + count + [0x77, 4] + count + elements.flatMap { $0 } + [0x78]
        return Data(data).base64EncodedString(options: .lineLength76Characters)
    }

    private static func text(_ utf8: [UInt8]) -> [UInt8] { [0x74] + BinaryList.number(UInt64(utf8.count), 2) + utf8 }

    @Test("lists, doubles and large numbers of Flutter, and texts that only begin like them")
    func flutter() throws {
        let list = "VGhpcyBpcyB0aGUgcHJlZml4IGZvciBhIGxpc3Qu"
        let double = "VGhpcyBpcyB0aGUgcHJlZml4IGZvciBEb3VibGUu"
        let integer = "VGhpcyBpcyB0aGUgcHJlZml4IGZvciBCaWdJbnRlZ2Vy"
        // An emoji as two surrogates of three bytes each, a zero in two bytes, null, and the first text again.
        let old = Self.javaList([
            Self.text(Array("행복".utf8)), Self.text([0xED, 0xA0, 0xBD, 0xED, 0xB8, 0x80, 0xC0, 0x80]), [0x70],
            [0x71, 0, 0x7E, 0, 2], [0x7C] + BinaryList.number(1, 8) + [0x61],
        ])
        let wrong = [
            Self.javaList([[0x71, 0, 0x7E, 0, 9]]), Self.javaList([Self.text([0x61])], size: 7),
            Self.javaList([[0x74, 0xFF, 0xFF]]), Self.javaList([Self.text([0xED, 0xA0, 0xBD])]), "!{}", "![1]",
            "![\"a\"", "???",
        ]
        let values = [
            (list + "![\"a\",\"\\u0041\"]", #"["a","A"]"#), (list + "![]", "[]"),
            (list + old, #"["행복","😀\u0000",null,"행복","a"]"#),
            (list + Self.javaList([]), "[]"), (double + "1.0E10", "10000000000.0"), (double + "-0.5", "-0.5"),
            (integer + "3w5e11264sgsg", "18446744073709551616"), (double + "much", "\"\(double)much\""),
        ]
        for (text, json) in values {
            let escaped = text.replacing("\"", with: "&quot;")
            #expect(
                try ListTrial.json("flutter.k", Self.map("<string name=\"flutter.k\">\(escaped)</string>").utf8) == json
            )
        }
        for rest in wrong {
            let escaped = (list + rest).replacing("\"", with: "&quot;")
            let json = try ListTrial.json("k", Self.map("<string name=\"k\">\(escaped)</string>").utf8)
            #expect(json.hasPrefix("\"\(list)"), "\(json)")
        }
    }

    @Test("an export into such a file is refused")
    func exports() throws {
        let rows = try BatchText.read("id:integer\n1")
        let error = #expect(throws: DaybookError.self) {
            try DefaultsExportTests.exported(
                rows,
                "key: k\ninto: old\n",
                into: Data(Self.map("<string name=\"k\">[]</string>").utf8)
            )
        }
        #expect(error?.message == "'old' is SharedPreferences of an Android app, which are not written")
    }

    @Test("in AsyncStorage a text stays text, and where there is none the job says so")
    func asyncStorageExports() throws {
        let rows = try BatchText.read("id:integer\n2")
        let base = Data(#"{"@todos":"[{\"id\":1}]", "@notes":null}"#.utf8)
        let options = "into: V1/manifest.json\nkey: "
        let todos = try DefaultsExportTests.exported(rows, options + "'@todos'", into: base)
        #expect(String(decoding: todos, as: UTF8.self) == #"{"@todos":"[{\"id\":2}]", "@notes":null}"#)
        let notes = try DefaultsExportTests.exported(rows, options + "'@notes'\nas: text", into: base)
        #expect(String(decoding: notes, as: UTF8.self) == #"{"@todos":"[{\"id\":1}]", "@notes":"[{\"id\":2}]"}"#)
        let error = #expect(throws: DaybookError.self) {
            try DefaultsExportTests.exported(rows, options + "'@notes'", into: base)
        }
        #expect(error?.code == "other-content" && error?.hint == "write 'as: text'")
    }

    @Test("a null of AsyncStorage is a value in a file of its own, and never no rows")
    func asyncStorage() throws {
        let text = #"{"@todos":"[{\"id\":1}]","@notes":null}"#
        func rows(_ name: String, _ key: String) throws -> String? {
            let stage = try ExampleRunner.make(
                ImportUserDefaults.self,
                "path: dump\nkey: '\(key)'\nabsent: empty\ncolumns: { id: integer }"
            )
            let contents = try stage.contents(of: ListTrial.bytes(text.utf8), SourceName(index: 0, path: name))
            return contents.texts.first.map { String(decoding: $0.bytes.array, as: UTF8.self) }
        }
        #expect(try rows("V1/manifest.json", "@todos") == #"[{"id":1}]"#)
        #expect(try rows("V1/dump.json", "@notes") == "[]" && rows("V1/manifest.json", "@other") == "[]")
        let error = #expect(throws: DaybookError.self) { try rows("V1/manifest.json", "@notes") }
        #expect(
            error?.message == "the value of the key '@notes' of V1/manifest.json is in a file of its own beside it"
        )
        #expect(error?.hint?.contains("md5sum") == true)
    }
}

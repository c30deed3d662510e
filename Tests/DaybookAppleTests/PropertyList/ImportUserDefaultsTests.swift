import DaybookTestSupport
import Foundation
import Testing

@testable import DaybookApple
@testable import DaybookContracts
@testable import DaybookJSON

/// What examples cannot show: binary lists, what is recognised, where it stands, and dates at their limits.
@Suite struct ImportUserDefaultsTests {
    private struct DDay: Codable {
        var targetDate: Date
        var dday: Int
        var backgroundColor: String
    }

    private static let days = [
        DDay(targetDate: Date(timeIntervalSinceReferenceDate: 817_707_600), dday: 100, backgroundColor: "#EC007F"),
        DDay(targetDate: Date(timeIntervalSinceReferenceDate: 0.1234567), dday: -5, backgroundColor: "#000000"),
    ]

    private func list(_ value: Any, _ format: PropertyListSerialization.PropertyListFormat = .binary) throws -> [UInt8]
    {
        Array(
            try PropertyListSerialization.data(fromPropertyList: ["Key": value, "n": 1], format: format, options: 0)
        )
    }

    @Test("what JSONEncoder left under a key of a binary list stands in the file as it is")
    func encoded() throws {
        let json = try JSONEncoder().encode(Self.days)
        let file = try list(json)
        let value = try ListTrial.value("Key", file)
        #expect(value.words == "data holding JSON, an array")
        #expect(value.text.holder.pointer == "/Key")
        let byte = try #require(value.text.holder.byte)
        #expect(Array(file[byte..<byte + json.count]) == Array(json))
        let read = try ListTrial.rows(file, "key: Key\ndates: apple_seconds")
        let expected = try BatchText.read(
            """
            targetDate:instant,dday:integer,backgroundColor:text
            2026-11-30T05:00:00Z,100,#EC007F
            2001-01-01T00:00:00.123456Z,-5,#000000
            """
        )
        for name in ["targetDate", "dday", "backgroundColor"] {
            let found = try BatchText.read(read.rows)
            #expect(
                BatchText.write([found.selecting(.some([name]))], schema: found.schema.selecting(.some([name])))
                    == BatchText.write(
                        [expected.selecting(.some([name]))],
                        schema: expected.schema.selecting(.some([name]))
                    )
            )
        }
        #expect(read.findings == ["row 1 finer-than-a-microsecond"])
    }

    @Test("every form in which a value may hide is recognised, and gives the same rows")
    func forms() throws {
        let json = Data(#"[{"id":1,"note":"a"},{"id":2,"note":"b"}]"#.utf8)
        let rows: [[String: Any]] = [["id": 1, "note": "a"], ["id": 2, "note": "b"]]
        let plist = try PropertyListSerialization.data(fromPropertyList: rows, format: .binary, options: 0)
        let xml = try PropertyListSerialization.data(fromPropertyList: rows, format: .xml, options: 0)
        let archive = try NSKeyedArchiver.archivedData(withRootObject: rows, requiringSecureCoding: false)
        let text = String(decoding: json, as: UTF8.self)
        let forms: [(Any, String)] = [
            (json, "data holding JSON, an array"), (text, "text holding JSON, an array"),
            (json.base64EncodedString(), "base64 text holding JSON, an array"), (rows, "an array"),
            (plist, "data holding a binary property list, an array"),
            (xml, "data holding an XML property list, an array"),
            (plist.base64EncodedString(), "base64 text holding a binary property list, an array"),
            (archive, "data holding a binary property list holding a keyed archive, an array"),
        ]
        for (value, words) in forms {
            for format in [PropertyListSerialization.PropertyListFormat.binary, .xml] {
                let file = try list(value, format)
                #expect(try ListTrial.value("Key", file).words == words)
                let found = try BatchText.read(try ListTrial.rows(file, "key: Key\ncolumns: { id: integer }").rows)
                #expect(found.integers(in: ColumnName("id")).elements == [1, 2], "\(words)")
                #expect(found.count == 2)
            }
        }
        let scalars: [(Any, String, String)] = [
            (7, "a whole number", "value:integer\n7"), (0.5, "a number", "value:decimal\n0.5"),
            (true, "true or false", "value:flag\ntrue"), ("word", "text", "value:text\nword"),
            (Data("3".utf8), "data holding JSON, a number", "value:integer\n3"),
            (["a": ["b": 2]], "a dictionary", "a.b:integer\n2"),
            (Date(timeIntervalSinceReferenceDate: 0), "a date", "value:instant\n2001-01-01T00:00:00Z"),
            ([Date(timeIntervalSinceReferenceDate: 0)], "an array", "value:instant\n2001-01-01T00:00:00Z"),
        ]
        for (value, words, rows) in scalars {
            let file = try list(value)
            #expect(try ListTrial.value("Key", file).words == words)
            #expect(try ListTrial.rows(file, "key: Key").rows == rows)
        }
    }

    @Test("a list in data in a list has its faults told in bytes of the file")
    func nestedFaults() throws {
        var inner = BinaryList()
        inner.root = inner.array([0])
        let binary = try list(Data(inner.file))
        let start = try #require(binary.indices.first { binary[$0...].starts(with: inner.file) })
        #expect(
            ListTrial.refusal(binary, key: "Key")?.message
                == "under the key 'Key': a value holds itself, at byte \(start + 8) of dump.plist"
        )
        let xml = try list(Data(inner.file), .xml)
        let error = try #require(ListTrial.refusal(xml, key: "Key"))
        #expect(
            error.message.hasPrefix("under the key 'Key': a value holds itself, at byte 8 of what it holds, at byte ")
        )
        #expect(error.place?.line == 6)
        var nested = Data(#"{"a":1}"#.utf8)
        for _ in 0..<6 {
            nested = try PropertyListSerialization.data(fromPropertyList: nested, format: .binary, options: 0)
        }
        #expect(ListTrial.refusal(try list(nested), key: "Key")?.code == "property-list-too-large")
    }

    @Test("broken JSON under a key is an error that says where")
    func brokenJSON() throws {
        let broken = #"[{"dday": 100}, {"dday""#
        let file = try list(Data(broken.utf8))
        let start = try #require(try ListTrial.value("Key", file).text.holder.byte)
        func message(_ file: [UInt8]) -> DaybookError? {
            do {
                _ = try ListTrial.rows(file, "key: Key")
                return nil
            } catch {
                return error as? DaybookError
            }
        }
        #expect(
            message(file)?.message
                == "the file ends before its array does, at byte \(start + broken.utf8.count) of dump.plist"
        )
        let xml = try list(Data(broken.utf8), .xml)
        #expect(
            message(xml)?.message
                == "the file ends before its array does, at line 1, column 24 of the JSON under /Key in dump.plist"
        )
        #expect(message(xml)?.place?.line == 6)
    }

    @Test("findings tell the way to the value")
    func pointers() throws {
        let file = #"{"a/b": [{"d": 1}, {"d": "x"}, {"e": 1}], "one": {"d": "y"}}"#
        let read = try ListTrial.rows(file.utf8, "key: [a/b, one]\ncolumns: { d: integer }")
        #expect(read.rows == "d:integer,e:integer\n1,\n,1")
        #expect(read.findings == ["/a~1b/1/d unexpected-kind", "/one/d unexpected-kind"])
    }

    @Test("columns that are named like dates become instants, and no others")
    func names() throws {
        let dates = [
            "date", "savedDate", "startdate", "created_at", "createdAt", "timestamp", "saved-date", "main.date", "DATE",
        ]
        let others = ["update", "dated", "at", "format", "candidate", "day", "dateCount", "stat"]
        for name in dates { #expect(DateKey.saysDate(Array(name.utf8)), "\(name)") }
        for name in others { #expect(!DateKey.saysDate(Array(name.utf8)), "\(name)") }
        let file = #"{"k": [{"date": 0, "n": 1, "createdAt": "2026-11-21T05:00:00Z", "updatedAt": 1.5}]}"#
        #expect(
            try ListTrial.rows(file.utf8, "key: k\ndates: apple_seconds").rows
                == "date:instant,n:integer,createdAt:text,updatedAt:instant\n"
                + "2001-01-01T00:00:00Z,1,2026-11-21T05:00:00Z,2001-01-01T00:00:01.500Z"
        )
        #expect(
            try ListTrial.rows(file.utf8, "key: k\ndates: iso").rows
                == "date:integer,n:integer,createdAt:instant,updatedAt:decimal\n0,1,2026-11-21T05:00:00Z,1.5"
        )
        #expect(
            try ListTrial.rows(file.utf8, "key: k\ndates: epoch_seconds\ncolumns: { n: instant }").rows
                == "date:integer,n:instant,createdAt:text,updatedAt:decimal\n0,1970-01-01T00:00:01Z,2026-11-21T05:00:00Z,1.5"
        )
        #expect(throws: DaybookError.self) { try ListTrial.rows(#"{"k": [{"n": 1}]}"#.utf8, "key: k\ndates: iso") }
    }

    @Test("numbers and texts at the limits of what an instant can be")
    func limits() throws {
        func micros(_ value: String, _ encoding: String) throws -> String {
            let file = "{\"k\": [{\"x\": \(value)}]}"
            let read = try ListTrial.rows(file.utf8, "key: k\ndates: { x: \(encoding) }")
            return read.findings.first.map { $0.split(separator: " ").last.map(String.init) ?? "" }
                ?? String(read.rows.split(separator: "\n").last ?? "")
        }
        let cases: [(String, String, String)] = [
            ("253402300799", "epoch_seconds", "9999-12-31T23:59:59Z"),
            ("253402300800", "epoch_seconds", "not-an-instant"),
            ("-62135596800000", "epoch_millis", "0001-01-01T00:00:00Z"),
            ("-62135596800001", "epoch_millis", "not-an-instant"),
            ("1e3", "epoch_seconds", "1970-01-01T00:16:40Z"),
            ("1.5E-3", "epoch_seconds", "1970-01-01T00:00:00.001500Z"),
            ("-1.25e+1", "epoch_seconds", "1969-12-31T23:59:47.500Z"),
            ("1e-7", "epoch_seconds", "finer-than-a-microsecond"),
            ("1e-99999999999999999999", "epoch_seconds", "finer-than-a-microsecond"),
            ("0." + String(repeating: "0", count: 999) + "1e1000", "epoch_seconds", "1970-01-01T00:00:01Z"),
            ("1" + String(repeating: "0", count: 1_000) + "e-1000", "epoch_seconds", "1970-01-01T00:00:01Z"),
            ("1e400", "epoch_seconds", "not-an-instant"), ("1e99999999999999999999", "epoch_seconds", "not-an-instant"),
            ("0e99999999999999999999", "epoch_seconds", "1970-01-01T00:00:00Z"),
            ("0.0000000", "epoch_seconds", "1970-01-01T00:00:00Z"),
            ("-0.0", "apple_seconds", "2001-01-01T00:00:00Z"), ("\"0\"", "apple_seconds", "unexpected-kind"),
            ("true", "apple_seconds", "unexpected-kind"), ("[0]", "apple_seconds", "unexpected-kind"),
            ("0", "iso", "unexpected-kind"),
            ("\"2026-11-21T05:00:00\"", "iso", "not-an-instant"), ("\"2026-11-21\"", "iso", "not-an-instant"),
            ("\"2026-11-21T05:00:00.1234564Z\"", "iso", "finer-than-a-microsecond"),
            ("\"2026-11-21T05:00:00.1000000Z\"", "iso", "2026-11-21T05:00:00.100Z"),
            ("\"9999-12-31T23:59:59.9999999Z\"", "iso", "finer-than-a-microsecond"),
        ]
        for (value, encoding, expected) in cases {
            #expect(try micros(value, encoding) == expected, "\(value) as \(encoding)")
        }
    }

    @Test("a day outside of the years 1 to 9999 in its zone is rejected")
    func strayDays() throws {
        let file = #"{"k": [{"x": 253402300799}, {"x": 253402200000}]}"#
        let read = try ListTrial.rows(file.utf8, "key: k\ndates: epoch_seconds\ncolumns: { x: day }")
        #expect(read.findings == ["row 0 not-an-instant"])
    }

    @Test("what was recognised is said for the file and for each key")
    func recognised() throws {
        let stage = try ExampleRunner.make(ImportUserDefaults.self, "path: dump.plist\nkey: [Key, n]")
        let contents = try stage.contents(of: ListTrial.bytes(try list(Data("[]".utf8))), ListTrial.source)
        #expect(
            contents.recognised == ["binary property list", "Key: data holding JSON, an array", "n: a whole number"]
        )
    }

    @Test("a key that is not there is said with what was read for it, and with the key that may have been meant")
    func absentKeys() throws {
        let stage = try ExampleRunner.make(
            ImportUserDefaults.self,
            "path: dump.plist\nkey: [Kye, none]\nabsent: '[{\"count\": 0}]'"
        )
        let contents = try stage.contents(of: ListTrial.bytes(try list(Data("[]".utf8))), ListTrial.source)
        let displayText = "nothing, so the records of 'absent' are read"
        #expect(contents.recognised == ["binary property list", "Kye: \(displayText)", "none: \(displayText)"])
        #expect(
            contents.texts.map { String(decoding: $0.bytes.array, as: UTF8.self) } == [
                #"[{"count": 0}]"#, #"[{"count": 0}]"#,
            ]
        )
        #expect(contents.texts.map(\.holder) == [TextHolder(pointer: "/Kye"), TextHolder(pointer: "/none")])
        let warnings = contents.texts.flatMap(\.warnings)
        #expect(
            warnings.map(\.message) == [
                "nothing stands under the key 'Kye', so the records of 'absent' are read; did you mean 'Key'?",
                "nothing stands under the key 'none', so the records of 'absent' are read",
            ]
        )
        #expect(warnings.allSatisfy { $0.severity == .warning })
    }

    @Test("a thousand keys that share one large value are listed in no time")
    func listing() throws {
        var list = BinaryList()
        let large = list.data(Array("[".utf8) + Array(repeating: UInt8(ascii: " "), count: 1 << 20) + Array("]".utf8))
        let pairs = (0..<1_000).map { ("key \($0)", large) }
        list.root = list.dictionary(pairs)
        let stage = try ExampleRunner.make(ImportUserDefaults.self, "path: dump.plist")
        let contents = try stage.contents(of: ListTrial.bytes(list.file), ListTrial.source)
        let text = String(decoding: try #require(contents.texts.first).bytes.array, as: UTF8.self)
        #expect(text.hasPrefix(#"[{"key":"key 0","kind":"data holding JSON, an array","size":1048578}"#))
        #expect(text.hasSuffix(#"{"key":"key 999","kind":"data","size":1048578}]"#))
        #expect(contents.recognised == ["binary property list"])
    }
}

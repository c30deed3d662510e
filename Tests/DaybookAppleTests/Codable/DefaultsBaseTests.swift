import DaybookTestSupport
import Foundation
import Testing

@testable import DaybookContracts

/// Files that user defaults start from: what is refused of them and why, and what is kept although it is odd.
@Suite struct DefaultsBaseTests {
    @Test(
        "what cannot be kept is refused, with where it stands",
        arguments: [
            ("{\"k\":null,\"k\":null}", "", "the key 'k' stands 2 times in 'old'"),
            ("{\"a\":1,}", "", "nothing follows the comma, at byte 7 of old"),
            (
                "{\n\"a\":tru}", "",
                "expected a value; JSON knows the words true, false and null, in lower case, at byte 6 of old"
            ),
            ("[1]", "", "'old' has no keys: it is JSON, and no object"),
            (
                "{\"a\":1}", "format: xml",
                "'old' is a JSON dump, and 'format: xml' would have to guess the types of its values"
            ),
            (
                "<plist version=\"1.0\"><array/></plist>", "",
                "'old' has no keys: it is a property list with an array at its top"
            ),
            (
                "<plist version=\"1.0\"><dict/></plist>", "format: json",
                "'old' is a property list, and JSON has no dates, no binary values and no types of numbers"
            ),
            ("nothing of the kind <", "", "this is text, and no property list or JSON dump of one, at byte 0 of old"),
        ]
    )
    func refused(_ base: String, _ options: String, _ message: String) throws {
        let rows = try BatchText.read("a:integer\n1")
        do {
            _ = try DefaultsExportTests.exported(rows, "key: k\ninto: old\n" + options, into: Data(base.utf8))
            Issue.record("accepted")
        } catch let error as DaybookError {
            #expect(error.message == message)
        }
    }

    @Test(
        "what is no such JSON is not written over",
        arguments: [
            (["k": 1], "a number", ""), (["k": [1]], "an array of values without keys", ""),
            (["k": ["a": 1]], "a dictionary", ""),
            (["k": true], "true or false", ""), (["k": "a"], "text that is no JSON", ""),
            (["k": Data([0xFF, 0xD8])], "data that is no JSON", ""),
            (["k": Data(" {}".utf8)], "JSON of an object", "write 'layout: object'"),
            (["k": "[]"], nil, ""), (["k": Data()], nil, ""), (["k": ""], nil, ""),
            (["k": Data("[1".utf8)], nil, ""), (["K": 1], nil, ""),
        ] as [([String: any Sendable], String?, String)]
    )
    func replacing(_ old: [String: any Sendable], _ found: String?, _ hint: String) throws {
        let rows = try BatchText.read("a:integer\n1")
        let base = try PropertyListSerialization.data(fromPropertyList: old, format: .binary, options: 0)
        var bases = [base]
        // The same in a dump, where JSON has such a value.
        let dumped = old.mapValues { ($0 as? Data).map { $0.base64EncodedString() as any Sendable } ?? $0 }
        bases.append(try JSONSerialization.data(withJSONObject: dumped))
        for base in bases {
            do {
                _ = try DefaultsExportTests.exported(rows, "key: k\ninto: old", into: base)
                #expect(found == nil)
            } catch let error as DaybookError {
                #expect(error.code == "cannot-replace")
                if base == bases[0] {
                    let written = "what is to be written is an array of records"
                    #expect(error.message == "'k' in 'old' is \(found ?? "fit"), and \(written)")
                    #expect(hint.isEmpty || error.hint == hint)
                }
            }
        }
    }

    @Test("data that another encoder of Foundation wrote is not written over, and is named")
    func replacingOtherEncodings() throws {
        let rows = try BatchText.read("a:integer\n1")
        let models = [["a": 1]]
        let xml = PropertyListEncoder()
        xml.outputFormat = .xml
        let archive = try NSKeyedArchiver.archivedData(withRootObject: models as NSArray, requiringSecureCoding: false)
        let stored: [(Data, String)] = [
            (try PropertyListEncoder().encode(models), "PropertyListEncoder"),
            (try xml.encode(models), "PropertyListEncoder"),
            (archive, "NSKeyedArchiver"), (Data("bplist00".utf8), "PropertyListEncoder"),
        ]
        for (data, writer) in stored {
            let bases = [
                try PropertyListSerialization.data(fromPropertyList: ["k": data], format: .binary, options: 0),
                try PropertyListSerialization.data(fromPropertyList: ["k": data], format: .xml, options: 0),
                Data("{\"k\":\"\(data.base64EncodedString())\"}".utf8),
            ]
            for base in bases {
                let replacing = "key: k\ninto: old\nreplaces: property_list\n"
                _ = try DefaultsExportTests.exported(rows, replacing, into: base)
                #expect(throws: DaybookError.self) {
                    try DefaultsExportTests.exported(rows, replacing + "content: text", into: base)
                }
                for content in ["data", "text"] {
                    let error = #expect(throws: DaybookError.self) {
                        try DefaultsExportTests.exported(rows, "key: k\ninto: old\ncontent: \(content)", into: base)
                    }
                    #expect(error?.code == "cannot-replace")
                    let isArchive = writer == "NSKeyedArchiver"
                    let written = isArchive ? "archives are not written" : "what is to be written is JSON"
                    #expect(error?.message == "'k' in 'old' is data that \(writer) wrote, and \(written)")
                    #expect(
                        error?.hint
                            == "an app that reads the key with the decoder of \(writer) would lose it: "
                            + (isArchive ? "name another key" : "write 'as: plist_data'")
                            + ", or 'replaces: property_list' where the app reads JSON by now"
                    )
                }
                // Without a word about it the encoding stays, but for that of an archive.
                let asFound = try? DefaultsExportTests.exported(rows, "key: k\ninto: old", into: base)
                #expect((asFound != nil) == (writer == "PropertyListEncoder" && data.count > 8))
            }
        }
    }

    @Test(
        "a key that is not there is added, unless it looks like a slip for one that is",
        arguments: [
            ("DdayManger", "", "did you mean 'DdayManager'? If not, say so: 'new_key: true'"),
            ("ddaymanager", "", "did you mean 'DdayManager'? If not, say so: 'new_key: true'"),
            ("DdayManger", "new_key: true", nil), ("DdayManager2", "", nil), ("todos", "", nil),
        ]
    )
    func adding(_ key: String, _ options: String, _ hint: String?) throws {
        let rows = try BatchText.read("a:integer\n1")
        for base in ["{\"DdayManager\":\"W10=\"}", "{ DdayManager = <5b5d>; }"] {
            do {
                _ = try DefaultsExportTests.exported(rows, "key: \(key)\ninto: old\n" + options, into: Data(base.utf8))
                #expect(hint == nil)
            } catch let error as DaybookError {
                #expect(error.message == "'old' has no key '\(key)'")
                #expect(error.hint == hint)
                #expect(error.place != nil)
            }
        }
    }

    @Test("XML is not given what it would change")
    func unfitForXML() throws {
        let rows = try BatchText.read("a:integer\n1")
        let unfit: [(Any, String)] = [
            (["when": [Date(timeIntervalSinceReferenceDate: 0.5)]], "'a/when/0' is a date with a fraction of a second"),
            ("a\u{1}", "'a' is text with a control character"), ("a\r\n", "'a' is text with a control character"),
            (-0.0, "'a' is the number -0.0"),
        ]
        for (value, message) in unfit {
            let base = try PropertyListSerialization.data(fromPropertyList: ["a": value], format: .binary, options: 0)
            do {
                _ = try DefaultsExportTests.exported(rows, "key: k\ninto: old\nformat: xml", into: base)
                Issue.record("accepted \(value)")
            } catch let error as DaybookError {
                #expect(error.message == message + ", which an XML property list cannot hold")
                #expect(error.blame == .data)
            }
        }
    }

    /// A binary property list of `objects`, each as its bytes, with references of one byte.
    private static func binary(_ objects: [[UInt8]]) -> Data {
        var bytes = Array("bplist00".utf8)
        var offsets: [UInt8] = []
        for object in objects {
            offsets += [UInt8(bytes.count >> 8), UInt8(bytes.count & 0xFF)]
            bytes += object
        }
        let table = UInt8(bytes.count & 0xFF)
        let high = UInt8(bytes.count >> 8)
        bytes += offsets
        bytes += [0, 0, 0, 0, 0, 0, 2, 1] + [0, 0, 0, 0, 0, 0, 0, UInt8(objects.count)]
        bytes += [0, 0, 0, 0, 0, 0, 0, 0] + [0, 0, 0, 0, 0, 0, high, table]
        return Data(bytes)
    }

    @Test("a hostile base is refused, and a deep one kept")
    func hostile() throws {
        let rows = try BatchText.read("a:integer\n1")
        func message(_ base: Data) -> String {
            do {
                _ = try DefaultsExportTests.exported(rows, "key: k\ninto: old", into: base)
                return "accepted"
            } catch { return (error as? DaybookError)?.message ?? "\(error)" }
        }
        let key: [UInt8] = [0x51, UInt8(ascii: "u")]
        #expect(
            message(Self.binary([[0xD1, 1, 2], key, [0x80, 3]]))
                == "'u' in 'old' is a reference, which is no part of a plain property list, and so cannot be kept"
        )
        // Each list refers four times to the next: 4^9 values out of a few bytes.
        let laughs = (0..<9).map { level in [0xA4] + [UInt8](repeating: UInt8(level + 3), count: 4) }
        let long: [UInt8] = [0x4F, 0x11, 0x10, 0x00] + [UInt8](repeating: 7, count: 4_096)
        #expect(message(Self.binary([[0xD1, 1, 2], key] + laughs + [long])).contains("more than fits 128 MiB"))
        #expect(message(Self.binary([[0xD1, 1, 2], key, [0xA1, 2]])).contains("holds itself"))
        #expect(
            message(Self.binary([[0xD2, 1, 1, 2, 2], key, [0x09]]))
                == "'u' in 'old' is a key that stands twice, and so cannot be kept"
        )
        for format in ["xml", "binary"] {
            let open = String(repeating: "<array>", count: 500) + String(repeating: "</array>", count: 500)
            let deep = "<plist version=\"1.0\"><dict><key>d</key>\(open)</dict></plist>"
            let file = try DefaultsExportTests.exported(
                rows,
                "key: k\ninto: old\nformat: \(format)",
                into: Data(deep.utf8)
            )
            #expect(try DefaultsExportTests.propertyList(file).keys.sorted() == ["d", "k"])
        }
        #expect(
            message(Data("<plist><dict><key>d</key>\(String(repeating: "<array>", count: 100_000))".utf8)).contains(
                "deeper"
            )
        )
    }

    @Test("keys that differ only in how they are composed are refused, since Foundation crashes on them")
    func composed() throws {
        let (one, two) = ("\u{AC00}", "\u{1100}\u{1161}")
        let rows = try BatchText.read("a:integer\n1")
        func message(_ base: String, _ options: String) throws -> String? {
            do {
                _ = try DefaultsExportTests.exported(rows, options, into: Data(base.utf8))
                return nil
            } catch let error as DaybookError {
                return error.message
            }
        }
        for format in ["xml", "binary"] {
            let both = "<dict><key>\(one)</key><true/><key>\(two)</key><integer>1</integer></dict>"
            for old in ["<plist>\(both)</plist>", "<plist><dict><key>a</key><array>\(both)</array></dict></plist>"] {
                let found = try message(old, "key: k\ninto: old\nformat: \(format)")
                #expect(found?.hasSuffix("which Foundation cannot write") == true)
            }
            let old = "<plist><dict><key>\(one)</key><true/></dict></plist>"
            #expect(try message(old, "key: \(two)\ninto: old\nformat: \(format)")?.contains("stands twice") == true)
        }
    }

    @Test("an OpenStep list is written as XML, which says all that it can")
    func openStep() throws {
        let rows = try BatchText.read("a:integer\n1")
        let file = try DefaultsExportTests.exported(
            rows,
            "key: k\ninto: old",
            into: Data("{ a = 1; b = (x, <0102>); }".utf8)
        )
        var after = try DefaultsExportTests.propertyList(file)
        after["k"] = nil
        #expect(file.starts(with: Data("<?xml".utf8)))
        #expect(after as NSDictionary == ["a": "1", "b": ["x", Data([1, 2])]] as NSDictionary)
    }

    @Test("rows past the bound are refused before memory runs out")
    func tooLarge() throws {
        let rows = try BatchText.read("a:text\n\"\(String(repeating: "x", count: 1 << 20))\"")
        let many = rows.keeping([Int32](repeating: 0, count: 129))
        do {
            _ = try DefaultsExportTests.exported(many, "key: k", parts: 129)
            Issue.record("accepted")
        } catch let error as DaybookError {
            #expect(error.code == "too-large")
        }
    }
}

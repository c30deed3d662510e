import DaybookCore
import DaybookStages
import DaybookTestSupport
import Foundation
import Testing

/// Rows under a key of an app's user defaults, and what else stands there.
@Suite struct DefaultsExportTests {
    static func exported(_ rows: Batch, _ options: String, into base: Data? = nil, parts: Int = 1) throws -> Data {
        let stage = try ExampleRunner.make(ExportUserDefaults.self, "path: out.plist\n" + options)
        try stage.check(rows.schema)
        let files = SinkFiles(base: base)
        let out = MemoryOutput()
        var writer = try stage.writer(for: [SinkInput(id: "rows", schema: rows.schema)], in: files.sinkRoom)
        try writer.begin(out)
        for part in rows.cut(into: max(1, rows.count / parts)) {
            var findings = Findings()
            try writer.append(stage.piece(of: part, reporting: &findings), input: 0, to: out)
            #expect(findings.isEmpty)
        }
        try writer.finish(RunSummary(job: "test", asOf: ExampleRunner.context.asOf, ledger: []), out)
        #expect(writer.writtenRows == rows.count)
        return Data(out.written.array)
    }

    static func propertyList(_ content: Data) throws -> [String: Any] {
        try #require(
            try PropertyListSerialization.propertyList(from: content, options: [], format: nil) as? [String: Any]
        )
    }

    static let ddayFields = "fields: { targetDate: date, dday: integer, backgroundColor: text }"
    static let ddays = AppModels.ddays

    static func dump(_ models: some Encodable) throws -> Batch {
        try CodableExportTests.imported(try JSONEncoder().encode(models))
    }

    @Test("the value under the key is what the app's decoder reads", arguments: ["binary", "xml", "json"])
    func decodes(_ format: String) throws {
        let rows = try Self.dump(Self.ddays)
        for parts in [1, 4] {
            let file = try Self.exported(
                rows,
                "key: DdayManager\nformat: \(format)\n\(Self.ddayFields)",
                parts: parts
            )
            let content: Data
            if format == "json" {
                let texts = try JSONDecoder().decode([String: String].self, from: file)
                content = try #require(texts["DdayManager"].flatMap { Data(base64Encoded: $0) })
            } else {
                content = try #require(try Self.propertyList(file)["DdayManager"] as? Data)
            }
            #expect(try JSONDecoder().decode([AppModels.DDay].self, from: content) == Self.ddays)
        }
    }

    @Test("no rows are an empty list, not nothing", arguments: ["binary", "xml"])
    func noRows(_ format: String) throws {
        let rows = try Self.dump([AppModels.DDay]())
        let file = try Self.exported(rows, "key: DdayManager\nformat: \(format)\n\(Self.ddayFields)")
        #expect(try Self.propertyList(file)["DdayManager"] as? Data == Data("[]".utf8))
    }

    /// One value of each type, at the edges at which types are lost.
    static var others: [String: Any] {
        [
            "DdayManager": Data("[]".utf8), "one": 1, "real one": 1.0, "true": true, "false": false, "zero": 0,
            "least": Int.min, "most": Int.max, "past it": UInt64.max, "tenth": 0.1,
            "largest": Double.greatestFiniteMagnitude,
            "infinity": Double.infinity, "text": "행복해 👨‍👩‍👧‍👦 <&>\"' \n\ttab", "empty": "", "content": Data([0, 255, 10]),
            "no content": Data(), "date": Date(timeIntervalSinceReferenceDate: 757_339_200),
            "list": [1, true, "a", [Any]()],
            "nested": ["inside": ["deep": [Date(timeIntervalSinceReferenceDate: -1)]], "none": [String: Any]()],
        ]
    }

    @Test("all other keys are as they were, with their types", arguments: ["binary", "xml"])
    func kept(_ format: String) throws {
        let rows = try Self.dump(Self.ddays)
        var others = Self.others
        if format == "binary" {
            others["moment"] = Date(timeIntervalSinceReferenceDate: 757_339_200.123_456_7)
            others["minus zero"] = -0.0
            others["control"] = "a\u{0}b\r"
        }
        for baseFormat in [PropertyListSerialization.PropertyListFormat.binary, .xml] {
            if baseFormat == .xml, format == "binary" { others = Self.others }
            let base = try PropertyListSerialization.data(fromPropertyList: others, format: baseFormat, options: 0)
            for key in ["DdayManager", "a new key"] {
                let options = "key: \(key)\nformat: \(format)\ninto: old.plist\n\(Self.ddayFields)"
                var after = try Self.propertyList(try Self.exported(rows, options, into: base))
                #expect(
                    try JSONDecoder().decode([AppModels.DDay].self, from: after[key] as? Data ?? Data()) == Self.ddays
                )
                var before = try Self.propertyList(base)
                after[key] = nil
                before[key] = nil
                #expect(after as NSDictionary == before as NSDictionary)
                #expect(Self.types(after) == Self.types(before))
            }
        }
    }

    /// The types of everything in a property list, which equality alone does not look at: 1 is 1.0, and 1 is true.
    private static func types(_ value: Any) -> String {
        switch value {
        case let map as [String: Any]:
            "{\(map.keys.sorted().map { "\($0):\(types(map[$0]!))" }.joined(separator: ","))}"
        case let list as [Any]: "[\(list.map(types).joined(separator: ","))]"
        case is Bool where type(of: value) == Bool.self: "flag"
        case let number as NSNumber: String(cString: number.objCType)
        case is Date: "date"
        case is Data: "data"
        case is String: "text"
        default: "?"
        }
    }

    @Test("the format is that of the base, when none is named")
    func format() throws {
        let rows = try BatchText.read("a:integer\n1")
        let old = ["b": 2]
        for (format, first) in [(PropertyListSerialization.PropertyListFormat.xml, "<?xml"), (.binary, "bplist00")] {
            let base = try PropertyListSerialization.data(fromPropertyList: old, format: format, options: 0)
            let file = try Self.exported(rows, "key: a\ninto: old", into: base)
            #expect(file.starts(with: Data(first.utf8)))
        }
        #expect(try Self.exported(rows, "key: a").starts(with: Data("bplist00".utf8)))
        #expect(
            try Self.exported(rows, "key: a\ninto: old", into: Data("{\"b\":2}".utf8)).starts(
                with: Data("{\"b\":2,".utf8)
            )
        )
    }

    @Test(
        "a JSON dump is kept byte for byte around the value",
        arguments: [
            ("{}", "{\"k\":\"W10=\"}"),
            (" { } \n", " {\"k\":\"W10=\" } \n"),
            ("{\"a\":1.0}", "{\"a\":1.0,\"k\":\"W10=\"}"),
            (
                "{\n  \"a\" : 1,\n  \"b\" : [ 2.50 ]\n}\n",
                "{\n  \"a\" : 1,\n  \"b\" : [ 2.50 ],\n  \"k\" : \"W10=\"\n}\n"
            ),
            ("{\"k\": \"\\u0057yJhIl0=\", \"b\": 1e2}", "{\"k\": \"W10=\", \"b\": 1e2}"),
            ("{\"\\u006B\":null,\"b\":12345678901234567890}", "{\"\\u006B\":\"W10=\",\"b\":12345678901234567890}"),
            ("\u{FEFF}{\"b\":\"\\ud83d\\ude00\"}", "\u{FEFF}{\"b\":\"\\ud83d\\ude00\",\"k\":\"W10=\"}"),
        ]
    )
    func dumps(_ base: String, _ expected: String) throws {
        let rows = try BatchText.read("a:integer\n")
        let file = try Self.exported(rows.keeping([]), "key: k\ninto: old.json", into: Data(base.utf8))
        #expect(String(decoding: file, as: UTF8.self) == expected)
    }

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
            ("nothing of the kind <", "", "something stands behind the list, at byte 8 of old"),
        ]
    )
    func refused(_ base: String, _ options: String, _ message: String) throws {
        let rows = try BatchText.read("a:integer\n1")
        do {
            _ = try Self.exported(rows, "key: k\ninto: old\n" + options, into: Data(base.utf8))
            Issue.record("accepted")
        } catch let error as DaybookError {
            #expect(error.message == message)
        }
    }

    @Test(
        "what is no such JSON is not written over",
        arguments: [
            (["k": 1], "a number", ""), (["k": [1]], "an array", ""), (["k": ["a": 1]], "a dictionary", ""),
            (["k": true], "true or false", ""), (["k": "a"], "text that is no JSON", ""),
            (["k": Data([0xFF, 0xD8])], "data that is no JSON", ""),
            (["k": Data("bplist00".utf8)], nil, ""),
            (["k": Data(" {}".utf8)], "JSON of an object", "write 'layout: object'"),
            (["k": "[]"], "JSON as text", "write 'content: text'"), (["k": Data()], nil, ""), (["k": ""], nil, ""),
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
                _ = try Self.exported(rows, "key: k\ninto: old", into: base)
                #expect(found == nil)
            } catch let error as DaybookError {
                #expect(error.code == "cannot-replace")
                if base == bases[0] {
                    #expect(error.message == "'k' in 'old' is \(found ?? "fit"), and what is to be written is not")
                    #expect(hint.isEmpty || error.hint == hint)
                }
            }
        }
    }

    @Test("one model and JSON as text come back as they were", arguments: ["binary", "xml", "json"])
    func objectAndText(_ format: String) throws {
        let rows = try Self.dump([Self.ddays[0]])
        let options = "key: k\nformat: \(format)\nlayout: object\ncontent: text\n\(Self.ddayFields)"
        let file = try Self.exported(rows, options)
        let text: String
        if format == "json" {
            text = try #require(try JSONDecoder().decode([String: String].self, from: file)["k"])
        } else {
            text = try #require(try Self.propertyList(file)["k"] as? String)
        }
        #expect(try JSONDecoder().decode(AppModels.DDay.self, from: Data(text.utf8)) == Self.ddays[0])
        #expect(try Self.exported(rows, options, into: file) == file)
        for others in [[], Array(Self.ddays.prefix(2))] {
            #expect(throws: DaybookError.self) { try Self.exported(try Self.dump(others), options) }
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
                _ = try Self.exported(rows, "key: k\ninto: old\nformat: xml", into: base)
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
                _ = try Self.exported(rows, "key: k\ninto: old", into: base)
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
            let file = try Self.exported(rows, "key: k\ninto: old\nformat: \(format)", into: Data(deep.utf8))
            #expect(try Self.propertyList(file).keys.sorted() == ["d", "k"])
        }
        #expect(
            message(Data("<plist><dict><key>d</key>\(String(repeating: "<array>", count: 100_000))".utf8)).contains(
                "deeper"
            )
        )
    }

    @Test("keys that Swift takes to be equal stay two keys")
    func composed() throws {
        let old =
            "<plist version=\"1.0\"><dict><key>\u{AC00}</key><true/><key>\u{1100}\u{1161}</key><integer>1</integer></dict></plist>"
        let rows = try BatchText.read("a:integer\n1")
        for format in ["xml", "binary"] {
            let file = try Self.exported(rows, "key: k\ninto: old\nformat: \(format)", into: Data(old.utf8))
            // Read by the stage itself once more, since Foundation would make one key of the two.
            let again = try Self.exported(rows, "key: k\ninto: old\nformat: xml", into: file)
            let text = String(decoding: again, as: UTF8.self).filter { !$0.isWhitespace }
            #expect(text.utf8.split(separator: UInt8(ascii: "<")).filter { $0.starts(with: "key>".utf8) }.count == 3)
            #expect(text.contains("<true/>") && text.contains("<integer>1</integer>"))
        }
    }

    @Test("an OpenStep list is written as XML, which says all that it can")
    func openStep() throws {
        let rows = try BatchText.read("a:integer\n1")
        let file = try Self.exported(rows, "key: k\ninto: old", into: Data("{ a = 1; b = (x, <0102>); }".utf8))
        var after = try Self.propertyList(file)
        after["k"] = nil
        #expect(file.starts(with: Data("<?xml".utf8)))
        #expect(after as NSDictionary == ["a": "1", "b": ["x", Data([1, 2])]] as NSDictionary)
    }

    @Test("rows past the bound are refused before memory runs out")
    func tooLarge() throws {
        let rows = try BatchText.read("a:text\n\"\(String(repeating: "x", count: 1 << 20))\"")
        let many = rows.keeping([Int32](repeating: 0, count: 129))
        do {
            _ = try Self.exported(many, "key: k", parts: 129)
            Issue.record("accepted")
        } catch let error as DaybookError {
            #expect(error.code == "too-large")
        }
    }
}

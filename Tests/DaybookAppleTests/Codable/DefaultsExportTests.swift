import DaybookApple
import DaybookContracts
import DaybookTestSupport
import Foundation
import Testing

/// Rows under a key of an app's user defaults, and what else stands there.
@Suite struct DefaultsExportTests {
    static func exported(_ rows: Batch, _ options: String, into base: Data? = nil, parts: Int = 1) throws -> Data {
        let stage = try ExampleRunner.make(ExportUserDefaults.self, "path: out.plist\n" + options)
        _ = try stage.bind(StageInputs(rows.schema))
        let files = SinkFiles(base: base)
        let out = MemoryOutput()
        var writer = try stage.writer(in: files.context(rows.schema))
        try writer.begin(out)
        for part in rows.cut(into: max(1, rows.count / parts)) {
            var findings = Findings()
            try writer.append(stage.piece(of: part, from: 0, reporting: &findings), input: 0, to: out)
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
}

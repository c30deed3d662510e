import DaybookApple
import DaybookContracts
import DaybookTestSupport
import Foundation
import Testing

/// Keys of user defaults as rows, and back.
@Suite struct KeyRowsTests {
    private static func written(_ rows: Batch, _ format: String) throws -> Data {
        try DefaultsExportTests.exported(rows, "keys: rows\nformat: \(format)")
    }

    @Test("every value of a property list comes back with its type")
    func everything() throws {
        var content = DefaultsExportTests.others
        content["past"] = Date(timeIntervalSinceReferenceDate: -0.123_456_789)
        content["odd"] = [Double.infinity, -Double.infinity] as [Double]
        content["deep"] = ["a": ["b": [Data([1]), Date.distantPast] as [Any]]] as [String: Any]
        content["plain"] = ["n": [1, 1.0, 0.1, true], "t": "x\"\u{1}"] as [String: Any]
        let old = try PropertyListSerialization.data(fromPropertyList: content, format: .binary, options: 0)
        let rows = try BatchText.read(ListTrial.rows(old, "keys: rows").rows)
        #expect(rows.schema.names == ["key", "type", "value"] && rows.count == content.count)
        let new = try DefaultsExportTests.propertyList(try Self.written(rows, "binary"))
        #expect(NSDictionary(dictionary: new) == NSDictionary(dictionary: content))
        for (key, value) in content {
            let (one, other) = (new[key] as? NSNumber, value as? NSNumber)
            #expect(one.map { form(of: $0) } == other.map { form(of: $0) }, "\(key)")
        }
    }

    /// Tells 1, 1.0 and true apart.
    private func form(of number: NSNumber) -> String { String(cString: number.objCType) }

    @Test("a dump stays a dump, with its numbers as they stood")
    func dump() throws {
        let dump = #"{"a": 0.50, "b": [1, {"c": null}], "d": "x", "e": null, "f": true, "g": 7}"#
        let text = try ListTrial.rows(Data(dump.utf8), "keys: rows").rows
        let types = "real,array,string,null,boolean,integer"
        let rows = try BatchText.read(text)
        let column = rows.column(ColumnName("type"))
        #expect((0..<rows.count).compactMap { column.displayText($0) }.joined(separator: ",") == types)
        let new = String(decoding: try Self.written(rows, "json"), as: UTF8.self)
        #expect(new.contains(#""a": 0.50"#) && new.contains(#""b": [1, {"c": null}]"#), "\(new)")
        let object = try JSONSerialization.jsonObject(with: Data(new.utf8)) as? NSDictionary
        #expect(object == (try JSONSerialization.jsonObject(with: Data(dump.utf8)) as? NSDictionary))
    }

    @Test("no keys are an empty file", arguments: ["binary", "xml", "json"])
    func nothing(_ format: String) throws {
        let rows = try BatchText.read("key:text,type:text,value:json")
        let file = try Self.written(rows, format)
        if format == "json" {
            #expect(String(decoding: file, as: UTF8.self) == "{}\n")
        } else {
            #expect(try DefaultsExportTests.propertyList(file).isEmpty)
        }
    }

    @Test(
        "a value that is not of its type is refused with its key",
        arguments: [
            ("a,integer,0.5", "wrong-kind"), ("a,string,7", "wrong-kind"), ("a,date,\"\"\"x\"\"\"", "wrong-kind"),
            ("a,data,\"\"\"%\"\"\"", "wrong-kind"), ("a,plist,\"\"\"AAAA\"\"\"", "wrong-kind"),
            ("a,array,{}", "wrong-kind"),
            ("a,null,null", "cannot-keep"), ("a,strin,\"\"\"x\"\"\"", "unknown-type"), ("a,string,", "missing-value"),
            ("a,integer,1\na,integer,2", "key-twice"), ("a,boolean,0", "wrong-kind"),
        ]
    )
    func refused(_ lines: String, _ code: String) throws {
        let rows = try BatchText.read("key:text,type:text,value:json\n" + lines)
        let error = #expect(throws: DaybookError.self) { _ = try Self.written(rows, "binary") }
        #expect(error?.code.rawValue == code && (error?.message.contains("a") ?? false))
    }

    @Test("what a dump cannot hold is refused")
    func dumpOfDates() throws {
        let rows = try BatchText.read("key:text,type:text,value:json\nat,date,5.0")
        let error = #expect(throws: DaybookError.self) { _ = try Self.written(rows, "json") }
        #expect(error?.code.rawValue == "cannot-keep")
    }
}

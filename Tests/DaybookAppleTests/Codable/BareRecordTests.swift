import DaybookContracts
import DaybookTestSupport
import Foundation
import Testing

/// Arrays of values, and dictionaries that encoders write as arrays, go back as they came.
@Suite struct BareRecordTests {
    enum Mood: String, Codable, Hashable, CodingKeyRepresentable { case happy, calm }
    enum Level: Int, Codable, Hashable { case low, high }
    struct Note: Codable, Equatable, Hashable {
        var text: String?
        var count: Int
    }

    private static func roundTrip<Model: Codable & Equatable>(_ model: Model, _ options: String) throws {
        let rows = try CodableExportTests.imported(try JSONEncoder().encode(model))
        // The same after the rows were on disk.
        let bytes = Bytes()
        rows.write(to: bytes)
        var reader = ByteReader(bytes.filled)
        let back = try Batch(reading: &reader)
        withExtendedLifetime(bytes) {}
        for rows in [rows, back] {
            let (json, findings) = try CodableExportTests.exported(rows, options)
            #expect(findings == [])
            #expect(
                try JSONDecoder().decode(Model.self, from: json) == model,
                "\(String(decoding: json, as: UTF8.self))"
            )
            let stored = try DefaultsExportTests.propertyList(try DefaultsExportTests.exported(rows, "key: k"))
            let data = try #require(stored["k"] as? Data)
            #expect(try JSONDecoder().decode(Model.self, from: data) == model)
        }
    }

    @Test(
        "what an encoder writes as an array of values is read by its decoder again",
        arguments: ["", "pretty: true", "nest: true\nmissing: leave_out"]
    )
    func arrays(_ options: String) throws {
        try Self.roundTrip(["x", "y", "{", ""], options)
        try Self.roundTrip(["x", nil, "y"], options)
        try Self.roundTrip([1, 2, Int.max], options)
        try Self.roundTrip([0.5, -1], options)
        try Self.roundTrip([true, false], options)
        try Self.roundTrip([[1, 2], [], [3]], options)
        try Self.roundTrip([[[Note(text: "a", count: 1)]], []], options)
        try Self.roundTrip([Level.low: "a", .high: "b"], options)
        try Self.roundTrip([UUID(): 3, UUID(): 4], options)
        try Self.roundTrip([UUID(): Note(text: "a", count: 1), UUID(): Note(text: nil, count: 2)], options)
        try Self.roundTrip([Note(text: "a", count: 1): true], options)
    }

    @Test("records and values in one array go back as they came")
    func mixed() throws {
        let rows = try CodableExportTests.imported(Data("[{\"a\":1},5,{\"a\":null,\"b\":\"x\"}]".utf8))
        let (json, findings) = try CodableExportTests.exported(rows, "missing: leave_out")
        #expect(findings == [])
        #expect(String(decoding: json, as: UTF8.self) == "[\n{\"a\":1},\n5,\n{\"b\":\"x\"}\n]\n")
    }

    @Test("a column beside values makes objects of them, and a record cannot be a value and have keys")
    func columnsBeside() throws {
        func with(_ name: String, _ json: String) throws -> Batch {
            let rows = try CodableExportTests.imported(Data(json.utf8))
            return rows.setting(ColumnName(name), to: .integers(Values([Int64](repeating: 7, count: rows.count))))
        }
        let (json, _) = try CodableExportTests.exported(try with("n", "[\"x\",\"y\"]"), "layout: lines")
        #expect(String(decoding: json, as: UTF8.self) == "{\"value\":\"x\",\"n\":7}\n{\"value\":\"y\",\"n\":7}\n")
        let (_, findings) = try CodableExportTests.exported(try with("n", "[{\"a\":1},5]"), "layout: lines")
        #expect(findings == ["2 value value-and-keys"])
        #expect {
            _ = try CodableExportTests.exported(
                try CodableExportTests.imported(Data("[{\"value\":1},5]".utf8)),
                "layout: lines"
            )
        } throws: { ($0 as? DaybookError)?.code == "ambiguous-record" }
    }
}

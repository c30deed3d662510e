import DaybookTestSupport
import Foundation
import Testing

@testable import DaybookApple
@testable import DaybookContracts

/// An app's type, held against values of a property list as `PropertyListDecoder` reads them.
@Suite struct ListModelTests {
    private struct Record<Value: Decodable>: Decodable { var v: Value }
    private struct Place: Codable { var a: Int }
    private struct Link: Codable { var relative: String }
    private enum Word: String, Codable { case milk }

    private static let values: [(name: String, value: any Sendable)] = [
        ("text", "milk"), ("base64", "AAEC"), ("date as text", "2026-01-01T00:00:00Z"),
        ("address as text", "https://a.example"), ("uuid", "E621E1F8-C36C-495A-93FC-0C247A3E6E5F"),
        ("nil", "$null"), ("data", Data([0, 1, 2])), ("date", Date(timeIntervalSinceReferenceDate: 0.5)),
        ("whole", 2), ("real", 2.5), ("whole real", 2.0), ("nan", Double.nan), ("flag", true),
        ("address", ["relative": "https://a.example"] as [String: String]), ("object", ["a": 1]), ("array", [1]),
        ("array with nil", [1, "$null"] as [any Sendable]), ("array of data", [Data([1])]),
    ]

    private func check<Value: Decodable>(_: Value.Type, _ type: String) throws {
        let options = """
            key: k
            model: { swift: "struct R: Codable { let v: \(type) } struct Place: Codable { var a: Int } \
            struct Link: Codable { var relative: String } \
            enum Word: String, Codable { case milk }", type: "[R]" }
            """
        for format in [PropertyListSerialization.PropertyListFormat.binary, .xml] {
            for (name, value) in Self.values {
                let records = [["v": value]]
                let content = try PropertyListSerialization.data(fromPropertyList: records, format: format, options: 0)
                let reads = (try? PropertyListDecoder().decode([Record<Value>].self, from: content)) != nil
                // The records as an array of the list itself, and as data that an encoder wrote.
                for stored in [records, content] as [Any] {
                    let file = try PropertyListSerialization.data(
                        fromPropertyList: ["k": stored],
                        format: format,
                        options: 0
                    )
                    let findings = try ListTrial.rows(file, options).findings
                    let isRefused = findings.contains { $0.hasSuffix(" not-decodable") }
                    #expect(reads != isRefused, "\(name) as \(type): \(findings)")
                }
            }
        }
    }

    @Test func `what the decoder of property lists refuses is refused, and nothing else`() throws {
        try check(String.self, "String")
        try check(Data.self, "Data")
        try check(Date.self, "Date")
        try check(URL.self, "URL")
        try check(UUID.self, "UUID")
        try check(Int.self, "Int")
        try check(Double.self, "Double")
        try check(Bool.self, "Bool")
        try check(Word.self, "Word")
        try check(Place.self, "Place")
        try check(Link.self, "Link")
        try check([String: String].self, "[String: String]")
        try check(Int?.self, "Int?")
        try check(String?.self, "String?")
        try check(Data?.self, "Data?")
        try check([Int].self, "[Int]")
        try check([Int?].self, "[Int?]")
        try check([Data].self, "[Data]")
        try check([String].self, "[String]")
    }

    @Test func `the decimal of an encoder is read as one, and a plain number is not`() throws {
        struct Price: Codable { var v: Decimal }
        let options = #"key: k\nmodel: { swift: "struct R: Codable { let v: Decimal }", type: "[R]" }"#
            .replacing("\\n", with: "\n")
        for (records, isRead) in [
            (try PropertyListEncoder().encode([Price(v: 1.5)]), true),
            (try PropertyListEncoder().encode([["v": 1.5]]), false),
        ] {
            let file = try PropertyListSerialization.data(fromPropertyList: ["k": records], format: .binary, options: 0)
            #expect(try ListTrial.rows(file, options).findings.isEmpty == isRead)
            #expect(((try? PropertyListDecoder().decode([Price].self, from: records)) != nil) == isRead)
        }
    }

    @Test func `records that are written are read as a list, too`() throws {
        for (photo, isRead) in [(Data([0, 1, 2]) as any Sendable, true), ("AAEC", false)] {
            let records = [["id": 1, "photo": photo] as [String: any Sendable]]
            let list = try PropertyListSerialization.data(fromPropertyList: records, format: .binary, options: 0)
            let model = #"model: { swift: "struct R: Codable { let id: Int; let photo: Data }", type: "[R]" }"#
            for stored in [records, list] as [any Sendable] {
                let file = try PropertyListSerialization.data(
                    fromPropertyList: ["k": stored],
                    format: .binary,
                    options: 0
                )
                let rows = try BatchText.read(ListTrial.rows(file, "key: k").rows)
                do {
                    _ = try DefaultsExportTests.exported(rows, "key: k\ninto: old\n" + model, into: file)
                    #expect(isRead)
                } catch let error as DaybookError {
                    #expect(!isRead)
                    let reason = "the app's decoder refuses '/0/photo': this is text, and the model has Data"
                    #expect(error.message == "'k' in 'old' would not be as the app's model has it: \(reason)")
                }
            }
        }
    }
}

import DaybookApple
import DaybookContracts
import DaybookTestSupport
import Foundation
import Testing

/// Dictionaries of records that apps keep, as rows and back.
@Suite struct KeyedPlaceTests {
    enum Mood: String, Codable, CaseIterable { case good, bad, odd }

    struct Entry: Codable, Equatable {
        var at: Date
        var notes: [String]
        var weight: Double?
        var link: URL?
    }

    static func entries(_ random: inout SeededGenerator) -> [Entry] {
        (0..<3).map { index in
            Entry(
                at: Date(timeIntervalSinceReferenceDate: Double(Int.random(in: 0..<1_000_000, using: &random))),
                notes: index == 0 ? [] : ["a", "가"],
                weight: Bool.random(using: &random) ? 2.5 : nil,
                link: index == 1 ? URL(string: "https://example.com/a") : nil
            )
        }
    }

    /// Takes the value of a key out with one job and puts it back with another.
    static func carried(_ value: Any, _ place: String, dates: String = "dates: { at: apple_seconds }") throws -> Any? {
        let old = try PropertyListSerialization.data(
            fromPropertyList: ["diary": value, "volume": 0.5] as [String: Any],
            format: .binary,
            options: 0
        )
        let rows = try BatchText.read(ListTrial.rows(old, "key: diary\nrecords: \(place)\n\(dates)").rows)
        let written = try DefaultsExportTests.exported(rows, "key: diary\ninto: old\nrecords: \(place)", into: old)
        let list = try DefaultsExportTests.propertyList(written)
        #expect(list["volume"] as? Double == 0.5)
        return list["diary"]
    }

    @Test("a dictionary with text for keys comes back, as JSON, as a property list, and in a wrapper")
    func texts() throws {
        for seed in 0..<20 as Range<UInt64> {
            var random = SeededGenerator(seed: seed)
            let entries = Self.entries(&random)
            let diary = ["2026-03-01": entries[0], "b \"c\"": entries[1], "가": entries[2]]
            let json = try JSONEncoder().encode(diary)
            let back = try #require(try Self.carried(json, "{ each_key: day }") as? Data)
            #expect(try JSONDecoder().decode([String: Entry].self, from: back) == diary, "\(random)")
            let text = String(decoding: json, as: UTF8.self)
            let wrapper = #"{"v": 1, "days": \#(text)}"#
            let wrapped = try #require(try Self.carried(wrapper, "{ at: /days, each_key: day }") as? String)
            let inner = try #require(try JSONSerialization.jsonObject(with: Data(wrapped.utf8)) as? [String: Any])
            #expect(inner["v"] as? Int == 1)
            let days = try JSONSerialization.data(withJSONObject: try #require(inner["days"]))
            #expect(try JSONDecoder().decode([String: Entry].self, from: days) == diary)
            let list = try PropertyListEncoder().encode(diary)
            let listed = try #require(try Self.carried(list, "{ each_key: day }", dates: "") as? Data)
            #expect(try PropertyListDecoder().decode([String: Entry].self, from: listed) == diary, "\(random)")
            let native = try PropertyListSerialization.propertyList(from: list, format: nil)
            let plain = try #require(try Self.carried(native, "{ each_key: day }", dates: ""))
            #expect((plain as? NSDictionary) == (native as? NSDictionary), "\(random)")
        }
    }

    @Test("so does one with keys of an enum, of UUIDs, of numbers and of dates")
    func pairs() throws {
        var random = SeededGenerator(seed: 1)
        let entries = Self.entries(&random)
        let place = "{ each_key: key, pairs: true }"
        let moods = Dictionary(uniqueKeysWithValues: zip(Mood.allCases, entries))
        let mooded = try #require(try Self.carried(try JSONEncoder().encode(moods), place) as? Data)
        #expect(try JSONDecoder().decode([Mood: Entry].self, from: mooded) == moods)
        let listed = try #require(try Self.carried(try PropertyListEncoder().encode(moods), place, dates: "") as? Data)
        #expect(try PropertyListDecoder().decode([Mood: Entry].self, from: listed) == moods)
        let uuids = Dictionary(uniqueKeysWithValues: entries.map { (UUID(), $0) })
        let identified = try #require(try Self.carried(try JSONEncoder().encode(uuids), place) as? Data)
        #expect(try JSONDecoder().decode([UUID: Entry].self, from: identified) == uuids)
        let dates = Dictionary(uniqueKeysWithValues: entries.map { ($0.at, $0) })
        let dated = try #require(
            try Self.carried(
                try JSONEncoder().encode(dates),
                place,
                dates: "dates: { at: apple_seconds, key: apple_seconds }"
            ) as? Data
        )
        #expect(try JSONDecoder().decode([Date: Entry].self, from: dated) == dates)
        let numbers = Dictionary(uniqueKeysWithValues: zip([3, 7, 12], entries))
        let numbered = try #require(try Self.carried(try JSONEncoder().encode(numbers), "{ each_key: n }") as? Data)
        #expect(try JSONDecoder().decode([Int: Entry].self, from: numbered) == numbers)
    }

    @Test("a dictionary is not written where an array stands, nor the other way round")
    func otherForms() throws {
        let rows = try BatchText.read("key:text,n:integer\na,1")
        let cases = [
            (#"[{"n":1}]"#, "{ each_key: key }", "pairs: true"),
            (#"{"a":{"n":1}}"#, "{ each_key: key, pairs: true }", "pairs"),
        ]
        for (value, place, hint) in cases {
            for native in [false, true] {
                let json = Data(value.utf8)
                let stored: Any = native ? try JSONSerialization.jsonObject(with: json) : json
                let old = try PropertyListSerialization.data(
                    fromPropertyList: ["diary": stored],
                    format: .binary,
                    options: 0
                )
                let error = #expect(throws: DaybookError.self) {
                    _ = try DefaultsExportTests.exported(rows, "key: diary\ninto: old\nrecords: \(place)", into: old)
                }
                #expect(error?.code.rawValue == "cannot-replace" && error?.hint?.contains(hint) == true)
            }
        }
    }

    @Test("the app's own type holds for keys too")
    func model() throws {
        let swift = "enum Mood: String, Codable { case good, bad } struct Entry: Codable { let n: Int }"
        func refuses(_ mood: String, _ type: String, _ place: String) throws -> Bool {
            let model = "model: { swift: \"\(swift)\", type: \"\(type)\" }"
            let stage = try ExampleRunner.make(
                ExportUserDefaults.self,
                "path: o\nkey: k\nformat: json\nrecords: \(place)\n\(model)"
            )
            let batch = try BatchText.read("mood:text,n:integer\n\(mood),1")
            var findings = Findings()
            _ = stage.piece(of: batch, from: 0, reporting: &findings)
            return !findings.isEmpty
        }
        #expect(try !refuses("good", "[Mood: Entry]", "{ each_key: mood, pairs: true }"))
        #expect(try refuses("fine", "[Mood: Entry]", "{ each_key: mood, pairs: true }"))
        #expect(try !refuses("fine", "[String: Entry]", "{ each_key: mood }"))
        for (type, place) in [
            ("[Mood: Entry]", "{ each_key: mood }"), ("[String: Entry]", "{ each_key: mood, pairs: true }"),
            ("[Entry]", "{ each_key: mood }"), ("[String: Entry]", "/a"),
        ] {
            #expect(throws: (any Error).self) {
                _ = try refuses("good", type, place)
            }
        }
    }
}

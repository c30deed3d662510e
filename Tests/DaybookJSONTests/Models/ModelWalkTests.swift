import DaybookDates
import DaybookTestSupport
import Foundation
import Testing

@testable import DaybookJSON

/// A value of JSON that a test changes.
indirect enum JSONTree: Decodable {
    case null
    case flag(Bool)
    case whole(Int64)
    case number(Double)
    case text(String)
    case array([JSONTree])
    case object([String: JSONTree])

    init(from decoder: any Decoder) throws {
        let container = try decoder.singleValueContainer()
        if container.decodeNil() {
            self = .null
        } else if let flag = try? container.decode(Bool.self) {
            self = .flag(flag)
        } else if let whole = try? container.decode(Int64.self) {
            self = .whole(whole)
        } else if let number = try? container.decode(Double.self) {
            self = .number(number)
        } else if let text = try? container.decode(String.self) {
            self = .text(text)
        } else if let array = try? container.decode([JSONTree].self) {
            self = .array(array)
        } else {
            self = .object(try container.decode([String: JSONTree].self))
        }
    }

    var written: String {
        switch self {
        case .null: "null"
        case .flag(let flag): String(flag)
        case .whole(let whole): String(whole)
        case .number(let number): String(number)
        case .text(let text): Self.quoted(text)
        case .array(let all): "[" + all.map(\.written).joined(separator: ",") + "]"
        case .object(let all):
            "{"
                + all.sorted { $0.key < $1.key }.map { Self.quoted($0.key) + ":" + $0.value.written }.joined(
                    separator: ","
                ) + "}"
        }
    }

    private static func quoted(_ text: String) -> String {
        let bytes = Bytes()
        bytes.append(jsonString: text)
        return bytes.text(0..<bytes.count)
    }

    /// The value with one change at a random place.
    func changed(_ random: inout SeededGenerator) -> JSONTree {
        let isHere = Int.random(in: 0..<4, using: &random) == 0
        switch self {
        case .array(var all) where !isHere && !all.isEmpty:
            let index = all.indices.randomElement(using: &random)!
            if Int.random(in: 0..<8, using: &random) == 0 {
                all.remove(at: index)
            } else {
                all[index] = all[index].changed(&random)
            }
            return .array(all)
        case .object(var all) where !isHere && !all.isEmpty:
            let key = all.keys.sorted().randomElement(using: &random)!
            switch Int.random(in: 0..<6, using: &random) {
            case 0: all[key] = nil
            case 1:
                all[key + "_"] = all[key]
                all[key] = nil
            default: all[key] = all[key]?.changed(&random)
            }
            return .object(all)
        default: return replaced(&random)
        }
    }

    private func replaced(_ random: inout SeededGenerator) -> JSONTree {
        let others: [JSONTree] = [
            .null, .flag(true), .whole(3), .whole(-1), .whole(300), .number(1.5), .number(1e300), .text("x"), .text(""),
            .text("calm"), .text("mail"), .array([]), .object([:]), .text("2026-11-20T05:00:00Z"),
            .number(793_983_600.5),
            .object(["none": .object([:])]), .array([self]), .object(["a": self]), .number(1e20), .number(4e-50),
        ]
        switch (self, Int.random(in: 0..<3, using: &random)) {
        case (.whole(let whole), 0): return .number(Double(whole) + 0.5)
        case (.text(let text), 0): return .text("x" + text)
        case (.array(let all), 0): return all.first ?? .null
        default: return others.randomElement(using: &random)!
        }
    }
}

@Suite struct ModelWalkTests {
    static let source = #filePath.replacing("ModelWalkTests", with: "SampleModels")

    static func walk(_ type: String, _ dates: CodableDates) throws -> ModelWalk {
        let source = try SwiftSource(
            [UInt8](Data(contentsOf: URL(fileURLWithPath: source))),
            name: "SampleModels.swift"
        )
        return ModelWalk(try source.model(of: type), dates: dates)
    }

    static func fault(_ walk: ModelWalk, _ json: String) -> ModelWalk.Fault? {
        Array(json.utf8).withUnsafeBufferPointer { walk.fault(in: $0) }
    }

    private static func coders(_ dates: CodableDates) -> (JSONEncoder, JSONDecoder) {
        let (encoder, decoder) = (JSONEncoder(), JSONDecoder())
        switch dates {
        case .iso: (encoder.dateEncodingStrategy, decoder.dateDecodingStrategy) = (.iso8601, .iso8601)
        case .appleSeconds: break
        case .epochSeconds:
            (encoder.dateEncodingStrategy, decoder.dateDecodingStrategy) = (.secondsSince1970, .secondsSince1970)
        case .epochMillis:
            (encoder.dateEncodingStrategy, decoder.dateDecodingStrategy) = (
                .millisecondsSince1970, .millisecondsSince1970
            )
        }
        return (encoder, decoder)
    }

    /// 2,000 pairs in CI, where each of four strategies has 500.
    @Test(
        "what Foundation's decoder of the real types refuses is refused, and nothing else",
        arguments: CodableDates.allCases
    )
    func agrees(_ dates: CodableDates) throws {
        let walk = try Self.walk("[SampleDiary]", dates)
        let (encoder, decoder) = Self.coders(dates)
        var random = SeededGenerator(seed: UInt64(dates.rawValue.utf8.count))
        var refused = 0
        let rounds = TestSize.rounds(500, of: 25_000)
        for _ in 0..<rounds {
            let diaries = (0..<Int.random(in: 1...2, using: &random)).map { _ in SampleDiary.random(&random) }
            let data = try encoder.encode(diaries)
            let json = String(decoding: data, as: UTF8.self)
            if let fault = Self.fault(walk, json) {
                Issue.record("\(fault) in what Foundation has written: \(json)")
                return
            }
            let changed = try decoder.decode(JSONTree.self, from: data).changed(&random).written
            var error: (any Error)?
            do { _ = try decoder.decode([SampleDiary].self, from: Data(changed.utf8)) } catch let failed {
                error = failed
            }
            let fault = Self.fault(walk, changed)
            if (error == nil) != (fault == nil) {
                Issue.record("decoder: \(String(describing: error)), walk: \(String(describing: fault)) in \(changed)")
                return
            }
            if fault != nil { refused += 1 }
        }
        #expect(refused > rounds / 3 && refused < rounds)
    }

    @Test("dates of another strategy are refused at any depth", arguments: CodableDates.allCases)
    func otherStrategy(_ dates: CodableDates) throws {
        let walk = try Self.walk("[SampleDiary.Reminder]", dates)
        for other in CodableDates.allCases {
            let value = SampleDiary.Reminder.both(.never, .at(Date(timeIntervalSinceReferenceDate: 0), note: "x"))
            let json = String(decoding: try Self.coders(other).0.encode([value]), as: UTF8.self)
            let fault = Self.fault(walk, json)
            // Which instant a number counts from is not to be seen in it.
            #expect((fault == nil) == ((dates == .iso) == (other == .iso)), "\(dates) \(other)")
            if let fault { #expect(fault.pointer == "/0/both/_1/at/_0") }
        }
    }

    @Test(
        "the place of a fault is a pointer, and its message says what the model has",
        arguments: [
            (#"{"latitude":1}"#, "", "the key 'longitude' is missing, and in 'SampleDiary.Place' it is no optional"),
            (#"{"latitude":1,"longitude":null}"#, "/longitude", "this is null, and the model has Double"),
            (#"{"latitude":1,"longitude":"2"}"#, "/longitude", "this is text, and the model has Double"),
            (#"{"latitude":1,"longitude":1e999}"#, "/longitude", "1e999 is out of the range of Double"),
            (#"{"latitude":1,"longitude":2,"name":[]}"#, "/name", "this is an array, and the model has String"),
            (#"{"l\u0061titude":1,"longitude":2,"name":null,"other":[{}]}"#, nil, nil),
            ("[1]", "", "this is an array, and the model has SampleDiary.Place"),
            (#"{"latitude":1,"longitude":2"#, "", "the JSON text ends before its value does"),
        ] as [(String, String?, String?)]
    )
    func messages(_ json: String, _ pointer: String?, _ message: String?) throws {
        let fault = Self.fault(try Self.walk("SampleDiary.Place", .iso), json)
        #expect((fault?.pointer) == pointer)
        #expect(fault?.message == message)
    }

    @Test(
        "words, numbers and instants that a decoder does not know",
        arguments: [
            ("SampleDiary.Mood", #""clam""#, "'SampleDiary.Mood' has no 'clam'; did you mean 'calm'?"),
            ("SampleDiary.Level", "5", "'SampleDiary.Level' has no 5"),
            ("SampleDiary.Level", "127.0", nil),
            ("SampleDiary.Level", "70000", "70000 is out of the range of Int16"),
            ("[Int]", "[1.5]", "1.5 is no whole number, and the model has Int"),
            ("[UInt8]", "[256]", "256 is out of the range of UInt8"),
            ("[Int64]", "[9223372036854775808]", "9223372036854775808 is out of the range of Int64"),
            ("[Int64]", "[-9223372036854775808, 1e18]", nil),
            ("[UUID]", #"["8E544BEB"]"#, "'8E544BEB' is no UUID"),
            ("[URL]", #"[""]"#, "'' is no URL"),
            ("[Data]", #"["YQ"]"#, "'YQ' is not base64, as which Data is written"),
            ("Date", #""2026-11-20T05:00:00+09:00""#, nil),
            (
                "Date", #""2026-11-20T05:00:00.5Z""#,
                "'2026-11-20T05:00:00.5Z' is no instant as JSONDecoder's iso8601 reads it, such as 2026-11-20T05:00:00Z"
            ),
            ("Date", "793983600", "this is a number, and the model has Date, which 'dates: iso' writes as text"),
            (
                "[UUID: Int]", #"{"a":1}"#,
                "this is an object, and the model has [UUID: Int], which Swift writes as an array of keys and values in turn"
            ),
            ("[SampleDiary.Mood: Int]", #"["calm"]"#, "the last key has no value"),
            ("[SampleDiary.Channel: Int]", #"{"fax":1}"#, "this key is no SampleDiary.Channel"),
            ("[Int: Int]", #"{"1":1,"x":2}"#, "this key is no Int"),
            (
                "SampleDiary.Reminder", #"{"none":{},"every":{"days":1,"from":"2026-11-20T05:00:00Z"}}"#,
                "this names more than one case of 'SampleDiary.Reminder'"
            ),
            ("SampleDiary.Reminder", #"{"never":{}}"#, "this names no case of 'SampleDiary.Reminder'"),
        ] as [(String, String, String?)]
    )
    func values(_ type: String, _ json: String, _ message: String?) throws {
        #expect(Self.fault(try Self.walk(type, .iso), json)?.message == message)
    }

    @Test func `values that are nested without end are refused`() throws {
        let walk = try Self.walk("SampleDiary.Reminder", .iso)
        let depth = 400
        let json = String(repeating: #"{"both":{"_0":"#, count: depth) + "1" + String(repeating: "}}", count: depth)
        #expect(Self.fault(walk, json)?.message == "this is nested too deeply to be held against the model")
    }
}

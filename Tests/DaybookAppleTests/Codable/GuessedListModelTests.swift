import DaybookApple
import DaybookContracts
import DaybookJSON
import DaybookTestSupport
import Foundation
import Testing

/// Swift models that are guessed from the values of property lists, which tell dates, data, URLs and kinds of numbers.
@Suite struct GuessedListModelTests {
    private static func model(_ file: Data, key: String? = "todos") throws -> GuessedModel {
        let found = try SketchedRecords(defaults: ListTrial.bytes(file), ListTrial.source, key: key, at: RecordsPlace())
        return try GuessedModel(found.sketch, key: key, found.holder, isList: found.isList, about: [])
    }

    private struct Model: Codable {
        var at: Date?
        var link: URL
        var blob: Data
        var price: Decimal
        var share: Double
        var count: Int
        var createdAt: Double
        var log: [Date]
    }

    private static let models = [nil, Date(timeIntervalSinceReferenceDate: 0.5)].map {
        Model(
            at: $0,
            link: URL(string: "https://a.b")!,
            blob: Data([1, 2]),
            price: Decimal(string: "1.25")!,
            share: 2,
            count: 3,
            createdAt: 793_983_600,
            log: [Date(timeIntervalSinceReferenceDate: 9)]
        )
    }

    @Test("kinds are those of the list, and a number there is no date", arguments: [true, false])
    func kinds(_ isInData: Bool) throws {
        let value = try PropertyListEncoder().encode(Self.models)
        let plain = try PropertyListSerialization.propertyList(from: value, format: nil)
        let file = try PropertyListSerialization.data(
            fromPropertyList: ["todos": isInData ? value : plain],
            format: .binary,
            options: 0
        )
        let model = try Self.model(file)
        for line in [
            "at: Date?", "link: URL", "blob: Data", "price: Decimal", "share: Double", "count: Int", "log: [Date]",
        ] {
            #expect(model.source.contains("let \(line)\n"), "\(line) in \(model.source)")
        }
        #expect(model.source.contains("let createdAt: Double"))
        #expect(model.dates == nil)
        try Self.expectReturn(file, model)
        #expect(try Self.model(value, key: nil).type == "[Record]")
    }

    /// Takes the rows out and writes them back, as the model reads them.
    private static func expectReturn(_ file: Data, _ model: GuessedModel, _ note: String = "") throws {
        let rows = try InnerDateTests.rows(file, "key: todos")
        let dates = model.dates.map { ", dates: \($0.rawValue)" } ?? ""
        let source = String(decoding: try JSONEncoder().encode(model.source), as: UTF8.self)
        let reading = "model: { swift: \(source), type: \"\(model.type)\"\(dates) }"
        do {
            let written = try DefaultsExportTests.exported(rows, "key: todos\ninto: old\n" + reading, into: file)
            #expect(try Self.model(written).type == model.type)
        } catch { Issue.record("\(error)\n\(model.source)\n\(note)") }
    }

    @Test func `the records of random dumps go out and back, read by the printed model`() throws {
        for seed in TestSize.seeds(300, of: 3_000) {
            var random = RandomList(seed: seed)
            let records = random.records()
            let format: PropertyListSerialization.PropertyListFormat = seed % 2 == 0 ? .binary : .xml
            let file = try PropertyListSerialization.data(
                fromPropertyList: ["todos": records, "other": 1] as [String: Any],
                format: format,
                options: 0
            )
            let model: GuessedModel
            do { model = try Self.model(file) } catch let error as DaybookError where error.code == "no-model" {
                continue
            }
            try Self.expectReturn(file, model, "\(random.generator) \(records)")
        }
    }
}

/// Records of a property list, with one kind of value under each key.
private struct RandomList {
    private(set) var generator: SeededGenerator

    init(seed: UInt64) { generator = SeededGenerator(seed: seed) }

    private mutating func number(_ range: Range<Int>) -> Int { Int.random(in: range, using: &generator) }

    private indirect enum Plan {
        case scalar(Int)
        case array(Plan)
        case object([String: Plan])
    }

    private mutating func plan(_ depth: Int) -> Plan {
        switch number(0..<(depth > 2 ? 8 : 11)) {
        case 8: .array(plan(depth + 1))
        case 9, 10: .object(fields(depth + 1))
        case let kind: .scalar(kind)
        }
    }

    private mutating func fields(_ depth: Int) -> [String: Plan] {
        let keys = ["id", "title", "class", "due-date", "savedDate", "1st", "place", "items", "data", "날짜", "a\"b"]
        var fields: [String: Plan] = [:]
        for _ in 0..<number(1..<5) { fields[keys[number(0..<keys.count)]] = plan(depth) }
        return fields
    }

    mutating func records() -> [Any] {
        let plan = Plan.object(fields(0))
        return (0..<number(1..<12)).map { _ in value(plan) }
    }

    private mutating func value(_ plan: Plan) -> Any {
        switch plan {
        case .array(let inner): return (0..<number(0..<4)).map { _ in value(inner) }
        case .object(let fields):
            var object: [String: Any] = [:]
            for key in fields.keys.sorted() where number(0..<8) > 0 { object[key] = value(fields[key]!) }
            return object
        case .scalar(let kind):
            switch kind {
            case 0: return number(-5..<100)
            case 1: return Double(number(-50..<100)) / 4
            case 2: return ["home", "work", ""][number(0..<3)]
            case 3: return number(0..<2) == 0
            case 4: return UUID().uuidString
            case 5: return Date(timeIntervalSinceReferenceDate: Double(number(0..<1_800_000_000)) / 2)
            case 6: return Data([1, UInt8(number(0..<99))])
            default: return ["relative": "https://a.b/\(number(0..<9))"]
            }
        }
    }
}

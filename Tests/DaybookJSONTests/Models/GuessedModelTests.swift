import DaybookDates
import DaybookJSON
import DaybookTestSupport
import Foundation
import Testing

/// Swift models that are guessed from records.
@Suite struct GuessedModelTests {
    /// The model of the records in JSON text.
    static func model(_ json: String, key: String? = "todos", at records: String = "") throws -> GuessedModel {
        var place = RecordsPlace()
        if records == "keys" {
            place = RecordsPlace(suggested: .map([SuggestedOption("each_key", .text("key"))]))
        }
        let found = try SketchedRecords(Bytes(json), at: place, of: "in.json")
        return try GuessedModel(found.sketch, key: key, found.holder, isList: found.isList, about: [])
    }

    /// The first fault of JSON as the printed model reads it.
    static func fault(_ json: String, _ model: GuessedModel) throws -> ModelWalk.Fault? {
        let read = try SwiftSource(Array(model.source.utf8), name: "Model.swift").model(of: model.type)
        return ModelWalkTests.fault(ModelWalk(read, dates: model.dates ?? .appleSeconds), json)
    }

    /// The lines of the source behind the import.
    static func body(_ model: GuessedModel) -> String {
        String(model.source.split(separator: "import Foundation\n\n", maxSplits: 1).last ?? "")
    }

    @Test func `objects become structs, and what some records lack is optional`() throws {
        let json = """
            [{"id": 1, "title": "milk", "place": {"lat": 1.5, "lon": 2}, "tags": ["a"], "savedDate": 793983600.5},
             {"id": 2, "title": null, "tags": [], "steps": [{"name": "x"}, {"name": "y", "data": {"a": [null, 1]}}],
              "savedDate": 793983600}]
            """
        let model = try Self.model(json)
        #expect(
            Self.body(model) == """
                struct Todo: Codable {
                    let id: Int
                    let title: String?
                    let place: Place?
                    let tags: [String]
                    let savedDate: Date
                    let steps: [Step]?

                    struct Place: Codable {
                        let lat: Double
                        let lon: Int
                    }

                    struct Step: Codable {
                        let name: String
                        let data: DataRecord?

                        struct DataRecord: Codable {
                            let a: [Int?]
                        }
                    }
                }

                """
        )
        #expect(model.type == "[Todo]" && model.dates == .appleSeconds)
        #expect(try Self.fault(json, model) == nil)
        // The model is no laxer than the records.
        #expect(try Self.fault(json.replacing("\"id\": 2, ", with: ""), model)?.missing == "id")
        #expect(try Self.fault(json.replacing("793983600}", with: "\"x\"}"), model) != nil)
    }

    @Test func `odd keys have names, and what has no type is told`() throws {
        let json = """
            [{"class": 1, "due-date": "x", "1st": 2, "self": 3, "a\\"b": 4, "c\\\\(d)": 5, "tab\\nkey": 6, "": 7,
              "misc": 1, "none": null, "empty": [], "object": {}, "huge": 1e999},
             {"class": 1, "due-date": "x", "1st": 2, "self": 3, "a\\"b": 4, "c\\\\(d)": 5, "": 7, "misc": "x"}]
            """
        let model = try Self.model(json)
        #expect(
            Self.body(model) == ##"""
                struct Todo: Codable {
                    let `class`: Int
                    let dueDate: String
                    let _1st: Int
                    let selfValue: Int
                    let aB: Int
                    let cD: Int
                    // 'tab␊key' is left out: no plain string of Swift is its key
                    let field: Int
                    // 'misc' is left out: of several kinds: text and a whole number
                    // 'none' is left out: null wherever it stands
                    // 'empty' is left out: an empty array in all records
                    // 'object' is left out: an object without keys in all records
                    // 'huge' is left out: a value that no type holds, or one too deep or of too many keys

                    enum CodingKeys: String, CodingKey {
                        case `class`
                        case dueDate = "due-date"
                        case _1st = "1st"
                        case selfValue = "self"
                        case aB = #"a"b"#
                        case cD = #"c\(d)"#
                        case field = ""
                    }
                }

                """##
        )
        #expect(model.source.contains("A decoder steps over keys that its type does not name"))
        #expect(try Self.fault(json, model) == nil)
        #expect(try Self.fault(json.replacing("\"1st\": 2, ", with: ""), model)?.missing == "1st")
    }

    @Test func `dates are read as most of them are written`() throws {
        let cases: [(String, CodableDates?)] = [
            ("793983600.25", .appleSeconds), ("1772323200", .epochSeconds), ("1772323200000", .epochMillis),
            ("\"2026-11-20T05:00:00Z\"", .iso), ("17", nil), ("\"2026-11-20\"", nil),
            ("\"2026-11-20T05:00:00.5Z\"", nil),
        ]
        for (value, dates) in cases {
            let json = "[{\"savedDate\": \(value), \"log\": [{\"createdAt\": \(value), \"count\": \(value)}]}]"
            let model = try Self.model(json)
            #expect(model.dates == dates, "\(value)")
            #expect(model.source.contains("let savedDate: Date") == (dates != nil), "\(model.source)")
            #expect(model.source.contains("let createdAt: Date") == (dates != nil), "\(model.source)")
            #expect(!model.source.contains("count: Date"))
            #expect(try Self.fault(json, model) == nil)
        }
        // A decoder has one strategy; dates written otherwise are named in a comment.
        let both = try Self.model("[{\"aDate\": 793983600, \"bDate\": 793983601, \"cDate\": \"2026-11-20T05:00:00Z\"}]")
        #expect(both.dates == .appleSeconds)
        #expect(both.source.contains("let cDate: String  // a date? as iso"))
    }

    @Test func `few words are perhaps an enumeration, and none is invented`() throws {
        func json(_ words: [String], _ count: Int) -> String {
            "[\((0..<count).map { "{\"list\": \"\(words[$0 % words.count])\"}" }.joined(separator: ","))]"
        }
        let hint = "let list: String  // an enum? home, work\n"
        #expect(try Self.model(json(["work", "home"], 20)).source.contains(hint))
        #expect(try !Self.model(json(["work", "home"], 19)).source.contains("enum"))
        #expect(try !Self.model(json(["work"], 20)).source.contains("enum"))
        #expect(try !Self.model(json((0..<9).map { "w\($0)" }, 40)).source.contains("enum"))
    }

    @Test func `what holds the records is in the type`() throws {
        #expect(try Self.model("{\"a\": 1}", key: "settings").type == "Setting")
        #expect(try Self.model("{\"a\": 1}\n{\"a\": 2}", key: nil).type == "[Record]")
        #expect(try Self.model("[\"a\", \"b\"]").source.contains("typealias Records = [String]"))
        #expect(try Self.model("{\"x\": {\"a\": 1}, \"y\": {\"a\": 2}}", at: "keys").type == "[String: Todo]")
        let ids = (0..<2).map { _ in "\"\(UUID())\", {\"a\": 1}" }.joined(separator: ",")
        #expect(try Self.model("[\(ids)]", at: "keys").type == "[UUID: Todo]")
        let words = "[\"home\", {\"a\": 1}, \"at work\", {\"a\": 2}]"
        let model = try Self.model(words, at: "keys")
        #expect(model.type == "[Key: Todo]" && model.source.contains("case atWork = \"at work\""))
        #expect(try Self.fault(words, model) == nil)
        #expect(throws: DaybookError.self) { try Self.model("[1, \"x\"]") }
        #expect(throws: DaybookError.self) { try Self.model("[{\"a\": 1},]") }
        #expect(throws: DaybookError.self) { try Self.model("[]") }
    }

    @Test func `objects with keys like days or with very many are dictionaries`() throws {
        let days = "[{\"log\": {\"2026-01-01\": {\"n\": 1}, \"2026-01-02\": {\"n\": 2, \"x\": true}}}]"
        let model = try Self.model(days)
        #expect(model.source.contains("let log: [String: Log]") && model.source.contains("let x: Bool?"))
        #expect(try Self.fault(days, model) == nil)
        let many =
            "[{\"of\": {\((0..<500).map { "\"k\($0)\": \($0 % 3 == 0 ? "1.5" : "\($0)")" }.joined(separator: ","))}}]"
        #expect(try Self.model(many).source.contains("let of: [String: Double]"))
        #expect(try Self.fault(many, try Self.model(many)) == nil)
    }

    @Test("the printed model accepts every record of random dumps", arguments: CodableDates.allCases)
    func acceptsAll(_ dates: CodableDates) throws {
        for seed in TestSize.seeds(300, of: 3_000) {
            var random = RandomRecords(dates, seed: seed)
            let json = random.records()
            let model: GuessedModel
            do { model = try Self.model(json) } catch let error as DaybookError where error.code == "no-model" {
                continue
            }
            #expect(try Self.fault(json, model) == nil, "\(random.generator) \(dates)\n\(json)\n\(model.source)")
        }
    }
}

/// JSON records with a few kinds of values under each key, mostly the same.
struct RandomRecords {
    private(set) var generator: SeededGenerator
    private let dates: CodableDates
    private static let keys = [
        "id", "title", "class", "due-date", "savedDate", "createdAt", "1st", "self", "Type", "place", "items", "data",
        "",
        "날짜", "a\"b", "x\\y", "Record", "item", "date", "2026-01-01", "2026-01-02", "e\u{301}", "\u{e9}", "tab\tkey",
        "nl\nkey",
        "CodingKeys", "Todo", "Int", "String",
    ]

    init(_ dates: CodableDates, seed: UInt64) { (self.dates, generator) = (dates, SeededGenerator(seed: seed)) }

    private mutating func number(_ range: Range<Int>) -> Int { Int.random(in: range, using: &generator) }
    private mutating func isRare() -> Bool { number(0..<12) == 0 }

    /// The kinds of values under the keys of an object.
    private indirect enum Plan {
        case scalar(Int)
        case array(Plan)
        case object([(key: String, plan: Plan)])
    }

    private mutating func plan(_ depth: Int) -> Plan {
        switch number(0..<(depth > 3 ? 9 : 12)) {
        case 9: return .array(plan(depth + 1))
        case 10, 11: return .object(fields(depth + 1))
        case let kind: return .scalar(kind)
        }
    }

    private mutating func fields(_ depth: Int) -> [(key: String, plan: Plan)] {
        var fields: [(key: String, plan: Plan)] = []
        for _ in 0..<number(0..<6) {
            let key = Self.keys.randomElement(using: &generator)!
            guard !fields.contains(where: { $0.key.utf8.elementsEqual(key.utf8) }) else { continue }
            fields.append((key, plan(depth)))
        }
        return fields
    }

    mutating func records() -> String {
        let plan = isRare() ? plan(0) : .object(fields(0))
        let count = number(1..<30)
        return "[" + (0..<count).map { _ in json(plan) }.joined(separator: ", ") + "]"
    }

    private mutating func json(_ plan: Plan) -> String {
        if isRare(), isRare() { return scalar(number(0..<9)) }
        if isRare() { return "null" }
        switch plan {
        case .scalar(let kind): return scalar(kind)
        case .array(let inner): return "[" + (0..<number(0..<4)).map { _ in json(inner) }.joined(separator: ",") + "]"
        case .object(let fields):
            let members = fields.compactMap { key, plan in isRare() ? nil : "\(Self.quoted(key)): \(json(plan))" }
            return "{" + members.joined(separator: ",") + "}"
        }
    }

    private mutating func scalar(_ kind: Int) -> String {
        let seconds = number(200_000_000..<900_000_000)
        switch kind {
        case 0: return String(number(-5..<100))
        case 1: return isRare() ? "18446744073709551615" : String(Double(number(-50..<100)) / 4)
        case 2: return Self.quoted(["home", "work", "", "a\u{2028}b"].randomElement(using: &generator)!)
        case 3: return "true"
        case 4: return Self.quoted(UUID().uuidString)
        case 5, 6:
            switch dates {
            case .appleSeconds: return String(seconds)
            case .epochSeconds: return String(seconds + 978_307_200)
            case .epochMillis: return String((seconds + 978_307_200) * 1_000 + 5)
            case .iso: return "\"20\(number(10..<30))-11-20T05:00:00\(isRare() ? "+09:00" : "Z")\""
            }
        case 7: return "\"https://a.b/\(number(0..<9))\""
        default: return isRare() ? "1e999" : "12345678901234567890123"
        }
    }

    private static func quoted(_ text: String) -> String {
        let bytes = Bytes()
        bytes.append(jsonString: text)
        return bytes.text(0..<bytes.count)
    }
}

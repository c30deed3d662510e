import DaybookTestSupport
import Foundation

/// A value of an app's record, encoded by Foundation as a property of its kind is.
indirect enum AppValue: Encodable, Sendable {
    case null
    case flag(Bool)
    case whole(Int64)
    case real(Double)
    case decimal(Decimal)
    case text(String)
    case uuid(UUID)
    case url(URL)
    case date(Date)
    case data(Data)
    case list([AppValue])
    /// Also what Swift makes of cases with associated values.
    case object([(key: String, value: AppValue)])

    private struct Key: CodingKey {
        let stringValue: String
        var intValue: Int? { nil }
        init(stringValue: String) { self.stringValue = stringValue }
        init?(intValue: Int) { nil }
    }

    func encode(to encoder: any Encoder) throws {
        switch self {
        case .list(let values):
            var container = encoder.unkeyedContainer()
            for value in values { try container.encode(value) }
            return
        case .object(let fields):
            var container = encoder.container(keyedBy: Key.self)
            for (key, value) in fields { try container.encode(value, forKey: Key(stringValue: key)) }
            return
        default: break
        }
        var container = encoder.singleValueContainer()
        switch self {
        case .null, .list, .object: try container.encodeNil()
        case .flag(let value): try container.encode(value)
        case .whole(let value): try container.encode(value)
        case .real(let value): try container.encode(value)
        case .decimal(let value): try container.encode(value)
        case .text(let value): try container.encode(value)
        case .uuid(let value): try container.encode(value)
        case .url(let value): try container.encode(value)
        case .date(let value): try container.encode(value)
        case .data(let value): try container.encode(value)
        }
    }
}

/// Records of one random type.
struct RandomRecords {
    /// How a property may be absent.
    private enum Absence: CaseIterable, Sendable { case never, missing, null }

    private indirect enum Kind: Sendable {
        case flag, small, whole, real, decimal, text, word, words, uuid, url, date, day, data
        case list(Kind)
        case record([Field])
        case cases([(name: String, value: Kind?)])
    }

    private struct Field: Sendable {
        var key: String
        var kind: Kind
        var absence: Absence
    }

    private(set) var random: SeededGenerator
    /// Property lists have no null.
    let hasNull: Bool
    /// XML of a property list has no parts of seconds.
    var hasWholeSeconds = false
    private var fields: [Field] = []

    /// - Parameter isPlain: whether fields that every record has come first.
    init(seed: UInt64, hasNull: Bool, isPlain: Bool) {
        (random, self.hasNull) = (SeededGenerator(seed: seed), hasNull)
        fields = record(depth: 0)
        guard isPlain else { return }
        let known = Set(RandomRecords.plain.map(\.key))
        fields = RandomRecords.plain + fields.filter { !known.contains($0.key) }
    }

    private static let plain = [
        Field(key: "title", kind: .text, absence: .never),
        Field(key: "savedDate", kind: .day, absence: .never),
        Field(key: "kind", kind: .word, absence: .never),
        Field(key: "tags", kind: .words, absence: .never),
    ]

    mutating func number(_ range: Range<Int>) -> Int { Int.random(in: range, using: &random) }
    mutating func any<Element>(of all: [Element]) -> Element { all[number(0..<all.count)] }

    mutating func records(_ count: Int) -> [AppValue] { (0..<count).map { _ in value(.record(fields)) } }

    // MARK: - The type

    private static let keys = [
        "id", "title", "isDone", "class", "due_date", "savedDate", "createdAt", "1st", "place", "items", "data", "link",
        "날짜", "a\"b", "price", "tags", "log", "note", "State", "x.y", "kind", "self", "Type", "", "a/b", "e\u{301}",
    ]

    private mutating func record(depth: Int) -> [Field] {
        var keys = RandomRecords.keys
        return (0..<number(1..<7)).map { _ in
            Field(key: keys.remove(at: number(0..<keys.count)), kind: kind(depth), absence: any(of: Absence.allCases))
        }
    }

    private mutating func kind(_ depth: Int) -> Kind {
        let flat: [Kind] = [.flag, .small, .whole, .real, .decimal, .text, .word, .uuid, .url, .date, .date, .data]
        guard depth < 3 else { return any(of: flat) }
        switch number(0..<18) {
        case 0..<12: return any(of: flat)
        case 12, 13: return .list(kind(depth + 1))
        case 14: return .list(any(of: [.date, .list(.whole), .uuid]))
        case 15, 16: return .record(record(depth: depth + 1))
        default: return .cases([("plain", nil), ("counted", kind(depth + 1)), ("named", .text)])
        }
    }

    // MARK: - Its values

    private mutating func value(_ kind: Kind) -> AppValue {
        switch kind {
        case .flag: return .flag(number(0..<2) == 0)
        case .small: return .whole(Int64(number(-5..<500)))
        case .whole: return .whole(any(of: [.max, .min, 0, -1, 1 << 53 + 1, Int64(number(0..<1_000_000))]))
        case .real: return .real(real())
        case .decimal: return .decimal(Decimal(number(-99_999_999..<99_999_999)) / any(of: [1, 10, 1_000, 1_000_000]))
        case .text:
            return .text(any(of: ["", "milk", "say \"hi\"\\/", "행복해 👩‍👧", "line\nbreak\u{1}", "null", "12", "[1]"]))
        case .word: return .text(any(of: ["home", "work"]))
        case .words: return .list([.text("home"), .text(any(of: ["home", "work"]))])
        case .uuid: return .uuid(uuid())
        case .url: return .url(URL(string: "https://a.b/\(number(0..<99))?q=1&r=%20")!)
        case .date: return .date(date())
        case .day: return .date(Date(timeIntervalSinceReferenceDate: Double(number(700_000_000..<800_000_000))))
        case .data: return .data(Data((0..<number(0..<6)).map { _ in UInt8(number(0..<256)) }))
        case .list(let inner): return .list((0..<number(0..<4)).map { _ in value(inner) })
        case .record(let fields):
            var object: [(key: String, value: AppValue)] = []
            for field in fields {
                guard field.absence == .never || number(0..<3) > 0 else {
                    if field.absence == .null, hasNull { object.append((field.key, .null)) }
                    continue
                }
                object.append((field.key, value(field.kind)))
            }
            return .object(object)
        case .cases(let cases):
            let chosen = any(of: cases)
            let inner = chosen.value.map { [("_0", value($0))] } ?? []
            return .object([(chosen.name, .object(inner))])
        }
    }

    private mutating func real() -> Double {
        let edges = [
            0, -0.0, 1, 0.1, .leastNonzeroMagnitude, .greatestFiniteMagnitude, 1e16, -2.5e-7, 1e22,
            123_456_789.123_456_78,
        ]
        return number(0..<2) == 0 ? any(of: edges) : Double.random(in: -1000...1000, using: &random)
    }

    private mutating func date() -> Date {
        let seconds = Double(number(-100_000_000..<900_000_000))
        return Date(
            timeIntervalSinceReferenceDate: hasWholeSeconds || number(0..<2) == 0
                ? seconds : seconds + Double.random(in: 0..<1, using: &random)
        )
    }

    private mutating func uuid() -> UUID {
        let bytes = (0..<16).map { _ in UInt8(number(0..<256)) }
        return NSUUID(uuidBytes: bytes) as UUID
    }

    /// As many keys of a dictionary, no two of which are equal.
    mutating func dictionaryKeys(_ count: Int) -> [AppValue] {
        switch number(0..<3) {
        case 0: return ["home", "work", "away", "day off", "밖"].prefix(count).map { .text($0) }
        case 1: return (0..<count).map { _ in .uuid(uuid()) }
        default:
            return (0..<count).map { .date(Date(timeIntervalSinceReferenceDate: Double($0) * 86_400 + 700_000_000)) }
        }
    }
}

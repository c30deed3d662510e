import Foundation

/// Writes values as JSON that people can read and that is the same at every run: indented, with sorted keys.
public enum JSONDocument {
    /// The JSON of `value` with a line break at its end.
    public static func bytes(of value: some Encodable) -> Bytes { Bytes(text(of: value)) }

    /// The JSON of `value` with a line break at its end.
    public static func text(of value: some Encodable) -> String {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.prettyPrinted, .sortedKeys, .withoutEscapingSlashes]
        encoder.nonConformingFloatEncodingStrategy = .convertToString(
            positiveInfinity: "Infinity",
            negativeInfinity: "-Infinity",
            nan: "NaN"
        )
        do {
            return String(decoding: try encoder.encode(value), as: UTF8.self) + "\n"
        } catch {
            preconditionFailure("a document of texts, numbers, lists and maps can always be encoded: \(error)")
        }
    }
}

/// A JSON value that is put together piece by piece, where its shape is not known beforehand.
public indirect enum JSONValue: Encodable, Sendable, Hashable, ExpressibleByStringLiteral, ExpressibleByBooleanLiteral,
    ExpressibleByIntegerLiteral, ExpressibleByArrayLiteral, ExpressibleByDictionaryLiteral
{
    case null
    case flag(Bool)
    case number(Int)
    case decimal(Double)
    case text(String)
    case list([JSONValue])
    case map([String: JSONValue])

    public init(stringLiteral value: String) { self = .text(value) }
    public init(booleanLiteral value: Bool) { self = .flag(value) }
    public init(integerLiteral value: Int) { self = .number(value) }
    public init(arrayLiteral elements: JSONValue...) { self = .list(elements) }
    public init(dictionaryLiteral elements: (String, JSONValue)...) {
        self = .map(Dictionary(elements) { _, last in last })
    }

    /// A text, or null.
    public init(_ text: String?) { self = text.map(JSONValue.text) ?? .null }

    /// A number, or null.
    public init(_ number: Int?) { self = number.map(JSONValue.number) ?? .null }

    /// A map that leaves out the keys of nulls.
    public init(withoutNulls map: [String: JSONValue]) { self = .map(map.filter { $0.value != .null }) }

    public func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        switch self {
        case .null: try container.encodeNil()
        case .flag(let flag): try container.encode(flag)
        case .number(let number): try container.encode(number)
        case .decimal(let number): try container.encode(number)
        case .text(let text): try container.encode(text)
        case .list(let list): try container.encode(list)
        case .map(let map): try container.encode(map)
        }
    }
}

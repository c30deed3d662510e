import DaybookExpressions

/// A JSON Schema of values, ready to hold them against it.
///
/// Keywords of draft 2020-12, and `definitions`, `dependencies`, lists under `items` and `additionalItems` of earlier drafts
/// (https://json-schema.org/draft/2020-12). Annotations and unknown keywords ask nothing. What would ask something that is not judged
/// here is refused, as the schema would let values pass that it forbids: other documents, `$dynamicRef`, and `unevaluated…`.
final class JSONSchema: Sendable {
    /// One thing that a schema asks of a value. Schemas stand in `nodes`, and are named by their places there.
    enum Assertion: Sendable {
        /// `false`.
        case nothing
        case types(JSONTypes)
        /// `enum` and `const`, in canonical form.
        case among(Set<[UInt8]>, words: String)
        /// `minimum` and `exclusiveMinimum`.
        case least(JSONNumber, isExclusive: Bool)
        case most(JSONNumber, isExclusive: Bool)
        case multiple(of: JSONNumber)
        /// Unicode scalars of a string.
        case length(ClosedRange<Int>)
        case pattern(RegularExpression)
        case format(JSONSchemaFormat)
        case elements(ClosedRange<Int>)
        case items(prefix: [Int], rest: Int?)
        case unique
        case contains(Int, ClosedRange<Int>)
        case members(ClosedRange<Int>)
        case properties([(name: [UInt8], schema: Int)], patterns: [(RegularExpression, Int)], rest: Int?)
        case names(Int)
        /// At most 64 keys that have to be there, behind a key or always.
        case present([[UInt8]], ifPresent: [UInt8]?)
        /// `dependentSchemas`.
        case dependent([UInt8], Int)
        case all([Int])
        case any([Int])
        case one([Int])
        case not(Int)
        case condition(Int, then: Int?, otherwise: Int?)
    }

    /// What each schema of the document asks; the first one is the whole.
    let nodes: [[Assertion]]
    /// Keywords and formats that are not judged, with their places.
    let unjudged: [(words: String, place: SourcePlace)]

    private init(_ nodes: [[Assertion]], _ unjudged: [(words: String, place: SourcePlace)]) {
        (self.nodes, self.unjudged) = (nodes, unjudged)
    }

    /// What asks nothing.
    static let anything = JSONSchema([[]], [])

    convenience init(_ root: OptionNode) throws(DaybookError) {
        var builder = JSONSchemaBuilder(root)
        _ = try builder.schema(at: root)
        try builder.refuseCircles()
        self.init(builder.nodes, builder.unjudged)
    }
}

/// Equal only if identical.
extension JSONSchema: Hashable {
    static func == (one: JSONSchema, other: JSONSchema) -> Bool { one === other }
    func hash(into hasher: inout Hasher) { hasher.combine(ObjectIdentifier(self)) }
}

/// The types that JSON Schema knows. A whole number is a number too.
struct JSONTypes: OptionSet, Sendable {
    let rawValue: UInt8

    static let null = JSONTypes(rawValue: 1)
    static let boolean = JSONTypes(rawValue: 2)
    static let object = JSONTypes(rawValue: 4)
    static let array = JSONTypes(rawValue: 8)
    static let string = JSONTypes(rawValue: 16)
    static let number = JSONTypes(rawValue: 32)
    /// A number without a fraction.
    static let integer = JSONTypes(rawValue: 64)

    static let named: [(name: String, type: JSONTypes, words: String)] = [
        ("null", .null, "null"), ("boolean", .boolean, "true or false"), ("object", .object, "an object"),
        ("array", .array, "an array"), ("string", .string, "a string"), ("number", .number, "a number"),
        ("integer", .integer, "a whole number"),
    ]

    var displayText: String {
        DisplayText.list(JSONTypes.named.filter { contains($0.type) }.map(\.words), "or")
    }
}

/// The formats of strings that are judged; others ask nothing, as JSON Schema has it.
enum JSONSchemaFormat: String, Sendable {
    case date
    case instant = "date-time"
    case email, uuid, ipv4, uri

    var displayText: String {
        switch self {
        case .date: "a day such as 2026-11-21"
        case .instant: "an instant such as 2026-11-21T05:00:00Z"
        case .email: WrittenFormat.email.displayText
        case .uuid: WrittenFormat.uuid.displayText
        case .ipv4: WrittenFormat.ipv4.displayText
        case .uri: WrittenFormat.url.displayText
        }
    }
}

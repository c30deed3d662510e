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
        /// `minimum`, `maximum`, and the same with `exclusive` before them.
        case bound(JSONNumber, isLeast: Bool, isExclusive: Bool)
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

/// A number of JSON, exact whatever its digits: 0.DIGITS times a power of ten.
struct JSONNumber: Sendable {
    let isNegative: Bool
    /// Without zeros at either end; empty for 0.
    let digits: [UInt8]
    let exponent: Int
    /// As a schema writes it, for messages.
    let written: String

    /// A number as JSON spells it.
    init(_ cell: Cell, written: String = "") {
        var (digits, place, point, power): ([UInt8], Int, Int?, Int) = ([], 0, nil, 0)
        isNegative = cell.first == UInt8(ascii: "-")
        if isNegative { place = 1 }
        while place < cell.count {
            switch cell[place] {
            case UInt8(ascii: "."): point = digits.count
            case 48...57: digits.append(cell[place] - 48)
            default:
                let isSmall = cell[place + 1] == UInt8(ascii: "-")
                // More digits of an exponent make no other verdict.
                power = cell[(place + 1)...].reduce(0) { $1 &- 48 <= 9 ? min($0 * 10 + Int($1 - 48), 1 << 40) : $0 }
                if isSmall { power = -power }
                place = cell.count
            }
            place += 1
        }
        let leading = digits.prefix { $0 == 0 }.count
        let whole = point ?? digits.count
        digits.removeFirst(leading)
        while digits.last == 0 { digits.removeLast() }
        exponent = digits.isEmpty ? 0 : whole - leading + power
        self.digits = digits
        self.written = written
    }

    init(_ node: OptionNode) throws(DaybookError) {
        let bytes = Bytes(node.plainText ?? "")
        defer { withExtendedLifetime(bytes) {} }
        var cursor = JSONCursor(bytes.base, to: bytes.count)
        guard let text = node.plainText, bytes.filled.first?.isJSONNumber == true, cursor.scalar(), cursor.finish()
        else {
            let isQuoted = node.plainText == nil && node.text.flatMap(Double.init) != nil
            throw node.expected("a number", hint: isQuoted ? "leave the quotes out" : nil)
        }
        self.init(bytes.filled, written: text)
    }

    var isWhole: Bool { exponent >= digits.count }

    /// Nil for other numbers than whole ones from 0 on with few digits.
    var count: Int? {
        guard isWhole, !isNegative || digits.isEmpty, exponent < 16 else { return nil }
        return (0..<exponent).reduce(0) { $0 * 10 + ($1 < digits.count ? Int(digits[$1]) : 0) }
    }

    func isLess(than other: JSONNumber) -> Bool {
        let (sign, others) = (self.sign, other.sign)
        guard sign == others, sign != 0 else { return sign < others }
        return sign > 0 ? isNearer(to: other) : other.isNearer(to: self)
    }

    private var sign: Int { digits.isEmpty ? 0 : isNegative ? -1 : 1 }

    /// Whether it is nearer to 0.
    private func isNearer(to other: JSONNumber) -> Bool {
        exponent == other.exponent ? digits.lexicographicallyPrecedes(other.digits) : exponent < other.exponent
    }

    /// Whether it is a whole multiple of a step of at most 18 digits.
    func isMultiple(of step: JSONNumber) -> Bool {
        if digits.isEmpty { return true }
        // The places of the last digits: no multiple has a finer one than the step.
        let zeros = (exponent - digits.count) - (step.exponent - step.digits.count)
        guard zeros >= 0 else { return false }
        let unit = step.digits.reduce(0 as UInt128) { $0 * 10 + UInt128($1) }
        let rest = digits.reduce(0 as UInt128) { ($0 * 10 + UInt128($1)) % unit }
        var (power, base, left) = (1 % unit, 10 % unit, zeros)
        while left > 0 {
            if left & 1 == 1 { power = power * base % unit }
            base = base * base % unit
            left >>= 1
        }
        return rest * power % unit == 0
    }

    /// The same bytes for equal numbers.
    var canonical: [UInt8] {
        let sign = digits.isEmpty ? UInt8(ascii: "0") : isNegative ? UInt8(ascii: "-") : UInt8(ascii: "+")
        return [sign] + exponent.littleEndianBytes + digits.count.littleEndianBytes + digits
    }
}

extension Int {
    /// The eight bytes of the number, the lowest first.
    var littleEndianBytes: [UInt8] { (0..<8).map { UInt8(truncatingIfNeeded: self >> (8 * $0)) } }
}

/// A type as Swift source writes it.
indirect enum SwiftWrittenType: Sendable {
    /// `Outer.Inner<Argument>`, and the byte at which it stands.
    case name([String], [SwiftWrittenType], at: Int)
    case optional(SwiftWrittenType)
    case array(SwiftWrittenType)
    case dictionary(SwiftWrittenType, SwiftWrittenType)
    /// The type of `Priority.low`, where it is a value of the type before the point.
    case value([String], of: String, at: Int)
    /// A type that no model may have: what it is, in words.
    case other(String, at: Int)
}

/// A stored property of a type.
struct SwiftProperty: Sendable {
    var name: String
    var at: Int
    /// Nil if neither an annotation nor the initial value tells it.
    var type: SwiftWrittenType?
    /// Whether it is a `let` with an initial value, which no decoder sets.
    var isFixed: Bool
    /// Why it cannot be read as it stands, and what to do.
    var fault: SwiftFault?
}

/// A case of an enumeration.
struct SwiftCase: Sendable {
    struct Value: Sendable {
        /// Nil where it has none.
        var label: String?
        var type: SwiftWrittenType
        var hasDefault: Bool
    }

    enum Raw: Sendable {
        case text(String)
        case number(Int)
        case other
    }

    var name: String
    var at: Int
    var raw: Raw?
    /// Nil without parentheses.
    var values: [Value]?
    var isConditional: Bool
}

/// What is wrong at a byte of the source, and what to do about it.
struct SwiftFault: Sendable {
    var message: String
    var hint: String
    var at: Int
}

/// A type, an extension or a protocol of Swift source, with the parts that decide how it is coded.
struct SwiftDeclaration: Sendable {
    enum Keyword: String, Sendable { case `struct`, `class`, `enum`, `protocol`, `actor`, `extension` }

    var keyword: Keyword
    /// `["Outer", "Inner"]`.
    var path: [String]
    var at: Int
    var isGeneric = false
    /// The types and protocols behind the colon.
    var inherited: [(name: String, at: Int)] = []
    var properties: [SwiftProperty] = []
    var cases: [SwiftCase] = []
    /// Why the type cannot be read: an attribute that changes it, a hand-written coding.
    var fault: SwiftFault?

    var name: String { path.joined(separator: ".") }
}

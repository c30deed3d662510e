/// A Swift type with all types that it holds, as the Codable that Swift makes for them reads JSON.
package struct SwiftModel: Sendable {
    /// A type as JSON writes its values.
    package indirect enum Shape: Sendable, Hashable {
        case text, flag, date, url, uuid, data, decimal, double, float
        case integer(isSigned: Bool, bits: Int)
        case optional(Shape)
        /// Also a set.
        case array(Shape)
        case dictionary(Shape, Shape)
        /// The number of a type of the model.
        case type(Int)
    }

    /// A stored property, or a value of a case.
    package struct Field: Sendable {
        package var key: String
        package var shape: Shape
        /// The byte of the source at which it is declared.
        package var at = 0
    }

    /// A case with its values.
    package struct Case: Sendable {
        package var key: String
        package var fields: [Field]
    }

    package enum Form: Sendable {
        case record([Field])
        /// The raw values of an enumeration.
        case words([String])
        case numbers(Shape, [Int])
        /// An enumeration without raw values: `{"case":{"label":value}}`.
        case cases([Case])
    }

    /// A type that the source declares.
    package struct Declared: Sendable {
        package var name: String
        package var form: Form
        /// Whether it is a key of objects, rather than every other element of an array.
        package var isKey: Bool
        /// Properties that are written and never read: a `let` with an initial value.
        package var fixed: [String] = []
    }

    package var root: Shape
    package var types: [Declared]

    /// A shape as Swift writes it.
    package func name(_ shape: Shape) -> String {
        switch shape {
        case .text: "String"
        case .flag: "Bool"
        case .date: "Date"
        case .url: "URL"
        case .uuid: "UUID"
        case .data: "Data"
        case .decimal: "Decimal"
        case .double: "Double"
        case .float: "Float"
        case .integer(let isSigned, let bits): (isSigned ? "Int" : "UInt") + (bits == 0 ? "" : "\(bits)")
        case .optional(let inner): name(inner) + "?"
        case .array(let inner): "[\(name(inner))]"
        case .dictionary(let key, let value): "[\(name(key)): \(name(value))]"
        case .type(let number): types[number].name
        }
    }
}

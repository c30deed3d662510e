/// One function of the expression language: help, test and kernel at once.
public struct ExpressionFunction: Sendable {
    /// A parameter of a function.
    public struct Parameter: Sendable {
        /// The kinds of value that a parameter accepts.
        public enum Kinds: Sendable, Hashable {
            case one(ColumnKind)
            /// A regular expression, as a text in quotes; the kernel receives it compiled.
            case pattern
            /// A JSON pointer, as a text in quotes; the kernel receives it parsed.
            case pointer
            /// A whole number or a decimal, as it is.
            case number
            /// Any kind but JSON; all parameters of this sort have one kind in common.
            case common
            /// A number, a day or an instant; all parameters of this sort have one kind in common.
            case ordered
            /// Any kind, each for itself.
            case any
        }

        let name: String
        let kinds: Kinds
        /// Whether it may be left out, or, as the last one, be repeated.
        var isOptional = false
        var isRepeated = false
        /// Whether the value has to be the same in every row.
        var isFixed = false

        static let text = Parameter(name: "text", kinds: .one(.text))
        static let json = Parameter(name: "json", kinds: .one(.json))

        static func text(_ name: String) -> Parameter { Parameter(name: name, kinds: .one(.text)) }
        static func day(_ name: String) -> Parameter { Parameter(name: name, kinds: .one(.day)) }
        static func integer(_ name: String, isOptional: Bool = false, isFixed: Bool = false) -> Parameter {
            Parameter(name: name, kinds: .one(.integer), isOptional: isOptional, isFixed: isFixed)
        }
    }

    /// Kinds of functions, in the order in which help lists them.
    public enum Group: String, Sendable, CaseIterable {
        case text = "Text"
        case number = "Number"
        case date = "Date"
        case conversion = "Conversion"
        case json = "JSON"
        case choice = "Choice"
    }

    /// An example: an expression over constants, and its value as a person reads it; nil when it is missing.
    public struct Example: Sendable {
        public let expression: String
        public let value: String?
    }

    /// The name, the parameters, and the kind of the result.
    struct Shape: Sendable {
        let name: String
        let parameters: [Parameter]
        /// Nil for the kind of the first argument, which may be one that all have in common.
        let result: ColumnKind?

        init(_ name: String, _ parameters: [Parameter], gives result: ColumnKind? = nil) {
            (self.name, self.parameters, self.result) = (name, parameters, result)
        }
    }

    private let shape: Shape
    public private(set) var group = Group.text
    /// One or two sentences with their full stop.
    public let help: String
    public let examples: [Example]
    /// Whether it needs the time zone of the job.
    let needsZone: Bool
    let kernel: @Sendable (FunctionCall) -> Operand

    init(
        _ shape: Shape,
        _ help: String,
        examples: [(String, String?)],
        needsZone: Bool = false,
        kernel: @escaping @Sendable (FunctionCall) -> Operand
    ) {
        (self.shape, self.help, self.needsZone, self.kernel) = (shape, help, needsZone, kernel)
        self.examples = examples.map { Example(expression: $0.0, value: $0.1) }
    }

    public var name: String { shape.name }
    var parameters: [Parameter] { shape.parameters }
    var result: ColumnKind? { shape.result }

    /// How it is called: `substring(text, from, [length])`.
    public var signature: String {
        let names = parameters.map { parameter in
            let name = parameter.isRepeated ? "\(parameter.name), …" : parameter.name
            return parameter.isOptional ? "[\(name)]" : name
        }
        return "\(name)(\(names.joined(separator: ", ")))"
    }

    /// Whether its last argument is a pattern.
    var takesPattern: Bool { parameters.last?.kinds == .pattern }
    /// Whether its last argument is a pointer, where it is there.
    var takesPointer: Bool { parameters.last?.kinds == .pointer }
    var fewest: Int { parameters.count { !$0.isOptional } }
    /// The limit of arguments, or nil if the last may be repeated.
    var most: Int? { parameters.last?.isRepeated == true ? nil : parameters.count }
    func parameter(at index: Int) -> Parameter { parameters[min(index, parameters.count - 1)] }

    /// Every function, by group and then in the order in which help shows them.
    public static let all: [ExpressionFunction] = [
        (Group.text, TextFunctions.all), (.number, NumberFunctions.all),
        (.date, DateFunctions.all), (.conversion, ConversionFunctions.all), (.json, JSONFunctions.all),
        (.choice, ChoiceFunctions.all),
    ].flatMap { group, functions in
        functions.map { function in
            var function = function
            function.group = group
            return function
        }
    }

    static let byName = Dictionary(all.map { ($0.name, $0) }) { first, _ in first }

    /// Names from other languages, and the function meant by each.
    static let otherNames = [
        "len": "length", "char_length": "length", "lcase": "lower", "ucase": "upper", "substr": "substring",
        "ceiling": "ceil", "dayofweek": "weekday", "datediff": "days_between", "date_diff": "days_between",
        "dateadd": "add_days", "date_add": "add_days", "ifnull": "coalesce", "nvl": "coalesce", "isnull": "coalesce",
        "int": "to_integer", "float": "to_decimal", "str": "to_text", "todate": "to_day", "to_date": "to_day",
        "startswith": "starts_with", "endswith": "ends_with", "includes": "contains", "max": "greatest",
        "min": "least", "regexp": "matches", "regexp_like": "matches", "today": "as_of", "now": "as_of",
        "is_hex_color": "is_hex_colour", "json_extract": "json_get", "get_json_object": "json_get",
        "json_value": "json_text", "json_extract_string": "json_text", "json_array_length": "json_length",
        "json_object_keys": "json_keys", "from_json": "parse_json", "json": "parse_json", "date_trunc": "month_start",
        "strip": "trim", "normalize": "nfc", "normalise": "nfc", "strpos": "contains",
    ]
}
